/*
 * soak.c - a long random mix over many sessions: ordinary cells, errors, time-outs,
 * interrupts, resets, closes and reopens. Fails when memory goes on growing, when
 * descriptors or threads are left over, or when an answer is wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "measure.h"

enum { THREADS = 4, SAMPLES = 20, MEMORY_BYTES = 200 << 20 };

static struct {
    uint64_t turns, sessions, seed, per_close_kib, percent;
} option = { .turns = 200000, .sessions = 200, .seed = 1, .percent = 2 };

/* What a seat's session should know; a seat belongs to one worker. */
typedef struct seat {
    snug_session *session;
    uint64_t counted; /* the value of `n` */
} seat;

typedef enum event { TURN, ERROR, TIMEOUT, INTERRUPT, OUTPUT, REOPEN, RESET, EVENTS } event;

static const struct {
    const char *name;
    unsigned share; /* of a thousand */
} events[EVENTS] = {
    [TURN] = { "turns", 790 },       [ERROR] = { "errors", 120 },
    [TIMEOUT] = { "time-outs", 20 }, [INTERRUPT] = { "interrupts", 10 },
    [OUTPUT] = { "output", 30 },     [REOPEN] = { "reopened", 25 },
    [RESET] = { "reset", 5 },
};

typedef struct worker {
    pthread_t thread;
    seat *seats;
    size_t seat_count;
    uint64_t turns, state; /* of the random numbers */
    uint64_t counts[EVENTS];
} worker;

static snug_host *host;
static _Atomic uint64_t done, closes, wrong;
static _Atomic int is_sampled; /* the last sample is taken: sessions may be closed */
static uint64_t sample_rss[SAMPLES + 1], sample_closes[SAMPLES + 1];

/* ---- helpers ---- */

static uint64_t random_number(worker *w)
{
    w->state ^= w->state << 13;
    w->state ^= w->state >> 7;
    w->state ^= w->state << 17;
    return w->state;
}

static void complain(const char *what, const char *source, const char *got)
{
    if (atomic_fetch_add(&wrong, 1) < 10)
        fprintf(stderr, "wrong: %s: \"%.80s\": %.1500s\n", what, source, got);
}

static void open_seat(seat *s)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.memory_bytes = MEMORY_BYTES;
    s->counted = 0;
    if (snug_session_open(&s->session, host, &options)) {
        fprintf(stderr, "no session: %s\n", snug_error_message());
        exit(2);
    }
}

/* Answers the result's value in out. */
static void run(seat *s, const char *source, uint64_t wall_ms, snug_status expected, char *out,
                size_t size)
{
    snug_result *result = NULL;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = wall_ms };
    if (out)
        *out = '\0';
    if (snug_session_run(&result, s->session, source, strlen(source), &limits)) {
        complain("no result", source, snug_error_message());
        return;
    }
    if (snug_result_status(result) != expected || snug_result_state(result) != SNUG_STATE_KEPT) {
        char what[80];
        snprintf(what, sizeof what, "%s, %s, rung %d", snug_status_name(snug_result_status(result)),
                 snug_state_name(snug_result_state(result)), snug_result_rung(result));
        complain(what, source, snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    }
    if (out)
        snprintf(out, size, "%s", snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
}

/* ---- events ---- */

static void take_turn(worker *w, seat *s)
{
    static const char *const cells[] = {
        "import json; json.dumps({'a': [1, 2, {'b': None}]})",
        "import re; re.findall(r'\\d+', 'a1b22c333')",
        "data = [i * i for i in range(1000)]; sum(data)",
        "text = ' '.join(str(i) for i in range(500)); len(text)",
        "def f(x):\n    return x + 1\nf(41)",
        "class Thing:\n    def __init__(self):\n        self.me = self\nthings = [Thing() for _ in "
        "range(50)]",
        "import collections; collections.Counter('mississippi').most_common(2)",
        "table = {str(i): [i] * 10 for i in range(300)}; len(table)",
    };
    char source[200], value[64], expected[32];
    uint64_t kind = random_number(w) % (sizeof cells / sizeof *cells + 4);
    if (kind < sizeof cells / sizeof *cells) {
        run(s, cells[kind], 0, SNUG_STATUS_OK, NULL, 0);
        return;
    }
    /* Source that was never seen, and a counter that has to agree. */
    snprintf(source, sizeof source, "n = globals().get('n', 0) + 1; k = %llu; n",
             (unsigned long long)random_number(w));
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)++s->counted);
    run(s, source, 0, SNUG_STATUS_OK, value, sizeof value);
    if (strcmp(value, expected) != 0)
        complain("the counter", expected, value);
}

static void raise_error(worker *w, seat *s)
{
    static const char *const cells[] = {
        "1 / 0",
        "undefined_name",
        "[][5]",
        "import json; json.loads('{')",
        "def f(:\n  pass",
        "open('/etc/passwd')",
        "import subprocess",
        "raise ValueError('x' * 1000)",
        "def f(n): return f(n + 1)\nf(0)",
    };
    snug_result *result = NULL;
    const char *source = cells[random_number(w) % (sizeof cells / sizeof *cells)];
    if (snug_session_run(&result, s->session, source, strlen(source), NULL))
        complain("no result", source, snug_error_message());
    else if (snug_result_status(result) == SNUG_STATUS_OK ||
             snug_result_state(result) != SNUG_STATE_KEPT)
        complain("no error", source, snug_state_name(snug_result_state(result)));
    snug_result_free(result);
}

static const char *endless(worker *w)
{
    static const char *const cells[] = {
        "while True:\n    pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import time; time.sleep(100)",
        "import asyncio; await asyncio.sleep(100)",
    };
    return cells[random_number(w) % (sizeof cells / sizeof *cells)];
}

typedef struct interrupter {
    snug_session *session;
    _Atomic int has_ended;
} interrupter;

/* Again and again: one that comes before the cell has begun does nothing. */
static void *interrupt(void *arg)
{
    interrupter *i = arg;
    while (!atomic_load(&i->has_ended)) {
        measure_sleep_ns(20 * NS_PER_MS);
        snug_session_interrupt(i->session);
    }
    return NULL;
}

static void be_interrupted(worker *w, seat *s)
{
    pthread_t thread;
    interrupter i = { .session = s->session };
    if (pthread_create(&thread, NULL, interrupt, &i) != 0)
        abort();
    run(s, endless(w), 20000, SNUG_STATUS_INTERRUPTED, NULL, 0);
    atomic_store(&i.has_ended, 1);
    pthread_join(thread, NULL);
}

static void happen(worker *w, event what)
{
    seat *s = &w->seats[random_number(w) % w->seat_count];
    w->counts[what]++;
    switch (what) {
    case TURN:
        take_turn(w, s);
        break;
    case ERROR:
        raise_error(w, s);
        break;
    case TIMEOUT:
        run(s, endless(w), 20, SNUG_STATUS_TIMEOUT, NULL, 0);
        break;
    case INTERRUPT:
        be_interrupted(w, s);
        break;
    case OUTPUT:
        run(s, "for i in range(2000): print('line', i)", 0, SNUG_STATUS_OK, NULL, 0);
        break;
    case REOPEN:
        snug_session_close(s->session);
        atomic_fetch_add(&closes, 1);
        open_seat(s);
        break;
    case RESET:
        if (snug_session_reset(s->session))
            complain("no reset", "", snug_error_message());
        atomic_fetch_add(&closes, 1);
        s->counted = 0;
        break;
    case EVENTS:
        break;
    }
}

static void *work(void *arg)
{
    worker *w = arg;
    for (size_t i = 0; i < w->seat_count; i++)
        open_seat(&w->seats[i]);
    for (uint64_t turn = 0; turn < w->turns; turn++) {
        unsigned dice = (unsigned)(random_number(w) % 1000);
        event what = TURN;
        while (what + 1 < EVENTS && dice >= events[what].share)
            dice -= events[what++].share;
        happen(w, what);
        atomic_fetch_add(&done, 1);
    }
    while (!atomic_load(&is_sampled))
        measure_sleep_ns(5 * NS_PER_MS);
    for (size_t i = 0; i < w->seat_count; i++)
        snug_session_close(w->seats[i].session);
    return NULL;
}

/* ---- the whole ---- */

static void sample(size_t i, uint64_t start_ns)
{
    sample_rss[i] = measure_rss_kib();
    sample_closes[i] = atomic_load(&closes);
    printf("%9llu turns %8.1f MiB %4u descriptors %4u threads %7llu closes %7.0f s\n",
           (unsigned long long)atomic_load(&done), (double)sample_rss[i] / 1024,
           measure_descriptors(), measure_threads(), (unsigned long long)sample_closes[i],
           (double)(measure_now_ns() - start_ns) / NS_PER_MS / 1000);
    fflush(stdout);
}

static void start(worker *workers, seat *seats, uint64_t turns, uint64_t sessions)
{
    size_t first = 0;
    for (size_t i = 0; i < THREADS; i++) {
        worker *w = &workers[i];
        *w = (worker){ .seats = seats + first };
        w->seat_count = sessions / THREADS + (i < sessions % THREADS);
        first += w->seat_count;
        w->turns = w->seat_count ? turns / THREADS : 0;
        w->state = (option.seed + 1) * 0x9e3779b97f4a7c15u + i;
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            abort();
    }
}

static void join(worker *workers)
{
    atomic_store(&is_sampled, 1);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
}

/* What the library makes once, with the first sessions, is not a leak. */
static void warm_up(worker *workers, seat *seats)
{
    start(workers, seats, 100, THREADS < option.sessions ? THREADS : option.sessions);
    join(workers);
    atomic_store(&is_sampled, 0);
    atomic_store(&done, 0);
    atomic_store(&closes, 0);
}

static void run_all(worker *workers, seat *seats)
{
    uint64_t start_ns = measure_now_ns(), turns = 0;
    start(workers, seats, option.turns, option.sessions);
    for (size_t i = 0; i < THREADS; i++)
        turns += workers[i].turns;
    for (size_t i = 1; i <= SAMPLES; i++) {
        while (atomic_load(&done) < turns * i / SAMPLES)
            measure_sleep_ns(5 * NS_PER_MS);
        sample(i, start_ns);
    }
    join(workers);
    printf("%9s closed %6.1f MiB\n", "all", (double)measure_rss_kib() / 1024);
}

/* Of the last half: the growth less what the clean closes are allowed. */
static int judge_memory(void)
{
    double half = (double)sample_rss[SAMPLES / 2], end = (double)sample_rss[SAMPLES];
    uint64_t ended = sample_closes[SAMPLES] - sample_closes[SAMPLES / 2];
    double allowed = (double)(ended * option.per_close_kib);
    double percent = 100 * (end - half - allowed) / half;
    printf("the last half grew by %.1f MiB, of which %.1f for %llu closes are allowed: %+.2f %%\n",
           (end - half) / 1024, allowed / 1024, (unsigned long long)ended, percent);
    return percent < (double)option.percent ? 0 : 1;
}

static int take_options(int argc, char **argv)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = { { "--turns", &option.turns },
                    { "--sessions", &option.sessions },
                    { "--seed", &option.seed },
                    { "--per-close-kib", &option.per_close_kib },
                    { "--percent", &option.percent } };
    for (int i = 1; i < argc; i += 2) {
        size_t at = 0;
        while (at < sizeof numbers / sizeof *numbers && strcmp(argv[i], numbers[at].name) != 0)
            at++;
        if (at == sizeof numbers / sizeof *numbers || i + 1 == argc)
            return -1;
        *numbers[at].number = strtoull(argv[i + 1], NULL, 10);
    }
    return option.turns && option.sessions ? 0 : -1;
}

int main(int argc, char **argv)
{
    worker workers[THREADS] = { 0 };
    if (take_options(argc, argv) != 0) {
        fputs(
            "usage: soak [--turns N] [--sessions N] [--seed S] [--per-close-kib K] [--percent P]\n",
            stderr);
        return 2;
    }
    seat *seats = calloc(option.sessions, sizeof *seats);
    if (!seats || snug_host_open(&host, NULL)) {
        fprintf(stderr, "no host: %s\n", snug_error_message());
        return 2;
    }
    warm_up(workers, seats);
    unsigned descriptors = measure_descriptors(), threads = measure_threads();
    run_all(workers, seats);
    /* A thread that was joined is in /proc until the kernel has run it to its end. */
    for (int look = 0; look < 1000 && measure_threads() > threads; look++)
        measure_sleep_ns(10 * NS_PER_MS);
    unsigned descriptors_left = measure_descriptors(), threads_left = measure_threads();

    for (int what = 0; what < EVENTS; what++) {
        uint64_t count = 0;
        for (size_t i = 0; i < THREADS; i++)
            count += workers[i].counts[what];
        printf("%s %llu%s", events[what].name, (unsigned long long)count,
               what + 1 < EVENTS ? ", " : "\n");
    }
    int failed = judge_memory();
    printf("descriptors %u then %u, threads %u then %u, wrong answers %llu\n", descriptors,
           descriptors_left, threads, threads_left, (unsigned long long)wrong);
    failed = failed || descriptors != descriptors_left || threads != threads_left || wrong;
    if (snug_host_close(host)) {
        fprintf(stderr, "the host does not close: %s\n", snug_error_message());
        failed = 1;
    }
    free(seats);
    puts(failed ? "FAILED" : "passed");
    return failed;
}
