/*
 * forked.h - tells a process from those that it has forked, which have its memory and none of its
 * threads.
 *
 * What vfork, posix_spawn and a clone that shares memory make is not told apart: it has nothing of
 * its own, and goes on to exec.
 */
#ifndef SNUG_BASE_FORKED_H
#define SNUG_BASE_FORKED_H

#include <stdint.h>

/* All but forked_refuse are weak: an engine asks libsnug (session/life/engine_entry.c). */
/* This process, never 0 and never that of one that it was forked from. In a new process the
 * functions of forked_renew are called first. Any thread. */
uint64_t forked_process(void);
/* Whether that is this process; one load. */
int forked_is_process(uint64_t process);
/* SNUG_EINVAL with a sentence, for the function of snug.h that what names. */
int forked_refuse(const char *what);

/* fn is called in a process that was forked from this one, at its first forked_process: for the
 * locks and lists of the process, which may be held by a thread that is not there, or be about what
 * is its parent's. Any number of times for the same fn. Any thread. */
void forked_renew(void (*fn)(void));

#endif
