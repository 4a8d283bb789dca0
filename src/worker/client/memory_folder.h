/*
 * memory_folder.h - work directories that a worker has in memory, by descriptors of this process:
 * its files are reached, and stay, whatever becomes of the worker.
 */
#ifndef SNUG_WORKER_MEMORY_FOLDER_H
#define SNUG_WORKER_MEMORY_FOLDER_H

#include <sys/types.h>

/* The folder that process has at that path, which is absolute and has no link on the way: a
 * descriptor, O_PATH. -1: it cannot be reached. */
int folder_open(pid_t process, const char *path);
/* The first process that this one has started; 0: none, or the kernel does not tell. */
pid_t folder_child(pid_t process);
/* Copies all folders and regular files below from into to, as far as there is room; they get its
 * owner. Closes neither. */
void folder_copy(int to, int from);

#endif
