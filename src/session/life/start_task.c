/*
 * start_task.c - the tasks other than cells: opening, reset, saving, restoring, closing.
 *
 * A few threads of the host make these calls, in the order in which they were started. The threads
 * are started when they are wanted, and end with the host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/options.h"
#include "base/thread.h"
#include "calls/desk.h"
#include "limits/limits.h"
#include "session/core/claim.h"
#include "session/core/session.h"
#include "session/life/make.h"
#include "session/life/task.h"

/* ---- a copy of a session's options, for an open that comes later than its caller's own ---- */

struct kept_options {
    snug_session_options options;
    snug_limits limits;
    tool_rules rules;
    void **owned; /* memory of the rest */
    size_t count, cap;
    int is_short; /* of memory */
};

/* NULL: no memory. */
static void *own(kept_options *kept, void *memory)
{
    if (!memory || array_reserve(&kept->owned, &kept->cap, kept->count + 1, sizeof *kept->owned)) {
        free(memory);
        kept->is_short = 1;
        return NULL;
    }

    return kept->owned[kept->count++] = memory;
}

static const char *copy_text(kept_options *kept, const char *text)
{
    return text ? own(kept, strdup(text)) : NULL;
}

static const char *const *copy_list(kept_options *kept, const char *const *given)
{
    size_t count = 0;
    while (given && given[count])
        count++;

    const char **list = given ? own(kept, calloc(count + 1, sizeof *list)) : NULL;
    for (size_t i = 0; list && i < count; i++)
        list[i] = copy_text(kept, given[i]);
    return list;
}

static const snug_mount *copy_mounts(kept_options *kept, const snug_mount *given, size_t count)
{
    snug_mount *mounts = own(kept, calloc(count + 1, sizeof *mounts));

    for (size_t i = 0; mounts && i < count; i++) {
        mounts[i].path = copy_text(kept, given[i].path);
        mounts[i].name = copy_text(kept, given[i].name);
        mounts[i].is_writable = given[i].is_writable;
    }

    return mounts;
}

static void free_kept(kept_options *kept)
{
    if (!kept)
        return;
    for (size_t i = 0; i < kept->count; i++)
        free(kept->owned[i]);
    free(kept->owned);
    tool_rules_free(&kept->rules);
    free(kept);
}

static int copy_options(kept_options **out, const snug_session_options *given)
{
    kept_options *kept = calloc(1, sizeof *kept);
    if (!kept)
        return error_no_memory();

    snug_session_options *o = &kept->options;
    int error = options_take(o, sizeof *o, given, "snug_session_options");
    if (!error)
        error = limits_take(&kept->limits, o->limits);
    if (!error && o->on_caller_thread)
        error = error_set(SNUG_EINVAL, "snug_session_start_open: a session on its caller's thread "
                                       "is opened by snug_session_open");
    if (!error)
        error = tool_rules_take(&kept->rules, o->tool_rules, o->tool_rule_count);
    if (!error) {
        o->limits = &kept->limits;
        o->tool_rules = kept->rules.rules;
        o->error = NULL; /* which may be gone by then; the task has its sentence */
        o->name = copy_text(kept, o->name);
        o->profile = copy_text(kept, o->profile);
        o->workdir = copy_text(kept, o->workdir);
        o->packages = copy_text(kept, o->packages);
        o->allow = copy_list(kept, o->allow);
        o->mounts = copy_mounts(kept, o->mounts, o->mount_count);
        if (kept->is_short)
            error = error_no_memory();
    }

    if (error)
        free_kept(kept);
    else
        *out = kept;
    return error;
}

/* ---- the calls ---- */

void task_free_call(snug_task *task)
{
    snug_session_close(task->opened);
    free_kept(task->options);
    free(task->path);
}

static int make_call(snug_task *task)
{
    snug_session *session = task->session;

    switch (task->kind) {
    case TASK_OPEN:
        return snug_session_open(&task->opened, task->host, &task->options->options);
    case TASK_RESET:
        return session->form->renew(&task->session);
    case TASK_SAVE:
        return session->form->save(&task->saved, session, task->path);
    case TASK_RESTORE:
        return session->form->restore(&task->saved, &task->session, task->path);
    case TASK_CLOSE:
        session_close_claimed(session);
        break;
    case TASK_CELL:
        break;
    }

    return SNUG_OK;
}

static int is_cancelled(snug_task *task)
{
    pthread_mutex_lock(&task->lock);
    int answer = task->is_cancelled;
    pthread_mutex_unlock(&task->lock);
    return answer;
}

static int tell_cancelled(void)
{
    return error_set(SNUG_ESTOPPED, "the task was cancelled");
}

/* Who cancels a task that was just taken has not met it among those that wait. A session that is to
 * be closed is closed, and one that nobody wants any more too. */
static int work_on(snug_task *task)
{
    if (task->kind != TASK_CLOSE && is_cancelled(task))
        return tell_cancelled();

    int error = make_call(task);
    if (!error && task->kind == TASK_OPEN && is_cancelled(task)) {
        snug_session_close(task->opened);
        task->opened = NULL;
        return tell_cancelled();
    }

    if (error == SNUG_ETIMEOUT && is_cancelled(task))
        return tell_cancelled(); /* while it waited for the GIL */
    return error;
}

/* ---- the threads ---- */

/* How many calls are made at a time, by host. */
enum { CLERKS_MOST = 8 };

/* They load extension modules, as who opens a session does. */
enum { STACK_BYTES = 8 << 20 };

struct clerks {
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t changed;
    snug_task *first, *last; /* those that wait */
    size_t waiting, free;    /* tasks; threads */
    size_t count;            /* of threads */
    int is_closing;
    thread threads[CLERKS_MOST];
};

/* Of a task that waits, after before, which is NULL for the first. The lock is held. */
static void take_out(clerks *c, snug_task *before, snug_task *task)
{
    if (before)
        before->next = task->next;
    else
        c->first = task->next;
    if (c->last == task)
        c->last = before;
    c->waiting--;
    pthread_mutex_lock(&task->lock);
    task->is_waiting = 0;
    pthread_mutex_unlock(&task->lock);
}

static void *serve_tasks(void *arg)
{
    clerks *c = arg;

    pthread_mutex_lock(&c->lock);
    c->free++;
    while (!c->is_closing) {
        snug_task *task = c->first;
        if (!task) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }

        take_out(c, NULL, task);
        c->free--;
        pthread_mutex_unlock(&c->lock);
        task_hold(task);
        task_end_for_host(task, work_on(task));
        task_drop(task);
        pthread_mutex_lock(&c->lock);
        c->free++;
    }

    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* For one more that waits. Where there is none yet, an error matters. The lock is held. */
static int start_thread(clerks *c)
{
    if (c->count == CLERKS_MOST || c->free > c->waiting)
        return SNUG_OK;

    int error = thread_start(&c->threads[c->count], "snug clerk", STACK_BYTES, serve_tasks, c);
    if (!error)
        c->count++;
    return c->count > 0 ? SNUG_OK : error;
}

static int open_clerks(clerks **out, snug_host *host)
{
    pthread_mutex_lock(&host->task_lock);
    if (!host->clerks && (host->clerks = calloc(1, sizeof *host->clerks))) {
        pthread_mutex_init(&host->clerks->lock, NULL);
        pthread_cond_init(&host->clerks->changed, NULL);
    }

    *out = host->clerks;
    pthread_mutex_unlock(&host->task_lock);
    return *out ? SNUG_OK : error_no_memory();
}

void clerks_close(clerks *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->is_closing = 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->count; i++)
        thread_join(&c->threads[i]);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void clerks_cancel(snug_task *task)
{
    clerks *c = task->host->clerks;
    snug_task *before = NULL;

    /* What closes a session is not left undone: nobody else could close it. */
    if (task->kind == TASK_CLOSE)
        return;
    pthread_mutex_lock(&c->lock);
    snug_task *found = c->first;
    while (found && found != task) {
        before = found;
        found = found->next;
    }

    if (found)
        take_out(c, before, task);
    pthread_mutex_unlock(&c->lock);
    if (found)
        task_end_for_host(task, tell_cancelled());
}

/* SNUG_OK, and a thread makes the task's call; or an error with a message, and none does. */
static int queue_task(snug_task *task)
{
    clerks *c;
    int error = open_clerks(&c, task->host);
    if (error)
        return error;

    pthread_mutex_lock(&c->lock);
    error = start_thread(c);
    if (!error) {
        task->is_waiting = 1;
        c->waiting++;
        if (c->last)
            c->last->next = task;
        else
            c->first = task;
        c->last = task;
        pthread_cond_signal(&c->changed);
    }

    pthread_mutex_unlock(&c->lock);
    return error;
}

/* ---- starting ---- */

/* The task is the clerks' from here on, or gone. */
static int hand_over(snug_task **out, snug_task *task)
{
    if (out) {
        task_hold(task);
        *out = task;
    }

    int error = queue_task(task);
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
    kept_options *kept = NULL;
    snug_task *task;

    int error = host_check(host, "snug_session_start_open");
    if (!error)
        error = copy_options(&kept, options);
    if (!error)
        error = task_new(&task, TASK_OPEN, host, NULL, on_done, payload);
    if (error) {
        free_kept(kept);
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
    int error = task_new(&task, kind, session->host, session, on_done, payload);

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
