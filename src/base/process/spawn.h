/*
 * spawn.h - what a program that we start finds.
 */
#ifndef SNUG_BASE_SPAWN_H
#define SNUG_BASE_SPAWN_H

#include <spawn.h>

/* Signals as a program expects them: ours are blocked or ignored, and a process inherits both; and
 * a process group of its own. out was initialised. */
void spawn_set_attributes(posix_spawnattr_t *out);

#endif
