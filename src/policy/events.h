/*
 * events.h - which audit events a session may raise.
 *
 * An allowlist: an event that no row names is denied, so that one which a newer
 * Python adds is denied too. Pure: the hook in py/guard/audit.c reads the arguments.
 */
#ifndef SNUG_POLICY_EVENTS_H
#define SNUG_POLICY_EVENTS_H

#include <stddef.h>

typedef enum event_verdict {
    EVENT_ALLOW,
    EVENT_DENY,
    EVENT_OPEN,      /* "open": path, mode and flags decide (paths.h) */
    EVENT_PATH,      /* the first argument is a path that is only looked at, None or a descriptor */
    EVENT_IMPORT,    /* "import": the module's name decides */
    EVENT_DATABASE,  /* "sqlite3.connect": in memory, or a file as for EVENT_OPEN */
    EVENT_CONNECTED, /* "sqlite3.connect/handle": that one is open */
    EVENT_COMPILE    /* "compile": the file name must not be one of the stdlib's */
} event_verdict;

event_verdict events_verdict(const char *event);
/* In a full session, where the process is the boundary: a list of what is denied or judged. What
 * no row names is allowed, and the kernel judges. */
event_verdict events_full_verdict(const char *event);
/* The event of the row at index, in the order of strcmp; NULL past the end. */
const char *events_name(size_t index);

#endif
