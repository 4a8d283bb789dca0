/*
 * clean.h - text that somebody else has made, as a terminal may have it: what would move the
 * cursor, set the title or the clipboard, or turn the direction of writing is shown and does
 * nothing. Pure.
 */
#ifndef SNUG_CLI_CLEAN_H
#define SNUG_CLI_CLEAN_H

#include <stddef.h>

#include "base/str.h"

enum {
    CLEAN_COLOURS = 1 << 0, /* well-formed SGR sequences pass, "\x1b[31m" */
    CLEAN_RETURNS = 1 << 1  /* carriage returns pass: progress bars */
};

enum { CLEAN_HELD = 32 };

/* A stream of text. What could be the beginning of a character or of a sequence waits for the
 * rest. Zeroed is new. */
typedef struct clean {
    char held[CLEAN_HELD];
    size_t held_len;
    int has_colours; /* one was passed, and not put back */
} clean;

/* Appends what of text is to be shown. SNUG_OK or SNUG_ENOMEM. */
int clean_text(str *out, clean *c, const char *text, size_t len, unsigned passes);
/* How many bytes a mark has that begins text and turns the direction of writing; 0: none does. */
size_t clean_turn(const char *text, size_t len);
/* The end of the stream: also what was held, and colours are put back. */
int clean_end(str *out, clean *c);

#endif
