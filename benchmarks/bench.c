/*
 * bench.c - snug's side of run.py: runs the workloads it is told to.
 *
 *     snug_bench WORKLOADS.json
 *
 * The file is what workloads.py prints. First answers with a line that names
 * Python; then each line of stdin is a command and gets one line of JSON, times in
 * nanoseconds:
 *
 *     turn WORKLOAD fresh|same MS    its cell in one session, for MS milliseconds;
 *                                    fresh: each time another text, so that the
 *                                    code cache does not help
 *     conversation WORKLOAD MS       open, its cells, close
 *     open MS                        open, first answer, close
 *     memory WORKLOAD|- COUNT        KiB of the process with one session, and for
 *                                    each further one; used by the workload, or bare
 *
 * Times are the caller's: from handing over the source to having read and freed
 * the result.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <snug/snug.h>

#include "measure.h"

enum { WARM_UP_RUNS = 50, MIN_RUNS = 3 };
#define WARM_UP_NS UINT64_C(20000000)

typedef struct bench {
    snug_host *host;
    cJSON *workloads;
} bench;

/* ---- workloads ----------------------------------------------------------- */

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

static const cJSON *find_workload(const bench *b, const char *name)
{
    const cJSON *workload = cJSON_GetObjectItemCaseSensitive(b->workloads, name);
    if (!workload)
        die("no workload \"%s\"", name);
    return workload;
}

static const char *text_of(const cJSON *workload, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(workload, key));
}

static double number_of(const cJSON *workload, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(workload, key);
    return item ? item->valuedouble : 0;
}

/* ---- cells --------------------------------------------------------------- */

static snug_result *run(snug_session *session, const char *source, size_t len)
{
    snug_result *result;
    if (snug_session_run(&result, session, source, len, NULL))
        die("%s", snug_error_message());
    return result;
}

static void run_well(snug_session *session, const char *source)
{
    snug_result *result = run(session, source, strlen(source));
    if (snug_result_status(result) != SNUG_STATUS_OK)
        die("a cell failed: %s\n%s", source, snug_result_text(result, SNUG_TRACEBACK, NULL));
    snug_result_free(result);
}

/* Reads what a caller would. */
static void check(const cJSON *workload, const snug_result *result)
{
    const char *value = text_of(workload, "value"), *error = text_of(workload, "error");
    size_t printed = (size_t)number_of(workload, "printed"), value_len, len, traceback_len;
    const char *shown = snug_result_text(result, SNUG_VALUE, &value_len);
    snug_result_text(result, SNUG_STDOUT, &len);
    const char *traceback = snug_result_text(result, SNUG_TRACEBACK, &traceback_len);
    if (strcmp(snug_result_error_name(result), error ? error : "") != 0 ||
        (traceback_len > 0) != (error != NULL))
        die("%s: error \"%s\"\n%s", workload->string, snug_result_error_name(result), traceback);
    if (value && strcmp(shown, value) != 0)
        die("%s: value %s instead of %s", workload->string, shown, value);
    if (snug_result_total_bytes(result, SNUG_STDOUT) != printed)
        die("%s: %zu bytes printed", workload->string, len);
}

static snug_session *open_session(const bench *b, const cJSON *workload)
{
    snug_session *session;
    const cJSON *cell;
    if (snug_session_open(&session, b->host, NULL))
        die("%s", snug_error_message());
    cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(workload, "setup"))
        run_well(session, cell->valuestring);
    return session;
}

/* ---- measuring ----------------------------------------------------------- */

/* One sample: how long it took in ns, and on the session's thread if that is known. */
typedef uint64_t (*sampler)(void *payload, uint64_t *cpu_ns);

static void repeat(double budget_ms, sampler sample, void *payload)
{
    samples wall = { 0 }, cpu = { 0 };
    uint64_t cpu_ns = 0, warm_up_ns = 0;
    for (int i = 0; i < WARM_UP_RUNS && warm_up_ns < WARM_UP_NS; i++)
        warm_up_ns += sample(payload, &cpu_ns);
    uint64_t end_ns = now_ns() + (uint64_t)(budget_ms * 1e6);
    while (wall.count < MIN_RUNS || now_ns() < end_ns) {
        samples_add(&wall, sample(payload, &cpu_ns));
        samples_add(&cpu, cpu_ns);
    }
    printf("{\"runs\": %zu, \"median\": %llu, \"min\": %llu, \"p99\": %llu, \"cpu\": %llu}\n",
           wall.count, (unsigned long long)samples_quantile(&wall, 0.5),
           (unsigned long long)samples_quantile(&wall, 0),
           (unsigned long long)samples_quantile(&wall, 0.99),
           (unsigned long long)samples_quantile(&cpu, 0.5));
    samples_free(&wall);
    samples_free(&cpu);
}

typedef struct turn {
    snug_session *session;
    const cJSON *workload;
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
    snug_result *result = run(t->session, t->source, len);
    check(t->workload, result);
    *cpu_ns = snug_result_cpu_ns(result);
    snug_result_free(result);
    return now_ns() - start_ns;
}

static void measure_turn(const bench *b, char **words)
{
    const cJSON *workload = find_workload(b, words[0]);
    const char *cell = text_of(workload, "cell");
    if (!cell)
        die("%s has no cell", words[0]);
    turn t = { .session = open_session(b, workload),
               .workload = workload,
               .source = calloc(1, strlen(cell) + 32),
               .len = strlen(cell),
               .is_fresh = strcmp(words[1], "fresh") == 0 };
    if (!t.source)
        die("out of memory");
    memcpy(t.source, cell, t.len);
    repeat(strtod(words[2], NULL), sample_turn, &t);
    snug_session_close(t.session);
    free(t.source);
}

typedef struct opening {
    const bench *b;
    const cJSON *workload; /* NULL: one cell */
} opening;

static uint64_t sample_conversation(void *payload, uint64_t *cpu_ns)
{
    const opening *o = payload;
    const cJSON *cell;
    int errors = 0;
    *cpu_ns = 0;
    uint64_t start_ns = now_ns();
    snug_session *session = open_session(o->b, o->workload);
    cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(o->workload, "cells"))
    {
        snug_result *result = run(session, cell->valuestring, strlen(cell->valuestring));
        errors += snug_result_status(result) != SNUG_STATUS_OK;
        *cpu_ns += snug_result_cpu_ns(result);
        snug_result_free(result);
    }
    snug_session_close(session);
    uint64_t took_ns = now_ns() - start_ns;
    if (errors != (int)number_of(o->workload, "errors"))
        die("%s: %d cells failed", o->workload->string, errors);
    return took_ns;
}

static void measure_conversation(const bench *b, char **words)
{
    opening o = { b, find_workload(b, words[0]) };
    repeat(strtod(words[1], NULL), sample_conversation, &o);
}

/* The second time is that of the close alone. */
static uint64_t sample_open(void *payload, uint64_t *close_ns)
{
    const opening *o = payload;
    uint64_t start_ns = now_ns();
    snug_session *session = open_session(o->b, NULL);
    run_well(session, "x = 0");
    uint64_t open_ns = now_ns();
    snug_session_close(session);
    uint64_t end_ns = now_ns();
    *close_ns = end_ns - open_ns;
    return end_ns - start_ns;
}

static void measure_open(const bench *b, char **words)
{
    opening o = { b, NULL };
    repeat(strtod(words[0], NULL), sample_open, &o);
}

static void measure_memory(const bench *b, char **words)
{
    const cJSON *trivial = find_workload(b, "trivial");
    const cJSON *used = strcmp(words[0], "-") == 0 ? NULL : find_workload(b, words[0]);
    long count = strtol(words[1], NULL, 10), first_kib = 0;
    snug_session **sessions = count > 1 ? calloc((size_t)count, sizeof(snug_session *)) : NULL;
    if (!sessions)
        die("memory wants a count over 1");
    for (long i = 0; i < count; i++) {
        sessions[i] = open_session(b, trivial);
        run_well(sessions[i], text_of(trivial, "cell"));
        if (used)
            run_well(sessions[i], text_of(used, "cell"));
        if (i == 0)
            first_kib = pss_kib();
    }
    printf("{\"first\": %ld, \"each\": %.1f}\n", first_kib,
           (double)(pss_kib() - first_kib) / (double)(count - 1));
    for (long i = 0; i < count; i++)
        snug_session_close(sessions[i]);
    free(sessions);
}

/* ---- commands ------------------------------------------------------------ */

enum { MAX_WORDS = 5 };

static const struct {
    const char *name;
    int words; /* after the name */
    void (*measure)(const bench *b, char **words);
} commands[] = {
    { "turn", 3, measure_turn },
    { "conversation", 2, measure_conversation },
    { "open", 1, measure_open },
    { "memory", 2, measure_memory },
};

static void obey(const bench *b, char *line)
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

/* The part of the host's report after "key: ". */
static void print_report(const snug_host *host, const char *name, const char *key)
{
    const char *found = strstr(snug_host_report(host), key);
    found = found ? found + strlen(key) : "";
    printf("\"%s\": \"%.*s\"", name, (int)strcspn(found, "\n"), found);
}

int main(int argc, char **argv)
{
    char line[256];
    bench b = { 0 };
    if (argc != 2)
        die("usage: snug_bench WORKLOADS.json");
    b.workloads = read_workloads(argv[1]);
    if (snug_host_open(&b.host, NULL))
        die("%s", snug_error_message());
    printf("{");
    print_report(b.host, "python", "\npython: ");
    printf(", ");
    print_report(b.host, "linked", "\npython.linked: ");
    printf("}\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin))
        obey(&b, line);
    snug_host_close(b.host);
    cJSON_Delete(b.workloads);
    return 0;
}
