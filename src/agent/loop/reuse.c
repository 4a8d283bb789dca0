/*
 * reuse.c - programs that depend on nothing but their data are not run again: caches_results.
 *
 * In solve and chain, and only where the session has run nothing yet: nobody may look into a
 * namespace that is not there. When a program of the same session is run after one that was not,
 * or its variables are listed, that one is run for real first.
 */
#include "agent/loop/loop.h"

#include <stdint.h>
#include <string.h>

#include "agent/loop/agent_limits.h"
#include "agent/store/cache.h"
#include "agent/text/pylex.h"
#include "agent/trace/trace.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/jsontext.h"

enum { MOST_INPUT_BYTES = 1 << 20 };

/* ---- which programs ---- */

/* Modules whose functions give the same for the same. */
static const char pure_modules[] =
    " __future__ abc array base64 bisect cmath collections copy csv dataclasses decimal difflib "
    "enum "
    "fractions functools graphlib hashlib heapq html itertools json math numbers operator re "
    "statistics string struct textwrap types typing unicodedata ";

/* Words that may stand for what differs from run to run: files, clocks, chance, addresses, the
 * order of sets, and ways to reach those by another name. */
static const char impure_words[] =
    " ag_frame attrgetter breakpoint builtins compile cr_frame eval exec Formatter frozenset "
    "getattr "
    "gi_frame globals hash id input inspect locals methodcaller modules NormalDist open os random "
    "set sys tb_frame time vars weakref ";

static int is_among(const char *words, const char *word, size_t len)
{
    for (const char *at = words; (at = memmem(at, strlen(at), word, len)); at++)
        if (at[-1] == ' ' && at[len] == ' ')
            return 1;
    return 0;
}

static size_t word_len(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && is_name(text[n]))
        n++;
    return n;
}

/* What is within a module is reached by names with an underscore in front. In a string, where only
 * braces hold code, they are plain words as well: "_id". */
static int is_inside(const char *source, size_t at, size_t len, int is_code)
{
    static const char plain[] =
        " __name__ __main__ __init__ __str__ __repr__ __eq__ __lt__ __len__ "
        "__iter__ __next__ __future__ ";
    const char *word = source + at;

    if (*word != '_' || len == 1 || is_among(plain, word, len))
        return 0;
    while (at > 0 && strchr(" \t", source[at - 1]))
        at--;
    return is_code || word[1] == '_' || (at > 0 && source[at - 1] == '.');
}

/* A name beyond ASCII may be another one for Python. */
static int is_impure(const char *source, size_t at, size_t len, int is_code)
{
    for (size_t i = 0; is_code && i < len; i++)
        if ((unsigned char)source[at + i] >= 0x80)
            return 1;
    return is_among(impure_words, source + at, len) || is_inside(source, at, len, is_code);
}

/* The modules of "import a, b as c" or "from a import b", whose line it is alone. */
static int is_pure_import(const char *line, size_t len)
{
    size_t at = word_len(line, len);
    const int is_from = at == strlen("from");

    if (memchr(line, ';', len) || memchr(line, '\\', len))
        return 0;
    for (size_t i = 0, width; i < len && line[i] != '#'; i += width ? width : 1)
        if ((width = word_len(line + i, len - i)) > 0 && is_impure(line, i, width, 1))
            return 0;

    for (;;) {
        while (at < len && strchr(" \t", line[at]))
            at++;
        const size_t size = word_len(line + at, len - at);
        if (size == 0 || !is_among(pure_modules, line + at, size))
            return 0;
        const char *comma = is_from ? NULL : memchr(line + at, ',', len - at);
        if (!comma)
            return 1;
        at = (size_t)(comma - line) + 1;
    }
}

/* Where a statement begins, as far as its line shows. */
static int is_at_start(const char *source, size_t at)
{
    while (at > 0 && strchr(" \t", source[at - 1]))
        at--;
    return at == 0 || source[at - 1] == '\n';
}

int reuse_is_pure(const char *source, size_t len)
{
    pylex lex = { 0 };

    for (size_t at = 0; at < len;) {
        const int is_code = pylex_is_code(&lex);
        size_t width = lex.is_comment ? 0 : word_len(source + at, len - at), to = at + width;

        /* A magic, or a command for a shell. */
        if (is_code && strchr("%!", source[at]) && is_at_start(source, at))
            return 0;
        /* In a string too: what stands in braces there is code. */
        if (width > 0 && is_impure(source, at, width, is_code))
            return 0;
        if (width > 0 && is_code && is_among(" import from ", source + at, width)) {
            const char *end = memchr(source + at, '\n', len - at);
            to = end ? (size_t)(end - source) : len;
            if (!is_at_start(source, at) || !is_pure_import(source + at, to - at))
                return 0;
        }

        /* Past the word, or an import as a whole. */
        do
            at = pylex_step(&lex, source, len, at);
        while (at < to);
    }

    return 1;
}

/* "<object object at 0x7f...>" */
static int has_address(const char *text)
{
    for (const char *at = text; (at = strstr(at, "0x")); at += 2)
        if (strspn(at + 2, "0123456789abcdefABCDEF") >= 6)
            return 1;
    return 0;
}

/* ---- the key ---- */

int reuse_add_input(run *r, const char *name, const str *data)
{
    if (!r->agent->options.caches_results || is_in_bash(r->agent) || r->is_not_reusable)
        return SNUG_OK;
    if (data->len + r->data.len > MOST_INPUT_BYTES) {
        r->is_not_reusable = 1;
        return SNUG_OK;
    }

    str_printf(&r->data, "input %zu %zu\n%s\n", strlen(name), data->len, name);
    return str_add_str(&r->data, data);
}

static int has_files(snug_session *session)
{
    snug_listing *listing;
    if (snug_session_list_files(&listing, session))
        return 1;
    const int has = snug_listing_entry_count(listing) > 0 || !snug_listing_is_whole(listing);
    snug_listing_free(listing);
    return has;
}

/* The question and the agent leave nothing but the program and its data to decide the result. */
static int has_no_other_source(const run *r)
{
    const snug_agent *agent = r->agent;
    const snug_agent_options *o = &agent->options;

    if (r->mode != SNUG_AGENT_MODE_SOLVE && r->mode != SNUG_AGENT_MODE_CHAIN)
        return 0;
    if (r->is_not_reusable || r->options->code || r->options->checks)
        return 0;
    if (o->on_evaluate || o->on_route || o->has_rollback || o->asks_model)
        return 0;
    return agent->is_private && !agent->conversation.file && agent->tools.count == 0 &&
           !agent->has_answer;
}

/* Nothing has run in the session, and no file is in it. */
static int is_untouched(const snug_agent *agent)
{
    return agent->unrun.len == 0 && snug_session_execution_count(agent->session) == 0 &&
           !has_files(agent->session);
}

static int is_reusable(const run *r, const attempt *a)
{
    const snug_agent *agent = r->agent;

    if (!agent->options.caches_results || !agent->cache || is_in_bash(agent))
        return 0;
    return has_no_other_source(r) && is_untouched(agent) &&
           reuse_is_pure(str_text(&a->code), a->code.len);
}

/* All that the result depends on: versions, rights, limits, data and the program. */
static int write_key(str *out, const run *r, const attempt *a)
{
    const snug_agent *agent = r->agent;
    const char *report = snug_host_report(agent->host);
    const char *python = strstr(report, "python:");
    const snug_limit_description *info;
    snug_limits limits = agent->cell_limits;

    if (!python)
        python = report;
    str_printf(out, "snug %s\n", snug_version());
    str_append(out, python, strcspn(python, "\n"));
    str_printf(out, "\nprofile %s\n", agent->profile);
    for (size_t i = 0; agent->allow && agent->allow[i]; i++)
        str_printf(out, "allow %s\n", agent->allow[i]);
    for (size_t i = 0; (info = snug_limit_info(i)) && info->offset < sizeof limits; i++)
        str_printf(out, "%s %llu\n", info->name, (unsigned long long)*limit_at(&limits, info));

    str_add_str(out, &r->data);
    str_add(out, "code\n");
    return str_add_str(out, &a->code);
}

/* ---- finding and keeping ---- */

static void tell_cached(const run *r, const attempt *a)
{
    str event = event_begin(r, "executed");
    json_put_word(&event, "status", "ok");
    json_put_bool(&event, "cached", 1);
    json_put_raw(&event, "result", a->cached.data);
    event_send(r, "executed", &event);
}

/* What was stored becomes the attempt's, and the program one that has still to run. A file may have
 * been written by anybody. */
static int read_stored(run *r, attempt *a, const str *stored)
{
    const jsontext_span root = { str_text(stored), stored->len };
    size_t at;

    if (jsontext_check(root.text, root.len, &at))
        return 0;
    const jsontext_span result = jsontext_member(root, "result");
    if (!result.text || *result.text != '{')
        return 0;

    str_clear(&a->output);
    str_clear(&a->printed);
    return !jsontext_string(&a->output, jsontext_member(root, "output")) &&
           !jsontext_string(&a->printed, jsontext_member(root, "printed")) &&
           !str_append(&a->cached, result.text, result.len) &&
           !str_add_str(&r->agent->unrun, &a->code);
}

int reuse_find(run *r, attempt *a)
{
    str stored = { 0 };
    int is_found = 0;

    str_clear(&r->reuse_key);
    if (!is_reusable(r, a))
        return 0;
    if (write_key(&r->reuse_key, r, a)) {
        str_clear(&r->reuse_key);
        return 0;
    }

    if (cache_find(&stored, r, CACHE_RESULT, &r->reuse_key))
        is_found = read_stored(r, a, &stored);
    str_free(&stored);

    if (is_found)
        tell_cached(r, a);
    else
        str_clear(&a->cached);

    return is_found;
}

/* The result is all that the program gave: no calls, no files, nothing that was too long. */
static int is_plain_result(const attempt *a)
{
    const snug_result *result = a->result;

    if (!result || snug_result_status(result) != SNUG_STATUS_OK)
        return 0;

    if (snug_result_tool_call_count(result) > 0 || snug_result_artifact_count(result) > 0 ||
        snug_result_artifacts_left_out(result) > 0)
        return 0;

    if (snug_result_spill(result, SNUG_STREAM_STDOUT) ||
        snug_result_spill(result, SNUG_STREAM_STDERR))
        return 0;
    for (snug_stream stream = SNUG_STREAM_STDOUT; stream <= SNUG_STREAM_VALUE; stream++)
        if (has_address(snug_result_text(result, stream, NULL)))
            return 0;
    return !has_address(str_text(&a->output));
}

void reuse_keep(run *r, const attempt *a)
{
    str value = { 0 };
    size_t len;

    if (r->reuse_key.len == 0 || !is_plain_result(a) || has_files(r->agent->session))
        return;

    const char *printed = snug_result_text(a->result, SNUG_STREAM_STDOUT, &len);
    const char *json = snug_result_json(a->result, NULL);
    json_open(&value, NULL, '{');
    json_put_str(&value, "output", &a->output);
    json_put_text(&value, "printed", printed, len);
    json_put_raw(&value, "result", json ? json : "null");
    json_close(&value, '}');
    if (!str_error(&value))
        cache_keep(r, CACHE_RESULT, &r->reuse_key, &value);
    str_free(&value);
}

int reuse_catch_up(run *r)
{
    snug_agent *agent = r->agent;
    snug_result *result;

    if (agent->unrun.len == 0)
        return SNUG_OK;
    agent->is_catching_up = 1;
    int error = run_cell(&result, r, agent->unrun.data, agent->unrun.len, 0);
    agent->is_catching_up = 0;
    if (!error && result) {
        str_clear(&agent->unrun);
        snug_result_free(result);
    }

    return error;
}
