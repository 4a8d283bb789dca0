/*
 * server.h - an MCP server over a supervisor of sessions: who speaks, what is asked, and threads
 * that answer. It knows nothing of how messages travel: a transport hands them in, with a wire for
 * the way back.
 *
 * The Model Context Protocol, revisions 2026-07-28 (stateless: each request carries its own
 * metadata) and 2025-11-25 (a handshake first).
 * https://modelcontextprotocol.io/specification/2026-07-28
 */
#ifndef SNUG_CLI_MCP_SERVER_H
#define SNUG_CLI_MCP_SERVER_H

#include <pthread.h>
#include <stddef.h>

#include <snug/supervisor.h>

#include "base/thread.h"
#include "cli/mcp/handles.h"
#include "cli/mcp/rpc.h"
#include "cli/program/options.h"
#include "cli/program/served_limits.h"
#include "cli/program/signals.h"
#include "cli/tools/user_tools.h"

#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25"
#define MCP_META   "io.modelcontextprotocol/"

enum {
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
    MCP_TRY_LATER = -32000
};

#define MCP_IS_ENDING "the server is ending"

typedef enum mcp_status {
    MCP_FINE = 200,
    MCP_TAKEN = 202,
    MCP_BAD = 400,
    MCP_NO_METHOD = 404,
    MCP_OVER_SHARE = 429,
    MCP_UNAVAILABLE = 503
} mcp_status;

/* The way back. Any thread; the functions do not call back. */
typedef struct mcp_wire {
    /* A message that is not the answer. */
    void (*tell)(void *payload, const char *text, size_t len);
    /* The answer, once for each message; wire and payload are not used afterwards. text NULL: there
     * is none, of a notification, or because the request was cancelled. */
    void (*answer)(void *payload, mcp_status status, const char *text, size_t len);
    void *payload;
    int takes_requests; /* tell can be a request to the client */
} mcp_wire;

/* A client as its token names it: the tenant of its sessions. Lives as long as the server. */
typedef struct mcp_principal {
    struct mcp_principal *next;
    size_t working; /* of its calls */
    uint64_t turn;  /* the number of its last one */
    char name[];
} mcp_principal;

/* Who speaks: a process at the other end of stdio, a client session of the older revision, or a
 * principal for one request. */
typedef struct mcp_peer {
    mcp_principal *principal;
    int is_alone;    /* for one request: ids of others are not its own */
    int is_greeted;  /* by a handshake of the older revision */
    int is_modern;   /* by what its transport has seen */
    int takes_forms; /* of elicitation, by its handshake */
    unsigned uses;   /* of its calls, and of those that hold it */
    char own[2]
            [HANDLE_BYTES]; /* the session of Python and of bash that calls without one go on in */
} mcp_peer;

/* By the client, which expects no answer any more, or by the server. */
typedef enum cancelling { CANCELLED_NOT, CANCELLED_BY_CLIENT, CANCELLED_BY_SERVER } cancelling;

enum { CELL_ID_BYTES = 32 };

/* A message that is being answered. */
typedef struct mcp_call {
    struct mcp_server *server;
    mcp_principal *principal;
    mcp_peer *peer; /* NULL: no request waits for its cell now (asking.h) */
    mcp_wire wire;  /* the same: all are NULL */
    rpc_message message;
    int is_modern;
    char *progress_token; /* as JSON; NULL: none */
    uint64_t progress, told_ns;
    str output; /* that was not told yet */
    const struct mcp_tool *tool;
    /* Answers it, on a thread of the server's. why: it is refused, and so says why; NULL. */
    void (*serve)(struct mcp_call *c, const char *why);
    int works; /* a thread has it */
    cancelling is_cancelled;
    handle *handle;    /* that it has, while it works */
    int is_running;    /* a cell of that */
    uint64_t since_ns; /* it waits */
    /* Of a cell that may ask: asking.h */
    struct question *questions;
    char cell[CELL_ID_BYTES]; /* by which further requests find it; "": by none */
    uint64_t alone_ns;        /* since when no request waits for it */
    struct mcp_call *next;
} mcp_call;

typedef struct mcp_server {
    const options *options;
    const struct tokens *tokens;
    mcp_limits limits;
    snug_supervisor *supervisor;
    const char *state_dir; /* of the supervisor: what clients save lies there too */
    tools *tools;
    int has_bash;
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t work, idle, tick;
    handles handles;
    mcp_principal *principals;
    uint64_t turns;
    mcp_call *calls; /* in the order in which they came */
    uint64_t asked;  /* questions */
    int asks_nobody;
    size_t waiting, working, threads;
    thread *pool;
    thread clock;
    int has_clock, is_ending;
    int has_lost; /* what could not be saved */
} mcp_server;

/* SNUG_OK, or an error with its message. Everything else is filled in. */
int mcp_server_start(mcp_server *s);
/* No message is taken any more: those that wait are given up, and what works is interrupted after
 * ms. Waits for its end. */
void mcp_server_stop(mcp_server *s, uint64_t ms);

/* Behind that: closes sessions of bash, which have no saved state, and saves and closes all others;
 * what cannot be is said on stderr. Once. */
void mcp_server_save(mcp_server *s);

/* Behind that, when no transport uses it any more. */
void mcp_server_free(mcp_server *s);

/* The share of that many places that one principal may have: --share of them, and one stays free
 * for each other name of the tokens. */
uint64_t server_share(const mcp_server *s, uint64_t places);

int mcp_peer_open(mcp_peer **out, mcp_server *s, const char *principal);
/* Cancels what it has asked for, and releases it. */
void mcp_peer_close(mcp_server *s, mcp_peer *peer);
/* Whether calls of its are under way. */
int mcp_peer_is_busy(mcp_server *s, const mcp_peer *peer);

/* It is freed when it is released as often as it was opened and held, and its calls have ended. */
void mcp_peer_hold(mcp_server *s, mcp_peer *peer);
void mcp_peer_release(mcp_server *s, mcp_peer *peer);

/* Takes a message of the peer's, which is emptied: it is answered on the wire, now or later. */
void mcp_server_take(mcp_server *s, mcp_peer *peer, const mcp_wire *wire, rpc_message *message);
/* Nobody waits for the answer any more: as if the request had been cancelled. payload: of its
 * wire. */
void mcp_server_hang_up(mcp_server *s, const void *payload);

/* ---- transports ----
 *
 * The status of the program. */

/* Serves one client on stdin and stdout until its input ends or a signal comes: what it has asked
 * until then is answered, but for a signal. */
int mcp_serve_stdio(mcp_server *s, signals *sig);
/* Serves many by HTTP, until a signal comes. */
int mcp_serve_http(mcp_server *s, signals *sig);

/* ---- for methods and tools ---- */

/* Each answers the call and frees it; member: "result" or "error", with that JSON; NULL: with
 * nothing. */
void call_send(mcp_call *c, mcp_status status, const char *member, const char *body);
void call_result(mcp_call *c, const char *result);
void call_fail(mcp_call *c, mcp_status status, int code, const char *message, const char *data);
void call_free(mcp_call *c);
/* The end of a call without an answer. */
void call_leave(mcp_call *c, mcp_status status);
/* The end of one that is cancelled: answered with an error, unless the client has cancelled it. */
void call_abandon(mcp_call *c);
/* Appends what every result of the newer revision has, with a comma behind it: nothing for the
 * older ones. ttl_ms below 0: the result is not one to be kept. */
int call_begin_result(str *out, const mcp_call *c, long ttl_ms, const char *scope);
cancelling call_is_cancelled(mcp_call *c);
/* Tells of output while a cell runs. */
void call_progress(mcp_call *c, const char *text, size_t len);
/* Puts it into the queue of the threads: *c is theirs. */
void call_queue(mcp_call *c);
/* Cancels the call of that id, if there is one. */
void server_cancel(mcp_server *s, const mcp_peer *peer, const char *id);
/* With the lock: whether one of that id is under way. */
int server_has_call(mcp_server *s, const mcp_peer *peer, const char *id);

#endif
