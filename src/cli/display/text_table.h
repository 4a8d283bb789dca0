/*
 * text_table.h - rows of cells as columns of text. Pure.
 */
#ifndef SNUG_CLI_TEXT_TABLE_H
#define SNUG_CLI_TEXT_TABLE_H

#include <stddef.h>

#include "base/str.h"

enum { TABLE_MOST_COLUMNS = 64 };

typedef struct text_row {
    str cells[TABLE_MOST_COLUMNS]; /* UTF-8 without control characters */
    size_t count;
    int is_head;
} text_row;

typedef struct text_table {
    text_row *rows;
    size_t count, cap;
    size_t left_out; /* rows that are not there */
} text_table;

/* The next row; NULL where there is no memory. */
text_row *text_table_add(text_table *t);
/* Appends its lines, of at most width columns where a column has one at least. SNUG_OK or
 * SNUG_ENOMEM. */
int text_table_put(str *out, const text_table *t, size_t width);
void text_table_free(text_table *t);

#endif
