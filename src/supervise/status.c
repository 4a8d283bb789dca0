/*
 * status.c - what goes on, as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "supervise/supervisor.h"
#include "supervise/tenant_hosts.h"
#include "wire/json.h"

struct snug_supervisor_state {
    char *json;
};

enum { MOST_TENANTS = 1000 };

typedef struct figure {
    const char *name;
    uint64_t value;
} figure;

static int add_figures(cJSON *parent, const char *name, const figure *figures, size_t count)
{
    cJSON *object = json_add_object(parent, name);
    int failed = !object;
    for (size_t i = 0; i < count && !failed; i++)
        failed = json_add_number(object, figures[i].name, (double)figures[i].value);
    return failed;
}
#define ADD_FIGURES(parent, name, figures) \
    add_figures(parent, name, figures, sizeof(figures) / sizeof *(figures))

static int add_session_counts(cJSON *root, const snug_supervisor *s)
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

    int failed = json_add_number(root, "hosts", s->host ? 1 : (double)s->hosts);

    if (!failed)
        failed = json_add_number(root, "workers_died", (double)c->workers_died);
    if (!failed)
        failed = ADD_FIGURES(root, "sessions", sessions);
    if (!failed)
        failed = ADD_FIGURES(root, "cells", cells);
    if (!failed)
        failed = ADD_FIGURES(root, "refused", refused);
    if (!failed)
        failed = ADD_FIGURES(root, "put_away", away);
    return failed;
}

static int add_queue(cJSON *root, const snug_supervisor *s)
{
    cJSON *queue = json_add_object(root, "queue");
    if (!queue)
        return SNUG_ENOMEM;

    int failed = json_add_number(queue, "waiting", (double)s->waiting);
    if (!failed)
        failed = json_add_number(queue, "waited", (double)s->counts.waited);
    if (!failed)
        failed = json_add_number(queue, "waited_ms", (double)s->counts.waited_ns / 1e6);
    if (!failed)
        failed = json_add_number(queue, "longest_ms", (double)s->counts.longest_ns / 1e6);
    return failed;
}

static int add_memory(cJSON *root, const snug_supervisor *s, uint64_t bytes)
{
    cJSON *memory = json_add_object(root, "memory");
    if (!memory || json_add_number(memory, "bytes", (double)bytes))
        return SNUG_ENOMEM;
    if (s->limits.memory_bytes == SNUG_UNLIMITED)
        return json_add_null(memory, "limit_bytes");
    return json_add_number(memory, "limit_bytes", (double)s->limits.memory_bytes);
}

/* The one that was started last. */
static int64_t newest_process(const tenant *t)
{
    const worker *w = t->workers;
    while (w && w->is_dead)
        w = w->next;
    return w ? w->process : 0;
}

static int add_one_tenant(cJSON *list, const tenant *t)
{
    cJSON *item = json_add_object(list, NULL);
    if (!item)
        return SNUG_ENOMEM;

    int failed = json_add_text(item, "tenant", t->name);
    if (!failed)
        failed = json_add_number(item, "process", (double)newest_process(t));
    if (!failed)
        failed = json_add_number(item, "open", (double)t->open);
    if (!failed)
        failed = json_add_number(item, "running", (double)t->running);
    if (!failed)
        failed = json_add_number(item, "waiting", (double)t->waiting);
    return failed;
}

static int add_tenants(cJSON *root, const snug_supervisor *s)
{
    cJSON *list = json_add_array(root, "tenants");
    int failed = !list, left = MOST_TENANTS;

    for (const tenant *t = s->tenants; t && !failed && left > 0; t = t->next) {
        failed = add_one_tenant(list, t);
        left--;
    }

    return failed;
}

/* The lock is held. */
static int add_state(cJSON *root, const snug_supervisor *s, uint64_t memory_bytes)
{
    int failed = json_add_text(root, "schema", "snug.supervisor/1");

    if (!failed)
        failed = json_add_text(root, "form", s->host ? "local" : "worker");
    if (!failed)
        failed = json_add_bool(root, "is_draining", s->is_draining);
    if (!failed)
        failed = add_session_counts(root, s);
    if (!failed)
        failed = add_queue(root, s);
    if (!failed)
        failed = add_memory(root, s, memory_bytes);
    if (!failed)
        failed = add_tenants(root, s);
    return failed;
}

/* Malloc'ed; NULL: memory ran out. */
static char *encode_state(snug_supervisor *s)
{
    char *text = NULL;
    uint64_t memory_bytes = hosts_memory(s);
    cJSON *root = cJSON_CreateObject();
    if (!root)
        return NULL;

    pthread_mutex_lock(&s->lock);
    int failed = add_state(root, s, memory_bytes);
    pthread_mutex_unlock(&s->lock);
    if (!failed)
        text = json_text(root);

    cJSON_Delete(root);
    return text;
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

    state->json = encode_state(s);
    if (!state->json) {
        free(state);
        return error_no_memory();
    }

    *out = state;
    return SNUG_OK;
}

const char *snug_supervisor_state_json(const snug_supervisor_state *state, size_t *len)
{
    if (len)
        *len = strlen(state->json);
    return state->json;
}

void snug_supervisor_state_free(snug_supervisor_state *state)
{
    if (!state)
        return;
    free(state->json);
    free(state);
}
