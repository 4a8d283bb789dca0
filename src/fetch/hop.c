#include "fetch/hop.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "fetch/exchange.h"

enum { LOOK_MS = 50 };

typedef struct hop {
    const hop_request *request;
    hop_reply *reply;
    str *why;
    int error, is_done;
    int is_kept_out; /* from an address */
} hop;

void hop_reply_free(hop_reply *reply)
{
    for (size_t i = 0; i < reply->header_count; i++) {
        str_free(&reply->headers[i].name);
        str_free(&reply->headers[i].value);
    }
    str_free(&reply->body);
    *reply = (hop_reply){ 0 };
}

const str *hop_header(const hop_reply *reply, const char *name)
{
    for (size_t i = reply->header_count; i > 0; i--)
        if (!strcmp(str_text(&reply->headers[i - 1].name), name))
            return &reply->headers[i - 1].value;
    return NULL;
}

/* ---- what comes ---- */

static int is_allowed(void *payload, const struct sockaddr *address)
{
    hop *h = payload;
    const int is_fine = rule_allows_address(h->request->rule, address);

    h->is_kept_out |= !is_fine;
    return is_fine;
}

static int add_header(hop_reply *reply, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len), *value;
    size_t value_len;

    if (!colon || reply->header_count == HOP_HEADERS)
        return SNUG_OK;
    fetch_header *header = &reply->headers[reply->header_count++];
    *header = (fetch_header){ 0 };
    int error = str_append(&header->name, line, (size_t)(colon - line));
    if (!error && exchange_value(&value, &value_len, str_text(&header->name), line, len))
        error = str_append(&header->value, value, value_len);
    for (size_t i = 0; !error && i < header->name.len; i++)
        header->name.data[i] = to_lower(header->name.data[i]);
    return error;
}

static exchange_end take_line(void *payload, const char *line, size_t len)
{
    hop_reply *reply = ((hop *)payload)->reply;

    if (len > 5 && !strncasecmp(line, "HTTP/", 5))
        hop_reply_free(reply); /* of a reply before the final one */
    else if (add_header(reply, line, len))
        return EXCHANGE_NO_MEMORY;
    return EXCHANGE_WHOLE;
}

static void take_piece(void *payload, void *tag, const exchange_head *head, const char *data,
                       size_t len)
{
    hop *h = payload;

    (void)tag, (void)head;
    if (str_append(&h->reply->body, data, len))
        h->error = SNUG_ENOMEM;
}

static int fail(str *why, const char *sentence)
{
    return str_add(why, sentence) ? SNUG_ENOMEM : SNUG_ESYSTEM;
}

static int fail_transfer(const hop *h, exchange_end end, const char *why)
{
    const hop_request *r = h->request;

    if (end == EXCHANGE_NO_MEMORY)
        return SNUG_ENOMEM;
    if (end == EXCHANGE_LARGE_HEAD)
        return fail(h->why, why);
    if (end == EXCHANGE_TOO_LARGE)
        str_printf(h->why, "the reply has more than %llu bytes", (unsigned long long)r->most_bytes);
    else if (h->is_kept_out)
        str_printf(h->why, "%s is at an address that may not be asked: private, or this machine's",
                   r->host);
    else
        str_printf(h->why, "%s could not be asked: %s", r->host, why);
    return SNUG_ESYSTEM;
}

static void take_end(void *payload, void *tag, const exchange_head *head, const char *why)
{
    hop *h = payload;

    (void)tag;
    h->is_done = 1;
    h->reply->status = head->status;
    if (head->end && !h->error)
        h->error = fail_transfer(h, head->end, why);
}

/* ---- the request ---- */

static int wait_for_reply(hop *h, exchanges *e)
{
    const hop_request *r = h->request;

    for (;;) {
        exchanges_turn(e, LOOK_MS);
        if (h->error || h->is_done)
            return h->error;
        if (!r->is_wanted(r->payload))
            return fail(h->why, "nobody waits for it any more");
        if (clock_now_ns() >= r->deadline_ns)
            return fail(h->why, "the reply did not come in time");
    }
}

/* A name that has its address in the rule is not looked up. */
static int write_address(str *out, const hop_request *r)
{
    const char *address = r->rule->pinned;

    if (!address)
        return SNUG_OK;
    return str_printf(out, strchr(address, ':') ? "%s:%u:[%s]" : "%s:%u:%s", r->host, r->port,
                      address);
}

int hop_make(hop_reply *out, str *why, const hop_request *request)
{
    hop h = { .request = request, .reply = out, .why = why };
    const exchange_watch watch = { &h, take_piece, take_end };
    exchanges *e = NULL;
    str address = { 0 };

    *out = (hop_reply){ 0 };
    int error = write_address(&address, request);
    if (!error && exchanges_open(&e, &watch))
        error = SNUG_ENOMEM;
    const exchange_request made = { .method = request->method,
                                    .url = request->url,
                                    .lines = request->lines,
                                    .line_count = request->line_count,
                                    .body = request->body ? str_text(request->body) : NULL,
                                    .body_len = request->body ? request->body->len : 0,
                                    .is_repeated = 1,
                                    .is_direct = 1,
                                    .is_packed = 1,
                                    .connect_ms = INT_MAX,
                                    .most_bytes = request->most_bytes,
                                    .resolved = address.data,
                                    .payload = &h,
                                    .is_allowed = is_allowed,
                                    .on_line = take_line };
    if (!error)
        error = exchanges_begin(e, &made, &h);
    if (!error)
        error = wait_for_reply(&h, e);
    exchanges_close(e);
    str_free(&address);
    return error;
}
