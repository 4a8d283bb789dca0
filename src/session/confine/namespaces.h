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
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"
#include "policy/paths.h"

typedef struct root_rows {
    const path_root *items;
    size_t count;
    size_t own_count; /* of the first ones: what its host has given it, and not the machine's */
    /* One of these, or NULL: it is a new folder in memory, which has room for so much. */
    const char *memory_folder;
    uint64_t memory_bytes, memory_files;
} root_rows;

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

/* A root folder that has what a worker may use and nothing else.
 *
 * Of /proc it has a few files that libraries read, of this process and of the machine: no
 * descriptors of the process, which a path would open again, and no other process. */

/* On the process's only thread: its root has these from now on, as far as they exist. user, not
 * NULL: a user whom the own ones belong to from here on, which root is to become; or 0, where that
 * is not to be had. 0, or -1 with errno: then the process is of no use. */
int rootfolder_enter(const root_rows *rows, uid_t *user);

/* A folder as another user's. Who sees it through such a mount is its owner, and what is
 * made there belongs to the one that owns it on the disk.
 *
 * For a worker of root: it runs as a user that owns nothing on the machine, and has the folders
 * that it was given all the same. Linux 5.12, and a file system that knows it. */

/* A mount of what is at path, with all that is mounted below, and nowhere yet: a descriptor. In it
 * the owner and group of path are user. proc: where /proc of this process is. Needs the rights of
 * root; -1 with errno. */
int idmap_open(const char *path, uid_t user, const char *proc);
/* Puts it at place, and closes it. 0, or -1 with errno. */
int idmap_attach(int tree, const char *place);

/* What root hands to a program that runs as another user and makes a sandbox: paths which
 * that user could not reach, or has no right to, at places where it has.
 *
 * The kernel bounds the processes of a user, and never those of root: so root's sandboxes are made
 * by a user of their own, whom the machine knows nothing of. */

/* Where the path of that number is found afterwards. */
#define STAGE_PLACE_FORMAT "/tmp/%zu"

/* On root's only thread: in mounts of its own, where /tmp has the paths and nothing else, this
 * process is user from here on, without any capability. Of the first own_count paths user is the
 * owner wherever their owner was. 0, or -1 with errno: then the process is of no use. */
int stage_enter(uid_t user, const char *const *paths, size_t count, size_t own_count);

#endif
