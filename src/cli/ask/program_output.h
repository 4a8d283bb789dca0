/*
 * program_output.h - what a program writes while it runs, among the steps of an agent: each line
 * behind a mark. On a terminal it is there as it comes, unfinished lines and those that are written
 * over too, and long output is cut; elsewhere lines are whole.
 */
#ifndef SNUG_CLI_PROGRAM_OUTPUT_H
#define SNUG_CLI_PROGRAM_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "cli/terminal/term.h"

typedef struct program_output {
    FILE *stream;
    int is_live;          /* the stream is a terminal that has sequences */
    size_t most_rows;     /* of a program's on a live terminal; 0: all */
    const char *on, *off; /* around marks */

    /* Of the program that runs. */
    int which;        /* the stream of its last piece */
    int is_inside;    /* the line has begun */
    int is_back;      /* it is written over from its begin */
    size_t rows;      /* shown */
    size_t columns;   /* of the line */
    size_t lines_hid; /* not shown */
    uint64_t bytes_hid;
    str whole; /* the line, where it is shown when it is whole */
    clean clean;
} program_output;

/* which: another number for each stream of the program. */
void program_output_take(program_output *o, int which, const char *text, size_t len);
/* Somebody else has ended the line that has begun, if one has: the next piece begins another. */
void program_output_leave_line(program_output *o);
/* The program has ended: how much was hidden is said. */
void program_output_end(program_output *o);
void program_output_free(program_output *o);

#endif
