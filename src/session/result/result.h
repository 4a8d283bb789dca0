/*
 * result.h - the inside of a result.
 */
#ifndef SNUG_SESSION_RESULT_H
#define SNUG_SESSION_RESULT_H

#include <pthread.h>

#include <snug/snug.h>

#include "base/fixed.h"
#include "base/str.h"
#include "calls/desk.h"
#include "capture/display.h"
#include "capture/spill.h"
#include "py/core/outcome.h"

/* At most this many are reported; further ones are counted. */
enum { RESULT_ARTIFACTS = 200 };

struct snug_result {
    outcome outcome;
    str category, error_class; /* the outcome's, of a result that came from a worker */
    snug_state state;
    uint64_t execution_count;
    str streams[2];                         /* stdout, stderr: what was kept */
    uint64_t total_bytes[2], kept_bytes[2]; /* written, and shown of it */
    int is_cut[2];
    char spills[2][SPILL_NAME_BYTES]; /* the files with all of it; empty: none */
    display_list displays;
    snug_artifact *artifacts; /* RESULT_ARTIFACTS, of which the paths are ours; NULL: none */
    size_t artifact_count;
    uint64_t more_artifacts;
    uint64_t wall_ns, cpu_ns, peak_bytes;
    snug_tool_call *tool_calls;
    size_t tool_call_count;
    int rung;
    fixed_values fixed;   /* the session's */
    pthread_mutex_t lock; /* guards what is made at the first call */
    char *json;
    size_t json_len;
    snug_change *changes; /* the outcome's */
    snug_display *shown;  /* one for each display, and the main result */
    size_t shown_count;
    char session[];
};

/* An empty one of that session; NULL if memory ran out. */
snug_result *result_new(const char *session);

#endif
