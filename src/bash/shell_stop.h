/*
 * shell_stop.h - the limits of a cell in bash, and the steps that end it: an interrupt, then
 * SIGTERM and SIGKILL for its processes, then the shell.
 */
#ifndef SNUG_BASH_SHELL_STOP_H
#define SNUG_BASH_SHELL_STOP_H

#include <stdint.h>

#include "bash/bash.h"
#include "bash/shell_bounds.h"

typedef struct bash_stop {
    snug_session *session;
    unsigned long long number; /* of the cell */
    snug_limits limits;
    uint64_t started_ns, deadline_ns;
    uint64_t untimed_ns; /* the desk's, when the cell began */
    uint64_t since_ns;   /* the steps began */
    uint64_t lost_ns;    /* the shell is given up then */
    uint64_t looked_ns;  /* at the processes */
    uint64_t measure_ns; /* the work directory, next */
    tree_usage found;    /* there at the last look */
    int may_tidy;        /* it was full before, and has not become fuller since */
    uint64_t cpu_start_ns, cpu_ns, peak_bytes;
    bash_reason reason;
    int rung; /* as snug_result_rung: 1 and 2 leave the shell, 3 does not */
} bash_stop;

void stop_begin(bash_stop *stop, snug_session *session, uint64_t number, const snug_limits *limits);
/* Looks at the limits, and takes the step that it is time for. 1: the shell is to be given up. */
int stop_look(bash_stop *stop);
/* When to look again, at the latest. */
uint64_t stop_next_ns(const bash_stop *stop);
/* The cell has ended, or its shell: the last look at its times. */
void stop_end(bash_stop *stop);

#endif
