/*
 * bench_open.c - how long it takes until there is a session, and sessions to be counted in memory.
 */
#include "../tests/counters.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char first_cell[] = "x = 0";

void bench_first(bench *b, char **words)
{
    (void)words;
    snug_session *session = bench_open_for(b, NULL);
    bench_run_well(session, first_cell);
    bench_close(b, session);
    puts("{}");
}

static uint64_t sample_open_close(void *payload, uint64_t *close_ns)
{
    const bench *b = payload;
    uint64_t start_ns = now_ns();
    snug_session *session = bench_open_for(b, NULL);
    bench_run_well(session, first_cell);
    uint64_t open_ns = now_ns();
    bench_close(b, session);
    uint64_t end_ns = now_ns();
    *close_ns = end_ns - open_ns;
    return end_ns - start_ns;
}

void bench_open_close(bench *b, char **words)
{
    bench_repeat(strtod(words[0], NULL), "close", sample_open_close, b);
}

/* ---- an open alone ---- */

typedef struct opening {
    bench *b;
    snug_session_options options;
    const char *cell;
    int is_half; /* wanted is a half-warm spare, once the pool has seen that */
} opening;

void bench_await_pool(const bench *b, int is_half)
{
    for (snug_pool p = pool_of(b->host);
         p.ready < p.wanted || (p.wanted && p.hits + p.misses && is_half && !p.ready_half);
         p = pool_of(b->host))
        nanosleep(&(struct timespec){ 0, 100000 }, NULL);
}

static uint64_t sample_opening(void *payload, uint64_t *answered_ns)
{
    const opening *o = payload;
    bench_await_pool(o->b, o->is_half);
    uint64_t start_ns = now_ns();
    snug_session *session = bench_open(o->b, &o->options);
    uint64_t open_ns = now_ns() - start_ns;
    bench_run_well(session, o->cell);
    *answered_ns = now_ns() - start_ns;
    bench_close(o->b, session);
    return open_ns;
}

static void measure_opening(opening *o, size_t pool_sessions, const char *const *preload,
                            const char *budget_ms)
{
    bench_open_host(o->b, pool_sessions, preload);
    bench_repeat(strtod(budget_ms, NULL), "answer", sample_opening, o);
    bench_open_host(o->b, 0, NULL);
}

void bench_spare(bench *b, char **words)
{
    opening o = { b, bench_options(b), first_cell, strcmp(words[0], "half") == 0 };
    o.options.profile = o.is_half ? "data" : NULL;
    measure_opening(&o, strcmp(words[0], "cold") == 0 ? 0 : 2, NULL, words[1]);
}

static void measure_full(bench *b, char **words, size_t pool_sessions)
{
    const char *const package[] = { words[0], NULL };
    opening o = { b, bench_options(b), words[1], 0 };
    if (b->form->form != SNUG_FORM_WORKER) {
        bench_cannot("full sessions live in workers");
        return;
    }
    o.options.kind = SNUG_KIND_FULL;
    o.options.allow = package;
    for (char *c = words[1]; (c = strchr(c, '~'));)
        *c = ' ';
    measure_opening(&o, pool_sessions, package, words[2]);
}

void bench_full(bench *b, char **words)
{
    measure_full(b, words, 0);
}

void bench_ready(bench *b, char **words)
{
    measure_full(b, words, 2);
}

/* ---- sessions that stay ---- */

/* A session, or NULL where there is no room for it. */
static snug_session *open_one_more(const bench *b)
{
    snug_session_options options = bench_options(b);
    snug_session *session;
    if (b->form->has_own_workers)
        return bench_open(b, &options);
    return snug_session_open(&session, b->host, &options) ? NULL : session;
}

void bench_hold(bench *b, char **words)
{
    const cJSON *used = strcmp(words[0], "-") == 0 ? NULL : bench_workload(b, words[0]);
    size_t count = strtoul(words[1], NULL, 10);
    b->held = realloc(b->held, (count + b->held_count + 1) * sizeof(snug_session *));
    if (!b->held)
        die("out of memory");
    for (; b->held_count < count; b->held_count++) {
        snug_session *session = open_one_more(b);
        if (!session) {
            cJSON *answer = cJSON_CreateObject();
            cJSON_AddStringToObject(answer, "cannot", snug_error_message());
            char *text = cJSON_PrintUnformatted(answer);
            puts(text ? text : "{}");
            free(text);
            cJSON_Delete(answer);
            return;
        }
        b->held[b->held_count] = session;
        bench_run_well(session, first_cell);
        bench_run_well(session, "x = x + 1\nx");
        if (used)
            bench_run_checked(session, used);
    }
    printf("{\"held\": %zu}\n", b->held_count);
}
