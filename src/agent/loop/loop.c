/*
 * loop.c - the way of a question: steps, and the edges between them.
 *
 * Each step is a function in a file of its own and says how it ended; the table says what comes
 * next. The caller's on_route may choose otherwise.
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
    GIVEN =
        1 << (SNUG_AGENT_MODE_PLAN + 1), /* a program that is to be made better, until it passes */
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

static unsigned way_of(const run *r)
{
    if (!given_is_improved(r))
        return 1u << r->mode;
    return r->reply->best ? BETTER : GIVEN;
}

static snug_agent_step follow_edge(const run *r, snug_agent_step from, loop_outcome outcome)
{
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if ((edges[i].modes & way_of(r)) && edges[i].from == from && edges[i].outcome == outcome)
            return edges[i].to;
    return SNUG_AGENT_STEP_END;
}

/* What a step that the caller chose stands on. */
static int can_take(run *r, snug_agent_step to)
{
    const attempt *last = run_attempt(r);

    switch (to) {
    case SNUG_AGENT_STEP_PLAN:
        return r->mode == SNUG_AGENT_MODE_PLAN;
    case SNUG_AGENT_STEP_GENERATE:
    case SNUG_AGENT_STEP_END:
        return 1;
    case SNUG_AGENT_STEP_EXTRACT:
        return r->mode == SNUG_AGENT_MODE_ACT ? r->call_at < r->call_count
                                              : r->said.text.len > 0 || r->said.call_count > 0;
    case SNUG_AGENT_STEP_SCAN:
    case SNUG_AGENT_STEP_EXECUTE:
        /* A cell of act mode answers a call that waits. */
        return last && last->code.len > 0 && (r->mode != SNUG_AGENT_MODE_ACT || r->call_at > 0);
    case SNUG_AGENT_STEP_REPAIR:
        return last && last->code.len > 0 && r->mode != SNUG_AGENT_MODE_ACT;
    case SNUG_AGENT_STEP_IMPROVE:
        /* A program that passes, or a version of it. */
        return given_is_improved(r) && last && last->result &&
               (r->reply->best || last->failure.len == 0);
    case SNUG_AGENT_STEP_EVALUATE:
    case SNUG_AGENT_STEP_REPLY:
        return last && attempt_has_run(last) && (r->mode != SNUG_AGENT_MODE_ACT || r->has_final);
    }

    return 0;
}

/* The caller's way, where it wants another. */
static int ask_caller(run *r, snug_agent_step *to, snug_agent_step from)
{
    if (!r->agent->options.on_route)
        return 1;
    snug_agent_step wanted = r->agent->options.on_route(r->agent->options.payload, from, *to);
    if (wanted == *to)
        return 1;
    if ((int)wanted < 0 || wanted > SNUG_AGENT_STEP_END || !can_take(r, wanted)) {
        run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR,
                 "on_route wants the step \"%s\" after \"%s\", which has nothing to work on",
                 (int)wanted >= 0 && wanted <= SNUG_AGENT_STEP_END ? run_step_name(wanted) : "?",
                 run_step_name(from));
        return 0;
    }

    *to = wanted;
    return 1;
}

/* A run that ends on a failure has used up what it may do. */
static void conclude(run *r, loop_outcome outcome)
{
    const attempt *last = run_attempt(r);

    if (outcome == FAILED)
        run_stop(r, SNUG_AGENT_STATUS_MAX_ATTEMPTS, "the only attempt failed: %s",
                 str_text(&r->failure.sentence));

    if (r->reply->status == SNUG_AGENT_STATUS_TERMINAL_ERROR && r->reply->error.len == 0)
        run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR,
                 "on_route ended the run before there was an answer");

    /* A program that was given and passed is not lost where its versions were. */
    if (r->reply->status != SNUG_AGENT_STATUS_ANSWERED && r->reply->best)
        given_answer(r);

    /* What ran well is not lost where its evaluation or the words for it were. */
    if (r->reply->status != SNUG_AGENT_STATUS_ANSWERED && r->reply->answer.len == 0 && last &&
        attempt_has_run(last) &&
        (!last->result || snug_result_status(last->result) == SNUG_STATUS_OK) &&
        last->failure.len == 0 && r->mode != SNUG_AGENT_MODE_ACT)
        str_append(&r->reply->answer, str_text(&last->output), last->output.len);
}

static int choose_first(snug_agent_step *out, run *r)
{
    *out = given_is_there(r)                 ? SNUG_AGENT_STEP_SCAN
           : r->mode == SNUG_AGENT_MODE_PLAN ? SNUG_AGENT_STEP_PLAN
                                             : SNUG_AGENT_STEP_GENERATE;
    if (given_is_there(r))
        return given_begin(r);
    return SNUG_OK;
}

int loop_run(run *r)
{
    snug_agent_step at;
    int error = choose_first(&at, r);
    if (error)
        return error;

    loop_outcome outcome = ask_caller(r, &at, SNUG_AGENT_STEP_END) ? WENT : STOPPED;
    while (at != SNUG_AGENT_STEP_END && outcome != STOPPED) {
        outcome = run_look(r);
        if (outcome == WENT) {
            r->at = at;
            size_t span = trace_step_begin(r, at);
            outcome = steps[at](r);
            trace_step_end(r, span, at);
        }
        snug_agent_step from = at;
        if (outcome == BROKEN || outcome == STOPPED) {
            watch_route(r, from, SNUG_AGENT_STEP_END, outcome);
            break;
        }
        at = follow_edge(r, from, outcome);
        if (!ask_caller(r, &at, from))
            outcome = STOPPED;
        watch_route(r, from, outcome == STOPPED ? SNUG_AGENT_STEP_END : at, outcome);
    }

    if (outcome == BROKEN)
        return r->error;
    conclude(r, outcome);
    return SNUG_OK;
}
