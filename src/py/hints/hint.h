/*
 * hint.h - hints while they are made, shared by the files that make them.
 *
 * The caller holds the interpreter. Nothing here runs code of the guest's, and no exception is
 * left set.
 */
#ifndef SNUG_PY_HINT_H
#define SNUG_PY_HINT_H

#include "py/core/state.h"
#include "py/report/raise_site.h"

enum { HINT_PARTS = 4, HINT_BYTES = 300, HINT_PART_BYTES = 60 };

typedef struct hint {
    str *out;
    interp *in;
    PyObject *exc;
    PyObject *type; /* of the row that was tried last; NULL: none was */
    int is_of_type; /* what exc is to that */
    const source_lines *lines;
    place place;
    span message;           /* of exc; empty where that is not a plain str */
    span parts[HINT_PARTS]; /* what stands in the stars of the row's pattern */
} hint;

/* Adds a sentence, in which $1 to $4 stand for the parts. 1. */
int hint_say(hint *h, const char *sentence);
/* Adds a text; clipped. */
void hint_add(hint *h, span text);
void hint_add_text(hint *h, const char *text);
/* Adds a value if it is of a plain type and short: a number, a text in quotes, None, True. 1 if
 * it was. */
int hint_add_value(hint *h, PyObject *value);
/* Adds the names of a list and a full stop, up to that number and length; "..." for others. */
void hint_add_names(hint *h, const char *const *names, size_t count);

/* A row of the table. Where make answers 0, the sentence is the hint; without one the next row is
 * tried. */
typedef struct hint_row {
    PyObject **type;
    const char *pattern; /* of the message, * for any part; NULL: any */
    int (*make)(hint *h);
    const char *sentence;
} hint_row;

extern const hint_row hint_rows[];
extern const size_t hint_row_count;

/* hintnames.c */
int hint_name(hint *h);
int hint_unbound(hint *h);
int hint_attribute(hint *h);
int hint_module_attribute(hint *h);
int hint_import_name(hint *h);
/* hintvalues.c */
int hint_key(hint *h);
int hint_index(hint *h);
int hint_call(hint *h);
int hint_not_callable(hint *h);
int hint_is_unsure(hint *h);
int hint_iterator(hint *h);
int hint_range(hint *h);
int hint_unpacking(hint *h);
int hint_plus(hint *h);
int hint_division(hint *h);
int hint_assertion(hint *h);
int hint_number(hint *h);
int hint_memory(hint *h);
/* hinttexts.c */
int hint_system(hint *h);
int hint_notebook_line(hint *h);
int hint_syntax_line(hint *h);
int hint_character(hint *h);

#endif
