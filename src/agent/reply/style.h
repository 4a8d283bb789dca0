/*
 * style.h - where a program departs from what Python's style guides advise (PEP 8, PEP 257), by
 * rules that can be read off its lines: the same for the same program.
 */
#ifndef SNUG_AGENT_STYLE_H
#define SNUG_AGENT_STYLE_H

#include "base/str.h"

/* Appends a line "line 3: ..." for each to out, which may be NULL, and counts them. SNUG_OK or
 * SNUG_ENOMEM. */
int style_read(str *out, size_t *count, const char *code, size_t len);

#endif
