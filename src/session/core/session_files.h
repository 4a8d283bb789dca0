/*
 * session_files.h - what a session has on the disk, and may open of it.
 */
#ifndef SNUG_SESSION_SESSION_FILES_H
#define SNUG_SESSION_SESSION_FILES_H

#include <stddef.h>

#include "limits/disk.h"
#include "policy/paths.h"
#include "session/core/seen_files.h"

/* Paths that cells may open: the standard library twice, zoneinfo twice, packages, the
 * work directory, the mounts. */
enum {
    SESSION_MOUNTS = 16,
    SESSION_FULL_ROOTS = 24, /* more, of a full session */
    SESSION_ROOTS = 6 + SESSION_FULL_ROOTS + SESSION_MOUNTS
};

/* A link in the work directory. */
typedef struct session_mount {
    char *name, *path; /* path: absolute and resolved */
    path_access access;
} session_mount;

typedef struct session_files {
    char *workdir;
    int owns_workdir; /* made by us: removed at close */
    int is_lent;      /* with its links it is another session's, which stands for this one */
    int folder;       /* a descriptor of it, where workdir is its worker's name for it; 0: none */
    int is_private;   /* nobody else uses it */
    int has_links;    /* the mounts are there already */
    disk_account disk;
    seen_files seen; /* in the work directory */

    const char *packages; /* folder of the packages that are allowed; NULL: none are */
    char *own_packages;   /* that, where the options name it */
    path_root roots[SESSION_ROOTS];
    size_t root_count;
    session_mount mounts[SESSION_MOUNTS];
    path_mount mount_rows[SESSION_MOUNTS]; /* the same, for policy */
    size_t mount_count;
} session_files;

#endif
