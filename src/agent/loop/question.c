/*
 * question.c - what a question is asked with, once it is known that it can be asked.
 */
#include "agent/loop/loop.h"

#include <snug/snug.h>

#include <regex.h>
#include <string.h>

#include "agent/loop/agent_limits.h"
#include "agent/text/question_text.h"
#include "base/error.h"
#include "base/utf8.h"

static int check_expected(const char *expect)
{
    regex_t pattern;
    char why[200];
    int fault = regcomp(&pattern, expect, REG_EXTENDED | REG_NOSUB);

    if (!fault) {
        regfree(&pattern);
        return SNUG_OK;
    }

    regerror(fault, &pattern, why, sizeof why);
    return error_set(SNUG_EINVAL, "expect is not an extended regular expression: %s: %.200s", why,
                     expect);
}

static int check_given_program(const char *code, snug_agent_mode mode)
{
    size_t at;

    if (mode != SNUG_AGENT_MODE_SOLVE)
        return error_set(SNUG_EINVAL, "a program that is given is for the mode solve");
    if (!*code)
        return error_set(SNUG_EINVAL, "the program that is given is empty");
    if (utf8_check(code, strlen(code), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the program that is given is not UTF-8: 0x%02x at byte %zu",
                         (unsigned)(unsigned char)code[at], at + 1);

    return SNUG_OK;
}

static int check_ask_options(const snug_agent_ask_options *o, snug_agent_mode mode)
{
    const char *programs = o->program_language;

    if (o->mode && ((int)*o->mode < 0 || *o->mode > SNUG_AGENT_MODE_PLAN))
        return error_set(SNUG_EINVAL, "mode %d is not one of snug_agent_mode", (int)*o->mode);
    if (programs && strcmp(programs, "python") != 0 && strcmp(programs, "bash") != 0 &&
        strcmp(programs, "auto") != 0)
        return error_set(SNUG_EINVAL, "program_language \"%.100s\": expected python, bash or auto",
                         programs);

    int error = o->code ? check_given_program(o->code, mode) : SNUG_OK;
    if (!error && o->expect)
        error = check_expected(o->expect);
    return error;
}

/* A session runs either Python or bash. */
static int check_program_language(const snug_agent *agent, const snug_agent_ask_options *o)
{
    const char *wanted = o->program_language ? o->program_language : "auto";
    const int is_bash = is_in_bash(agent);

    if (is_bash && strcmp(wanted, "python") == 0)
        return error_set(SNUG_EINVAL, "the program is to be in python, and the session is of bash");
    if (!is_bash && strcmp(wanted, "bash") == 0)
        return error_set(SNUG_EINVAL,
                         "the program is to be in bash, and the session is of Python: bash needs a "
                         "session of its own (--language bash, or --isolation bash)");
    return SNUG_OK;
}

/* Versions of a program are measured with the names that it began with. */
static int check_bash(const snug_agent *agent, const snug_agent_ask_options *o)
{
    if (!is_in_bash(agent) || !o->code || agent->options.focus == SNUG_AGENT_FOCUS_FIX_ERRORS)
        return SNUG_OK;
    return error_set(SNUG_EINVAL, "a program in bash is repaired, and not made faster or more "
                                  "robust: its session cannot go back to the names before");
}

int question_prepare(question *out, const snug_agent *agent, const char *text,
                     const snug_agent_ask_options *o)
{
    *out = (question){ .mode = o->mode ? *o->mode : agent->options.mode };

    int error = check_ask_options(o, out->mode);
    if (!error)
        error = agent_limits_resolve(&out->limits, o->limits, &agent->limits);
    if (error)
        return error;

    const int needs_text = !o->code || *text;
    if (needs_text && question_check(text, out->limits.question_bytes) != SNUG_OK) {
        out->refused = "";
        return SNUG_OK;
    }

    error = check_bash(agent, o);
    if (error)
        return error;

    if (check_program_language(agent, o) != SNUG_OK) {
        out->refused = text;
        return SNUG_OK;
    }

    return SNUG_OK;
}
