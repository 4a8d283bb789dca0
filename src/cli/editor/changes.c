#include "cli/editor/actions.h"

#include <string.h>

#include "base/ascii.h"

enum { STEP = 4 /* of an indentation */ };

void set_note(editor *e, const char *sentence)
{
    str_clear(&e->note);
    str_add(&e->note, sentence);
    e->note_is_signature = 0;
}

void set_note_of_paste(editor *e, size_t bytes)
{
    str_clear(&e->note);
    str_printf(&e->note, "Nothing was pasted: it has %zu bytes, and a cell has at most %d.", bytes,
               BUFFER_MOST_BYTES);
    e->note_is_signature = 0;
}

/* ---- indentation ---- */

void drop_own_indent(editor *e)
{
    size_t blanks = e->own_indent;

    e->own_indent = 0;
    if (blanks == 0 || buffer_indent(&e->text, e->text.cursor) != blanks ||
        !buffer_is_indent(&e->text, e->text.cursor))
        return;
    buffer_delete(&e->text, e->text.cursor - blanks, e->text.cursor, BUFFER_OTHER);
}

void outdent_line(editor *e)
{
    buffer *t = &e->text;
    size_t blanks = buffer_indent(t, t->cursor), taken = blanks < STEP ? blanks : STEP;

    if (e->language != CODE_TEXT && buffer_is_indent(t, t->cursor))
        buffer_delete(t, t->cursor - taken, t->cursor, BUFFER_OTHER);
}

static void break_line(editor *e, int is_indented)
{
    buffer *t = &e->text;
    str line = { 0 };
    size_t next = t->cursor;

    /* Blanks behind the cursor would be added to the new indentation. */
    while (next < t->all.len && t->all.data[next] == ' ')
        next++;
    int error = str_add(&line, "\n");
    if (is_indented && !error) {
        error = code_indent(&line, e->language, str_text(&t->all), t->cursor);
        if (!error && next > t->cursor)
            buffer_delete(t, t->cursor, next, BUFFER_OTHER);
    }

    /* An empty line of the same depth keeps no blanks. */
    if (!error && is_indented && buffer_is_indent(t, t->cursor))
        buffer_delete(t, buffer_line_begin(t, t->cursor), t->cursor, BUFFER_OTHER);
    if (error || buffer_insert(t, str_text(&line), line.len, BUFFER_OTHER))
        set_note(e, "The text is full: a cell has at most 1 MiB.");
    e->own_indent = line.len > 1 ? line.len - 1 : 0;
    str_free(&line);
}

/* ---- lines ---- */

editor_event act_new_line(editor *e, key k)
{
    break_line(e, !k.is_in_burst);
    return EDITOR_MORE;
}

static int is_blank_to(const buffer *t, size_t from, size_t to)
{
    for (; from < to; from++)
        if (!is_space(t->all.data[from]))
            return 0;
    return 1;
}

/* Where the text may end: in its last line; and where that is indented, a block could go on, unless
 * the text has come at once. */
static int may_end(const editor *e, key k)
{
    const buffer *t = &e->text;
    size_t begin = buffer_line_begin(t, t->all.len);

    if (!buffer_has_lines(t))
        return 1;
    if (!is_blank_to(t, t->cursor, t->all.len) && t->cursor < begin)
        return 0;
    if (k.is_in_burst && is_blank_to(t, begin, t->all.len))
        return 0;
    return e->is_whole || is_blank_to(t, begin, t->all.len) ||
           !code_is_in_block(e->language, t->all.data, t->all.len);
}

/* A cell magic that has come at once ends without the empty line that it would be typed with. */
static int is_magic_at_once(const editor *e)
{
    return e->is_whole && e->language == CODE_PYTHON &&
           strncmp(str_text(&e->text.all), "%%", 2) == 0;
}

static int can_run(const editor *e)
{
    const str *all = &e->text.all;

    return !e->hooks.is_whole || is_magic_at_once(e) ||
           e->hooks.is_whole(e->hooks.payload, str_text(all), all->len);
}

/* Of text each line could be the last one: more of it has come at once. */
static int is_pasted_text(const editor *e, key k)
{
    return e->language == CODE_TEXT && k.is_in_burst;
}

editor_event act_enter(editor *e, key k)
{
    buffer *t = &e->text;

    if (!is_pasted_text(e, k) && may_end(e, k) && can_run(e)) {
        t->cursor = t->all.len;
        return EDITOR_ENTER;
    }

    break_line(e, !k.is_in_burst);
    return EDITOR_MORE;
}

editor_event act_cancel(editor *e, key k)
{
    (void)k;
    e->text.cursor = e->text.all.len;
    return EDITOR_CANCEL;
}

editor_event act_suspend(editor *e, key k)
{
    (void)e;
    (void)k;
    return EDITOR_SUSPEND;
}

editor_event act_clear_screen(editor *e, key k)
{
    (void)e;
    (void)k;
    return EDITOR_CLEAR;
}

/* ---- rubbing out ---- */

editor_event act_rub(editor *e, key k)
{
    buffer *t = &e->text;
    size_t begin = buffer_line_begin(t, t->cursor), from = buffer_before(t, t->cursor);

    (void)k;
    /* Of an indentation, to the step before. */
    if (t->cursor > begin && buffer_is_indent(t, t->cursor) && t->all.data[t->cursor - 1] == ' ') {
        size_t left = (t->cursor - begin - 1) / STEP * STEP;
        while (from > begin + left && t->all.data[from - 1] == ' ')
            from--;
    }

    buffer_delete(t, from, t->cursor, BUFFER_RUBBED);
    return EDITOR_MORE;
}

editor_event act_delete(editor *e, key k)
{
    (void)k;
    buffer_delete(&e->text, e->text.cursor, buffer_behind(&e->text, e->text.cursor), BUFFER_RUBBED);
    return EDITOR_MORE;
}

editor_event act_delete_or_end(editor *e, key k)
{
    return e->text.all.len == 0 ? EDITOR_END : act_delete(e, k);
}

/* ---- cutting ---- */

static editor_event cut(editor *e, size_t from, size_t to)
{
    buffer_cut(&e->text, from, to, e->has_cut);
    e->keeps_cut = 1;
    return EDITOR_MORE;
}

editor_event act_cut_to_end(editor *e, key k)
{
    buffer *t = &e->text;
    size_t end = buffer_line_end(t, t->cursor);

    (void)k;
    if (end == t->cursor && end < t->all.len)
        end++; /* the line's end itself */
    return cut(e, t->cursor, end);
}

editor_event act_cut_to_begin(editor *e, key k)
{
    (void)k;
    return cut(e, buffer_line_begin(&e->text, e->text.cursor), e->text.cursor);
}

/* Up to a blank, as a shell has it. */
editor_event act_cut_blank_word(editor *e, key k)
{
    const buffer *t = &e->text;
    size_t from = t->cursor;

    (void)k;
    while (from > 0 && is_space(t->all.data[from - 1]))
        from--;
    while (from > 0 && !is_space(t->all.data[from - 1]))
        from--;
    return cut(e, from, t->cursor);
}

editor_event act_cut_word_before(editor *e, key k)
{
    (void)k;
    return cut(e, buffer_word_before(&e->text, e->text.cursor), e->text.cursor);
}

editor_event act_cut_word_behind(editor *e, key k)
{
    (void)k;
    return cut(e, e->text.cursor, buffer_word_behind(&e->text, e->text.cursor));
}

editor_event act_put_back(editor *e, key k)
{
    (void)k;
    buffer_insert(&e->text, str_text(&e->text.cut), e->text.cut.len, BUFFER_OTHER);
    return EDITOR_MORE;
}

editor_event act_undo(editor *e, key k)
{
    (void)k;
    if (!buffer_undo(&e->text))
        set_note(e, "There is nothing to undo.");
    return EDITOR_MORE;
}
