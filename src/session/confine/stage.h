/*
 * stage.h - what root hands to a program that runs as another user and makes a sandbox: paths which
 * that user could not reach, or has no right to, at places where it has.
 *
 * The kernel bounds the processes of a user, and never those of root: so root's sandboxes are made
 * by a user of their own, whom the machine knows nothing of.
 */
#ifndef SNUG_SESSION_STAGE_H
#define SNUG_SESSION_STAGE_H

#include <stddef.h>
#include <sys/types.h>

/* Where the path of that number is found afterwards. */
#define STAGE_PLACE_FORMAT "/tmp/%zu"

/* On root's only thread: in mounts of its own, where /tmp has the paths and nothing else, this
 * process is user from here on, without any capability. Of the first own_count paths user is the
 * owner wherever their owner was. 0, or -1 with errno: then the process is of no use. */
int stage_enter(uid_t user, const char *const *paths, size_t count, size_t own_count);

#endif
