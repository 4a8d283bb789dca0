/*
 * thread_filters.h - takes from the calling thread what a session does not need. It cannot be
 * taken back, and it reaches that thread only, with the threads that it starts.
 *
 * Each answers 0 or an errno. Builds with a sanitizer refuse all but the first with
 * ENOTSUP: its runtime reports on descriptor 2, and needs calls and files of its own.
 */
#ifndef SNUG_SESSION_THREAD_FILTERS_H
#define SNUG_SESSION_THREAD_FILTERS_H

#include <stddef.h>

#include "policy/paths.h"
#include "policy/seccomp.h"

/* A current folder and umask of its own. It stands in the root directory. */
int confine_folder(void);
/* After that: it stands in dir, or in the root directory if dir went away. */
int confine_stand(const char *dir);
/* A table of descriptors of its own, with file_open_null on 0, 1 and 2 and nothing else.
 * Descriptors no longer pass from this thread to others by their number. */
int confine_descriptors(void);
/* Landlock, by its ABI. A root to read that does not exist is left out, and so is one that is not
 * what it was when it was met: that is noted in it. */
int confine_paths(int abi, path_root *roots, size_t count);
/* seccomp. The last: the others need calls that it refuses. */
int confine_calls(const seccomp_program *program);

/* The ABI of this kernel's Landlock; 0 and errno if there is none. */
int confine_landlock_abi(void);

#endif
