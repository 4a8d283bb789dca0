#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "cli/editor/editor.h"
#include "cli/editor/pasted.h"
#include "cli/editor/screen.h"
#include "cli/editor/theme.h"
#include "vt.h"

/* ---- what it asks ---- */

/* Whole is what has no "(" or ":" left open: what ends with one, or has an indented last line,
 * as Python has it. */
static int is_whole(void *payload, const char *text, size_t len)
{
    int depth = 0;

    for (size_t i = 0; i < len; i++)
        depth += (text[i] == '(') - (text[i] == ')');
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\n'))
        len--;
    return depth <= 0 && !(len > 0 && text[len - 1] == ':');
}

static void complete(void *payload, menu *out, const char *text, size_t len, size_t cursor)
{
    static const char *const names[] = { "alpha", "alpine", "beta", "größe", NULL };
    size_t start = cursor;

    while (start > 0 && ((text[start - 1] | 0x20) >= 'a' || (unsigned char)text[start - 1] >= 0x80))
        start--;
    out->start = start;
    for (size_t i = 0; names[i]; i++)
        if (!strncmp(names[i], text + start, cursor - start))
            menu_add(out, names[i]);
}

static void describe(void *payload, str *out, const char *text, size_t len, size_t cursor)
{
    if (cursor > 0)
        str_add(out, "alpha(a, b)  Does it.");
}

static const editor_hooks hooks = { complete, describe, is_whole, NULL };

typedef struct desk {
    editor editor;
    keys keys;
    entries history;
    editor_event event; /* of the last key */
} desk;

static void open_desk(desk *d)
{
    memset(d, 0, sizeof *d);
    entries_add(&d->history, "old = 1", 7);
    entries_add(&d->history, "def f():\n    pass", 17);
    entries_add(&d->history, "other = 2", 9);
    editor_init(&d->editor, &hooks, CODE_PYTHON, &d->history);
}

static void close_desk(desk *d)
{
    editor_free(&d->editor);
    keys_free(&d->keys);
    entries_free(&d->history);
}

static void take(desk *d, key k)
{
    if (k.code != KEY_NONE)
        d->event = editor_take(&d->editor, k, &d->keys.pasted, d->keys.pasted_bytes);
}

static void type(desk *d, const char *bytes)
{
    for (; *bytes; bytes++)
        take(d, keys_take(&d->keys, (unsigned char)*bytes));
    if (keys_waits(&d->keys) == 1)
        take(d, keys_give_up(&d->keys));
}

/* What is there, with | where the cursor is. */
static void assert_text(const desk *d, const char *expected)
{
    char shown[1024];
    const buffer *t = &d->editor.text;
    snprintf(shown, sizeof shown, "%.*s|%s", (int)t->cursor, str_text(&t->all),
             str_text(&t->all) + t->cursor);
    assert_string_equal(shown, expected);
}

/* ---- keys ---- */

#define UP     "\x1b[A"
#define DOWN   "\x1b[B"
#define RIGHT  "\x1b[C"
#define LEFT   "\x1b[D"
#define ESC    "\x1b"
#define PASTE  "\x1b[200~"
#define PASTED "\x1b[201~"

static const struct {
    const char *keys, *text;
} typed[] = {
    { "abc", "abc|" },
    { "abc\x01", "|abc" },
    { "abc\x01\x05", "abc|" },
    { "abc\x02\x02\x06", "ab|c" },
    { "abc" LEFT LEFT RIGHT "x", "abx|c" },
    { "abc\x1bOD\x1bOD-", "a-|bc" },
    { "abc\x1b[H-\x1b[F+", "-abc+|" },
    { "abc\x1b[1~-\x1b[4~+", "-abc+|" },
    { "one two three\x1b[1;5D\x1b[1;5D-", "one -|two three" },
    { "one two\x1b"
      "b\x1b"
      "b\x1b"
      "f-",
      "one-| two" },
    { "one two\x17", "one |" },
    { "one two\x17\x17", "|" },
    { "one two\x17\x17\x19", "one two|" },
    { "one two\x01\x0b\x19\x19", "one twoone two|" },
    { "one two\x1b"
      "b\x15",
      "|two" },
    { "one two\x01\x1b"
      "d\x05\x19",
      " twoone|" },
    { "one.two\x1b\x7f", "one.|" },
    { "abc\x7f", "ab|" },
    { "abc\x01\x04", "|bc" },
    { "abc\x01\x1b[3~\x1b[3~", "|c" },
    { "abc\x1f", "|" },
    { "abc\x17xyz\x1f", "|" },
    { "abc" LEFT LEFT "x\x1f", "a|bc" },
    { "abc" LEFT LEFT "x\x1f\x1f", "|" },
    { "abc\x7f" LEFT "\x7f\x1f", "a|b" },
    { "abc\x17xyz\x1f\x1f", "abc|" },
    { "gr\xc3\xb6\xc3\x9f"
      "e" LEFT LEFT "\x7f",
      "gr|\xc3\x9f"
      "e" },
    { "e\xcc\x81x" LEFT LEFT, "|e\xcc\x81x" },
    { "e\xcc\x81x" LEFT "\x7f", "|x" },
    { "\xe6\x97\xa5\xe6\x9c\xac" LEFT "-", "\xe6\x97\xa5-|\xe6\x9c\xac" },
    { "a\xff"
      "b\xc3(",
      "a\xef\xbf\xbd"
      "b\xef\xbf\xbd(|" },
    { "\xc3\xe6\x97\xa5\xe6\x97\x7f", "\xef\xbf\xbd|" },
    { "a\x1b[99;99Xb\x1b]0;title\x07"
      "c\x1bP1$r\x1b\\d",
      "abcd|" },
    { "a\x1b[[Ab\x1b[200;5Xc", "abc|" },
    { "o\x1bOZ\x1b[1;3A", "other = 2|" },
    { "1\x1b[<0;12;3M+\x1b[<0;12;3m1\x1b[32;12;3M", "1+1|" },
    /* lines */
    { "def f(x):\r", "def f(x):\n    |" },
    { "def f(x):\rif x:\r", "def f(x):\n    if x:\n        |" },
    { "def f(x):\rif x:\rreturn 1\r", "def f(x):\n    if x:\n        return 1\n    |" },
    { "def f(x):\rreturn 1\r", "def f(x):\n    return 1\n|" },
    { "if x:\ra\r\x7f"
      "else:",
      "if x:\n    a\nelse:|" },
    { "for x in y: # why:\r", "for x in y: # why:\n    |" },
    { "f(1,\r", "f(1,\n    |" },
    { "f(1,\r)", "f(1,\n)|" },
    { "f(1,\r[2,\r])", "f(1,\n    [2,\n    ])|" },
    { "f(1,\r2)", "f(1,\n    2)|" },
    { "f(1,\r2)\r", "f(1,\n    2)|" },
    { "d = {':' :\r", "d = {':' :\n    |" },
    { "'a:'\r", "'a:'|" },
    { "if x:\r\x7f\x7f", "if x:|" },
    { "if x:\r\t", "if x:\n        |" },
    { "\t\x1b[Z", "|" },
    { "a" ESC "\rb", "a\nb|" },
    { "ab" LEFT ESC "\r", "a\n|b" },
    { "aaa" ESC "\rb" ESC "\rccc" UP UP "-", "aaa-|\nb\nccc" },
    { "aaa" ESC "\rb" ESC "\rccc" UP UP DOWN DOWN "-", "aaa\nb\nccc-|" },
    /* history */
    { UP, "other = 2|" },
    { UP UP, "def f():\n    pass|" },
    { UP UP UP UP, "old = 1|" },
    { "o" UP UP, "old = 1|" },
    { "de" UP UP, "def f():\n    pass|" },
    { "de" UP DOWN, "de|" },
    { "x" UP, "x|" },
    { UP UP LEFT UP, "def f()|:\n    pass" },
    { "\x12"
      "old",
      "|old = 1" },
    { "\x12"
      "=\x12",
      "old |= 1" },
    { "ab\x12old\x07", "ab|" },
    { "ab\x12old" ESC, "|old = 1" },
    { "\x12nowhere\x07x", "x|" },
    { "\x12PASS\x7f\x7f\x7f\x7fpass" ESC, "def f():\n    |pass" },
    /* completions */
    { "al\t", "alp|" },
    { "be\t", "beta|" },
    { "1+gr\t", "1+gr\xc3\xb6\xc3\x9f"
                "e|" },
    { "alp\t\t", "alpha|" },
    { "alp\t\t\t", "alpine|" },
    { "alp\t\t\t\t", "alpha|" },
    { "alp\t\x1b[Z", "alpine|" },
    { "alp\t" DOWN DOWN, "alpine|" },
    { "alp\t\t\t" ESC, "alp|" },
    { "alp\t\t.x", "alpha.x|" },
    { "alp\t\t\r", "alpha|" },
    { "zz\t", "zz|" },
    /* pastes */
    { PASTE "one\rtwo\r" PASTED, "one\ntwo|" },
    { "ab" LEFT PASTE "x\x03\x1b[A\r\ny" PASTED, "ax[A\ny|b" },
    { PASTE ">>> 1 +\n... 2\n3\n>>> x\n" PASTED, "1 +\n2\nx|" },
    { PASTE "In [1]: f(\n   ...: 1)\nOut[1]: 2\n\nIn [2]: g\n" PASTED, "f(\n1)\ng|" },
    { PASTE "a\xff"
            "b\xc2\x9b"
            "c" PASTED,
      "a\xef\xbf\xbd"
      "bc|" },
    { PASTE "\x1b[201x\x1b[20" PASTED, "[201x[20|" },
    { "if x:\r" PASTE "    y\n    z\n" PASTED, "if x:\n    y\n    z|" },
};

static void keys_change_the_text(void **state)
{
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        desk d;
        open_desk(&d);
        type(&d, typed[i].keys);
        assert_text(&d, typed[i].text);
        close_desk(&d);
    }
}

static const struct {
    const char *keys;
    editor_event event;
} events[] = {
    { "1\r", EDITOR_ENTER },
    { "f(1\r", EDITOR_MORE },
    { "if x:\r", EDITOR_MORE },
    { "if x:\ry\r", EDITOR_MORE },
    { "if x:\ry\r\r", EDITOR_ENTER },
    { "f(\r1)\r", EDITOR_ENTER },
    { "f(1)" LEFT "\r", EDITOR_ENTER },
    { UP UP "\r", EDITOR_ENTER },
    { UP UP LEFT "x\r", EDITOR_MORE },
    { PASTE "if x:\n    y\n" PASTED "\r", EDITOR_ENTER },
    { "\x03", EDITOR_CANCEL },
    { "\x04", EDITOR_END },
    { "x\x01\x04\x04", EDITOR_END },
    { "x\x04", EDITOR_MORE },
    { "1\x1b[<0;12;3M", EDITOR_MORE },
    { "\x1a", EDITOR_SUSPEND },
    { "\x0c", EDITOR_CLEAR },
    { "\x12old\r", EDITOR_ENTER },
    { "f(\x1b\x03", EDITOR_CANCEL },
    { "alp\t\t\r", EDITOR_MORE },
    { "alp\t\t\r\r", EDITOR_ENTER },
};

static void keys_ask_for_something(void **state)
{
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        desk d;
        open_desk(&d);
        type(&d, events[i].keys);
        assert_int_equal(d.event, events[i].event);
        close_desk(&d);
    }
}

static void empty_lines_at_the_end_are_not_of_the_text(void **state)
{
    desk d;
    size_t len;

    open_desk(&d);
    type(&d, "if x:\ry\r\r");
    const char *all = editor_text(&d.editor, &len);
    assert_int_equal(len, strlen("if x:\n    y"));
    assert_memory_equal(all, "if x:\n    y", len);
    close_desk(&d);
}

static void a_burst_brings_its_own_indentation(void **state)
{
    static const char lines[] = "if x:\r    y = 1\r\r    z = 2\r";
    desk d;

    open_desk(&d);
    for (const char *at = lines; *at; at++) {
        key k = keys_take(&d.keys, (unsigned char)*at);
        k.is_in_burst = at[1] != '\0';
        take(&d, k);
    }
    assert_text(&d, "if x:\n    y = 1\n\n    z = 2\n    |");
    close_desk(&d);
}

static void a_text_has_a_bound(void **state)
{
    desk d;
    str big = { 0 };

    open_desk(&d);
    type(&d, "x");
    for (int i = 0; i < 3000; i++)
        str_add(&big, "0123456789012345678901234567890123456789012345678901234567890123456789"
                      "01234567890123456789012345678901234567890123456789012345678901234567890"
                      "01234567890123456789012345678901234567890123456789012345678901234567890"
                      "01234567890123456789012345678901234567890123456789012345678901234567890"
                      "01234567890123456789012345678901234567890123456789012345678901234567890");
    type(&d, PASTE);
    type(&d, str_text(&big));
    type(&d, PASTED);
    assert_text(&d, "x|");
    assert_non_null(strstr(str_text(&d.editor.note), "Nothing was pasted: it has 1062000 bytes"));
    str_free(&big);
    close_desk(&d);
}

/* ---- the screen ---- */

static const view_labels labels = { "In [1]: ", "   ...: " };

static void draw(screen *s, desk *d, vt *v, int is_final)
{
    str out = { 0 };

    assert_int_equal(view_draw(&s->next, &d->editor, &labels, is_final), 0);
    assert_int_equal(is_final ? screen_finish(&out, s) : screen_update(&out, s), 0);
    vt_write(v, str_text(&out), out.len);
    assert_false(v->has_failed);
    str_free(&out);
}

static void open_screen(screen *s, desk *d, vt *v, size_t rows, size_t columns)
{
    memset(s, 0, sizeof *s);
    open_desk(d);
    vt_open(v, rows, columns);
    s->columns = d->editor.columns = columns;
    d->editor.rows = rows;
    screen_forget(s);
    draw(s, d, v, 0);
}

static void close_screen(screen *s, desk *d)
{
    screen_free(s);
    close_desk(d);
}

static void rows_have_labels_and_the_cursor_its_place(void **state)
{
    desk d;
    screen s;
    vt v;

    open_screen(&s, &d, &v, 10, 40);
    type(&d, "def f(x):\rreturn 1");
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 0), "In [1]: def f(x):");
    assert_string_equal(vt_row(&v, 1), "   ...:     return 1");
    assert_int_equal(v.row, 1);
    assert_int_equal(v.column, 20);
    type(&d, UP "\x01");
    draw(&s, &d, &v, 0);
    assert_int_equal(v.row, 0);
    assert_int_equal(v.column, 8);
    draw(&s, &d, &v, 1);
    assert_int_equal(v.row, 2);
    assert_int_equal(v.column, 0);
    close_screen(&s, &d);
}

static void a_long_line_goes_on_in_the_next_row(void **state)
{
    desk d;
    screen s;
    vt v;

    open_screen(&s, &d, &v, 10, 12);
    type(&d, "abcdefg\xe6\x97\xa5xyz");
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 0), "In [1]: abcd");
    assert_string_equal(vt_row(&v, 1), "efg\xe6\x97\xa5xyz");
    draw(&s, &d, &v, 1);
    assert_string_equal(vt_row(&v, 0), "In [1]: abcd");
    assert_string_equal(vt_row(&v, 1), "efg\xe6\x97\xa5xyz");
    assert_int_equal(v.row, 2);
    close_screen(&s, &d);
}

static void a_text_longer_than_the_screen_shows_where_the_cursor_is(void **state)
{
    desk d;
    screen s;
    vt v;

    open_screen(&s, &d, &v, 4, 40);
    type(&d, PASTE "a\nb\nc\nd\ne\nf" PASTED);
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 3), "   ...: f");
    type(&d, UP UP UP UP UP);
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 0), "In [1]: a");
    assert_int_equal(v.row, 0);
    draw(&s, &d, &v, 1);
    assert_string_equal(vt_row(&v, 2), "   ...: f");
    close_screen(&s, &d);
}

static void the_menu_stands_below_and_goes(void **state)
{
    desk d;
    screen s;
    vt v;

    open_screen(&s, &d, &v, 10, 40);
    type(&d, "alp\t");
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 1), "alpha   alpine");
    type(&d, "\t");
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 0), "In [1]: alpha");
    assert_string_equal(vt_row(&v, 2), "alpha(a, b)  Does it.");
    assert_int_equal(v.row, 0);
    type(&d, "x");
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 0), "In [1]: alphax");
    assert_string_equal(vt_row(&v, 1), "");
    assert_string_equal(vt_row(&v, 2), "");
    close_screen(&s, &d);
}

static void a_narrower_screen_is_drawn_from_its_own_top(void **state)
{
    desk d;
    screen s;
    vt v;
    str out = { 0 };

    open_screen(&s, &d, &v, 10, 40);
    type(&d, "abcdefghijklmnop");
    draw(&s, &d, &v, 0);

    /* A terminal that lays rows out again has two of them now. */
    vt_open(&v, 10, 16);
    vt_write(&v, "above\nIn [1]: abcdefghijklmnop", 30);
    assert_int_equal(screen_resize(&out, &s, 16), 0);
    d.editor.columns = 16;
    vt_write(&v, out.data, out.len);
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 0), "above");
    assert_string_equal(vt_row(&v, 1), "In [1]: abcdefgh");
    assert_string_equal(vt_row(&v, 2), "ijklmnop");
    str_free(&out);
    close_screen(&s, &d);
}

static void what_turns_text_or_stands_alone_is_shown(void **state)
{
    desk d;
    screen s;
    vt v;

    open_screen(&s, &d, &v, 10, 40);
    type(&d, "a\xe2\x80\xae"
             "b");
    draw(&s, &d, &v, 0);
    type(&d, "\x01\x0b\xcc\x81"
             "x");
    draw(&s, &d, &v, 0);
    assert_string_equal(vt_row(&v, 0), "In [1]: \xc2\xb7x");
    close_screen(&s, &d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_change_the_text),
        cmocka_unit_test(keys_ask_for_something),
        cmocka_unit_test(empty_lines_at_the_end_are_not_of_the_text),
        cmocka_unit_test(a_burst_brings_its_own_indentation),
        cmocka_unit_test(a_text_has_a_bound),
        cmocka_unit_test(rows_have_labels_and_the_cursor_its_place),
        cmocka_unit_test(a_long_line_goes_on_in_the_next_row),
        cmocka_unit_test(a_text_longer_than_the_screen_shows_where_the_cursor_is),
        cmocka_unit_test(the_menu_stands_below_and_goes),
        cmocka_unit_test(a_narrower_screen_is_drawn_from_its_own_top),
        cmocka_unit_test(what_turns_text_or_stands_alone_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
