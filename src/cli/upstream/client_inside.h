/*
 * client_inside.h - what the files of the client share.
 */
#ifndef SNUG_CLI_CLIENT_INSIDE_H
#define SNUG_CLI_CLIENT_INSIDE_H

#include <pthread.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/str.h"
#include "cli/upstream/client.h"
#include "cli/upstream/mcptool.h"
#include "cli/upstream/message.h"
#include "cli/upstream/transport.h"

enum { MOST_TOOLS = 1000 };

typedef enum client_phase {
    CLIENT_DOWN,    /* it is not spoken with: a call begins it */
    CLIENT_GREETED, /* server/discover, initialize or both are under way */
    CLIENT_LISTED,  /* tools/list is, for the first time since */
    CLIENT_READY,
    CLIENT_GIVEN_UP
} client_phase;

typedef enum client_era { ERA_UNKNOWN, ERA_OLD, ERA_NEW } client_era;

typedef enum ask_kind { ASK_CALL, ASK_DISCOVER, ASK_INITIALIZE, ASK_LIST } ask_kind;

/* A request without its answer. */
typedef struct ask {
    struct ask *next;
    unsigned long id;
    ask_kind kind;
    int is_sent, was_lost; /* was_lost: with its session, once */
    uint64_t until_ns;     /* UINT64_MAX: for ever */
    snug_call *call;       /* of ASK_CALL, as the rest */
    const mcptool *tool;
    str params;
} ask;

typedef struct tool_array {
    mcptool **items;
    size_t count, cap;
} tool_array;

struct mcp {
    char *label;          /* what messages call it */
    transport *transport; /* the thread's */
    pthread_t thread;
    int has_thread;
    uint64_t start_ms;
    const char *limit;         /* the option that set start_ms, or "" */
    tool_array tools, retired; /* of mcp_tool; and those that were, which may still be called */

    pthread_mutex_t lock; /* of everything below, and mcptool.is_gone */
    pthread_cond_t change;
    client_phase phase;
    client_era era;
    char version[MESSAGE_VERSION_BYTES]; /* of ERA_OLD */
    uint64_t greet_at_ns; /* when a server that is silent is greeted the old way; UINT64_MAX: no */
    ask *asks;            /* in their order */
    outgoing *out, **out_end;
    unsigned long ids;
    str why;         /* it could not be greeted, or is given up */
    unsigned deaths; /* since a call was answered */
    int wants_stop, wants_start, is_closing, is_stopped /* by a signal, before it was ready */;

    tool_array coming, news; /* of a list that is not whole, and of one that is not taken up */
    int has_news, is_listing, is_stale;
    int has_stray; /* lines that are not messages */
    unsigned pages;
    uint64_t list_at_ns;  /* not before */
    uint64_t stale_at_ns; /* by the server's ttlMs; UINT64_MAX: never */
};

/* The lock is held for all of these. */

/* ---- client_ask.c ---- */

/* params: JSON, taken. NULL: there is no memory, and call, if any, is failed. */
ask *client_ask(mcp *m, ask_kind kind, const char *method, str *params);
/* Queues a call that is not sent yet. SNUG_OK or SNUG_ENOMEM. */
int client_send_call(mcp *m, ask *a);
int client_notify(mcp *m, const char *method, const char *params);
ask *client_find_ask(mcp *m, ask_kind kind);
/* Takes it out of the list and frees it. */
void client_end_ask(mcp *m, ask *a);
/* All that are not calls. */
void client_end_own(mcp *m);
/* The call is over. text: JSON, or a sentence. */
void client_end_call(mcp *m, ask *a, int is_fine, const char *text, size_t len);
/* All calls, or all that were sent. */
void client_fail_calls(mcp *m, const char *why, int sent_alone);
void client_queue(mcp *m, outgoing *o);
outgoing *client_new_outgoing(unsigned long id, const char *method);
void client_free_outgoing(outgoing *o);

/* ---- client_take.c ----
 *
 * Of a transport_user: the lock is not held. */

int client_on_message(void *payload, unsigned long stream, const char *text, size_t len);
void client_on_ending(void *payload, unsigned long id, ending how, int status, const char *why);
void client_on_death(void *payload, const char *what);

/* ---- handshake.c ---- */

/* Begins to speak with it. */
void client_begin(mcp *m);
/* The same after a server died that was asked what it would speak. */
void client_greet_old(mcp *m);
/* The answer to server/discover or initialize. error: where result is none. */
void client_take_greeting(mcp *m, ask *a, jsontext_span result, jsontext_span error);
/* There was none. status: of HTTP, or 0. */
void client_miss_greeting(mcp *m, ask *a, int status, const char *why);
/* It cannot be spoken with; why: behind its label. What waits fails. */
void client_fail_greeting(mcp *m, const char *why);
/* "initialize", of what is under way, for such sentences. */
const char *client_step(const mcp *m);

/* ---- listing.c ---- */

void client_list(mcp *m);
void client_take_page(mcp *m, ask *a, jsontext_span page);
/* The list did not come. */
void client_miss_list(mcp *m, ask *a, const char *why);
void client_note_change(mcp *m);
void client_free_tools(tool_array *tools);

#endif
