/*
 * score.h - a program and its run in three numbers from 0 to 100. Rules and figures only, the same
 * for the same facts: docs/agent-batch.md has them for users.
 */
#ifndef SNUG_AGENT_SCORE_H
#define SNUG_AGENT_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include <snug/agent.h>

typedef struct score_facts {
    int is_answered;
    int has_verdict;
    snug_agent_verdict verdict;
    uint64_t attempts;
    uint64_t findings; /* of the scan, in all attempts */
    int has_run;       /* the last program ran to its end */
    const char *code;  /* the last program */
    size_t code_len;
    uint64_t wall_ns, peak_bytes; /* of its run */
} score_facts;

typedef struct score {
    int quality, robustness, performance;
    int total; /* their mean, rounded */
} score;

score score_of(const score_facts *facts);

/* What a program says of errors, read without running it. */
typedef struct score_handling {
    int is_at_risk; /* it calls what often fails, or divides */
    int catches;    /* it has a handler that names its exceptions */
    int tests;      /* if, assert or raise */
    int closes;     /* with */
    int hides;      /* a handler for everything, or one that does nothing */
    int swallows;   /* a handler for everything that only passes */
} score_handling;

score_handling score_read(const char *code, size_t len);

#endif
