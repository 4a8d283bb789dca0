/*
 * lines.h - reads lines of a bounded length from a descriptor, and can be woken.
 */
#ifndef SNUG_CLI_LINES_H
#define SNUG_CLI_LINES_H

#include <stddef.h>

#include "base/str.h"

typedef enum lines_event {
    LINES_LINE,
    LINES_LONG,  /* a line past the bound; it was passed over */
    LINES_WOKEN, /* the other descriptor is readable */
    LINES_END,
    LINES_FAILED /* with a message; no line comes after it */
} lines_event;

typedef struct lines {
    int fd;
    int wake; /* -1: none */
    size_t most_bytes;
    str buffer;
    size_t at;     /* where the next line begins in buffer */
    size_t looked; /* up to where buffer holds no line end */
    int is_long;   /* within a line past the bound */
    int is_at_end;
} lines;

void lines_init(lines *l, int fd, int wake, size_t most_bytes);
/* The line without its end, valid until the next call; the last one may have no
 * end. Waits. */
lines_event lines_next(lines *l, const char **text, size_t *len);
void lines_free(lines *l);

#endif
