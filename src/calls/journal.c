#include "calls/journal.h"

#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "calls/desk_inside.h"
#include "calls/ledger.h"

/* ---- tracks ---- */

static int compare_tracks(const void *a, const void *b)
{
    return strcmp(((const journal_track *)a)->name, ((const journal_track *)b)->name);
}

static journal_track *add_track(snug_journal *j, const char *name)
{
    journal_track *t = calloc(1, sizeof *t);

    if (t)
        t->name = strdup(name);
    if (!t || !t->name || !tsearch(t, &j->by_name, compare_tracks)) {
        if (t)
            free(t->name);
        free(t);
        return NULL;
    }
    t->journal = j;
    pthread_mutex_init(&t->lock, NULL);
    *j->end = t;
    j->end = &t->next;
    return t;
}

journal_track *journal_track_of(snug_journal *j, const char *name)
{
    const journal_track key = { .name = (char *)(uintptr_t)name };
    journal_track **found = tfind(&key, &j->by_name, compare_tracks);

    return found ? *found : add_track(j, name);
}

journal_track *journal_join(snug_journal *j, const char *name)
{
    pthread_mutex_lock(&j->lock);
    journal_track *t = journal_track_of(j, name);
    if (t)
        j->users++;
    pthread_mutex_unlock(&j->lock);
    return t;
}

journal_track *journal_share(journal_track *t)
{
    if (!t)
        return NULL;
    pthread_mutex_lock(&t->journal->lock);
    t->journal->users++;
    pthread_mutex_unlock(&t->journal->lock);
    return t;
}

static void free_track(void *track)
{
    journal_track *t = track;

    replay_free(t);
    pthread_mutex_destroy(&t->lock);
    free(t->name);
    free(t);
}

static void free_journal(snug_journal *j)
{
    tdestroy(j->by_name, free_track);
    pthread_mutex_destroy(&j->lock);
    pthread_mutex_destroy(&j->writing);
    free(j->difference);
    free(j->lines);
    free(j);
}

static void leave_journal(snug_journal *j)
{
    pthread_mutex_lock(&j->lock);
    const int is_last = --j->users == 0;
    pthread_mutex_unlock(&j->lock);
    if (is_last)
        free_journal(j);
}

void journal_leave(journal_track *t)
{
    if (t)
        leave_journal(t->journal);
}

uint64_t journal_number(journal_track *t)
{
    return atomic_fetch_add(&t->made, 1) + 1;
}

int journal_replays(const journal_track *t)
{
    return t && t->journal->lines;
}

/* ---- lines ---- */

/* JSON has line feeds between its pieces only, and nothing behind it. */
static int add_json(str *out, const str *json)
{
    const size_t start = out->len;
    const int error = str_add_str(out, json);

    for (size_t i = start; i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
    while (out->len > start && is_space(out->data[out->len - 1]))
        out->len--;
    return error;
}

static int add_end(str *out, const journal_entry *entry)
{
    str text = { 0 };
    int error = SNUG_OK;

    if (entry->state == CALL_OK)
        return str_add(out, ", \"answer\": ") | add_json(out, entry->answer);
    if (!strcmp(ledger_status(entry->state), "cancelled"))
        return SNUG_OK;

    if (entry->state == CALL_TIMEOUT && entry->answer->len == 0)
        error = call_say_timeout(&text, entry->tool, entry->timeout_ms);
    const str *said = text.len > 0 ? &text : entry->answer;
    error |= str_add(out, ", \"error\": ");
    error |= jsontext_quote(out, str_text(said), said->len);
    str_free(&text);
    return error;
}

static int add_times(str *out, uint64_t duration_ns)
{
    char date[32];
    struct timespec now;
    struct tm parts;

    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t start_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec - duration_ns;
    const time_t start_s = (time_t)(start_ns / NS_PER_S);
    gmtime_r(&start_s, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    const unsigned long long us = duration_ns / 1000;
    return str_printf(out, ", \"time\": \"%s.%03uZ\", \"duration_ms\": %llu.%03llu}\n", date,
                      (unsigned)(start_ns % NS_PER_S / NS_PER_MS), us / 1000, us % 1000);
}

int journal_describe(str *out, const journal_track *t, const journal_entry *entry)
{
    if (!t->journal->options.write)
        return SNUG_OK;
    int error = str_add(out, "{\"schema\": \"snug.call/1\", \"session\": ");
    error |= jsontext_quote(out, t->name, strlen(t->name));
    error |= str_printf(out, ", \"call\": %llu, \"cell\": %llu, \"tool\": ",
                        (unsigned long long)entry->number, (unsigned long long)entry->cell);
    error |= jsontext_quote(out, entry->tool, strlen(entry->tool));
    error |= str_add(out, ", \"arguments\": ");
    error |= add_json(out, entry->arguments);
    error |= str_printf(out, ", \"status\": \"%s\"", ledger_status(entry->state));
    error |= add_end(out, entry);
    return error | add_times(out, entry->duration_ns);
}

/* The lock of writing is held. */
static void hide_in(const snug_journal *j, str *text)
{
    if (j->options.hide && text->len > 0)
        text->len = j->options.hide(j->options.payload, text->data, text->len);
}

void journal_hide(journal_track *t, str *text)
{
    snug_journal *j = t->journal;

    pthread_mutex_lock(&j->writing);
    if (!j->is_closed)
        hide_in(j, text);
    pthread_mutex_unlock(&j->writing);
}

void journal_write(journal_track *t, str *text)
{
    snug_journal *j = t->journal;

    pthread_mutex_lock(&j->writing);
    if (!j->is_closed && j->options.write) {
        hide_in(j, text);
        j->options.write(j->options.payload, str_text(text), text->len);
    }
    pthread_mutex_unlock(&j->writing);
}

/* ---- of snug.h ---- */

int snug_journal_open(snug_journal **out, const snug_journal_options *given)
{
    snug_journal_options options;

    if (!out)
        return error_set(SNUG_EINVAL, "snug_journal_open: out is NULL");
    int error = options_take(&options, sizeof options, given, "snug_journal_options");
    if (error)
        return error;

    snug_journal *j = calloc(1, sizeof *j);
    if (!j)
        return error_no_memory();
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->writing, NULL);
    j->users = 1;
    j->end = &j->tracks;
    j->options = options;
    j->options.replay = NULL;
    if (options.replay)
        error = replay_read(j, options.replay, options.replay_len);
    if (error)
        free_journal(j);
    else
        *out = j;
    return error;
}

void snug_journal_close(snug_journal *j)
{
    if (!j)
        return;
    pthread_mutex_lock(&j->writing);
    j->is_closed = 1;
    pthread_mutex_unlock(&j->writing);
    leave_journal(j);
}

/* What a desk has for its journal. */

int desk_set_journal(desk *d, snug_journal *journal, const char *name)
{
    journal_leave(d->journal); /* a spare's */
    d->journal = journal ? journal_join(journal, name) : NULL;
    return journal && !d->journal ? SNUG_ENOMEM : SNUG_OK;
}

void desk_number_cell(desk *d, uint64_t number)
{
    if (!d->journal)
        return;
    pthread_mutex_lock(&d->lock);
    d->cell = number;
    pthread_mutex_unlock(&d->lock);
}

int desk_replays(const desk *d)
{
    return journal_replays(d->journal);
}

void desk_record_end(snug_call *call, call_state how, uint64_t duration_ns)
{
    desk *d = call->desk;
    desk_record *record = calloc(1, sizeof *record);
    const journal_entry entry = { call->in_journal, d->cell, call->name,  &call->text,
                                  &call->answer,    how,     duration_ns, call->timeout_ms };

    if (!record)
        return;
    record->number = call->in_journal;
    if (journal_describe(&record->line, d->journal, &entry) != SNUG_OK)
        str_free(&record->line);
    d->record_bytes += record->line.len;
    if (d->last_record)
        d->last_record->next = record;
    else
        d->first_record = record;
    d->last_record = record;
}

static desk_record *remove_first_record(desk *d)
{
    pthread_mutex_lock(&d->lock);
    desk_record *record = d->first_record;
    if (record) {
        d->first_record = record->next;
        if (!d->first_record)
            d->last_record = NULL;
        d->record_bytes -= record->line.len;
    }
    pthread_mutex_unlock(&d->lock);
    return record;
}

void desk_go_on(desk *d)
{
    if (!d->journal)
        return;
    replay_go_on(d->journal);
    for (desk_record *record; (record = remove_first_record(d));) {
        replay_end(d->journal, record->number);
        if (record->line.len > 0)
            journal_write(d->journal, &record->line);
        str_free(&record->line);
        free(record);
    }
}
