/*
 * display.h - what a cell displays: MIME bundles in order, within a limit.
 *
 * A display belongs to whoever holds a reference: the cell's list, and the queue of a
 * listener. It does not change once it is in either. The list is written by the session's
 * thread under the capture's lock `whole`, so that a jump leaves it as it was.
 */
#ifndef SNUG_CAPTURE_DISPLAY_H
#define SNUG_CAPTURE_DISPLAY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/str.h"

typedef struct display_part {
    str type; /* "text/html" */
    str data; /* UTF-8; what is binary by its type as base64 */
    int is_json;
} display_part;

typedef struct display {
    _Atomic int references;
    display_part *parts;
    size_t part_count;
    str metadata; /* a JSON object; empty: none */
    str id;       /* under which later displays may replace it; empty: none */
    int is_update;
    uint64_t after[2]; /* bytes that the cell had written to stdout and stderr before it */
} display;

/* With one reference, empty; NULL if memory ran out. */
display *display_new(void);
display *display_hold(display *d);
/* NULL is fine. */
void display_drop(display *d);
/* The next part, of that type, without data. NULL if memory ran out. */
display_part *display_add(display *d, const char *type);
/* What a display, and each of its parts, counts besides its texts: about what it takes in memory
 * and in an answer. So empty ones are not without end. */
enum { DISPLAY_BYTES = 1024, DISPLAY_PART_BYTES = 256 };
/* What it counts for the limit: its texts, as long as they are in JSON, where a control character
 * has six bytes, and the above. */
uint64_t display_bytes(const display *d);

typedef struct display_list {
    display **items;
    size_t count, cap;
    uint64_t kept_bytes, limit_bytes; /* kept_bytes has the main result too */
    uint64_t left_out;                /* over the limit: counted by who displays */
} display_list;

/* Takes a reference of its own if it is within the limit: 1. With an id that is in the list,
 * an update takes that one's place. 0: over the limit. SNUG_ENOMEM. */
int display_list_add(display_list *list, display *d);
/* How much one more may count; for an update of a display with that id, which takes its place. id
 * is "" otherwise. */
uint64_t display_list_room(const display_list *list, const char *id);
/* The main result, which is not in the list, counts too. */
void display_list_count(display_list *list, const display *d);
/* Forgets all of them, as the notebook's output area is cleared. */
void display_list_clear(display_list *list);
/* For the next cell. */
void display_list_reset(display_list *list, uint64_t limit_bytes);
void display_list_free(display_list *list);

#endif
