/*
 * task.h - calls of snug.h that do not hold a thread of the caller's.
 *
 * A task is a call that was started and goes on by itself: a cell, or the opening, reset, saving,
 * restoring or closing of a session. Who has an event loop waits for the host's descriptor beside
 * its others, and dispatches when it is readable:
 *
 *     static void on_done(void *payload, snug_task *task)
 *     {
 *         snug_result *result = snug_task_take_result(task);
 *         ...
 *     }
 *
 *     snug_session_start(NULL, session, source, len, NULL, on_done, payload);
 *     ...
 *     struct pollfd fds[] = { { snug_host_fd(host), POLLIN, 0 }, ... };
 *     poll(fds, ...);
 *     if (fds[0].revents)
 *         snug_host_dispatch(host, 0);
 *
 * Who has threads instead waits for a task, or for a session's (snug_task_wait, snug_session_wait).
 * snug_session_run is snug_session_start and a wait for its end.
 *
 * Threads. The functions that start a task return at once, from any thread. A session's
 * callbacks (output, displays, tools, input) and on_done are called by snug_host_dispatch,
 * snug_task_wait and snug_session_wait, on the thread that calls these, one at a time for each
 * task: while nobody calls one of them, a cell that prints much or calls a tool waits, and its
 * limits go on. A cell runs on its session's thread or in its worker as always; the other calls are
 * made by a few threads of the host's, which take them in the order in which they were started.
 *
 * One call of a session at a time: a task counts as one until on_done is called, which may start
 * the next one. SNUG_EBUSY otherwise, as for all functions of snug.h.
 */
#ifndef SNUG_TASK_H
#define SNUG_TASK_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_task snug_task;

/* A task is over. Called once for each; task is valid during the call, and afterwards if the
 * function that has started it gave it to the caller. */
typedef void snug_task_done(void *payload, snug_task *task);

/* ---- starting ---- */

/* As snug_session_run. out may be NULL: then the task is freed after on_done. on_done may be NULL:
 * then somebody waits. The task may be over, and on_done called by another thread, before this
 * returns. Where the session's thread is still at a call that was answered without it, this is
 * SNUG_ETIMEOUT at once: start it again later. An error of this function is none of the task:
 * on_done is not called. SNUG_EINVAL for a session on its caller's thread. */
SNUG_EXTERN int snug_session_start(snug_task **out, snug_session *session, const char *source,
                                   size_t len, const snug_limits *limits, snug_task_done *on_done,
                                   void *payload);
/* As snug_session_open; snug_task_take_session has the session. The options are copied. A session
 * on its caller's thread is SNUG_EINVAL. */
SNUG_EXTERN int snug_session_start_open(snug_task **out, snug_host *host,
                                        const snug_session_options *options,
                                        snug_task_done *on_done, void *payload);
/* As snug_session_reset. */
SNUG_EXTERN int snug_session_start_reset(snug_task **out, snug_session *session,
                                         snug_task_done *on_done, void *payload);
/* As snug_session_save; snug_task_take_saved has the account. */
SNUG_EXTERN int snug_session_start_save(snug_task **out, snug_session *session, const char *path,
                                        snug_task_done *on_done, void *payload);
/* As snug_session_restore, the same. */
SNUG_EXTERN int snug_session_start_restore(snug_task **out, snug_session *session, const char *path,
                                           snug_task_done *on_done, void *payload);
/* As snug_session_close_within; ms SNUG_UNLIMITED: as snug_session_close. The session is gone from
 * here on, whatever becomes of the task. */
SNUG_EXTERN int snug_session_start_close(snug_task **out, snug_session *session, uint64_t ms,
                                         snug_task_done *on_done, void *payload);

/* ---- waiting ---- */

/* Waits until the task is over, for ms at most; 0: does not wait; SNUG_UNLIMITED: for its end.
 * SNUG_OK: it is over, and on_done was called; SNUG_EAGAIN: it is not. Any thread, but not from a
 * callback of the same session. */
SNUG_EXTERN int snug_task_wait(snug_task *task, uint64_t ms);
/* The same for the last cell that was started in the session, with its result, which is the
 * caller's: the cell's own error, SNUG_EAGAIN, or SNUG_ENOTFOUND if none was started, or its result
 * was taken. */
SNUG_EXTERN int snug_session_wait(snug_result **out, snug_session *session, uint64_t ms);

/* A descriptor that is readable while snug_host_dispatch has something to do: for poll, epoll,
 * libuv, an asyncio loop. It is the host's: do not read, write or close it. Below 0: SNUG_ESYSTEM,
 * SNUG_EINVAL. Any thread. */
SNUG_EXTERN int snug_host_fd(snug_host *host);
/* Does what there is to do for tasks of the host: passes on output and calls of tools, and calls
 * on_done of those that are over. Waits for ms at most until there is something; 0: does not wait.
 * Answers how many tasks were over, or an error. Any thread; several may dispatch at once. */
SNUG_EXTERN int snug_host_dispatch(snug_host *host, uint64_t ms);

/* ---- a task ---- */

/* Ends the task: a cell as snug_session_interrupt does; what waits for its turn is not begun; what
 * is under way ends as soon as its session's code does. It is over later, by the usual way, and
 * SNUG_ESTOPPED if it was not a cell, or one that had not begun. An open that nobody waits for any
 * more is closed again. Never reaches a later call. Any thread. */
SNUG_EXTERN void snug_task_cancel(snug_task *task);
/* SNUG_EAGAIN until it is over; then SNUG_OK, or what the call would have answered. */
SNUG_EXTERN int snug_task_error(const snug_task *task);
/* The sentence to that error; "" without one. It lives as long as the task, on any thread. */
SNUG_EXTERN const char *snug_task_message(const snug_task *task);
/* The result of a cell, which is the caller's from now on; NULL if there is none, the task is not
 * over, or somebody has taken it. */
SNUG_EXTERN snug_result *snug_task_take_result(snug_task *task);
/* The session of an open, the same. */
SNUG_EXTERN snug_session *snug_task_take_session(snug_task *task);
/* The account of a save or restore, the same. */
SNUG_EXTERN snug_saved *snug_task_take_saved(snug_task *task);
/* The payload of on_done. */
SNUG_EXTERN void *snug_task_payload(const snug_task *task);
/* Gives the task back, with what nobody has taken. One that is not over goes on, and on_done is
 * called. NULL is fine. */
SNUG_EXTERN void snug_task_free(snug_task *task);

/* ---- a session ---- */

/* What a session is doing. */
typedef enum snug_activity {
    SNUG_ACTIVITY_IDLE,
    SNUG_ACTIVITY_CALLED,  /* a call uses it, or a task */
    SNUG_ACTIVITY_STALLED, /* nobody uses it, and its thread still waits for the GIL in a call that
                              was answered without it */
    SNUG_ACTIVITY_LOST     /* SNUG_EDEAD until a reset */
} snug_activity;

/* What it is doing now. Any thread, while the session is open. */
SNUG_EXTERN snug_activity snug_session_activity(const snug_session *session);

#ifdef __cplusplus
}
#endif

#endif
