/*
 * memfd_exec.h - a process whose program has no path.
 */
#ifndef SNUG_WORKER_MEMFD_EXEC_H
#define SNUG_WORKER_MEMFD_EXEC_H

/* Starts this program again, from a sealed copy in memory and under the name in arguments[0], so
 * that neither /proc/self/exe nor the maps nor the command line tell its children where it is in
 * the host's file system. Returns where the machine has no such files, where that has been done,
 * and in builds with a sanitizer, which look for their symbols there. The process has no other
 * thread; descriptors with FD_CLOEXEC are closed. */
void unnamed_begin(char *const *arguments);

#endif
