/* Reads the lines of a journal. */
#include "calls/journal_inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"

/* What another run has written before it is not this one's. */
static const char beginning[] = "{\"schema\": \"snug.journal/1\"";

typedef struct reading {
    snug_journal *journal;
    size_t number; /* of the line, from 1 */
    jsontext_span line;
} reading;

static int refuse_line(const reading *r, const char *what)
{
    return error_set(SNUG_EINVAL, "journal, line %zu: %s", r->number, what);
}

static const struct {
    const char *word;
    call_state how;
} words[] = {
    { "\"ok\"", CALL_OK },           { "\"error\"", CALL_ERROR },
    { "\"timeout\"", CALL_TIMEOUT }, { "\"cancelled\"", CALL_CANCELLED },
    { "\"refused\"", CALL_REFUSED },
};

/* CALL_PREPARED: there is no such word. */
static call_state read_state(jsontext_span value)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (jsontext_is(value, words[i].word))
            return words[i].how;
    return CALL_PREPARED;
}

/* 0: it is none. Calls count from 1. */
static uint64_t read_number(jsontext_span value)
{
    uint64_t number = 0;

    if (!value.text || value.len > 15)
        return 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.text[i] < '0' || value.text[i] > '9')
            return 0;
        number = 10 * number + (uint64_t)(value.text[i] - '0');
    }
    return number;
}

/* A string without a NUL; NULL with *error SNUG_EINVAL or SNUG_ENOMEM: it is none. */
static char *read_text(jsontext_span value, int *error)
{
    str text = { 0 };

    *error = value.text ? jsontext_string(&text, value) : SNUG_EINVAL;
    if (!*error && strlen(str_text(&text)) != text.len)
        *error = SNUG_EINVAL;
    if (*error) {
        str_free(&text);
        return NULL;
    }

    char *taken = text.data ? str_take(&text) : strdup("");
    if (!taken)
        *error = SNUG_ENOMEM;
    return taken;
}

static int refuse_text(const reading *r, int error, const char *what)
{
    return error == SNUG_ENOMEM ? error_no_memory() : refuse_line(r, what);
}

/* What a call of that state ends with. */
static int read_end(const reading *r, replay_row *row)
{
    int error;

    row->answer = jsontext_member(r->line, "answer");
    if (row->how == CALL_OK)
        return row->answer.text ? SNUG_OK : refuse_line(r, "the call has no answer");
    if (row->how == CALL_CANCELLED)
        return SNUG_OK;
    row->error = read_text(jsontext_member(r->line, "error"), &error);
    return row->error ? SNUG_OK : refuse_text(r, error, "the call has no error");
}

static int read_row(const reading *r, replay_row *row)
{
    int error;

    row->line = r->number;
    row->number = read_number(jsontext_member(r->line, "call"));
    row->arguments = jsontext_member(r->line, "arguments");
    row->how = read_state(jsontext_member(r->line, "status"));
    if (!row->number)
        return refuse_line(r, "the call has no number");
    if (!row->arguments.text || *row->arguments.text != '{')
        return refuse_line(r, "the call has no object of arguments");
    if (row->arguments.len > SNUG_TOOL_BYTES)
        return refuse_line(r, "the arguments have more than 16 MiB");
    if (row->how == CALL_PREPARED)
        return refuse_line(r, "the call has no status that a call can have");
    if (!(row->tool = read_text(jsontext_member(r->line, "tool"), &error)))
        return refuse_text(r, error, "the call has no tool");
    return read_end(r, row);
}

static int read_call(const reading *r)
{
    int error;
    char *name = read_text(jsontext_member(r->line, "session"), &error);
    if (!name)
        return refuse_text(r, error, "the call has no session");

    journal_track *t = journal_track_of(r->journal, name, strlen(name));
    free(name);
    if (!t || array_reserve(&t->rows, &t->cap, t->count + 1, sizeof *t->rows))
        return error_no_memory();
    t->rows[t->count] = (replay_row){ 0 };
    return read_row(r, &t->rows[t->count++]);
}

static int read_line(const reading *r)
{
    size_t at;
    const char *fault = jsontext_check(r->line.text, r->line.len, &at);

    if (fault)
        return error_set(SNUG_EINVAL, "journal, line %zu: it is damaged or cut: %s at byte %zu",
                         r->number, fault, at + 1);
    if (*r->line.text != '{')
        return refuse_line(r, "it is not an object");
    if (!jsontext_is(jsontext_member(r->line, "schema"), "\"snug.call/1\""))
        return SNUG_OK;
    return read_call(r);
}

/* ---- in the order in which they were made ---- */

static int place_row(journal_track *t, size_t index)
{
    const replay_row *row = &t->rows[index];
    const reading r = { .journal = t->journal, .number = row->line };

    if (row->number > t->count)
        return error_set(SNUG_EINVAL,
                         "journal, line %zu: it is call %llu of session %s, of which there are %zu",
                         row->line, (unsigned long long)row->number, t->name, t->count);
    if (t->by_number[row->number - 1])
        return refuse_line(&r, "the session has a call of this number before");
    t->by_number[row->number - 1] = index + 1;
    return SNUG_OK;
}

/* As many numbers as calls, and none twice: none is missing. */
static int order_rows(journal_track *t)
{
    int error = SNUG_OK;

    t->by_number = calloc(t->count + 1, sizeof *t->by_number);
    if (!t->by_number)
        return error_no_memory();
    for (size_t i = 0; i < t->count && !error; i++)
        error = place_row(t, i);
    for (size_t i = 0; i < t->count && !error; i++)
        t->by_number[i]--;
    return error;
}

/* ---- all of it ---- */

static size_t line_length(const char *text, size_t len)
{
    const char *end = memchr(text, '\n', len);
    return end ? (size_t)(end - text) : len;
}

/* Where the last run begins, and *number, its line. */
static size_t find_run(const char *text, size_t len, size_t *number)
{
    size_t found = 0, line = 1;

    *number = 1;
    for (size_t at = 0; at < len; line++) {
        if (len - at >= sizeof beginning - 1 &&
            !memcmp(text + at, beginning, sizeof beginning - 1)) {
            found = at;
            *number = line;
        }
        at += line_length(text + at, len - at) + 1;
    }
    return found;
}

int replay_read(snug_journal *j, const char *given, size_t len)
{
    reading r = { .journal = j };
    int error = SNUG_OK;

    const size_t start = find_run(given, len, &r.number);
    given += start;
    len -= start;
    j->lines = malloc(len + 1);
    if (!j->lines)
        return error_no_memory();
    memcpy(j->lines, given, len);
    j->lines[len] = '\0';

    for (size_t at = 0; at < len && !error; r.number++) {
        r.line = (jsontext_span){ j->lines + at, line_length(j->lines + at, len - at) };
        at += r.line.len + 1;
        if (r.line.len > 0)
            error = read_line(&r);
    }

    for (journal_track *t = j->tracks; t && !error; t = t->next)
        error = order_rows(t);
    return error;
}
