/*
 * taken.h - whether another kernel listens where this one would.
 */
#ifndef SNUG_CLI_TAKEN_H
#define SNUG_CLI_TAKEN_H

#include "cli/kernel/connection.h"

/* SNUG_OK, or SNUG_EINVAL with a sentence: somebody listens on a socket file of the connection's,
 * which libzmq would take from them. Ports, and files that nobody listens on any more, are its own
 * business. */
int taken_check(const connection *where);

#endif
