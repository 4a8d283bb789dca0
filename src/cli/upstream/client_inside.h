/*
 * client_inside.h - what the two files of the client share. All of it is for the client's thread.
 */
#ifndef SNUG_CLI_CLIENT_INSIDE_H
#define SNUG_CLI_CLIENT_INSIDE_H

#include <pthread.h>
#include <stdint.h>

#include "base/jsontext.h"
#include "base/str.h"
#include "cli/upstream/client.h"
#include "cli/upstream/mcptool.h"
#include "cli/upstream/transport.h"

/* The revision whose requests say how they are to be read, and the newest with a handshake. */
#define MCP_NEW "2026-07-28"
#define MCP_OLD "2025-11-25"

#define MCP_TEXT_OF(x) #x
#define MCP_DIGITS(x)  MCP_TEXT_OF(x)
/* Who snug says that it is. */
#define MCP_CLIENT                                                                        \
    "{\"name\": \"snug\", \"version\": \"" MCP_DIGITS(SNUG_VERSION_MAJOR) "." MCP_DIGITS( \
        SNUG_VERSION_MINOR) "." MCP_DIGITS(SNUG_VERSION_PATCH) "\"}"

typedef enum client_phase {
    CLIENT_DOWN,     /* a call starts it */
    CLIENT_STARTING, /* client_greet is at work */
    CLIENT_READY,
    CLIENT_GIVEN_UP
} client_phase;

typedef enum client_era { ERA_UNKNOWN, ERA_OLD, ERA_NEW } client_era;

/* A call without its answer. */
typedef struct ask {
    struct ask *next;
    unsigned long id;      /* once it is sent */
    int is_sent, was_lost; /* was_lost: with its session, once */
    snug_call *call;
    const mcptool *tool;
    str params;
} ask;

/* A request of client_greet. */
typedef struct own_request {
    unsigned long id; /* 0: it was not made */
    enum { OWN_WAITS, OWN_RESULT, OWN_ERROR, OWN_MISSED } state;
    int status; /* OWN_MISSED: of HTTP, or 0 */
    str text;   /* the result or the error, JSON; or why there is none */
} own_request;

struct mcp {
    char *label; /* what messages call it */
    transport *transport;
    pthread_t thread;
    int has_thread;
    uint64_t start_ms;
    const char *limit; /* the option that set start_ms, or "" */

    /* The thread's own. */
    client_era era;
    char version[TRANSPORT_VERSION_BYTES]; /* of ERA_OLD */
    own_request own[2];
    unsigned long ids;
    unsigned deaths; /* since a call was answered */
    int is_dead;     /* it has ended, and is to be stopped */
    str last_words;

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t change;
    client_phase phase;
    ask *asks; /* in their order */
    str why;   /* it could not be greeted, or is given up */
    int wants_start, is_closing, is_stopped /* by a signal, before it was ready */;
    int has_tools;
    mcptool **tools; /* the thread's before has_tools, and then as they are */
    size_t tool_count, tool_cap;
};

/* Starts the server, agrees on a revision with it and, the first time, lists its tools; else why
 * says what went wrong, and all calls fail. */
void client_greet(mcp *m);
/* Sends what waits, and hears what comes until that time at most: 1; 0: it is to end. */
int client_turn(mcp *m, uint64_t until_ns);
/* SNUG_OK or SNUG_ENOMEM. id: of a request; 0: a notification. params: an object. tool: that the
 * request calls, or NULL. */
int client_send(mcp *m, unsigned long id, const char *method, const char *params, const char *tool);
/* The server is stopped, by that sentence without its name, and all calls fail. */
void client_fail(mcp *m, const char *why);
void client_free_tools(mcp *m);

#endif
