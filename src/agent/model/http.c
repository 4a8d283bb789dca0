#include "agent/model/http.h"

#include <snug/snug.h>

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "fetch/exchange.h"

#define TEXT_OF(x) #x
#define DIGITS(x)  TEXT_OF(x)
#define USER_AGENT \
    "snug/" DIGITS(SNUG_VERSION_MAJOR) "." DIGITS(SNUG_VERSION_MINOR) "." DIGITS(SNUG_VERSION_PATCH)

/* How long the end of a connection is waited for after enough was read, so that the connection
 * can be used again. */
enum { LINGER_MS = 200 };

struct http {
    exchanges *exchanges;
    atomic_int is_cancelled;
};

/* One request. */
typedef struct post {
    const http_request *request;
    http_reply *reply;
    uint64_t begun_ns, connected_ns, last_ns; /* 0: not yet */
    uint64_t enough_ns;                       /* when on_data had enough; 0: not yet */
    int is_flowing, is_given_up;              /* on_data has said so */
    int is_done, has_no_memory;
} post;

/* ---- what comes ---- */

static int copy_header(str *out, const str *value)
{
    str_clear(out);
    return str_add_str(out, value);
}

static void take_head(post *p, const exchange_head *head)
{
    http_reply *reply = p->reply;

    reply->status = head->status;
    p->connected_ns = head->connected_ns;
    p->has_no_memory |= copy_header(&reply->content_type, &head->content_type) ||
                        copy_header(&reply->retry_after, &head->retry_after) ||
                        copy_header(&reply->retry_after_ms, &head->retry_after_ms) ||
                        copy_header(&reply->location, &head->location);
}

static void take_piece(void *payload, void *tag, const exchange_head *head, const char *data,
                       size_t len)
{
    post *p = tag;
    int answer = HTTP_GO_ON;

    (void)payload;
    take_head(p, head);
    if (!p->enough_ns && !p->is_given_up && !p->has_no_memory)
        answer = p->request->on_data(p->request->payload, p->reply, data, len);
    p->last_ns = clock_now_ns();
    p->is_flowing |= answer == HTTP_FLOWS;
    if (answer == HTTP_ENOUGH)
        p->enough_ns = p->last_ns;
    else if (answer != HTTP_GO_ON && answer != HTTP_FLOWS)
        p->is_given_up = 1;
}

static http_fault fault_of(const post *p, exchange_end end)
{
    if (end == EXCHANGE_WHOLE || p->enough_ns)
        return HTTP_FINE;
    if (end == EXCHANGE_TOO_LARGE)
        return HTTP_TOO_LARGE;
    if (end == EXCHANGE_NOT_TRUSTED)
        return HTTP_NOT_TRUSTED;
    return p->connected_ns ? HTTP_BROKEN : HTTP_NOT_CONNECTED;
}

static void take_end(void *payload, void *tag, const exchange_head *head, const char *why)
{
    post *p = tag;
    http_reply *reply = p->reply;

    (void)payload;
    take_head(p, head);
    p->is_done = 1;
    reply->fault = fault_of(p, head->end);
    p->has_no_memory |= head->end == EXCHANGE_NO_MEMORY;
    if (reply->fault && reply->fault != HTTP_TOO_LARGE)
        p->has_no_memory |= str_add(&reply->problem, why) != SNUG_OK;
}

/* ---- opening ---- */

int http_open(http **out)
{
    const exchange_watch watch = { NULL, take_piece, take_end };
    http *h = calloc(1, sizeof *h);

    if (!h)
        return error_no_memory();
    const int error = exchanges_open(&h->exchanges, &watch);
    if (error)
        free(h);
    else
        *out = h;
    return error;
}

void http_close(http *h)
{
    if (h)
        exchanges_close(h->exchanges);
    free(h);
}

void http_cancel(http *h)
{
    atomic_store(&h->is_cancelled, 1);
    exchanges_wake(h->exchanges);
}

void http_resume(http *h)
{
    atomic_store(&h->is_cancelled, 0);
}

int http_is_cancelled(http *h)
{
    return atomic_load(&h->is_cancelled);
}

void http_reply_free(http_reply *reply)
{
    str_free(&reply->problem);
    str_free(&reply->content_type);
    str_free(&reply->retry_after);
    str_free(&reply->retry_after_ms);
    str_free(&reply->location);
    *reply = (http_reply){ 0 };
}

/* ---- waiting ---- */

static int poll_ms(uint64_t now_ns, uint64_t until_ns)
{
    const uint64_t ms = until_ns <= now_ns ? 0 : (until_ns - now_ns - 1) / NS_PER_MS + 1;

    return ms < INT_MAX ? (int)ms : INT_MAX;
}

int http_wait(http *h, uint64_t until_ns)
{
    for (;;) {
        uint64_t now = clock_now_ns();
        if (http_is_cancelled(h))
            return 1;
        if (now >= until_ns)
            return 0;
        exchanges_wait(h->exchanges, poll_ms(now, until_ns));
    }
}

static uint64_t limit_ns(uint64_t from_ns, uint64_t ms)
{
    if (ms == 0)
        return UINT64_MAX;
    return clock_deadline_ns(from_ns, ms);
}

/* When there was silence for too long, before what is waited for has begun. */
static uint64_t first_limit_ns(const post *p)
{
    if (!p->connected_ns || p->is_flowing || (p->last_ns && p->request->first_ms == 0))
        return UINT64_MAX;
    return limit_ns(p->last_ns ? p->last_ns : p->connected_ns, p->request->first_ms);
}

/* The same, between two pieces of it. */
static uint64_t idle_limit_ns(const post *p)
{
    if (!p->last_ns || (!p->is_flowing && p->request->first_ms > 0))
        return UINT64_MAX;
    return limit_ns(p->last_ns, p->request->idle_ms);
}

/* Which limit comes first, and when. */
static http_fault next_limit(const post *p, uint64_t *at_ns)
{
    const http_request *request = p->request;

    const struct {
        http_fault fault;
        uint64_t at_ns;
    } limits[] = {
        { HTTP_PAST_DEADLINE, request->deadline_ns },
        { HTTP_SLOW, limit_ns(p->begun_ns, request->total_ms) },
        { HTTP_SLOW_CONNECT,
          p->connected_ns ? UINT64_MAX : limit_ns(p->begun_ns, request->connect_ms) },
        { HTTP_SLOW_FIRST, first_limit_ns(p) },
        { HTTP_IDLE, idle_limit_ns(p) },
        { HTTP_FINE, p->enough_ns ? limit_ns(p->enough_ns, LINGER_MS) : UINT64_MAX },
    };
    size_t first = 0;
    for (size_t i = 1; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].at_ns < limits[first].at_ns)
            first = i;

    *at_ns = limits[first].at_ns;
    return limits[first].fault;
}

/* ---- one post ---- */

/* Until the reply is whole or something ends it. */
static int transfer(post *p, http *h)
{
    http_reply *reply = p->reply;

    for (;;) {
        uint64_t limit_at;
        exchanges_turn(h->exchanges, 0);
        const exchange_head *head = exchanges_head(h->exchanges, p);
        if (head)
            take_head(p, head);
        if (p->has_no_memory)
            return SNUG_ENOMEM;

        const http_fault fault = next_limit(p, &limit_at);
        const uint64_t now = clock_now_ns();
        if (p->is_given_up)
            reply->fault = HTTP_GIVEN_UP;
        else if (http_is_cancelled(h))
            reply->fault = HTTP_CANCELLED;
        else if (!p->is_done && now >= limit_at)
            reply->fault = fault;
        else if (!p->is_done) {
            exchanges_wait(h->exchanges, poll_ms(now, limit_at));
            continue;
        }
        return SNUG_OK;
    }
}

enum { MOST_LINES = 3 }; /* besides further ones */

static str line_of(const char *text)
{
    return (str){ (char *)(uintptr_t)text, strlen(text), 0 };
}

static int begin(http *h, post *p, int is_get)
{
    const http_request *request = p->request;
    size_t count = 0, more = 0;

    while (request->headers && request->headers[more])
        more++;
    str *lines = calloc(MOST_LINES + more, sizeof *lines); /* of which none is its own */
    if (!lines)
        return SNUG_ENOMEM;
    lines[count++] = line_of("Content-Type: application/json");
    if (request->key_header)
        lines[count++] = line_of(request->key_header);
    if (request->other_header)
        lines[count++] = line_of(request->other_header);
    for (size_t i = 0; i < more; i++)
        lines[count++] = line_of(request->headers[i]);

    const exchange_request made = {
        .method = is_get ? "GET" : "POST",
        .url = request->url,
        .lines = lines,
        .line_count = count,
        .body = is_get ? NULL : request->body,
        .body_len = request->body_len,
        .is_repeated = 1,
        .is_direct = request->is_direct,
        .agent = USER_AGENT,
        /* Later than next_limit finds it, which knows what to say. */
        .connect_ms = request->connect_ms > 0 && request->connect_ms < INT_MAX - 1000
                          ? request->connect_ms + 1000
                          : INT_MAX,
        .most_bytes = request->most_bytes,
    };
    const int error = exchanges_begin(h->exchanges, &made, p);
    free(lines);
    return error;
}

static int ask(http_reply *out, http *h, const http_request *request, int is_get)
{
    post p = { .request = request, .reply = out, .begun_ns = clock_now_ns() };

    *out = (http_reply){ 0 };
    int error = begin(h, &p, is_get);
    if (!error)
        error = transfer(&p, h);
    exchanges_drop(h->exchanges, &p);
    exchanges_turn(h->exchanges, 0);
    if (error)
        http_reply_free(out);
    return error;
}

int http_post(http_reply *out, http *h, const http_request *request)
{
    return ask(out, h, request, 0);
}

int http_get(http_reply *out, http *h, const http_request *request)
{
    return ask(out, h, request, 1);
}

int http_collect(void *payload, const http_reply *reply, const char *data, size_t len)
{
    (void)reply;
    return str_append(payload, data, len) ? -1 : HTTP_GO_ON;
}
