/*
 * result.h - the inside of a result.
 */
#ifndef SNUG_SESSION_RESULT_H
#define SNUG_SESSION_RESULT_H

#include <pthread.h>

#include <snug/snug.h>

#include "base/str.h"
#include "capture/spill.h"
#include "py/outcome.h"

struct snug_result {
    char *session;
    outcome outcome;
    snug_state state;
    uint64_t execution_count;
    str streams[2];                         /* stdout, stderr: what was kept */
    uint64_t total_bytes[2], kept_bytes[2]; /* written, and shown of it */
    int is_cut[2];
    char spills[2][SPILL_NAME_BYTES]; /* the files with all of it; empty: none */
    uint64_t wall_ns, cpu_ns, peak_bytes;
    int rung;
    pthread_mutex_t lock; /* guards json */
    char *json;
    size_t json_len;
};

/* The one encoder of snug.result/1: the JSON object, malloc'ed, or NULL. */
char *result_encode(const snug_result *result);

#endif
