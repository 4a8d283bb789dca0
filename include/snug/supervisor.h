/*
 * supervisor.h - sessions for servers: found by the names of their tenants and their own, opened
 * when they are called, saved and closed when nobody calls, restored at the next call.
 *
 *     snug_supervisor *supervisor;
 *     snug_served *served;
 *     snug_supervisor_options options = SNUG_SUPERVISOR_OPTIONS_INIT;
 *     options.state_dir = "/var/lib/mine/sessions";
 *     if (snug_supervisor_open(&supervisor, &options) ||
 *         snug_supervisor_run(&served, supervisor, "ada", "talk 1", NULL, "6 * 7", 5, NULL))
 *         return fprintf(stderr, "%s\n", snug_error_message()), 1;
 *     puts(snug_served_json(served, NULL));
 *
 * A tenant is a trust domain: in the form SNUG_FORM_WORKER, the default, each has a worker of its
 * own, and no two share a process. In the form SNUG_FORM_LOCAL one host in this process is all
 * tenants': they are kept apart by names and limits only.
 *
 * Names of tenants and sessions are any UTF-8 text of 1 to SNUG_SUPERVISOR_NAME_BYTES bytes, of
 * which each counts three but for letters and digits of ASCII, "-" and "_": they are names of files
 * too. Who may call which is the caller's to decide.
 *
 * What is kept. A session that nobody has called for idle_ms is saved into the state folder with
 * the files of its work directory, as by snug_session_save, and closed; so is the one that was
 * used least recently where there is no room for another. After snug_supervisor_drain all are, and
 * a supervisor that is opened on the folder later has every one of them. Between two saves a
 * session lives in memory only: when this process or the session's worker is killed, what it has
 * done since its last save is lost, and what is left is the last save. save_idle_ms and
 * save_every_cells make that little. It is never lost in silence: snug_arrival tells the next
 * caller, even in another process, how many cells were lost.
 *
 * Errors, ownership, text and forks are as in snug.h. All functions may be called from any number
 * of threads at once, but a lease is used by one thread at a time, and nothing else may be going on
 * while snug_supervisor_close runs. Nothing here waits for longer than wait_ms for its turn. Open,
 * restore, cells and saves take the time that they take, within the limits of the session.
 */
#ifndef SNUG_SUPERVISOR_H
#define SNUG_SUPERVISOR_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SNUG_SUPERVISOR_NAME_BYTES 200

typedef struct snug_supervisor snug_supervisor;
typedef struct snug_lease snug_lease;
typedef struct snug_served snug_served;
typedef struct snug_supervisor_state snug_supervisor_state;

/* ---- limits ---- */

/* Zero means the default; snug_supervisor_limit_info lists them. SNUG_UNLIMITED for none. */
typedef struct snug_supervisor_limits {
    size_t size;
    uint64_t hosts;           /* workers at once */
    uint64_t sessions;        /* open at once, of all tenants */
    uint64_t tenant_sessions; /* of one tenant */
    uint64_t cells;           /* that run at once, with opens and restores for a call; default: as
                                 many as there are processors */
    uint64_t memory_bytes;    /* of all workers with their children, shared pages by their share; in
                                 the form SNUG_FORM_LOCAL of this process */
    uint64_t idle_ms;         /* since the last call of a session, before it is saved and closed */
    uint64_t worker_idle_ms;  /* since the last session of a worker was closed, before it ends */
    uint64_t waiting;         /* calls of a tenant that wait for their turn */
    uint64_t wait_ms;         /* that a call waits for its turn */
    uint64_t save_every_cells; /* cells between two saves; the save comes before the last one is
                                  answered */
    uint64_t drain_save_ms;    /* of a drain, until the save of a session is given up */
    uint64_t save_idle_ms;     /* since the last call of a session that has changed, before it is
                                  saved, and stays open; ten times as long as its last save took if
                                  that is more. A call interrupts this save, and that of idle_ms:
                                  it is made when the session has rested again */
    uint64_t drain_ms;         /* of a drain, until all that is not saved is given up; until then
                                  saves are tried again that failed by the disk or for want of a
                                  GIL */
} snug_supervisor_limits;
#define SNUG_SUPERVISOR_LIMITS_INIT                                           \
    {                                                                         \
        sizeof(snug_supervisor_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* The table of these, in the order of the struct; NULL past its end. option is NULL. */
SNUG_EXTERN const snug_limit_description *snug_supervisor_limit_info(size_t index);

/* ---- the supervisor ---- */

typedef enum snug_supervisor_event_kind {
    SNUG_SUPERVISOR_EVENT_OPENED,      /* a new session */
    SNUG_SUPERVISOR_EVENT_RESTORED,    /* a session that was saved */
    SNUG_SUPERVISOR_EVENT_SAVED,       /* a session, which stays open */
    SNUG_SUPERVISOR_EVENT_PUT_AWAY,    /* a session was saved and closed */
    SNUG_SUPERVISOR_EVENT_SAVE_FAILED, /* the session stays open; tried again after idle_ms, or
                                          soon where another session held the GIL */
    SNUG_SUPERVISOR_EVENT_LOST,        /* a session with what it had not saved: when it is closed,
                                          and when a call learns of it */
    SNUG_SUPERVISOR_EVENT_DAMAGED,     /* what was saved is damaged, or could not be restored twice,
                                          and is put aside, as NAME.damaged */
    SNUG_SUPERVISOR_EVENT_WORKER_STARTED,
    SNUG_SUPERVISOR_EVENT_WORKER_ENDED, /* nobody needed it */
    SNUG_SUPERVISOR_EVENT_WORKER_DIED,
    SNUG_SUPERVISOR_EVENT_STATE_FAILED /* the state folder could not be written: what is lost from
                                    now on may be reported wrongly. Or a save could not be read:
                                    the call has failed */
} snug_supervisor_event_kind;

typedef struct snug_supervisor_event {
    snug_supervisor_event_kind kind;
    const char *tenant, *session; /* session: "" for what is about a worker */
    const char *message;          /* one sentence; "" where there is no more to say */
} snug_supervisor_event;

/* The word for an event: "save_failed", ... */
SNUG_EXTERN const char *snug_supervisor_event_name(snug_supervisor_event_kind kind);

typedef struct snug_supervisor_options {
    size_t size;
    const char *state_dir; /* made with mode 0700 where it is not there; of one supervisor at a
                              time, also of other processes */
    const snug_host_options
        *host; /* of every host. NULL: the form SNUG_FORM_WORKER with defaults */
    const snug_supervisor_limits *limits; /* NULL: the defaults */
    /* Called for each session that was opened, before it is restored, on the thread of the call:
     * the place to bind its tools. Not SNUG_OK: the call fails with that. NULL: none. */
    int (*on_session)(void *payload, snug_session *session, const char *tenant, const char *name);
    /* Tells what happens, on the thread where it does, which may be one of the supervisor's. It may
     * call snug_supervisor_report and nothing else of this header. NULL: none. */
    void (*on_event)(void *payload, const snug_supervisor_event *event);
    void *payload;
} snug_supervisor_options;
#define SNUG_SUPERVISOR_OPTIONS_INIT                                        \
    {                                                                       \
        sizeof(snug_supervisor_options), NULL, NULL, NULL, NULL, NULL, NULL \
    }

/* Opens a supervisor on a state folder. SNUG_EBUSY if another supervisor has it, SNUG_EPOLICY if
 * others than its owner can read it, SNUG_ESYSTEM if it cannot be made or written. In the form
 * SNUG_FORM_LOCAL the host is opened here, else each tenant's at its first call. */
SNUG_EXTERN int snug_supervisor_open(snug_supervisor **out, const snug_supervisor_options *options);
/* Ends it without saving: what was not drained is lost but for its last save. SNUG_EBUSY while
 * leases are open or calls under way. After drain_ms of a drain workers that are left are killed.
 * NULL is fine. */
SNUG_EXTERN int snug_supervisor_close(snug_supervisor *supervisor);

/* Prepares for the end. No call gets a turn any more: each is SNUG_EBUSY, those that wait too.
 * Sessions that nobody uses are saved and closed at once, several at a time, the one that was used
 * last first and those whose last save failed or took long at the end, of a tenant one at a time;
 * one whose save does not end delays the others of its tenant by a second, and is given up after
 * drain_save_ms. Waits until the cells that run have ended and the leases are closed; what still
 * runs after ms is interrupted, and saved like the others. After drain_ms all that is not saved is
 * given up, and on_event tells each; all workers are killed a second later if a save has not ended
 * by then. Then the workers end. SNUG_EBUSY where leases are open after that; SNUG_ESTOPPED with
 * the last reason where sessions could not be saved, which stay open, or were lost before or while
 * they were saved, which are closed. It can be called again. */
SNUG_EXTERN int snug_supervisor_drain(snug_supervisor *supervisor, uint64_t ms);

/* ---- calls ---- */

typedef enum snug_origin {
    SNUG_ORIGIN_OPEN,     /* the session was there */
    SNUG_ORIGIN_NEW,      /* it was never there */
    SNUG_ORIGIN_RESTORED, /* from its save */
    SNUG_ORIGIN_LOST /* it was there once, and there is no save: it starts again, with the files
                        of its work directory if these are still there. Reported once */
} snug_origin;

/* How a call has come by its session. */
typedef struct snug_arrival {
    snug_origin origin;
    const char *reason;   /* why it is not as it was: one sentence; "" where it is */
    uint64_t cells_lost;  /* that have run since the save, or ever; not counted are those that the
                             caller ran by snug_session_run in a lease. UINT64_MAX: not known,
                             because the disk was full or the save could not be read */
    int64_t saved_ms;     /* since 1970: when it was saved; 0: not restored */
    uint64_t waited_ns;   /* for its turn */
    snug_saved *restored; /* what snug_session_restore has reported, with what could not be saved;
                             NULL: not restored */
    const char *files_left_out; /* JSON: [{"path", "reason"}], files that were not saved */
    const char *not_saved; /* of an open session: what its last save left out, or why it failed.
                              One sentence, told once; "": all is saved, or nothing is new */
} snug_arrival;

/* The word for an origin: "open", "new", "restored" or "lost". */
SNUG_EXTERN const char *snug_origin_name(snug_origin origin);

/* Runs a cell in the session of that name: finds or starts the tenant's host; finds, restores or
 * opens the session; waits for a turn; saves it where save_every_cells says so.
 *
 * Turns go round the tenants that wait, one each: a tenant with many waiting calls delays another's
 * by one of its cells at most. Calls of one session have their turns in the order in which they
 * came, and so have those of a tenant, but that a call whose session is in use lets others pass.
 * SNUG_EBUSY with the reason: the tenant's queue is full; the turn did not come within wait_ms; a
 * limit of sessions, hosts or memory is reached and nothing is idle; the supervisor is draining.
 *
 * options: of a session that has to be opened or restored; its name is not looked at. Those of one
 * that is open stay, but for on_output, on_display, on_input, on_tool_call, on_approval and
 * payload, which are each call's own. NULL: the defaults. limits: as in snug_session_run. */
SNUG_EXTERN int snug_supervisor_run(snug_served **out, snug_supervisor *supervisor,
                                    const char *tenant, const char *session,
                                    const snug_session_options *options, const char *source,
                                    size_t len, const snug_limits *limits);
/* The result of the cell. */
SNUG_EXTERN const snug_result *snug_served_result(const snug_served *served);
/* How the call came by its session. */
SNUG_EXTERN const snug_arrival *snug_served_arrival(const snug_served *served);
/* The result as snug.result/1 with one member more:
 *   "opened": {"tenant": "ada", "how": "restored", "state": "kept | lost", "reason": "",
 *              "cells_lost": 0, "waited_ms": 0.1, "restored": {snug.saved/1}, "files_left_out": [],
 *              "not_saved": "", "restored_from": {"saved_ms": 1700000000000, "cells_lost": 0}}
 * restored and restored_from are null where nothing was, cells_lost where it is not known; state is
 * lost where something is. NULL if memory ran out; len may be NULL. */
SNUG_EXTERN const char *snug_served_json(const snug_served *served, size_t *len);
/* Frees the answer with its result. */
SNUG_EXTERN void snug_served_free(snug_served *served);

/* Ends the cell that runs in that session with SNUG_STATUS_INTERRUPTED; SNUG_ENOTFOUND where none
 * does. */
SNUG_EXTERN int snug_supervisor_interrupt(snug_supervisor *supervisor, const char *tenant,
                                          const char *session);
/* Ends the session, and removes what is saved of it. Waits for its turn as a cell does;
 * SNUG_ENOTFOUND where there is none. */
SNUG_EXTERN int snug_supervisor_remove_session(snug_supervisor *supervisor, const char *tenant,
                                               const char *session);

/* 1 where a session of that name is open or saved, or was there and is lost; 0 where it never was,
 * or has been removed. It opens nothing. */
SNUG_EXTERN int snug_supervisor_has_session(snug_supervisor *supervisor, const char *tenant,
                                            const char *session);

/* A session held for the other functions of snug.h: nobody else has it, and it is not closed,
 * until the lease is. Waits, opens and fails as snug_supervisor_run does. */
SNUG_EXTERN int snug_lease_open(snug_lease **out, snug_supervisor *supervisor, const char *tenant,
                                const char *session, const snug_session_options *options);
/* The session, which is not to be closed. Cells that are run in it directly take no turn. */
SNUG_EXTERN snug_session *snug_lease_session(const snug_lease *lease);
/* How the lease came by its session. */
SNUG_EXTERN const snug_arrival *snug_lease_arrival(const snug_lease *lease);
/* Runs a cell in the session when its turn has come. A session that is lost with it stays so until
 * the next lease: SNUG_EDEAD. */
SNUG_EXTERN int snug_lease_run(snug_result **out, snug_lease *lease, const char *source, size_t len,
                               const snug_limits *limits);
/* The same without a thread that waits: takes a turn, starts the cell as snug_session_start does,
 * and returns. Until snug_lease_wait has its result nothing else is done with the session, but
 * snug_supervisor_interrupt, and the lease is not closed. */
SNUG_EXTERN int snug_lease_start(snug_lease *lease, const char *source, size_t len,
                                 const snug_limits *limits);
/* Attends to that cell for ms at most, as snug_session_wait does, and has its result at the end:
 * SNUG_EAGAIN before. */
SNUG_EXTERN int snug_lease_wait(snug_result **out, snug_lease *lease, uint64_t ms);
/* Of a cell that was started and waits for an approval: others have its turn, until it goes on. */
SNUG_EXTERN int snug_lease_rest(snug_lease *lease);
/* It has its turn again. That does not wait: for a while more than `cells` may run. */
SNUG_EXTERN int snug_lease_go_on(snug_lease *lease);
/* Gives the session back. NULL is fine. */
SNUG_EXTERN void snug_lease_close(snug_lease *lease);

/* ---- what goes on ---- */

/* Takes a picture of what goes on. */
SNUG_EXTERN int snug_supervisor_report(snug_supervisor_state **out, snug_supervisor *supervisor);
/* That picture as JSON:
 * {"schema": "snug.supervisor/1", "form": "worker", "is_draining": false,
 *  "hosts": 2, "workers_died": 0,
 *  "sessions": {"open": 3, "saved": 10, "opened": 5, "restored": 1, "lost": 0, "damaged": 0},
 *  "cells": {"running": 1, "run": 20},
 *  "queue": {"waiting": 0, "waited": 3, "waited_ms": 12.5, "longest_ms": 8.0},
 *  "refused": {"queue": 0, "wait": 0, "sessions": 0, "hosts": 0, "memory": 0, "draining": 0},
 *  "memory": {"bytes": 0, "limit_bytes": null},
 *  "put_away": {"idle": 2, "room": 0, "memory": 0, "drain": 0, "failed": 0},
 *  "tenants": [{"tenant": "ada", "process": 4711, "open": 2, "running": 1, "waiting": 0}]}
 * saved counts those in the state folder. opened, restored and so on are since the supervisor was
 * opened. At most 1,000 tenants are listed, of those that have a worker, a session or a call. */
SNUG_EXTERN const char *snug_supervisor_state_json(const snug_supervisor_state *state, size_t *len);
/* Frees the picture. */
SNUG_EXTERN void snug_supervisor_state_free(snug_supervisor_state *state);

#ifdef __cplusplus
}
#endif

#endif
