/*
 * consent.c - the caller's word before a program runs: on_program.
 */
#include "agent/loop/loop.h"

#include <string.h>

#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

/* How long somebody thinks does not count for the question. */
static void leave_out_time(run *r, uint64_t ns)
{
    r->started_ns += ns;
    if (r->deadline_ns < UINT64_MAX - ns)
        r->deadline_ns += ns;
}

static snug_agent_consent ask_caller(run *r, const str *code)
{
    const snug_agent_options *options = &r->agent->options;
    const uint64_t start_ns = clock_now_ns();

    str_clear(&r->wanted);
    r->is_consenting = 1;
    snug_agent_consent consent = options->on_program(options->payload, str_text(code), code->len);
    r->is_consenting = 0;
    leave_out_time(r, clock_now_ns() - start_ns);
    return consent;
}

static loop_outcome refuse(run *r)
{
    loop_outcome outcome = run_look(r); /* it may have been cancelled meanwhile */
    if (outcome != WENT)
        return outcome;
    return run_stop(r, SNUG_AGENT_STATUS_REFUSED,
                    "the program was not to run: nothing of it has run");
}

/* The model of act mode goes on from what it has written itself. */
static int tell_model(run *r)
{
    if (r->mode != SNUG_AGENT_MODE_ACT)
        return SNUG_OK;
    str_clear(&r->left_out);
    return str_printf(&r->left_out,
                      "The program was changed by the user before it ran. This ran:\n"
                      "```%s\n%s\n```",
                      is_in_bash(r->agent) ? "bash" : "python", r->wanted.data);
}

static loop_outcome change(run *r)
{
    attempt *a = run_attempt(r);

    str_clear(&a->code);
    if (str_add_str(&a->code, &r->wanted) || tell_model(r))
        return run_break(r, error_no_memory());
    event_text(r, "changed", "code", a->code.data, a->code.len);
    return MORE;
}

loop_outcome consent_to_program(run *r)
{
    if (!r->agent->options.on_program)
        return WENT;

    switch (ask_caller(r, &run_attempt(r)->code)) {
    case SNUG_AGENT_CONSENT_RUN:
        return run_look(r);
    case SNUG_AGENT_CONSENT_CHANGED:
        if (r->wanted.len > 0)
            return change(r);
        break;
    case SNUG_AGENT_CONSENT_REFUSE:
        break;
    }
    return refuse(r);
}

int snug_agent_change_program(snug_agent *agent, const char *code, size_t len)
{
    size_t fault;
    run *r = agent ? agent->run : NULL;

    if (!r || !r->is_consenting || !code)
        return error_set(SNUG_EINVAL, "snug_agent_change_program: %s",
                         code ? "no program is being decided on" : "code is NULL");
    if (memchr(code, '\0', len) || utf8_check(code, len, &fault) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the changed program is not text in UTF-8");
    str_clear(&r->wanted);
    return str_append(&r->wanted, code, len) ? error_no_memory() : SNUG_OK;
}
