/*
 * privileges.h - what a worker gives up of the rights of the user that has started it. None of it
 * comes back.
 */
#ifndef SNUG_SESSION_PRIVILEGES_H
#define SNUG_SESSION_PRIVILEGES_H

#include <sys/types.h>

#include "base/str.h"

/* A user whom the machine gives to nobody, for a worker of root; 0: the caller is not root, or root
 * has no right to become another and to end one. */
uid_t privileges_stranger(void);
/* Whether the caller may look into processes of such a user all the same, as for its files. */
int privileges_see_strangers(void);
/* On the process's only thread. Becomes user, 0: stays who it is; in a user namespace of its own
 * where names_user says so; without any capability, now and later, and without a way to new
 * privileges. 0, or -1 with errno: then the process is of no use. */
int privileges_drop(uid_t user, int names_user);
/* The second half of the former: the caller in a user namespace of its own, in which it is called
 * that. 0, or -1 with errno. */
int privileges_enter_names(uid_t user, gid_t group);
/* ", user namespace, a user of its own, no capabilities" for the report, where it was done. */
int privileges_report(str *out);

#endif
