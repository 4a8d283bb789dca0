/*
 * procself.h - files of /proc/self, also where the process has no such path any more.
 */
#ifndef SNUG_BASE_PROCSELF_H
#define SNUG_BASE_PROCSELF_H

/* name, below /proc/self: a descriptor, or -1 with errno. */
int procself_open(const char *name, int flags);
/* Once, before there are threads: from now on it is this open folder, which stays open. */
void procself_set(int folder);
/* That; -1: the path is there. */
int procself_folder(void);

#endif
