/*
 * columns.h - how much room text takes on a screen. Pure.
 */
#ifndef SNUG_CLI_COLUMNS_H
#define SNUG_CLI_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

/* A character with the marks behind it that take no room of their own. */
typedef struct glyph {
    size_t len;       /* in bytes */
    unsigned columns; /* 0: a mark that stands alone; 1 or 2 */
    uint32_t code;    /* of the character; U+FFFD for a byte that is none */
} glyph;

/* What begins text, of which len bytes are there, at least one. */
glyph glyph_at(const char *text, size_t len);
/* The byte where the glyph begins that ends at byte at, which is past the first. */
size_t glyph_before(const char *text, size_t at);
/* Of text without line ends or other control characters. */
size_t columns_of(const char *text, size_t len);
/* How many of its bytes fit into a number of columns. */
size_t columns_fit(const char *text, size_t len, size_t columns);

#endif
