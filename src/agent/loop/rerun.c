/*
 * rerun.c - a program whose worker fails runs again in a new one, from what was saved before it.
 *
 * In the form of workers only, where a fault costs a process that can be replaced. What a program
 * did before the fault outside its session (a file in a folder that was named, a call of a tool)
 * it does again. Of a session of bash what bash_state.h keeps is there again.
 */
#include "agent/loop/loop.h"

#include <stdlib.h>

#include "agent/prompt/prompt.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"

enum { MOST_SAVED_BYTES = 32 << 20 };
#define SLOW_NS (2 * NS_PER_S)

/* ---- before ---- */

static int can_be_rerun(const run *r)
{
    return r->agent->options.reruns > 0 && snug_host_form(r->agent->host) == SNUG_FORM_WORKER;
}

/* Nothing has run in the session: it has what came with the question, and no save is needed. */
static int is_untouched(const snug_agent *agent)
{
    return snug_session_execution_count(agent->session) == 0;
}

static int save_python(run *r)
{
    snug_saved *saved;

    if (!r->saved.folder[0] && private_file_open(&r->saved, "session"))
        return 0;
    if (snug_session_save(&saved, r->agent->session, r->saved.path) != SNUG_OK)
        return 0;
    snug_saved_free(saved);
    return 1;
}

/* What its files come to is known only then. */
static int save_bash(run *r)
{
    str_clear(&r->saved_bash);
    if (bash_state_save(&r->saved_bash, r->agent) != SNUG_OK)
        return 0;
    if (r->saved_bash.len <= MOST_SAVED_BYTES)
        return 1;
    str_free(&r->saved_bash);
    r->agent->saves_slowly = 1;
    return 0;
}

/* What cannot be saved, as where the session's own code keeps it from ending, is not run again. */
static void save_session(run *r)
{
    snug_agent *agent = r->agent;
    const uint64_t start_ns = clock_now_ns();

    r->is_saved = 0;
    r->is_untouched = can_be_rerun(r) && is_untouched(agent);
    if (r->is_untouched || !can_be_rerun(r) || agent->saves_slowly ||
        agent->peak_bytes > MOST_SAVED_BYTES)
        return;

    atomic_store(&agent->is_executing, 1);
    if (!atomic_load(&agent->is_cancelled))
        r->is_saved = is_in_bash(agent) ? save_bash(r) : save_python(r);
    atomic_store(&agent->is_executing, 0);
    agent->saves_slowly |= clock_now_ns() - start_ns > SLOW_NS;
}

/* ---- afterwards ---- */

/* As the question found it. */
static int begin_again(run *r)
{
    int error = snug_session_reset(r->agent->session);

    str_clear(&r->inputs);
    str_clear(&r->data);
    return error ? error : inputs_bind(r);
}

static int restore_python(run *r)
{
    snug_saved *restored;
    int error = snug_session_restore(&restored, r->agent->session, r->saved.path);

    if (!error)
        snug_saved_free(restored);
    return error;
}

/* The checkpoint has gone with the session, and was what has been saved: an attempt begins there.
 */
static int restore_session(run *r)
{
    snug_agent *agent = r->agent;
    int error;

    if (r->is_untouched) {
        error = begin_again(r);
    } else {
        atomic_store(&agent->is_executing, 1);
        error = is_in_bash(agent) ? snug_session_reset(agent->session) : restore_python(r);
        if (!error && is_in_bash(agent))
            error = bash_state_restore(agent, &r->saved_bash);
        atomic_store(&agent->is_executing, 0);
    }

    if (error)
        return error;
    return r->has_checkpoint ? snug_session_checkpoint(agent->session) : SNUG_OK;
}

/* The list of faults is whole after each of them. */
static int keep_fault(attempt *a, const char *why)
{
    if (a->faults.len > 0)
        a->faults.data[--a->faults.len] = '\0';
    else
        json_open(&a->faults, NULL, '[');
    json_put_word(&a->faults, NULL, why);
    json_close(&a->faults, ']');
    str_clear(&a->fault);
    a->reruns++;
    return str_error(&a->faults) || str_add(&a->fault, why) ? error_no_memory() : SNUG_OK;
}

static void tell_rerun(const run *r, const attempt *a, const char *why)
{
    str event = event_begin(r, "rerun");
    json_put_word(&event, "reason", why);
    json_put_number(&event, "rerun", (double)a->reruns);
    json_put_number(&event, "of", (double)r->agent->options.reruns);
    event_send(r, "rerun", &event);
}

/* A program that took too much time or memory would do so again. */
static int is_fault(const run *r, const attempt *a)
{
    return snug_result_status(a->result) == SNUG_STATUS_CRASHED &&
           a->reruns < r->agent->options.reruns;
}

/* Whether the session was lost, and can be had back. Where the question is over it is not. */
static int can_restore(run *r, const attempt *a)
{
    if (!a->result || snug_result_state(a->result) != SNUG_STATE_LOST)
        return 0;

    if (!r->is_saved && !r->is_untouched)
        return 0;
    return snug_result_status(a->result) != SNUG_STATUS_INTERRUPTED && run_look(r) == WENT;
}

int rerun_program(run *r, attempt *a)
{
    save_session(r);
    a->is_restored = 0;

    for (;;) {
        snug_result_free(a->result);
        a->result = NULL;
        int error = run_cell(&a->result, r, str_text(&a->code), a->code.len, 0);
        if (a->result)
            r->agent->peak_bytes = snug_result_peak_bytes(a->result);
        if (error || !can_restore(r, a))
            return error;
        if (restore_session(r) != SNUG_OK)
            return SNUG_OK; /* it is still lost */
        if (!is_fault(r, a)) {
            a->is_restored = 1;
            return SNUG_OK;
        }

        watch_result(r, a->result);
        const char *why = snug_result_error_value(a->result);
        error = keep_fault(a, why);
        if (error)
            return error;
        tell_rerun(r, a, why);
    }
}
