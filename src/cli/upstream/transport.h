/*
 * transport.h - how messages go to an MCP server and come from it: by the stdin and stdout of a
 * process, or by streamable HTTP.
 *
 * All on the thread of the server's client, but for wake.
 */
#ifndef SNUG_CLI_TRANSPORT_H
#define SNUG_CLI_TRANSPORT_H

#include <stddef.h>

#include "base/str.h"
#include "cli/upstream/upstreams.h"

enum { MESSAGE_BYTES = 32 * 1024 * 1024 };
/* What a message with more is refused with, behind the name of the server. */
#define TOO_LARGE "sent a message of more than 32 MiB"

enum { TRANSPORT_VERSION_BYTES = 16 };

/* One message to the server. */
typedef struct outgoing {
    unsigned long id;    /* of a request; 0: it is not one */
    const char *method;  /* NULL: it is an answer */
    const char *version; /* of the protocol; NULL: it is not known yet */
    int is_new;          /* of the newer revision, a request */
    const char *tool;    /* that it calls; NULL: none */
    str text;
} outgoing;

typedef enum ending {
    ENDING_BROKEN,  /* there is no connection, or no whole answer; why says so */
    ENDING_REFUSED, /* status says so, and nothing that is a message */
    ENDING_LOST     /* the server does not know the session, or with a status of 400 perhaps not */
} ending;

/* Who uses it. They may send, but neither drop nor stop. */
typedef struct transport_user {
    void *client;
    /* A message that came; stream: the request that it answers or belongs to, 0: any. 2: it
     * was that answer, 1: another message, 0: it is none. */
    int (*on_message)(void *client, unsigned long stream, const char *text, size_t len);
    /* A request that will not be answered; 0: all of them. */
    void (*on_ending)(void *client, unsigned long id, ending how, int status, const char *why);
    /* All of them. what: of "the server %s". */
    void (*on_death)(void *client, const char *what);
} transport_user;

typedef struct transport transport;

typedef struct transport_kind {
    int has_streams; /* each request has its own; else the protocol has messages for its end */
    int (*start)(transport *t);                      /* SNUG_OK or an error with a message */
    void (*stop)(transport *t);                      /* start may follow */
    int (*send)(transport *t, const outgoing *sent); /* SNUG_OK or SNUG_ENOMEM */
    void (*drop)(transport *t, unsigned long id);
    void (*turn)(transport *t, int ms); /* waits for at most so long, -1: for ever */
    void (*wake)(transport *t);
    void (*free)(transport *t, int at_once);
} transport_kind;

struct transport {
    const transport_kind *kind;
    transport_user user;
};

/* SNUG_OK or an error with a message. */
int stdio_transport_open(transport **out, const char *command, const transport_user *user);
int web_transport_open(transport **out, const upstream *server, const transport_user *user);

#endif
