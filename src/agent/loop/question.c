#include "agent/loop/question.h"

#include <snug/snug.h>

#include <regex.h>
#include <string.h>

#include "agent/loop/agent_limits.h"
#include "agent/text/language.h"
#include "agent/text/question_text.h"
#include "base/error.h"
#include "base/utf8.h"

static int check_ask_options(const snug_agent_ask_options *o, snug_agent_mode mode)
{
    regex_t pattern;
    const char *programs = o->program_language;

    if (o->mode && ((int)*o->mode < 0 || *o->mode > SNUG_AGENT_MODE_PLAN))
        return error_set(SNUG_EINVAL, "mode %d is not one of snug_agent_mode", (int)*o->mode);
    if (programs && strcmp(programs, "python") != 0 && strcmp(programs, "bash") != 0 &&
        strcmp(programs, "auto") != 0)
        return error_set(SNUG_EINVAL, "program_language \"%.100s\": expected python, bash or auto",
                         programs);

    if (o->code && mode != SNUG_AGENT_MODE_SOLVE)
        return error_set(SNUG_EINVAL, "a program that is given is for the mode solve");
    if (o->code && !*o->code)
        return error_set(SNUG_EINVAL, "the program that is given is empty");

    size_t at;
    if (o->code && utf8_check(o->code, strlen(o->code), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the program that is given is not UTF-8: 0x%02x at byte %zu",
                         (unsigned)(unsigned char)o->code[at], at + 1);

    if (o->expect) {
        int fault = regcomp(&pattern, o->expect, REG_EXTENDED | REG_NOSUB);
        if (fault) {
            char why[200];
            regerror(fault, &pattern, why, sizeof why);
            return error_set(SNUG_EINVAL,
                             "expect is not an extended regular expression: %s: %.200s", why,
                             o->expect);
        }
        regfree(&pattern);
    }

    return SNUG_OK;
}

/* A session runs one of the two. */
static int check_program_language(const snug_agent *agent, const char *text,
                                  const snug_agent_ask_options *o)
{
    const char *wanted = o->program_language ? o->program_language : "auto";
    const int is_auto = strcmp(wanted, "auto") == 0;

    if (is_in_bash(agent))
        return is_auto || strcmp(wanted, "bash") == 0
                   ? SNUG_OK
                   : error_set(SNUG_EINVAL,
                               "the program is to be in %s, and the session is of bash", wanted);

    if (strcmp(wanted, "bash") == 0 || (is_auto && language_wants_bash(text)))
        return error_set(SNUG_EINVAL,
                         "%s bash, and the session is of Python: bash needs a session of its own "
                         "(--language bash, or --isolation bash)",
                         is_auto ? "the question asks for" : "the program is to be in");

    return SNUG_OK;
}

/* What a session of bash has not. */
static int check_bash(const snug_agent *agent, const snug_agent_ask_options *o,
                      snug_agent_mode mode)
{
    if (!is_in_bash(agent))
        return SNUG_OK;
    if (mode == SNUG_AGENT_MODE_ACT || mode == SNUG_AGENT_MODE_PLAN)
        return error_set(SNUG_EINVAL, "programs in bash are for the modes solve and chain");
    if (o->code)
        return error_set(SNUG_EINVAL, "a program that is given is in Python, and the session "
                                      "is of bash");
    return SNUG_OK;
}

int question_prepare(question *out, const snug_agent *agent, const char *text,
                     const snug_agent_ask_options *o)
{
    *out = (question){ .mode = o->mode ? *o->mode : agent->options.mode };

    int error = check_ask_options(o, out->mode);
    if (error || (error = bounds_resolve(&out->limits, o->limits, &agent->limits)))
        return error;

    const int needs_text = !o->code || *text;
    if (needs_text && question_check(text, out->limits.question_bytes) != SNUG_OK) {
        out->refused = "";
        return SNUG_OK;
    }

    error = check_bash(agent, o, out->mode);
    if (error)
        return error;
    if (check_program_language(agent, text, o) != SNUG_OK) {
        out->refused = text;
        return SNUG_OK;
    }

    /* What the caller calls by another name is not a language that is known here, and fine. */
    const language *known = o->language ? language_named(o->language) : language_of(text);
    out->language_code = known ? known->code : o->language;
    out->language_name = o->language || !known ? o->language : known->name;
    return SNUG_OK;
}
