/*
 * screen.h - brings a terminal from one view to the next, with few bytes. Pure: it appends what is
 * to be written.
 *
 * The view stands below what has been printed, and no row of it is known to the terminal by number:
 * all moves are from where the cursor is.
 */
#ifndef SNUG_CLI_SCREEN_H
#define SNUG_CLI_SCREEN_H

#include <stddef.h>

#include "base/str.h"
#include "cli/editor/theme.h"
#include "cli/editor/view.h"

typedef struct screen {
    view shown;         /* what the terminal has */
    view next;          /* to draw into */
    size_t row, column; /* of the cursor; SIZE_MAX: behind the last column */
    size_t columns;
    theme theme;
    int is_unknown; /* what the terminal has is not what is shown says */
} screen;

/* From what is shown to s->next. SNUG_OK or SNUG_ENOMEM, as all of these. */
int screen_update(str *out, screen *s);
/* The terminal has another width now: it has laid the rows out again, each as long as it was. */
int screen_resize(str *out, screen *s, size_t columns);
/* Leaves s->next there for good, all rows of a text, and the cursor on the row below. */
int screen_finish(str *out, screen *s);
/* Takes away what is shown; the cursor is where it began. */
int screen_erase(str *out, screen *s);
/* Something else has been there: all is drawn again from the cursor's row on. */
void screen_forget(screen *s);
void screen_free(screen *s);

#endif
