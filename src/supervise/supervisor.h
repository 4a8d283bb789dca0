/*
 * supervisor.h - the object, for tests that bring their own time and memory.
 */
#ifndef SNUG_SUPERVISE_SUPERVISOR_H
#define SNUG_SUPERVISE_SUPERVISOR_H

#include "supervise/supervise.h"

int supervisor_open_in(snug_supervisor **out, const snug_supervisor_options *given,
                       const supervise_world *world);

/* SNUG_EINVAL with a sentence, for the function of supervisor.h that what names: it is NULL, or
 * another process's. */
int supervisor_check(const snug_supervisor *s, const char *what);

#endif
