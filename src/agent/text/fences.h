/*
 * fences.h - what models write in the place of a fence.
 */
#ifndef SNUG_AGENT_FENCES_H
#define SNUG_AGENT_FENCES_H

#include <stddef.h>

#include "base/str.h"

/* Puts to out, which is empty, a reply, normalized (blocks.h), in which no block was found, with
 * fences where it has a quoted one ("> ```python") or three quotes for one ("'''python"), or
 * without the backticks that are around all of it. Nothing where it has none of them. SNUG_OK or
 * SNUG_ENOMEM. */
int fences_mend(str *out, const char *text, size_t len);

#endif
