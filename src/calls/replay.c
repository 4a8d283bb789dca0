#include "calls/journal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/lasterror.h"
#include "calls/canonical.h"
#include "calls/ledger.h"

/* ---- reading ---- */

static int refuse_line(size_t number, const char *what)
{
    return error_set(SNUG_EINVAL, "journal, line %zu: %s", number, what);
}

/* CALL_PREPARED: no call has that status. */
static call_state read_status(jsontext_span value)
{
    static const call_state states[] = { CALL_OK, CALL_ERROR, CALL_TIMEOUT, CALL_CANCELLED,
                                         CALL_REFUSED };
    char word[24];

    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        snprintf(word, sizeof word, "\"%s\"", ledger_status(states[i]));
        if (jsontext_is(value, word))
            return states[i];
    }
    return CALL_PREPARED;
}

/* 0: it is none. Calls count from 1. */
static uint64_t read_number(jsontext_span value)
{
    uint64_t number = 0;

    for (size_t i = 0; i < value.len; i++) {
        if (!is_digit(value.text[i]) || value.len > 15)
            return 0;
        number = 10 * number + (uint64_t)(value.text[i] - '0');
    }
    return number;
}

/* A string without a NUL. SNUG_OK, SNUG_EINVAL: it is none, or SNUG_ENOMEM. */
static int read_text(char **out, jsontext_span line, const char *member)
{
    str text = { 0 };
    int error = jsontext_string(&text, jsontext_member(line, member));

    if (!error && memchr(str_text(&text), '\0', text.len))
        error = SNUG_EINVAL;
    if (!error && !(*out = strdup(str_text(&text))))
        error = SNUG_ENOMEM;
    str_free(&text);
    return error;
}

/* *error: SNUG_OK; SNUG_ENOMEM; or SNUG_EINVAL with what the line does not have as the answer. */
static const char *read_row(int *error, replay_row *row, char **session, jsontext_span line)
{
    *error = SNUG_EINVAL;
    if (!(row->number = read_number(jsontext_member(line, "call"))))
        return "the call has no number";
    row->arguments = jsontext_member(line, "arguments");
    if (!row->arguments.text || *row->arguments.text != '{')
        return "the call has no object of arguments";
    if (row->arguments.len > SNUG_TOOL_BYTES)
        return "the arguments have more than 16 MiB";
    row->how = read_status(jsontext_member(line, "status"));
    if (row->how == CALL_PREPARED)
        return "the call has no status that a call can have";
    if ((*error = read_text(session, line, "session")))
        return "the call has no session";
    if ((*error = read_text(&row->tool, line, "tool")))
        return "the call has no tool";
    row->answer = jsontext_member(line, "answer");
    if (row->how != CALL_OK && row->how != CALL_CANCELLED)
        *error = read_text(&row->error, line, "error");
    else if (row->how == CALL_OK && !row->answer.text)
        *error = SNUG_EINVAL;
    return row->how == CALL_OK ? "the call has no answer" : "the call has no error";
}

static void free_row(replay_row *row)
{
    free(row->tool);
    free(row->error);
}

static int add_row(snug_journal *j, const char *session, const replay_row *row)
{
    journal_track *t = journal_track_of(j, session);

    if (!t || array_reserve(&t->rows, &t->cap, t->count + 1, sizeof *t->rows))
        return SNUG_ENOMEM;
    t->rows[t->count++] = *row;
    return SNUG_OK;
}

static int read_line(snug_journal *j, jsontext_span line, size_t number)
{
    replay_row row = { .line = number };
    char *session = NULL;
    size_t at;
    int error;

    const char *fault = jsontext_check(line.text, line.len, &at);
    if (fault)
        return error_set(SNUG_EINVAL, "journal, line %zu: it is damaged or cut: %s at byte %zu",
                         number, fault, at + 1);
    if (*line.text != '{')
        return refuse_line(number, "it is not an object");
    if (!jsontext_is(jsontext_member(line, "schema"), "\"snug.call/1\""))
        return SNUG_OK;

    fault = read_row(&error, &row, &session, line);
    if (!error)
        error = add_row(j, session, &row);
    if (error)
        free_row(&row);
    free(session);
    if (error == SNUG_ENOMEM)
        return error_no_memory();
    return error ? refuse_line(number, fault) : SNUG_OK;
}

/* As many numbers as calls, and none twice: none is missing. */
static int order_rows(journal_track *t)
{
    if (!(t->by_number = malloc(t->count * sizeof *t->by_number)))
        return error_no_memory();
    memset(t->by_number, 0xff, t->count * sizeof *t->by_number);
    for (size_t i = 0; i < t->count; i++) {
        const replay_row *row = &t->rows[i];
        if (row->number > t->count)
            return error_set(
                SNUG_EINVAL,
                "journal, line %zu: it is call %llu of session %s, of which there are %zu",
                row->line, (unsigned long long)row->number, t->name, t->count);
        if (t->by_number[row->number - 1] != SIZE_MAX)
            return refuse_line(row->line, "the session has a call of this number before");
        t->by_number[row->number - 1] = i;
    }
    return SNUG_OK;
}

/* What other runs have written before the last one is not this one's. */
static size_t find_run(const char *text, size_t len, size_t *number)
{
    static const char beginning[] = "\n{\"schema\": \"snug.journal/1\"";
    const char *at = text;
    size_t start = 0;

    while ((at = memmem(at, len - (size_t)(at - text), beginning, sizeof beginning - 1)))
        start = (size_t)(++at - text);
    for (size_t i = 0; i < start; i++)
        *number += text[i] == '\n';
    return start;
}

int replay_read(snug_journal *j, const char *given, size_t len)
{
    size_t number = 1;
    int error = SNUG_OK;

    const size_t start = find_run(given, len, &number);
    given += start;
    len -= start;
    if (!(j->lines = malloc(len + 1)))
        return error_no_memory();
    memcpy(j->lines, given, len);
    j->lines[len] = '\n';

    for (char *line = j->lines; line < j->lines + len && !error; number++) {
        char *end = memchr(line, '\n', (size_t)(j->lines + len + 1 - line));
        if (end > line)
            error = read_line(j, (jsontext_span){ line, (size_t)(end - line) }, number);
        line = end + 1;
    }
    for (journal_track *t = j->tracks; t && !error; t = t->next)
        error = order_rows(t);
    return error;
}

void replay_free(journal_track *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->rows[i].call)
            call_answer(t->rows[i].call, CALL_ERROR, NULL, 0);
        free_row(&t->rows[i]);
    }
    free(t->rows);
    free(t->by_number);
}

/* ---- turns; the lock is held ---- */

/* One that is over is only let go. */
static void answer_row(journal_track *t, replay_row *row, call_state how, const char *text,
                       size_t len)
{
    call_answer(row->call, how, text, len);
    row->call = NULL;
    row->is_done = 1;
    t->pending--;
}

static void answer_again(journal_track *t, replay_row *row)
{
    if (row->how == CALL_OK)
        answer_row(t, row, CALL_OK, row->answer.text, row->answer.len);
    else
        answer_row(t, row, row->how, row->error, row->error ? strlen(row->error) : 0);
}

static void go_on(journal_track *t)
{
    for (; t->head < t->count; t->head++) {
        replay_row *row = &t->rows[t->head];
        if (row->is_done)
            continue;
        if (!row->call || (row->how == CALL_CANCELLED && call_is_wanted(row->call)))
            break;
        answer_again(t, row);
    }

    /* Their cells have given them up, or have ended. */
    for (size_t i = t->head; i < t->count && t->pending > 0; i++)
        if (t->rows[i].call && !call_is_wanted(t->rows[i].call))
            answer_again(t, &t->rows[i]);
}

void replay_go_on(journal_track *t)
{
    if (!journal_replays(t))
        return;
    pthread_mutex_lock(&t->lock);
    go_on(t);
    pthread_mutex_unlock(&t->lock);
}

void replay_end(journal_track *t, uint64_t number)
{
    if (!journal_replays(t))
        return;
    pthread_mutex_lock(&t->lock);
    if (number <= t->count && !t->rows[t->by_number[number - 1]].call) {
        t->rows[t->by_number[number - 1]].is_done = 1;
        go_on(t);
    }
    pthread_mutex_unlock(&t->lock);
}

/* ---- a call ---- */

/* The first that differs: the sentence is kept, and those that wait have no turn any more. The lock
 * is held. */
static void break_track(journal_track *t, const str *sentence)
{
    char *copy = strdup(str_text(sentence)), *none = NULL;

    t->is_broken = 1;
    if (!atomic_compare_exchange_strong(&t->journal->difference, &none, copy))
        free(copy);
    for (size_t i = t->head; i < t->count && t->pending > 0; i++)
        if (t->rows[i].call)
            answer_row(t, &t->rows[i], CALL_REFUSED, str_text(sentence), sentence->len);
}

/* The call of that number, if it is the same one; else NULL, and why in out. The lock is held. */
static replay_row *find_row(str *out, const journal_track *t, const snug_call *call,
                            uint64_t number, const str *arguments)
{
    replay_row *row = number <= t->count ? &t->rows[t->by_number[number - 1]] : NULL;

    if (t->is_broken)
        str_add(out, "the replay has ended at a call before it");
    else if (t->count == 0)
        str_add(out, "it has none of this session");
    else if (!row)
        str_printf(out, "the last one of this session is call %zu", t->count);
    else if (strcmp(row->tool, call_name(call)) != 0)
        str_printf(out, "it was %s()", row->tool);
    else if (canonical_compare(out, (jsontext_span){ str_text(arguments), arguments->len },
                               row->arguments))
        return row;
    return NULL;
}

void replay_answer(journal_track *t, snug_call *call, uint64_t number)
{
    str sentence = { 0 }, arguments = { 0 }, why = { 0 };
    replay_row *row = NULL;

    const int error = str_add(&arguments, call_text(call));
    journal_hide(t, &arguments);
    pthread_mutex_lock(&t->lock);
    if (!error)
        row = find_row(&why, t, call, number, &arguments);
    if (row) {
        row->call = call;
        t->pending++;
        go_on(t);
    } else {
        str_printf(&sentence, "call %llu of session %s, %s(), is not in the journal: %s",
                   (unsigned long long)number, t->name, call_name(call), str_text(&why));
        call_answer(call, CALL_REFUSED, str_text(&sentence), sentence.len);
        if (!t->is_broken)
            break_track(t, &sentence);
    }
    pthread_mutex_unlock(&t->lock);
    str_free(&arguments);
    str_free(&why);
    str_free(&sentence);
}

/* ---- of snug.h ---- */

const char *snug_journal_difference(const snug_journal *journal)
{
    return atomic_load(&journal->difference);
}

/* Appends the sentence about the first one, if there is nothing yet. How many there are. */
static size_t count_left(str *sentence, journal_track *t)
{
    size_t count = 0;

    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->count; i++) {
        const replay_row *row = &t->rows[t->by_number[i]];
        if (row->is_done || row->call)
            continue;
        if (count++ > 0 || sentence->len > 0)
            continue;
        str_printf(sentence, "call %llu of session %s, %s(", (unsigned long long)row->number,
                   t->name, row->tool);
        canonical_add_cut(sentence, row->arguments);
        str_add(sentence, "), was not made");
    }
    pthread_mutex_unlock(&t->lock);
    return count;
}

/* Behind t; NULL: the first one. */
static journal_track *next_track(snug_journal *j, const journal_track *t)
{
    pthread_mutex_lock(&j->lock);
    journal_track *next = t ? t->next : j->tracks;
    pthread_mutex_unlock(&j->lock);
    return next;
}

size_t snug_journal_left(snug_journal *j, char *buffer, size_t bytes)
{
    str sentence = { 0 };
    size_t count = 0;

    for (journal_track *t = NULL; (t = next_track(j, t));)
        count += count_left(&sentence, t);
    message_copy(buffer, bytes, str_text(&sentence));
    str_free(&sentence);
    return count;
}
