/*
 * supervisor.c - the options, the object, and what it tells.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/options.h"
#include "base/utf8.h"
#include "supervise/supervise.h"

/* ---- limits ---- */

/* field, unit, default, about */
#define SUPERVISOR_LIMITS(X)                                                                \
    X(hosts, "", 64, "workers at once")                                                     \
    X(sessions, "", 1000, "open sessions of all tenants; more are saved and closed")        \
    X(tenant_sessions, "", 100, "open sessions of one tenant")                              \
    X(cells, "", 0, "cells at once; 0: as many as there are processors")                    \
    X(memory_bytes, "bytes", SNUG_UNLIMITED, "memory of all workers")                       \
    X(idle_ms, "ms", 900000, "without a call, until a session is saved and closed")         \
    X(worker_idle_ms, "ms", 60000, "without a session, until a worker ends")                \
    X(waiting, "", 100, "calls of a tenant that wait for their turn")                       \
    X(wait_ms, "ms", 30000, "that a call waits for its turn")                               \
    X(save_every_cells, "", SNUG_UNLIMITED, "cells of a session from one save to the next") \
    X(drain_save_ms, "ms", 10000, "of a drain, until the save of a session is given up")    \
    X(save_idle_ms, "ms", SNUG_UNLIMITED,                                                   \
      "without a call, until a session that has changed is saved, and stays open")          \
    X(drain_ms, "ms", SNUG_UNLIMITED, "of a drain, until all that is not saved is given up")

#define DESCRIPTION(field, unit, value, about) \
    { #field, NULL, unit, value, about, offsetof(snug_supervisor_limits, field), 0 },

static const snug_limit_description limits[] = { SUPERVISOR_LIMITS(DESCRIPTION) };
enum { LIMITS = sizeof limits / sizeof *limits };

_Static_assert(sizeof(snug_supervisor_limits) == sizeof(size_t) + LIMITS * sizeof(uint64_t),
               "a row per field");

const snug_limit_description *snug_supervisor_limit_info(size_t index)
{
    return index < LIMITS ? &limits[index] : NULL;
}

static int take_limits(snug_supervisor_limits *out, const snug_supervisor_limits *given)
{
    int error = options_take(out, sizeof *out, given, "snug_supervisor_limits");
    if (error)
        return error;
#define FILL(field, unit, value, about) out->field = out->field ? out->field : (value);
    SUPERVISOR_LIMITS(FILL)
#undef FILL
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (out->cells == 0)
        out->cells = processors > 0 ? (uint64_t)processors : 1;
    return SNUG_OK;
}

/* ---- open and close ---- */

/* In place; NULL stays. */
static int own_text(const char **at)
{
    if (!*at)
        return SNUG_OK;
    *at = strdup(*at);
    return *at ? SNUG_OK : SNUG_ENOMEM;
}

static int copy_host_options(snug_host_options *mine)
{
    const char **texts[] = { &mine->python_home, &mine->allowlist_dir, &mine->worker_path,
                             &mine->worker_command };
    int error = SNUG_OK;

    /* All of them, so that none is the caller's when they are freed. */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (own_text(texts[i]) != SNUG_OK)
            error = error_no_memory();
    return error;
}

static int take_supervisor_options(snug_supervisor *s, const snug_supervisor_options *options)
{
    s->on_session = options->on_session;
    s->on_event = options->on_event;
    s->payload = options->payload;

    int error = take_limits(&s->limits, options->limits);
    if (!error)
        error = options_take(&s->host_options, sizeof s->host_options, options->host,
                             "snug_host_options");

    if (error)
        return error;

    s->host_options.error = NULL; /* that buffer is the caller's, and hosts are opened later */
    if (!options->host)
        s->host_options.form = SNUG_FORM_WORKER;
    return copy_host_options(&s->host_options);
}

/* None of these calls can fail in glibc. */
static void init_locks(snug_supervisor *s)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_cond_init(&s->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&s->lock, NULL);
}

static int check_state_dir(const snug_supervisor_options *options)
{
    if (!options->state_dir || !*options->state_dir)
        return error_set(SNUG_EINVAL, "snug_supervisor_open: state_dir is not given");
    return SNUG_OK;
}

int supervisor_open_in(snug_supervisor **out, const snug_supervisor_options *given,
                       const supervise_world *world)
{
    snug_supervisor_options options;

    if (!out || !given)
        return error_set(SNUG_EINVAL, "snug_supervisor_open: %s is NULL", out ? "options" : "out");

    int error = options_take(&options, sizeof options, given, "snug_supervisor_options");
    if (!error)
        error = check_state_dir(&options);
    if (error)
        return error;

    snug_supervisor *s = calloc(1, sizeof *s);
    if (!s)
        return error_no_memory();

    init_locks(s);
    s->process = forked_process();
    s->state.lock = -1;
    if (world)
        s->world = *world;

    error = take_supervisor_options(s, &options);
    if (!error)
        error = state_open(&s->state, options.state_dir);
    if (!error && s->host_options.form == SNUG_FORM_LOCAL)
        error = snug_host_open(&s->host, &s->host_options);
    if (!error)
        error = evict_start(s);
    if (error) {
        char message[ERROR_MESSAGE_BYTES];
        snprintf(message, sizeof message, "%s", error_message());
        snug_supervisor_close(s);
        return error_set(error, "%s", message);
    }

    *out = s;
    return SNUG_OK;
}

int snug_supervisor_open(snug_supervisor **out, const snug_supervisor_options *options)
{
    return supervisor_open_in(out, options, NULL);
}

static void free_all(snug_supervisor *s)
{
    const char *texts[] = { s->host_options.python_home, s->host_options.allowlist_dir,
                            s->host_options.worker_path, s->host_options.worker_command };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((void *)(uintptr_t)texts[i]);
    state_close(&s->state);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    pthread_cond_destroy(&s->work);
    free(s);
}

static seat *find_any_seat(const snug_supervisor *s)
{
    const tenant *t = s->tenants;
    while (t && !t->seats)
        t = t->next;
    return t ? t->seats : NULL;
}

/* What they had is said in the state folder already. */
static void close_sessions(snug_supervisor *s)
{
    seat *one;
    while ((one = find_any_seat(s))) {
        one->is_held = 1;
        evict_close(s, one);
        pthread_mutex_lock(&s->lock);
        queue_give_seat(s, one);
        pthread_mutex_unlock(&s->lock);
    }
}

int supervisor_check(const snug_supervisor *s, const char *what)
{
    if (!s)
        return error_set(SNUG_EINVAL, "%s: supervisor is NULL", what);
    if (!forked_is_process(s->process))
        return forked_refuse(what);
    return SNUG_OK;
}

int snug_supervisor_close(snug_supervisor *s)
{
    if (!s || !forked_is_process(s->process))
        return SNUG_OK;
    pthread_mutex_lock(&s->lock);
    size_t calls = s->calls;
    if (calls == 0 && s->is_draining && clock_now_ns() >= s->drain_until_ns)
        hosts_kill(s); /* no time is left for the end of each */
    pthread_mutex_unlock(&s->lock);
    if (calls > 0)
        return error_set(SNUG_EBUSY, "%zu calls or leases are still open", calls);

    evict_stop(s);
    close_sessions(s);
    while (hosts_end_one(s, 0))
        ;
    snug_host_close(s->host);
    free_all(s);
    return SNUG_OK;
}

/* What a supervisor tells its owner, and what it writes down of a session. */

const char *snug_supervisor_event_name(snug_supervisor_event_kind kind)
{
    static const char *const names[] = {
        [SNUG_SUPERVISOR_EVENT_OPENED] = "opened",
        [SNUG_SUPERVISOR_EVENT_RESTORED] = "restored",
        [SNUG_SUPERVISOR_EVENT_SAVED] = "saved",
        [SNUG_SUPERVISOR_EVENT_PUT_AWAY] = "put_away",
        [SNUG_SUPERVISOR_EVENT_SAVE_FAILED] = "save_failed",
        [SNUG_SUPERVISOR_EVENT_LOST] = "lost",
        [SNUG_SUPERVISOR_EVENT_DAMAGED] = "damaged",
        [SNUG_SUPERVISOR_EVENT_WORKER_STARTED] = "worker_started",
        [SNUG_SUPERVISOR_EVENT_WORKER_ENDED] = "worker_ended",
        [SNUG_SUPERVISOR_EVENT_WORKER_DIED] = "worker_died",
        [SNUG_SUPERVISOR_EVENT_STATE_FAILED] = "state_failed",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

void notes_tell(snug_supervisor *s, snug_supervisor_event_kind kind, const char *tenant_name,
                const char *session, const char *message)
{
    snug_supervisor_event event = { kind, tenant_name, "", "" };

    if (!s->on_event)
        return;
    if (session)
        event.session = session;
    if (message)
        event.message = message;
    s->on_event(s->payload, &event);
}

int notes_refuse(snug_supervisor *s, refusal_kind kind, const char *sentence)
{
    s->counts.refused[kind]++;
    return error_set(SNUG_EBUSY, "%s", sentence);
}

uint64_t notes_now(const snug_supervisor *s)
{
    if (s->world.now_ns)
        return s->world.now_ns(s->world.payload);
    return clock_now_ns();
}

/* Clients do not learn where the state folder is. */
const char *notes_reason(const seat *one, const char *message)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(one->place, '/') - one->place),
             one->place);
    const char *path = strstr(message, folder);
    const char *end = path ? strchr(path + strlen(folder), ' ') : NULL;
    return end ? end + 1 : message;
}

void notes_notice(seat *one, const char *format, ...)
{
    char text[ERROR_MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    utf8_format(text, sizeof text, format, args);
    va_end(args);
    if (strcmp(text, str_text(&one->notice)) == 0)
        return;

    str_clear(&one->notice);
    str_add(&one->notice, text);
    one->is_noticed = 0;
}

void notes_mark(snug_supervisor *s, seat *one, uint64_t cells, const char *why)
{
    if (state_mark(one->place, cells, why) == SNUG_OK)
        return;

    notes_state_failed(s, one, SNUG_ESYSTEM, "the state folder cannot be written");
    notes_notice(one, "%s", error_message());
}

int notes_state_failed(snug_supervisor *s, const seat *one, int error, const char *what)
{
    char message[ERROR_MESSAGE_BYTES];

    snprintf(message, sizeof message, "%s", error_message());
    notes_tell(s, SNUG_SUPERVISOR_EVENT_STATE_FAILED, one->tenant->name, one->name, message);
    return error_set(error, "%s: %s", what, notes_reason(one, message));
}

void notes_lost(snug_supervisor *s, seat *one, const char *why)
{
    char message[ERROR_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s", why);
    pthread_mutex_lock(&s->lock);
    one->is_lost = 1;
    pthread_mutex_unlock(&s->lock);
    notes_mark(s, one, one->cells, message);
}
