/*
 * rootfolder.h - a root folder that has what a worker may use and nothing else.
 *
 * Of /proc it has a few files that libraries read, of this process and of the machine: no
 * descriptors of the process, which a path would open again, and no other process.
 */
#ifndef SNUG_SESSION_ROOTFOLDER_H
#define SNUG_SESSION_ROOTFOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/paths.h"

typedef struct root_rows {
    const path_root *items;
    size_t count;
    size_t own_count; /* of the first ones: what its host has given it, and not the machine's */
    /* One of these, or NULL: it is a new folder in memory, which has room for so much. */
    const char *memory_folder;
    uint64_t memory_bytes, memory_files;
} root_rows;

/* On the process's only thread: its root has these from now on, as far as they exist. user, not
 * NULL: a user whom the own ones belong to from here on, which root is to become; or 0, where that
 * is not to be had. 0, or -1 with errno: then the process is of no use. */
int rootfolder_enter(const root_rows *rows, uid_t *user);

#endif
