/* run_python and run_bash: a cell. */
#include <math.h>
#include <string.h>

#include "cli/mcp/asking.h"
#include "cli/mcp/tool_table.h"

enum { SLICE_MS = 50 /* after which a cell that asks is noticed */ };

static void set_running(mcp_call *c, int is_running)
{
    pthread_mutex_lock(&c->server->lock);
    c->is_running = is_running;
    pthread_cond_broadcast(&c->server->tick);
    pthread_mutex_unlock(&c->server->lock);
}

uint64_t call_most_ms(const options *o)
{
    return o->limits.wall_ms ? o->limits.wall_ms : snug_limit_info(0)->default_value;
}

/* *has_most: of the time that a cell may have. 0 with what is wrong in a. */
static int read_limits(snug_limits *out, int *has_most, const mcp_call *c, const cJSON *arguments,
                       answer *a)
{
    const cJSON *timeout = cJSON_GetObjectItemCaseSensitive(arguments, "timeout");
    const uint64_t most_ms = call_most_ms(c->server->options);

    if (timeout && (!(timeout->valuedouble > 0) || timeout->valuedouble > 1e6)) {
        answer_fail(a, "\"timeout\" is in seconds, above 0 and up to 1,000,000");
        return 0;
    }
    if (timeout)
        out->wall_ms = (uint64_t)ceil(timeout->valuedouble * 1000);
    *has_most = out->wall_ms == 0 || out->wall_ms >= most_ms;
    if (out->wall_ms > most_ms)
        out->wall_ms = most_ms;
    return 1;
}

/* As snug_lease_run; asks the client meanwhile. */
static int run_asking(snug_result **out, mcp_call *c, snug_lease *lease, const char *code,
                      const snug_limits *limits)
{
    int error = snug_lease_start(lease, code, strlen(code), limits);

    if (!error) {
        while ((error = snug_lease_wait(out, lease, SLICE_MS)) == SNUG_EAGAIN)
            asking_look(c);
        asking_end(c);
    }
    return error;
}

void run_code(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    const char *code = rpc_text(arguments, "code");
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_result *result = NULL;
    int has_most;

    if (!read_limits(&limits, &has_most, c, arguments, a))
        return;
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
    if (asking_is_possible(c) ? run_asking(&result, c, lease, code, &limits)
                              : snug_lease_run(&result, lease, code, strlen(code), &limits))
        answer_fail(a, "%s", snug_error_message());
    set_running(c, 0);
    if (!result)
        return;
    answer_cell(a, result, snug_lease_arrival(lease), c->handle,
                (structured_choice)c->server->options->mcp.structured,
                has_most ? call_most_ms(c->server->options) : 0);
    snug_result_free(result);
}
