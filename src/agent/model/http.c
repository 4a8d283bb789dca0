#include "agent/model/http.h"

#include <snug/snug.h>

#include <curl/curl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#include "agent/model/wiping.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/sigpipe.h"

#define TEXT_OF(x) #x
#define DIGITS(x)  TEXT_OF(x)
#define USER_AGENT \
    "snug/" DIGITS(SNUG_VERSION_MAJOR) "." DIGITS(SNUG_VERSION_MINOR) "." DIGITS(SNUG_VERSION_PATCH)

/* How long the end of a connection is waited for after enough was read, so that the connection
 * can be used again; and a header that is kept. */
enum { LINGER_MS = 200, MOST_HEADER_BYTES = 1024, LONGEST_POLL_MS = 60000 };

struct http {
    CURLM *multi;
    atomic_int is_cancelled;
};

/* One request. */
typedef struct post {
    const http_request *request;
    http_reply *reply;
    CURL *easy;
    struct curl_slist *headers;
    char problem[CURL_ERROR_SIZE];
    str pending;                              /* came in, not yet given on */
    uint64_t begun_ns, connected_ns, last_ns; /* 0: not yet */
    uint64_t enough_ns;                       /* when on_data had enough; 0: not yet */
    int is_flowing;                           /* on_data has said so */
    uint64_t got_bytes;
    int is_too_large, has_no_memory;
    int is_get;
} post;

/* ---- the library ---- */

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

int http_open(http **out)
{
    pthread_once(&is_started, start_curl);
    if (start_fault)
        return error_set(SNUG_ESYSTEM, "libcurl cannot start: %s", curl_easy_strerror(start_fault));

    http *h = calloc(1, sizeof *h);
    if (h)
        h->multi = curl_multi_init();
    if (!h || !h->multi) {
        free(h);
        return error_no_memory();
    }

    *out = h;
    return SNUG_OK;
}

/* libcurl leaves SIGPIPE alone where it must not use signals (CURLOPT_NOSIGNAL), but TLS writes
 * to sockets that may be closed. */
void http_close(http *h)
{
    sigpipe_hold hold;
    if (!h)
        return;
    sigpipe_block(&hold);
    curl_multi_cleanup(h->multi);
    sigpipe_release(&hold);
    free(h);
}

void http_cancel(http *h)
{
    atomic_store(&h->is_cancelled, 1);
    curl_multi_wakeup(h->multi);
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
    if (until_ns <= now_ns)
        return 0;
    uint64_t ms = (until_ns - now_ns - 1) / NS_PER_MS + 1;
    return ms < LONGEST_POLL_MS ? (int)ms : LONGEST_POLL_MS;
}

int http_wait(http *h, uint64_t until_ns)
{
    for (;;) {
        uint64_t now = clock_now_ns();
        if (http_is_cancelled(h))
            return 1;
        if (now >= until_ns)
            return 0;
        curl_multi_poll(h->multi, NULL, 0, poll_ms(now, until_ns), NULL);
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

/* ---- what curl calls ---- */

static int on_connected(void *payload, char *primary_ip, char *local_ip, int primary_port,
                        int local_port)
{
    post *p = payload;
    (void)primary_ip, (void)local_ip, (void)primary_port, (void)local_port;
    p->connected_ns = clock_now_ns();
    return CURL_PREREQFUNC_OK;
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *payload)
{
    post *p = payload;
    size_t len = size * count;
    uint64_t most = p->request->most_bytes;

    p->got_bytes += len;
    p->is_too_large = most > 0 && p->got_bytes > most;
    if (!p->is_too_large && str_append(&p->pending, bytes, len) != SNUG_OK)
        p->has_no_memory = 1;
    if (p->is_too_large || p->has_no_memory)
        return CURL_WRITEFUNC_ERROR;
    return len;
}

static int keep_header(str *out, const char *name, const char *line, size_t len)
{
    size_t name_len = strlen(name);
    if (len <= name_len || strncasecmp(line, name, name_len) != 0 || line[name_len] != ':')
        return SNUG_OK;

    line += name_len + 1;
    len -= name_len + 1;
    while (len > 0 && strchr(" \t", *line)) {
        line++;
        len--;
    }

    while (len > 0 && strchr(" \t\r\n", line[len - 1]))
        len--;
    str_clear(out);
    return str_append(out, line, len < MOST_HEADER_BYTES ? len : MOST_HEADER_BYTES);
}

static size_t on_header(char *line, size_t size, size_t count, void *payload)
{
    post *p = payload;
    size_t len = size * count;
    if (keep_header(&p->reply->content_type, "content-type", line, len) ||
        keep_header(&p->reply->retry_after, "retry-after", line, len) ||
        keep_header(&p->reply->retry_after_ms, "retry-after-ms", line, len) ||
        keep_header(&p->reply->location, "location", line, len)) {
        p->has_no_memory = 1;
        return 0;
    }

    return len;
}

/* Programs that tools start must not inherit it. */
static curl_socket_t open_socket(void *payload, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)payload, (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* ---- one post ---- */

static int add_header(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (!longer)
        return SNUG_ENOMEM;
    *list = longer;
    return SNUG_OK;
}

static int add_headers(post *p)
{
    const http_request *request = p->request;

    if (add_header(&p->headers, "Content-Type: application/json") ||
        add_header(&p->headers, "Expect:"))
        return SNUG_ENOMEM;

    if (request->key_header && add_header(&p->headers, request->key_header))
        return SNUG_ENOMEM;
    if (request->other_header && add_header(&p->headers, request->other_header))
        return SNUG_ENOMEM;
    for (size_t i = 0; request->headers && request->headers[i]; i++)
        if (add_header(&p->headers, request->headers[i]))
            return SNUG_ENOMEM;
    return SNUG_OK;
}

static void free_headers(struct curl_slist *list)
{
    for (struct curl_slist *line = list; line; line = line->next)
        explicit_bzero(line->data, strlen(line->data));
    curl_slist_free_all(list);
}

/* The variables of the program curl, which its library does not look at. */
static CURLcode set_certificates(CURL *easy)
{
    const char *bundle = getenv("CURL_CA_BUNDLE"), *folder = getenv("SSL_CERT_DIR");
    CURLcode fault = CURLE_OK;

    if (!bundle || !*bundle)
        bundle = getenv("SSL_CERT_FILE");
    if (bundle && *bundle)
        fault = curl_easy_setopt(easy, CURLOPT_CAINFO, bundle);
    if (!fault && folder && *folder)
        fault = curl_easy_setopt(easy, CURLOPT_CAPATH, folder);
    return fault;
}

static int prepare_request(post *p)
{
    const http_request *request = p->request;
    CURL *easy = curl_easy_init();
    long connect_ms = INT_MAX;

    p->easy = easy;
    if (!easy || add_headers(p))
        return SNUG_ENOMEM;

    /* Later than next_limit finds it, which knows what to say. */
    if (request->connect_ms > 0 && request->connect_ms < INT_MAX - 1000)
        connect_ms = (long)request->connect_ms + 1000;
    CURLcode fault = CURLE_OK;
#define SET(option, value) (fault = fault ? fault : curl_easy_setopt(easy, option, value))
    SET(CURLOPT_URL, request->url);
    if (!p->is_get) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDS, request->body);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
    }
    SET(CURLOPT_HTTPHEADER, p->headers);
    SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* a proxy does not get the key */
    SET(CURLOPT_USERAGENT, USER_AGENT);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L); /* of a proxy: no part of the reply */
    SET(CURLOPT_QUICK_EXIT, 1L); /* an end does not wait for the name to be looked up */
    SET(CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    SET(CURLOPT_ERRORBUFFER, p->problem);
    SET(CURLOPT_PREREQFUNCTION, on_connected);
    SET(CURLOPT_PREREQDATA, p);
    SET(CURLOPT_WRITEFUNCTION, on_bytes);
    SET(CURLOPT_WRITEDATA, p);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, p);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (request->is_direct)
        SET(CURLOPT_NOPROXY, "*");
#undef SET
    if (!fault)
        fault = set_certificates(easy);
    return fault ? SNUG_ENOMEM : SNUG_OK;
}

static http_fault fault_of(const post *p, CURLcode code)
{
    switch ((int)code) {
    case CURLE_OK:
        return HTTP_FINE;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return HTTP_NOT_TRUSTED;
    default:
        return p->connected_ns ? HTTP_BROKEN : HTTP_NOT_CONNECTED;
    }
}

/* Gives on what came in. */
static int deliver_pending(post *p)
{
    long status = 0;
    int answer = HTTP_GO_ON;

    if (p->pending.len == 0)
        return HTTP_GO_ON;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    p->reply->status = (int)status;
    if (!p->enough_ns)
        answer =
            p->request->on_data(p->request->payload, p->reply, p->pending.data, p->pending.len);

    str_clear(&p->pending);
    p->last_ns = clock_now_ns();
    p->is_flowing |= answer == HTTP_FLOWS;
    if (answer == HTTP_ENOUGH)
        p->enough_ns = p->last_ns;
    return answer;
}

/* Moves bytes, and takes the end of the transfer: 1, and the code, or 0. */
static int perform(CURLcode *code, http *h)
{
    sigpipe_hold hold;
    CURLMsg *message;
    int running, left, is_done = 0;

    sigpipe_block(&hold);
    CURLMcode fault = curl_multi_perform(h->multi, &running);
    sigpipe_release(&hold);
    *code = fault ? CURLE_OUT_OF_MEMORY : CURLE_OK;
    while ((message = curl_multi_info_read(h->multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            *code = message->data.result;
            is_done = 1;
        }

    return is_done || fault;
}

/* The transfer is over: as it should be, or as curl says. */
static int conclude_transfer(post *p, CURLcode code)
{
    http_reply *reply = p->reply;

    if (p->enough_ns || code == CURLE_OK) {
        reply->fault = HTTP_FINE;
        return SNUG_OK;
    }

    reply->fault = fault_of(p, code);
    return str_add(&reply->problem, *p->problem ? p->problem : curl_easy_strerror(code));
}

/* What ends a transfer before its time; HTTP_FINE: nothing does. */
static http_fault find_end(const post *p, http *h, int answer)
{
    if (answer != HTTP_GO_ON && answer != HTTP_FLOWS && answer != HTTP_ENOUGH)
        return HTTP_GIVEN_UP;
    if (http_is_cancelled(h))
        return HTTP_CANCELLED;
    if (p->is_too_large)
        return HTTP_TOO_LARGE;
    return HTTP_FINE;
}

/* Until the reply is whole or something ends it. */
static int transfer(post *p, http *h)
{
    http_reply *reply = p->reply;

    for (;;) {
        uint64_t limit_at;
        CURLcode code;
        const int is_done = perform(&code, h);
        const int answer = deliver_pending(p);
        if (p->has_no_memory || code == CURLE_OUT_OF_MEMORY)
            return SNUG_ENOMEM;

        reply->fault = find_end(p, h, answer);
        if (reply->fault)
            return SNUG_OK;
        if (is_done)
            return conclude_transfer(p, code);

        const http_fault fault = next_limit(p, &limit_at);
        const uint64_t now = clock_now_ns();
        if (now >= limit_at) {
            reply->fault = fault;
            return SNUG_OK;
        }
        curl_multi_poll(h->multi, NULL, 0, poll_ms(now, limit_at), NULL);
    }
}

static int ask(http_reply *out, http *h, const http_request *request, int is_get)
{
    post p = { .request = request, .reply = out, .begun_ns = clock_now_ns(), .is_get = is_get };
    sigpipe_hold hold;
    long status = 0;

    *out = (http_reply){ 0 };
    int error = prepare_request(&p);
    if (!error && curl_multi_add_handle(h->multi, p.easy))
        error = SNUG_ENOMEM;
    if (!error) {
        error = transfer(&p, h);
        curl_easy_getinfo(p.easy, CURLINFO_RESPONSE_CODE, &status);
        out->status = (int)status;
        sigpipe_block(&hold);
        curl_multi_remove_handle(h->multi, p.easy);
        sigpipe_release(&hold);
    }

    if (p.easy)
        curl_easy_cleanup(p.easy);
    free_headers(p.headers);
    str_free(&p.pending);
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
