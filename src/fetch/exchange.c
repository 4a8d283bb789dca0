#include "fetch/exchange.h"

#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>
#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/sigpipe.h"

enum {
    CONNECT_MS = 30000,
    MOST_HEADER_BYTES = 4096,
    MOST_HEAD_BYTES = 64 << 10,
    LONGEST_MS = 60000
};

typedef struct exchange {
    struct exchange *next;
    void *tag;
    CURL *easy;
    struct curl_slist *headers, *resolved;
    exchange_request request; /* of which only numbers, payload and functions are looked at */
    exchange_head head;
    size_t head_bytes, sent; /* of the reply; of body */
    uint64_t got_bytes;
    str body, pending;
    char problem[CURL_ERROR_SIZE];
    const char *fault; /* of ours, which ended it; NULL: none */
    int is_dropped, is_done;
    CURLcode code;
} exchange;

struct exchanges {
    exchange_watch watch;
    CURLM *multi;
    exchange *first;
};

/* ---- the library ---- */

static void wiping_free(void *block)
{
    if (block)
        explicit_bzero(block, malloc_usable_size(block));
    free(block);
}

/* Never in place: realloc would leave what was there where it moves. */
static void *wiping_realloc(void *block, size_t bytes)
{
    const size_t before = block ? malloc_usable_size(block) : 0;
    void *moved = malloc(bytes);

    if (!moved || !block)
        return moved;
    memcpy(moved, block, before < bytes ? before : bytes);
    wiping_free(block);
    return moved;
}

/* One of the few states outside an object: curl's own are the process's. They are never undone,
 * because nobody can know who else uses them. */
static pthread_once_t is_started = PTHREAD_ONCE_INIT;
static CURLcode start_fault;

static void start_curl(void)
{
    /* Where the host has started it before, it goes on with the host's memory. */
    start_fault = curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wiping_free, wiping_realloc,
                                       strdup, calloc);
}

int exchanges_open(exchanges **out, const exchange_watch *watch)
{
    pthread_once(&is_started, start_curl);
    if (start_fault)
        return error_set(SNUG_ESYSTEM, "libcurl cannot start: %s", curl_easy_strerror(start_fault));

    exchanges *e = calloc(1, sizeof *e);
    if (e)
        e->multi = curl_multi_init();
    if (!e || !e->multi) {
        free(e);
        return error_no_memory();
    }
    e->watch = *watch;
    *out = e;
    return SNUG_OK;
}

/* ---- what libcurl calls ---- */

/* Ends it: libcurl takes 0 for a failure. */
static size_t give_up(exchange *x, exchange_end end, const char *fault)
{
    x->head.end = end;
    x->fault = fault;
    return 0;
}

int exchange_value(const char **value, size_t *value_len, const char *name, const char *line,
                   size_t len)
{
    const size_t name_len = strlen(name);
    const char *at = line + name_len + 1, *end = line + len;

    if (len <= name_len || strncasecmp(line, name, name_len) != 0 || line[name_len] != ':')
        return 0;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && strchr(" \t\r\n", end[-1]))
        end--;
    *value = at;
    *value_len = (size_t)(end - at);
    return 1;
}

static void keep_header(str *out, const char *name, const char *line, size_t len)
{
    const char *value;
    size_t value_len;

    if (!exchange_value(&value, &value_len, name, line, len))
        return;
    str_clear(out);
    if (value_len <= MOST_HEADER_BYTES)
        str_append(out, value, value_len);
}

static size_t take_header(char *line, size_t size, size_t count, void *payload)
{
    exchange *x = payload;
    const size_t len = size * count;

    x->head_bytes += len;
    if (x->head_bytes > MOST_HEAD_BYTES)
        return give_up(x, EXCHANGE_LARGE_HEAD, "the headers of the reply have more than 64 KiB");
    keep_header(&x->head.content_type, "content-type", line, len);
    keep_header(&x->head.location, "location", line, len);
    keep_header(&x->head.session_id, "mcp-session-id", line, len);
    keep_header(&x->head.retry_after, "retry-after", line, len);
    keep_header(&x->head.retry_after_ms, "retry-after-ms", line, len);
    const exchange_end end =
        x->request.on_line ? x->request.on_line(x->request.payload, line, len) : EXCHANGE_WHOLE;
    return end ? give_up(x, end, "out of memory") : len;
}

static size_t take_body(char *data, size_t size, size_t count, void *payload)
{
    exchange *x = payload;
    const size_t len = size * count;

    x->got_bytes += len;
    if (x->request.most_bytes > 0 && x->got_bytes > x->request.most_bytes)
        return give_up(x, EXCHANGE_TOO_LARGE, "the reply has too many bytes");
    if (str_append(&x->pending, data, len))
        return give_up(x, EXCHANGE_NO_MEMORY, "out of memory");
    return len;
}

static size_t give_body(char *out, size_t size, size_t count, void *payload)
{
    exchange *x = payload;
    const size_t left = x->body.len - x->sent, room = size * count;
    const size_t len = left < room ? left : room;

    if (len > 0)
        memcpy(out, x->body.data + x->sent, len);
    x->sent += len;
    return len;
}

/* Where a connection that was used before ends without a byte, libcurl would send the request
 * again, which the server may have acted on. */
static int refuse_to_rewind(void *payload, curl_off_t offset, int origin)
{
    (void)payload, (void)offset, (void)origin;
    return CURL_SEEKFUNC_FAIL;
}

/* The address is the one that will be connected to. Programs that tools start must not inherit the
 * socket. */
static curl_socket_t open_socket(void *payload, curlsocktype purpose, struct curl_sockaddr *address)
{
    const exchange_request *r = &((exchange *)payload)->request;

    if (r->is_allowed &&
        (purpose != CURLSOCKTYPE_IPCXN || !r->is_allowed(r->payload, &address->addr)))
        return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static int note_connection(void *payload, char *primary_ip, char *local_ip, int primary_port,
                           int local_port)
{
    exchange *x = payload;

    (void)primary_ip, (void)local_ip, (void)primary_port, (void)local_port;
    x->head.connected_ns = clock_now_ns();
    return CURL_PREREQFUNC_OK;
}

/* ---- beginning and end ---- */

static void free_list(struct curl_slist *list)
{
    for (struct curl_slist *line = list; line; line = line->next)
        explicit_bzero(line->data, strlen(line->data));
    curl_slist_free_all(list);
}

static void free_exchange(exchanges *e, exchange *x)
{
    if (x->easy) {
        curl_multi_remove_handle(e->multi, x->easy);
        curl_easy_cleanup(x->easy);
    }
    free_list(x->headers);
    free_list(x->resolved);
    if (x->body.data)
        explicit_bzero(x->body.data, x->body.len);
    str_free(&x->head.content_type);
    str_free(&x->head.location);
    str_free(&x->head.session_id);
    str_free(&x->head.retry_after);
    str_free(&x->head.retry_after_ms);
    str_free(&x->body);
    str_free(&x->pending);
    free(x);
}

static int add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *grown = curl_slist_append(*list, line);
    if (!grown)
        return SNUG_ENOMEM;
    *list = grown;
    return SNUG_OK;
}

/* libcurl takes a line without a value for a header that is not to be sent. */
static int add_header(exchange *x, const str *line)
{
    const char *text = str_text(line), *colon = strchr(text, ':');
    str empty = { 0 };

    if (!colon || colon[1 + strspn(colon + 1, " \t")])
        return add_line(&x->headers, text);
    int error = str_append(&empty, text, (size_t)(colon - text));
    if (!error)
        error = str_add(&empty, ";");
    if (!error)
        error = add_line(&x->headers, str_text(&empty));
    str_free(&empty);
    return error;
}

/* After one that fails no further one is set. */
#define SET(option, value) (fault = fault ? fault : curl_easy_setopt(x->easy, option, value))

/* The variables of the program curl, which its library does not look at. */
static CURLcode set_certificates(exchange *x)
{
    CURLcode fault = CURLE_OK;
    const char *bundle = getenv("CURL_CA_BUNDLE"), *folder = getenv("SSL_CERT_DIR");

    if (!bundle || !*bundle)
        bundle = getenv("SSL_CERT_FILE");
    if (bundle && *bundle)
        SET(CURLOPT_CAINFO, bundle);
    if (folder && *folder)
        SET(CURLOPT_CAPATH, folder);
    return fault;
}

/* Without a body some servers refuse a method that has one, unless they read that it has no bytes;
 * and libcurl names a type for any body. */
static int is_without_its_body(const exchange_request *r)
{
    return !r->body &&
           (!strcmp(r->method, "POST") || !strcmp(r->method, "PUT") || !strcmp(r->method, "PATCH"));
}

static CURLcode set_method(exchange *x, const exchange_request *r)
{
    CURLcode fault = CURLE_OK;

    if (!strcmp(r->method, "HEAD")) {
        SET(CURLOPT_NOBODY, 1L);
        return fault;
    }
    if (is_without_its_body(r) || r->body) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->body.len);
    }
    if (is_without_its_body(r) || (r->body && r->is_repeated)) {
        SET(CURLOPT_POSTFIELDS, str_text(&x->body));
    } else if (r->body) {
        SET(CURLOPT_READFUNCTION, give_body);
        SET(CURLOPT_READDATA, x);
        SET(CURLOPT_SEEKFUNCTION, refuse_to_rewind);
    }
    SET(CURLOPT_CUSTOMREQUEST, r->method);
    return fault;
}

static CURLcode set_options(exchange *x, const exchange_request *r)
{
    const uint64_t connect_ms = r->connect_ms ? r->connect_ms : CONNECT_MS;

    CURLcode fault = set_method(x, r);

    SET(CURLOPT_URL, r->url);
    SET(CURLOPT_HTTPHEADER, x->headers);
    SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* not for proxies */
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);         /* of a proxy: no part of it */
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L); /* an end does not wait for a look-up */
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)(connect_ms < INT_MAX ? connect_ms : INT_MAX));
    SET(CURLOPT_USERAGENT, r->agent ? r->agent : "snug");
    SET(CURLOPT_ERRORBUFFER, x->problem);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, x);
    SET(CURLOPT_PREREQFUNCTION, note_connection);
    SET(CURLOPT_PREREQDATA, x);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, x);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, x);
    if (r->is_direct)
        SET(CURLOPT_PROXY, "");
    if (r->is_packed)
        SET(CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    if (x->resolved)
        SET(CURLOPT_RESOLVE, x->resolved);
    return fault ? fault : set_certificates(x);
}

static int prepare(exchange *x, const exchange_request *r)
{
    int error = SNUG_OK;

    x->easy = curl_easy_init();
    if (!x->easy || (r->body && str_append(&x->body, r->body, r->body_len)))
        return SNUG_ENOMEM;
    for (size_t i = 0; i < r->line_count && !error; i++)
        error = add_header(x, &r->lines[i]);
    if (!error)
        error = add_line(&x->headers, "Expect:"); /* it would wait for a leave to send */
    if (!error && is_without_its_body(r))
        error = add_line(&x->headers, "Content-Type:");
    if (!error && r->resolved)
        error = add_line(&x->resolved, r->resolved);
    if (!error && set_options(x, r))
        error = SNUG_ENOMEM;
    return error;
}

int exchanges_begin(exchanges *e, const exchange_request *request, void *tag)
{
    exchange *x = calloc(1, sizeof *x);

    if (!x)
        return SNUG_ENOMEM;
    x->tag = tag;
    x->request = *request;
    int error = prepare(x, request);
    if (!error && curl_multi_add_handle(e->multi, x->easy))
        error = SNUG_ENOMEM;
    if (error) {
        free_exchange(e, x);
        return error;
    }
    x->next = e->first;
    e->first = x;
    return SNUG_OK;
}

static void note_status(exchange *x)
{
    long status = 0;

    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
    x->head.status = (int)status;
}

const exchange_head *exchanges_head(exchanges *e, const void *tag)
{
    exchange *x = e->first;

    while (x && (x->tag != tag || x->is_dropped))
        x = x->next;
    if (x)
        note_status(x);
    return x ? &x->head : NULL;
}

void exchanges_drop(exchanges *e, const void *tag)
{
    for (exchange *x = e->first; x; x = x->next)
        if (x->tag == tag)
            x->is_dropped = 1; /* freed by the next turn */
}

/* ---- turns ---- */

static exchange_end end_of(CURLcode code)
{
    switch ((int)code) {
    case CURLE_OK:
        return EXCHANGE_WHOLE;
    case CURLE_OUT_OF_MEMORY:
        return EXCHANGE_NO_MEMORY;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return EXCHANGE_NOT_TRUSTED;
    default:
        return EXCHANGE_BROKEN;
    }
}

/* Moves bytes, and notes ends. */
static void advance(exchanges *e)
{
    CURLMsg *message;
    int left, running;
    const CURLMcode fault = curl_multi_perform(e->multi, &running);

    while ((message = curl_multi_info_read(e->multi, &left)))
        for (exchange *x = e->first; x && message->msg == CURLMSG_DONE; x = x->next)
            if (x->easy == message->easy_handle) {
                x->is_done = 1;
                x->code = message->data.result;
            }
    for (exchange *x = e->first; x && fault; x = x->next)
        if (!x->is_done) {
            x->is_done = 1;
            x->code = CURLE_OUT_OF_MEMORY;
        }
}

static void hand_over(exchanges *e, exchange *x)
{
    const char *why = NULL;

    if (x->is_dropped || (!x->is_done && x->pending.len == 0))
        return;
    note_status(x);
    if (x->pending.len > 0)
        e->watch.on_piece(e->watch.payload, x->tag, &x->head, x->pending.data, x->pending.len);
    str_clear(&x->pending);
    if (!x->is_done || x->is_dropped)
        return;

    if (x->code == CURLE_SEND_FAIL_REWIND)
        x->fault = "the connection was closed without an answer";
    if (x->code != CURLE_OK)
        why = x->fault ? x->fault : *x->problem ? x->problem : curl_easy_strerror(x->code);
    if (x->code == CURLE_OK || !x->head.end)
        x->head.end = end_of(x->code);
    x->is_dropped = 1;
    e->watch.on_end(e->watch.payload, x->tag, &x->head, why);
}

static void free_dropped(exchanges *e)
{
    for (exchange **place = &e->first, *x; (x = *place);) {
        if (!x->is_dropped) {
            place = &x->next;
            continue;
        }
        *place = x->next;
        free_exchange(e, x);
    }
}

void exchanges_wait(exchanges *e, int ms)
{
    curl_multi_poll(e->multi, NULL, 0, ms < 0 || ms > LONGEST_MS ? LONGEST_MS : ms, NULL);
}

/* libcurl leaves SIGPIPE alone where it must not use signals (CURLOPT_NOSIGNAL), but TLS writes
 * to sockets that may be closed. */
void exchanges_turn(exchanges *e, int ms)
{
    sigpipe_hold hold;
    int is_idle = 1;

    sigpipe_block(&hold);
    free_dropped(e);
    advance(e);
    for (const exchange *x = e->first; x; x = x->next)
        is_idle &= !x->is_done && x->pending.len == 0;
    if (is_idle && ms != 0) {
        exchanges_wait(e, ms);
        advance(e);
    }
    sigpipe_release(&hold);

    /* Those that are begun meanwhile stand in front. */
    for (exchange *x = e->first; x; x = x->next)
        hand_over(e, x);
    sigpipe_block(&hold);
    free_dropped(e);
    sigpipe_release(&hold);
}

void exchanges_wake(exchanges *e)
{
    curl_multi_wakeup(e->multi);
}

void exchanges_close(exchanges *e)
{
    sigpipe_hold hold;

    if (!e)
        return;
    sigpipe_block(&hold);
    for (exchange *x = e->first; x; x = x->next)
        x->is_dropped = 1;
    free_dropped(e);
    curl_multi_cleanup(e->multi);
    sigpipe_release(&hold);
    free(e);
}
