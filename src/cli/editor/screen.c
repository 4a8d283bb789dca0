#include "cli/editor/screen.h"

#include <stdint.h>
#include <string.h>

#include "cli/terminal/columns.h"

/* ---- moves ---- */

static int move_up(str *out, screen *s, size_t row)
{
    if (row >= s->row)
        return 0;
    size_t rows = s->row - row;
    s->row = row;
    return str_printf(out, "\x1b[%zuA", rows);
}

/* A row that is not there yet is made at the bottom. */
static int move_to_row(str *out, screen *s, size_t row, size_t there)
{
    int error = move_up(out, s, row);
    size_t last = there > 0 ? there - 1 : 0;
    size_t below = row < last ? row : last;

    if (!error && below > s->row) {
        error = str_printf(out, "\x1b[%zuB", below - s->row);
        s->row = below;
    }

    for (; !error && s->row < row; s->row++) {
        error = str_add(out, "\n"); /* the terminal makes CR and LF of it */
        s->column = 0;
    }
    return error;
}

static int move_to(str *out, screen *s, size_t row, size_t column, size_t there)
{
    int error = move_to_row(out, s, row, there);

    if (error || s->column == column)
        return error;
    size_t from = s->column;
    s->column = column;
    if (column == 0)
        return str_add(out, "\r");
    if (from == SIZE_MAX)
        return str_printf(out, "\r\x1b[%zuC", column);
    if (column > from)
        return str_printf(out, "\x1b[%zuC", column - from);
    return from - column == 1 ? str_add(out, "\b") : str_printf(out, "\x1b[%zuD", from - column);
}

/* ---- rows ---- */

/* From byte from on. */
static int write_row(str *out, const screen *s, const view_row *row, size_t from)
{
    const char *text = str_text(&row->text), *styles = str_text(&row->styles);
    const char *last = "";
    int error = 0;

    for (size_t at = from, end; at < row->text.len && !error; at = end) {
        for (end = at + 1; end < row->text.len && styles[end] == styles[at];)
            end++;
        const char *on = theme_on(s->theme, (style)styles[at]);
        if (*last && strcmp(on, last) != 0)
            error = str_add(out, "\x1b[0m");
        if (!error && strcmp(on, last) != 0)
            error = str_add(out, on);
        if (!error)
            error = str_append(out, text + at, end - at);
        last = on;
    }

    if (!error && *last)
        error = str_add(out, "\x1b[0m");
    return error;
}

/* How many bytes both begin with, glyph by glyph. */
static size_t same_bytes(size_t *columns, const view_row *a, const view_row *b)
{
    size_t at = 0;
    const char *text = str_text(&a->text);

    *columns = 0;
    while (at < a->text.len) {
        glyph g = glyph_at(text + at, a->text.len - at);
        size_t end = at + g.len;
        if (end > b->text.len || memcmp(text + at, b->text.data + at, g.len) != 0 ||
            memcmp(a->styles.data + at, b->styles.data + at, g.len) != 0)
            break;
        /* A mark that follows in one of them belongs to this glyph. */
        if (end < b->text.len && glyph_at(b->text.data + at, b->text.len - at).len != g.len)
            break;
        *columns += g.columns;
        at = end;
    }

    return at;
}

static int is_same(const view_row *a, const view_row *b)
{
    return a->text.len == b->text.len &&
           (a->text.len == 0 || (memcmp(a->text.data, b->text.data, a->text.len) == 0 &&
                                 memcmp(a->styles.data, b->styles.data, a->styles.len) == 0));
}

static int update_row(str *out, screen *s, size_t row)
{
    const view_row *next = &s->next.rows[row];
    const int is_there = row < s->shown.count;
    const view_row *old = is_there && !s->is_unknown ? &s->shown.rows[row] : NULL;
    size_t columns = 0, same = 0;

    if (old && is_same(old, next))
        return 0;
    if (old)
        same = same_bytes(&columns, next, old);
    int error = move_to(out, s, row, columns, is_there ? s->shown.count : row);
    if (!error)
        error = write_row(out, s, next, same);

    /* Behind a full row the cursor still stands on its last column. */
    int is_full = next->columns >= s->columns;
    s->column = is_full ? SIZE_MAX : next->columns;
    if (!error && !is_full && (old ? old->columns > next->columns : is_there || row == 0))
        error = str_add(out, "\x1b[K");
    return error;
}

static void show_next(screen *s)
{
    view shown = s->shown;
    s->shown = s->next;
    s->next = shown;
    s->is_unknown = 0;
}

int screen_update(str *out, screen *s)
{
    int error = 0;

    for (size_t row = 0; row < s->next.count && !error; row++)
        error = update_row(out, s, row);
    if (!error && s->shown.count > s->next.count) {
        error = move_to(out, s, s->next.count, 0, s->shown.count);
        if (!error)
            error = str_add(out, "\x1b[J");
    }

    size_t there = s->next.count > s->shown.count ? s->next.count : s->shown.count;
    if (!error)
        error = move_to(out, s, s->next.cursor_row, s->next.cursor_column, there);
    show_next(s);
    return error;
}

/* ---- the rest ---- */

int screen_erase(str *out, screen *s)
{
    int error = move_up(out, s, 0);
    if (!error)
        error = str_add(out, "\r\x1b[J");
    s->column = 0;
    s->shown.count = 0;
    return error;
}

/* Terminals that do not lay rows out again show less of them, and are cleared a little too far up:
 * the cursor's own row is what both have in common. */
int screen_resize(str *out, screen *s, size_t columns)
{
    size_t row = 0, cursor_row = s->row;

    if (columns == 0 || columns == s->columns)
        return 0;
    for (size_t i = 0; i < cursor_row && i < s->shown.count; i++) {
        size_t used = s->shown.rows[i].columns;
        row += used > columns ? (used + columns - 1) / columns : 1;
    }
    row += s->shown.cursor_column / columns;

    s->row = row;
    s->columns = columns;
    return screen_erase(out, s);
}

int screen_finish(str *out, screen *s)
{
    const view *next = &s->next;
    int has_long = 0, error = 0;

    for (size_t i = 0; i < next->count; i++)
        has_long |= next->rows[i].goes_on;
    if (!has_long && s->shown.is_whole && !s->is_unknown) {
        error = screen_update(out, s);
        size_t last = s->shown.count > 0 ? s->shown.count - 1 : 0;
        if (!error)
            error = move_to_row(out, s, last, s->shown.count);
        if (!error)
            error = str_add(out, "\n");
    } else {
        /* The rows of a line are written as one, so that the terminal knows it for one. */
        error = screen_erase(out, s);
        for (size_t i = 0; i < next->count && !error; i++) {
            error = write_row(out, s, &next->rows[i], 0);
            if (!error && !next->rows[i].goes_on)
                error = str_add(out, "\n");
        }
    }

    screen_forget(s);
    return error;
}

void screen_forget(screen *s)
{
    s->shown.count = 0;
    s->shown.is_whole = 1;
    s->row = s->column = 0;
}

void screen_free(screen *s)
{
    view_free(&s->shown);
    view_free(&s->next);
}
