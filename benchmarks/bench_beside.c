/*
 * bench_beside.c - sessions beside each other: what a turn takes while another session runs to its
 * limit again and again, and how many turns that many sessions do.
 */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HANG_MS = 200 };
#define PACE_NS UINT64_C(10000000)

/* ---- a neighbour ---- */

typedef struct hang {
    const bench *b;
    const char *source;
    atomic_int has_begun, is_over;
} hang;

static void *run_hang(void *payload)
{
    hang *h = payload;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = HANG_MS };
    snug_session *session = bench_open_for(h->b, NULL);
    do {
        snug_result *result;
        atomic_store(&h->has_begun, 1);
        if (snug_session_run(&result, session, h->source, strlen(h->source), &limits))
            die("the session that hangs: %s", snug_error_message());
        int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
        snug_result_free(result);
        if (is_lost && snug_session_reset(session))
            die("the session that hangs: %s", snug_error_message());
    } while (!atomic_load(&h->is_over));
    bench_close(h->b, session);
    return NULL;
}

static void sleep_until(uint64_t ns)
{
    struct timespec due = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL))
        ;
}

/* A turn every 10 ms. One that would have begun while another was under way counts too, with its
 * wait: else a turn that takes 200 ms would weigh as much as one that takes 5 us. */
static void pace(snug_session *session, const cJSON *workload, double budget_ms)
{
    samples taken = { 0 };
    uint64_t due_ns = now_ns(), stop_ns = due_ns + (uint64_t)(budget_ms * 1e6), end_ns;
    do {
        sleep_until(due_ns += PACE_NS);
        uint64_t start_ns = now_ns();
        bench_run_checked(session, workload);
        end_ns = now_ns();
        samples_add(&taken, end_ns - start_ns);
        for (; due_ns + PACE_NS < end_ns; due_ns += PACE_NS)
            samples_add(&taken, end_ns - due_ns - PACE_NS);
    } while (end_ns < stop_ns);
    printf("{\"runs\": %zu, \"median\": %llu, \"p99\": %llu}\n", taken.count,
           (unsigned long long)samples_quantile(&taken, 0.5),
           (unsigned long long)samples_quantile(&taken, 0.99));
    samples_free(&taken);
}

/* Only the ladder with a jump ends a loop in C within the process. */
static int ends_every_loop(const bench *b)
{
    int len;
    return strncmp(bench_report(b, "ladder", &len), "full", 4) == 0;
}

void bench_beside(bench *b, char **words)
{
    const cJSON *trivial = bench_workload(b, "trivial");
    snug_session *session = bench_open_for(b, trivial);
    hang h = { .b = b };
    pthread_t thread;
    int is_idle = strcmp(words[0], "none") == 0;
    if (!is_idle) {
        const cJSON *workload = bench_workload(b, words[0]);
        if (bench_number(workload, "needs_jump") != 0 && !ends_every_loop(b)) {
            bench_close(b, session);
            bench_cannot("the ladder of this build does not end a loop in C");
            return;
        }
        h.source = bench_text(workload, "cell");
        if (pthread_create(&thread, NULL, run_hang, &h))
            die("no thread for a session");
        while (!atomic_load(&h.has_begun))
            ;
    }
    pace(session, trivial, strtod(words[1], NULL));
    if (!is_idle) {
        atomic_store(&h.is_over, 1);
        pthread_join(thread, NULL);
    }
    bench_close(b, session);
}

/* ---- many sessions ---- */

typedef struct crowd {
    const bench *b;
    const cJSON *workload;
    pthread_barrier_t start;
    uint64_t budget_ns;
} crowd;

typedef struct member {
    crowd *crowd;
    pthread_t thread;
    uint64_t turns, took_ns;
} member;

static void *take_turns(void *payload)
{
    member *m = payload;
    const bench *b = m->crowd->b;
    snug_session *session = bench_open_for(b, m->crowd->workload);
    bench_run_checked(session, m->crowd->workload);
    pthread_barrier_wait(&m->crowd->start);
    uint64_t start_ns = now_ns();
    do {
        bench_run_checked(session, m->crowd->workload);
        m->turns++;
    } while ((m->took_ns = now_ns() - start_ns) < m->crowd->budget_ns);
    bench_close(b, session);
    return NULL;
}

void bench_scale(bench *b, char **words)
{
    size_t count = strtoul(words[0], NULL, 10);
    member *members = count ? calloc(count, sizeof *members) : NULL;
    crowd c = { .b = b,
                .workload = bench_workload(b, words[1]),
                .budget_ns = (uint64_t)(strtod(words[2], NULL) * 1e6) };
    double rate = 0;
    if (!members || pthread_barrier_init(&c.start, NULL, (unsigned)count))
        die("scale wants a count over 0");
    for (size_t i = 0; i < count; i++) {
        members[i].crowd = &c;
        if (pthread_create(&members[i].thread, NULL, take_turns, &members[i]))
            die("no thread for a session");
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(members[i].thread, NULL);
        rate += (double)members[i].turns / ((double)members[i].took_ns / 1e9);
    }
    printf("{\"rate\": %.3f}\n", rate);
    pthread_barrier_destroy(&c.start);
    free(members);
}
