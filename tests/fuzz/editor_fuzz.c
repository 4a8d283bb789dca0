/* Any bytes are keys: the text stays UTF-8 without control characters and within its bound, the
 * cursor within the text; and what is written to a terminal from one view to the next makes it look
 * like a view that is drawn at once. */
#include "fuzz.h"

#include "../unit/vt.h"
#include "base/utf8.h"
#include "cli/editor/editor.h"
#include "cli/editor/screen.h"

/* Each key draws the whole text, which what is cut and put back doubles: both are bounded, so that
 * a run takes a millisecond. */
enum { MOST_KEYS = 160, MOST_TEXT = 600 };

static int is_whole(void *payload, const char *text, size_t len)
{
    return len < 2 || text[len - 2] != ':';
}

static void complete(void *payload, menu *out, const char *text, size_t len, size_t cursor)
{
    out->start = cursor;
    while (out->start > 0 && text[out->start - 1] >= 'a' && text[out->start - 1] <= 'z')
        out->start--;
    for (size_t i = 0; i < (cursor % 5) * 7; i++) {
        char name[24];
        snprintf(name, sizeof name, "%.*s%zu", (int)(cursor - out->start), text + out->start, i);
        menu_add(out, name);
    }
}

static void describe(void *payload, str *out, const char *text, size_t len, size_t cursor)
{
    str_append(out, text + cursor, len - cursor);
}

static void check_text(const editor *e)
{
    const buffer *t = &e->text;
    size_t fault;

    HOLDS(t->cursor <= t->all.len && t->all.len <= BUFFER_MOST_BYTES);
    HOLDS(utf8_check(str_text(&t->all), t->all.len, &fault) == UTF8_FINE);
    HOLDS(t->cursor == t->all.len || (t->all.data[t->cursor] & 0xc0) != 0x80);
    for (size_t i = 0; i < t->all.len; i++)
        HOLDS((unsigned char)t->all.data[i] >= ' ' || t->all.data[i] == '\n' ||
              t->all.data[i] == '\t');
}

static void write_update(screen *s, const editor *e, vt *v)
{
    static const view_labels labels = { "In [1]: ", "   ...: " };
    str out = { 0 };

    HOLDS(view_draw(&s->next, e, &labels, 0) == 0);
    HOLDS(s->next.count <= e->rows && s->next.cursor_row < s->next.count);
    HOLDS(screen_update(&out, s) == 0);
    vt_write(v, str_text(&out), out.len);
    HOLDS(!v->has_failed);
    str_free(&out);
}

static void check_screen(const screen *s, const vt *v, const editor *e)
{
    static vt at_once;
    static screen fresh; /* whose rows keep their buffers from run to run */

    fresh.columns = s->columns;

    vt_open(&at_once, v->rows, v->columns);
    screen_forget(&fresh);
    write_update(&fresh, e, &at_once);
    size_t top = v->row - s->row;
    for (size_t row = 0; row < fresh.shown.count; row++)
        for (size_t column = 0; column < v->columns; column++)
            HOLDS(strcmp(v->cells[top + row][column], at_once.cells[row][column]) == 0);
    for (size_t row = top + fresh.shown.count; row < v->rows; row++)
        HOLDS(!*vt_row(v, row));
    HOLDS(v->column == at_once.column && s->row == fresh.row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const editor_hooks hooks = { complete, describe, is_whole, NULL };
    static vt v;
    input in = input_of(data, size);
    editor e;
    keys k = { .state = 0 };
    entries history = { .count = 0 };
    static screen s;

    size_t columns = 4 + take_byte(&in) % 20, rows = 3 + take_byte(&in) % 7;
    unsigned every = 1 + take_byte(&in) % 16;
    code_language language = (code_language)(take_byte(&in) % 3);
    entries_add(&history, "abc = 1", 7);
    entries_add(&history, "def f():\n\tpass", 14);
    editor_init(&e, &hooks, language, &history);
    s.theme = THEME_NONE;
    s.is_unknown = 0;
    e.columns = s.columns = columns;
    e.rows = rows;
    vt_open(&v, rows, columns);
    screen_forget(&s);
    write_update(&s, &e, &v);

    for (unsigned i = 0; in.left > 0 && i < MOST_KEYS && e.text.all.len < MOST_TEXT; i++) {
        unsigned byte = take_byte(&in);
        key got = byte == 0xfe ? keys_give_up(&k) : keys_take(&k, (unsigned char)byte);
        if (got.code == KEY_NONE)
            continue;
        got.is_in_burst = byte % 2;
        editor_take(&e, got, &k.pasted, k.pasted_bytes);
        check_text(&e);
        if (i % every == 0) {
            write_update(&s, &e, &v);
            check_screen(&s, &v, &e);
        }
    }

    editor_free(&e);
    keys_free(&k);
    entries_free(&history);
    return 0;
}
