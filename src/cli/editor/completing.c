#include "cli/editor/actions.h"

#include <string.h>

/* ---- signatures ---- */

static void describe_at(editor *e, size_t cursor)
{
    const buffer *t = &e->text;

    str_clear(&e->note);
    e->note_is_signature = 0;
    if (!e->hooks.describe)
        return;
    e->hooks.describe(e->hooks.payload, &e->note, str_text(&t->all), t->all.len, cursor);
    e->note_is_signature = e->note.len > 0;
}

editor_event act_describe(editor *e, key k)
{
    (void)k;
    if (buffer_is_indent(&e->text, e->text.cursor)) {
        size_t begin = buffer_line_begin(&e->text, e->text.cursor);
        size_t blanks = e->text.cursor - begin;
        size_t taken = blanks < 4 ? blanks : 4;
        buffer_delete(&e->text, e->text.cursor - taken, e->text.cursor, BUFFER_RUBBED);
        return EDITOR_MORE;
    }

    describe_at(e, e->text.cursor);
    if (e->note.len == 0)
        set_note(e, "Nothing is known of that.");
    return EDITOR_MORE;
}

/* ---- the menu ---- */

/* Puts the item, or its first bytes, in the place of what stands before the cursor. */
static void put_match(editor *e, const char *item, size_t len)
{
    buffer *t = &e->text;
    size_t start = e->menu.start;

    if (t->cursor - start == len && memcmp(t->all.data + start, item, len) == 0)
        return;
    buffer_delete(t, start, t->cursor, BUFFER_OTHER);
    t->last = BUFFER_TYPED; /* the two are one to undo */
    buffer_insert(t, item, len, BUFFER_TYPED);
    t->last = BUFFER_OTHER;
}

static void close_menu(editor *e)
{
    menu_clear(&e->menu);
    e->mode = EDITOR_TEXT;
}

static void choose(editor *e)
{
    const menu *m = &e->menu;

    put_match(e, m->items[m->chosen], strlen(m->items[m->chosen]));
    describe_at(e, e->text.cursor);
}

static editor_event open_menu(editor *e)
{
    buffer *t = &e->text;
    menu *m = &e->menu;

    menu_clear(m);
    m->start = t->cursor;
    if (e->hooks.complete)
        e->hooks.complete(e->hooks.payload, m, str_text(&t->all), t->all.len, t->cursor);
    if (m->start > t->cursor || m->count == 0) {
        close_menu(e);
        describe_at(e, t->cursor);
        return EDITOR_MORE;
    }

    size_t common = menu_common(m), before = t->cursor - m->start;
    int is_one = m->count == 1;
    int is_longer = common > before || (common > 0 && is_one);
    if (is_longer)
        put_match(e, m->items[0], common);
    if (is_one || is_longer) {
        close_menu(e);
        if (is_one)
            describe_at(e, t->cursor);
        return EDITOR_MORE;
    }

    str_clear(&e->menu_word);
    str_append(&e->menu_word, str_text(&t->all) + m->start, before);
    e->mode = EDITOR_MENU;
    return EDITOR_MORE;
}

editor_event act_complete(editor *e, key k)
{
    (void)k;
    if (e->language == CODE_TEXT || !buffer_is_indent(&e->text, e->text.cursor))
        return open_menu(e);
    e->own_indent = 0;
    buffer_insert(&e->text, "    ", 4, BUFFER_OTHER);
    return EDITOR_MORE;
}

int take_menu_key(editor *e, key k)
{
    menu *m = &e->menu;

    if (k.code == KEY_ESCAPE || (k.code == KEY_ENTER && m->chosen != MENU_NONE)) {
        if (k.code == KEY_ESCAPE && m->chosen != MENU_NONE)
            put_match(e, str_text(&e->menu_word), e->menu_word.len);
        close_menu(e);
        return 1;
    }

    if (k.code == KEY_TAB && k.modifiers == 0)
        menu_move(m, 1);
    else if (k.code == KEY_TAB || k.code == KEY_UP)
        menu_move(m, -1);
    else if (k.code == KEY_DOWN)
        menu_move(m, 1);
    else if (k.code == KEY_RIGHT && m->chosen != MENU_NONE)
        menu_move_columns(m, e->columns, 1);
    else if (k.code == KEY_LEFT && m->chosen != MENU_NONE)
        menu_move_columns(m, e->columns, -1);
    else {
        close_menu(e);
        return 0;
    }

    choose(e);
    return 1;
}
