/*
 * session.h - the inside of a session.
 */
#ifndef SNUG_SESSION_SESSION_H
#define SNUG_SESSION_SESSION_H

#include <stdatomic.h>

#include <snug/snug.h>

#include "base/fixed.h"
#include "base/lasterror.h"
#include "calls/desk.h"
#include "capture/capture.h"
#include "limits/memory.h"
#include "policy/allowlist.h"
#include "py/core/interp.h"
#include "session/core/bell.h"
#include "session/core/form.h"
#include "session/core/full.h"
#include "session/core/host.h"
#include "session/core/job.h"
#include "session/core/park.h"
#include "session/core/pool.h"
#include "session/core/session_files.h"
#include "session/core/session_thread.h"
#include "session/core/stop.h"

/* Processes and threads of a session of bash, beside those of snug_limits.threads. */
enum { BASH_PROCESSES = 64 };

/* What functions of atexit and finalizers may take when a session is closed, by default. */
enum { SESSION_CLOSING_MS = 5000 };

/* The options': what the caller's thread calls while a cell runs. */
typedef struct session_callbacks {
    void (*on_output)(void *payload, snug_stream stream, const char *text, size_t len);
    void (*on_display)(void *payload, snug_display_event event, const snug_display *display);
    void (*on_input)(void *payload, snug_call *call, const char *prompt);
    void (*on_tool_call)(void *payload, const snug_tool_call *call);
    void (*on_approval)(void *payload, snug_call *call);
    void *payload;
} session_callbacks;

struct snug_session {
    pool_item as_spare; /* first, for the pool */
    snug_host *host;
    const session_form *form;
    snug_session *front;               /* that it stands for; NULL: it is one itself: claim.h */
    _Atomic(snug_session *) successor; /* of a front */
    struct remote *remote; /* of a session in a worker: it has no thread and no interpreter here */
    struct bash_session *shell; /* of one that is a shell, the same */

    snug_kind kind;
    char *name;
    allowlist *modules;
    snug_limits limits;
    fixed_values fixed;
    session_callbacks callbacks;
    session_files files;
    int is_scanner;

    _Atomic uint32_t is_busy; /* SESSION_... of claim.h */
    _Atomic int is_stopped;   /* it was interrupted since its last save began */
    last_error last_error;    /* of the functions of snug.h */
    session_thread thread;
    session_parking park;
    session_full full;

    interp *interp; /* touched on the session's thread only, but for stops */
    int is_lost;    /* the interpreter was given up */
    memory_account memory;
    capture output;
    desk *desk; /* what cells ask of the host */
    session_job job;
    struct cell_job *cell; /* cell_job.h */
    session_stop stop;

    /* Of tasks: */
    bell_item rings;
    struct snug_task *task, *ended; /* the cell that is under way; the last one: guarded by the
                                       host's task_lock */

    uint64_t closing_ms;              /* what its code may take for its end; 0: the default */
    uint64_t cells;                   /* run so far */
    uint64_t cpu_used_ns;             /* by all cells that have ended */
    struct snug_session *next_orphan; /* closed while its thread would not end */
};

#endif
