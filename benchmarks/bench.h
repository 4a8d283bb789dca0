/*
 * bench.h - what the files of snug_bench share: the host that is measured, sessions as the form of
 * this run has them, cells whose answers are checked, and samples. A failure ends the program.
 */
#ifndef SNUG_BENCHMARKS_BENCH_H
#define SNUG_BENCHMARKS_BENCH_H

#include <stdint.h>

#include <cjson/cJSON.h>
#include <snug/snug.h>

#include "measure.h"

typedef struct bench_form {
    const char *name;
    snug_form form;
    int has_own_workers;     /* each session, for it names its work directory */
    int is_on_caller_thread; /* each session, and used by that thread only */
} bench_form;

typedef struct bench {
    const bench_form *form;
    snug_host *host;
    cJSON *workloads;
    snug_session **held;
    size_t held_count;
    uint64_t awake_sessions; /* option of the host; 0: its default */
} bench;

/* Where the words after a command's name are, it measures and answers with one line of JSON. */
typedef void (*bench_command)(bench *b, char **words);

/* In bench.c. The host is closed, and opened again with that many spares and, where preload is
 * not NULL, workers that have imported these packages. */
void bench_open_host(bench *b, size_t pool_sessions, const char *const *preload);
snug_session_options bench_options(const bench *b);
/* On the thread that uses the session and closes it. The folder that is made for a session with a
 * worker of its own goes with bench_close. */
snug_session *bench_open(const bench *b, const snug_session_options *options);
/* With the cells in "setup" of the workload, which may be NULL. */
snug_session *bench_open_for(const bench *b, const cJSON *workload);
void bench_close(const bench *b, snug_session *session);

const cJSON *bench_workload(const bench *b, const char *name);
const char *bench_text(const cJSON *workload, const char *key);
double bench_number(const cJSON *workload, const char *key);

snug_result *bench_run(snug_session *session, const char *source, size_t len);
/* Of a cell whose status is to be ok. */
void bench_run_well(snug_session *session, const char *source);
/* What a workload's cell answers; the texts are the workload's. */
typedef struct bench_answer {
    const char *of, *value, *error; /* value: NULL, any; error: empty, none */
    size_t printed;
} bench_answer;

bench_answer bench_expected(const cJSON *workload);
/* Runs the workload's cell, reads what a caller would, and compares. */
void bench_run_checked(snug_session *session, const cJSON *workload);
void bench_check(const bench_answer *expected, const snug_result *result);

/* One sample: how long it took in ns; *second_ns is a figure of its own, by its command. */
typedef uint64_t (*bench_sampler)(void *payload, uint64_t *second_ns);
/* Samples for that many milliseconds, after some that are not counted, and answers with "median",
 * "p99", "min" and "runs", and the median of the second figure under its name. */
void bench_repeat(double budget_ms, const char *second, bench_sampler sample, void *payload);
/* The answer of a command that says nothing here, with the reason. */
void bench_cannot(const char *reason);
/* The part of the host's report after "key: ", up to the end of its line; len is that. */
const char *bench_report(const bench *b, const char *key, int *len);

/* In bench_open.c. */
/* Until the pool is full; is_half: and has one that is half-warm, once it was asked for one. */
void bench_await_pool(const bench *b, int is_half);
void bench_first(bench *b, char **words);
void bench_open_close(bench *b, char **words);
void bench_spare(bench *b, char **words);
void bench_full(bench *b, char **words);
void bench_ready(bench *b, char **words);
void bench_hold(bench *b, char **words);

/* In bench_beside.c. */
void bench_beside(bench *b, char **words);
void bench_scale(bench *b, char **words);

/* In bench_parked.c. */
void bench_among(bench *b, char **words);
void bench_wake(bench *b, char **words);

/* In bench_host.c. */
void bench_tool(bench *b, char **words);
void bench_save(bench *b, char **words);

/* In bench_programs.c. */
void bench_call(bench *b, char **words);
void bench_map(bench *b, char **words);

#endif
