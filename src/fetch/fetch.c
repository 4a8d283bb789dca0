#include "fetch/fetch.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "fetch/exchange.h"
#include "fetch/request.h"
#include "fetch/url.h"

enum { MOST_REDIRECTS = 5, REPLY_HEADERS = 200, LOOK_MS = 50 };

typedef struct fetch_reply {
    int status;
    fetch_header headers[REPLY_HEADERS]; /* names in lower case */
    size_t header_count;
    str body;
} fetch_reply;

/* A call, hop by hop. */
typedef struct run {
    fetcher *f;
    fetch_request request;
    fetch_url url; /* of this hop, with the secrets of its query */
    str shown;     /* the same without them */
    const fetch_rule *rule;
    str lines[FETCH_HEADERS];
    size_t line_count;
    str body;
    int has_body, is_elsewhere; /* of another origin than the cell named: no secret goes there */
    fetch_reply reply;
    str *why; /* of the hop that is under way */
    int error, is_done;
    int is_kept_out; /* from an address */
    uint64_t deadline_ns;
    int (*is_wanted)(void *payload);
    void *payload;
} run;

static void free_reply(fetch_reply *reply)
{
    for (size_t i = 0; i < reply->header_count; i++) {
        str_free(&reply->headers[i].name);
        str_free(&reply->headers[i].value);
    }
    str_free(&reply->body);
    *reply = (fetch_reply){ 0 };
}

/* The value of the last header of that name; NULL: there is none. */
static const str *header_of(const fetch_reply *reply, const char *name)
{
    for (size_t i = reply->header_count; i > 0; i--)
        if (!strcmp(str_text(&reply->headers[i - 1].name), name))
            return &reply->headers[i - 1].value;
    return NULL;
}

void fetcher_free(fetcher *f)
{
    rules_free(&f->rules);
    placeholders_free(&f->secrets);
}

static void wipe_str(str *s)
{
    if (s->data)
        explicit_bzero(s->data, s->len);
    str_free(s);
}

static void forget_lines(run *r)
{
    for (size_t i = 0; i < r->line_count; i++)
        wipe_str(&r->lines[i]);
    r->line_count = 0;
    wipe_str(&r->body);
}

static void forget_url(run *r)
{
    if (r->url.whole.data)
        explicit_bzero(r->url.whole.data, r->url.whole.len);
    fetch_url_free(&r->url);
}

/* ---- what a hop sends ---- */

/* The URL of the cell: its host is known before its query has secrets. */
static int take_first_url(run *r, str *why)
{
    const str *text = &r->request.url;
    const size_t before = strcspn(str_text(text), "?");
    str bare = { 0 }, filled = { 0 };
    fetch_url named = { 0 };

    int error = str_append(&bare, str_text(text), before);
    if (!error)
        error = fetch_url_read(&named, why, str_text(&bare), NULL);
    if (!error)
        error = str_add_str(&filled, &bare);
    if (!error)
        error = placeholders_fill(&filled, why, &r->f->secrets, str_text(text) + before,
                                  text->len - before, str_text(&named.host), 1);
    if (!error)
        error = fetch_url_read(&r->url, why, filled.data, NULL);
    if (!error)
        error = str_add_str(&r->shown, text);
    if (!error && strcmp(str_text(&r->url.host), str_text(&named.host)) != 0) {
        str_add(why, "the query changes the host");
        error = SNUG_EINVAL;
    }
    wipe_str(&filled);
    str_free(&bare);
    fetch_url_free(&named);
    return error;
}

/* What says who asks stays where it was meant for. */
static int is_left_out(const run *r, const fetch_header *header)
{
    static const char *const personal[] = { "authorization", "cookie", "cookie2",
                                            "www-authenticate" };
    static const char *const of_body[] = { "content-type", "content-encoding", "content-language",
                                           "content-location" };
    const char *name = str_text(&header->name);

    for (size_t i = 0; !r->has_body && i < sizeof of_body / sizeof *of_body; i++)
        if (!strcasecmp(of_body[i], name))
            return 1;
    if (!r->is_elsewhere)
        return 0;
    for (size_t i = 0; i < sizeof personal / sizeof *personal; i++)
        if (!strcasecmp(personal[i], name))
            return 1;
    return placeholders_are_in(&r->f->secrets, str_text(&header->value), header->value.len);
}

static int fill_header(run *r, str *why, const fetch_header *header)
{
    str *line = &r->lines[r->line_count++];

    /* Without a value libcurl takes a line with a semicolon. */
    *line = (str){ 0 };
    int error = str_printf(line, header->value.len > 0 ? "%s: " : "%s;", str_text(&header->name));
    if (error)
        return error;
    return placeholders_fill(line, why, &r->f->secrets, str_text(&header->value), header->value.len,
                             str_text(&r->url.host), 0);
}

static int fill(run *r, str *why)
{
    const str *body = &r->request.body;
    int error = SNUG_OK;

    forget_lines(r);
    for (size_t i = 0; i < r->request.header_count && !error; i++)
        if (!is_left_out(r, &r->request.headers[i]))
            error = fill_header(r, why, &r->request.headers[i]);
    if (error || !r->has_body)
        return error;
    if (r->is_elsewhere && placeholders_are_in(&r->f->secrets, str_text(body), body->len)) {
        str_printf(why, "a redirect would take the secrets of the body to %s",
                   str_text(&r->url.host));
        return SNUG_EPOLICY;
    }
    return placeholders_fill(&r->body, why, &r->f->secrets, str_text(body), body->len,
                             str_text(&r->url.host), 0);
}

/* ---- what comes of a hop ---- */

static int is_allowed(void *payload, const struct sockaddr *address)
{
    run *r = payload;
    const int is_fine = rule_allows_address(r->rule, address);

    r->is_kept_out |= !is_fine;
    return is_fine;
}

static int keep_header(fetch_reply *reply, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len), *value;
    size_t value_len;

    if (!colon || reply->header_count == REPLY_HEADERS)
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
    fetch_reply *reply = &((run *)payload)->reply;

    if (len > 5 && !strncasecmp(line, "HTTP/", 5))
        free_reply(reply); /* of a reply before the final one */
    else if (keep_header(reply, line, len))
        return EXCHANGE_NO_MEMORY;
    return EXCHANGE_WHOLE;
}

static void take_piece(void *payload, void *tag, const exchange_head *head, const char *data,
                       size_t len)
{
    run *r = payload;

    (void)tag, (void)head;
    if (str_append(&r->reply.body, data, len))
        r->error = SNUG_ENOMEM;
}

static int fail(str *why, const char *sentence)
{
    return str_add(why, sentence) ? SNUG_ENOMEM : SNUG_ESYSTEM;
}

static int fail_transfer(const run *r, exchange_end end, const char *why)
{
    if (end == EXCHANGE_NO_MEMORY)
        return SNUG_ENOMEM;
    if (end == EXCHANGE_LARGE_HEAD)
        return fail(r->why, why);
    if (end == EXCHANGE_TOO_LARGE)
        str_printf(r->why, "the reply has more than %llu bytes",
                   (unsigned long long)r->f->body_bytes);
    else if (r->is_kept_out)
        str_printf(r->why, "%s is at an address that may not be asked: private, or this machine's",
                   str_text(&r->url.host));
    else
        str_printf(r->why, "%s could not be asked: %s", str_text(&r->url.host), why);
    return SNUG_ESYSTEM;
}

static void take_end(void *payload, void *tag, const exchange_head *head, const char *why)
{
    run *r = payload;

    (void)tag;
    r->is_done = 1;
    r->reply.status = head->status;
    if (head->end && !r->error)
        r->error = fail_transfer(r, head->end, why);
}

/* ---- a hop ---- */

static int wait_for_reply(run *r, exchanges *e)
{
    for (;;) {
        exchanges_turn(e, LOOK_MS);
        if (r->error || r->is_done)
            return r->error;
        if (!r->is_wanted(r->payload))
            return fail(r->why, "nobody waits for it any more");
        if (clock_now_ns() >= r->deadline_ns)
            return fail(r->why, "the reply did not come in time");
    }
}

/* A name that has its address in the rule is not looked up. */
static int write_address(str *out, const run *r)
{
    const char *address = r->rule->pinned;

    if (!address)
        return SNUG_OK;
    return str_printf(out, strchr(address, ':') ? "%s:%u:[%s]" : "%s:%u:%s", str_text(&r->url.host),
                      r->url.port, address);
}

/* SNUG_OK with any status; else *why may quote what the server said. */
static int ask_server(run *r)
{
    const exchange_watch watch = { r, take_piece, take_end };
    exchanges *e = NULL;
    str address = { 0 };

    int error = write_address(&address, r);
    if (!error && exchanges_open(&e, &watch))
        error = SNUG_ENOMEM;
    const exchange_request made = { .method = r->request.method,
                                    .url = str_text(&r->url.whole),
                                    .lines = r->lines,
                                    .line_count = r->line_count,
                                    .body = r->has_body ? str_text(&r->body) : NULL,
                                    .body_len = r->body.len,
                                    .is_repeated = 1,
                                    .is_direct = 1,
                                    .is_packed = 1,
                                    .connect_ms = INT_MAX,
                                    .most_bytes = r->f->body_bytes,
                                    .resolved = address.data,
                                    .payload = r,
                                    .is_allowed = is_allowed,
                                    .on_line = take_line };
    if (!error)
        error = exchanges_begin(e, &made, r);
    if (!error)
        error = wait_for_reply(r, e);
    exchanges_close(e);
    str_free(&address);
    return error;
}

static int make_hop(run *r, str *why)
{
    const fetch_target target = { str_text(&r->url.scheme), str_text(&r->url.host),
                                  r->request.method, r->url.port };
    r->rule = rules_find(&r->f->rules, &target, why);
    if (!r->rule)
        return SNUG_EPOLICY;
    int error = fill(r, why);
    if (error)
        return error;

    free_reply(&r->reply);
    r->why = why;
    r->error = r->is_done = r->is_kept_out = 0;
    return ask_server(r);
}

/* ---- redirects ---- */

static int is_redirect(const fetch_reply *reply)
{
    const int s = reply->status;
    return (s == 301 || s == 302 || s == 303 || s == 307 || s == 308) &&
           header_of(reply, "location") != NULL;
}

static void change_method(run *r)
{
    const int s = r->reply.status;
    const int is_post = !strcmp(r->request.method, "POST");
    const int becomes_get =
        s == 303 ? strcmp(r->request.method, "HEAD") != 0 : (s == 301 || s == 302) && is_post;
    if (!becomes_get)
        return;
    strcpy(r->request.method, "GET");
    r->has_body = 0;
}

static int go_on(run *r, str *why)
{
    const str *location = header_of(&r->reply, "location");
    fetch_url next = { 0 };
    str problem = { 0 };

    if (strlen(str_text(location)) != location->len) {
        str_add(why, "the redirect has a NUL byte");
        return SNUG_EINVAL;
    }
    int error = fetch_url_read(&next, &problem, str_text(location), str_text(&r->url.whole));
    if (error) {
        fetch_url_free(&next);
        str_printf(why, "the redirect from %s cannot be followed: %s", str_text(&r->url.host),
                   str_text(&problem));
        str_free(&problem);
        return error;
    }

    r->is_elsewhere |= strcmp(str_text(&next.scheme), str_text(&r->url.scheme)) != 0 ||
                       strcmp(str_text(&next.host), str_text(&r->url.host)) != 0 ||
                       next.port != r->url.port;
    forget_url(r);
    r->url = next;
    str_clear(&r->shown);
    error = str_add_str(&r->shown, &r->url.whole);
    if (!error)
        error = placeholders_hide(&r->f->secrets, &r->shown);
    change_method(r);
    return error;
}

static int follow(run *r, str *why)
{
    int error = make_hop(r, why);

    for (int hops = 0; !error && is_redirect(&r->reply); hops++) {
        if (hops == MOST_REDIRECTS) {
            str_add(why, "there are more than 5 redirects");
            return SNUG_ESYSTEM;
        }
        error = go_on(r, why);
        if (!error)
            error = make_hop(r, why);
    }
    return error;
}

/* ---- the answer ---- */

static int add_member(str *out, const char *name, const str *text)
{
    int error = str_printf(out, ", \"%s\": ", name);
    return error ? error : jsontext_quote(out, str_text(text), text->len);
}

/* Where a name stands twice, its values are one, with commas. */
static int add_headers(str *out, const fetch_reply *reply)
{
    int error = str_add(out, ", \"headers\": {");
    size_t shown = 0;

    for (size_t i = 0; i < reply->header_count && !error; i++) {
        const str *name = &reply->headers[i].name;
        str value = { 0 };
        size_t before = 0;
        while (before < i && strcmp(str_text(&reply->headers[before].name), str_text(name)) != 0)
            before++;
        if (before < i)
            continue;
        for (size_t k = i; k < reply->header_count && !error; k++)
            if (!strcmp(str_text(&reply->headers[k].name), str_text(name))) {
                error = k > i ? str_add(&value, ", ") : SNUG_OK;
                if (!error)
                    error = str_add_str(&value, &reply->headers[k].value);
            }
        if (!error && shown++ > 0)
            error = str_add(out, ", ");
        if (!error)
            error = jsontext_quote(out, str_text(name), name->len);
        if (!error)
            error = str_add(out, ": ");
        if (!error)
            error = jsontext_quote(out, str_text(&value), value.len);
        str_free(&value);
    }
    return error ? error : str_add(out, "}");
}

static int add_body(str *out, const fetch_reply *reply)
{
    const str *type = header_of(reply, "content-type"), *body = &reply->body;
    size_t at;
    str coded = { 0 };
    int error;

    if (utf8_check(str_text(body), body->len, &at) != UTF8_FINE) {
        error = base64_append(&coded, body->data, body->len);
        if (!error)
            error = str_add(out, ", \"text\": null, \"json\": null");
        if (!error)
            error = add_member(out, "base64", &coded);
        str_free(&coded);
        return error;
    }

    const int is_json = type && strcasestr(str_text(type), "json") && body->len > 0 &&
                        jsontext_check(str_text(body), body->len, &at) == NULL;
    error = add_member(out, "text", body);
    if (!error)
        error = str_add(out, ", \"base64\": null, \"json\": ");
    if (!error)
        error = is_json ? str_add_str(out, body) : str_add(out, "null");
    return error;
}

static int hide_secrets(run *r)
{
    int error = placeholders_hide(&r->f->secrets, &r->reply.body);

    for (size_t i = 0; i < r->reply.header_count && !error; i++) {
        error = placeholders_hide(&r->f->secrets, &r->reply.headers[i].value);
        if (!error)
            error = placeholders_hide(&r->f->secrets, &r->reply.headers[i].name);
    }
    return error;
}

static int write_answer(str *out, run *r)
{
    int error = hide_secrets(r);

    if (!error)
        error = str_printf(out, "{\"status\": %d, \"ok\": %s", r->reply.status,
                           r->reply.status >= 200 && r->reply.status < 300 ? "true" : "false");
    if (!error)
        error = add_member(out, "url", &r->shown);
    if (!error)
        error = add_headers(out, &r->reply);
    if (!error)
        error = add_body(out, &r->reply);
    return error ? error : str_add(out, "}");
}

/* ---- the call ---- */

static int is_over(fetcher *f, str *why)
{
    if (f->calls == UINT64_MAX || atomic_fetch_add(&f->made, 1) < f->calls)
        return 0;
    str_printf(why, "%llu calls of fetch were made, as many as there may be",
               (unsigned long long)f->calls);
    return 1;
}

static int fetch_into(str *answer, str *why, run *r, const char *arguments, size_t len)
{
    if (is_over(r->f, why))
        return SNUG_EPOLICY;
    int error = fetch_request_read(&r->request, why, &r->f->secrets, arguments, len);
    r->has_body = r->request.has_body;
    if (!error)
        error = take_first_url(r, why);
    if (!error)
        error = follow(r, why);
    return error ? error : write_answer(answer, r);
}

int fetch_run(str *answer, fetcher *f, const char *arguments, size_t len,
              int (*is_wanted)(void *payload), void *payload)
{
    run r = { .f = f, .is_wanted = is_wanted, .payload = payload };
    str why = { 0 };

    r.deadline_ns = f->total_ms == 0 ? UINT64_MAX : clock_deadline_ns(clock_now_ns(), f->total_ms);
    int error = fetch_into(answer, &why, &r, arguments, len);
    if (error) {
        str_clear(answer);
        placeholders_hide(&f->secrets, &why);
        str_printf(answer, "fetch: %s", why.len > 0 ? why.data : "out of memory");
    }
    forget_lines(&r);
    forget_url(&r);
    str_free(&r.shown);
    free_reply(&r.reply);
    fetch_request_free(&r.request);
    str_free(&why);
    return error;
}
