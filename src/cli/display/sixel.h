/*
 * sixel.h - a picture in PNG as sixels, by libsixel in a process of its own, which can do nothing
 * but compute: the picture is a guest's, and so may be what becomes of the library that reads it.
 * What comes back is passed on only where it is sixels and nothing else.
 */
#ifndef SNUG_CLI_SIXEL_H
#define SNUG_CLI_SIXEL_H

#include <stddef.h>

#include "base/str.h"

/* Appends the sequence; a wider picture is made as narrow as most_width, in pixels. 0, or -1: there
 * is no libsixel, or it cannot read the picture. */
int sixel_of_png(str *out, const str *png, size_t most_width);
/* Whether text is a sequence of sixels and nothing else. Pure. */
int sixel_is_one(const char *text, size_t len);

#endif
