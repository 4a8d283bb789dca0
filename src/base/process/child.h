/*
 * child.h - a user's command as a process: its three streams as pipes, a
 * process group of its own.
 */
#ifndef SNUG_BASE_CHILD_H
#define SNUG_BASE_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"

typedef struct child {
    pid_t pid;        /* 0: none, or waited for */
    int in, out, err; /* our ends, which do not block; -1: closed */
    int status;       /* as waitpid has it, when it was waited for */
} child;

/* Starts it by /bin/sh -c. SNUG_OK, or SNUG_ESYSTEM or SNUG_ENOMEM with a message. */
int child_start(child *c, const char *command);
/* Writes what fits of text from *at on; closes the pipe behind the end, or when nobody reads. */
void child_write(child *c, const char *text, size_t len, size_t *at, int closes);
/* Reads what is there, of a stream that does not pause a part. *fd becomes -1 at the end. Past most
 * bytes the head is dropped. */
void child_read(int *fd, str *out, size_t most);
/* Whether it has ended; does not wait. */
int child_has_ended(child *c);
/* Waits for it; what it has left running goes on. */
void child_wait(child *c);
/* Kills the group and waits. */
void child_kill(child *c);
/* Closes its input and waits for so long, then asks it to end, then kills it. */
void child_end(child *c, int patience_ms);
/* Asks the groups of all that run to end, and waits for none: for a process that ends at once.
 * None starts any more; one that is being started is waited for, a second at most. Takes no lock;
 * safe in a signal's handler. */
void child_end_all(void);
/* Closes the pipes. */
void child_free(child *c);
/* The last line of text that is not blank; its length, 0: there is none. */
size_t child_last_line(const char **line, const char *text, size_t len);

#endif
