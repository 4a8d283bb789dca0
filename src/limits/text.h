/*
 * text.h - where the code of the C library and of the loader lies.
 *
 * A thread that stands there may hold one of their locks, which nobody can see.
 */
#ifndef SNUG_LIMITS_TEXT_H
#define SNUG_LIMITS_TEXT_H

#include <stdint.h>

/* Once, before the first question; not in a handler. */
void text_init(void);
/* (handler) */
int text_is_libc(uintptr_t pc);

#endif
