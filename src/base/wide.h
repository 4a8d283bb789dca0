/*
 * wide.h - which characters take two columns of a terminal.
 */
#ifndef SNUG_BASE_WIDE_H
#define SNUG_BASE_WIDE_H

#include <stdint.h>

/* East Asian wide and fullwidth ones, as CPython counts them since 3.13. */
int wide_is(uint32_t c);

#endif
