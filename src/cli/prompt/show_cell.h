/*
 * show_cell.h - a cell as a notebook shows it: In, output as it comes, Out, traceback.
 */
#ifndef SNUG_CLI_SHOW_CELL_H
#define SNUG_CLI_SHOW_CELL_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "cli/display/pictures.h"
#include "cli/terminal/term.h"

typedef struct show {
    term colors;
    snug_session *session; /* interrupted when nobody reads any more; may be NULL */
    int is_verbose;
    int is_inside[2];      /* stdout, stderr: the last line has no end yet */
    clean output[2];       /* of the cell that runs */
    struct reader *typed;  /* has what was typed before input() asked for it; NULL: nobody has */
    struct ticker *ticker; /* held while something is written; NULL: none */
    pictures *pictures;    /* NULL: they are not shown */
    int is_quiet;          /* what runs is the prompt's own question: its output is not shown */
    int is_broken;         /* stdout cannot be written */
    int why;               /* the errno of that; EPIPE: nobody reads any more */
} show;

/* "In [3]: x = 1", further lines under "   ...: ". */
void show_source(show *s, uint64_t number, const char *source, size_t len);
/* A cell's output, for on_output; payload is the show. */
void show_output(void *payload, snug_stream stream, const char *text, size_t len);
/* What it displays, for on_display. */
void show_display(void *payload, snug_display_event event, const snug_display *display);
/* Ends unfinished lines, then the value, or traceback and hint, or advice in its place; NULL: there
 * is none. */
void show_result(show *s, const snug_result *result, const char *advice);
/* The same of a script: nothing is added to its output, and sys.exit() is not an error. Answers
 * what it was called with, which is shown unless it is a number; NULL: it was not. */
const char *show_script_end(show *s, const snug_result *result, const char *advice);
/* One line of JSON. */
void show_json(show *s, const char *json, size_t len);

#endif
