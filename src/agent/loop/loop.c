/*
 * loop.c - the way of a question: steps, and the edges between them.
 *
 * Each step is a function (loop.h says in which file) and says how it ended; the table says what
 * comes next. The caller's on_route may choose otherwise.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/loop/improve.h"
#include "agent/loop/loop.h"
#include "agent/run/run.h"
#include "agent/text/clip.h"
#include "agent/trace/diagnostics.h"
#include "agent/trace/step_events.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"

static loop_outcome (*const steps[])(run *r) = {
    [SNUG_AGENT_STEP_PLAN] = step_plan,       [SNUG_AGENT_STEP_GENERATE] = step_generate,
    [SNUG_AGENT_STEP_EXTRACT] = step_extract, [SNUG_AGENT_STEP_SCAN] = step_scan,
    [SNUG_AGENT_STEP_EXECUTE] = step_execute, [SNUG_AGENT_STEP_EVALUATE] = step_evaluate,
    [SNUG_AGENT_STEP_REPAIR] = step_repair,   [SNUG_AGENT_STEP_IMPROVE] = step_improve,
    [SNUG_AGENT_STEP_REPLY] = step_reply,
};

enum {
    SOLVE = 1 << SNUG_AGENT_MODE_SOLVE,
    CHAIN = 1 << SNUG_AGENT_MODE_CHAIN,
    ACT = 1 << SNUG_AGENT_MODE_ACT,
    PLAN = 1 << SNUG_AGENT_MODE_PLAN,
    GIVEN = 1 << (SNUG_AGENT_MODE_PLAN + 1),  /* a program to be made better, until it passes */
    BETTER = 1 << (SNUG_AGENT_MODE_PLAN + 2), /* its versions */
    ASKED = SOLVE | CHAIN | ACT | PLAN,
    REPAIRED = SOLVE | PLAN | GIVEN,
    ALL = ASKED | GIVEN | BETTER
};

/* clang-format off */
static const struct edge {
    unsigned modes;
    snug_agent_step from;
    loop_outcome outcome;
    snug_agent_step to;
} edges[] = {
    { PLAN,     SNUG_AGENT_STEP_PLAN,     WENT,   SNUG_AGENT_STEP_GENERATE },
    { ALL,      SNUG_AGENT_STEP_GENERATE, WENT,   SNUG_AGENT_STEP_EXTRACT  },
    { ALL,      SNUG_AGENT_STEP_REPAIR,   WENT,   SNUG_AGENT_STEP_EXTRACT  },

    { ALL,      SNUG_AGENT_STEP_EXTRACT,  WENT,   SNUG_AGENT_STEP_SCAN     }, /* a given program begins here */
    { ASKED,    SNUG_AGENT_STEP_EXTRACT,  MORE,   SNUG_AGENT_STEP_EVALUATE }, /* an answer in words */
    { ACT,      SNUG_AGENT_STEP_GENERATE, MORE,   SNUG_AGENT_STEP_EVALUATE }, /* the last request */
    { REPAIRED, SNUG_AGENT_STEP_EXTRACT,  FAILED, SNUG_AGENT_STEP_REPAIR   },
    { CHAIN,    SNUG_AGENT_STEP_EXTRACT,  FAILED, SNUG_AGENT_STEP_END      },
    { ACT,      SNUG_AGENT_STEP_EXTRACT,  FAILED, SNUG_AGENT_STEP_GENERATE },
    { BETTER,   SNUG_AGENT_STEP_EXTRACT,  FAILED, SNUG_AGENT_STEP_IMPROVE  },

    { ALL,      SNUG_AGENT_STEP_SCAN,     WENT,   SNUG_AGENT_STEP_EXECUTE  },
    { REPAIRED, SNUG_AGENT_STEP_SCAN,     FAILED, SNUG_AGENT_STEP_REPAIR   },
    { CHAIN,    SNUG_AGENT_STEP_SCAN,     FAILED, SNUG_AGENT_STEP_END      },
    { ACT,      SNUG_AGENT_STEP_SCAN,     FAILED, SNUG_AGENT_STEP_GENERATE },
    { ACT,      SNUG_AGENT_STEP_SCAN,     MORE,   SNUG_AGENT_STEP_EXTRACT  }, /* another call of the reply */
    { BETTER,   SNUG_AGENT_STEP_SCAN,     FAILED, SNUG_AGENT_STEP_IMPROVE  },

    { ALL,      SNUG_AGENT_STEP_EXECUTE,  WENT,   SNUG_AGENT_STEP_EVALUATE }, /* act: a final answer */
    { REPAIRED, SNUG_AGENT_STEP_EXECUTE,  FAILED, SNUG_AGENT_STEP_REPAIR   },
    { CHAIN,    SNUG_AGENT_STEP_EXECUTE,  FAILED, SNUG_AGENT_STEP_END      },
    { ACT,      SNUG_AGENT_STEP_EXECUTE,  FAILED, SNUG_AGENT_STEP_GENERATE }, /* no final answer yet */
    { ACT,      SNUG_AGENT_STEP_EXECUTE,  MORE,   SNUG_AGENT_STEP_EXTRACT  },
    { BETTER,   SNUG_AGENT_STEP_EXECUTE,  FAILED, SNUG_AGENT_STEP_IMPROVE  },

    { ASKED,    SNUG_AGENT_STEP_EVALUATE, WENT,   SNUG_AGENT_STEP_REPLY    },
    { PLAN,     SNUG_AGENT_STEP_EVALUATE, MORE,   SNUG_AGENT_STEP_GENERATE }, /* the next step */
    { REPAIRED, SNUG_AGENT_STEP_EVALUATE, FAILED, SNUG_AGENT_STEP_REPAIR   },
    { CHAIN,    SNUG_AGENT_STEP_EVALUATE, FAILED, SNUG_AGENT_STEP_END      },
    { ACT,      SNUG_AGENT_STEP_EVALUATE, FAILED, SNUG_AGENT_STEP_GENERATE },
    { GIVEN,    SNUG_AGENT_STEP_EVALUATE, WENT,   SNUG_AGENT_STEP_IMPROVE  },
    { BETTER,   SNUG_AGENT_STEP_EVALUATE, WENT,   SNUG_AGENT_STEP_IMPROVE  },
    { BETTER,   SNUG_AGENT_STEP_EVALUATE, FAILED, SNUG_AGENT_STEP_IMPROVE  },

    { BETTER,   SNUG_AGENT_STEP_IMPROVE,  MORE,   SNUG_AGENT_STEP_EXTRACT  }, /* another version */
    { BETTER,   SNUG_AGENT_STEP_IMPROVE,  WENT,   SNUG_AGENT_STEP_REPLY    },

    { ALL,      SNUG_AGENT_STEP_REPLY,    WENT,   SNUG_AGENT_STEP_END      },
};
/* clang-format on */

/* The bit of edge.modes that stands for the question. A program that is to be made better counts
 * as GIVEN until a version of it passes. */
static unsigned mode_bit(const run *r)
{
    if (!given_is_improved(r))
        return 1u << r->mode;
    return r->reply->best ? BETTER : GIVEN;
}

static snug_agent_step follow_edge(const run *r, snug_agent_step from, loop_outcome outcome)
{
    const unsigned mode = mode_bit(r);

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if ((edges[i].modes & mode) && edges[i].from == from && edges[i].outcome == outcome)
            return edges[i].to;
    return SNUG_AGENT_STEP_END;
}

/* Whether a step that the caller chose has something to work on. */
static int can_take(run *r, snug_agent_step to)
{
    const attempt *last = run_attempt(r);
    const int is_act = r->mode == SNUG_AGENT_MODE_ACT;
    const int has_code = last && last->code.len > 0;
    const int has_run = last && attempt_has_run(last);

    switch (to) {
    case SNUG_AGENT_STEP_PLAN:
        return r->mode == SNUG_AGENT_MODE_PLAN;
    case SNUG_AGENT_STEP_GENERATE:
    case SNUG_AGENT_STEP_END:
        return 1;
    case SNUG_AGENT_STEP_EXTRACT:
        if (is_act)
            return r->call_at < r->call_count;
        return r->said.text.len > 0 || r->said.call_count > 0;
    case SNUG_AGENT_STEP_SCAN:
    case SNUG_AGENT_STEP_EXECUTE:
        /* A cell of act mode answers a call that waits. */
        return has_code && (!is_act || r->call_at > 0);
    case SNUG_AGENT_STEP_REPAIR:
        return has_code && !is_act;
    case SNUG_AGENT_STEP_IMPROVE:
        /* A program that passes, or a version of it. */
        if (!given_is_improved(r) || !last || !last->result)
            return 0;
        return r->reply->best || last->failure.len == 0;
    case SNUG_AGENT_STEP_EVALUATE:
    case SNUG_AGENT_STEP_REPLY:
        return r->has_final || (has_run && !is_act);
    }

    return 0;
}

/* Puts into *to what the caller's on_route wants instead. STOPPED where that is not possible. */
static loop_outcome ask_caller(run *r, snug_agent_step *to, snug_agent_step from)
{
    const snug_agent_options *options = &r->agent->options;

    if (!options->on_route)
        return WENT;

    snug_agent_step wanted = options->on_route(options->payload, from, *to);
    if (wanted == *to)
        return WENT;

    const int is_step = (int)wanted >= 0 && wanted <= SNUG_AGENT_STEP_END;
    if (!is_step || !can_take(r, wanted))
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR,
                        "on_route wants the step \"%s\" after \"%s\", which has nothing to work on",
                        is_step ? run_step_name(wanted) : "?", run_step_name(from));

    *to = wanted;
    return WENT;
}

/* What ran well, but was not judged or put into words. In act mode it may be any cell. */
static int has_unsaid_output(const run *r)
{
    const attempt *last = run_attempt(r);

    if (r->mode == SNUG_AGENT_MODE_ACT || !last || !attempt_has_run(last))
        return 0;
    if (last->result && snug_result_status(last->result) != SNUG_STATUS_OK)
        return 0;
    return last->failure.len == 0;
}

/* The status, error and answer of a run that has ended, where no step has set them. */
static void conclude(run *r, loop_outcome outcome)
{
    snug_reply *reply = r->reply;

    /* A run that ends on a failure has used up what it may do. */
    if (outcome == FAILED)
        run_stop(r, SNUG_AGENT_STATUS_MAX_ATTEMPTS, "the only attempt failed: %s",
                 str_text(&r->failure.sentence));

    if (reply->status == SNUG_AGENT_STATUS_TERMINAL_ERROR && reply->error.len == 0)
        run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR,
                 "on_route ended the run before there was an answer");

    if (reply->status == SNUG_AGENT_STATUS_ANSWERED)
        return;

    /* A program that was given and passed is not lost where its versions were. */
    if (reply->best)
        given_answer(r);

    if (reply->answer.len == 0 && r->is_in_words && run_attempt(r)->failure.len == 0)
        str_add_str(&reply->answer, &r->final_answer);
    if (reply->answer.len == 0 && has_unsaid_output(r))
        str_add_str(&reply->answer, &run_attempt(r)->output);
}

static int begin_loop(snug_agent_step *first, run *r)
{
    if (given_is_there(r)) {
        *first = SNUG_AGENT_STEP_SCAN;
        return given_begin(r);
    }

    *first = r->mode == SNUG_AGENT_MODE_PLAN ? SNUG_AGENT_STEP_PLAN : SNUG_AGENT_STEP_GENERATE;
    return SNUG_OK;
}

static loop_outcome run_step(run *r, snug_agent_step step)
{
    loop_outcome outcome = run_look(r);
    if (outcome != WENT)
        return outcome;

    r->at = step;
    size_t span = trace_step_begin(r, step);
    outcome = steps[step](r);
    trace_step_end(r, span, step);
    return outcome;
}

int loop_run(run *r)
{
    snug_agent_step at;
    int error = begin_loop(&at, r);
    if (error)
        return error;

    loop_outcome outcome = ask_caller(r, &at, SNUG_AGENT_STEP_END);
    while (at != SNUG_AGENT_STEP_END && outcome != STOPPED && outcome != BROKEN) {
        const snug_agent_step from = at;
        outcome = run_step(r, from);

        at = SNUG_AGENT_STEP_END;
        if (outcome != STOPPED && outcome != BROKEN) {
            at = follow_edge(r, from, outcome);
            if (ask_caller(r, &at, from) == STOPPED) {
                outcome = STOPPED;
                at = SNUG_AGENT_STEP_END;
            }
        }

        watch_route(r, from, at, outcome);
    }

    if (outcome == BROKEN)
        return r->error;

    conclude(r, outcome);
    return SNUG_OK;
}
