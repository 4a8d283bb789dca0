/*
 * collector.h - the names that completion finds: those that begin as what was written, no more than
 * an answer may have, in their order. No Python is asked.
 */
#ifndef SNUG_PY_COLLECTOR_H
#define SNUG_PY_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "py/core/names.h"
#include "py/queries/source_place.h"

/* The list that is filled, and what its names must begin with. */
typedef struct collector {
    name_list *list;
    size_t room;
    uint64_t room_bytes; /* in an answer */
    piece prefix;
    int error;
} collector;

/* Adds a name that is wanted and for which there is room. Names with an underscore are for those
 * who begin with one. */
void offer(collector *to, const char *name, size_t len, name_kind kind);
/* The same for what is not a name of Python's. */
void offer_text(collector *to, const char *text, size_t len, name_kind kind);

/* How a literal spells a text. */
typedef struct literal_style {
    char quote;
    int is_raw;   /* it has no backslashes */
    int is_whole; /* the quotes are offered, too */
} literal_style;

/* The same for what stands in such a literal. What cannot be spelled there is left out. */
void offer_quoted(collector *to, const char *text, size_t len, literal_style style, name_kind kind);
/* Each once. */
void sort_names(name_list *list);

#endif
