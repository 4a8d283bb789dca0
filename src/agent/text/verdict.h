/*
 * verdict.h - reads what a model says of an answer, and the steps of a plan.
 *
 * Models put JSON into fences, prose and thinking, and write it as Python; all of that is read
 * (laxjson.h). Both take time in proportion to len.
 */
#ifndef SNUG_AGENT_VERDICT_H
#define SNUG_AGENT_VERDICT_H

#include <stddef.h>

#include <snug/agent.h>

#include "base/str.h"

/* What a program is marked for: "quality", "robustness", "performance". */
enum { VERDICT_MARKS = 3 };
extern const char *const verdict_mark_names[VERDICT_MARKS];

/* Zeroed is empty. The texts are valid UTF-8. */
typedef struct verdict {
    snug_agent_verdict value;
    str reason;                  /* may be empty */
    str answer;                  /* the better answer, if one was given */
    str language;                /* that the question is in, as the model calls it; may be empty */
    double marks[VERDICT_MARKS]; /* from 0 to 100; -1: none */
    int is_read;                 /* 0: there is no verdict in the text; UNSURE may be one, too */
} verdict;

/* From {"verdict": "pass|fail|unsure", "reason": ..., "answer": ...}, or from "YES" and
 * "NO: REASON". Where no such thing is in the text the value is SNUG_AGENT_VERDICT_UNSURE, is_read
 * 0, and the reason is the text, without thinking. out need not be initialised. SNUG_OK or
 * SNUG_ENOMEM. */
int verdict_read(verdict *out, const char *text, size_t len);
void verdict_free(verdict *v);

typedef struct plan {
    str *steps; /* none is empty */
    size_t count;
    int is_cut; /* there were more */
} plan;

/* The first `most` steps of a plan: a JSON list of texts, or an object with the list "steps". count
 * is 0 where there is no such thing. out need not be initialised. SNUG_OK or SNUG_ENOMEM. */
int plan_read(plan *out, const char *text, size_t len, size_t most);
void plan_free(plan *p);

#endif
