/*
 * generate.c - the steps plan, generate and repair: what is asked of the model, and when nothing
 * more is.
 */
#include "agent/loop/act.h"
#include "agent/loop/loop.h"
#include "agent/loop/reuse.h"
#include "agent/prompt/request.h"
#include "agent/trace/step_events.h"
#include "base/error.h"

static loop_outcome generate_cell(run *r)
{
    if (r->message_count == 0) {
        int error = act_begin(r);
        if (error)
            return run_break(r, error);
    }

    loop_outcome looked = act_look(r);
    if (looked != WENT)
        return looked;
    return request_ask(r, USE_CODE, TIME_GENERATE, r->messages, r->message_count);
}

loop_outcome step_generate(run *r)
{
    if (r->mode == SNUG_AGENT_MODE_ACT)
        return generate_cell(r);

    const char *template = r->mode == SNUG_AGENT_MODE_PLAN ? "step" : "generate";
    return request_prompt(r, USE_CODE, TIME_GENERATE, "system", template);
}

static void tell_repair(const run *r)
{
    const attempt *last = run_attempt(r);
    cJSON *event = event_begin(r, "repair");

    if (event && last) {
        json_add_text(event, "class", last->class ? last->class : "runtime");
        json_add_text(event, "category", str_text(&last->category));
        json_add_text(event, "reason", str_text(&last->failure));
        json_add_number(event, "repeats", (double)last->repeats);
    }
    event_send(r, event);
}

loop_outcome step_repair(run *r)
{
    if (run_attempts(r) >= r->limits.attempts)
        return run_stop(r, SNUG_AGENT_STATUS_MAX_ATTEMPTS,
                        "attempt %llu of %llu failed too: %.700s",
                        (unsigned long long)run_attempts(r), (unsigned long long)r->limits.attempts,
                        str_text(&r->failure.sentence));

    tell_repair(r);
    int error = reuse_catch_up(r);
    if (error)
        return run_break(r, error);

    const char *template = r->failure.template;
    if (!template)
        template = "repair"; /* on_route may want a program repaired that has not failed */
    return request_prompt(r, USE_REPAIR, TIME_IMPROVE, "system", template);
}

static void tell_plan(const run *r)
{
    cJSON *event = event_begin(r, "plan");
    cJSON *steps = event ? json_add_array(event, "steps") : NULL;
    for (size_t i = 0; steps && i < r->plan.count; i++)
        json_add_text(steps, NULL, str_text(&r->plan.steps[i]));
    event_send(r, event);
}

loop_outcome step_plan(run *r)
{
    loop_outcome outcome = request_prompt(r, USE_CODE, TIME_GENERATE, NULL, "plan");
    if (outcome != WENT)
        return outcome;

    plan_free(&r->plan);
    str_clear(&r->done);
    r->step = 0; /* on_route may want another plan */
    r->step_attempt = r->reply->attempt_count;
    if (plan_read(&r->plan, str_text(&r->said.text), r->said.text.len, run_most_items(r)))
        return run_break(r, error_no_memory());

    tell_plan(r);
    if (r->plan.is_cut)
        return run_stop(r, SNUG_AGENT_STATUS_BUDGET, "the plan has more than %llu steps",
                        (unsigned long long)r->limits.steps);

    if (r->plan.count == 0)
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the model made no plan: %.300s",
                        str_text(&r->said.text));
    return WENT;
}
