/* Calls, threads that answer them, who speaks, and what is cancelled. */
#include "cli/mcp/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/mcp/tokens.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"

enum { STACK_BYTES = 1 << 20, TICK_MS = 50, DRAIN_MS = 5000 };

/* ---- the end of a call ---- */

static void remove_call(mcp_server *s, mcp_call *c)
{
    mcp_call **at = &s->calls;
    while (*at && *at != c)
        at = &(*at)->next;
    if (*at)
        *at = c->next;
}

void call_free(mcp_call *c)
{
    if (c->peer)
        mcp_peer_release(c->server, c->peer);
    rpc_free(&c->message);
    free(c->progress_token);
    str_free(&c->output);
    free(c);
}

/* After the answer, so that the next call of the session comes later. With the lock. */
static void leave_session(mcp_server *s, mcp_call *c)
{
    handle *h = c->handle;
    if (!h)
        return;

    c->handle = NULL;
    h->calls--;
    h->used_ns = clock_now_ns();
    if (c->works)
        h->is_busy = 0;
    if (h->is_gone && h->calls == 0)
        handles_remove(&s->handles, h);
    pthread_cond_broadcast(&s->work);
}

void call_send(mcp_call *c, mcp_status status, const char *member, const char *body)
{
    mcp_server *s = c->server;
    str text = { 0 };

    pthread_mutex_lock(&s->lock);
    remove_call(s, c);
    pthread_cond_broadcast(&s->idle);
    pthread_mutex_unlock(&s->lock);
    if (member && rpc_write_answer(&text, c->message.id, member, body))
        str_clear(&text);
    /* Where no request waits for the cell, nobody hears of it. */
    if (c->wire.answer)
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
    str rest = { 0 }, params = { 0 }, text = { 0 };
    size_t from = 0;

    if (c->output.len > PROGRESS_BYTES)
        from = utf8_ceil(c->output.data, c->output.len, c->output.len - PROGRESS_BYTES);
    str_printf(&rest, ",\"progress\":%llu,\"message\":", (unsigned long long)++c->progress);
    jsontext_quote(&rest, c->output.data + from, c->output.len - from);
    str_add(&rest, "}");
    /* With the lock: another request may come to wait for the cell, with a wire and a token of its
     * own. */
    pthread_mutex_lock(&c->server->lock);
    if (c->progress_token && c->wire.tell) {
        str_printf(&params, "{\"progressToken\":%s", c->progress_token);
        str_add_str(&params, &rest);
        if (!str_error(&params) &&
            !rpc_write_notification(&text, "notifications/progress", params.data))
            c->wire.tell(c->wire.payload, text.data, text.len);
    }
    pthread_mutex_unlock(&c->server->lock);
    str_free(&rest);
    str_free(&params);
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

/* ---- cancelling ---- */

/* With the lock, which the call needs before its session can have another cell: so no other one is
 * met. A cell that is just beginning may not be there yet: the clock asks again. */
static void interrupt_call(mcp_server *s, const mcp_call *c)
{
    if (c->is_running && c->handle)
        snug_supervisor_interrupt(s->supervisor, c->handle->principal, c->handle->name);
}

/* The next one for which nothing was begun and that came until then, of all or of those that are
 * cancelled; off the list. With the lock. */
static mcp_call *take_waiting(mcp_server *s, uint64_t until_ns, int only_cancelled)
{
    for (mcp_call *c = s->calls; c; c = c->next)
        if (!c->works && c->since_ns <= until_ns && (c->is_cancelled || !only_cancelled)) {
            s->waiting--;
            remove_call(s, c);
            return c;
        }
    return NULL;
}

/* Of one peer, wire or id, where these are given, or of all. Those that wait are dropped; the clock
 * interrupts the others. */
static void cancel_calls(mcp_server *s, cancelling how, const mcp_peer *peer, const void *payload,
                         const char *id)
{
    mcp_call *c;

    pthread_mutex_lock(&s->lock);
    for (c = s->calls; c; c = c->next)
        if (!c->is_cancelled && (!peer || c->peer == peer) &&
            (!payload || c->wire.payload == payload) &&
            (!id || (c->message.id && !strcmp(c->message.id, id))))
            c->is_cancelled = how;
    while ((c = take_waiting(s, UINT64_MAX, 1))) {
        pthread_mutex_unlock(&s->lock);
        call_abandon(c);
        pthread_mutex_lock(&s->lock);
    }
    pthread_cond_broadcast(&s->tick);
    pthread_mutex_unlock(&s->lock);
}

void mcp_server_hang_up(mcp_server *s, const void *payload)
{
    cancel_calls(s, CANCELLED_BY_CLIENT, NULL, payload, NULL);
}

void server_cancel(mcp_server *s, const mcp_peer *peer, const char *id)
{
    cancel_calls(s, CANCELLED_BY_CLIENT, peer, NULL, id);
}

int server_has_call(mcp_server *s, const mcp_peer *peer, const char *id)
{
    for (const mcp_call *c = s->calls; c; c = c->next)
        if (c->peer == peer && c->message.id && !strcmp(c->message.id, id))
            return 1;
    return 0;
}

/* ---- peers ---- */

uint64_t server_share(const mcp_server *s, uint64_t places)
{
    const uint64_t others = s->tokens->names > 0 ? s->tokens->names - 1 : 0;
    const uint64_t percent = s->limits.share_percent < 100 ? s->limits.share_percent : 100;
    uint64_t share = places / 100 * percent + places % 100 * percent / 100;

    if (others == 0)
        return places;
    if (places > others && share > places - others)
        share = places - others;
    return share > 0 ? share : 1;
}

/* The one of that name; NULL: no memory. With the lock. */
static mcp_principal *find_principal(mcp_server *s, const char *name)
{
    const size_t size = strlen(name) + 1;
    mcp_principal *one = s->principals;

    while (one && strcmp(one->name, name) != 0)
        one = one->next;
    if (!one && (one = calloc(1, sizeof *one + size))) {
        memcpy(one->name, name, size);
        one->next = s->principals;
        s->principals = one;
    }
    return one;
}

int mcp_peer_open(mcp_peer **out, mcp_server *s, const char *principal)
{
    mcp_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return error_no_memory();
    pthread_mutex_lock(&s->lock);
    peer->principal = find_principal(s, principal);
    pthread_mutex_unlock(&s->lock);
    if (!peer->principal) {
        free(peer);
        return error_no_memory();
    }
    peer->uses = 1;
    *out = peer;
    return SNUG_OK;
}

int mcp_peer_is_busy(mcp_server *s, const mcp_peer *peer)
{
    pthread_mutex_lock(&s->lock);
    const int is_busy = peer->uses > 1;
    pthread_mutex_unlock(&s->lock);
    return is_busy;
}

void mcp_peer_hold(mcp_server *s, mcp_peer *peer)
{
    pthread_mutex_lock(&s->lock);
    peer->uses++;
    pthread_mutex_unlock(&s->lock);
}

void mcp_peer_release(mcp_server *s, mcp_peer *peer)
{
    pthread_mutex_lock(&s->lock);
    const unsigned left = --peer->uses;
    pthread_mutex_unlock(&s->lock);
    if (left == 0)
        free(peer);
}

void mcp_peer_close(mcp_server *s, mcp_peer *peer)
{
    cancel_calls(s, CANCELLED_BY_SERVER, peer, NULL, NULL);
    mcp_peer_release(s, peer);
}

/* ---- threads ---- */

/* Whether it waits for nothing but a thread. */
static int is_ready(const mcp_call *c)
{
    return !c->works && !c->is_cancelled && (!c->handle || !c->handle->is_busy);
}

/* The first of the principal whose last turn is longest ago. With the lock. */
static mcp_call *next_call(mcp_server *s)
{
    const uint64_t share = server_share(s, s->limits.calls);
    mcp_call *next = NULL;

    for (mcp_call *c = s->calls; c; c = c->next)
        if (is_ready(c) && c->principal->working < share &&
            (!next || c->principal->turn < next->principal->turn))
            next = c;
    return next;
}

static void *serve_calls(void *payload)
{
    mcp_server *s = payload;

    pthread_mutex_lock(&s->lock);
    for (;;) {
        mcp_call *c = next_call(s);
        if (!c && s->is_ending)
            break;
        if (!c) {
            pthread_cond_wait(&s->work, &s->lock);
            continue;
        }

        handle *h = c->handle;
        if (h)
            h->is_busy = 1;
        c->works = 1;
        s->waiting--;
        s->working++;
        mcp_principal *principal = c->principal;
        principal->turn = ++s->turns;
        principal->working++;
        pthread_mutex_unlock(&s->lock);
        c->serve(c, NULL);
        pthread_mutex_lock(&s->lock);
        s->working--;
        principal->working--;
        pthread_cond_broadcast(&s->work);
        pthread_cond_broadcast(&s->idle);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* One more where all are busy. With the lock. */
static void add_thread(mcp_server *s)
{
    if (s->threads >= s->limits.calls || s->working + s->waiting <= s->threads)
        return;
    if (thread_start(&s->pool[s->threads], "snug-mcp", STACK_BYTES, serve_calls, s) == SNUG_OK)
        s->threads++;
}

static size_t count_waiting(const mcp_server *s, const mcp_principal *principal)
{
    size_t count = 0;
    for (const mcp_call *c = s->calls; c; c = c->next)
        count += !c->works && c->principal == principal;
    return count;
}

void call_queue(mcp_call *c)
{
    mcp_server *s = c->server;
    const uint64_t most = s->limits.waiting_calls;
    const char *why = NULL;
    mcp_status status = MCP_BAD;

    pthread_mutex_lock(&s->lock);
    if (s->is_ending) {
        why = MCP_IS_ENDING;
        status = MCP_UNAVAILABLE;
    } else if (s->waiting >= most || count_waiting(s, c->principal) >= server_share(s, most)) {
        why = "too many calls wait for their turn (--waiting-calls, --share); try again later";
        status = MCP_OVER_SHARE;
    } else if (c->message.id && !c->peer->is_alone && server_has_call(s, c->peer, c->message.id)) {
        why = "a request of that id is being answered already; each needs an id of its own";
    }
    if (!why) {
        c->since_ns = clock_now_ns();
        s->waiting++;
        mcp_call **last = &s->calls;
        while (*last)
            last = &(*last)->next;
        *last = c;
        add_thread(s);
        if (s->threads == 0) {
            remove_call(s, c);
            s->waiting--;
            why = "no thread can be started for the call";
            status = MCP_UNAVAILABLE;
        }
        pthread_cond_broadcast(&s->work);
    }
    pthread_mutex_unlock(&s->lock);
    if (why)
        call_fail(c, status, status == MCP_BAD ? RPC_INVALID_REQUEST : MCP_TRY_LATER, why, NULL);
}

/* ---- the clock ---- */

/* With the lock. */
static void interrupt_cancelled(mcp_server *s)
{
    for (const mcp_call *c = s->calls; c; c = c->next)
        if (c->is_cancelled && c->works)
            interrupt_call(s, c);
}

static void *tick_calls(void *payload)
{
    mcp_server *s = payload;

    pthread_mutex_lock(&s->lock);
    while (!s->is_ending || s->working > 0 || s->waiting > 0) {
        const uint64_t now = clock_now_ns();
        const int has_calls_now = s->calls != NULL;
        const uint64_t wait_ns = clock_deadline_ns(0, s->limits.wait_ms);
        mcp_call *late = now > wait_ns ? take_waiting(s, now - wait_ns, 0) : NULL;
        if (late) {
            pthread_mutex_unlock(&s->lock);
            late->serve(late, "the call did not get its turn in time (--wait): other calls of this "
                              "session, or of other clients, take long");
            pthread_mutex_lock(&s->lock);
            continue;
        }
        interrupt_cancelled(s);
        cond_wait_until(&s->tick, &s->lock,
                        has_calls_now || s->is_ending ? clock_deadline_ns(now, TICK_MS)
                                                      : clock_deadline_ns(now, 1000));
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- beginning and end ---- */

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

int mcp_server_start(mcp_server *s)
{
    pthread_mutex_init(&s->lock, NULL);
    init_condition(&s->work);
    init_condition(&s->idle);
    init_condition(&s->tick);
    if (s->limits.calls > 1024)
        s->limits.calls = 1024;
    s->pool = calloc((size_t)s->limits.calls, sizeof *s->pool);
    if (!s->pool)
        return error_no_memory();

    const int error = thread_start(&s->clock, "snug-mcp-clock", STACK_BYTES / 4, tick_calls, s);
    s->has_clock = error == SNUG_OK;
    return error;
}

void mcp_server_stop(mcp_server *s, uint64_t ms)
{
    if (!s->has_clock)
        return;
    const uint64_t deadline = clock_deadline_ns(clock_now_ns(), ms);

    pthread_mutex_lock(&s->lock);
    s->is_ending = 1;
    pthread_cond_broadcast(&s->work);
    for (mcp_call *c; (c = take_waiting(s, UINT64_MAX, 0));) {
        pthread_mutex_unlock(&s->lock);
        call_fail(c, MCP_UNAVAILABLE, MCP_TRY_LATER, MCP_IS_ENDING, NULL);
        pthread_mutex_lock(&s->lock);
    }
    while ((s->working > 0 || s->waiting > 0) && clock_now_ns() < deadline)
        cond_wait_until(&s->idle, &s->lock, deadline);
    pthread_mutex_unlock(&s->lock);
    cancel_calls(s, CANCELLED_BY_SERVER, NULL, NULL, NULL);

    for (size_t i = 0; i < s->threads; i++)
        thread_join(&s->pool[i]);
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->tick);
    pthread_mutex_unlock(&s->lock);
    thread_join(&s->clock);
    s->has_clock = 0;
}

/* They end with the server. Nobody else is at work with it any more. */
static void close_bash(const mcp_server *s)
{
    for (const handle *h = s->handles.first; h; h = h->next)
        if (h->is_bash && !h->is_gone)
            snug_supervisor_remove_session(s->supervisor, h->principal, h->name);
}

void mcp_server_save(mcp_server *s)
{
    close_bash(s);
    s->has_lost = snug_supervisor_drain(s->supervisor, DRAIN_MS) != SNUG_OK;
    if (s->has_lost)
        command_fail(EXIT_FAILED, "%s", snug_error_message());
}

void mcp_server_free(mcp_server *s)
{
    while (s->principals) {
        mcp_principal *principal = s->principals;
        s->principals = principal->next;
        free(principal);
    }
    handles_free(&s->handles);
    free(s->pool);
}
