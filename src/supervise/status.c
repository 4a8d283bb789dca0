/*
 * status.c - what goes on, as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "supervise/supervise.h"
#include "wire/json.h"

struct snug_supervisor_state {
    str json;
};

enum { MOST_TENANTS = 1000 };

typedef struct figure {
    const char *name;
    uint64_t value;
} figure;

static void put_figures(str *out, const char *name, const figure *figures, size_t count)
{
    json_open(out, name, '{');
    for (size_t i = 0; i < count; i++)
        json_put_number(out, figures[i].name, (double)figures[i].value);
    json_close(out, '}');
}
#define PUT_FIGURES(out, name, figures) \
    put_figures(out, name, figures, sizeof(figures) / sizeof *(figures))

static void put_session_counts(str *out, const snug_supervisor *s)
{
    const supervise_counts *c = &s->counts;
    const figure sessions[] = { { "open", s->open },     { "saved", s->state.saved },
                                { "opened", c->opened }, { "restored", c->restored },
                                { "lost", c->lost },     { "damaged", c->damaged } };
    const figure cells[] = { { "running", s->running }, { "run", c->cells } };
    const figure refused[] = {
        { "queue", c->refused[REFUSED_QUEUE] },       { "wait", c->refused[REFUSED_WAIT] },
        { "sessions", c->refused[REFUSED_SESSIONS] }, { "hosts", c->refused[REFUSED_HOSTS] },
        { "memory", c->refused[REFUSED_MEMORY] },     { "draining", c->refused[REFUSED_DRAINING] }
    };
    const figure away[] = { { "idle", c->away[AWAY_IDLE] },
                            { "room", c->away[AWAY_ROOM] },
                            { "memory", c->away[AWAY_MEMORY] },
                            { "drain", c->away[AWAY_DRAIN] },
                            { "failed", c->away_failed } };

    json_put_number(out, "hosts", s->host ? 1 : (double)s->hosts);
    json_put_number(out, "workers_died", (double)c->workers_died);
    PUT_FIGURES(out, "sessions", sessions);
    PUT_FIGURES(out, "cells", cells);
    PUT_FIGURES(out, "refused", refused);
    PUT_FIGURES(out, "put_away", away);
}

/* The one that was started last. */
static int64_t newest_process(const tenant *t)
{
    const worker *w = t->workers;
    while (w && w->is_dead)
        w = w->next;
    return w ? w->process : 0;
}

static void put_tenants(str *out, const snug_supervisor *s)
{
    int left = MOST_TENANTS;

    json_open(out, "tenants", '[');
    for (const tenant *t = s->tenants; t && left > 0; t = t->next, left--) {
        json_open(out, NULL, '{');
        json_put_word(out, "tenant", t->name);
        json_put_number(out, "process", (double)newest_process(t));
        json_put_number(out, "open", (double)t->open);
        json_put_number(out, "running", (double)t->running);
        json_put_number(out, "waiting", (double)t->waiting);
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* The lock is held. */
static void put_state(str *out, const snug_supervisor *s, uint64_t memory_bytes)
{
    json_open(out, NULL, '{');
    json_put_word(out, "schema", "snug.supervisor/1");
    json_put_word(out, "form", s->host ? "local" : "worker");
    json_put_bool(out, "is_draining", s->is_draining);
    put_session_counts(out, s);
    json_open(out, "queue", '{');
    json_put_number(out, "waiting", (double)s->waiting);
    json_put_number(out, "waited", (double)s->counts.waited);
    json_put_number(out, "waited_ms", (double)s->counts.waited_ns / 1e6);
    json_put_number(out, "longest_ms", (double)s->counts.longest_ns / 1e6);
    json_close(out, '}');
    json_open(out, "memory", '{');
    json_put_number(out, "bytes", (double)memory_bytes);
    if (s->limits.memory_bytes == SNUG_UNLIMITED)
        json_put_raw(out, "limit_bytes", NULL);
    else
        json_put_number(out, "limit_bytes", (double)s->limits.memory_bytes);
    json_close(out, '}');
    put_tenants(out, s);
    json_close(out, '}');
}

int snug_supervisor_report(snug_supervisor_state **out, snug_supervisor *s)
{
    if (!out)
        return error_set(SNUG_EINVAL, "snug_supervisor_report: out is NULL");
    int error = supervisor_check(s, "snug_supervisor_report");
    if (error)
        return error;

    snug_supervisor_state *state = calloc(1, sizeof *state);
    if (!state)
        return error_no_memory();

    uint64_t memory_bytes = hosts_memory(s);
    pthread_mutex_lock(&s->lock);
    put_state(&state->json, s, memory_bytes);
    pthread_mutex_unlock(&s->lock);
    if (str_error(&state->json)) {
        snug_supervisor_state_free(state);
        return error_no_memory();
    }

    *out = state;
    return SNUG_OK;
}

const char *snug_supervisor_state_json(const snug_supervisor_state *state, size_t *len)
{
    if (len)
        *len = state->json.len;
    return state->json.data;
}

void snug_supervisor_state_free(snug_supervisor_state *state)
{
    if (!state)
        return;
    str_free(&state->json);
    free(state);
}
