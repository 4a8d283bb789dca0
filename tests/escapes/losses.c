/*
 * losses.c - workers that are killed, stopped or out of memory, at random and under load: each
 * session runs small cells on a thread of its own, and knows every answer. Only the sessions of the
 * worker that was hit may be lost, every call returns in time, and nothing is left in the end.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <snug/snug.h>

#include "measure.h"

enum {
    HOSTS = 10,
    EACH = 5,
    HIT_AT_ONCE = 4,
    LIMIT_MS = 1000,
    GRACE_MS = 2000,
    START_MS = 60000, /* of a new worker, on a machine that has others */
    PATH = 300,
    HUNGER_MS = 100
};

static struct {
    uint64_t rounds, bound_ms, seed;
} option = { .rounds = 500, .bound_ms = 5000, .seed = 1 };

typedef enum hit { HIT_NONE, HIT_KILL, HIT_STOP, HIT_HUNGER, HITS } hit;

typedef struct place place;

typedef struct guest {
    place *place;
    snug_session *session;
    pthread_t thread;
    uint64_t turns; /* since it was opened or reset */
    _Atomic unsigned losses, answers;
} guest;

struct place {
    snug_host *host;
    guest guests[EACH];
    char home[PATH]; /* a name of Python's prefix that only this host's worker is told */
    _Atomic int hit;
    unsigned losses[EACH], answers[EACH]; /* at the hit */
};

static place places[HOSTS];
static char folder[64] = "/tmp/snug-losses-XXXXXX";
static _Atomic int is_ending;
static _Atomic unsigned wrong;
static _Atomic uint64_t latest_ns;
static _Atomic unsigned lost[HITS];
static _Atomic unsigned not_starved;
static _Atomic unsigned slow;     /* cells that had no time, and kept their names */
static _Atomic uint64_t stall_ns; /* that the machine gave to others, in all */

static void complain(const guest *g, const char *what)
{
    if (atomic_fetch_add(&wrong, 1) < 10)
        fprintf(stderr, "%s: %s\n", snug_session_name(g->session), what);
}

/* ---- the machine ---- */

/* How late a thread is that only sleeps. */
static void *measure_stalls(void *arg)
{
    while (!atomic_load(&is_ending)) {
        uint64_t start_ns = measure_now_ns();
        measure_sleep_ns(10 * NS_PER_MS);
        atomic_fetch_add(&stall_ns, measure_now_ns() - start_ns - 10 * NS_PER_MS);
    }
    return NULL;
}

/* A time that stands still as the machine does. */
static uint64_t now_ns(void)
{
    return measure_now_ns() - atomic_load(&stall_ns);
}

/* ---- a session ---- */

static void be_in_time(const guest *g, uint64_t start_ns, uint64_t bound_ms, const char *what)
{
    uint64_t now = now_ns(), latest = atomic_load(&latest_ns);
    uint64_t took_ns = now > start_ns ? now - start_ns : 0; /* what was late is told later */
    while (bound_ms == option.bound_ms && took_ns > latest &&
           !atomic_compare_exchange_weak(&latest_ns, &latest, took_ns))
        ;
    if (took_ns > bound_ms * NS_PER_MS) {
        char text[200];
        snprintf(text, sizeof text, "%s: %.0f ms, hit %d", what, (double)took_ns / NS_PER_MS,
                 atomic_load(&g->place->hit));
        complain(g, text);
    }
}

static void reset(guest *g)
{
    uint64_t start_ns = now_ns();
    if (snug_session_reset(g->session) && !atomic_load(&g->place->hit))
        complain(g, snug_error_message());
    be_in_time(g, start_ns, START_MS, "a reset did not return in time");
    g->turns = 0;
}

/* Without a hit a cell only runs out of time where the machine is too busy, and keeps its names. */
static int is_slow(const guest *g, const snug_result *result)
{
    return result && !atomic_load(&g->place->hit) &&
           snug_result_status(result) == SNUG_STATUS_TIMEOUT &&
           snug_result_state(result) == SNUG_STATE_KEPT;
}

typedef enum answer { WRONG, RIGHT, SLOW } answer;

static answer answers(guest *g)
{
    static const char source[] = "n = globals().get('n', 0) + 1\nlen(bytes(33 << 20))\nn";
    char expected[32];
    snug_result *result = NULL;
    uint64_t start_ns = now_ns();
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)g->turns + 1);
    int error = snug_session_run(&result, g->session, source, sizeof source - 1, NULL);
    be_in_time(g, start_ns, option.bound_ms, "a cell did not return in time");
    int is_right = !error && snug_result_state(result) == SNUG_STATE_KEPT &&
                   strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), expected) == 0;
    int is_late = !error && is_slow(g, result);
    if (!is_right && !is_late && !atomic_load(&g->place->hit))
        complain(g, error ? snug_error_message() : snug_result_error_value(result));
    snug_result_free(result);
    return is_right ? RIGHT : is_late ? SLOW : WRONG;
}

static void *live(void *arg)
{
    guest *g = arg;
    while (!atomic_load(&is_ending)) {
        answer a = answers(g);
        if (a == RIGHT) {
            g->turns++;
            atomic_fetch_add(&g->answers, 1);
        } else if (a == SLOW) {
            atomic_fetch_add(&slow, 1);
            reset(g);
        } else {
            atomic_fetch_add(&lost[atomic_load(&g->place->hit)], 1);
            atomic_fetch_add(&g->losses, 1);
            reset(g);
        }
        measure_sleep_ns(20 * NS_PER_MS);
    }
    return NULL;
}

/* ---- a host ---- */

static int open_place(place *p, size_t index, const char *program)
{
    snug_host_options host = SNUG_HOST_OPTIONS_INIT;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    snprintf(p->home, sizeof p->home, "%s/home-%zu", folder, index);
    host.form = SNUG_FORM_WORKER;
    host.worker_grace_ms = GRACE_MS;
    host.worker_path = program;
    host.python_home = p->home;
    options.limits = &limits;
    limits.wall_ms = LIMIT_MS;
    limits.cpu_ms = SNUG_UNLIMITED;
    if (symlink("/usr", p->home) != 0 || snug_host_open(&p->host, &host))
        return -1;
    for (size_t i = 0; i < EACH; i++) {
        guest *g = &p->guests[i];
        g->place = p;
        if (snug_session_open(&g->session, p->host, &options) ||
            pthread_create(&g->thread, NULL, live, g) != 0)
            return -1;
    }
    return 0;
}

static void close_place(place *p)
{
    for (size_t i = 0; i < EACH; i++) {
        pthread_join(p->guests[i].thread, NULL);
        snug_session_close(p->guests[i].session);
    }
    if (snug_host_close(p->host))
        fprintf(stderr, "%s\n", snug_error_message()), atomic_fetch_add(&wrong, 1);
    unlink(p->home);
}

/* Among the words of a process, which end with NULs. */
static int has_word(const char *words, size_t len, const char *word)
{
    for (size_t at = 0; at < len; at += strlen(words + at) + 1)
        if (strcmp(words + at, word) == 0)
            return 1;
    return 0;
}

/* 0: none at the moment. */
static pid_t worker_of(const place *p)
{
    char path[64], words[2 * PATH];
    int pids[4 * HOSTS];
    size_t count = measure_workers(pids, 4 * HOSTS);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/proc/%d/cmdline", pids[i]);
        FILE *file = fopen(path, "re");
        size_t len = file ? fread(words, 1, sizeof words - 1, file) : 0;
        words[len] = '\0';
        if (file)
            fclose(file);
        if (has_word(words, len, p->home))
            return pids[i];
    }
    return 0;
}

/* ---- hits ---- */

/* Further memory is refused to the whole process, as where the machine has none. The kernel asks
 * for CAP_SYS_RESOURCE where the worker has a user of its own, which root in a container may lack.
 */
static void starve(pid_t pid)
{
    struct rlimit before, none = { 1 << 20, RLIM_INFINITY };
    if (prlimit(pid, RLIMIT_AS, NULL, &before) != 0) {
        atomic_fetch_add(&not_starved, 1);
        return;
    }
    none.rlim_max = before.rlim_max;
    prlimit(pid, RLIMIT_AS, &none, NULL);
    measure_sleep_ns(HUNGER_MS * (uint64_t)NS_PER_MS);
    prlimit(pid, RLIMIT_AS, &before, NULL);
}

static int strike(place *p, hit how)
{
    pid_t pid = worker_of(p);
    if (!pid)
        return 0;
    for (size_t i = 0; i < EACH; i++) {
        p->losses[i] = atomic_load(&p->guests[i].losses);
        p->answers[i] = atomic_load(&p->guests[i].answers);
    }
    atomic_store(&p->hit, how);
    if (how == HIT_HUNGER)
        starve(pid);
    else
        kill(pid, how == HIT_KILL ? SIGKILL : SIGSTOP);
    return 1;
}

/* Each session answers again; those whose worker has ended were lost before. */
static void look_after(place *p)
{
    hit how = (hit)atomic_load(&p->hit);
    for (size_t i = 0; i < EACH; i++) {
        unsigned losses = atomic_load(&p->guests[i].losses) - p->losses[i];
        if ((how != HIT_HUNGER && losses == 0) || p->guests[i].turns < 3 ||
            atomic_load(&p->guests[i].answers) - p->answers[i] < 5)
            return;
    }
    atomic_store(&p->hit, HIT_NONE);
}

static size_t hit_now(void)
{
    size_t count = 0;
    for (size_t i = 0; i < HOSTS; i++) {
        if (atomic_load(&places[i].hit))
            look_after(&places[i]);
        count += atomic_load(&places[i].hit) != HIT_NONE;
    }
    return count;
}

static int strike_all(void)
{
    srandom((unsigned)option.seed);
    uint64_t stuck_ns = measure_now_ns() + 60000 * (uint64_t)NS_PER_MS, rounds = 0;
    while (rounds < option.rounds || hit_now() > 0) {
        place *p = &places[random() % HOSTS];
        hit how = (hit)(1 + random() % (HITS - 1));
        if (measure_now_ns() > stuck_ns) {
            fprintf(stderr, "sessions do not come back\n");
            return -1;
        }
        if (rounds < option.rounds && hit_now() < HIT_AT_ONCE && !atomic_load(&p->hit) &&
            strike(p, how)) {
            rounds++;
            stuck_ns = measure_now_ns() + 60000 * (uint64_t)NS_PER_MS;
        }
        measure_sleep_ns(5 * NS_PER_MS);
    }
    return 0;
}

/* ---- what is left ---- */

static unsigned entries(const char *path)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return count;
}

typedef struct left {
    unsigned threads, descriptors, children, files;
} left;

static left count_left(void)
{
    int pids[4 * HOSTS];
    return (left){ measure_threads(), measure_descriptors(),
                   (unsigned)measure_children(pids, 4 * HOSTS), entries(folder) };
}

static int compare(const left *before, const left *after)
{
    const struct {
        const char *name;
        unsigned before, after;
    } rows[] = { { "threads", before->threads, after->threads },
                 { "descriptors", before->descriptors, after->descriptors },
                 { "children", before->children, after->children },
                 { "files", before->files, after->files } };
    int failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].after > rows[i].before) {
            failed = 1;
            fprintf(stderr, "%s: %u, then %u\n", rows[i].name, rows[i].before, rows[i].after);
        }
    return failed;
}

/* ---- arguments ---- */

static int take_options(int argc, char **argv)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = { { "--rounds", &option.rounds },
                    { "--bound-ms", &option.bound_ms },
                    { "--seed", &option.seed } };
    for (int i = 1; i < argc - 1; i += 2) {
        size_t at = 0;
        while (at < sizeof numbers / sizeof *numbers && strcmp(argv[i], numbers[at].name) != 0)
            at++;
        if (at == sizeof numbers / sizeof *numbers || i + 2 == argc)
            return -1;
        *numbers[at].number = strtoull(argv[i + 1], NULL, 10);
    }
    return argc > 1 && argv[argc - 1][0] != '-' ? 0 : -1;
}

int main(int argc, char **argv)
{
    if (take_options(argc, argv) != 0) {
        fputs("usage: losses [--rounds N] [--bound-ms N] [--seed N] SNUG_FORM_WORKER\n", stderr);
        return 2;
    }
    if (!mkdtemp(folder))
        return 2;
    setenv("TMPDIR", folder, 1);
    left before = count_left();
    uint64_t before_kib = measure_rss_kib();
    pthread_t control;
    int failed = 0;
    for (size_t i = 0; i < HOSTS && !failed; i++)
        failed = open_place(&places[i], i, argv[argc - 1]);
    if (failed) {
        fprintf(stderr, "no sessions: %s\n", snug_error_message());
        return 2;
    }
    if (pthread_create(&control, NULL, measure_stalls, NULL) != 0)
        abort();
    failed = strike_all();
    atomic_store(&is_ending, 1);
    pthread_join(control, NULL);
    for (size_t i = 0; i < HOSTS; i++)
        close_place(&places[i]);
    left after = count_left();
    failed = compare(&before, &after) || failed || atomic_load(&wrong);
    printf(
        "%d sessions in %d workers, %llu hits; lost by kill %u, stop %u, hunger %u; by none %u; %u "
        "cells were slow; %u times hunger was not permitted\n"
        "the longest cell took %.0f ms, of %d allowed to a cell; the machine was late by %.0f ms\n"
        "RSS %.1f then %.1f MiB\n%s\n",
        HOSTS * EACH, HOSTS, (unsigned long long)option.rounds, atomic_load(&lost[HIT_KILL]),
        atomic_load(&lost[HIT_STOP]), atomic_load(&lost[HIT_HUNGER]), atomic_load(&lost[HIT_NONE]),
        atomic_load(&slow), atomic_load(&not_starved), (double)atomic_load(&latest_ns) / NS_PER_MS,
        LIMIT_MS, (double)atomic_load(&stall_ns) / NS_PER_MS, (double)before_kib / 1024,
        (double)measure_rss_kib() / 1024, failed ? "FAILED" : "passed");
    rmdir(folder);
    return failed != 0;
}
