/*
 * shell_patience.h - how long a shell that has to answer is waited for.
 *
 * On a machine that is short of processors a shell may be well and not get its turn for seconds. So
 * the time in which it, or the process of the cell that it waits for, wants to run and gets no
 * processor is not held against it, up to a bound. What it spends running or asleep counts.
 */
#ifndef SNUG_BASH_SHELL_PATIENCE_H
#define SNUG_BASH_SHELL_PATIENCE_H

#include <stdint.h>

#include "bash/bash.h"

typedef struct patience {
    uint64_t most_ns;   /* that the shell gets, besides what it waits for a processor */
    uint64_t latest_ns; /* the end of it in any case */
    uint64_t began_ns, looked_ns;
    uint64_t waited_ns; /* for a processor, between these two */
    proc_turns next;    /* who had to run next, at the last look */
} patience;

/* From now on. latest_ns is brought down to 30 s from now. */
void patience_begin(patience *p, bash_session *b, uint64_t most_ns, uint64_t latest_ns);
/* Looks at the shell: to be called several times a second. The processes are in b->now then, where
 * the shell itself did not want to run. 1: it is lost. */
int patience_is_over(patience *p, bash_session *b);

#endif
