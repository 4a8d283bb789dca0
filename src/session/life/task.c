#include "session/life/task.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/thread.h"
#include "limits/limits.h"
#include "session/cells/run_cell.h"
#include "session/core/claim.h"
#include "session/core/session.h"

/* ---- life ---- */

/* The bell and what guards tasks are there from the first one on. */
static int open_bell(snug_host *host)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&host->task_lock);
    if (!host->bell)
        error = bell_open(&host->bell);
    pthread_mutex_unlock(&host->task_lock);
    return error;
}

static void count_task(snug_host *host, int difference)
{
    pthread_mutex_lock(&host->task_lock);
    host->tasks += (size_t)difference;
    pthread_mutex_unlock(&host->task_lock);
}

int task_new(snug_task **made, task_kind kind, snug_host *host, snug_session *session,
             snug_task_done *on_done, void *payload)
{
    int error = open_bell(host);
    if (error)
        return error;

    snug_task *task = calloc(1, sizeof *task);
    if (!task)
        return error_no_memory();

    pthread_mutex_init(&task->lock, NULL);
    atomic_store(&task->holders, 1);
    atomic_store(&task->is_attended, 1);
    task->rings.is_task = 1;
    task->kind = kind;
    task->host = host;
    task->session = session;
    task->on_done = on_done;
    task->payload = payload;
    count_task(host, 1);
    *made = task;
    return SNUG_OK;
}

void task_hold(snug_task *task)
{
    atomic_fetch_add(&task->holders, 1);
}

void task_drop(snug_task *task)
{
    if (!task || atomic_fetch_sub(&task->holders, 1) > 1)
        return;
    snug_result_free(task->result);
    snug_saved_free(task->saved);
    free(task->message);
    task_free_call(task);
    pthread_mutex_destroy(&task->lock);
    free(task);
}

void task_abandon(snug_task *task)
{
    count_task(task->host, -1);
    task_drop(task);
}

void snug_task_free(snug_task *task)
{
    task_drop(task);
}

/* ---- the end ---- */

/* The session's next call may begin, and its last task is this one. */
static void let_go_of_session(snug_task *task)
{
    snug_session *session = task->session;
    snug_host *host = task->host;
    snug_task *before = NULL;

    pthread_mutex_lock(&task->lock);
    task->is_ending = 1;
    task->session = NULL;
    pthread_mutex_unlock(&task->lock);
    if (!session || task->kind == TASK_CLOSE)
        return;

    if (task->kind == TASK_CELL) {
        task_hold(task);
        pthread_mutex_lock(&host->task_lock);
        before = session->ended;
        session->ended = task;
        session->task = NULL;
        pthread_mutex_unlock(&host->task_lock);
    }

    session_release(session);
    task_drop(before);
}

void task_end(snug_task *task, int error)
{
    task->error = error;
    if (error)
        task->message = strdup(error_message()); /* without memory for it, it is empty */
    if (task->session && task->kind != TASK_CLOSE)
        session_fail(task->session, error);
    let_go_of_session(task);
    atomic_store(&task->is_over, 1);
    futex_wake_all(&task->is_over);
}

/* Who works on it calls its function, once, and is done with it. Answers whether it did. */
static int tell(snug_task *task)
{
    if (atomic_exchange(&task->is_told, 1))
        return 0;
    if (task->on_done)
        task->on_done(task->payload, task);
    count_task(task->host, -1);
    task_drop(task);
    return 1;
}

void task_end_for_host(snug_task *task, int error)
{
    task_hold(task); /* the bell's: who waits may be done with it at once */
    task_end(task, error);
    bell_ring(task->host->bell, &task->rings);
}

static int tell_rung(snug_task *task)
{
    int is_told = tell(task);
    task_drop(task);
    return is_told;
}

/* ---- cells ---- */

static void finish_cell(snug_task *task)
{
    snug_session *session = task->session;
    int error = session_finish(&task->result, session);

    session->form->listen(session, 0);
    task_end(task, error);
}

/* Whoever comes first. Others who find it attended leave word that there may be more to do. Answers
 * whether it is over. */
static int attend_cell(snug_task *task, uint64_t until_ns)
{
    if (atomic_load(&task->is_over))
        return 1;
    if (atomic_exchange(&task->is_attended, 1)) {
        atomic_store(&task->is_missed, 1);
        return 0;
    }

    /* It stays attended when it is over. */
    if (task->session->form->attend(task->session, until_ns)) {
        finish_cell(task);
        return 1;
    }

    atomic_store(&task->is_attended, 0);
    return atomic_exchange(&task->is_missed, 0) ? attend_cell(task, 0) : 0;
}

static snug_task *task_of(snug_host *host, const snug_session *session)
{
    pthread_mutex_lock(&host->task_lock);
    snug_task *task = session->task;
    if (task)
        task_hold(task);
    pthread_mutex_unlock(&host->task_lock);
    return task;
}

static void set_task(snug_session *session, snug_task *task)
{
    pthread_mutex_lock(&session->host->task_lock);
    session->task = task;
    pthread_mutex_unlock(&session->host->task_lock);
}

/* It may have rung before. Who attends may be done with it at once, and with its session. */
static void begin_attending(snug_task *task)
{
    pthread_mutex_lock(&task->lock);
    atomic_store(&task->is_attended, 0);
    if (task->session)
        bell_ring(task->host->bell, &task->session->rings);
    pthread_mutex_unlock(&task->lock);
}

static int start_claimed(snug_task **out, snug_session *session, const char *source, size_t len,
                         const snug_limits *limits, snug_task_done *on_done, void *payload)
{
    snug_task *task;
    int error = task_new(&task, TASK_CELL, session->host, session, on_done, payload);
    if (error)
        return error;

    task_hold(task); /* who dispatches may be done with it at once */
    set_task(session, task);
    error = session->form->listen(session, 1);
    if (!error)
        error = session->form->start(session, source, len, limits, 0);
    if (error) {
        session->form->listen(session, 0);
        set_task(session, NULL);
        task_abandon(task);
        task_drop(task);
        return error;
    }

    begin_attending(task);
    if (out)
        *out = task;
    else
        task_drop(task);
    return SNUG_OK;
}

int snug_session_start(snug_task **out, snug_session *session, const char *source, size_t len,
                       const snug_limits *limits, snug_task_done *on_done, void *payload)
{
    snug_limits taken;
    int error = SNUG_OK;

    if (!session || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_session_start: %s is NULL",
                         session ? "source" : "session");
    if (session->thread.is_inline)
        return error_set(SNUG_EINVAL, "snug_session_start: session %s runs on its caller's thread",
                         session->name);

    if (limits)
        error = limits_take(&taken, limits);
    if (!error)
        error = session_claim_alive(&session, "snug_session_start");
    if (error)
        return session_fail(session, error);

    error = start_claimed(out, session, source, len, limits ? &taken : NULL, on_done, payload);
    return error ? session_return(session, error) : SNUG_OK;
}

/* ---- dispatching ---- */

int snug_host_fd(snug_host *host)
{
    int error = host_check(host, "snug_host_fd");
    if (!error)
        error = open_bell(host);
    int fd = error ? error : bell_fd(host->bell);
    if (fd < 0)
        host_fail(host, fd);
    return fd;
}

static int attend_session(snug_host *host, const snug_session *session)
{
    snug_task *task = task_of(host, session);
    if (!task)
        return 0;

    int is_told = attend_cell(task, 0) && tell(task);
    task_drop(task);
    return is_told;
}

static snug_session *session_of(bell_item *item)
{
    return (snug_session *)(void *)((char *)item - offsetof(snug_session, rings));
}

/* What comes meanwhile has the next turn: a dispatch comes to its end. */
enum { MOST_ITEMS = 1024 };

int snug_host_dispatch(snug_host *host, uint64_t ms)
{
    int told = 0;
    bell_item *item;

    int error = host_check(host, "snug_host_dispatch");
    if (!error)
        error = open_bell(host);
    if (error)
        return host_fail(host, error);

    if (ms > 0)
        bell_wait(host->bell, clock_deadline_ns(clock_now_ns(), ms));
    for (int i = 0; i < MOST_ITEMS && (item = bell_take(host->bell)); i++)
        told += item->is_task ? tell_rung((snug_task *)(void *)item)
                              : attend_session(host, session_of(item));
    bell_hush(host->bell);
    return told;
}

void tasks_close(snug_host *host)
{
    bell_item *item;

    while (host->bell && (item = bell_take(host->bell)))
        if (item->is_task)
            tell_rung((snug_task *)(void *)item);
    bell_close(host->bell);
    host->bell = NULL;
}

/* ---- waiting ---- */

/* Who waits attends a cell, unless somebody else does: then it looks now and then. */
#define LOOK_NS (20 * NS_PER_MS)

static int wait_until(snug_task *task, uint64_t until_ns)
{
    for (;;) {
        int is_over = task->kind == TASK_CELL ? attend_cell(task, until_ns)
                                              : (int)atomic_load(&task->is_over);
        if (is_over)
            return 1;

        uint64_t now_ns = clock_now_ns();
        if (now_ns >= until_ns)
            return 0;
        uint64_t look_ns = task->kind == TASK_CELL ? now_ns + LOOK_NS : UINT64_MAX;
        futex_wait(&task->is_over, 0, look_ns < until_ns ? look_ns : until_ns);
    }
}

static uint64_t deadline_ns(uint64_t ms)
{
    return ms > 0 ? clock_deadline_ns(clock_now_ns(), ms) : 0;
}

int snug_task_wait(snug_task *task, uint64_t ms)
{
    int error = task ? host_check(task->host, "snug_task_wait")
                     : error_set(SNUG_EINVAL, "snug_task_wait: task is NULL");
    if (error)
        return error;
    if (!wait_until(task, deadline_ns(ms)))
        return error_set(SNUG_EAGAIN, "the task is not over yet");
    tell(task);
    return SNUG_OK;
}

/* The one that is under way, or the last one; held. */
static snug_task *last_task(const snug_session *front)
{
    snug_session *session = session_look(front);
    snug_host *host = session->host;

    pthread_mutex_lock(&host->task_lock);
    snug_task *task = session->task ? session->task : session->ended;
    if (task)
        task_hold(task);
    pthread_mutex_unlock(&host->task_lock);
    session_look_away();
    return task;
}

static int take_cell(snug_result **out, snug_session *session, snug_task *task)
{
    if (task->error)
        return error_set(task->error, "%s", snug_task_message(task));

    snug_result *result = snug_task_take_result(task);
    if (!result)
        return error_set(SNUG_ENOTFOUND, "the result of the last cell of session %s was taken",
                         session->name);
    *out = result;
    return SNUG_OK;
}

int snug_session_wait(snug_result **out, snug_session *session, uint64_t ms)
{
    if (!out || !session)
        return error_set(SNUG_EINVAL, "snug_session_wait: %s is NULL", out ? "session" : "out");
    if (!forked_is_process(session->host->process))
        return forked_refuse("snug_session_wait");

    snug_task *task = last_task(session);
    if (!task)
        return error_set(SNUG_ENOTFOUND, "no cell was started in session %s", session->name);

    int error = snug_task_wait(task, ms);
    if (!error)
        error = take_cell(out, session, task);
    task_drop(task);
    return error;
}

/* ---- asking ---- */

void snug_task_cancel(snug_task *task)
{
    if (!task || !forked_is_process(task->host->process))
        return;

    pthread_mutex_lock(&task->lock);
    int is_first = !task->is_cancelled && !task->is_ending;
    task->is_cancelled = 1;
    if (is_first && task->session && !task->is_waiting)
        task->session->form->interrupt(task->session);
    pthread_mutex_unlock(&task->lock);
    if (is_first && task->kind != TASK_CELL)
        clerks_cancel(task);
}

int snug_task_error(const snug_task *task)
{
    return atomic_load(&task->is_over) ? task->error : SNUG_EAGAIN;
}

const char *snug_task_message(const snug_task *task)
{
    return atomic_load(&task->is_over) && task->message ? task->message : "";
}

snug_result *snug_task_take_result(snug_task *task)
{
    if (!atomic_load(&task->is_over))
        return NULL;
    pthread_mutex_lock(&task->lock);
    snug_result *result = task->result;
    task->result = NULL;
    pthread_mutex_unlock(&task->lock);
    return result;
}

snug_session *snug_task_take_session(snug_task *task)
{
    if (!atomic_load(&task->is_over))
        return NULL;
    pthread_mutex_lock(&task->lock);
    snug_session *opened = task->opened;
    task->opened = NULL;
    pthread_mutex_unlock(&task->lock);
    return opened;
}

snug_saved *snug_task_take_saved(snug_task *task)
{
    if (!atomic_load(&task->is_over))
        return NULL;
    pthread_mutex_lock(&task->lock);
    snug_saved *saved = task->saved;
    task->saved = NULL;
    pthread_mutex_unlock(&task->lock);
    return saved;
}

void *snug_task_payload(const snug_task *task)
{
    return task->payload;
}

static snug_activity activity_of(const snug_session *session)
{
    if (atomic_load(&session->is_busy) != SESSION_IDLE)
        return SNUG_ACTIVITY_CALLED;
    if (session->is_lost || !session->form->is_alive(session))
        return SNUG_ACTIVITY_LOST;
    if (session->job.is_left && mailbox_is_left(&session->thread.mailbox))
        return SNUG_ACTIVITY_STALLED;
    return SNUG_ACTIVITY_IDLE;
}

snug_activity snug_session_activity(const snug_session *session)
{
    if (atomic_load(&session->is_busy) != SESSION_IDLE)
        return SNUG_ACTIVITY_CALLED;
    snug_activity activity = activity_of(session_look(session));
    session_look_away();
    return activity;
}
