/*
 * connections.h - the inside of a server: requests and connections, for http/.
 */
#ifndef SNUG_HTTP_CONNECTIONS_H
#define SNUG_HTTP_CONNECTIONS_H

#include <pthread.h>

#include "base/str.h"
#include "base/thread.h"
#include "http/http.h"
#include "http/mhd_library.h"

typedef struct connection {
    struct http_server *server;
    int fd;
    uint64_t deadline_ns;  /* for what is being read; UINT64_MAX: nothing is */
    const char *principal; /* of its last head that was right; NULL: there was none */
    struct connection *next;
} connection;

typedef enum request_state {
    REQUEST_READ,     /* it is being read */
    REQUEST_GIVEN,    /* its route has it */
    REQUEST_ANSWERED, /* the answer is there, whole */
    REQUEST_STREAMS
} request_state;

/* Belongs to the connection and to who answers it; freed by the last of them. */
struct http_request {
    http_server *server;
    struct MHD_Connection *connection; /* NULL: it is gone */
    connection *of;
    const http_route *route;
    const char *principal;
    str body;
    int is_long; /* its body is over the limit */
    request_state state;
    int is_suspended; /* and watched */
    int is_queued;    /* the library has the response */
    int is_gone;      /* the client, or it is to be disconnected */
    int is_over;      /* of a stream: nothing more comes */
    int is_held;      /* by who answers it */
    unsigned status;
    const char *type;    /* static */
    str headers, answer; /* answer: of a stream, what is not sent */
    size_t sent;
    uint64_t beat_ns;
    void (*hung_up)(void *payload);
    void (*release)(void *payload);
    unsigned calling; /* threads that are in hung_up */
    void *payload;
    http_request *next;
};

struct http_server {
    http_options options;
    int is_loopback;
    uint16_t port;
    int socket, epoll, wake;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* of all that follows, and of all requests */
    pthread_cond_t change;
    connection *connections;
    http_request *requests;
    thread watcher;
    int has_watcher, is_closing;
};

/* With the lock. Its connection rests until resume. */
void request_suspend(http_request *r);
void request_resume(http_request *r);
/* Tells who answers it that the client has gone, if nobody has yet. With the lock, which is
 * released meanwhile. */
void request_hang_up(http_request *r);
/* Frees it when nobody has it any more. With the lock. */
void request_tidy(http_request *r);
/* What is wrong with the head of a request: 0, or a status with its text. */
unsigned head_check(const char **why, http_request *r, const char *method, const char *path);
/* Watches connections that rest, and the time. */
void *watch_connections(void *payload);

#endif
