/*
 * denylist.h - the system calls that a shell's programs have no use for, and an attacker has.
 *
 * What runs there is any program of the system, so most calls must work. Those here lead to parts
 * of the kernel that have been ways out of a sandbox, or make one of their own, or memory that is
 * in no account. They fail with EPERM; clone3 with ENOSYS, so that programs fall back to clone,
 * whose flags can be seen.
 */
#ifndef SNUG_BASH_DENYLIST_H
#define SNUG_BASH_DENYLIST_H

/* For the calling thread and all that it starts; it cannot be taken back. SNUG_OK, or SNUG_ESYSTEM
 * or SNUG_ENOMEM with a message. */
int denylist_load(void);

#endif
