/*
 * generate.c - the steps plan, generate and repair: what is asked of the model, and when nothing
 * more is.
 */
#include <stdio.h>

#include "agent/loop/loop.h"
#include "agent/prompt/prompt.h"
#include "agent/trace/trace.h"
#include "base/error.h"

static loop_outcome generate_cell(run *r)
{
    int error = talk_ensure(r);
    if (!error)
        error = act_catch_up(r);
    if (error)
        return run_break(r, error);

    if (!act_has_steps(r))
        return words_ask_last(r);
    return talk_ask(r, USE_CODE, TIME_GENERATE);
}

loop_outcome step_generate(run *r)
{
    if (r->mode == SNUG_AGENT_MODE_ACT)
        return generate_cell(r);

    int error = talk_begin(r);
    if (error)
        return run_break(r, error);
    return talk_ask(r, USE_CODE, TIME_GENERATE);
}

static void tell_repair(const run *r)
{
    const attempt *last = run_attempt(r);
    str event = event_begin(r, "repair");

    if (last) {
        json_put_word(&event, "class", last->class ? last->class : "runtime");
        json_put_word(&event, "category", str_text(&last->category));
        json_put_word(&event, "reason", str_text(&last->failure));
        json_put_number(&event, "repeats", (double)last->repeats);
    }
    event_send(r, "repair", &event);
}

/* A reply that holds no program may say why. */
static loop_outcome stop_after_last(run *r)
{
    const char *sentence = str_text(&r->failure.sentence);
    const attempt *last = run_attempt(r);
    char which[80] = "the only attempt failed";

    str_clear(&r->reply->unsupported); /* of words that are not the answer */
    if (run_attempts(r) > 1)
        snprintf(which, sizeof which, "attempt %llu of %llu failed too",
                 (unsigned long long)run_attempts(r), (unsigned long long)r->limits.attempts);
    if (last && last->code.len == 0 && r->said.text.len > 0)
        return run_stop(r, SNUG_AGENT_STATUS_MAX_ATTEMPTS,
                        "%s: %.400s; it says: %.300s (--max-attempts allows more)", which, sentence,
                        str_text(&r->said.text));
    return run_stop(r, SNUG_AGENT_STATUS_MAX_ATTEMPTS, "%s: %.700s; --max-attempts allows more",
                    which, sentence);
}

loop_outcome step_repair(run *r)
{
    if (run_attempts(r) >= r->limits.attempts)
        return stop_after_last(r);

    tell_repair(r);
    int error = reuse_catch_up(r);
    if (!error)
        error = execute_set_back(r);
    if (error)
        return run_break(r, error);

    error = talk_ensure(r); /* a program that was given has not been talked about */
    if (!error)
        error = talk_say_prompt(r, MODEL_USER, r->failure.template, NULL, 0);
    if (error)
        return run_break(r, error);
    return talk_ask(r, USE_REPAIR, TIME_IMPROVE);
}

static void tell_plan(const run *r)
{
    str event = event_begin(r, "plan");
    json_put_number(&event, "count", (double)r->plan.count);
    json_open(&event, "steps", '[');
    for (size_t i = 0; i < r->plan.count; i++)
        json_put_str(&event, NULL, &r->plan.steps[i]);
    json_close(&event, ']');
    event_send(r, "plan", &event);
}

static loop_outcome ask_for_plan(run *r)
{
    loop_outcome outcome = talk_ask(r, USE_CODE, TIME_GENERATE);
    if (outcome != WENT)
        return outcome;

    plan_free(&r->plan);
    if (plan_read(&r->plan, str_text(&r->said.text), r->said.text.len, run_most_items(r)))
        return run_break(r, error_no_memory());
    return WENT;
}

/* A reply without a plan, or a plan with more steps than there may be, is asked for once more. */
static loop_outcome ask_for_plan_again(run *r)
{
    int error = talk_say_prompt(r, MODEL_USER, "plan_again", NULL, 0);
    if (error)
        return run_break(r, error);
    return ask_for_plan(r);
}

loop_outcome step_plan(run *r)
{
    int error = talk_begin_with(r, "plan");
    if (error)
        return run_break(r, error);
    loop_outcome outcome = ask_for_plan(r);
    if (outcome == WENT && (r->plan.is_cut || r->plan.count == 0))
        outcome = ask_for_plan_again(r);
    if (outcome != WENT)
        return outcome;

    tell_plan(r);
    if (r->plan.is_cut)
        return run_stop(
            r, SNUG_AGENT_STATUS_BUDGET,
            "the plan has more than %llu steps, as it had before; --max-steps allows more",
            (unsigned long long)r->limits.steps);

    if (r->plan.count == 0)
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the model made no plan: %.300s",
                        str_text(&r->said.text));
    event_plan_step(r);
    return WENT;
}
