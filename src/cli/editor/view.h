/*
 * view.h - the state of an editor as rows of a screen. Pure.
 */
#ifndef SNUG_CLI_VIEW_H
#define SNUG_CLI_VIEW_H

#include <stddef.h>

#include "base/str.h"
#include "cli/editor/editor.h"

typedef struct view_row {
    str text;   /* UTF-8 without control characters */
    str styles; /* one for each byte */
    size_t columns;
    int goes_on; /* its line goes on in the next row */
} view_row;

typedef struct view {
    view_row *rows;
    size_t count, cap; /* rows past count keep their buffers */
    size_t cursor_row, cursor_column;
    int is_whole; /* no row of the text was left out */
} view;

/* What stands before a text's first line, and before the others: "In [3]: ". */
typedef struct view_labels {
    const char *first, *more;
} view_labels;

/* At most e->rows rows of e->columns columns, with the cursor in them. is_final: all rows of the
 * text, without cursor, menu and notes. SNUG_OK or SNUG_ENOMEM. */
int view_draw(view *f, const editor *e, const view_labels *labels, int is_final);
void view_free(view *f);

#endif
