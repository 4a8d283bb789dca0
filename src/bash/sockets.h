/*
 * sockets.h - how much memory the sockets of a session's network namespace have, which counts for
 * no process.
 */
#ifndef SNUG_BASH_SOCKETS_H
#define SNUG_BASH_SOCKETS_H

#include <stdint.h>

/* Before denylist_load, which refuses what it needs. */
void sockets_open(void);
/* What waits in all of them to be sent or read. 0 where the kernel does not tell. */
uint64_t sockets_bytes(void);

#endif
