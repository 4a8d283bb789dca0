/*
 * nameless.h - files that have no name any more, and take room while a process has them open.
 */
#ifndef SNUG_BASE_NAMELESS_H
#define SNUG_BASE_NAMELESS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/tree.h"

/* Many descriptors may be of one file. Where there are more files than this, some count twice. */
enum { NAMELESS_SEEN = 1024 };

typedef struct nameless {
    tree_usage sum;
    dev_t device; /* of the file system whose files count */
    ino_t seen[NAMELESS_SEEN];
    size_t count;
} nameless;

/* Adds what that thread has open. 0, or the errno of one that cannot be looked into. */
int nameless_add(nameless *n, pid_t thread);
/* The same of all threads of a process, which may have tables of their own. */
int nameless_add_process(nameless *n, pid_t process);

#endif
