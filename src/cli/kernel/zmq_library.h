/*
 * zmq_library.h - libzmq, which is loaded when a kernel begins: no other command of the program has
 * it in its process, nor needs it to be installed.
 */
#ifndef SNUG_CLI_ZMQ_LIBRARY_H
#define SNUG_CLI_ZMQ_LIBRARY_H

#include <zmq.h>

/* Its functions, by the names of zmq.h without their prefix. */
#define ZMQ_FUNCTIONS(X)                                                          \
    X(const char *, strerror, (int error))                                        \
    X(void *, ctx_new, (void))                                                    \
    X(int, ctx_set, (void *context, int option, int value))                       \
    X(int, ctx_term, (void *context))                                             \
    X(void *, socket, (void *context, int type))                                  \
    X(int, close, (void *socket))                                                 \
    X(int, setsockopt, (void *socket, int option, const void *value, size_t len)) \
    X(int, getsockopt, (void *socket, int option, void *value, size_t *len))      \
    X(int, bind, (void *socket, const char *address))                             \
    X(int, send, (void *socket, const void *data, size_t len, int flags))         \
    X(int, recv, (void *socket, void *buffer, size_t len, int flags))             \
    X(int, poll, (zmq_pollitem_t * items, int count, long timeout_ms))            \
    X(int, msg_init, (zmq_msg_t * message))                                       \
    X(int, msg_recv, (zmq_msg_t * message, void *socket, int flags))              \
    X(int, msg_close, (zmq_msg_t * message))                                      \
    X(void *, msg_data, (zmq_msg_t * message))                                    \
    X(size_t, msg_size, (const zmq_msg_t *message))                               \
    X(int, msg_more, (const zmq_msg_t *message))

typedef struct zmq_library {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): these are a type and the parameters of a function. */
#define ZMQ_MEMBER(type, name, arguments) type(*name) arguments;
    ZMQ_FUNCTIONS(ZMQ_MEMBER)
#undef ZMQ_MEMBER
} zmq_library;

/* Filled in by zmq_library_load. The process's, because a library is loaded once in it. */
extern zmq_library libzmq;

/* SNUG_OK, or SNUG_ENOTFOUND with what to install. It stays loaded: its threads may outlive their
 * context by a moment. */
int zmq_library_load(void);

#endif
