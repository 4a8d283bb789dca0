/*
 * outputs.h - what the programs of a question made besides text: files, and figures, which become
 * files where the work directory is one that the caller has named.
 */
#ifndef SNUG_AGENT_OUTPUTS_H
#define SNUG_AGENT_OUTPUTS_H

#include <stdint.h>

#include "agent/run/run.h"

/* After the last program: lists them in the reply. SNUG_OK or SNUG_ENOMEM with a message. */
int outputs_collect(run *r);
/* The time, as files have it. */
int64_t outputs_clock_ns(void);

#endif
