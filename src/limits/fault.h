/*
 * fault.h - the signal handlers behind guard.h.
 */
#ifndef SNUG_LIMITS_FAULT_H
#define SNUG_LIMITS_FAULT_H

#include <signal.h>

/* The kick's number; 0 before guard_install. */
int fault_kick_signal(void);
/* Every signal that the ladder uses. */
void fault_signals(sigset_t *out);

#endif
