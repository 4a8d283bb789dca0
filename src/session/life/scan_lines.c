#include "session/life/scan_lines.h"

#include <snug/snug.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/excerpt.h"
#include "base/utf8.h"
#include "limits/limits.h"
#include "policy/shellwords.h"

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

int scan_bash(scan_findings *out, const scan_text *text, uint64_t max_bytes)
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

int scan_lines(scan_findings *found, const scan_text *text)
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
