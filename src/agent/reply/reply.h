/*
 * reply.h - what became of a question: the attempts, the answer, what it cost.
 */
#ifndef SNUG_AGENT_REPLY_H
#define SNUG_AGENT_REPLY_H

#include <pthread.h>

#include <snug/agent.h>

#include "agent/text/verdict.h"
#include "base/str.h"

/* A program of the model's, run or refused. */
typedef struct attempt {
    uint64_t n;    /* from 1 */
    uint64_t step; /* of the plan, from 1; 0: there is none */
    str code;
    str findings;        /* JSON, an array; empty: it was not scanned */
    int is_scanned;      /* and nothing was found */
    snug_result *result; /* NULL: it was not run */
    str output;          /* what the run gave */
    int has_no_output;   /* nothing: output says so */
    str failure;         /* why it was not right, one sentence; empty: it was */
    const char *class;   /* of the failure; NULL: none */
    str category;        /* the same */
    str changed;         /* names, files and calls that it left behind */
    str analysis;        /* of the failure before it, JSON; empty: there is none */
    str improvement;     /* what the model says that it has changed */
    str left_out;        /* what of the model's reply was not run, one sentence; or empty */
    uint64_t repeats;    /* how often the same failure came in a row, this one too */
    uint64_t generate_ns;
    str cached;      /* the result of an earlier run, JSON, in the place of `result`; else empty */
    str printed;     /* of that */
    str faults;      /* of the worker, for each of which it ran again; JSON, an array; or empty */
    str fault;       /* the last of them, as text */
    uint64_t reruns; /* how many they are */
    int is_restored; /* its last run lost the session, which is again what it was before */
} attempt;

typedef enum reply_time {
    TIME_GENERATE,
    TIME_SCAN,
    TIME_EXECUTE,
    TIME_IMPROVE,
    TIME_EVALUATE,
    TIME_REPLY,
    TIMES
} reply_time;

/* A file or figure that a program made. */
typedef struct made_file {
    str path; /* in the work directory; of a figure that was not kept: empty */
    str at;   /* where the caller finds it; empty: it goes with the session */
    str mime;
    uint64_t bytes;
    const snug_display *display; /* of a figure, which the result of its attempt has; else NULL */
    snug_agent_output told;      /* the same for the caller, once all of them are there */
} made_file;

struct snug_reply {
    snug_agent_status status;
    str question, session, language;
    str answer, error;
    str unsupported; /* numbers of the answer */
    str fallback;    /* why sessions that should be in a worker are in this process; or empty */
    int is_renewed;  /* the session had been lost before */
    attempt *attempts;
    size_t attempt_count;
    int has_verdict;
    snug_agent_verdict verdict;
    str reason;
    double marks[VERDICT_MARKS]; /* of the model that judged, from 0 to 100; -1: it gave none */
    str doubt;      /* why the answer may be wrong though it was given, one sentence; or empty */
    int wants_bash; /* the session is of Python, and the model's first program in bash */
    int is_without_program;   /* the answer is words of the model's, for which nothing has run */
    uint64_t cached_requests; /* answered by the cache */
    str explanation;
    size_t best; /* attempt whose program the answer is, from 1; 0: the last */
    int is_given;
    int is_in_bash;                  /* the programs; else in Python */
    double original_ms, improved_ms; /* 0: not measured */
    uint64_t requests, input_tokens, output_tokens, cached_tokens;
    int is_estimated;                 /* the tokens */
    uint64_t cell_calls, cell_tokens; /* of those: what programs have asked a model */
    int has_cost;
    double cost_usd;
    uint64_t time_ns[TIMES], total_ns;
    str retrieved; /* from the library, JSON; empty: there is none */
    str snippet;   /* the name that the program has there; empty: it was not kept */
    str stored;    /* of the conversation, JSON; empty: it is not stored */
    int has_no_history, has_no_metrics, has_debug_info; /* the report's */
    str fallback_model, fallback_reason; /* the model that was asked instead, and why; or empty */
    made_file *made;
    size_t made_count;
    uint64_t made_left_out;
    str messages;         /* of the talks, JSON; empty: the reply shall not have them */
    str models;           /* asked, "openai:gpt-4o-mini, ..."; for the report */
    pthread_mutex_t lock; /* guards what is made when it is asked for: */
    str plain, json, markdown;
};

/* Before what went to stderr, in the output where there is nothing else, and in prompts. */
#define ATTEMPT_ON_STDERR "(On stderr)\n"

static inline int attempt_has_run(const attempt *a)
{
    return a->result || a->cached.len > 0;
}

/* A new attempt at its end; NULL if memory ran out. */
attempt *reply_add(snug_reply *reply);
/* The same of its files and figures. */
made_file *reply_add_made(snug_reply *reply);
/* After the last one: they are told to the caller. */
void reply_tell_made(snug_reply *reply);
/* The attempt whose program the answer is; NULL where there is none. */
const attempt *reply_best(const snug_reply *reply);
/* The attempt that follows in the same step of a plan; NULL: it is the last. */
const attempt *reply_next_attempt(const snug_reply *reply, size_t index);
/* Appends before and "Success after 2 attempts.", with a line end; nothing where no attempt failed,
 * or the question ended otherwise. */
void reply_add_outcome(str *out, const char *before, const snug_reply *reply);
/* Appends text between lines of backticks. SNUG_OK or SNUG_ENOMEM. */
int reply_add_fenced(str *out, const char *info, const str *text);
const char *reply_verdict_name(snug_agent_verdict value);
/* snug.reply/1, and the report; replyjson.c, markdown.c. A failure sticks to out. */
void reply_write_json(str *out, const snug_reply *reply);
void reply_write_markdown(str *out, const snug_reply *reply);

#endif
