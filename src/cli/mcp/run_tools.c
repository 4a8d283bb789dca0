/* run_python and run_bash: a cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mcp/tool_table.h"

static void on_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)stream;
    call_progress(payload, text, len);
}

snug_lease *lease_session(mcp_call *c, answer *a)
{
    snug_session_options wanted = c->server->options->session;
    snug_lease *lease;

    if (c->handle->is_bash)
        wanted.kind = SNUG_KIND_BASH;
    wanted.on_output = on_output;
    wanted.payload = c;
    if (snug_lease_open(&lease, c->server->supervisor, c->handle->principal, c->handle->name,
                        &wanted)) {
        answer_fail_library(a);
        return NULL;
    }
    return lease;
}

static void set_running(mcp_call *c, int is_running)
{
    pthread_mutex_lock(&c->server->lock);
    c->is_running = is_running;
    pthread_cond_broadcast(&c->server->tick);
    pthread_mutex_unlock(&c->server->lock);
}

/* What the cell has made: listed from now on. */
static void note_files(mcp_call *c, const snug_result *result)
{
    const snug_artifact *file;

    for (size_t i = 0; (file = snug_result_artifact(result, i)); i++) {
        pthread_mutex_lock(&c->server->lock);
        const int is_new = handle_note_file(c->handle, file->path, file->mime, file->bytes);
        pthread_mutex_unlock(&c->server->lock);
        server_files_changed(c->server, c->handle, file->path, is_new == 1);
    }
}

static int read_limits(snug_limits *out, const cJSON *arguments, answer *a)
{
    const cJSON *timeout = cJSON_GetObjectItemCaseSensitive(arguments, "timeout");

    if (!timeout)
        return 1;
    if (!(timeout->valuedouble > 0) || timeout->valuedouble > 1e6) {
        answer_fail(a, "\"timeout\" is in seconds, above 0 and up to 1,000,000");
        return 0;
    }
    out->wall_ms = (uint64_t)ceil(timeout->valuedouble * 1000);
    return 1;
}

/* The limit of the program is the most that a client can ask for. */
static void bound_limits(snug_limits *limits, const options *o)
{
    const uint64_t most = o->limits.wall_ms ? o->limits.wall_ms : snug_limit_info(0)->default_value;
    if (limits->wall_ms > most)
        limits->wall_ms = most;
}

static void run_cell(mcp_call *c, const cJSON *arguments, snug_lease *lease, answer *a)
{
    const char *code = rpc_text(arguments, "code");
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_result *result;

    if (!read_limits(&limits, arguments, a))
        return;
    bound_limits(&limits, c->server->options);
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(arguments, "reset")) &&
        snug_session_reset(snug_lease_session(lease))) {
        answer_fail_library(a);
        return;
    }
    if (call_is_cancelled(c)) {
        answer_fail(a, "the call was cancelled before its cell began");
        return;
    }

    set_running(c, 1);
    const int error = snug_lease_run(&result, lease, code, strlen(code), &limits);
    set_running(c, 0);
    if (error) {
        answer_fail_library(a);
        return;
    }
    note_files(c, result);
    answer_cell(a, result, snug_lease_arrival(lease), c->handle);
    snug_result_free(result);
}

void run_code(mcp_call *c, const cJSON *arguments, answer *a)
{
    snug_lease *lease = lease_session(c, a);
    if (!lease)
        return;
    run_cell(c, arguments, lease, a);
    snug_lease_close(lease);
}
