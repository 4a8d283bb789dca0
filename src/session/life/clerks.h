/*
 * clerks.h - the threads of a host that make the calls which tasks of other kinds than cells are,
 * and start the cells that are pended.
 *
 * A few, started when they are wanted and kept until the host is closed. What they call is bounded
 * in time by itself.
 */
#ifndef SNUG_SESSION_CLERKS_H
#define SNUG_SESSION_CLERKS_H

#include "session/life/task.h"

typedef struct clerks clerks;

/* How many calls are made at a time, by host. */
enum { CLERKS_MOST = 8 };

/* One of them makes the task's call: task_end_for_host follows. SNUG_OK; or an error with
 * a message, and nobody does. */
int clerks_take(snug_task *task);
/* Ends a task that waits for one of them. */
void clerks_cancel(snug_task *task);
/* No task waits, or is under way. NULL is fine. */
void clerks_close(clerks *c);

#endif
