/*
 * session.h - the inside of a session, for session/.
 */
#ifndef SNUG_SESSION_SESSION_H
#define SNUG_SESSION_SESSION_H

#include <stdatomic.h>
#include <time.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/str.h"
#include "base/thread.h"
#include "calls/desk.h"
#include "capture/capture.h"
#include "limits/disk.h"
#include "limits/guard.h"
#include "limits/memory.h"
#include "limits/watchdog.h"
#include "policy/allowlist.h"
#include "policy/paths.h"
#include "py/core/interp.h"
#include "py/queries/save_namespace.h"
#include "session/core/form.h"
#include "session/core/host.h"
#include "session/core/mailbox.h"
#include "session/core/pool.h"
#include "session/core/seen_files.h"

/* What runs on the session's thread, and what it makes. It is part of the session
 * and not of the caller, because the thread may still be at it when the caller has
 * been answered. */
typedef struct session_job {
    void (*fn)(struct snug_session *session);
    uint64_t wall_ms; /* 0: no stop reaches it */
    uint64_t cpu_ms;
    uint64_t session_cpu_ms; /* SNUG_UNLIMITED for what is not a cell */
    uint64_t asked_ns;       /* when the caller handed it over */
    int error;
    char message[ERROR_MESSAGE_BYTES]; /* of the error */
    /* A cell: */
    str source;
    snug_limits limits;
    outcome outcome;
    uint64_t cpu_ns;
    int rung; /* that ended it */
    int is_aside;
    /* A prompt's question: */
    size_t cursor;
    int answer;
    struct name_list *names;
    struct snug_description *description;
    /* A scan: */
    struct session_scan *scan;
    /* A save or restore: */
    save_work *save;
    /* A tool to be bound: */
    desk_tool *tool;
} session_job;

#define CPU_NOT_STARTED UINT64_MAX

/* The stop of the job that runs; guarded by the watchdog's lock while armed. */
typedef struct session_stop {
    watch watch;
    uint64_t started_ns, wall_deadline_ns;
    uint64_t since_ns;             /* when the ladder was entered; 0: not yet */
    uint64_t next_ns;              /* when its next step is due */
    uint64_t last_ns, last_cpu_ns; /* at the last step */
    uint64_t waited_ns;            /* how long the ladder stood still */
    stop_reason reason;
    uint64_t limit;
    clockid_t cpu_clock;           /* of the session's thread */
    _Atomic uint64_t cpu_start_ns; /* when the job began; CPU_NOT_STARTED before */
    uint64_t begun_ns, ended_ns;   /* the same, on the clock; and when its code had ended */
    uint64_t read_ns, read_cpu_ns; /* when cpu_clock was read last, and what it said */
    int is_given_up;
} session_stop;

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

/* Who has claimed a session. */
enum { SESSION_IDLE, SESSION_CALLED, SESSION_PARKING };

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
    _Atomic uint32_t is_busy; /* SESSION_...: what uses the session */
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
    session_stop stop;
    uint64_t cells;                   /* run so far */
    uint64_t cpu_used_ns;             /* by all cells that have ended */
    struct snug_session *next_orphan; /* closed while its thread would not end */
};

/* The session's thread and interpreter; start.c. */
int session_start(snug_session *session);
void session_end(snug_session *session);
/* An interpreter on its thread that is not a session's yet; and what makes it one, or, for one that
 * has its filters already, gives it input(). */
int session_start_half(snug_session *session);
int session_give(snug_session *session);
int session_give_input(snug_session *session);
/* A thread on which nothing is set up yet; of a parked session on the stack that it has. */
int session_start_thread(snug_session *session);
/* On that of a parked one: its folder and filters, and the interpreter. A job. */
void session_move_in(snug_session *session);
/* As snug_session_reset, for who has claimed the session. */
int session_renew(snug_session *session);

/* One call at a time: SNUG_EBUSY otherwise. */
int session_claim(snug_session *session, const char *what);
/* The same for what a lost session cannot do: SNUG_EDEAD. */
int session_claim_alive(snug_session *session, const char *what);
void session_release(snug_session *session);

/* Runs session->job.fn on the session's thread, on_output here. SNUG_OK, the job's
 * error with its message, or SNUG_EDEAD: the interpreter was given up, or is_given_up
 * of the stop: the thread did not come back in time. */
int session_run_job(snug_session *session);
/* Of a cell with these limits, which may be NULL: all are set. */
snug_limits session_cell_limits(const snug_session *session, const snug_limits *limits);
/* Nobody can use the session's interpreter: SNUG_EDEAD with a message. */
int session_check_alive(const snug_session *session);
/* local_form's; where file is not NULL, the saved session is appended there and not written to
 * path. The other takes the text of one that was read from path. */
int session_save(snug_saved **out, snug_session *session, const char *path, str *file);
int session_restore(snug_saved **out, snug_session *session, const char *path, str *text);
/* What is at path, for a restore. */
int session_read_saved(str *out, const char *path);
/* In a worker, whose host has made the work directory, with its mounts. NULL: as
 * snug_session_open. */
typedef struct session_place {
    const char *workdir;
    int is_private;
} session_place;
int session_open_in(snug_session **out, snug_host *host, const snug_session_options *given,
                    const session_place *place);
/* What a cell has printed and displayed becomes its result's; run_cell.c. SNUG_OK or SNUG_ENOMEM.
 */
int session_take_output(snug_result *result, capture *output);
/* Parts of local_form, in the files of their subjects. */
int session_open_local(snug_session *session, const snug_session_options *options);
int session_end_local(snug_session *session);
int local_run(snug_result **out, snug_session *session, const char *source, size_t len,
              const snug_limits *limits, int is_aside);
int local_set(snug_session *session, const char *name, const char *json, size_t len);
int local_checkpoint(snug_session *session, checkpoint_step step);
int local_is_complete(snug_session *session, const char *source, size_t len);
int local_complete(snug_completion **out, snug_session *session, const char *source, size_t len,
                   size_t cursor);
int local_variables(snug_description **out, snug_session *session);
int local_inspect(snug_description **out, snug_session *session, const char *source, size_t len,
                  size_t cursor);
int local_save(snug_saved **out, snug_session *session, const char *path);
int local_restore(snug_saved **out, snug_session *session, const char *path);
int local_put(snug_session *session, const char *path, const void *data, size_t len);
int local_get(snug_file **out, snug_session *session, const char *path, size_t most);
int local_list(snug_listing **out, snug_session *session);
int local_remove(snug_session *session, const char *path);
int local_bind(snug_session *session, const snug_tool *tool);
void local_interrupt(snug_session *session);
int local_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
               const snug_scan_options *options);

#endif
