/*
 * job.h - runs something on a session's thread, under its deadline.
 */
#ifndef SNUG_SESSION_JOB_H
#define SNUG_SESSION_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/str.h"
#include "calls/desk.h"
#include "py/core/names.h"
#include "py/core/outcome.h"
#include "py/queries/save_namespace.h"

/* What runs on the session's thread, and what it makes. It is part of the session
 * and not of the caller, because the thread may still be at it when the caller has
 * been answered. */
typedef struct session_job {
    void (*fn)(struct snug_session *session);
    uint64_t wall_ms; /* 0: no stop reaches it */
    uint64_t cpu_ms;
    uint64_t session_cpu_ms; /* SNUG_UNLIMITED for what is not a cell */
    uint64_t asked_ns;       /* when the caller handed it over */
    int error;
    char message[ERROR_MESSAGE_BYTES]; /* of the error */
    /* A cell: */
    str source;
    snug_limits limits;
    outcome outcome;
    uint64_t cpu_ns;
    int rung; /* that ended it */
    int is_aside;
    /* A prompt's question: */
    size_t cursor;
    int answer;
    struct name_list *names;
    struct snug_description *description;
    /* A scan: */
    struct session_scan *scan;
    /* A save or restore: */
    save_work *save;
    /* A tool to be bound: */
    desk_tool *tool;
} session_job;

/* Runs session->job.fn on the session's thread, on_output here. SNUG_OK, the job's
 * error with its message, or SNUG_EDEAD: the interpreter was given up, or is_given_up
 * of the stop: the thread did not come back in time. */
int session_run_job(snug_session *session);

#endif
