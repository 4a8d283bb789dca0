/*
 * program.h - a program and a call of it, in plain C. Filled in by session/, carried out by
 * py/cell/program.c.
 */
#ifndef SNUG_PY_PROGRAM_H
#define SNUG_PY_PROGRAM_H

#include <snug/program.h>

#include "base/str.h"

enum { PROGRAM_INPUTS = 64 };

/* What it is. Does not change once it is made. */
typedef struct program_text {
    uint64_t id; /* no other program of this process has it */
    const char *name;
    const char *source; /* source[len] is NUL */
    size_t len;
    const snug_input *inputs;
    size_t input_count;
    snug_type output;
} program_text;

/* A column that grows, as snug_column has it. */
typedef struct program_column {
    snug_type type;
    str data, ends, missing; /* missing has a byte for each row, or nothing where no row is None */
    uint64_t rows;
} program_column;

typedef struct program_call {
    const program_text *text;
    int is_map;
    const snug_value *arguments; /* of a call: as many as there are inputs */
    const snug_column *columns;  /* of a map: the same */
    uint64_t row_count;
    uint64_t source_bytes;
    uint64_t most_bytes; /* of what it answers */
    /* What comes of it: */
    snug_value value; /* without data: */
    str data;         /* its text or array */
    program_column column;
} program_call;

#endif
