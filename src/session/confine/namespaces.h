/*
 * namespaces.h - what a zygote and its workers do not see of the machine.
 *
 * The zygote leaves the networks, the System V and POSIX queues, and the machine's name. Each
 * worker has process numbers of its own, where it is the first, and a root folder in which there is
 * what it may use and nothing else: other paths have no metadata either, and what is to be read is
 * read-only. Where root has started it, it is a user of its own there, whom the machine knows
 * nothing of and the folders that it was given belong to. What the machine refuses is left out; a
 * zygote tries it first, in a child.
 */
#ifndef SNUG_SESSION_NAMESPACES_H
#define SNUG_SESSION_NAMESPACES_H

#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"
#include "session/confine/rootfolder.h"

/* In a zygote, on its only thread, before anything else. */
void namespaces_begin(void);
/* There, as fork: the child is the first of its numbers, and a child of this process. */
pid_t namespaces_fork(void);
/* In the child, which has nothing of the zygote's then. */
void namespaces_after_fork(void);
/* In a worker, on its only thread: its root has these from now on, as far as they exist, and it has
 * no rights of the user's that has started it. 0, or -1 with errno: then the process is of no use.
 */
int namespaces_enter(const root_rows *wanted);
/* The worker's folder of work directories is its own, in memory. */
int namespaces_have_memory_folder(void);
/* ", net namespace, ipc namespace" for the report, and nothing where there are none. */
int namespaces_report(str *out);

#endif
