/*
 * consent.h - the caller's word before a program runs: on_program.
 */
#ifndef SNUG_AGENT_CONSENT_H
#define SNUG_AGENT_CONSENT_H

#include "agent/run/run.h"

/* Of the last attempt's program. WENT: it may run. MORE: it is another one now, which is to be
 * scanned. STOPPED or BROKEN. */
loop_outcome consent_to_program(run *r);

#endif
