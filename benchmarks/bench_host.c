/*
 * bench_host.c - what passes between a session and its host: calls of a tool, saves and restores.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a tool ---- */

enum { CALLS = 100 };

static void answer_call(void *payload, snug_call *call, const char *arguments)
{
    (void)payload;
    (void)arguments;
    snug_call_return(call, "1", 1);
}

static uint64_t sample_calls(void *payload, uint64_t *cpu_ns)
{
    static const char cell[] = "for n in range(100):\n    echo(n=n)";
    uint64_t start_ns = now_ns();
    snug_result *result = bench_run(payload, cell, sizeof cell - 1);
    if (snug_result_tool_call_count(result) != CALLS ||
        snug_result_status(result) != SNUG_STATUS_OK)
        die("a cell with calls failed:\n%s", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    *cpu_ns = snug_result_cpu_ns(result) / CALLS;
    snug_result_free(result);
    return (now_ns() - start_ns) / CALLS;
}

void bench_tool(bench *b, char **words)
{
    snug_tool tool = SNUG_TOOL_INIT;
    if (b->form->is_on_caller_thread) {
        bench_cannot("sessions on the caller's thread have no tools");
        return;
    }
    snug_session *session = bench_open_for(b, NULL);
    tool.name = "echo";
    tool.signature = "n: int";
    tool.fn = answer_call;
    if (snug_session_bind_tool(session, &tool))
        die("%s", snug_error_message());
    bench_repeat(strtod(words[0], NULL), "cpu", sample_calls, session);
    bench_close(b, session);
}

/* ---- a file of the session ---- */

typedef struct saving {
    snug_session *from, *to;
    const char *path;
    size_t names;
} saving;

/* -> how many names there are in what was saved or restored */
static size_t names_of(int error, snug_saved *saved)
{
    if (error)
        die("%s", snug_error_message());
    size_t count = snug_saved_binding_count(saved);
    snug_saved_free(saved);
    return count;
}

static uint64_t sample_save(void *payload, uint64_t *restore_ns)
{
    saving *s = payload;
    snug_saved *saved = NULL;
    uint64_t start_ns = now_ns();
    int error = snug_session_save(&saved, s->from, s->path);
    s->names = names_of(error, saved);
    uint64_t saved_ns = now_ns();
    error = snug_session_restore(&saved, s->to, s->path);
    if (names_of(error, saved) != s->names)
        die("not all names were restored");
    *restore_ns = now_ns() - saved_ns;
    return saved_ns - start_ns;
}

void bench_save(bench *b, char **words)
{
    const cJSON *workload = bench_workload(b, words[0]), *cell;
    char path[] = "/tmp/snug_bench-XXXXXX";
    int file = mkstemp(path);
    saving s = { bench_open_for(b, workload), bench_open_for(b, NULL), path, 0 };
    if (file < 0)
        die("no file for a session");
    close(file);
    if (bench_text(workload, "cell"))
        bench_run_checked(s.from, workload);
    cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(workload, "cells"))
        snug_result_free(bench_run(s.from, cell->valuestring, strlen(cell->valuestring)));
    bench_repeat(strtod(words[1], NULL), "restore", sample_save, &s);
    unlink(path);
    bench_close(b, s.from);
    bench_close(b, s.to);
}
