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

/* The thread runs the session's cell; what comes of it goes to result. */
static int run_into(snug_result *result, snug_session *session)
{
    cell_job *cell = session->cell;
    const job_limits limits = { cell->limits.wall_ms, cell->limits.cpu_ms,
                                session->limits.session_cpu_ms };

    artifacts_begin(session);
    if (!cell->is_aside)
        result->execution_count = ++session->cells;
    cell->cpu_ns = 0;
    uint64_t start_ns = session->park.is_parked ? clock_now_ns() : 0;
    int error = session_run_job(session, cell_job_run, cell, &limits);

    /* It could not be woken, and has run nothing. */
    if (error && session->park.is_parked && !cell->is_aside)
        session->cells--;

    /* Here, where the watchdog no longer looks. */
    if (error != SNUG_EDEAD)
        session->cpu_used_ns += cell->cpu_ns;

    if (error == SNUG_EDEAD)
        error = result_take_loss(result, session);
    else if (!error)
        error = result_take_end(result, session);

    if (!error)
        error = artifacts_take(result, session);
    if (!error)
        result->wall_ns = wall_ns(session, start_ns);
    return error;
}

int local_run(snug_result **out, snug_session *session, const char *source, size_t len,
              const snug_limits *limits, int is_aside)
{
    snug_result *result = result_new(session->name);
    if (!result)
        return error_no_memory();

    session->cell->limits = session_cell_limits(session, limits);
    session->cell->is_aside = is_aside;
    int error = set_cell(session->cell, source, len);
    if (!error)
        error = run_into(result, session);
    if (error) {
        snug_result_free(result);
        return error;
    }

    *out = result;
    return SNUG_OK;
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
        error = session_claim_alive(session, what);
    if (error)
        return session_fail(session, error);

    return session_return(
        session, session->form->run(out, session, source, len, limits ? &taken : NULL, is_aside));
}

int snug_session_run(snug_result **out, snug_session *session, const char *source, size_t len,
                     const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run", 0);
}

int snug_session_run_aside(snug_result **out, snug_session *session, const char *source, size_t len,
                           const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run_aside", 1);
}
