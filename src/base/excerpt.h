/*
 * excerpt.h - a line of a source with a caret under the place that something is about.
 */
#ifndef SNUG_BASE_EXCERPT_H
#define SNUG_BASE_EXCERPT_H

#include <stddef.h>

#include "base/str.h"

/* Appends the line, which has no line end, and where column is not 0 a second line with the caret
 * under that character, counted from 1. The line becomes valid UTF-8 without control characters but
 * tabs; of a long one, there is what stands around the column. SNUG_OK or SNUG_ENOMEM. */
int excerpt_add(str *out, const char *line, size_t len, unsigned column);

#endif
