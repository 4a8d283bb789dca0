/*
 * cache.h - what was asked before, with what came back: replies of models, results of programs.
 *
 * An entry is found by a hash, and used only where the whole request is the same. Entries over
 * limits.cache_age_ms are not used; over limits.cache_bytes the oldest go. A file that fails is
 * reported by an event, and not used any more; it never costs an answer.
 */
#ifndef SNUG_AGENT_CACHE_H
#define SNUG_AGENT_CACHE_H

#include "agent/run/run.h"

/* The numbers are written into files. */
typedef enum cache_kind { CACHE_REPLY = 1, CACHE_RESULT = 2 } cache_kind;

int cache_open(snug_agent *agent, const snug_agent_options *options);
/* Appends what belongs to the request, and answers 1; 0: there is none. */
int cache_find(str *out, run *r, cache_kind kind, const str *request);
void cache_keep(run *r, cache_kind kind, const str *request, const str *value);

/* ---- replies of models ---- */

/* A whole reply for a request that was made before, with no usage: 1 and *out; else 0. Appends the
 * request's text to *key, for the other. */
int cache_find_reply(model_reply *out, str *key, run *r, const model *m,
                     const model_request *request);
/* Nothing but what a model said to its end is kept. */
void cache_keep_reply(run *r, const str *key, const model_reply *reply);

#endif
