#include "session/life/renew.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "session/core/claim.h"
#include "session/core/park.h"
#include "session/core/session.h"
#include "session/core/start.h"
#include "session/files/workdir.h"
#include "session/life/make.h"
#include "session/life/orphans.h"

/* ---- another one ---- */

/* What its options said. */
static int copy_options(snug_session *to, const snug_session *from)
{
    to->kind = from->kind;
    to->limits = from->limits;
    to->fixed = from->fixed;
    to->callbacks = from->callbacks;
    to->modules = allowlist_share(from->modules);
    to->files.packages = from->files.packages;
    session_hear_output(to);

    if (from->files.own_packages) {
        to->files.own_packages = strdup(from->files.own_packages);
        if (!to->files.own_packages)
            return error_no_memory();
        to->files.packages = to->files.own_packages;
    }

    if (desk_put_tools(to->desk, from->desk))
        return error_no_memory();
    return session_set_name(to, from->name);
}

static int begin(snug_session *session)
{
    session->cells = 0;
    int error = session_start(session);
    if (!error)
        park_admit(session);
    return error;
}

static int make_successor(snug_session **out, const snug_session *from)
{
    snug_session *made;
    int error = session_new(&made, from->host);
    if (error)
        return error;

    atomic_store(&made->is_busy, SESSION_CALLED);
    error = copy_options(made, from);
    if (!error)
        error = workdir_lend(made, from);
    if (!error)
        error = session_open_files(made);
    if (!error)
        error = begin(made);

    if (error)
        session_discard(made);
    else
        *out = made;
    return error;
}

/* The user's task that has ended last goes along. */
static void move_in(snug_session *to, snug_session *from)
{
    snug_host *user = from->user;

    workdir_hand_on(to, from);
    to->front = session_front(from);
    pthread_mutex_lock(&user->task_lock);
    to->user = user;
    to->ended = from->ended;
    from->ended = NULL;
    pthread_mutex_unlock(&user->task_lock);
}

/* The one before is never claimed again: a front stays until it is closed, and others until their
 * threads have ended. */
static int succeed(snug_session **session)
{
    snug_session *from = *session, *to;
    int error = make_successor(&to, from);
    if (error)
        return error;

    move_in(to, from);
    session_set_successor(to->front, to);
    park_leave(from);
    session_leave_bell(from);
    if (from != to->front)
        host_adopt_orphan(from->host, from);
    host_reap(from->host);
    *session = to;
    return SNUG_OK;
}

/* ---- again ---- */

/* One that was only left may be back. */
static int end_for_renewal(snug_session *session)
{
    int error = SNUG_OK;

    if (session->park.is_parked)
        error = park_wake(session);
    if (error)
        return error_set(error, "session %s could not be woken: %s", session->name,
                         error_message());

    if (!session->is_lost && session_is_left(session))
        error = session_await_thread(session);
    if (!error)
        session_end(session);
    return error;
}

int local_renew(snug_session **session)
{
    int error = end_for_renewal(*session);
    if (error)
        return error;
    if (!(*session)->thread.exists)
        return begin(*session);
    if ((*session)->kind != SNUG_KIND_FULL)
        return succeed(session);
    return error_set(
        SNUG_EDEAD,
        "session %s has the process's only main interpreter, and cannot be reset while "
        "the code of an earlier cell has not ended: close it",
        (*session)->name);
}
