#include "agent/loop/reuse.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/loop/agent_limits.h"
#include "agent/store/cache.h"
#include "agent/text/codepoint.h"
#include "agent/text/pylex.h"
#include "agent/trace/step_events.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/jsontext.h"

enum { MOST_INPUT_BYTES = 1 << 20, MOST_WORD_BYTES = 64 };

/* ---- which programs ---- */

/* Modules whose functions give the same for the same; in the order of strcmp. */
static const char *const pure_modules[] = {
    "__future__",  "abc",       "array",     "base64",   "binascii",    "bisect",  "cmath",
    "collections", "colorsys",  "copy",      "csv",      "dataclasses", "decimal", "difflib",
    "enum",        "fractions", "functools", "graphlib", "hashlib",     "heapq",   "html",
    "itertools",   "json",      "math",      "numbers",  "operator",    "pprint",  "re",
    "statistics",  "string",    "struct",    "textwrap", "types",       "typing",  "unicodedata",
};

/* Words that may stand for what differs from run to run: files, clocks, chance, addresses, the
 * order of sets, and ways to reach those by another name. In the order of strcmp. */
static const char *const impure_words[] = {
    "CodeType",
    "Formatter",
    "ForwardRef",
    "NormalDist",
    "ag_frame",
    "attrgetter",
    "breakpoint",
    "builtins",
    "compile",
    "contextlib",
    "cr_frame",
    "eval",
    "exec",
    "f_back",
    "f_builtins",
    "f_globals",
    "f_locals",
    "frozenset",
    "get_type_hints",
    "getattr",
    "gi_frame",
    "globals",
    "hash",
    "id",
    "input",
    "inspect",
    "locals",
    "methodcaller",
    "modules",
    "monotonic",
    "monotonic_ns",
    "open",
    "os",
    "perf_counter",
    "perf_counter_ns",
    "random",
    "set",
    "sys",
    "tb_frame",
    "time",
    "urandom",
    "vars",
    "weakref",
};

/* Other names with two underscores lead to modules and to what is built in: f.__globals__,
 * print.__self__. In the order of strcmp. */
static const char *const plain_dunders[] = {
    "__add__",     "__all__",       "__bool__", "__call__",     "__contains__", "__doc__",
    "__enter__",   "__eq__",        "__exit__", "__floordiv__", "__future__",   "__ge__",
    "__getitem__", "__gt__",        "__init__", "__iter__",     "__le__",       "__len__",
    "__lt__",      "__main__",      "__mul__",  "__name__",     "__ne__",       "__neg__",
    "__next__",    "__post_init__", "__radd__", "__repr__",     "__rmul__",     "__setitem__",
    "__slots__",   "__str__",       "__sub__",  "__truediv__",
};

static int compare_word(const void *word, const void *row)
{
    return strcmp(word, *(const char *const *)row);
}

#define IS_AMONG(word, table) \
    (bsearch(word, table, sizeof(table) / sizeof *(table), sizeof *(table), compare_word) != NULL)

/* The word at text; its length, 0 where it is too long to be one of ours. */
static size_t copy_word(char *out, const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && is_name(text[n]))
        n++;
    const size_t kept = n < MOST_WORD_BYTES ? n : 0;
    memcpy(out, text, kept);
    out[kept] = '\0';
    return n;
}

/* Letters that Python takes for those of ASCII (NFKC): a name in them is the plain one. */
static const struct range {
    uint32_t first, last;
} compatible[] = {
    { 0xaa, 0xaa },     { 0xba, 0xba },       { 0x17f, 0x17f },     { 0x2b0, 0x2e3 },
    { 0x1d2c, 0x1dbf }, { 0x1fbf, 0x1fbf },   { 0x2071, 0x209c },   { 0x2102, 0x2188 },
    { 0x2c7c, 0x2c7d }, { 0xa7f2, 0xa7f4 },   { 0xfb00, 0xfb06 },   { 0xff10, 0xff5a },
    { 0xfe33, 0xfe4f }, { 0x10780, 0x107ba }, { 0x1d400, 0x1d7ff }, { 0x1fbf0, 0x1fbf9 },
};

static int has_compatible(const char *word, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t size;
        const uint32_t code = codepoint_at(word + at, &size);
        for (size_t i = 0; code >= 0x80 && i < sizeof compatible / sizeof *compatible; i++)
            if (code >= compatible[i].first && code <= compatible[i].last)
                return 1;
        at += size;
    }
    return 0;
}

/* What is within a module is reached by names with an underscore. In a string, where only braces
 * hold code, they are plain words as well: "_id". */
static int is_inside(const char *word, const char *source, size_t at, int is_code)
{
    if (*word != '_' || !word[1] || IS_AMONG(word, plain_dunders))
        return 0;
    while (at > 0 && strchr(" \t", source[at - 1]))
        at--;
    return is_code || word[1] == '_' || (at > 0 && source[at - 1] == '.');
}

/* Of the word at source + at. */
static int is_impure(const char *source, size_t len, size_t at, int is_code)
{
    char word[MOST_WORD_BYTES];
    const size_t size = copy_word(word, source + at, len - at);
    return IS_AMONG(word, impure_words) || is_inside(word, source, at, is_code) ||
           has_compatible(source + at, size);
}

static int begins_word(const char *source, size_t at)
{
    return is_name(source[at]) && (at == 0 || !is_name(source[at - 1]));
}

/* The modules of "import a, b as c" or "from a import": each line of its own, or it is refused. */
static int is_pure_import(const char *line, size_t len)
{
    char word[MOST_WORD_BYTES];
    size_t at = copy_word(word, line, len);
    const int is_from = strcmp(word, "from") == 0;

    if (memchr(line, ';', len) || memchr(line, '\\', len))
        return 0;
    for (size_t i = 0; i < len && line[i] != '#'; i++)
        if (begins_word(line, i) && is_impure(line, len, i, 1))
            return 0;

    for (;;) {
        while (at < len && strchr(" \t", line[at]))
            at++;
        size_t size = copy_word(word, line + at, len - at);
        if (size == 0 || !IS_AMONG(word, pure_modules))
            return 0;
        const char *comma = is_from ? NULL : memchr(line + at, ',', len - at);
        if (!comma)
            return 1;
        at = (size_t)(comma - line) + 1;
    }
}

static int begins_import(const char *text, size_t len)
{
    char word[MOST_WORD_BYTES];
    copy_word(word, text, len);
    return strcmp(word, "import") == 0 || strcmp(word, "from") == 0;
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
        size_t to = at;

        /* A magic, or a command for a shell. */
        if (is_code && strchr("%!", source[at]) && is_at_start(source, at))
            return 0;

        /* In a string too: what stands in braces there is code. */
        const int is_new_word = !lex.is_comment && begins_word(source, at);
        if (is_new_word && is_impure(source, len, at, is_code))
            return 0;

        if (is_new_word && is_code && begins_import(source + at, len - at)) {
            const char *end = memchr(source + at, '\n', len - at);
            to = end ? (size_t)(end - source) : len;
            if (!is_at_start(source, at) || !is_pure_import(source + at, to - at))
                return 0;
        }

        /* Past an import as a whole. */
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

    if (str_printf(&r->data, "input %zu %zu\n%s\n", strlen(name), data->len, name) ||
        str_add_str(&r->data, data))
        return SNUG_ENOMEM;
    return SNUG_OK;
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
    if (str_printf(out, "snug %s\n", snug_version()) ||
        str_append(out, python, strcspn(python, "\n")) ||
        str_printf(out, "\nprofile %s\n", agent->profile))
        return SNUG_ENOMEM;

    for (size_t i = 0; agent->allow && agent->allow[i]; i++)
        if (str_printf(out, "allow %s\n", agent->allow[i]))
            return SNUG_ENOMEM;

    for (size_t i = 0; (info = snug_limit_info(i)) && info->offset < sizeof limits; i++)
        if (str_printf(out, "%s %llu\n", info->name, (unsigned long long)*limit_at(&limits, info)))
            return SNUG_ENOMEM;

    if (str_add_str(out, &r->data) || str_add(out, "code\n"))
        return SNUG_ENOMEM;
    return str_add_str(out, &a->code);
}

/* ---- finding and keeping ---- */

static int copy_member(str *out, const cJSON *root, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, name));
    str_clear(out);
    return text && str_add(out, text) == SNUG_OK;
}

/* It is passed on as it is, and a file may have been written by anybody. */
static int is_object(const str *json)
{
    size_t at;
    return json->len > 0 && json->data[0] == '{' && !jsontext_check(json->data, json->len, &at);
}

static void tell_cached(const run *r, const attempt *a)
{
    cJSON *event = event_begin(r, "executed");
    if (event) {
        json_add_text(event, "status", "ok");
        json_add_bool(event, "cached", 1);
        json_add_raw(event, "result", a->cached.data);
    }
    event_send(r, event);
}

/* What was stored becomes the attempt's, and the program one that has still to run. */
static int read_stored(run *r, attempt *a, const str *stored)
{
    cJSON *root = NULL;
    int is_read = json_parse(&root, str_text(stored), stored->len) == SNUG_OK &&
                  copy_member(&a->output, root, "output") &&
                  copy_member(&a->printed, root, "printed") &&
                  copy_member(&a->cached, root, "result");

    cJSON_Delete(root);
    if (!is_read || !is_object(&a->cached))
        return 0;
    return str_add_str(&r->agent->unrun, &a->code) == SNUG_OK;
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

static int has_addresses(const attempt *a)
{
    return has_address(str_text(&a->output)) ||
           has_address(snug_result_text(a->result, SNUG_STREAM_STDOUT, NULL)) ||
           has_address(snug_result_text(a->result, SNUG_STREAM_STDERR, NULL)) ||
           has_address(snug_result_text(a->result, SNUG_STREAM_VALUE, NULL));
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
    return !has_addresses(a);
}

/* As read_stored reads it; malloc'ed, NULL if memory ran out. */
static char *write_stored(const attempt *a)
{
    size_t len;
    const char *printed = snug_result_text(a->result, SNUG_STREAM_STDOUT, &len);
    const char *json = snug_result_json(a->result, NULL);
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;

    if (root && json && !json_add_text_len(root, "output", str_text(&a->output), a->output.len) &&
        !json_add_text_len(root, "printed", printed, len) && !json_add_text(root, "result", json))
        text = json_text(root);

    cJSON_Delete(root);
    return text;
}

void reuse_keep(run *r, const attempt *a)
{
    str value = { 0 };

    if (r->reuse_key.len == 0 || !is_plain_result(a) || has_files(r->agent->session))
        return;

    char *text = write_stored(a);
    if (text && str_add(&value, text) == SNUG_OK)
        cache_keep(r, CACHE_RESULT, &r->reuse_key, &value);
    free(text);
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
