/*
 * shell_ending.h - what the result of a cell in bash says: that it was refused, with which status
 * it ended, which limit stopped it, or how it lost its shell.
 */
#ifndef SNUG_BASH_SHELL_ENDING_H
#define SNUG_BASH_SHELL_ENDING_H

#include <stddef.h>
#include <stdint.h>

#include "bash/shell_stop.h"

typedef enum cell_end {
    CELL_RUNS,
    CELL_ENDED, /* told by the shell */
    CELL_LEFT,  /* the shell went with it, in order: another one is as it was */
    CELL_DIED,  /* the shell is gone */
    CELL_GIVEN_UP
} cell_end;

/* Source that is too long, not text, or not bash: o says so, and nothing is to be run. SNUG_OK, or
 * why that could not be found out. */
int ending_refuse(int *is_refused, outcome *o, const char *source, size_t len, uint64_t most_bytes);
/* The sentence of a limit. SNUG_OK or SNUG_ENOMEM without a message. */
int ending_say_limit(str *out, bash_reason reason, const snug_session *session,
                     const snug_limits *limits);
/* status: of the cell, where it has ended or left; shell_status: of a shell that is lost, as
 * waitpid has it. SNUG_OK or SNUG_ENOMEM with a message, as below. */
int ending_tell(snug_result *result, bash_stop *stop, cell_end end, int status, int shell_status);
/* After the output was taken, the end of which it quotes. */
int ending_tell_traceback(snug_result *result);

#endif
