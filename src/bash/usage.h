/*
 * usage.h - what a session has of the machine: memory of every kind that can be seen, and files.
 *
 * No account of the kernel's has it all, where there is no cgroup: so it is added up, at each look.
 * What cannot be seen from outside a process, and how much that may be, is in SECURITY.md.
 */
#ifndef SNUG_BASH_USAGE_H
#define SNUG_BASH_USAGE_H

#include <stdint.h>

#include "base/tree.h"
#include "bash/procs.h"

/* Before denylist_load, which refuses what the count of sockets needs. */
void usage_open_sockets(void);
/* At least what it is: pages that several processes share are counted for each. */
uint64_t usage_at_most(const procs *p);
/* Each page once; it takes longer. */
uint64_t usage_of_memory(const procs *p);
/* What lies in /tmp and /dev/shm, with what their files take in the kernel. */
uint64_t usage_of_memory_files(void);
/* Empties these. */
void usage_empty_memory_files(void);
/* Files of the work directory's file system that have no name any more, and are open in one of the
 * processes. A process that does not let itself be looked into is ended. */
tree_usage usage_of_nameless(const procs *p, const char *workdir);

#endif
