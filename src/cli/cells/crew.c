#include "cli/cells/crew.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/thread.h"

enum {
    BUCKETS = 256,
    STACK_BYTES = 1024 * 1024,
    MOST_WAITING_BYTES = 256 * 1024 * 1024,
    NUDGE_MS = 20
};

/* ---- slots by name; the lock is held ---- */

static slot **find_slot(const crew *c, const char *name)
{
    slot **at = &c->buckets[hash_bytes(name, strlen(name)) % c->bucket_count];
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next_in_bucket;
    return at;
}

static void grow_buckets(crew *c)
{
    size_t count = c->bucket_count;
    slot **old = c->buckets;
    slot **buckets = calloc(count * 2, sizeof *buckets);
    if (!buckets)
        return; /* longer chains then */

    c->buckets = buckets;
    c->bucket_count = count * 2;
    for (size_t i = 0; i < count; i++)
        for (slot *s = old[i], *next; s; s = next) {
            next = s->next_in_bucket;
            s->next_in_bucket = NULL;
            *find_slot(c, s->name) = s;
        }
    free(old);
}

static slot *find_or_add(crew *c, const char *name)
{
    if (c->slot_count > c->bucket_count)
        grow_buckets(c);

    slot **at = find_slot(c, name);
    if (*at)
        return *at;

    slot *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;

    s->name = strdup(name);
    if (!s->name) {
        free(s);
        return NULL;
    }

    c->slot_count++;
    *at = s;
    return s;
}

static void forget_slot(crew *c, slot *s)
{
    slot **at = find_slot(c, s->name);
    *at = s->next_in_bucket;
    c->slot_count--;
    free(s->name);
    free(s);
}

/* ---- threads ---- */

static void make_ready(crew *c, slot *s)
{
    s->is_served = 1;
    s->next_ready = NULL;
    if (c->ready_last)
        c->ready_last->next_ready = s;
    else
        c->ready_first = s;

    c->ready_last = s;
    c->ready_count++;
}

static slot *take_ready_slot(crew *c)
{
    slot *s = c->ready_first;

    c->ready_first = s->next_ready;
    if (!c->ready_first)
        c->ready_last = NULL;
    c->ready_count--;
    s->current = s->first;
    s->first = s->current->next;
    if (!s->first)
        s->last = NULL;
    s->place = c->serving_count++;
    c->serving[s->place] = s;
    return s;
}

static void end_code(crew *c, request *r)
{
    if (!r->is_ended && r->is_interrupted)
        c->interrupt_count--;
    r->is_ended = 1;
}

static void finish_current(crew *c, slot *s)
{
    request *r = s->current;

    s->current = NULL;
    c->serving[s->place] = c->serving[--c->serving_count];
    c->serving[s->place]->place = s->place;
    c->unfinished--;
    c->waiting_bytes -= r->line_bytes;
    end_code(c, r);
    request_free(r);
    pthread_cond_broadcast(&c->change);
    if (s->first) {
        make_ready(c, s);
        return;
    }

    s->is_served = 0;
    if (!s->session)
        forget_slot(c, s);
}

static void *work_on_slots(void *arg)
{
    crew *c = arg;

    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (!c->ready_first && !c->is_over) {
            c->idle_threads++;
            pthread_cond_wait(&c->work, &c->lock);
            c->idle_threads--;
        }
        if (!c->ready_first)
            break;
        slot *s = take_ready_slot(c);
        int is_dropped = c->is_dropping;
        pthread_mutex_unlock(&c->lock);
        if (!is_dropped)
            c->serve(c->payload, s);
        pthread_mutex_lock(&c->lock);
        finish_current(c, s);
    }

    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* The lock is held, or no other thread is there yet. */
static int add_thread(crew *c)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    errno = pthread_create(&c->ids[c->threads], &attributes, work_on_slots, c);
    pthread_attr_destroy(&attributes);
    if (errno)
        return error_system("thread for sessions");
    c->threads++;
    return SNUG_OK;
}

/* A cell may be interrupted just before it begins, when the session has nothing
 * to interrupt yet. So it is said again until the cell has ended; under the lock,
 * so that it never reaches the next one. */
static void *nudge_sessions(void *arg)
{
    crew *c = arg;

    pthread_mutex_lock(&c->lock);
    while (!c->is_over) {
        if (c->interrupt_count == 0 && !(c->is_dropping && c->unfinished > 0)) {
            pthread_cond_wait(&c->nudge, &c->lock);
            continue;
        }
        for (size_t i = 0; i < c->serving_count; i++) {
            const slot *s = c->serving[i];
            if (s->session && (s->current->is_interrupted || c->is_dropping))
                snug_session_interrupt(s->session);
        }
        cond_wait_until(&c->nudge, &c->lock, clock_deadline_ns(clock_now_ns(), NUDGE_MS));
    }

    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- the crew ---- */

int crew_start(crew *c, crew_serve *serve, void *payload)
{
    pthread_condattr_t monotonic;

    *c = (crew){ .serve = serve, .payload = payload, .bucket_count = BUCKETS };
    if (!(c->buckets = calloc(BUCKETS, sizeof *c->buckets)))
        return error_no_memory();

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->change, NULL);
    pthread_cond_init(&c->nudge, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if ((errno = pthread_create(&c->nudger, NULL, nudge_sessions, c)))
        return error_system("thread for interrupts");

    /* Later ones may fail: this one then serves all. */
    return add_thread(c);
}

int crew_push(crew *c, request *r)
{
    int error = SNUG_ENOMEM;

    pthread_mutex_lock(&c->lock);
    while (c->waiting_bytes > MOST_WAITING_BYTES && !c->is_dropping)
        pthread_cond_wait(&c->change, &c->lock);
    slot *s = find_or_add(c, r->session);
    if (!s)
        goto done;

    if (s->last)
        s->last->next = r;
    else
        s->first = r;

    s->last = r;
    c->unfinished++;
    c->waiting_bytes += r->line_bytes;
    if (!s->is_served) {
        make_ready(c, s);
        /* Without a further thread the others take it in turn. */
        if (c->ready_count > c->idle_threads && c->threads < CREW_THREADS)
            add_thread(c);
        pthread_cond_signal(&c->work);
    }

    error = SNUG_OK;

done:
    pthread_mutex_unlock(&c->lock);
    return error;
}

static int runs_code(const request *r)
{
    static const unsigned ops = 1u << REQUEST_CODE | 1u << REQUEST_COMPLETE | 1u << REQUEST_VARS |
                                1u << REQUEST_INSPECT | 1u << REQUEST_SAVE | 1u << REQUEST_RESTORE;

    return (ops >> r->op & 1) && !r->is_ended;
}

/* The oldest request of a session that an interrupt can end; NULL: there is none. */
static request *find_running(const slot *s)
{
    if (s->current && runs_code(s->current))
        return s->current;

    request *r = s->first;
    while (r && !runs_code(r))
        r = r->next;
    return r;
}

/* Only the thread that reads adds requests, and it is the caller's: one of that address is that
 * one.
 */
static int has_request(const slot *s, const request *wanted)
{
    const request *r = s->first;
    while (r && r != wanted)
        r = r->next;
    return r || s->current == wanted;
}

/* Unless it has ended meanwhile. */
static void interrupt_request(crew *c, const char *name, request *r)
{
    pthread_mutex_lock(&c->lock);
    const slot *s = *find_slot(c, name);
    if (s && has_request(s, r) && runs_code(r) && !r->is_interrupted) {
        r->is_interrupted = 1;
        c->interrupt_count++;
        pthread_cond_signal(&c->nudge);
    }
    pthread_mutex_unlock(&c->lock);
}

int crew_interrupt(crew *c, const char *name, void (*tell)(void *payload, int running),
                   void *payload)
{
    pthread_mutex_lock(&c->lock);
    const slot *s = *find_slot(c, name);
    request *r = s ? find_running(s) : NULL;
    pthread_mutex_unlock(&c->lock);
    if (!s)
        return SNUG_ENOTFOUND;

    /* Without the lock: where nobody reads the answer, the crew is dropped meanwhile. */
    tell(payload, r != NULL);
    if (r)
        interrupt_request(c, name, r);
    return r != NULL;
}

void crew_set_session(crew *c, slot *s, snug_session *session)
{
    pthread_mutex_lock(&c->lock);
    s->session = session;
    pthread_mutex_unlock(&c->lock);
}

void crew_ended(crew *c, slot *s)
{
    pthread_mutex_lock(&c->lock);
    end_code(c, s->current);
    pthread_mutex_unlock(&c->lock);
}

void crew_drop(crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->is_dropping = 1;
    pthread_cond_signal(&c->nudge);
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
}

int crew_is_dropping(crew *c)
{
    pthread_mutex_lock(&c->lock);
    int is_dropping = c->is_dropping;
    pthread_mutex_unlock(&c->lock);
    return is_dropping;
}

void crew_finish(crew *c, void (*close)(void *payload, slot *slot))
{
    pthread_mutex_lock(&c->lock);
    while (c->unfinished > 0)
        pthread_cond_wait(&c->change, &c->lock);
    c->is_over = 1;
    pthread_cond_broadcast(&c->work);
    pthread_cond_signal(&c->nudge);
    pthread_mutex_unlock(&c->lock);

    /* To their very ends: what libraries keep for a thread must not go beside the process's. */
    for (size_t i = 0; i < c->threads; i++)
        pthread_join(c->ids[i], NULL);
    pthread_join(c->nudger, NULL);

    for (size_t i = 0; i < c->bucket_count; i++)
        while (c->buckets[i]) {
            slot *s = c->buckets[i];
            close(c->payload, s);
            forget_slot(c, s);
        }

    free(c->buckets);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->work);
    pthread_cond_destroy(&c->change);
    pthread_cond_destroy(&c->nudge);
}
