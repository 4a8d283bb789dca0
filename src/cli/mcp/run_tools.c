/* run_python and run_bash: a cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mcp/asking.h"
#include "cli/mcp/tool_table.h"

enum { SLICE_MS = 50 /* after which a cell that asks is noticed */ };

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
    wanted.journal = c->server->tools->journal;
    wanted.on_output = on_output;
    wanted.on_approval = asking_on_approval;
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

uint64_t call_most_ms(const options *o)
{
    return o->limits.wall_ms ? o->limits.wall_ms : snug_limit_info(0)->default_value;
}

static int start_cell(mcp_call *c, const cJSON *arguments, answer *a)
{
    const char *code = rpc_text(arguments, "code");
    snug_limits limits = SNUG_LIMITS_INIT;

    if (!read_limits(&limits, arguments, a))
        return 0;
    const uint64_t most_ms = call_most_ms(c->server->options);
    c->has_most = limits.wall_ms == 0 || limits.wall_ms >= most_ms;
    if (limits.wall_ms > most_ms)
        limits.wall_ms = most_ms;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(arguments, "reset")) &&
        snug_session_reset(snug_lease_session(c->lease))) {
        answer_fail_library(a);
        return 0;
    }
    if (call_is_cancelled(c)) {
        answer_fail(a, "the call was cancelled before its cell began");
        return 0;
    }

    set_running(c, 1);
    const int error = asking_is_possible(c)
                          ? snug_lease_start(c->lease, code, strlen(code), &limits)
                          : snug_lease_run(&c->result, c->lease, code, strlen(code), &limits);
    c->has_ended = error || !asking_is_possible(c);
    c->failure = error ? strdup(snug_error_message()) : NULL;
    c->is_started = 1;
    return 1;
}

/* Until the cell is over, and then 1; 0: it is held, and the call is nobody's. */
static int wait_for_cell(mcp_call *c)
{
    while (!c->has_ended) {
        const int error = snug_lease_wait(&c->result, c->lease, SLICE_MS);
        if (error == SNUG_EAGAIN) {
            if (asking_hold(c))
                return 0;
            continue;
        }
        c->has_ended = 1;
        c->failure = error ? strdup(snug_error_message()) : NULL;
    }
    return 1;
}

static void take_result(mcp_call *c, answer *a)
{
    snug_result *result = c->result;

    asking_end(c);
    set_running(c, 0);
    c->result = NULL;
    if (!result) {
        answer_fail(a, "%s", c->failure ? c->failure : "out of memory");
        return;
    }
    answer_cell(a, result, snug_lease_arrival(c->lease), c->handle,
                (structured_choice)c->server->options->mcp.structured,
                c->has_most ? call_most_ms(c->server->options) : 0);
    snug_result_free(result);
}

/* Also of one whose cell was held, and goes on. */
void run_code(mcp_call *c, const cJSON *arguments, answer *a)
{
    if (!c->lease)
        c->lease = lease_session(c, a);
    if (!c->lease)
        return;
    if (c->is_started && !c->has_ended)
        snug_lease_go_on(c->lease);
    if (c->is_started || start_cell(c, arguments, a)) {
        a->is_held = !wait_for_cell(c);
        if (a->is_held)
            return;
        take_result(c, a);
    }
    snug_lease_close(c->lease);
    c->lease = NULL;
}
