/*
 * bench_parked.c - many sessions in one host, of which some have a thread.
 */
#include "../tests/counters.h"
#include "bench.h"

#include <stdlib.h>

/* That many sessions, of which the last ones have a thread. */
static void hold_parked(bench *b, size_t count, uint64_t awake)
{
    if (b->held_count == count && b->awake_sessions == awake)
        return;
    while (b->held_count)
        bench_close(b, b->held[--b->held_count]);
    b->awake_sessions = awake;
    bench_open_host(b, 0, NULL);
    b->held = realloc(b->held, (count + 1) * sizeof(snug_session *));
    if (!b->held)
        die("out of memory");
    for (; b->held_count < count; b->held_count++) {
        b->held[b->held_count] = bench_open_for(b, NULL);
        bench_run_well(b->held[b->held_count], "x = 0\nx");
        bench_run_well(b->held[b->held_count], "x = x + 1\nx");
    }
}

/* Those that are asked one after the other. */
typedef struct ring {
    bench *b;
    size_t first, count, next;
} ring;

static uint64_t sample_one(void *payload, uint64_t *wakes)
{
    ring *r = payload;
    snug_session *session = r->b->held[r->first + r->next++ % r->count];
    uint64_t before = parking_of(r->b->host).wakes, start_ns = now_ns();
    bench_run_well(session, "x + 1");
    uint64_t took_ns = now_ns() - start_ns;
    *wakes = parking_of(r->b->host).wakes - before;
    return took_ns;
}

static int cannot_park(const bench *b)
{
    if (b->form->form == SNUG_FORM_LOCAL && !b->form->is_on_caller_thread)
        return 0;
    bench_cannot("only sessions with a thread here are parked");
    return 1;
}

static size_t number_of(const char *word)
{
    return strtoul(word, NULL, 10);
}

void bench_among(bench *b, char **words)
{
    size_t count = number_of(words[0]), used = number_of(words[2]);
    if (cannot_park(b))
        return;
    used = used < count ? used : count;
    hold_parked(b, count, number_of(words[1]));
    ring r = { b, count - used, used, 0 };
    /* The row before may have woken others. */
    for (size_t i = 0; i < used; i++)
        bench_run_well(b->held[r.first + i], "x");
    bench_repeat(strtod(words[3], NULL), "wakes", sample_one, &r);
}

void bench_wake(bench *b, char **words)
{
    if (cannot_park(b))
        return;
    hold_parked(b, number_of(words[0]), number_of(words[1]));
    ring r = { b, 0, b->held_count, 0 };
    bench_repeat(strtod(words[2], NULL), "wakes", sample_one, &r);
}
