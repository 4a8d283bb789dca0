/*
 * text.h - whose code it is: the C library's and the loader's, or the program's own.
 *
 * A thread that stands in the first may hold one of their locks, which nobody can see.
 */
#ifndef SNUG_LIMITS_TEXT_H
#define SNUG_LIMITS_TEXT_H

#include <stdint.h>

/* Once, before the first question; not in a handler. */
void text_init(void);
/* (handler) */
int text_is_libc(uintptr_t pc);
/* Neither of those, nor the library for JSON, with which we build what other threads free. */
int text_is_of_others(uintptr_t pc);

typedef struct text_range {
    uintptr_t low, bytes;
} text_range;

/* Written by text_init. */
extern text_range text_program;

/* (handler) Of the program file itself, with what is linked into it. */
static inline int text_is_program(uintptr_t pc)
{
    return pc - text_program.low < text_program.bytes;
}

#endif
