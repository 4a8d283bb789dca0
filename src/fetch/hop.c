#include "fetch/hop.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <curl/curl.h>
#include <snug/snug.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/process/sigpipe.h"

enum { LOOK_MS = 50 };

typedef struct hop {
    const hop_request *request;
    hop_reply *reply;
    CURL *easy;
    CURLM *multi;
    struct curl_slist *headers, *resolved;
    char problem[CURL_ERROR_SIZE];
    size_t header_bytes;
    int is_kept_out; /* from an address */
    int is_too_large, has_no_memory;
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

/* ---- what libcurl calls ---- */

/* The address is the one that will be connected to. */
static curl_socket_t open_socket(void *payload, curlsocktype purpose, struct curl_sockaddr *address)
{
    hop *h = payload;

    if (purpose != CURLSOCKTYPE_IPCXN || !rule_allows_address(h->request->rule, &address->addr)) {
        h->is_kept_out = 1;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_body(char *data, size_t size, size_t count, void *payload)
{
    hop *h = payload;
    const size_t len = size * count;

    h->is_too_large = h->reply->body.len + len > h->request->most_bytes;
    if (h->is_too_large)
        return 0;
    h->has_no_memory = str_append(&h->reply->body, data, len) != SNUG_OK;
    return h->has_no_memory ? 0 : len;
}

static void forget_headers(hop_reply *reply)
{
    str body = reply->body;
    reply->body = (str){ 0 };
    hop_reply_free(reply);
    reply->body = body;
}

static int add_header(hop *h, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    hop_reply *reply = h->reply;

    if (!colon || reply->header_count == HOP_HEADERS)
        return SNUG_OK;
    fetch_header *header = &reply->headers[reply->header_count++];
    *header = (fetch_header){ 0 };
    const char *value = colon + 1, *end = line + len;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && strchr(" \t\r\n", end[-1]))
        end--;
    int error = str_append(&header->name, line, (size_t)(colon - line));
    if (!error)
        error = str_append(&header->value, value, (size_t)(end - value));
    for (size_t i = 0; !error && i < header->name.len; i++)
        header->name.data[i] = to_lower(header->name.data[i]);
    return error;
}

static size_t take_header(char *data, size_t size, size_t count, void *payload)
{
    hop *h = payload;
    const size_t len = size * count;

    h->header_bytes += len;
    h->is_too_large = h->header_bytes > HOP_HEADER_BYTES;
    if (len > 5 && !strncasecmp(data, "HTTP/", 5))
        forget_headers(h->reply); /* of a reply before the final one */
    else
        h->has_no_memory = add_header(h, data, len) != SNUG_OK;
    return h->is_too_large || h->has_no_memory ? 0 : len;
}

/* ---- the request ---- */

static int add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *grown = curl_slist_append(*list, line);
    if (!grown)
        return SNUG_ENOMEM;
    *list = grown;
    return SNUG_OK;
}

/* A name that has its address in the rule is not looked up. */
static int pin(hop *h)
{
    const hop_request *r = h->request;
    str line = { 0 };
    int error = SNUG_OK;

    if (!r->rule->pinned)
        return SNUG_OK;
    const int is_ipv6 = strchr(r->rule->pinned, ':') != NULL;
    error =
        str_printf(&line, is_ipv6 ? "%s:%u:[%s]" : "%s:%u:%s", r->host, r->port, r->rule->pinned);
    if (!error)
        error = add_line(&h->resolved, line.data);
    str_free(&line);
    if (!error)
        curl_easy_setopt(h->easy, CURLOPT_RESOLVE, h->resolved);
    return error;
}

static void set_method(hop *h)
{
    const hop_request *r = h->request;

    if (!strcmp(r->method, "HEAD")) {
        curl_easy_setopt(h->easy, CURLOPT_NOBODY, 1L);
        return;
    }
    /* Without a body some servers refuse these, unless they read that it has no bytes. */
    if (!r->body &&
        (!strcmp(r->method, "POST") || !strcmp(r->method, "PUT") || !strcmp(r->method, "PATCH"))) {
        curl_easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)0);
        curl_easy_setopt(h->easy, CURLOPT_POSTFIELDS, "");
    }
    if (r->body) {
        curl_easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body->len);
        curl_easy_setopt(h->easy, CURLOPT_POSTFIELDS, str_text(r->body));
    }
    curl_easy_setopt(h->easy, CURLOPT_CUSTOMREQUEST, r->method);
}

static int prepare(hop *h)
{
    const hop_request *r = h->request;
    int error = SNUG_OK;

    for (size_t i = 0; i < r->line_count && !error; i++)
        error = add_line(&h->headers, str_text(&r->lines[i]));
    /* libcurl would wait for a leave to send, and names a type for any body. */
    if (!error)
        error = add_line(&h->headers, "Expect:");
    if (!error && !r->body)
        error = add_line(&h->headers, "Content-Type:");
    if (!error)
        error = pin(h);
    if (error)
        return error;

    set_method(h);
    curl_easy_setopt(h->easy, CURLOPT_URL, r->url);
    curl_easy_setopt(h->easy, CURLOPT_HTTPHEADER, h->headers);
    curl_easy_setopt(h->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(h->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(h->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(h->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h->easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    curl_easy_setopt(h->easy, CURLOPT_USERAGENT, "snug");
    curl_easy_setopt(h->easy, CURLOPT_ERRORBUFFER, h->problem);
    curl_easy_setopt(h->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(h->easy, CURLOPT_OPENSOCKETDATA, h);
    curl_easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(h->easy, CURLOPT_WRITEDATA, h);
    curl_easy_setopt(h->easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(h->easy, CURLOPT_HEADERDATA, h);
    return SNUG_OK;
}

/* ---- the wait ---- */

static int fail(str *why, const char *sentence)
{
    return str_add(why, sentence) ? SNUG_ENOMEM : SNUG_ESYSTEM;
}

static int fail_transfer(const hop *h, str *why, CURLcode code)
{
    const char *host = h->request->host;

    if (h->has_no_memory)
        return SNUG_ENOMEM;
    if (h->is_too_large && h->header_bytes > HOP_HEADER_BYTES)
        return fail(why, "the headers of the reply have more than 64 KiB");
    if (h->is_too_large)
        str_printf(why, "the reply has more than %llu bytes",
                   (unsigned long long)h->request->most_bytes);
    else if (h->is_kept_out)
        str_printf(why, "%s is at an address that may not be asked: private, or this machine's",
                   host);
    else
        str_printf(why, "%s could not be asked: %s", host,
                   *h->problem ? h->problem : curl_easy_strerror(code));
    return SNUG_ESYSTEM;
}

static int take_end(const hop *h, str *why)
{
    long status = 0;
    int left;
    const CURLMsg *message = curl_multi_info_read(h->multi, &left);
    const CURLcode code = message ? message->data.result : CURLE_OUT_OF_MEMORY;

    if (code != CURLE_OK)
        return fail_transfer(h, why, code);
    curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
    h->reply->status = (int)status;
    return SNUG_OK;
}

static int wait_for_reply(hop *h, str *why)
{
    const hop_request *r = h->request;
    int running = 1;

    for (;;) {
        if (curl_multi_perform(h->multi, &running) != CURLM_OK)
            return SNUG_ENOMEM;
        if (!running)
            return take_end(h, why);
        if (!r->is_wanted(r->payload))
            return fail(why, "nobody waits for it any more");
        if (clock_now_ns() >= r->deadline_ns)
            return fail(why, "the reply did not come in time");
        curl_multi_poll(h->multi, NULL, 0, LOOK_MS, NULL);
    }
}

static pthread_once_t is_started = PTHREAD_ONCE_INIT;

static void start_curl(void)
{
    curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, free, realloc, strdup, calloc);
}

int hop_make(hop_reply *out, str *why, const hop_request *request)
{
    hop h = { .request = request, .reply = out };
    sigpipe_hold hold;
    int error = SNUG_ENOMEM;

    *out = (hop_reply){ 0 };
    pthread_once(&is_started, start_curl);
    sigpipe_block(&hold);
    h.easy = curl_easy_init();
    h.multi = curl_multi_init();
    if (h.easy && h.multi)
        error = prepare(&h);
    if (!error && curl_multi_add_handle(h.multi, h.easy) != CURLM_OK)
        error = SNUG_ENOMEM;
    if (!error)
        error = wait_for_reply(&h, why);

    if (h.easy && h.multi)
        curl_multi_remove_handle(h.multi, h.easy);
    if (h.easy)
        curl_easy_cleanup(h.easy);
    if (h.multi)
        curl_multi_cleanup(h.multi);
    curl_slist_free_all(h.headers);
    curl_slist_free_all(h.resolved);
    sigpipe_release(&hold);
    return error;
}
