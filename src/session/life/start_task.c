/*
 * start_task.c - the tasks other than cells: opening, reset, saving, restoring, closing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "session/core/claim.h"
#include "session/core/park.h"
#include "session/core/session.h"
#include "session/life/clerks.h"
#include "session/life/keep_options.h"
#include "session/life/open_session.h"
#include "session/life/task.h"

/* The task is the clerks' from here on, or gone. */
static int hand_over(snug_task **out, snug_task *task)
{
    if (out) {
        task_hold(task);
        *out = task;
    }

    int error = clerks_take(task);
    if (!error)
        return SNUG_OK;
    if (out) {
        *out = NULL;
        task_drop(task);
    }

    task_abandon(task);
    return error;
}

int snug_session_start_open(snug_task **out, snug_host *host, const snug_session_options *options,
                            snug_task_done *on_done, void *payload)
{
    kept_options *kept;
    snug_task *task;

    int error = host_check(host, "snug_session_start_open");
    if (!error)
        error = kept_options_make(&kept, options);
    if (error)
        return host_fail(host, error);

    if (kept_options_of(kept)->on_caller_thread)
        error = error_set(SNUG_EINVAL, "snug_session_start_open: a session on its caller's thread "
                                       "is opened by snug_session_open");
    if (!error)
        error = task_new(&task, TASK_OPEN, host, NULL, on_done, payload);
    if (error) {
        kept_options_free(kept);
        return host_fail(host, error);
    }

    task->options = kept;
    return hand_over(out, task);
}

/* For a session that the task has claimed; released on failure. */
static int start_claimed(snug_task **out, task_kind kind, snug_session *session, const char *path,
                         snug_task_done *on_done, void *payload)
{
    snug_task *task;
    int error = task_new(&task, kind, session->user, session, on_done, payload);

    if (!error && path && !(task->path = strdup(path))) {
        task_abandon(task);
        error = error_no_memory();
    }

    if (!error)
        error = hand_over(out, task);
    return error ? session_return(session, error) : SNUG_OK;
}

/* What is claimed stands in the caller's place: it may be the successor of what was given. Others
 * would wait for who has to be on another thread. */
static int claim(snug_session **session, const char *what, int is_alive)
{
    int error = is_alive ? session_claim_alive(session, what) : session_claim(session, what);
    if (!error && (*session)->thread.is_inline) {
        session_release(*session);
        error = error_set(SNUG_EINVAL, "%s: session %s runs on its caller's thread", what,
                          (*session)->name);
    }

    return session_fail(*session, error);
}

int snug_session_start_reset(snug_task **out, snug_session *session, snug_task_done *on_done,
                             void *payload)
{
    int error = claim(&session, "snug_session_start_reset", 0);
    if (error)
        return error;
    return start_claimed(out, TASK_RESET, session, NULL, on_done, payload);
}

int snug_session_start_save(snug_task **out, snug_session *session, const char *path,
                            snug_task_done *on_done, void *payload)
{
    if (!path)
        return error_set(SNUG_EINVAL, "snug_session_start_save: path is NULL");
    int error = claim(&session, "snug_session_start_save", 1);
    if (error)
        return error;
    return start_claimed(out, TASK_SAVE, session, path, on_done, payload);
}

int snug_session_start_restore(snug_task **out, snug_session *session, const char *path,
                               snug_task_done *on_done, void *payload)
{
    if (!path)
        return error_set(SNUG_EINVAL, "snug_session_start_restore: path is NULL");
    int error = claim(&session, "snug_session_start_restore", 0);
    if (error)
        return error;
    return start_claimed(out, TASK_RESTORE, session, path, on_done, payload);
}

int snug_session_start_close(snug_task **out, snug_session *session, uint64_t ms,
                             snug_task_done *on_done, void *payload)
{
    if (!session)
        return error_set(SNUG_EINVAL, "snug_session_start_close: session is NULL");
    int error = session_claim_to_end(&session, "snug_session_start_close", 0);
    if (error)
        return error;

    if (ms != SNUG_UNLIMITED)
        session->closing_ms = ms > 0 ? ms : 1;
    return start_claimed(out, TASK_CLOSE, session, NULL, on_done, payload);
}
