/*
 * idmap.h - a folder as another user's. Who sees it through such a mount is its owner, and what is
 * made there belongs to the one that owns it on the disk.
 *
 * For a worker of root: it runs as a user that owns nothing on the machine, and has the folders
 * that it was given all the same. Linux 5.12, and a file system that knows it.
 */
#ifndef SNUG_SESSION_IDMAP_H
#define SNUG_SESSION_IDMAP_H

#include <sys/types.h>

/* A mount of what is at path, with all that is mounted below, and nowhere yet: a descriptor. In it
 * the owner and group of path are user. proc: where /proc of this process is. Needs the rights of
 * root; -1 with errno. */
int idmap_open(const char *path, uid_t user, const char *proc);
/* Puts it at place, and closes it. 0, or -1 with errno. */
int idmap_attach(int tree, const char *place);

#endif
