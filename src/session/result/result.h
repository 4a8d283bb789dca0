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
#include "wire/pack.h"

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

/* Displays as snug.h has them: of a result, and of a cell that runs. */

/* The displays as the header tells them. SNUG_OK or SNUG_ENOMEM. */
int result_show(snug_result *result);
/* One that belongs to the caller, who frees its parts, out of d, whose texts it borrows. */
int result_describe(snug_display *out, const display *d);

/* What crosses between a host and its worker: limits, facts, displays and results as
 * bytes, and back. Completions, saved sessions and other objects of snug.h do it in their own
 * files, by the same rules:
 *
 * What is unpacked may come from a worker that lies. It is checked to be what the header promises
 * (UTF-8, JSON, within bounds), and what is not is SNUG_EINVAL; SNUG_ENOMEM. Without a message. All
 * but a display are the last of their message, and what follows them is bad. */

void limits_pack(packer *p, const snug_limits *limits);
/* The same for limits that are resolved (limits/limits.h), to be resolved again. */
void limits_pack_resolved(packer *p, const snug_limits *limits);
void limits_unpack(unpacker *u, snug_limits *limits);

void pool_pack(packer *p, const snug_pool *pool);
void pool_unpack(unpacker *u, snug_pool *pool);

void display_pack(packer *p, const snug_display *d);
/* With one reference. Its bytes are taken off *room; a larger one is bad. NULL: u is bad now, also
 * where memory ran out. */
display *display_unpack(unpacker *u, uint64_t *room);

void result_pack(packer *p, const snug_result *result);
/* Of a cell that had these limits, all of them set. */
int result_unpack(snug_result **out, unpacker *u, const char *session, const snug_limits *limits);
/* How many bytes the result of such a cell has at most. */
uint64_t result_most_bytes(const snug_limits *limits);

#endif
