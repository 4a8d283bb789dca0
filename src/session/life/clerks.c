#include "session/life/clerks.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/thread.h"
#include "session/core/session.h"
#include "session/life/keep_options.h"
#include "session/life/open_session.h"
#include "session/life/pended.h"

struct clerks {
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t changed;
    snug_task *first, *last; /* those that wait */
    size_t waiting, free;    /* tasks; threads */
    size_t count;            /* of threads */
    int is_closing;
    thread threads[CLERKS_MOST];
};

/* ---- the calls ---- */

static int make_call(snug_task *task)
{
    snug_session *session = task->session;

    switch (task->kind) {
    case TASK_OPEN:
        return snug_session_open(&task->opened, task->host, kept_options_of(task->options));
    case TASK_RESET:
        return session->form->renew(&task->session);
    case TASK_SAVE:
        return session->form->save(&task->saved, session, task->path);
    case TASK_RESTORE:
        return session->form->restore(&task->saved, &task->session, task->path);
    case TASK_CLOSE:
        session_close_claimed(session);
        return SNUG_OK;
    case TASK_CELL:
        break;
    }

    return pended_start(task);
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

/* A session that nobody wants any more. */
static int give_up_open(snug_task *task)
{
    snug_session_close(task->opened);
    task->opened = NULL;
    return tell_cancelled();
}

static void end(snug_task *task, int error)
{
    if (task->kind == TASK_CELL)
        pended_end(task);
    task_end_for_host(task, error);
}

/* Who cancels a task that was just taken has not met it among those that wait. A session that is to
 * be closed is closed. */
static int begin(snug_task *task)
{
    if (task->kind != TASK_CLOSE && is_cancelled(task))
        return tell_cancelled();
    return make_call(task);
}

/* Answers whether it has to wait again: a cell whose session's thread is away. A cell that has
 * begun is for others. */
static int work_on(snug_task *task)
{
    int error = begin(task);
    if (task->kind == TASK_CELL && error == SNUG_EAGAIN)
        return 1;
    if (!error && task->kind == TASK_OPEN && is_cancelled(task))
        error = give_up_open(task);
    else if (error == SNUG_ETIMEOUT && is_cancelled(task))
        error = tell_cancelled(); /* while it waited for the GIL */

    if (!error && task->kind == TASK_CELL)
        task_begun(task);
    else
        end(task, error);
    return 0;
}

/* ---- the threads ---- */

/* The lock is held. */
static void put_last(clerks *c, snug_task *task)
{
    pthread_mutex_lock(&task->lock);
    task->is_waiting = 1;
    pthread_mutex_unlock(&task->lock);
    task->next = NULL;
    c->waiting++;
    if (c->last)
        c->last->next = task;
    else
        c->first = task;
    c->last = task;
}

/* The lock is held. */
static snug_task *take_first(clerks *c)
{
    snug_task *task = c->first;

    c->first = task->next;
    if (!c->first)
        c->last = NULL;
    c->waiting--;
    pthread_mutex_lock(&task->lock);
    task->is_waiting = 0;
    pthread_mutex_unlock(&task->lock);
    return task;
}

static void *serve_tasks(void *arg)
{
    clerks *c = arg;

    pthread_mutex_lock(&c->lock);
    c->free++;
    while (!c->is_closing) {
        if (!c->first) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }

        snug_task *task = take_first(c);
        c->free--;
        pthread_mutex_unlock(&c->lock);
        task_hold(task);
        int waits_again = work_on(task);
        pthread_mutex_lock(&c->lock);
        c->free++;
        if (waits_again)
            put_last(c, task);
        task_drop(task);
    }

    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* They load extension modules, as who opens a session does. */
enum { STACK_BYTES = 8 << 20 };

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
    int error = SNUG_OK;

    pthread_mutex_lock(&host->task_lock);
    if (!host->clerks) {
        host->clerks = calloc(1, sizeof *host->clerks);
        if (!host->clerks) {
            error = error_no_memory();
        } else {
            pthread_mutex_init(&host->clerks->lock, NULL);
            pthread_cond_init(&host->clerks->changed, NULL);
        }
    }

    *out = host->clerks;
    pthread_mutex_unlock(&host->task_lock);
    return error;
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

/* ---- for tasks ---- */

int clerks_take(snug_task *task)
{
    clerks *c;
    int error = open_clerks(&c, task->host);
    if (error)
        return error;

    pthread_mutex_lock(&c->lock);
    error = start_thread(c);
    if (!error) {
        put_last(c, task);
        pthread_cond_signal(&c->changed);
    }

    pthread_mutex_unlock(&c->lock);
    return error;
}

/* Answers whether it was still there. */
static int leave_queue(clerks *c, snug_task *task)
{
    snug_task *before = NULL;
    snug_task **at = &c->first;

    while (*at && *at != task) {
        before = *at;
        at = &(*at)->next;
    }

    if (!*at)
        return 0;
    *at = task->next;
    if (c->last == task)
        c->last = before;
    c->waiting--;
    return 1;
}

void clerks_cancel(snug_task *task)
{
    clerks *c = task->host->clerks;

    /* What closes a session is not left undone: nobody else could close it. */
    if (task->kind == TASK_CLOSE)
        return;
    pthread_mutex_lock(&c->lock);
    int was_waiting = leave_queue(c, task);
    pthread_mutex_unlock(&c->lock);
    if (!was_waiting)
        return;

    end(task, tell_cancelled());
}
