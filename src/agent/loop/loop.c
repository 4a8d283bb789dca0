/*
 * loop.c - the way of a question: steps, and the edges between them.
 *
 * Each step is a function (loop.h says in which file) and says how it ended; the table says what
 * comes next.
 */
#include <string.h>

#include "agent/loop/loop.h"
#include "agent/run/run.h"
#include "agent/trace/trace.h"
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

/* The caller may end the run before the next step. */
static snug_agent_step ask_caller(const run *r, snug_agent_step from, snug_agent_step to)
{
    const snug_agent_options *o = &r->agent->options;

    return !o->on_route || o->on_route(o->payload, from, to) == to ? to : SNUG_AGENT_STEP_END;
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

    loop_outcome outcome = WENT;
    at = ask_caller(r, SNUG_AGENT_STEP_END, at);
    while (at != SNUG_AGENT_STEP_END) {
        const snug_agent_step from = at;
        outcome = run_step(r, from);

        at = SNUG_AGENT_STEP_END;
        if (outcome != STOPPED && outcome != BROKEN)
            at = ask_caller(r, from, follow_edge(r, from, outcome));
        watch_route(r, from, at, outcome);
    }

    if (outcome == BROKEN)
        return r->error;

    conclude(r, outcome);
    return SNUG_OK;
}
