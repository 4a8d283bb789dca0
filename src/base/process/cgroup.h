/*
 * cgroup.h - groups of processes whose memory and number the kernel bounds, whatever they do:
 * memory of every kind is counted, that of files in memory, of sockets, pipes and page tables too.
 *
 * A group is made below the one that this process is in, where the machine permits that: in version
 * 1 whoever may make folders there, in version 2 a group that was delegated (systemd-run -p
 * Delegate=yes). Where it does not, there are none, which is not an error: the caller has other
 * bounds. A group is locked while the process lives that has made it; what a dead one has left
 * behind is ended and removed when the next group is made.
 *
 *     cgroup *group;
 *     cgroup_open(&group, 256 << 20, 100);            group may be NULL, as below
 *     start a process, which gets cgroup_place(group) as a text and, before anything else and
 *     with no thread but its own, calls cgroup_enter(text): its children are in it then too
 *     ...
 *     cgroup_close(group);
 *
 * Any thread, but for one group one at a time.
 */
#ifndef SNUG_BASE_CGROUP_H
#define SNUG_BASE_CGROUP_H

#include <stdint.h>

#include "base/str.h"

typedef struct cgroup cgroup;

/* A limit that is not one. */
#define CGROUP_UNLIMITED UINT64_MAX

typedef struct cgroup_facts {
    uint64_t bytes, peak_bytes; /* with files that the kernel has read or written and can forget */
    uint64_t tasks;             /* processes and threads */
    uint64_t kills;             /* processes that the kernel has ended for want of memory so far */
    uint64_t refused;           /* tasks that it has not made */
} cgroup_facts;

/* *out NULL: there is none to be had. SNUG_OK, or SNUG_ENOMEM with a message. */
int cgroup_open(cgroup **out, uint64_t memory_bytes, uint64_t tasks);
/* For cgroup_enter: a line for each file into which a process writes "0". It stays while the group
 * does. "" for NULL. */
const char *cgroup_place(const cgroup *group);
/* The calling process is in it from now on; "" is fine. Only calls that are safe after fork. 0, or
 * an errno: then it is not, or not in all of it. */
int cgroup_enter(const char *where);
/* Other limits; where they change often, the kernel's files stay open: four at most. 0, or an
 * errno. NULL is fine. */
int cgroup_limit(cgroup *group, uint64_t memory_bytes, uint64_t tasks);
/* Zeroed for NULL, and what the kernel does not tell is 0. */
void cgroup_look(cgroup_facts *out, const cgroup *group);
/* Ends all that is in it, and removes it; waits a second at most for each. What is still there then
 * is left for the next one. NULL is fine. */
void cgroup_close(cgroup *group);

/* For a report: "v1 (memory, pids)", "v2 (memory, pids)", or "none: WHY". It makes a group to see.
 */
int cgroup_report(str *out);

#endif
