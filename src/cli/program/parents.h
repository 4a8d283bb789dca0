/*
 * parents.h - makes the folders that a path leads through.
 */
#ifndef SNUG_CLI_PARENTS_H
#define SNUG_CLI_PARENTS_H

#include <sys/types.h>

/* All but the last part; a link to a folder is one. *made: how many were not there. 0, or -1 with
 * errno: path ends then with the one that cannot be made. */
int parents_make(unsigned *made, char *path, mode_t mode);

#endif
