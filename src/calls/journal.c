#include "calls/journal_inside.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/options.h"
#include "calls/replay.h"

/* ---- tracks ---- */

static journal_track **find_bucket(const snug_journal *j, const char *name, size_t len)
{
    return &j->buckets[hash_bytes(name, len) % j->bucket_count];
}

static int grow_buckets(snug_journal *j)
{
    const size_t count = j->bucket_count > 0 ? 2 * j->bucket_count : 16;
    journal_track **grown = calloc(count, sizeof *grown);
    if (!grown)
        return SNUG_ENOMEM;

    free(j->buckets);
    j->buckets = grown;
    j->bucket_count = count;
    for (journal_track *t = j->tracks; t; t = t->next) {
        journal_track **bucket = find_bucket(j, t->name, strlen(t->name));
        t->next_alike = *bucket;
        *bucket = t;
    }
    return SNUG_OK;
}

static journal_track *add_track(snug_journal *j, const char *name, size_t len)
{
    if (j->track_count == j->bucket_count && grow_buckets(j))
        return NULL;
    journal_track *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->name = strndup(name, len);
    if (!t->name) {
        free(t);
        return NULL;
    }

    t->journal = j;
    pthread_mutex_init(&t->lock, NULL);
    *j->end = t;
    j->end = &t->next;
    j->track_count++;
    journal_track **bucket = find_bucket(j, name, len);
    t->next_alike = *bucket;
    *bucket = t;
    return t;
}

journal_track *journal_track_of(snug_journal *j, const char *name, size_t len)
{
    journal_track *t = j->bucket_count > 0 ? *find_bucket(j, name, len) : NULL;

    while (t && (strlen(t->name) != len || memcmp(t->name, name, len) != 0))
        t = t->next_alike;
    return t ? t : add_track(j, name, len);
}

journal_track *journal_join(snug_journal *j, const char *name)
{
    pthread_mutex_lock(&j->lock);
    journal_track *t = journal_track_of(j, name, strlen(name));
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

static void free_journal(snug_journal *j)
{
    for (journal_track *t = j->tracks, *next; t; t = next) {
        next = t->next;
        replay_free(t);
        pthread_mutex_destroy(&t->lock);
        free(t->name);
        free(t);
    }

    pthread_mutex_destroy(&j->lock);
    pthread_mutex_destroy(&j->writing);
    free(j->buckets);
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

static const char *name_state(call_state state)
{
    switch (state) {
    case CALL_OK:
        return "ok";
    case CALL_REFUSED:
        return "refused";
    case CALL_TIMEOUT:
        return "timeout";
    case CALL_ERROR:
    case CALL_NONE:
    case CALL_DENIED:
        return "error";
    case CALL_PREPARED:
    case CALL_WAITS:
    case CALL_MADE:
    case CALL_CANCELLED:
        break;
    }
    return "cancelled";
}

/* JSON has line feeds between its pieces only, and nothing behind it. */
static int add_json(str *out, const str *json)
{
    const size_t start = out->len;
    const int error = str_add_str(out, json);

    for (size_t i = start; !error && i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
    while (!error && out->len > start && is_space(out->data[out->len - 1]))
        out->len--;
    return error;
}

static int add_end(str *out, const journal_entry *entry)
{
    int error;

    if (entry->state == CALL_OK) {
        error = str_add(out, ", \"answer\": ");
        return error ? error : add_json(out, entry->answer);
    }
    if (!strcmp(name_state(entry->state), "cancelled"))
        return SNUG_OK;

    if ((error = str_add(out, ", \"error\": ")))
        return error;
    if (entry->state != CALL_TIMEOUT || entry->answer->len > 0)
        return jsontext_quote(out, str_text(entry->answer), entry->answer->len);

    str text = { 0 };
    error = call_say_timeout(&text, entry->tool, entry->timeout_ms);
    if (!error)
        error = jsontext_quote(out, str_text(&text), text.len);
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
    int error;

    if (!t->journal->options.write)
        return SNUG_OK;
    if ((error = str_add(out, "{\"schema\": \"snug.call/1\", \"session\": ")) ||
        (error = jsontext_quote(out, t->name, strlen(t->name))) ||
        (error = str_printf(out, ", \"call\": %llu, \"cell\": %llu, \"tool\": ",
                            (unsigned long long)entry->number, (unsigned long long)entry->cell)) ||
        (error = jsontext_quote(out, entry->tool, strlen(entry->tool))) ||
        (error = str_add(out, ", \"arguments\": ")) || (error = add_json(out, entry->arguments)) ||
        (error = str_printf(out, ", \"status\": \"%s\"", name_state(entry->state))) ||
        (error = add_end(out, entry)))
        return error;
    return add_times(out, entry->duration_ns);
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

void journal_write(journal_track *t, str *line)
{
    snug_journal *j = t->journal;

    pthread_mutex_lock(&j->writing);
    if (!j->is_closed && j->options.write) {
        hide_in(j, line);
        j->options.write(j->options.payload, str_text(line), line->len);
    }
    pthread_mutex_unlock(&j->writing);
}

/* ---- of snug.h ---- */

OPTIONS_INIT(snug_journal_options)

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
