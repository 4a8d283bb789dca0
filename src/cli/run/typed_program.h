/*
 * typed_program.h - cells as one program for a type checker, line by line. Pure.
 */
#ifndef SNUG_CLI_TYPED_PROGRAM_H
#define SNUG_CLI_TYPED_PROGRAM_H

#include "base/str.h"
#include "cli/run/split.h"

typedef struct typed_program {
    str text;
    unsigned first_line;  /* of it that is a cell's */
    unsigned indentation; /* of those */
} typed_program;

/* head: its first line. is_function: the cells are a function that awaits, which a checker that
 * refuses await elsewhere takes. Lines that are not Python become ones that do nothing. SNUG_OK or
 * SNUG_ENOMEM; free text in both cases. */
int typed_program_write(typed_program *p, const char *head, const cell_list *cells,
                        int is_function);
/* Whether a function of it calls the name global. */
int typed_program_has_global(const typed_program *p, const char *name, size_t len);

#endif
