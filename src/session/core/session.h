/*
 * session.h - the inside of a session.
 */
#ifndef SNUG_SESSION_SESSION_H
#define SNUG_SESSION_SESSION_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/fixed.h"
#include "base/lasterror.h"
#include "calls/desk.h"
#include "capture/capture.h"
#include "limits/disk.h"
#include "limits/memory.h"
#include "policy/allowlist.h"
#include "policy/paths.h"
#include "py/core/interp.h"
#include "session/core/form.h"
#include "session/core/full.h"
#include "session/core/host.h"
#include "session/core/job.h"
#include "session/core/pool.h"
#include "session/core/stop.h"

/* The files of a work directory, as they were at the last look. */

typedef struct seen_file {
    uint64_t path; /* its hash */
    uint64_t inode, bytes;
    int64_t changed_ns, modified_ns;
} seen_file;

typedef struct seen_files {
    seen_file *items; /* in the order of the hashes */
    size_t count, cap;
    int is_whole;       /* nothing was left out */
    int is_written;     /* a file was opened to be written, and nobody tells when it is */
    int64_t started_ns; /* the cell, on the clock of files */
} seen_files;

void seen_files_free(seen_files *seen);

/* Which sessions and tasks of a host want to be attended, for who does not wait for one.
 *
 * Whoever has something rings: a session's sealed thread, the watchdog, a thread of the host's.
 * Whoever dispatches takes one after the other. A descriptor is readable while there are some. A
 * sealed thread cannot write to it, having a table of its own: it moves a word, and a thread of the
 * bell's, which is started with the descriptor, writes. */

typedef struct bell bell;

/* Stands in what is attended; zeroed before first use. */
typedef struct bell_item {
    struct bell_item *next; /* the bell's */
    _Atomic int has_rung;   /* it is there already */
    int is_task;            /* the owner's */
} bell_item;

/* SNUG_OK or SNUG_ENOMEM. */
int bell_open(bell **out);
/* Nothing rings any more. NULL is fine. */
void bell_close(bell *b);

/* Any thread; without a lock, so that it may be torn out of its code. */
void bell_ring(bell *b, bell_item *item);
/* The next one, or NULL. What rings from now on is there again. */
bell_item *bell_take(bell *b);
/* The item, which does not ring any more, is not there any more. */
void bell_forget(bell *b, bell_item *item);

/* The descriptor; below 0: SNUG_ESYSTEM with a message. */
int bell_fd(bell *b);
/* Waits until there is something, until until_ns (CLOCK_MONOTONIC) at the latest. */
void bell_wait(bell *b, uint64_t until_ns);
/* It is not readable any more, until somebody rings; or somebody is there already: it stays so. */
void bell_hush(bell *b);

/* What a session has on the disk, and may open of it. */

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

typedef struct session_files {
    char *workdir;
    int owns_workdir; /* made by us: removed at close */
    int is_lent;      /* with its links it is another session's, which stands for this one */
    int folder;       /* a descriptor of it, where workdir is its worker's name for it; 0: none */
    int is_private;   /* nobody else uses it */
    int has_links;    /* the mounts are there already */
    disk_account disk;
    seen_files seen; /* in the work directory */

    const char *packages; /* folder of the packages that are allowed; NULL: none are */
    char *own_packages;   /* that, where the options name it */
    path_root roots[SESSION_ROOTS];
    size_t root_count;
    session_mount mounts[SESSION_MOUNTS];
    path_mount mount_rows[SESSION_MOUNTS]; /* the same, for policy */
    size_t mount_count;
} session_files;

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
