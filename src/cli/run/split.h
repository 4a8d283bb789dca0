/*
 * split.h - the cells of a file: a list of them, and how a .py is divided.
 *
 * A line "# %%" begins a cell, as in VS Code, Spyder and jupytext: at the start of
 * the line, "#%%" too, a title behind it. Cells marked [markdown], [md] or [raw]
 * are passed over. Strings are not looked at.
 */
#ifndef SNUG_CLI_SPLIT_H
#define SNUG_CLI_SPLIT_H

#include <stddef.h>

typedef struct cell {
    char *source; /* NUL-terminated; may hold any byte */
    size_t len;
    unsigned number; /* from 1, among the file's code cells */
    unsigned line;   /* from 1, of the text it is a piece of */
    int may_raise;   /* has the tag raises-exception */
} cell;

/* Zeroed is empty. */
typedef struct cell_list {
    cell *items;
    size_t count;
    size_t cap;
    int is_divided; /* a .py by markers */
} cell_list;

/* Appends a copy; text without anything but white space is not a cell.
 * SNUG_OK or SNUG_ENOMEM with its message; on failure the list is as it was. */
int cell_list_add(cell_list *list, const char *source, size_t len);
void cell_list_free(cell_list *list);

/* Appends the cells of a .py; without a marker that is the whole text. */
int split_cells(cell_list *list, const char *text, size_t len);

#endif
