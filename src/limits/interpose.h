/*
 * interpose.h - the functions of the C library that a program of ours defines itself, so
 * that a guard knows what its thread holds, and keeps its signals (guard.h). Only linked
 * into programs: a library's definitions would not come first.
 */
#ifndef SNUG_LIMITS_INTERPOSE_H
#define SNUG_LIMITS_INTERPOSE_H

/* Whether all of them are in force, for extension modules too. NULL where interpose.c is
 * not linked in. */
__attribute__((weak)) int interpose_is_complete(void);

#endif
