#include "session/cells/run_cell.h"

#include "base/clock.h"
#include "base/error.h"
#include "limits/limits.h"
#include "session/cells/cell_job.h"
#include "session/cells/take_result.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/files/artifacts.h"
#include "session/result/result.h"

snug_limits session_cell_limits(const snug_session *session, const snug_limits *limits)
{
    return limits ? limits_resolve(limits, &session->limits) : session->limits;
}

/* Of the turn: with the wait for the session's thread where it has one, and with the waking, which
 * began at start_ns; 0: it was awake. */
static uint64_t wall_ns(const snug_session *session, uint64_t start_ns)
{
    uint64_t end_ns = session->thread.is_inline ? session->stop.ended_ns : clock_now_ns();
    if (start_ns == 0)
        start_ns = session->job.asked_ns;
    return end_ns - start_ns;
}

static int set_cell(cell_job *cell, const char *source, size_t len)
{
    str_clear(&cell->source);
    if (str_append(&cell->source, len > 0 ? source : "", len) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}

int local_start(snug_session *session, const char *source, size_t len, const snug_limits *limits,
                int is_aside)
{
    cell_job *cell = session->cell;
    cell->limits = session_cell_limits(session, limits);
    const job_limits job = { cell->limits.wall_ms, cell->limits.cpu_ms,
                             session->limits.session_cpu_ms };

    int error = session_await_thread(session); /* before the cell's parts are anybody else's */
    if (!error)
        error = set_cell(cell, source, len);
    if (!error && !(cell->result = result_new(session->name)))
        error = error_no_memory();
    if (error)
        return error;

    artifacts_begin(session);
    cell->is_aside = is_aside;
    if (!is_aside)
        cell->result->execution_count = ++session->cells;
    cell->cpu_ns = 0;
    cell->start_ns = session->park.is_parked ? clock_now_ns() : 0;
    error = session_post_job(session, cell_job_run, cell, &job);
    if (!error)
        return SNUG_OK;

    /* It could not be woken, and has run nothing. */
    if (!is_aside)
        session->cells--;
    snug_result_free(cell->result);
    cell->result = NULL;
    return error;
}

int local_attend(snug_session *session, uint64_t until_ns)
{
    return session_attend_job(session, until_ns);
}

static void ring_for(void *arg)
{
    snug_session *session = arg;
    bell_ring(session->host->bell, &session->rings);
}

int local_listen(snug_session *session, int is_on)
{
    mailbox_set_bell(&session->thread.mailbox, is_on ? ring_for : NULL, session);
    return SNUG_OK;
}

/* What has come of the job, which ended with that error. */
static int take_end(snug_result *result, snug_session *session, int error)
{
    switch (error) {
    case SNUG_OK:
        return result_take_end(result, session);
    case SNUG_EDEAD:
        return result_take_loss(result, session);
    case SNUG_ETIMEOUT:
        session->job.settle = cell_job_settle;
        return result_take_stall(result, session);
    default:
        return error;
    }
}

int local_finish(snug_result **out, snug_session *session)
{
    snug_result *result = session->cell->result;
    int ended = session_end_job(session);

    session->cell->result = NULL;
    /* Here, where the watchdog no longer looks. */
    if (ended != SNUG_EDEAD && ended != SNUG_ETIMEOUT)
        session->cpu_used_ns += session->cell->cpu_ns;

    int error = take_end(result, session, ended);
    if (!error)
        error = artifacts_take(result, session);
    if (error) {
        snug_result_free(result);
        return error;
    }

    result->wall_ns = wall_ns(session, session->cell->start_ns);
    *out = result;
    return SNUG_OK;
}

int session_finish(snug_result **out, snug_session *session)
{
    int error = session->form->finish(out, session);
    if (!error)
        (*out)->fixed = session->fixed;
    return error;
}

static int claim_and_run(snug_result **out, snug_session *session, const char *source, size_t len,
                         const snug_limits *limits, const char *what, int is_aside)
{
    snug_limits taken;
    int error = SNUG_OK;

    if (!out || (!source && len > 0))
        return session_fail(session,
                            error_set(SNUG_EINVAL, "%s: %s is NULL", what, out ? "source" : "out"));

    if (limits)
        error = limits_take(&taken, limits);
    if (!error)
        error = session_claim_alive(&session, what);
    if (error)
        return session_fail(session, error);

    error = session->form->start(session, source, len, limits ? &taken : NULL, is_aside);
    if (!error) {
        while (!session->form->attend(session, UINT64_MAX))
            ;
        error = session_finish(out, session);
    }

    return session_return(session, error);
}

int snug_session_run(snug_result **out, snug_session *session, const char *source, size_t len,
                     const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run", CELL_RECORDED);
}

int snug_session_run_aside(snug_result **out, snug_session *session, const char *source, size_t len,
                           const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run_aside", CELL_ASIDE);
}

int snug_session_run_unrecorded(snug_result **out, snug_session *session, const char *source,
                                size_t len, const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run_unrecorded",
                         CELL_UNRECORDED);
}
