/*
 * session.h - the inside of a session, for session/.
 */
#ifndef SNUG_SESSION_SESSION_H
#define SNUG_SESSION_SESSION_H

#include <stdatomic.h>

#include <snug/snug.h>

#include "base/thread.h"
#include "capture/capture.h"
#include "limits/watchdog.h"
#include "policy/allowlist.h"
#include "policy/paths.h"
#include "py/interp.h"
#include "session/host.h"
#include "session/mailbox.h"

/* Paths that cells may open: the standard library twice, zoneinfo twice, the work
 * directory. */
enum { SESSION_ROOTS = 5 };

struct snug_session {
    snug_host *host;
    char *name;
    allowlist *modules;
    snug_limits limits;
    void (*on_output)(void *payload, snug_stream stream, const char *text, size_t len);
    void *payload;

    char *workdir;
    int owns_workdir;  /* made by us: removed at close */
    path_root roots[SESSION_ROOTS];
    size_t root_count;

    thread thread;
    int has_thread;
    mailbox mailbox;
    _Atomic int is_busy; /* a call is using the session */
    capture output;
    interp *interp; /* touched on the session's thread only, but for interp_stop */

    /* The stop of the job that runs (stop.c). */
    watch watch;
    uint64_t wall_ms; /* of this job */
    uint64_t cells;   /* run so far */
};

/* The session's thread and interpreter; open.c. */
int session_start(snug_session *session);
void session_end(snug_session *session);

/* One call at a time: SNUG_EBUSY otherwise. */
int session_claim(snug_session *session, const char *what);
void session_release(snug_session *session);

/* A job on the session's thread under a deadline. */
typedef struct session_job {
    snug_session *session;
    void (*fn)(struct session_job *job);
    uint64_t wall_ms;
    int error;
    const char *message; /* of the error, on the session's thread */
} session_job;

/* Runs job->fn there, on_output here; the answer is job->error with its message. */
int session_run_job(session_job *job);

#endif
