#include "cli/display/text_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "cli/terminal/columns.h"

enum { GAP = 2 };

text_row *text_table_add(text_table *t)
{
    if (t->count == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 16;
        text_row *bigger = realloc(t->rows, cap * sizeof *bigger);
        if (!bigger)
            return NULL;
        t->rows = bigger;
        t->cap = cap;
    }

    text_row *row = &t->rows[t->count++];
    memset(row, 0, sizeof *row);
    return row;
}

void text_table_free(text_table *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (size_t c = 0; c < TABLE_MOST_COLUMNS; c++)
            str_free(&t->rows[i].cells[c]);
    free(t->rows);
    *t = (text_table){ .count = 0 };
}

/* ---- layout ---- */

typedef struct layout {
    size_t widths[TABLE_MOST_COLUMNS];
    int is_number[TABLE_MOST_COLUMNS]; /* all of the column's body are */
    size_t count;
} layout;

static int looks_like_number(const str *cell)
{
    const char *text = str_text(cell);
    size_t at = strspn(text, "+-$ "), digits = 0;

    for (; at < cell->len; at++) {
        digits += (size_t)is_digit(text[at]);
        if (!is_digit(text[at]) && !strchr(".,%eE+-_ ", text[at]))
            return 0;
    }
    return digits > 0;
}

static int is_missing(const str *cell)
{
    return cell->len == 0 || strcmp(cell->data, "NaN") == 0 || strcmp(cell->data, "...") == 0 ||
           strcmp(cell->data, "None") == 0;
}

static void measure(layout *l, const text_table *t)
{
    int has_number[TABLE_MOST_COLUMNS] = { 0 };

    for (size_t i = 0; i < TABLE_MOST_COLUMNS; i++)
        l->is_number[i] = 1;
    for (size_t i = 0; i < t->count; i++) {
        const text_row *row = &t->rows[i];
        l->count = row->count > l->count ? row->count : l->count;
        for (size_t c = 0; c < row->count; c++) {
            size_t width = columns_of(str_text(&row->cells[c]), row->cells[c].len);
            l->widths[c] = width > l->widths[c] ? width : l->widths[c];
            if (row->is_head || is_missing(&row->cells[c]))
                continue;
            int is_number = looks_like_number(&row->cells[c]);
            has_number[c] |= is_number;
            l->is_number[c] &= is_number;
        }
    }

    for (size_t c = 0; c < l->count; c++) {
        l->is_number[c] &= has_number[c];
        l->widths[c] = l->widths[c] ? l->widths[c] : 1;
    }
}

/* The widest columns give way first. */
static void fit(layout *l, size_t width)
{
    size_t used = l->count > 0 ? (l->count - 1) * GAP : 0;

    for (size_t c = 0; c < l->count; c++)
        used += l->widths[c];
    while (used > width) {
        size_t widest = 0;
        for (size_t c = 1; c < l->count; c++)
            if (l->widths[c] > l->widths[widest])
                widest = c;
        if (l->widths[widest] <= 1)
            return;
        l->widths[widest]--;
        used--;
    }
}

static int put_blanks(str *out, size_t count)
{
    int error = 0;
    for (; count > 0 && !error; count--)
        error = str_add(out, " ");
    return error;
}

static int put_cell(str *out, const str *cell, size_t width, int is_right, int is_last)
{
    const char *text = str_text(cell);
    size_t columns = columns_of(text, cell->len), len = cell->len;
    int is_cut = columns > width;

    if (is_cut) {
        len = columns_fit(text, cell->len, width - 1);
        columns = columns_of(text, len) + 1;
    }

    int error = is_right ? put_blanks(out, width - columns) : 0;
    if (!error)
        error = str_append(out, text, len);
    if (!error && is_cut)
        error = str_add(out, "\xe2\x80\xa6");
    if (!error && !is_right && !is_last)
        error = put_blanks(out, width - columns);
    return error;
}

static int put_row(str *out, const text_row *row, const layout *l)
{
    int error = 0;

    for (size_t c = 0; c < row->count && !error; c++) {
        if (c > 0)
            error = put_blanks(out, GAP);
        if (!error)
            error =
                put_cell(out, &row->cells[c], l->widths[c], l->is_number[c], c + 1 == row->count);
    }
    return error ? error : str_add(out, "\n");
}

static int put_rule(str *out, const layout *l)
{
    int error = 0;

    for (size_t c = 0; c < l->count && !error; c++) {
        if (c > 0)
            error = put_blanks(out, GAP);
        for (size_t i = 0; i < l->widths[c] && !error; i++)
            error = str_add(out, "\xe2\x94\x80");
    }
    return error ? error : str_add(out, "\n");
}

int text_table_put(str *out, const text_table *t, size_t width)
{
    layout l = { .count = 0 };
    int error = 0;

    measure(&l, t);
    fit(&l, width);
    for (size_t i = 0; i < t->count && !error; i++) {
        error = put_row(out, &t->rows[i], &l);
        int ends_head = t->rows[i].is_head && i + 1 < t->count && !t->rows[i + 1].is_head;
        if (!error && ends_head)
            error = put_rule(out, &l);
    }
    if (!error && t->left_out > 0)
        error = str_printf(out, "... and %zu more rows\n", t->left_out);
    return error;
}
