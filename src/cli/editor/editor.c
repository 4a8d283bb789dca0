#include "cli/editor/editor.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/transcript.h"
#include "cli/editor/actions.h"
#include "cli/editor/pasted.h"

/* ---- what keys do ---- */

typedef struct binding {
    key_code code;
    unsigned modifiers;
    char letter;
    editor_event (*act)(editor *e, key k);
} binding;

static const binding bindings[] = {
    { KEY_ENTER, 0, 0, act_enter },
    { KEY_ENTER, KEY_ALT, 0, act_new_line },
    { KEY_ENTER, KEY_SHIFT, 0, act_new_line },
    { KEY_ENTER, KEY_CTRL, 0, act_new_line },
    { KEY_CHARACTER, KEY_CTRL, 'o', act_new_line },
    { KEY_TAB, 0, 0, act_complete },
    { KEY_TAB, KEY_SHIFT, 0, act_describe },
    { KEY_BACKSPACE, 0, 0, act_rub },
    { KEY_BACKSPACE, KEY_SHIFT, 0, act_rub },
    { KEY_BACKSPACE, KEY_ALT, 0, act_cut_word_before },
    { KEY_BACKSPACE, KEY_CTRL, 0, act_cut_word_before },
    { KEY_DELETE, 0, 0, act_delete },
    { KEY_DELETE, KEY_CTRL, 0, act_cut_word_behind },
    { KEY_UP, 0, 0, act_up },
    { KEY_DOWN, 0, 0, act_down },
    { KEY_UP, KEY_ALT, 0, act_older },
    { KEY_DOWN, KEY_ALT, 0, act_newer },
    { KEY_PAGE_UP, 0, 0, act_older },
    { KEY_PAGE_DOWN, 0, 0, act_newer },
    { KEY_LEFT, 0, 0, act_left },
    { KEY_RIGHT, 0, 0, act_right },
    { KEY_LEFT, KEY_CTRL, 0, act_word_left },
    { KEY_RIGHT, KEY_CTRL, 0, act_word_right },
    { KEY_LEFT, KEY_ALT, 0, act_word_left },
    { KEY_RIGHT, KEY_ALT, 0, act_word_right },
    { KEY_HOME, 0, 0, act_line_begin },
    { KEY_END, 0, 0, act_line_end },
    { KEY_HOME, KEY_CTRL, 0, act_begin },
    { KEY_END, KEY_CTRL, 0, act_end },
    { KEY_CHARACTER, KEY_CTRL, 'a', act_line_begin },
    { KEY_CHARACTER, KEY_CTRL, 'e', act_line_end },
    { KEY_CHARACTER, KEY_CTRL, 'b', act_left },
    { KEY_CHARACTER, KEY_CTRL, 'f', act_right },
    { KEY_CHARACTER, KEY_CTRL, 'p', act_up },
    { KEY_CHARACTER, KEY_CTRL, 'n', act_down },
    { KEY_CHARACTER, KEY_CTRL, 'k', act_cut_to_end },
    { KEY_CHARACTER, KEY_CTRL, 'u', act_cut_to_begin },
    { KEY_CHARACTER, KEY_CTRL, 'w', act_cut_blank_word },
    { KEY_CHARACTER, KEY_CTRL, 'y', act_put_back },
    { KEY_CHARACTER, KEY_CTRL, 'l', act_clear_screen },
    { KEY_CHARACTER, KEY_CTRL, 'd', act_delete_or_end },
    { KEY_CHARACTER, KEY_CTRL, '_', act_undo },
    { KEY_CHARACTER, KEY_CTRL, 'r', act_search },
    { KEY_CHARACTER, KEY_CTRL, 'c', act_cancel },
    { KEY_CHARACTER, KEY_CTRL, 'z', act_suspend },
    { KEY_CHARACTER, KEY_ALT, 'b', act_word_left },
    { KEY_CHARACTER, KEY_ALT, 'f', act_word_right },
    { KEY_CHARACTER, KEY_ALT, 'd', act_cut_word_behind },
    { KEY_CHARACTER, KEY_ALT, '<', act_begin },
    { KEY_CHARACTER, KEY_ALT, '>', act_end },
};

/* Behind Ctrl-X. */
static const binding prefixed[] = {
    { KEY_CHARACTER, KEY_CTRL, 'u', act_undo },
    { KEY_CHARACTER, 0, 'u', act_undo },
};

static const binding *find_binding(const binding *rows, size_t count, key k)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].code == k.code && rows[i].modifiers == k.modifiers &&
            (k.code != KEY_CHARACTER || (rows[i].letter == k.text[0] && !k.text[1])))
            return &rows[i];
    return NULL;
}

/* ---- keys of the text ---- */

static editor_event insert_character(editor *e, key k)
{
    /* What comes at once with blanks before it brings its own indentation. */
    if (k.is_in_burst && is_blank(k.text[0]))
        drop_own_indent(e);
    /* A bracket that closes, first in its line, stands under the line that it belongs to. */
    if (e->own_indent > 0 && !k.is_in_burst && strchr(")]}", k.text[0]))
        outdent_line(e);
    e->own_indent = 0;
    if (buffer_insert(&e->text, k.text, strlen(k.text), BUFFER_TYPED))
        set_note(e, "The text is full: a cell has at most 1 MiB.");
    return EDITOR_MORE;
}

static editor_event take_paste(editor *e, const str *pasted, size_t pasted_bytes)
{
    str clean = { 0 }, source = { 0 };

    drop_own_indent(e);
    if (pasted_bytes > pasted->len || pasted_bytes > BUFFER_MOST_BYTES) {
        set_note_of_paste(e, pasted_bytes);
        return EDITOR_MORE;
    }

    int is_all = e->text.all.len == 0;
    int error = pasted_clean(&clean, str_text(pasted), pasted->len), is_transcript = 0;
    if (!error && e->language != CODE_TEXT)
        is_transcript = transcript_read(&source, str_text(&clean), clean.len, 0);
    if (!error && is_transcript == 0)
        error = str_add_str(&source, &clean);
    if (!error && is_transcript >= 0) {
        while (e->text.cursor == e->text.all.len && source.len > 0 &&
               source.data[source.len - 1] == '\n')
            source.data[--source.len] = '\0';
        if (buffer_insert(&e->text, str_text(&source), source.len, BUFFER_OTHER))
            set_note_of_paste(e, pasted_bytes);
        e->is_whole = is_all || memchr(str_text(&source), '\n', source.len) != NULL;
    }

    str_free(&clean);
    str_free(&source);
    return EDITOR_MORE;
}

static editor_event take_text_key(editor *e, key k)
{
    const binding *found;

    if (e->has_prefix_key) {
        e->has_prefix_key = 0;
        found = find_binding(prefixed, sizeof prefixed / sizeof *prefixed, k);
        return found ? found->act(e, k) : EDITOR_MORE;
    }

    if (k.code == KEY_CHARACTER && k.modifiers == KEY_CTRL && k.text[0] == 'x') {
        e->has_prefix_key = 1;
        return EDITOR_MORE;
    }

    found = find_binding(bindings, sizeof bindings / sizeof *bindings, k);
    if (found)
        return found->act(e, k);
    if (k.code == KEY_CHARACTER && k.modifiers == 0)
        return insert_character(e, k);
    return EDITOR_MORE;
}

/* ---- all keys ---- */

editor_event editor_take(editor *e, key k, const str *pasted, size_t pasted_bytes)
{
    if (k.code == KEY_NONE)
        return EDITOR_MORE;

    const size_t version = e->text.version_count, len = e->text.all.len;
    e->keeps_goal = e->keeps_cut = e->keeps_place = 0;
    str_clear(&e->note);
    e->note_is_signature = 0;

    editor_event event = EDITOR_MORE;
    int is_taken = 0;
    if (e->mode == EDITOR_SEARCH)
        is_taken = take_search_key(e, k, &event);
    else if (e->mode == EDITOR_MENU)
        is_taken = take_menu_key(e, k);
    if (!is_taken)
        event = k.code == KEY_PASTE ? take_paste(e, pasted, pasted_bytes) : take_text_key(e, k);

    /* Where the text has changed by other means it is not what came at once. */
    if (k.code != KEY_PASTE && !e->keeps_place && !is_taken &&
        (version != e->text.version_count || len != e->text.all.len))
        e->is_whole = 0;
    /* What is typed at another place is one of its own to undo. */
    if (version == e->text.version_count && len == e->text.all.len)
        e->text.last = BUFFER_OTHER;
    if (!e->keeps_goal)
        e->goal = SIZE_MAX;
    e->has_cut = e->keeps_cut;
    e->is_browsing = e->keeps_place;
    return event;
}

/* ---- life ---- */

void editor_init(editor *e, const editor_hooks *hooks, code_language language, entries *h)
{
    *e = (editor){ .hooks = *hooks, .language = language, .history = h, .columns = 80, .rows = 24 };
    e->menu.chosen = MENU_NONE;
    editor_begin(e, "", 0);
}

void editor_begin(editor *e, const char *text, size_t len)
{
    buffer_reset(&e->text);
    menu_clear(&e->menu);
    e->mode = EDITOR_TEXT;
    if (len > 0)
        buffer_insert(&e->text, text, len, BUFFER_OTHER);
    e->place = e->history->count;
    e->goal = SIZE_MAX;
    e->is_whole = len > 0;
    e->is_browsing = e->has_cut = e->has_prefix_key = 0;
    e->own_indent = 0;
    str_clear(&e->draft);
    str_clear(&e->note);
}

const char *editor_text(const editor *e, size_t *len)
{
    const char *text = str_text(&e->text.all);
    size_t end = e->text.all.len;

    for (;;) {
        size_t at = end;
        while (at > 0 && is_blank(text[at - 1]))
            at--;
        if (at == 0 || text[at - 1] != '\n')
            break;
        end = at - 1;
    }

    *len = end;
    return text;
}

void editor_free(editor *e)
{
    buffer_free(&e->text);
    menu_free(&e->menu);
    str_free(&e->menu_word);
    str_free(&e->draft);
    str_free(&e->note);
    str_free(&e->search.words);
    str_free(&e->search.before);
}
