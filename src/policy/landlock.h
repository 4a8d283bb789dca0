/*
 * landlock.h - what a session's Landlock ruleset says, for the version of Landlock
 * (its ABI) that the kernel has.
 *
 * Landlock judges opening, making, removing and renaming. It does not judge
 * metadata: stat, chmod, utime and chdir are not its business. Pure: the system
 * calls are in session/confine/thread_filters.c. The numbers are of the kernel's
 * include/uapi/linux/landlock.h, for Debian 12's header knows ABI 2 only.
 */
#ifndef SNUG_POLICY_LANDLOCK_H
#define SNUG_POLICY_LANDLOCK_H

#include <stdint.h>

#include "policy/paths.h"

enum { LANDLOCK_NEWEST_ABI = 7 };

/* The kernel's struct landlock_ruleset_attr as of ABI 6. An older kernel takes it, as
 * long as what it does not know is zero. */
typedef struct landlock_ruleset {
    uint64_t files;  /* handled_access_fs */
    uint64_t ports;  /* handled_access_net */
    uint64_t scopes; /* scoped */
} landlock_ruleset;

/* Everything that a kernel with this ABI can deny; a newer one than LANDLOCK_NEWEST_ABI
 * counts as that. Zeros for an abi below 1. */
landlock_ruleset landlock_handled(int abi);
/* How many bytes of the structure that ABI knows. */
uint32_t landlock_ruleset_bytes(int abi);
/* For landlock_restrict_self: a guest that is denied writes nothing to the audit log. */
uint32_t landlock_restrict_flags(int abi);
/* What a root grants. A root that is not a directory takes the rights of files only. */
uint64_t landlock_granted(int abi, path_access access, int is_directory);

#endif
