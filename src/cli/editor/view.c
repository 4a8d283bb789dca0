#include "cli/editor/view.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "cli/terminal/clean.h"
#include "cli/terminal/columns.h"

enum { TAB_COLUMNS = 4, LEAST_COLUMNS = 4, LEAST_ROWS = 3, MOST_BELOW = 10 };

typedef struct drawing {
    view *f;
    const editor *e;
    const view_labels *labels;
    unsigned char *styles; /* of the text */
    size_t width;
    int error;
} drawing;

/* ---- rows ---- */

static view_row *add_row(drawing *d)
{
    view *f = d->f;

    if (f->count == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 32;
        view_row *bigger = realloc(f->rows, cap * sizeof *bigger);
        if (!bigger) {
            d->error = SNUG_ENOMEM;
            return f->count > 0 ? &f->rows[f->count - 1] : NULL;
        }
        memset(bigger + f->cap, 0, (cap - f->cap) * sizeof *bigger);
        f->rows = bigger;
        f->cap = cap;
    }

    view_row *row = &f->rows[f->count++];
    str_clear(&row->text);
    str_clear(&row->styles);
    row->columns = 0;
    row->goes_on = 0;
    return row;
}

static view_row *last_row(drawing *d)
{
    return d->f->count > 0 ? &d->f->rows[d->f->count - 1] : add_row(d);
}

/* One glyph, in the next row where this one is full. */
static void put_glyph(drawing *d, const char *bytes, size_t len, size_t columns, style s)
{
    view_row *row = last_row(d);
    char styles[64];

    if (row && row->columns + columns > d->width) {
        row->goes_on = 1;
        row = add_row(d);
    }

    if (!row || d->error)
        return;
    for (size_t at = 0, some; at < len && !d->error; at += some) {
        some = len - at < sizeof styles ? len - at : sizeof styles;
        memset(styles, (int)s, some);
        d->error = str_append(&row->text, bytes + at, some);
        if (!d->error)
            d->error = str_append(&row->styles, styles, some);
    }
    row->columns += columns;
}

static void put_text(drawing *d, const char *text, size_t len, style s)
{
    for (size_t at = 0; at < len && !d->error;) {
        glyph g = glyph_at(text + at, len - at);
        size_t turn = clean_turn(text + at, len - at);
        if (turn > 0 || g.code < ' ' || g.code == 0x7f || (g.code >= 0x80 && g.code < 0xa0))
            put_glyph(d, "?", 1, 1, STYLE_STRAY);
        else if (g.columns == 0)
            put_glyph(d, "\xc2\xb7", 2, 1, STYLE_STRAY); /* a mark without a letter */
        else
            put_glyph(d, text + at, g.len, g.columns, s);
        at += turn > 0 ? turn : g.len;
    }
}

/* As much of it as fits into the row. */
static void put_cut(drawing *d, const char *text, size_t len, style s)
{
    size_t room = d->width - (last_row(d) ? last_row(d)->columns : d->width);
    size_t fits = columns_fit(text, len, room);

    if (fits < len && room > 0)
        fits = columns_fit(text, len, room - 1);
    put_text(d, text, fits, s);
    if (fits < len && room > 0)
        put_glyph(d, "\xe2\x80\xa6", 3, 1, s);
}

/* ---- the text ---- */

static void mark_brackets(drawing *d)
{
    const buffer *t = &d->e->text;
    const char *all = str_text(&t->all);
    size_t len = t->all.len, at = t->cursor;

    for (int turn = 0; turn < 2; turn++) {
        if (turn == 1 && at == 0)
            return;
        size_t place = turn == 0 ? at : at - 1;
        if (place >= len || !code_is_bracket(all[place]) || d->styles[place] == STYLE_STRING ||
            d->styles[place] == STYLE_COMMENT)
            continue;
        size_t partner = code_partner(all, d->styles, len, place);
        if (partner == len) {
            if (strchr(")]}", all[place]))
                d->styles[place] = STYLE_STRAY;
            continue;
        }
        d->styles[place] = d->styles[partner] = STYLE_BRACKET;
        return;
    }
}

static int style_text(drawing *d, int is_final)
{
    const editor *e = d->e;
    const buffer *t = &e->text;

    d->styles = malloc(t->all.len + 1);
    if (!d->styles)
        return SNUG_ENOMEM;
    code_style(d->styles, e->language, str_text(&t->all), t->all.len);
    if (is_final)
        return SNUG_OK;
    if (e->language != CODE_TEXT)
        mark_brackets(d);

    size_t words = e->search.words.len, place = e->search.place;
    if (e->mode == EDITOR_SEARCH && e->search.found != SIZE_MAX && place + words <= t->all.len)
        memset(d->styles + place, STYLE_FOUND, words);
    return SNUG_OK;
}

static void put_label(drawing *d, const char *label)
{
    size_t len = strlen(label), blanks = 0;

    while (blanks < len && label[len - blanks - 1] == ' ')
        blanks++;
    put_text(d, label, len - blanks, STYLE_PROMPT);
    put_text(d, label + len - blanks, blanks, STYLE_PLAIN);
}

static void note_cursor(drawing *d)
{
    view_row *row = last_row(d);

    if (row && row->columns >= d->width) { /* it stands before the first column of the next row */
        row->goes_on = 1;
        row = add_row(d);
    }
    if (!row)
        return;
    d->f->cursor_row = d->f->count - 1;
    d->f->cursor_column = row->columns;
}

/* A line of the text: from at up to its end, which is answered. */
static size_t put_line(drawing *d, size_t at)
{
    const buffer *t = &d->e->text;
    const char *all = str_text(&t->all);
    size_t used = 0;

    for (;;) {
        if (at == t->cursor)
            note_cursor(d);
        if (at == t->all.len || all[at] == '\n' || d->error)
            return at;

        glyph g = glyph_at(all + at, t->all.len - at);
        if (all[at] == '\t') {
            size_t blanks = TAB_COLUMNS - used % TAB_COLUMNS;
            for (size_t i = 0; i < blanks; i++)
                put_glyph(d, " ", 1, 1, STYLE_PLAIN);
            used += blanks;
        } else {
            put_text(d, all + at, g.len, (style)d->styles[at]);
            used += g.columns;
        }
        at += g.len;
    }
}

static void put_all_lines(drawing *d)
{
    const buffer *t = &d->e->text;

    add_row(d);
    put_label(d, d->labels->first);
    for (size_t at = put_line(d, 0); at < t->all.len && !d->error; at = put_line(d, at + 1)) {
        add_row(d);
        put_label(d, d->labels->more);
    }
}

/* ---- below the text ---- */

static void put_search(drawing *d)
{
    const editor_search *s = &d->e->search;
    const char *label = s->is_missing ? "not found: " : "search: ";

    add_row(d);
    put_cut(d, label, strlen(label), STYLE_MESSAGE);
    put_cut(d, str_text(&s->words), s->words.len, STYLE_PLAIN);
}

static void put_note(drawing *d)
{
    const str *note = &d->e->note;

    add_row(d);
    put_cut(d, str_text(note), note->len,
            d->e->note_is_signature ? STYLE_SIGNATURE : STYLE_MESSAGE);
}

static void put_item(drawing *d, size_t index, size_t width)
{
    const menu *m = &d->e->menu;
    const char *item = m->items[index];
    size_t len = columns_fit(item, strlen(item), width);
    style s = m->chosen == (long)index ? STYLE_CHOSEN : STYLE_MENU;

    put_text(d, item, len, s);
    for (size_t used = columns_of(item, len); used < width; used++)
        put_glyph(d, " ", 1, 1, s);
}

/* Items stand below each other, in columns. */
static void put_menu(drawing *d, size_t most_rows)
{
    const menu *m = &d->e->menu;
    menu_grid grid = menu_lay_out(m, d->width);
    size_t chosen_row = m->chosen == MENU_NONE ? 0 : (size_t)m->chosen % grid.rows;
    size_t first = chosen_row < most_rows ? 0 : chosen_row - most_rows + 1;
    size_t shown = grid.rows < most_rows ? grid.rows : most_rows;

    for (size_t row = first; row < first + shown && row < grid.rows; row++) {
        add_row(d);
        for (size_t column = 0; column < grid.columns; column++) {
            size_t index = column * grid.rows + row;
            if (index >= m->count)
                break;
            if (column > 0)
                put_text(d, "  ", 2, STYLE_PLAIN);
            put_item(d, index, grid.width);
        }
    }

    if (shown < grid.rows || m->left_out > 0) {
        char rest[80];
        snprintf(rest, sizeof rest, "%zu names in all", m->count + m->left_out);
        add_row(d);
        put_cut(d, rest, strlen(rest), STYLE_MESSAGE);
    }
}

static void put_below(drawing *d, size_t most_rows)
{
    const editor *e = d->e;

    if (e->mode == EDITOR_SEARCH)
        put_search(d);
    if (e->mode == EDITOR_MENU)
        put_menu(d, most_rows > 2 ? most_rows - 2 : 1);
    if (e->note.len > 0)
        put_note(d);
}

/* ---- what is seen ---- */

/* Leaves rows of the text out, so that no more than most are left and the cursor is in one. */
static void cut_text(view *f, size_t most)
{
    if (f->count <= most)
        return;
    size_t first = f->cursor_row >= most ? f->cursor_row - most + 1 : 0;

    for (size_t i = 0; i < most && first > 0; i++) {
        view_row row = f->rows[i];
        f->rows[i] = f->rows[first + i];
        f->rows[first + i] = row;
    }

    f->count = most;
    f->cursor_row -= first;
    f->is_whole = 0;
}

/* How many rows what is below the text may have. */
static size_t rows_below(const editor *e, size_t rows)
{
    if (e->mode == EDITOR_TEXT && e->note.len == 0)
        return 0;
    if (e->mode == EDITOR_MENU)
        return rows / 2 < MOST_BELOW ? rows / 2 : MOST_BELOW;
    return 1;
}

int view_draw(view *f, const editor *e, const view_labels *labels, int is_final)
{
    size_t width = e->columns < LEAST_COLUMNS ? LEAST_COLUMNS : e->columns;
    size_t rows = e->rows < LEAST_ROWS ? LEAST_ROWS : e->rows;
    size_t below = is_final ? 0 : rows_below(e, rows);
    drawing d = { .f = f, .e = e, .labels = labels, .width = width };

    f->count = f->cursor_row = f->cursor_column = 0;
    f->is_whole = 1;
    d.error = style_text(&d, is_final);
    if (!d.error)
        put_all_lines(&d);
    free(d.styles);
    if (d.error || is_final)
        return d.error;

    cut_text(f, rows - below);
    if (below > 0)
        put_below(&d, below);
    f->count = f->count < rows ? f->count : rows;
    return d.error;
}

void view_free(view *f)
{
    for (size_t i = 0; i < f->cap; i++) {
        str_free(&f->rows[i].text);
        str_free(&f->rows[i].styles);
    }
    free(f->rows);
    *f = (view){ .count = 0 };
}
