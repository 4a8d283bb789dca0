#include "cli/editor/actions.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* ---- older and newer entries ---- */

static void show_entry(editor *e, size_t place)
{
    const entries *h = e->history;
    const char *entry = place < h->count ? h->items[place] : str_text(&e->draft);

    e->place = place;
    buffer_set(&e->text, entry, strlen(entry));
    e->is_whole = place < h->count;
    e->own_indent = 0;
}

/* The first such key remembers what was there, and that entries are to begin as it does. */
static void begin_browsing(editor *e)
{
    if (e->is_browsing)
        return;
    str_clear(&e->draft);
    str_add_str(&e->draft, &e->text.all);
    e->place = e->history->count;
    e->prefix = e->text.cursor;
}

static editor_event step_history(editor *e, int step)
{
    const entries *h = e->history;

    begin_browsing(e);
    size_t place = e->place < h->count || step < 0
                       ? entries_step(h, e->place, step, str_text(&e->draft), e->prefix)
                       : h->count;
    if (place != e->place)
        show_entry(e, place);
    e->keeps_place = 1;
    return EDITOR_MORE;
}

editor_event act_older(editor *e, key k)
{
    (void)k;
    return step_history(e, -1);
}

editor_event act_newer(editor *e, key k)
{
    (void)k;
    return step_history(e, 1);
}

/* ---- search ---- */

static void find_words(editor *e, size_t before)
{
    editor_search *s = &e->search;
    size_t place, found = entries_find(e->history, before, str_text(&s->words), &place);

    s->is_missing = found == SIZE_MAX && s->words.len > 0;
    if (found == SIZE_MAX)
        return;
    s->found = found;
    s->place = place;
    buffer_set(&e->text, e->history->items[found], strlen(e->history->items[found]));
    e->text.cursor = place;
    e->is_whole = 1;
}

editor_event act_search(editor *e, key k)
{
    editor_search *s = &e->search;

    (void)k;
    str_clear(&s->words);
    str_clear(&s->before);
    str_add_str(&s->before, &e->text.all);
    s->cursor = e->text.cursor;
    s->found = SIZE_MAX;
    s->is_missing = 0;
    e->own_indent = 0;
    e->mode = EDITOR_SEARCH;
    return EDITOR_MORE;
}

static void leave_search(editor *e)
{
    e->mode = EDITOR_TEXT;
    e->place = e->history->count;
}

static void give_up_search(editor *e)
{
    buffer_set(&e->text, str_text(&e->search.before), e->search.before.len);
    e->text.cursor = e->search.cursor;
    e->is_whole = 0;
    leave_search(e);
}

static int is_control(key k, char letter)
{
    return k.code == KEY_CHARACTER && k.modifiers == KEY_CTRL && k.text[0] == letter;
}

int take_search_key(editor *e, key k, editor_event *event)
{
    editor_search *s = &e->search;

    if (is_control(k, 'r')) {
        find_words(e, s->found == SIZE_MAX ? e->history->count : s->found);
    } else if (is_control(k, 'g') || is_control(k, 'c')) {
        give_up_search(e);
    } else if (k.code == KEY_CHARACTER && k.modifiers == 0) {
        str_add(&s->words, k.text);
        find_words(e, s->found == SIZE_MAX ? e->history->count : s->found + 1);
    } else if (k.code == KEY_BACKSPACE && s->words.len > 0) {
        s->words.len = utf8_floor(str_text(&s->words), s->words.len, s->words.len - 1);
        s->words.data[s->words.len] = '\0';
        s->found = SIZE_MAX;
        find_words(e, e->history->count);
    } else if (k.code == KEY_ENTER && s->found != SIZE_MAX) {
        leave_search(e);
        e->text.cursor = e->text.all.len;
        *event = act_enter(e, k);
    } else {
        /* Any other key edits what was found; Escape only leaves. */
        int is_over = k.code == KEY_ESCAPE || k.code == KEY_BACKSPACE || k.code == KEY_ENTER;
        leave_search(e);
        return is_over;
    }

    return 1;
}
