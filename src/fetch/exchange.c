#include "fetch/exchange.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <curl/curl.h>
#include <snug/snug.h>

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
    struct curl_slist *headers;
    exchange_head head;
    size_t head_bytes;
    size_t sent; /* of body */
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

static pthread_once_t is_started = PTHREAD_ONCE_INIT;

static void start_curl(void)
{
    curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, free, realloc, strdup, calloc);
}

int exchanges_open(exchanges **out, const exchange_watch *watch)
{
    pthread_once(&is_started, start_curl);
    exchanges *e = calloc(1, sizeof *e);
    if (e)
        e->multi = curl_multi_init();
    if (!e || !e->multi) {
        free(e);
        return SNUG_ENOMEM;
    }
    e->watch = *watch;
    *out = e;
    return SNUG_OK;
}

/* ---- what libcurl calls ---- */

static void keep_header(str *out, const char *name, const char *line, size_t len)
{
    const size_t name_len = strlen(name);

    if (len <= name_len || strncasecmp(line, name, name_len) != 0 || line[name_len] != ':')
        return;
    const char *value = line + name_len + 1, *end = line + len;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && strchr(" \t\r\n", end[-1]))
        end--;
    str_clear(out);
    if ((size_t)(end - value) <= MOST_HEADER_BYTES)
        str_append(out, value, (size_t)(end - value));
}

static size_t take_header(char *line, size_t size, size_t count, void *payload)
{
    exchange *x = payload;
    const size_t len = size * count;

    x->head_bytes += len;
    if (x->head_bytes > MOST_HEAD_BYTES) {
        x->fault = "the headers of the reply have more than 64 KiB";
        return 0;
    }
    keep_header(&x->head.content_type, "content-type", line, len);
    keep_header(&x->head.location, "location", line, len);
    keep_header(&x->head.session_id, "mcp-session-id", line, len);
    return len;
}

static size_t take_body(char *data, size_t size, size_t count, void *payload)
{
    exchange *x = payload;
    const size_t len = size * count;

    if (str_append(&x->pending, data, len)) {
        x->fault = "out of memory";
        return 0;
    }
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
    (void)payload;
    (void)offset;
    (void)origin;
    return CURL_SEEKFUNC_FAIL;
}

/* Programs that tools start must not inherit it. */
static curl_socket_t open_socket(void *payload, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)payload;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* ---- beginning and end ---- */

static void free_exchange(exchanges *e, exchange *x)
{
    if (x->easy) {
        curl_multi_remove_handle(e->multi, x->easy);
        curl_easy_cleanup(x->easy);
    }
    for (struct curl_slist *line = x->headers; line; line = line->next)
        explicit_bzero(line->data, strlen(line->data));
    curl_slist_free_all(x->headers);
    str_free(&x->head.content_type);
    str_free(&x->head.location);
    str_free(&x->head.session_id);
    str_free(&x->body);
    str_free(&x->pending);
    free(x);
}

static int add_line(exchange *x, const char *line)
{
    struct curl_slist *grown = curl_slist_append(x->headers, line);
    if (!grown)
        return SNUG_ENOMEM;
    x->headers = grown;
    return SNUG_OK;
}

/* libcurl takes a line without a value for a header that is not to be sent. */
static int add_header(exchange *x, const str *line)
{
    const char *text = str_text(line), *colon = strchr(text, ':');
    str empty = { 0 };

    if (!colon || colon[1 + strspn(colon + 1, " \t")])
        return add_line(x, text);
    int error = str_append(&empty, text, (size_t)(colon - text));
    if (!error)
        error = str_add(&empty, ";");
    if (!error)
        error = add_line(x, str_text(&empty));
    str_free(&empty);
    return error;
}

/* The variables of the program curl, which its library does not look at. */
static void set_certificates(CURL *easy)
{
    const char *bundle = getenv("CURL_CA_BUNDLE"), *folder = getenv("SSL_CERT_DIR");

    if (!bundle || !*bundle)
        bundle = getenv("SSL_CERT_FILE");
    if (bundle && *bundle)
        curl_easy_setopt(easy, CURLOPT_CAINFO, bundle);
    if (folder && *folder)
        curl_easy_setopt(easy, CURLOPT_CAPATH, folder);
}

static void set_options(exchange *x, const exchange_request *r)
{
    if (r->body) {
        curl_easy_setopt(x->easy, CURLOPT_POST, 1L);
        curl_easy_setopt(x->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->body.len);
        curl_easy_setopt(x->easy, CURLOPT_READFUNCTION, give_body);
        curl_easy_setopt(x->easy, CURLOPT_READDATA, x);
        curl_easy_setopt(x->easy, CURLOPT_SEEKFUNCTION, refuse_to_rewind);
    }
    curl_easy_setopt(x->easy, CURLOPT_CUSTOMREQUEST, r->method);
    curl_easy_setopt(x->easy, CURLOPT_URL, r->url);
    curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, x->headers);
    curl_easy_setopt(x->easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* not for proxies */
    curl_easy_setopt(x->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(x->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(x->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(x->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(x->easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(x->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(x->easy, CURLOPT_USERAGENT, "snug");
    curl_easy_setopt(x->easy, CURLOPT_ERRORBUFFER, x->problem);
    curl_easy_setopt(x->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(x->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(x->easy, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(x->easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(x->easy, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(x->easy, CURLOPT_PRIVATE, x);
    set_certificates(x->easy);
}

int exchanges_begin(exchanges *e, const exchange_request *request, void *tag)
{
    exchange *x = calloc(1, sizeof *x);
    int error = SNUG_OK;

    if (!x)
        return SNUG_ENOMEM;
    x->tag = tag;
    x->easy = curl_easy_init();
    if (!x->easy || (request->body && str_append(&x->body, request->body, request->body_len)))
        error = SNUG_ENOMEM;
    for (size_t i = 0; i < request->line_count && !error; i++)
        error = add_header(x, &request->lines[i]);
    if (!error)
        error = add_line(x, "Expect:");
    if (!error) {
        set_options(x, request);
        error = curl_multi_add_handle(e->multi, x->easy) ? SNUG_ENOMEM : SNUG_OK;
    }
    if (error) {
        free_exchange(e, x);
        return SNUG_ENOMEM;
    }
    x->next = e->first;
    e->first = x;
    return SNUG_OK;
}

void exchanges_drop(exchanges *e, const void *tag)
{
    for (exchange *x = e->first; x; x = x->next)
        if (x->tag == tag)
            x->is_dropped = 1; /* freed by the next turn */
}

/* ---- turns ---- */

static void note_ends(exchanges *e)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(e->multi, &left))) {
        if (message->msg != CURLMSG_DONE)
            continue;
        for (exchange *x = e->first; x; x = x->next)
            if (x->easy == message->easy_handle) {
                x->is_done = 1;
                x->code = message->data.result;
            }
    }
}

static void hand_over(exchanges *e, exchange *x)
{
    long status = 0;

    if (x->is_dropped || (!x->is_done && x->pending.len == 0))
        return;
    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
    x->head.status = (int)status;
    if (x->pending.len > 0)
        e->watch.on_piece(e->watch.payload, x->tag, &x->head, x->pending.data, x->pending.len);
    str_clear(&x->pending);
    if (!x->is_done || x->is_dropped)
        return;

    const char *why = NULL;
    if (x->code == CURLE_SEND_FAIL_REWIND)
        x->fault = "the connection was closed without an answer";
    if (x->code != CURLE_OK)
        why = x->fault ? x->fault : *x->problem ? x->problem : curl_easy_strerror(x->code);
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

void exchanges_turn(exchanges *e, int ms)
{
    sigpipe_hold hold;
    int running;

    free_dropped(e);
    sigpipe_block(&hold);
    curl_multi_perform(e->multi, &running);
    note_ends(e);
    int is_idle = 1;
    for (const exchange *x = e->first; x; x = x->next)
        is_idle &= !x->is_done && x->pending.len == 0;
    if (is_idle) {
        curl_multi_poll(e->multi, NULL, 0, ms < 0 || ms > LONGEST_MS ? LONGEST_MS : ms, NULL);
        curl_multi_perform(e->multi, &running);
        note_ends(e);
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
