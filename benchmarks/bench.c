/*
 * bench.c - snug's side of the benchmarks: runs the workloads it is told to.
 *
 *     snug_bench WORKLOADS.json [FORM]
 *
 * The file is what workloads.py prints; FORM is a name of the table below, "local" without one.
 * Where that is a worker's, SNUG_FORM_WORKER names the program. First answers with a line that
 * names Python and the commands; then each line of stdin is a command and gets one line of JSON,
 * times in nanoseconds. {"cannot": "..."} is the answer of a command that says nothing here.
 *
 *     turn WORKLOAD fresh|same MS    its cell in one session, for MS milliseconds;
 *                                    fresh: each time another text, so that the
 *                                    code cache does not help. "cpu": on the session's thread
 *     conversation WORKLOAD MS       open, its cells, close
 *     pooled WORKLOAD MS             the same with a session from a pool that is full
 *     first                          one session with its first answer
 *     open MS                        open, first answer, close; "close" is that alone
 *     spare cold|pool|half MS        an open alone: cold, from a pool that is full, half-warm;
 *                                    "answer" is with its first answer
 *     full PACKAGE CELL MS           an open alone of a full session, forked from a zygote that has
 *                                    imported PACKAGE; "answer" is with its first answer, to CELL,
 *                                    whose spaces are written "~"
 *     ready PACKAGE CELL MS          the same with a worker that was made ahead
 *     hold WORKLOAD|- COUNT          opens sessions until there are COUNT, to be kept: each after
 *                                    two small cells, and the workload's
 *     beside none|WORKLOAD MS        turns of a session, one every 10 ms, while another one runs
 *                                    the workload again and again, each time to a limit of 200 ms
 *     scale COUNT WORKLOAD MS        turns a second of that many sessions, each asked by a thread
 *     among COUNT AWAKE USED MS      turns of USED sessions, one after the other, among COUNT, of
 *                                    which AWAKE have a thread, and these are among them
 *     wake COUNT AWAKE MS            turns of sessions that are woken for it, while another one is
 *                                    parked; "wakes": how many for a turn
 *     tool MS                        a call of a tool, of 100 in a cell
 *     call MS                        a call of a program with two doubles
 *     map MS                         a map of it over a million rows
 *     save WORKLOAD MS               a save of the session that its cells left; "restore"
 *
 * Times are the caller's: from handing over the source to having read and freed
 * the result.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARM_UP_RUNS = 50, MIN_RUNS = 3 };
#define WARM_UP_NS UINT64_C(20000000)

/* Where sessions live. A way that options of the session choose is a line here and a line in
 * bench_options. */
static const bench_form forms[] = {
    { "local", SNUG_FORM_LOCAL, 0, 0 },
    { "caller", SNUG_FORM_LOCAL, 0, 1 },
    { "worker", SNUG_FORM_WORKER, 0, 0 },
    { "own", SNUG_FORM_WORKER, 1, 0 },
};

/* ---- workloads ---- */

static cJSON *read_workloads(const char *path)
{
    static char text[256 * 1024];
    FILE *file = fopen(path, "re");
    size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
    cJSON *workloads = cJSON_Parse(text);
    if (len == 0 || !workloads)
        die("%s is not what workloads.py prints", path);
    fclose(file);
    return workloads;
}

const cJSON *bench_workload(const bench *b, const char *name)
{
    const cJSON *workload = cJSON_GetObjectItemCaseSensitive(b->workloads, name);
    if (!workload)
        die("no workload \"%s\"", name);
    return workload;
}

const char *bench_text(const cJSON *workload, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(workload, key));
}

double bench_number(const cJSON *workload, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(workload, key);
    return item ? item->valuedouble : 0;
}

/* ---- cells ---- */

snug_result *bench_run(snug_session *session, const char *source, size_t len)
{
    snug_result *result;
    if (snug_session_run(&result, session, source, len, NULL))
        die("%s", snug_error_message());
    return result;
}

void bench_run_well(snug_session *session, const char *source)
{
    snug_result *result = bench_run(session, source, strlen(source));
    if (snug_result_status(result) != SNUG_STATUS_OK)
        die("a cell failed: %s\n%s", source, snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snug_result_free(result);
}

bench_answer bench_expected(const cJSON *workload)
{
    const char *error = bench_text(workload, "error");
    return (bench_answer){ .of = workload->string,
                           .value = bench_text(workload, "value"),
                           .error = error ? error : "",
                           .printed = (size_t)bench_number(workload, "printed") };
}

void bench_check(const bench_answer *expected, const snug_result *result)
{
    size_t value_len, len, traceback_len;
    const char *shown = snug_result_text(result, SNUG_STREAM_VALUE, &value_len);
    snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    const char *traceback = snug_result_text(result, SNUG_STREAM_TRACEBACK, &traceback_len);
    if (strcmp(snug_result_error_name(result), expected->error) != 0 ||
        (traceback_len > 0) != (*expected->error != '\0'))
        die("%s: error \"%s\"\n%s", expected->of, snug_result_error_name(result), traceback);
    if (expected->value && strcmp(shown, expected->value) != 0)
        die("%s: value %s instead of %s", expected->of, shown, expected->value);
    if (snug_result_total_bytes(result, SNUG_STREAM_STDOUT) != expected->printed)
        die("%s: %zu bytes printed", expected->of, len);
}

void bench_run_checked(snug_session *session, const cJSON *workload)
{
    const char *cell = bench_text(workload, "cell");
    const bench_answer expected = bench_expected(workload);
    if (!cell)
        die("%s has no cell", workload->string);
    snug_result *result = bench_run(session, cell, strlen(cell));
    bench_check(&expected, result);
    snug_result_free(result);
}

/* ---- host and sessions ---- */

void bench_open_host(bench *b, size_t pool_sessions, const char *const *preload)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    if (b->host && snug_host_close(b->host))
        die("%s", snug_error_message());
    options.form = b->form->form;
    options.worker_path = getenv("SNUG_WORKER");
    options.pool_sessions = pool_sessions;
    options.preload = preload;
    options.awake_sessions = b->awake_sessions;
    if (snug_host_open(&b->host, &options))
        die("%s", snug_error_message());
}

snug_session_options bench_options(const bench *b)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_caller_thread = b->form->is_on_caller_thread;
    return options;
}

snug_session *bench_open(const bench *b, const snug_session_options *options)
{
    char folder[] = "/tmp/snug_bench-XXXXXX";
    snug_session_options own = *options;
    snug_session *session;
    if (b->form->has_own_workers && !(own.workdir = mkdtemp(folder)))
        die("no folder for a session");
    if (snug_session_open(&session, b->host, &own))
        die("%s", snug_error_message());
    return session;
}

snug_session *bench_open_for(const bench *b, const cJSON *workload)
{
    snug_session_options options = bench_options(b);
    snug_session *session = bench_open(b, &options);
    const cJSON *cell;
    cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(workload, "setup"))
        bench_run_well(session, cell->valuestring);
    return session;
}

void bench_close(const bench *b, snug_session *session)
{
    char *folder = b->form->has_own_workers ? strdup(snug_session_workdir(session)) : NULL;
    snug_session_close(session);
    if (folder)
        rmdir(folder);
    free(folder);
}

/* ---- measuring ---- */

void bench_repeat(double budget_ms, const char *second, bench_sampler sample, void *payload)
{
    samples first = { 0 }, other = { 0 };
    uint64_t second_ns = 0, warm_up_ns = 0;
    for (int i = 0; i < WARM_UP_RUNS && warm_up_ns < WARM_UP_NS; i++)
        warm_up_ns += sample(payload, &second_ns);
    uint64_t end_ns = now_ns() + (uint64_t)(budget_ms * 1e6);
    while (first.count < MIN_RUNS || now_ns() < end_ns) {
        samples_add(&first, sample(payload, &second_ns));
        samples_add(&other, second_ns);
    }
    printf("{\"runs\": %zu, \"median\": %llu, \"min\": %llu, \"p99\": %llu, \"%s\": %llu}\n",
           first.count, (unsigned long long)samples_quantile(&first, 0.5),
           (unsigned long long)samples_quantile(&first, 0),
           (unsigned long long)samples_quantile(&first, 0.99), second,
           (unsigned long long)samples_quantile(&other, 0.5));
    samples_free(&first);
    samples_free(&other);
}

void bench_cannot(const char *reason)
{
    printf("{\"cannot\": \"%s\"}\n", reason);
}

typedef struct turn {
    snug_session *session;
    bench_answer expected;
    char *source; /* with room for a comment */
    size_t len;
    int is_fresh;
    unsigned number;
} turn;

static uint64_t sample_turn(void *payload, uint64_t *cpu_ns)
{
    turn *t = payload;
    size_t len = t->len;
    if (t->is_fresh)
        len += (size_t)sprintf(t->source + len, "  # %u", ++t->number);
    uint64_t start_ns = now_ns();
    snug_result *result = bench_run(t->session, t->source, len);
    bench_check(&t->expected, result);
    *cpu_ns = snug_result_cpu_ns(result);
    snug_result_free(result);
    return now_ns() - start_ns;
}

static void measure_turn(bench *b, char **words)
{
    const cJSON *workload = bench_workload(b, words[0]);
    const char *cell = bench_text(workload, "cell");
    if (!cell)
        die("%s has no cell", words[0]);
    turn t = { .session = bench_open_for(b, workload),
               .expected = bench_expected(workload),
               .source = calloc(1, strlen(cell) + 32),
               .len = strlen(cell),
               .is_fresh = strcmp(words[1], "fresh") == 0 };
    if (!t.source)
        die("out of memory");
    memcpy(t.source, cell, t.len);
    bench_repeat(strtod(words[2], NULL), "cpu", sample_turn, &t);
    bench_close(b, t.session);
    free(t.source);
}

typedef struct talk {
    const bench *b;
    const cJSON *workload;
} talk;

static uint64_t sample_conversation(void *payload, uint64_t *cpu_ns)
{
    const talk *t = payload;
    const cJSON *cell;
    int errors = 0;
    *cpu_ns = 0;
    bench_await_pool(t->b, 0);
    uint64_t start_ns = now_ns();
    snug_session *session = bench_open_for(t->b, t->workload);
    cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(t->workload, "cells"))
    {
        snug_result *result = bench_run(session, cell->valuestring, strlen(cell->valuestring));
        errors += snug_result_status(result) != SNUG_STATUS_OK;
        *cpu_ns += snug_result_cpu_ns(result);
        snug_result_free(result);
    }
    bench_close(t->b, session);
    uint64_t took_ns = now_ns() - start_ns;
    if (errors != (int)bench_number(t->workload, "errors"))
        die("%s: %d cells failed", t->workload->string, errors);
    return took_ns;
}

static void measure_conversation(bench *b, char **words)
{
    talk t = { b, bench_workload(b, words[0]) };
    bench_repeat(strtod(words[1], NULL), "cpu", sample_conversation, &t);
}

static void measure_pooled(bench *b, char **words)
{
    bench_open_host(b, 2, NULL);
    measure_conversation(b, words);
    bench_open_host(b, 0, NULL);
}

/* ---- commands ---- */

enum { MAX_WORDS = 5 };

static const struct {
    const char *name;
    int words; /* after the name */
    bench_command measure;
} commands[] = {
    { "turn", 3, measure_turn },     { "conversation", 2, measure_conversation },
    { "first", 0, bench_first },     { "open", 1, bench_open_close },
    { "spare", 2, bench_spare },     { "full", 3, bench_full },
    { "ready", 3, bench_ready },     { "hold", 2, bench_hold },
    { "beside", 2, bench_beside },   { "scale", 3, bench_scale },
    { "tool", 1, bench_tool },       { "save", 2, bench_save },
    { "among", 4, bench_among },     { "wake", 3, bench_wake },
    { "pooled", 2, measure_pooled }, { "call", 1, bench_call },
    { "map", 1, bench_map },
};

static void obey(bench *b, char *line)
{
    char *words[MAX_WORDS], *rest = NULL;
    int count = 0;
    for (char *word = strtok_r(line, " \n", &rest); word && count < MAX_WORDS;
         word = strtok_r(NULL, " \n", &rest))
        words[count++] = word;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (count == commands[i].words + 1 && strcmp(words[0], commands[i].name) == 0) {
            commands[i].measure(b, words + 1);
            fflush(stdout);
            return;
        }
    }
    die("no such command, or not with %d words", count);
}

const char *bench_report(const bench *b, const char *key, int *len)
{
    char line[64];
    snprintf(line, sizeof line, "\n%s: ", key);
    const char *found = strstr(snug_host_report(b->host), line);
    found = found ? found + strlen(line) : "";
    *len = (int)strcspn(found, "\n");
    return found;
}

static void greet(const bench *b)
{
    static const char *const facts[][2] = { { "python", "python" },
                                            { "linked", "python.linked" },
                                            { "gil", "python.gil" } };
    printf("{\"version\": \"snug %s\"", snug_version());
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        int len;
        const char *text = bench_report(b, facts[i][1], &len);
        printf(", \"%s\": \"%.*s\"", facts[i][0], len, text);
    }
    printf(", \"commands\": [");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("%s\"%s\"", i ? ", " : "", commands[i].name);
    printf("]}\n");
    fflush(stdout);
}

static const bench_form *find_form(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    die("no form \"%s\"", name);
}

int main(int argc, char **argv)
{
    char line[256];
    bench b = { 0 };
    if (argc < 2 || argc > 3)
        die("usage: snug_bench WORKLOADS.json [FORM]");
    b.form = find_form(argc == 3 ? argv[2] : "local");
    b.workloads = read_workloads(argv[1]);
    bench_open_host(&b, 0, NULL);
    greet(&b);
    while (fgets(line, sizeof line, stdin))
        obey(&b, line);
    while (b.held_count)
        bench_close(&b, b.held[--b.held_count]);
    free(b.held);
    snug_host_close(b.host);
    cJSON_Delete(b.workloads);
    return 0;
}
