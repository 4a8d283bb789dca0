#include "session/life/make.h"

#include <pthread.h>
#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/excerpt.h"
#include "base/options.h"
#include "base/u64.h"
#include "base/utf8.h"
#include "limits/limits.h"
#include "policy/shellwords.h"
#include "py/life/runtime.h"
#include "py/queries/scan_source.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "wire/json.h"

/* ---- scan lines ---- */

/* What of a scan needs no interpreter: the caller's patterns in the lines of the
 * source and in scripts of bash, and the excerpts of findings. */

enum { SCAN_MOST_FINDINGS = 1000 };

typedef struct scan_text {
    const char *source;
    size_t len;
    const forbid_list *forbidden;
} scan_text;

/* ---- lines ---- */

/* Reads a source line by line; lines end as those of CPython's tokenizer do, in LF, CRLF or CR. */
typedef struct line_reader {
    const char *next, *end;
    const char *line; /* NULL before the first one and past the end */
    size_t len;       /* without the line end */
    unsigned number;
} line_reader;

/* A byte order mark is not part of the first line. */
static line_reader open_lines(const scan_text *text)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t skipped = text->len >= 3 && memcmp(text->source, bom, 3) == 0 ? 3 : 0;
    return (line_reader){ .next = text->source + skipped, .end = text->source + text->len };
}

static int next_line(line_reader *r)
{
    const char *at = r->next;

    r->number++;
    r->line = at < r->end ? at : NULL;
    while (at < r->end && *at != '\n' && *at != '\r')
        at++;
    r->len = (size_t)(at - r->next);
    if (r->end - at >= 2 && at[0] == '\r' && at[1] == '\n')
        at += 2;
    else if (at < r->end)
        at++;
    r->next = at;
    return r->line != NULL;
}

/* Characters before at, in a line that need not be valid UTF-8. */
static unsigned column_at(const char *line, size_t at)
{
    unsigned column = 1;
    for (size_t i = 0; i < at; i++)
        column += ((unsigned char)line[i] & 0xc0) != 0x80;
    return column;
}

/* ---- patterns ---- */

static int add_forbidden(scan_findings *out, unsigned line, unsigned column, const char *subject,
                         size_t len, const char *pattern)
{
    char quoted[100], message[400];

    if (out->count >= SCAN_MOST_FINDINGS)
        return SNUG_OK;
    snprintf(quoted, sizeof quoted, "%.*s", (int)(len < sizeof quoted ? len : sizeof quoted),
             subject);
    utf8_mend(quoted, strlen(quoted));
    snprintf(message, sizeof message, "%s is forbidden here, by the pattern %.200s", quoted,
             pattern);
    utf8_mend(message, strlen(message));
    return scan_add(out, "forbid", line, column, quoted, message);
}

static int judge_line(scan_findings *out, const line_reader *r, const forbid_list *forbidden)
{
    size_t index = 0;
    forbid_place found;
    const char *pattern;
    int error = SNUG_OK;

    while (!error && (pattern = forbid_line(forbidden, &index, r->line, r->len, &found))) {
        const char *subject = found.len > 0 ? r->line + found.at : "the line";
        const size_t len = found.len > 0 ? found.len : strlen(subject);
        error = add_forbidden(out, r->number, column_at(r->line, found.at), subject, len, pattern);
    }
    return error;
}

/* ---- bash ---- */

typedef struct shell_judge {
    scan_findings *out;
    const scan_text *text;
    line_reader lines; /* up to the last word */
} shell_judge;

/* The command itself, and without the folders in front. */
static const char *pattern_of_command(const forbid_list *list, const char *word, size_t len)
{
    const char *slash = memrchr(word, '/', len);
    const char *pattern = forbid_name(list, word, len);
    if (pattern || !slash)
        return pattern;

    const size_t folders = (size_t)(slash - word) + 1;
    return forbid_name(list, word + folders, len - folders);
}

static int judge_command(void *payload, const char *word, size_t len, size_t at)
{
    shell_judge *j = payload;
    const char *pattern = pattern_of_command(j->text->forbidden, word, len);
    if (!pattern)
        return SNUG_OK;

    /* A word comes behind the commands that are substituted in it. */
    const char *place = j->text->source + at;
    if (j->lines.line && place < j->lines.line)
        j->lines = open_lines(j->text);
    while (j->lines.next <= place && next_line(&j->lines))
        ;
    const char *line = j->lines.line ? j->lines.line : place;
    return add_forbidden(j->out, j->lines.number, column_at(line, (size_t)(place - line)), word,
                         len, pattern);
}

/* The findings of a script of bash: its length and its commands. max_bytes 0: the default. SNUG_OK
 * or SNUG_ENOMEM. */
static int scan_bash(scan_findings *out, const scan_text *text, uint64_t max_bytes)
{
    const snug_limits wanted = { .source_bytes = max_bytes };
    const uint64_t most = limits_resolve(&wanted, NULL).source_bytes;
    char message[120];

    if (text->len > most) {
        snprintf(message, sizeof message, "the source has %zu bytes, and may have %llu", text->len,
                 (unsigned long long)most);
        return scan_add(out, "length", 0, 0, "", message);
    }

    shell_judge judge = { .out = out, .text = text, .lines = open_lines(text) };
    if (shellwords_commands(text->source, text->len, judge_command, &judge))
        return error_no_memory();
    return SNUG_OK;
}

/* ---- all ---- */

static int compare_places(const void *a, const void *b)
{
    const scan_finding *one = a, *other = b;
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    if (one->column != other->column)
        return one->column < other->column ? -1 : 1;
    return strcmp(one->rule, other->rule);
}

static int add_excerpts(scan_findings *found, const scan_text *text)
{
    line_reader lines = open_lines(text);

    for (size_t i = 0; i < found->count; i++) {
        scan_finding *finding = &found->items[i];
        while (lines.number < finding->line && next_line(&lines))
            ;
        if (finding->line == 0 || !lines.line || lines.number != finding->line)
            continue;
        if (excerpt_add(&finding->excerpt, lines.line, lines.len, finding->column))
            return error_no_memory();
    }

    return SNUG_OK;
}

/* Adds those of regular expressions, puts all into the order of the source, and gives each its
 * excerpt. SNUG_OK or SNUG_ENOMEM. */
static int scan_lines(scan_findings *found, const scan_text *text)
{
    line_reader lines = open_lines(text);
    const int is_too_long = found->count > 0 && strcmp(found->items[0].rule, "length") == 0;
    const size_t before = found->count;
    int error = SNUG_OK;

    while (!is_too_long && !error && next_line(&lines))
        error = judge_line(found, &lines, text->forbidden);
    if (error)
        return error;

    if (found->count > before)
        qsort(found->items, found->count, sizeof *found->items, compare_places);
    return add_excerpts(found, text);
}

struct snug_scan {
    scan_findings found;
    snug_finding *findings; /* as the header shows them; the texts are found's */
    pthread_mutex_t lock;   /* guards json */
    char *json;
};

/* What the scanner works on. */
typedef struct scan_work {
    allowlist *modules; /* NULL: the source is not Python */
    forbid_list *forbidden;
    str source;
    str tools; /* each ended by NUL */
    uint64_t max_bytes;
    scan_findings found;
} scan_work;

static void free_scan_work(void *arg)
{
    scan_work *work = arg;

    if (!work)
        return;

    allowlist_close(work->modules);
    forbid_close(work->forbidden);
    str_free(&work->source);
    str_free(&work->tools);
    scan_findings_free(&work->found);
    free(work);
}

enum { DEFAULT_WALL_MS = 5000 };

enum { SCANNER_MEMORY_BYTES = 1 << 30 };

/* The session that scans run in: it may open nothing, and does not count as one. */
static int open_scanner(snug_session **out, snug_host *host)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.memory_bytes = SCANNER_MEMORY_BYTES;
    options.name = "scan";
    options.workdir = "/";
    options.limits = &limits;
    return session_open_cold(out, host, &options, NULL, 1);
}

/* On the scanner's thread. */
static int judge_source_text(snug_session *scanner, void *arg)
{
    scan_work *work = arg;
    const scan_rules rules = { work->modules, work->forbidden, &work->tools, work->max_bytes };
    return interp_scan(&work->found, scanner->interp, &rules, work->source.data, work->source.len);
}

/* The findings as the public header has them. */
static int present_findings(snug_scan *report)
{
    const scan_findings *found = &report->found;

    report->findings = calloc(found->count + 1, sizeof *report->findings);
    if (!report->findings)
        return error_no_memory();

    for (size_t i = 0; i < found->count; i++) {
        const scan_finding *from = &found->items[i];
        report->findings[i] = (snug_finding){
            from->rule,
            from->line,
            from->column,
            str_text(&from->subject),
            str_text(&from->message),
            str_text(&from->hint),
            str_text(&from->excerpt),
        };
    }

    return SNUG_OK;
}

/* Code that could not be judged to its end is not to run: the only finding says so. */
static int tell_limit(scan_findings *found, int is_late, const snug_session *scanner)
{
    char text[128];

    if (is_late)
        snprintf(text, sizeof text, "the source could not be judged within %llu ms",
                 (unsigned long long)scanner->job.limits.wall_ms);
    else
        snprintf(text, sizeof text, "the source takes more than %llu bytes to judge",
                 (unsigned long long)scanner->limits.memory_bytes);

    scan_findings_free(found);
    return scan_add(found, "length", 0, 0, "", text);
}

/* Judges work, which is freed. One scan at a time: the caller holds scan_lock. */
static int run_scan(scan_findings *found, snug_host *host, uint64_t wall_ms, scan_work *work)
{
    const job_limits limits = { wall_ms, wall_ms, SNUG_UNLIMITED };
    int error = SNUG_OK;

    if (!host->scanner)
        error = open_scanner(&host->scanner, host);
    if (error) {
        free_scan_work(work);
        return error;
    }

    snug_session *scanner = host->scanner;
    memory_begin(&scanner->memory);
    error = session_run_job(scanner, judge_source_text, work, &limits);

    /* Given up, it still runs, and so does its ladder. */
    int is_given_up = scanner->stop.is_given_up;
    int is_late = is_given_up || scanner->stop.since_ns != 0;
    int is_large = !is_given_up && scanner->memory.refusals > 0;
    if (!error) {
        *found = work->found;
        work->found = (scan_findings){ 0 };
    }

    if (!session_keeps_arg(scanner, work, free_scan_work))
        free_scan_work(work);
    const int is_stalled = error == SNUG_ETIMEOUT;
    if (!is_late && !is_large && !is_stalled)
        return error;

    if (!is_stalled)
        error = tell_limit(found, is_late, scanner);

    /* Whatever it has left behind goes with it. */
    host->scanner = NULL;
    session_discard(scanner);
    return error;
}

static int copy_tools(str *out, const char *const *tools)
{
    int error = SNUG_OK;

    for (size_t i = 0; tools && tools[i] && !error; i++)
        error = str_append(out, tools[i], strlen(tools[i]) + 1);
    return error;
}

static int make_work(scan_work **out, const snug_host *host, const char *source, size_t len,
                     const snug_scan_options *options)
{
    const snug_limits wanted = { .source_bytes = options->max_source_bytes };
    scan_work *work = calloc(1, sizeof *work);
    if (!work || str_append(&work->source, len > 0 ? source : "", len) != SNUG_OK ||
        copy_tools(&work->tools, options->tools) != SNUG_OK) {
        free_scan_work(work);
        return error_no_memory();
    }

    work->max_bytes = limits_resolve(&wanted, NULL).source_bytes;
    int error = forbid_open(&work->forbidden, options->forbid);
    if (!error && options->kind != SNUG_KIND_BASH)
        error = allowlist_open(&work->modules, options->profile ? options->profile : "core",
                               host->allowlist_dir, options->allow);
    if (error)
        free_scan_work(work);
    else
        *out = work;

    return error;
}

/* A scan takes as long as it may, and waits as long as it may. */
static int wait_for_scanner(snug_host *host, uint64_t wall_ms)
{
    uint64_t until_ns = u64_sum(clock_deadline_ns(clock_now_ns(), wall_ms), host->patience_ns);
    const struct timespec until = { (time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S) };
    return pthread_mutex_clocklock(&host->scan_lock, CLOCK_MONOTONIC, &until);
}

/* Judges the source as Python: one scan at a time. */
static int scan_python(scan_findings *found, snug_host *host, const char *source, size_t len,
                       const snug_scan_options *options)
{
    const uint64_t wall_ms = options->wall_ms ? options->wall_ms : DEFAULT_WALL_MS;
    scan_work *work;
    int error = make_work(&work, host, source, len, options);
    if (error)
        return error;

    if (wait_for_scanner(host, wall_ms) != 0) {
        free_scan_work(work);
        return error_set(SNUG_ETIMEOUT, "the scan waited for its turn behind another one");
    }

    error = run_scan(found, host, wall_ms, work);
    pthread_mutex_unlock(&host->scan_lock);
    return error;
}

int local_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
               const snug_scan_options *options)
{
    const int is_bash = options->kind == SNUG_KIND_BASH;
    forbid_list *forbidden;

    if (!is_bash && runtime_is_full())
        return error_set(
            SNUG_EINVAL,
            "snug_host_scan: this process cannot scan: it is reserved for full sessions");

    int error = forbid_open(&forbidden, options->forbid);
    if (error)
        return error;

    snug_scan *report = calloc(1, sizeof *report);
    if (!report) {
        forbid_close(forbidden);
        return error_no_memory();
    }

    pthread_mutex_init(&report->lock, NULL);
    const scan_text text = { source ? source : "", len, forbidden };
    if (is_bash)
        error = scan_bash(&report->found, &text, options->max_source_bytes);
    else
        error = scan_python(&report->found, host, source, len, options);
    if (!error)
        error = scan_lines(&report->found, &text);
    if (!error)
        error = present_findings(report);

    forbid_close(forbidden);
    if (error)
        snug_scan_free(report);
    else
        *out = report;

    return error;
}

int snug_host_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
                   const snug_scan_options *given)
{
    snug_scan_options options;

    if (!out)
        return host_fail(host, error_set(SNUG_EINVAL, "snug_host_scan: out is NULL"));
    if (!source && len > 0)
        return host_fail(host, error_set(SNUG_EINVAL, "snug_host_scan: source is NULL"));

    int error = host_check(host, "snug_host_scan");
    if (!error)
        error = options_take(&options, sizeof options, given, "snug_scan_options");
    if (!error)
        error = host->form->scan(out, host, source, len, &options);
    return host_fail(host, error);
}

size_t snug_scan_finding_count(const snug_scan *report)
{
    return report->found.count;
}

const snug_finding *snug_scan_finding(const snug_scan *report, size_t index)
{
    return index < report->found.count ? &report->findings[index] : NULL;
}

static char *encode_findings(const snug_scan *report)
{
    str out = { 0 };

    json_open(&out, NULL, '{');
    json_put_word(&out, "schema", "snug.scan/1");
    json_put_bool(&out, "ok", report->found.count == 0);
    json_open(&out, "findings", '[');
    for (size_t i = 0; i < report->found.count; i++) {
        const snug_finding *finding = &report->findings[i];
        json_open(&out, NULL, '{');
        json_put_word(&out, "rule", finding->rule);
        json_put_number(&out, "line", finding->line);
        json_put_number(&out, "column", finding->column);
        json_put_word(&out, "subject", finding->subject);
        json_put_word(&out, "message", finding->message);
        json_put_word(&out, "hint", finding->hint);
        json_put_word(&out, "excerpt", finding->excerpt);
        json_close(&out, '}');
    }
    str_add(&out, "]}");
    return json_taken(&out);
}

const char *snug_scan_json(const snug_scan *given, size_t *len)
{
    snug_scan *report = (snug_scan *)(uintptr_t)given; /* its text is made once */

    pthread_mutex_lock(&report->lock);
    if (!report->json)
        report->json = encode_findings(report);
    const char *json = report->json;
    pthread_mutex_unlock(&report->lock);
    if (len)
        *len = json ? strlen(json) : 0;
    return json;
}

void snug_scan_free(snug_scan *report)
{
    if (!report)
        return;
    scan_findings_free(&report->found);
    pthread_mutex_destroy(&report->lock);
    free(report->findings);
    free(report->json);
    free(report);
}

/* The rules, which are static. */
static const char *const rules[] = { "syntax", "import", "call", "length", "forbid", "tool" };
enum { RULES = sizeof rules / sizeof *rules };

void scan_pack(packer *p, const snug_scan *report)
{
    pack_number(p, report->found.count);
    for (size_t i = 0; i < report->found.count; i++) {
        const snug_finding *finding = &report->findings[i];
        uint64_t rule = 0;
        while (rule < RULES - 1 && strcmp(rules[rule], finding->rule) != 0)
            rule++;
        pack_number(p, rule);
        pack_number(p, finding->line);
        pack_number(p, finding->column);
        pack_text(p, finding->subject);
        pack_text(p, finding->message);
        pack_text(p, finding->hint);
        pack_text(p, finding->excerpt);
    }
}

static void unpack_finding(unpacker *u, scan_findings *found)
{
    const char *rule = rules[unpack_small(u, RULES - 1)];
    unsigned line = (unsigned)unpack_small(u, UINT32_MAX);
    unsigned column = (unsigned)unpack_small(u, UINT32_MAX);
    const char *subject = unpack_name(u), *message = unpack_name(u);
    const char *hint = unpack_name(u), *excerpt = unpack_name(u);
    if (u->is_bad)
        return;

    if (scan_add(found, rule, line, column, subject, message) != SNUG_OK ||
        str_add(&found->items[found->count - 1].hint, hint) ||
        str_add(&found->items[found->count - 1].excerpt, excerpt))
        u->is_bad = 1;
}

int scan_unpack(snug_scan **out, unpacker *u)
{
    snug_scan *report = calloc(1, sizeof *report);
    if (!report)
        return SNUG_ENOMEM;

    pthread_mutex_init(&report->lock, NULL);
    size_t count = unpack_count(u, 11);
    u->is_bad |= count > SCAN_MOST_FINDINGS;
    for (size_t i = 0; i < count && !u->is_bad; i++)
        unpack_finding(u, &report->found);
    u->is_bad |= u->left > 0;
    if (u->is_bad || present_findings(report)) {
        snug_scan_free(report);
        return u->is_bad ? SNUG_EINVAL : SNUG_ENOMEM;
    }

    *out = report;
    return SNUG_OK;
}
