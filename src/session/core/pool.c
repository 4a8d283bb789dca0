#include "session/core/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/u64.h"

/* ---- what to do next ---- */

static size_t halves_wanted(const pool_facts *f)
{
    unsigned halves = (unsigned)__builtin_popcount(f->wishes);
    if (halves == 0 || halves == f->wish_count)
        return halves ? f->wanted : 0;
    size_t share = (f->wanted * halves + f->wish_count / 2) / f->wish_count;
    if (f->wanted > 1 && share == 0)
        return 1;
    return f->wanted > 1 && share == f->wanted ? share - 1 : share;
}

pool_step pool_next(const pool_facts *f, uint64_t now_ns)
{
    const size_t *ready = f->ready, all = ready[SPARE_WHOLE] + ready[SPARE_HALF];
    uint64_t idle_ns = u64_sum(f->last_open_ns, f->idle_ns);

    if (f->opening > 0)
        return (pool_step){ POOL_WAIT, SPARE_NONE, UINT64_MAX };
    if (now_ns >= idle_ns && all == 0)
        return (pool_step){ POOL_WAIT, SPARE_NONE, UINT64_MAX };
    if (now_ns >= idle_ns)
        return (pool_step){ POOL_GIVE_BACK, ready[SPARE_HALF] > 0 ? SPARE_HALF : SPARE_WHOLE, 0 };

    size_t halves = halves_wanted(f), wholes = f->wanted - halves;
    if (all >= f->wanted) {
        int lacks_half = halves > 0 && ready[SPARE_HALF] == 0;
        int lacks_whole = wholes > 0 && ready[SPARE_WHOLE] == 0;
        if (!lacks_half && !lacks_whole)
            return (pool_step){ POOL_WAIT, SPARE_NONE, idle_ns };
        if (now_ns >= f->retry_ns)
            return (pool_step){ POOL_GIVE_BACK, lacks_half ? SPARE_WHOLE : SPARE_HALF, 0 };
    }

    if (now_ns < f->retry_ns)
        return (pool_step){ POOL_WAIT, SPARE_NONE, u64_least(f->retry_ns, idle_ns) };
    uint64_t used_ns = f->last_used_ns > f->last_open_ns ? f->last_used_ns : f->last_open_ns;
    uint64_t quiet_ns = u64_least(used_ns + POOL_QUIET_NS, f->last_open_ns + POOL_PATIENCE_NS);
    if (now_ns < quiet_ns && all > 0)
        return (pool_step){ POOL_WAIT, SPARE_NONE, u64_least(quiet_ns, idle_ns) };

    /* Of what is missed most; a difference below zero is one that is not missed. */
    int is_half = (int64_t)(halves - ready[SPARE_HALF]) > (int64_t)(wholes - ready[SPARE_WHOLE]);
    return (pool_step){ POOL_FILL, is_half ? SPARE_HALF : SPARE_WHOLE, 0 };
}

/* ---- the store ---- */

struct pool {
    const pool_source *source;
    void *payload;
    pthread_mutex_t lock; /* guards all below but filler */
    pthread_cond_t changed;
    pool_facts facts;
    pool_item *ready[SPARE_KINDS]; /* the one made last is first */
    pool_item *lost;               /* to be ended by the filler */
    unsigned failures;             /* fills in a row */
    uint64_t hits, half_warm, misses, given_back;
    int is_closing;
    thread filler;
    _Atomic uint64_t used_ns; /* facts.last_used_ns as it is */
};

static void push_spare(pool_item **list, pool_item *spare)
{
    spare->next = *list;
    *list = spare;
}

static pool_item *pop_spare(pool_item **list)
{
    pool_item *spare = *list;
    if (spare)
        *list = spare->next;
    return spare;
}

static pool_item *take_ready_spare(pool *p, spare_kind kind)
{
    if (p->ready[kind])
        p->facts.ready[kind]--;
    return pop_spare(&p->ready[kind]);
}

/* ---- the filler ---- */

#define FIRST_RETRY_NS (100 * NS_PER_MS)
#define LAST_RETRY_NS  (30 * NS_PER_S)

static void back_off(pool *p)
{
    uint64_t pause_ns = FIRST_RETRY_NS << (p->failures < 10 ? p->failures : 10);
    p->failures++;
    p->facts.retry_ns = clock_now_ns() + u64_least(pause_ns, LAST_RETRY_NS);
}

/* The lock is held, but not meanwhile; as in the next two. */
static void make_one(pool *p, spare_kind kind)
{
    pool_item *spare = NULL;

    pthread_mutex_unlock(&p->lock);
    int error = p->source->make(&spare, p->payload, kind);
    pthread_mutex_lock(&p->lock);
    if (error) {
        back_off(p);
        return;
    }

    p->failures = 0;
    p->facts.retry_ns = 0;
    p->facts.ready[kind]++;
    push_spare(&p->ready[kind], spare);
}

static void end_spare_unlocked(pool *p, pool_item *spare)
{
    pthread_mutex_unlock(&p->lock);
    p->source->end(spare);
    pthread_mutex_lock(&p->lock);
}

static void *keep_full(void *arg)
{
    pool *p = arg;

    pthread_mutex_lock(&p->lock);
    uint64_t now_ns = p->facts.last_open_ns = clock_now_ns();
    for (; !p->is_closing; now_ns = clock_now_ns()) {
        p->facts.last_used_ns = atomic_load_explicit(&p->used_ns, memory_order_relaxed);
        pool_step step = pool_next(&p->facts, now_ns);
        if (p->lost && p->facts.opening == 0) {
            end_spare_unlocked(p, pop_spare(&p->lost));
        } else if (step.action == POOL_FILL) {
            make_one(p, step.kind);
        } else if (step.action == POOL_GIVE_BACK) {
            p->given_back++;
            end_spare_unlocked(p, take_ready_spare(p, step.kind));
        } else {
            cond_wait_until(&p->changed, &p->lock, step.until_ns);
        }
    }

    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- life ---- */

/* It loads extension modules, as who opens a session does. */
enum { FILLER_STACK_BYTES = 8 << 20 };

int pool_open(pool **out, const pool_source *source, void *payload, size_t wanted, uint64_t idle_ms)
{
    pthread_condattr_t monotonic;
    pool *p = calloc(1, sizeof *p);
    if (!p)
        return error_no_memory();

    p->source = source;
    p->payload = payload;
    p->facts.wanted = wanted;
    idle_ms = idle_ms ? idle_ms : POOL_IDLE_MS;
    p->facts.idle_ns = idle_ms > UINT64_MAX / NS_PER_MS ? UINT64_MAX : idle_ms * NS_PER_MS;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int error = thread_start(&p->filler, "snug pool", FILLER_STACK_BYTES, keep_full, p);
    if (error) {
        pthread_cond_destroy(&p->changed);
        pthread_mutex_destroy(&p->lock);
        free(p);
        return error;
    }

    *out = p;
    return SNUG_OK;
}

static void end_spares(const pool *p, pool_item **list)
{
    for (pool_item *spare; (spare = pop_spare(list));)
        p->source->end(spare);
}

void pool_close(pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->is_closing = 1;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    thread_join(&p->filler);
    for (int kind = 0; kind < SPARE_KINDS; kind++)
        end_spares(p, &p->ready[kind]);
    end_spares(p, &p->lost);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* ---- for opens ---- */

/* The lock is held. */
static pool_item *pop_for(pool *p, spare_kind asked, spare_kind *kind)
{
    for (int k = (int)asked; k < (int)SPARE_KINDS; k++)
        if (p->ready[k]) {
            *kind = (spare_kind)k;
            return take_ready_spare(p, (spare_kind)k);
        }
    *kind = SPARE_NONE;
    return NULL;
}

pool_item *pool_take(pool *p, spare_kind *kind)
{
    spare_kind asked = *kind;

    pthread_mutex_lock(&p->lock);
    p->facts.opening++;
    pool_item *spare = pop_for(p, asked, kind);
    while (spare && !p->source->is_sound(spare)) {
        push_spare(&p->lost, spare);
        spare = pop_for(p, asked, kind);
    }

    pthread_mutex_unlock(&p->lock);
    return spare;
}

static void count_open(pool *p, spare_kind asked, spare_kind served)
{
    uint64_t *counters[] = { &p->hits, &p->half_warm, &p->misses };
    ++*counters[served];
    if (asked == SPARE_NONE)
        return;
    p->facts.wishes = p->facts.wishes << 1 | (asked == SPARE_HALF);
    if (p->facts.wish_count < POOL_WISHES)
        p->facts.wish_count++;
}

void pool_opened(pool *p, spare_kind asked, spare_kind served, int has_failed)
{
    pthread_mutex_lock(&p->lock);
    p->facts.opening--;
    p->facts.last_open_ns = clock_now_ns();
    if (!has_failed)
        count_open(p, asked, served);
    if (p->facts.opening == 0)
        pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void pool_used(pool *p)
{
    atomic_store_explicit(&p->used_ns, clock_now_ns(), memory_order_relaxed);
}

void pool_lose(pool *p, pool_item *spare)
{
    pthread_mutex_lock(&p->lock);
    push_spare(&p->lost, spare);
    pthread_mutex_unlock(&p->lock);
}

void pool_lose_all(pool *p)
{
    pthread_mutex_lock(&p->lock);
    for (int kind = 0; kind < SPARE_KINDS; kind++)
        for (pool_item *spare; (spare = take_ready_spare(p, (spare_kind)kind));)
            push_spare(&p->lost, spare);
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

snug_pool pool_tell(pool *p)
{
    snug_pool told = { 0 };

    if (!p)
        return told;
    pthread_mutex_lock(&p->lock);
    told = (snug_pool){ .wanted = p->facts.wanted,
                        .ready = p->facts.ready[SPARE_WHOLE] + p->facts.ready[SPARE_HALF],
                        .ready_half = p->facts.ready[SPARE_HALF],
                        .hits = p->hits,
                        .half_warm = p->half_warm,
                        .misses = p->misses,
                        .given_back = p->given_back };
    pthread_mutex_unlock(&p->lock);
    return told;
}
