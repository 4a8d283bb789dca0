/*
 * serve.h - the worker's side of the protocol (worker/protocol/frame.h): requests become calls of
 * snug.h.
 *
 * One thread reads, and serves what it has read itself. Where that takes longer, another thread
 * takes over the reading: so interrupts and other sessions are served meanwhile, and a small cell
 * wakes nobody.
 */
#ifndef SNUG_WORKER_SERVE_H
#define SNUG_WORKER_SERVE_H

#include <pthread.h>
#include <stdint.h>

#include <snug/program.h>

#include "base/spin.h"
#include "wire/pack.h"
#include "worker/protocol/frame.h"

/* A call that the host has to answer. */
typedef struct serve_call {
    snug_call *call;
    uint64_t id;
    int is_input, is_told; /* is_told: that it was given up */
    struct serve_call *next;
} serve_call;

/* Programs that a channel keeps: of more, some are made again at each call. */
enum { SERVE_PROGRAMS = 256 };

/* One that the host has called in the channel's session, by the number that it has there. */
typedef struct serve_program {
    uint64_t id;
    snug_program *made; /* NULL: none */
} serve_program;

typedef struct channel {
    struct server *server;
    uint32_t id;
    uint32_t number;       /* of the request that is being served; 0: none */
    uint32_t to_interrupt; /* the request that is to be interrupted, */
    int is_gentle;         /* but not what it runs in C */
    snug_session *session; /* NULL: not opened */
    serve_call *calls;     /* the server's lock guards these three */
    uint64_t calls_made;
    uint64_t untaken; /* bytes of output that the host has not taken yet */
    pthread_cond_t taken;
    serve_program *programs; /* SERVE_PROGRAMS of them; NULL before the first. Of who serves it */
    struct channel *next;
} channel;

typedef struct server {
    int in, out;
    const struct host_form *form; /* of its host */
    snug_host *host;              /* NULL before hello */
    pthread_mutex_t writing;
    pthread_mutex_t lock; /* of all below, and of the channels */
    channel *channels;
    frame_reader stream; /* who reads has it, and spin */
    spin spin;
    uint64_t reader;            /* number of the thread that reads; 0: nobody */
    uint64_t busy_since_ns;     /* it serves a request; 0: no */
    uint64_t threads, idle;     /* started; waiting to read */
    struct serve_thread *ended; /* to be joined; serve.c */
    pthread_cond_t may_read;
    pthread_cond_t is_watched; /* the watch shall look */
    int watch_sleeps;
} server;

/* Serves until the stream ends. Answers the exit status. */
int serve(int in, int out, const struct host_form *form);
/* A descriptor of our own for what in is, which is /dev/null from now on, as is out. -1 with errno.
 */
int serve_own_stream(int in, int out);

/* For the requests: requests.c. */
int serve_request(channel *c, frame_kind kind, unpacker *u, packer *out);
/* FRAME_HELLO: the first request, on the only thread. SNUG_OK or an error with a message. */
int serve_hello(channel *c, unpacker *u, packer *out);
/* FRAME_COMPUTE, of a channel that has a session. SNUG_OK or an error with a message. */
int serve_compute(channel *c, unpacker *u, packer *out);
void serve_free_programs(channel *c);
/* The request is not one of this protocol: SNUG_EINVAL with a message. */
int serve_refuse(void);
/* Sends what a cell has printed or shown, frees it, and waits while the host has much of it before
 * it. */
void serve_output(channel *c, frame_kind kind, packer *body);
/* 0, or -1: the host is gone. */
int serve_send(server *s, frame_kind kind, const channel *c, const packer *body);
/* The lock is held in these two. The calls of a request that has ended fail. */
void serve_forget_calls(channel *c);
/* FRAME_ANSWER: one that comes after its request has ended is passed over. */
void serve_answer(channel *c, unpacker *u);

#endif
