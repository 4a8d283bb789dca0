#include "calls/replay.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lasterror.h"
#include "calls/difference.h"
#include "calls/journal_inside.h"
#include "calls/same_json.h"

/* ---- what differs ---- */

/* Whether it is the same call; else what is different in out. */
static int is_same_call(str *out, const replay_row *row, const snug_call *call,
                        jsontext_span arguments)
{
    if (strcmp(row->tool, call_name(call)) != 0) {
        str_printf(out, "it was %s()", row->tool);
        return 0;
    }
    if (same_json(arguments, row->arguments) == 1)
        return 1;
    difference_say(out, arguments, row->arguments);
    return 0;
}

/* ---- the first call that differs ---- */

static void keep_difference(snug_journal *j, const str *sentence)
{
    char *copy = strdup(str_text(sentence)), *none = NULL;

    if (!atomic_compare_exchange_strong(&j->difference, &none, copy))
        free(copy);
}

static void refuse(snug_call *call, const str *sentence)
{
    call_answer(call, CALL_REFUSED, str_text(sentence), sentence->len);
}

/* Those that wait have no turn any more. The lock is held. */
static void refuse_pending(journal_track *t, const str *sentence)
{
    for (size_t i = t->head; i < t->count && t->pending > 0; i++) {
        replay_row *row = &t->rows[i];
        if (!row->call)
            continue;
        refuse(row->call, sentence);
        row->call = NULL;
        row->is_done = 1;
        t->pending--;
    }
}

/* The lock is held. */
static void break_track(journal_track *t, const str *sentence)
{
    if (t->is_broken)
        return;
    t->is_broken = 1;
    keep_difference(t->journal, sentence);
    refuse_pending(t, sentence);
}

/* ---- turns; the lock is held ---- */

static void answer_row(journal_track *t, replay_row *row)
{
    const char *text = row->how == CALL_OK ? row->answer.text : row->error;
    size_t len = row->how == CALL_OK ? row->answer.len : 0;
    if (row->how != CALL_OK && text)
        len = strlen(text);

    /* One that is over is only let go. */
    call_answer(row->call, row->how, text, len);
    row->call = NULL;
    row->is_done = 1;
    t->pending--;
}

static int is_due(const replay_row *row)
{
    return row->call && (row->how != CALL_CANCELLED || !call_is_wanted(row->call));
}

static void go_on(journal_track *t)
{
    for (; t->head < t->count; t->head++) {
        replay_row *row = &t->rows[t->head];
        if (row->is_done)
            continue;
        if (!is_due(row))
            break;
        answer_row(t, row);
    }

    /* Their cells have given them up, or have ended. */
    for (size_t i = t->head; i < t->count && t->pending > 0; i++)
        if (t->rows[i].call && !call_is_wanted(t->rows[i].call))
            answer_row(t, &t->rows[i]);
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

/* Whether it is the journal's; else the sentence. The lock is held. */
static int judge(str *sentence, const journal_track *t, const snug_call *call, uint64_t number,
                 const str *arguments)
{
    str what = { 0 };
    int is_same = 0;

    if (t->is_broken)
        str_printf(&what, "the replay has ended at a call before it");
    else if (t->count == 0)
        str_printf(&what, "it has none of this session");
    else if (number > t->count)
        str_printf(&what, "the last one of this session is call %zu", t->count);
    else
        is_same = is_same_call(&what, &t->rows[t->by_number[number - 1]], call,
                               (jsontext_span){ str_text(arguments), arguments->len });

    if (!is_same)
        str_printf(sentence, "call %llu of session %s, %s(), is not in the journal: %s",
                   (unsigned long long)number, t->name, call_name(call), str_text(&what));
    str_free(&what);
    return is_same;
}

void replay_answer(journal_track *t, snug_call *call, uint64_t number)
{
    str sentence = { 0 }, arguments = { 0 };

    int error = str_add(&arguments, call_text(call));
    journal_hide(t, &arguments);
    pthread_mutex_lock(&t->lock);
    if (!error && judge(&sentence, t, call, number, &arguments)) {
        t->rows[t->by_number[number - 1]].call = call;
        t->pending++;
        go_on(t);
    } else {
        refuse(call, &sentence);
        break_track(t, &sentence);
    }
    pthread_mutex_unlock(&t->lock);
    str_free(&arguments);
    str_free(&sentence);
}

/* ---- of the journal ---- */

void replay_free(journal_track *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->rows[i].call)
            call_answer(t->rows[i].call, CALL_ERROR, NULL, 0);
        free(t->rows[i].tool);
        free(t->rows[i].error);
    }
    free(t->rows);
    free(t->by_number);
}

const char *snug_journal_difference(const snug_journal *journal)
{
    return atomic_load(&journal->difference);
}

/* The first by its number, in *first; how many. */
static size_t count_left(journal_track *t, const replay_row **first)
{
    size_t count = 0;

    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->count; i++) {
        const replay_row *row = &t->rows[t->by_number[i]];
        if (row->is_done || row->call)
            continue;
        if (count++ == 0)
            *first = row;
    }
    pthread_mutex_unlock(&t->lock);
    return count;
}

static journal_track *first_track(snug_journal *j)
{
    pthread_mutex_lock(&j->lock);
    journal_track *t = j->tracks;
    pthread_mutex_unlock(&j->lock);
    return t;
}

static journal_track *next_track(journal_track *t)
{
    pthread_mutex_lock(&t->journal->lock);
    journal_track *next = t->next;
    pthread_mutex_unlock(&t->journal->lock);
    return next;
}

size_t snug_journal_left(snug_journal *j, char *buffer, size_t bytes)
{
    const journal_track *track = NULL;
    const replay_row *row = NULL;
    size_t count = 0;
    str sentence = { 0 };

    for (journal_track *t = first_track(j); t; t = next_track(t)) {
        const replay_row *first = NULL;
        count += count_left(t, &first);
        if (first && !row) {
            row = first;
            track = t;
        }
    }

    if (row &&
        (str_printf(&sentence, "call %llu of session %s, %s(", (unsigned long long)row->number,
                    track->name, row->tool) ||
         difference_add_cut(&sentence, row->arguments) || str_add(&sentence, "), was not made")))
        str_clear(&sentence);
    message_copy(buffer, bytes, str_text(&sentence));
    str_free(&sentence);
    return count;
}
