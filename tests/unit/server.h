/*
 * server.h - an HTTP server for tests: answers each request by the next bytes of a script.
 */
#ifndef SNUG_TEST_SERVER_H
#define SNUG_TEST_SERVER_H

#include <pthread.h>
#include <stddef.h>

#include "base/str.h"

enum { SERVER_MOST = 16 };

typedef struct server_answer {
    const char *bytes;
    size_t piece;     /* written in pieces of so many bytes; 0: at once */
    int holds;        /* after the bytes the connection stays open, and silent, until server_stop */
    int keeps;        /* after the bytes the connection waits for the next request */
    const char *then; /* NULL, or more bytes, after */
    long pause_ms;    /* so much silence */
} server_answer;

typedef struct server {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int listener, port;
    int gate[2]; /* readable: it is stopped */
    const server_answer *answers;
    size_t answer_count;
    /* under lock */
    size_t request_count, connection_count;
    str requests[SERVER_MOST]; /* as they came: head and body */
} server;

/* Past the last answer connections are closed unanswered. */
void server_start(server *s, const server_answer *answers, size_t count);
void server_stop(server *s);
void server_free(server *s);
/* Until so many requests came. */
void server_await(server *s, size_t count);

#endif
