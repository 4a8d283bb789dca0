/*
 * clip.h - a text in little room.
 */
#ifndef SNUG_AGENT_CLIP_H
#define SNUG_AGENT_CLIP_H

#include <stddef.h>

#include "base/str.h"

/* Appends valid UTF-8 of len bytes; of more than `most` only the beginning and the end (which
 * has three quarters of the room where the end matters, as of a traceback), with a line between
 * that says how many bytes are left out. SNUG_OK or SNUG_ENOMEM. */
int clip_append(str *out, const char *text, size_t len, size_t most, int is_end_important);

/* Makes one line of valid UTF-8 of it: each run of white space and control characters becomes a
 * space, none at its end, and "?" stands for bytes that are not a character. Answers the new
 * length. */
size_t clip_line(char *text, size_t len);

#endif
