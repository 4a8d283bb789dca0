/*
 * session.h - the inside of a session.
 */
#ifndef SNUG_SESSION_SESSION_H
#define SNUG_SESSION_SESSION_H

#include <pthread.h>
#include <stdatomic.h>

#include <snug/snug.h>

#include "base/thread.h"
#include "calls/desk.h"
#include "capture/capture.h"
#include "limits/disk.h"
#include "limits/guard.h"
#include "limits/memory.h"
#include "policy/allowlist.h"
#include "policy/paths.h"
#include "py/core/interp.h"
#include "session/core/form.h"
#include "session/core/host.h"
#include "session/core/job.h"
#include "session/core/mailbox.h"
#include "session/core/park.h"
#include "session/core/pool.h"
#include "session/core/seen_files.h"
#include "session/core/stop.h"

/* Paths that cells may open: the standard library twice, zoneinfo twice, packages, the
 * work directory, the mounts. */
enum {
    SESSION_MOUNTS = 16,
    SESSION_FULL_ROOTS = 24, /* more, of a full session */
    SESSION_ROOTS = 6 + SESSION_FULL_ROOTS + SESSION_MOUNTS
};

/* A link in the work directory. */
typedef struct session_mount {
    char *name, *path; /* path: absolute and resolved */
    path_access access;
} session_mount;

/* Processes and threads of a session of bash, beside those of snug_limits.threads. */
enum { BASH_PROCESSES = 64 };

struct snug_session {
    pool_item as_spare; /* first, for the pool */
    snug_host *host;
    const session_form *form;
    struct remote *remote; /* of a session in a worker: it has no thread and no interpreter here */
    struct bash_session *shell; /* of one that is a shell, the same */
    snug_kind kind;
    char *name;
    allowlist *modules;
    snug_limits limits;
    void (*on_output)(void *payload, snug_stream stream, const char *text, size_t len);
    void (*on_display)(void *payload, snug_display_event event, const snug_display *display);
    void (*on_input)(void *payload, snug_call *call, const char *prompt);
    void *payload;
    desk *desk; /* what cells ask of the host */

    char *workdir;
    int owns_workdir; /* made by us: removed at close */
    int folder;       /* a descriptor of it, where workdir is its worker's name for it; 0: none */
    int is_private;   /* nobody else uses it */
    int has_links;    /* the mounts are there already */
    int is_scanner;
    int is_inline; /* it has no thread, and runs on owner: inline.h */
    pthread_t owner;
    const char *packages; /* folder of the packages that are allowed; NULL: none are */
    char *own_packages;   /* that, where the options name it */
    path_root roots[SESSION_ROOTS];
    size_t root_count;
    session_mount mounts[SESSION_MOUNTS];
    path_mount mount_rows[SESSION_MOUNTS]; /* the same, for policy */
    size_t mount_count;

    thread thread;
    int has_thread;
    pid_t tid;
    _Atomic int has_ended; /* the thread has nothing left to do but to return */
    mailbox mailbox;
    _Atomic uint32_t is_busy; /* SESSION_... of claim.h */
    /* Of park.h: */
    _Atomic uint64_t used_ns; /* when it was claimed last, by the clock; about */
    park_state parking;
    int is_parked;         /* it has an interpreter, and no thread */
    _Atomic int is_waking; /* 2: and was interrupted */
    struct snug_session *next_awake, *prev_awake;
    capture output;
    interp *interp; /* touched on the session's thread only, but for stops */
    guard guard;
    memory_account memory;
    int has_place; /* full.h's, of a full one */
    /* Of a full one: what the process had, and limits to be put back. */
    uint64_t data_base, data_before, file_before;
    disk_account disk;
    seen_files seen; /* in the work directory */
    int is_lost;     /* the interpreter was given up */
    int is_sealed;   /* the kernel's filters are in force */
    session_job job;
    struct cell_job *cell; /* cell_job.h */
    session_stop stop;
    uint64_t cells;                   /* run so far */
    uint64_t cpu_used_ns;             /* by all cells that have ended */
    struct snug_session *next_orphan; /* closed while its thread would not end */
};

#endif
