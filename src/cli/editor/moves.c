#include "cli/editor/actions.h"

#include <stdint.h>

#include "cli/terminal/columns.h"

editor_event act_left(editor *e, key k)
{
    (void)k;
    e->text.cursor = buffer_before(&e->text, e->text.cursor);
    return EDITOR_MORE;
}

editor_event act_right(editor *e, key k)
{
    (void)k;
    e->text.cursor = buffer_behind(&e->text, e->text.cursor);
    return EDITOR_MORE;
}

editor_event act_word_left(editor *e, key k)
{
    (void)k;
    e->text.cursor = buffer_word_before(&e->text, e->text.cursor);
    return EDITOR_MORE;
}

editor_event act_word_right(editor *e, key k)
{
    (void)k;
    e->text.cursor = buffer_word_behind(&e->text, e->text.cursor);
    return EDITOR_MORE;
}

editor_event act_line_begin(editor *e, key k)
{
    (void)k;
    e->text.cursor = buffer_line_begin(&e->text, e->text.cursor);
    return EDITOR_MORE;
}

editor_event act_line_end(editor *e, key k)
{
    (void)k;
    e->text.cursor = buffer_line_end(&e->text, e->text.cursor);
    return EDITOR_MORE;
}

editor_event act_begin(editor *e, key k)
{
    (void)k;
    e->text.cursor = 0;
    return EDITOR_MORE;
}

editor_event act_end(editor *e, key k)
{
    (void)k;
    e->text.cursor = e->text.all.len;
    return EDITOR_MORE;
}

/* ---- lines ---- */

/* To the column that the first of several such keys was in. */
static void move_to_line(editor *e, size_t begin)
{
    buffer *t = &e->text;
    size_t from = buffer_line_begin(t, t->cursor);

    if (e->goal == SIZE_MAX)
        e->goal = columns_of(str_text(&t->all) + from, t->cursor - from);
    size_t end = buffer_line_end(t, begin);
    t->cursor = begin + columns_fit(str_text(&t->all) + begin, end - begin, e->goal);
    e->keeps_goal = 1;
}

editor_event act_up(editor *e, key k)
{
    size_t begin = buffer_line_begin(&e->text, e->text.cursor);

    if (e->is_browsing || begin == 0)
        return act_older(e, k);
    move_to_line(e, buffer_line_begin(&e->text, begin - 1));
    return EDITOR_MORE;
}

editor_event act_down(editor *e, key k)
{
    size_t end = buffer_line_end(&e->text, e->text.cursor);

    if (e->is_browsing || end == e->text.all.len)
        return act_newer(e, k);
    move_to_line(e, end + 1);
    return EDITOR_MORE;
}
