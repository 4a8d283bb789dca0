/*
 * client.h - hosts and sessions that live in a worker, for worker/client/.
 */
#ifndef SNUG_WORKER_CLIENT_H
#define SNUG_WORKER_CLIENT_H

#include <stdatomic.h>
#include <time.h>

#include <snug/snug.h>

#include "session/core/session.h"
#include "wire/pack.h"
#include "worker/client/launch.h"
#include "worker/client/link.h"

/* What a worker is for. */
typedef struct worker_need {
    int is_own; /* of one session; else it is shared, and the rest is empty */
    int is_full, has_folders;
    int has_memory; /* its work directory is in memory, where the machine permits that */
    char *packages; /* of full sessions; NULL: the system's */
    str hello;      /* the part of the greeting that tells kind, packages and folders */
} worker_need;

typedef struct remote_host {
    uint64_t grace_ms, start_ms;
    int (*is_stopped)(void *payload); /* the options', with their payload; NULL: nobody asks */
    void *payload;
    char **preload;                                     /* NULL-terminated, or NULL */
    char *path, *command, *python_home, *allowlist_dir; /* the options' */
    fixed_values fixed;                                 /* the host's */
    pthread_mutex_t lock;                               /* guards the worker_link */
    worker_link *link;                                  /* to the worker that sessions share */
    uint64_t link_folder; /* the number of the folder of work directories that it has */
    size_t pool_sessions; /* of the shared worker, and spare workers */
    uint64_t pool_idle_ms, awake_sessions;
    pthread_mutex_t starting; /* guards what follows */
    struct post *post;        /* NULL before the first task */
    zygote *full_zygote;
    zygote *zygote;                    /* that forks them; NULL: none yet */
    pool *spares;                      /* workers for one session each; NULL until one was wanted */
    worker_need spare_need;            /* theirs */
    unsigned strangers;                /* opens in a row that wanted others */
    _Atomic unsigned spare_generation; /* moves with spare_need; of it no lock */
    _Atomic uint64_t folder; /* of the host's work directories, when last looked for; its number */
    _Atomic uint32_t channels, profiles; /* given out so far */
} remote_host;

/* How what runs is interrupted. */
typedef enum remote_interrupt { NOT_INTERRUPTED, INTERRUPTED_GENTLY, INTERRUPTED } remote_interrupt;

/* What a session in a worker has here. */
typedef struct remote {
    pthread_mutex_t lock; /* guards link, for threads that interrupt */
    worker_link *link;
    link_line line;
    str open;      /* the request that opened it, for another worker */
    char *workdir; /* that the options name, on the machine of the worker */
    char *profile; /* as the worker finds it; NULL: the default */
    worker_need need;
    _Atomic uint32_t running; /* number of the request under way; 0: none */
    _Atomic int interrupted;  /* by somebody, since the request began */
    int is_open;              /* the worker has the session */
    uint64_t taken;           /* bytes of output that the worker was not told of yet */
    time_t opened;
    struct cgroup *group;     /* of a session of bash; NULL: there is none to be had */
    uint64_t kills;           /* of the kernel's in it, when the cell began */
    struct disk_watch *watch; /* of a full session, from its first cell on; NULL: none is needed */
    _Atomic uint32_t full;    /* number of the request that it has interrupted; 0: none */
    struct remote_cell *cell; /* the one that runs; worker_session.c */
    const struct remote_question *question; /* that was asked, and is not over */
    snug_session *session;                  /* whose this is; for what follows, which is post.c's */
    struct remote *next_listener;
    _Atomic uint64_t due_ns; /* when to look at the request without a message */
} remote;

typedef struct made_call made_call;

/* A request and its answer. The caller sets what it asks, the rest is zero. */
typedef struct remote_question {
    frame_kind kind;
    packer body;
    uint64_t deadline_ns;
    int is_cell;                /* which an interrupt ends soon, and which may call the host */
    uint64_t most_calls;        /* of tools, by a cell */
    uint64_t input_ms;          /* for a line, of a cell */
    uint64_t untimed_ns;        /* the desk's, as far as deadline_ns has it */
    uint64_t most_bytes;        /* of the reply, where that may be large */
    uint64_t display_bytes;     /* of a cell, all its displays together */
    const remote_host *waiting; /* of remote_ask_host: whose is_stopped is asked; NULL: nobody's */
    frame reply;                /* what answer reads from */
    unpacker answer;
    struct made_call *calls; /* that the cell has made; exchange.c */
    int has_reply, is_hurried;
    int is_asked, graces; /* whether its stop is under way; how often it was */
    int is_lost;          /* it could not be sent */
} remote_question;

/* A link to a worker of the host that lives, which the caller holds: the one that sessions share,
 * started again where it has died; or another for this session alone. need may be NULL. */
int remote_link(worker_link **out, snug_host *host, const worker_need *need);
/* folders: what cells may use besides the host's work directories. An error has a message. */
int remote_set_need(worker_need *out, snug_kind kind, const char *packages,
                    const session_mount *folders, size_t count, const snug_limits *in_memory);
/* The same for the greeting. in_memory NULL: the work directory is on the disk. */
void remote_pack_need(packer *p, snug_kind kind, const char *packages, const session_mount *folders,
                      size_t count, const snug_limits *in_memory);
/* A new worker did not say hello, for that error: ends it, and says why. Its own last words tell
 * more than its end does. Answers the error that it is now. */
int remote_refuse_worker(worker_link *l, const char *name, int error);
/* Whether private files of full sessions with these limits are kept in memory. */
int remote_fits_memory(const snug_limits *limits);
void remote_free_need(worker_need *need);
/* For a host with a pool, before its first session: spares are made for such sessions. SNUG_OK, or
 * an error with a message. */
int remote_expect(snug_host *host, const worker_need *need);
/* Texts of the protocol are UTF-8: SNUG_EINVAL with a message for a path that is not. NULL is fine.
 */
int remote_check_path(const char *path);
/* A copy, also of NULL. 0: no memory. */
int remote_is_copied(char **out, const char *text);
/* The same for a path. With is_here it is one of this machine, and made absolute: a worker's
 * current folder is the root. */
int remote_is_whole(char **out, const char *path, int is_here);
/* Starts the worker of one session of bash, and links to it: bash/sandbox.c. */
int remote_bash_link(worker_link **out, snug_session *session);
/* Before and after a cell of a session that has such a worker and a group: where the kernel has
 * ended a process of it for lack of memory, the result says so. SNUG_OK, or SNUG_ENOMEM with a
 * message. */
void remote_group_begin(snug_session *session);
int remote_group_judge(snug_result *result, const snug_session *session);
/* Before anything of the session runs: from here on its work directory is watched, if nothing else
 * bounds that. SNUG_OK, or an error with a message. disk_watch.c. */
int remote_disk_begin(snug_session *session, const snug_limits *limits);
/* After a cell: the result of one that was interrupted for what it had written says so. SNUG_OK, or
 * SNUG_ENOMEM with a message. */
int remote_disk_judge(snug_result *result, const snug_session *session);
/* The session's worker is about to be let go of; and the session. */
void remote_disk_leave(snug_session *session);
void remote_disk_end(snug_session *session);
/* The options' profile as the host's workers find it, *out NULL for NULL: a file is copied to where
 * they may read. SNUG_OK, or an error with a message. Both free and remove it. */
int remote_hand_profile(char **out, snug_host *host, const char *profile);
void remote_drop_profile(const snug_host *host, char *profile);
/* Asks, makes the callbacks meanwhile, and waits. SNUG_OK; an error of the worker's with its
 * message; SNUG_EDEAD: the worker is gone, and q has no reply. Frees the body. */
int remote_ask(snug_session *session, remote_question *q);
/* The same in steps: SNUG_OK and it is on its way, then remote_end once remote_attend has answered
 * that it is over, at until_ns (CLOCK_MONOTONIC) at the latest; 0: at once, and then it reads
 * nothing by itself. */
int remote_begin(snug_session *session, remote_question *q);
/* Has the worker interrupt the request of that number. Nonzero: it could not be sent. */
int remote_send_interrupt(remote *r, uint32_t number, remote_interrupt how, uint64_t deadline_ns);
int remote_attend(snug_session *session, remote_question *q, uint64_t until_ns);
int remote_end(snug_session *session, remote_question *q);
/* After a question that was answered: frees the reply, and ends the worker where that was
 * malformed, because error is SNUG_EINVAL or some of the reply is left. */
int remote_checked(snug_session *session, remote_question *q, int error);
void remote_answered(remote_question *q);
/* Asks on a channel of its own, for what is not a session's: no callbacks are made. */
int remote_ask_host(worker_link *l, uint32_t channel, remote_question *q);

/* After wall_ms, and what the worker's own ladder and the way back take. */
uint64_t remote_deadline_ns(const snug_host *host, uint64_t wall_ms);
/* deadline_ns of a question that may make calls: later by the time of those that are not timed, and
 * none while one is under way. */
uint64_t remote_due_ns(const snug_session *session, remote_question *q);
/* The same, or earlier: when to ask the worker whether it stops the cell. */
uint64_t remote_look_ns(const snug_session *session, remote_question *q);
/* The worker could only give up what the session was doing: the session is lost. A worker that has
 * no other session is ended, so that nothing goes on there. */
void remote_gave_up(snug_session *session);
/* Whether a worker is ended for that: a reset would find nothing there. */
int remote_ends_with(const snug_session *session);
/* The session is lost with its worker; always SNUG_EDEAD, with a message. */
int remote_lost(snug_session *session);
/* The result of the cell that ran in a worker which is gone. */
int remote_lost_result(snug_result **out, snug_session *session, uint64_t wall_ms,
                       uint64_t started_ns, int is_aside);

/* Whether the worker has ended with the cell. Otherwise the session was lost before, and its worker
 * with it or not. */
int remote_has_lost_worker(const snug_session *session);
/* The result of a cell that lost its session, which the worker has given up: that it was. SNUG_OK
 * or SNUG_ENOMEM with a message. */
int remote_tell_given_up(snug_session *session, snug_result *result);
/* After a cell: what may run any machine code gets no mark on a file that the filters let through.
 */
void remote_unmark_files(const snug_session *session);
/* Calls a program there: program_in_worker.c. */
int remote_compute(program_outcome *out, snug_session *session, const program_wish *wish);

/* The rows of remote_form's table of sessions; worker_session.c. */
extern const session_form remote_sessions;

/* Opens a session in a worker: for the first time, and again in another one
 * when its worker has ended. */

/* The row .open of session_form. SNUG_OK, or an error with a message: the caller ends the session
 * then too. */
int remote_open_session(snug_session *session, const snug_session_options *options);
/* Opens a session that has no worker in one that lives, as its options said. SNUG_OK, or an error
 * with a message. */
int remote_open_in_worker(snug_session *session);
/* The session lets go of its worker, if it has one, without a word to it. */
void remote_disconnect(snug_session *session);
/* Whether its worker lives and has the session. */
int remote_is_connected(const remote *r);
/* Whether its worker is on this machine and sees the same files: no command of the caller's. */
int remote_is_here(const snug_session *session);
/* Adds what the session may take to the bounds of its worker. */
void remote_allow(const snug_session *session);
/* So much more, while it is saved or restored: then it is there several times, as values, pickles
 * and messages. bytes: of the file. Answers the worker's link, for remote_disallow_copies. */
worker_link *remote_allow_copies(const snug_session *session, bounds_share *out, size_t bytes);
void remote_disallow_copies(const snug_session *session, const worker_link *link,
                            const bounds_share *share);

/* Reads for the sessions of a host for which nobody waits: one thread a host, however many
 * sessions and workers there are.
 *
 * It takes what comes from the workers of the sessions that listen and rings for these, and it
 * rings at the deadlines of their requests: whoever dispatches takes it from there. */

typedef struct post post;

/* Between cells: from now on, or no longer, the host's bell is rung for the session. SNUG_OK, or an
 * error with a message. */
int post_listen(snug_session *session, int is_on);
/* Nobody listens. NULL is fine. */
void post_close(post *p);

#endif
