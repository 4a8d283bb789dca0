/*
 * entries.h - what has been entered before, oldest first; an entry has lines. Pure.
 */
#ifndef SNUG_CLI_ENTRIES_H
#define SNUG_CLI_ENTRIES_H

#include <stddef.h>

enum { ENTRIES_MOST = 5000, ENTRIES_MOST_BYTES = 4 << 20 };

typedef struct entries {
    char **items;
    size_t count, cap, bytes;
} entries;

/* Text that is blank, or the same as the last one, adds nothing; past the bounds the oldest ones
 * go. 1 where it was added, else 0. */
int entries_add(entries *h, const char *text, size_t len);
/* The next entry from at on that begins so: older, with a step of -1, and at where there is none;
 * newer, with a step of 1, and count where there is none. */
size_t entries_step(const entries *h, size_t at, int step, const char *prefix, size_t len);
/* The newest entry before at that has the words in it, in any case of letters where they have no
 * capitals; *place: the byte where. SIZE_MAX: there is none. */
size_t entries_find(const entries *h, size_t at, const char *words, size_t *place);
void entries_free(entries *h);

#endif
