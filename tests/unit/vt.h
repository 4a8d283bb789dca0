/*
 * vt.h - a terminal of some rows and columns, as far as an editor needs one. Rows that scroll away
 * at the top are gone.
 */
#ifndef SNUG_TEST_VT_H
#define SNUG_TEST_VT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/columns.h"

enum { VT_ROWS = 60, VT_COLUMNS = 120, VT_CELL = 32 };

typedef struct vt {
    char cells[VT_ROWS][VT_COLUMNS][VT_CELL]; /* "" behind a wide one */
    size_t rows, columns, row, column;
    int is_pending; /* the last column was written, and the next character begins a row */
    int has_failed; /* a sequence that it does not know */
} vt;

static inline void vt_clear_row(vt *v, size_t row, size_t from)
{
    for (size_t i = from; i < v->columns; i++)
        memcpy(v->cells[row][i], " ", 2);
}

static inline void vt_open(vt *v, size_t rows, size_t columns)
{
    v->rows = rows;
    v->columns = columns;
    v->row = v->column = 0;
    v->is_pending = v->has_failed = 0;
    for (size_t i = 0; i < rows; i++)
        vt_clear_row(v, i, 0);
}

static inline void vt_line_feed(vt *v)
{
    v->is_pending = 0;
    if (v->row + 1 < v->rows) {
        v->row++;
        return;
    }
    memmove(v->cells[0], v->cells[1], (v->rows - 1) * sizeof v->cells[0]);
    vt_clear_row(v, v->row, 0);
}

static inline void vt_put(vt *v, const char *bytes, const glyph *g)
{
    if (v->is_pending || v->column + g->columns > v->columns) {
        v->column = 0;
        vt_line_feed(v);
    }

    size_t len = g->len < VT_CELL ? g->len : VT_CELL - 1;
    memcpy(v->cells[v->row][v->column], bytes, len);
    v->cells[v->row][v->column][len] = '\0';
    if (g->columns == 2)
        v->cells[v->row][v->column + 1][0] = '\0';
    v->column += g->columns;
    if (v->column >= v->columns) {
        v->column = v->columns - 1;
        v->is_pending = 1;
    }
}

/* Answers the bytes of the sequence behind ESC. */
static inline size_t vt_sequence(vt *v, const char *at)
{
    char *end;
    size_t number = strtoul(at + 1, &end, 10), count = number ? number : 1;

    if (*at != '[') {
        v->has_failed = 1;
        return 1;
    }
    if (*end == '?')
        for (end++; *end >= '0' && *end <= '9';)
            end++;
    while (*end == ';' || (*end >= '0' && *end <= '9'))
        end++;

    switch (*end) {
    case 'A':
        v->row = v->row > count ? v->row - count : 0;
        break;
    case 'B':
        v->row = v->row + count < v->rows ? v->row + count : v->rows - 1;
        break;
    case 'C':
        v->column = v->column + count < v->columns ? v->column + count : v->columns - 1;
        break;
    case 'D':
        v->column = v->column > count ? v->column - count : 0;
        break;
    case 'J':
        for (size_t i = v->row + 1; i < v->rows; i++)
            vt_clear_row(v, i, 0);
        vt_clear_row(v, v->row, v->column);
        break;
    case 'K':
        vt_clear_row(v, v->row, v->column);
        break;
    case 'm':
        return (size_t)(end + 1 - at); /* the next character still begins a row */
    case 'h':
    case 'l':
        break;
    default:
        v->has_failed = 1;
    }
    v->is_pending = 0;
    return (size_t)(end + 1 - at);
}

static inline void vt_write(vt *v, const char *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        char c = bytes[at];
        if (c == '\x1b') {
            at++;
            at += vt_sequence(v, bytes + at);
        } else if (c == '\n') { /* the terminal makes CR and LF of it */
            v->column = 0;
            vt_line_feed(v);
            at++;
        } else if (c == '\r' || c == '\b') {
            v->column = c == '\r' || v->column == 0 ? 0 : v->column - 1;
            v->is_pending = 0;
            at++;
        } else {
            glyph g = glyph_at(bytes + at, len - at);
            if (g.code < ' ' || g.columns == 0)
                v->has_failed = 1;
            else
                vt_put(v, bytes + at, &g);
            at += g.len;
        }
    }
}

/* A row without the blanks at its end. */
static inline const char *vt_row(const vt *v, size_t row)
{
    static char text[VT_COLUMNS * VT_CELL + 1];
    size_t used = 0, kept = 0;

    for (size_t i = 0; i < v->columns; i++) {
        size_t len = strlen(v->cells[row][i]);
        memcpy(text + used, v->cells[row][i], len);
        used += len;
        if (strcmp(v->cells[row][i], " ") != 0)
            kept = used;
    }
    text[kept] = '\0';
    return text;
}

#endif
