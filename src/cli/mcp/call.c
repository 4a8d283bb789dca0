/* A call: its answer, its progress, its end. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/mcp/asking.h"
#include "cli/mcp/server.h"
#include "cli/program/secrets.h"

/* ---- the list ---- */

void calls_add(struct mcp_call **list, mcp_call *c)
{
    while (*list)
        list = &(*list)->next;
    *list = c;
    c->next = NULL;
}

void calls_remove(mcp_call **list, mcp_call *c)
{
    while (*list && *list != c)
        list = &(*list)->next;
    if (*list)
        *list = c->next;
    c->next = NULL;
}

void call_free(mcp_call *c)
{
    rpc_free(&c->message);
    free(c->progress_token);
    free(c->failure);
    str_free(&c->output);
    str_free(&c->answer);
    free(c);
}

/* Behind the answer, so that the next call of the session comes after it. With the lock. */
static void leave_session(mcp_server *s, mcp_call *c)
{
    handle *h = c->handle;
    if (!h)
        return;

    c->handle = NULL;
    h->calls--;
    h->used_ns = clock_now_ns();
    if (c->stage == CALL_WORKS)
        h->is_busy = 0;
    if (h->is_gone && h->calls == 0)
        handles_remove(&s->handles, h);
    pthread_cond_broadcast(&s->work);
}

/* ---- answers ---- */

void call_send(mcp_call *c, mcp_status status, const char *member, const char *body)
{
    mcp_server *s = c->server;
    str text = { 0 };

    pthread_mutex_lock(&s->lock);
    calls_remove(&s->calls, c);
    const int is_wanted = c->wire.answer != NULL;
    if (!is_wanted) {
        leave_session(s, c);
        asking_keep(c, status, member, body);
    }
    pthread_cond_broadcast(&s->idle);
    pthread_mutex_unlock(&s->lock);
    if (!is_wanted)
        return;

    if (member && rpc_write_answer(&text, c->message.id, member, body))
        str_clear(&text);
    c->wire.answer(c->wire.payload, status, text.len > 0 ? text.data : NULL, text.len);
    str_free(&text);
    pthread_mutex_lock(&s->lock);
    leave_session(s, c);
    pthread_mutex_unlock(&s->lock);
    call_free(c);
}

void call_leave(mcp_call *c, mcp_status status)
{
    call_send(c, status, NULL, NULL);
}

void call_abandon(mcp_call *c)
{
    mcp_server *s = c->server;

    pthread_mutex_lock(&s->lock);
    const int is_ours = c->is_cancelled == CANCELLED_BY_SERVER && c->message.id,
              is_ending = s->is_ending;
    pthread_mutex_unlock(&s->lock);
    if (is_ours)
        call_fail(c, MCP_UNAVAILABLE, MCP_TRY_LATER,
                  is_ending ? MCP_IS_ENDING
                            : "the call was given up: its client's session is closed",
                  NULL);
    else
        call_leave(c, MCP_FINE);
}

void call_fail(mcp_call *c, mcp_status status, int code, const char *message, const char *data)
{
    str text = { 0 };
    if (rpc_write_fault(&text, code, message, data))
        str_clear(&text);
    secrets_hide_str(&text);
    call_send(c, status, text.len > 0 ? "error" : NULL, text.data);
    str_free(&text);
}

void call_result(mcp_call *c, const char *result)
{
    if (call_is_cancelled(c))
        call_abandon(c);
    else if (!result)
        call_fail(c, MCP_FINE, RPC_INTERNAL_ERROR, "out of memory for the answer", NULL);
    else
        call_send(c, MCP_FINE, "result", result);
}

int call_begin_result(str *out, const mcp_call *c, long ttl_ms, const char *scope)
{
    if (!c->is_modern)
        return SNUG_OK;

    str_printf(out,
               "\"resultType\":\"complete\",\"_meta\":{\"" MCP_META
               "serverInfo\":{\"name\":\"snug\",\"version\":\"%s\"}},",
               snug_version());
    if (ttl_ms >= 0)
        str_printf(out, "\"ttlMs\":%ld,\"cacheScope\":\"%s\",", ttl_ms, scope);
    return str_error(out);
}

cancelling call_is_cancelled(mcp_call *c)
{
    pthread_mutex_lock(&c->server->lock);
    const cancelling is_cancelled = c->is_cancelled;
    pthread_mutex_unlock(&c->server->lock);
    return is_cancelled;
}

/* ---- progress ---- */

enum { PROGRESS_BYTES = 4096, PROGRESS_MS = 100 };

static void tell_progress(mcp_call *c)
{
    str params = { 0 }, token = { 0 }, text = { 0 };
    size_t from = 0;

    if (c->output.len > PROGRESS_BYTES)
        from = utf8_ceil(c->output.data, c->output.len, c->output.len - PROGRESS_BYTES);
    str_printf(&params, ",\"progress\":%llu,\"message\":", (unsigned long long)++c->progress);
    jsontext_quote(&params, c->output.data + from, c->output.len - from);
    str_add(&params, "}");
    /* With the lock: another request may come to wait for the cell, with a wire and a token of its
     * own. */
    pthread_mutex_lock(&c->server->lock);
    if (c->progress_token && c->wire.tell) {
        str_printf(&token, "{\"progressToken\":%s", c->progress_token);
        str_add_str(&token, &params);
        if (!str_error(&token) &&
            !rpc_write_notification(&text, "notifications/progress", token.data))
            c->wire.tell(c->wire.payload, text.data, text.len);
    }
    pthread_mutex_unlock(&c->server->lock);
    str_free(&params);
    str_free(&token);
    str_free(&text);
    str_clear(&c->output);
}

void call_progress(mcp_call *c, const char *text, size_t len)
{
    pthread_mutex_lock(&c->server->lock);
    const int is_heard = c->progress_token && !c->is_cancelled;
    pthread_mutex_unlock(&c->server->lock);
    if (!is_heard)
        return;
    if (c->output.len > 2 * (size_t)PROGRESS_BYTES)
        str_clear(&c->output);
    if (str_append(&c->output, text, len))
        return;

    const uint64_t now = clock_now_ns();
    if (now - c->told_ns < PROGRESS_MS * NS_PER_MS)
        return;
    c->told_ns = now;
    tell_progress(c);
}
