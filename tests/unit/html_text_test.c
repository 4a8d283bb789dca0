#include "test.h"

#include <string.h>

#include "cli/display/html_text.h"
#include "cli/display/pictures.h"
#include "cli/display/sixel.h"

static const struct {
    const char *html;
    size_t width;
    const char *text;
} cases[] = {
    { "a <b>b</b>\n c<br>d", 40, "a b c\nd\n" },
    { "<p>one</p><p>two</p>", 40, "one\ntwo\n" },
    { "1 &lt; 2 &amp;&#65;&#x42;&nbsp;&bogus; &", 40, "1 < 2 &AB &bogus; &\n" },
    { "&#27;[31m&#x9b;x\x1b[2J", 40, "&#27;[31m&#x9b;x[2J\n" },
    { "<style>td {}</style>x<script>1<2</script>y<!-- z -->", 40, "xy\n" },
    { "<table><tr><th>n<th>v<tr><td>a<td>1<tr><td>bb<td>20</table>", 40,
      "n    v\n\xe2\x94\x80\xe2\x94\x80  \xe2\x94\x80\xe2\x94\x80\na    1\nbb  20\n" },
    { "<table><tr><td>a</td><td>b</td></tr></table>", 40, "a  b\n" },
    { "<table><tr><td>abcdefghij</td><td>12</td></tr></table>", 8, "abc\xe2\x80\xa6  12\n" },
    { "<table><tr><td colspan=\"2\">a</td><td>b</td></tr></table>", 40, "a     b\n" },
    { "<table><tr><td>a<table><tr><td>b</table>c</table>", 40, "abc\n" },
    { "<table><tr><td>x", 40, "x\n" },
    { "a<", 40, "a<\n" },
    { "a<table", 40, "a\n" },
    { "</table></tr></td>x", 40, "x\n" },
    { "a\xff"
      "b",
      40, "a?b\n" },
    { "", 40, "" },
};

static void html_becomes_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(html_text(&out, cases[i].html, strlen(cases[i].html), cases[i].width), 0);
        assert_string_equal(str_text(&out), cases[i].text);
        str_free(&out);
    }
}

static void a_long_table_is_cut(void **state)
{
    str html = { 0 }, out = { 0 };

    (void)state;
    str_add(&html, "<table>");
    for (int i = 0; i < HTML_MOST_ROWS + 7; i++)
        str_add(&html, "<tr><td>x</td></tr>");
    assert_int_equal(html_text(&out, html.data, html.len, 40), 0);
    assert_non_null(strstr(out.data, "... and 7 more rows\n"));
    str_free(&html);
    str_free(&out);
}

static void what_a_table_has_no_room_for_is_marked(void **state)
{
    str html = { 0 }, out = { 0 };

    (void)state;
    str_add(&html, "<table><tr><td colspan=1000000000>a<td>last<tr>");
    for (int i = 0; i < 3000; i++)
        str_printf(&html, "<td>%d", i % 10);
    str_add(&html, "</table><table><tr><td>");
    for (int i = 0; i < 1000; i++)
        str_add(&html, "\xc3\xa9");
    assert_int_equal(html_text(&out, html.data, html.len, 1000), 0);
    assert_non_null(strstr(out.data, "last"));
    assert_non_null(strstr(out.data, "2  \xe2\x80\xa6\n"));
    assert_string_equal(out.data + out.len - 6, "\xc3\xa9\xe2\x80\xa6\n");
    str_free(&html);
    str_free(&out);
}

static void a_picture_is_sent_in_chunks(void **state)
{
    str base64 = { 0 }, out = { 0 };

    (void)state;
    for (int i = 0; i < 5000; i++)
        str_add(&base64, "A");
    assert_int_equal(pictures_put_kitty(&out, base64.data, base64.len), 0);
    assert_int_equal(strncmp(out.data, "\x1b_Ga=T,f=100,q=2,m=1;AAAA", 25), 0);
    assert_non_null(strstr(out.data, "A\x1b\\\x1b_Gm=0;A"));
    str_clear(&out);
    assert_int_equal(pictures_put_iterm(&out, "QUJD", 4), 0);
    assert_string_equal(out.data, "\x1b]1337;File=inline=1;preserveAspectRatio=1:QUJD\x07");
    str_free(&base64);
    str_free(&out);
}

/* A guest could have it otherwise, where it gets hold of the process that makes sixels. */
static void nothing_but_sixels_is_passed_on(void **state)
{
    static const struct {
        const char *text;
        int is_one;
    } sequences[] = {
        { "\x1bPq\"1;1;4;4#0;2;97;0;0#0!4N\x1b\\", 1 },
        { "\x1bP0;1;8q#0!4N-\n~\x1b\\\n", 1 },
        { "\x1bPq\x1b\\", 1 },
        { "", 0 },
        { "\n", 0 },
        { "\x1b\\", 0 },
        { "\x1bP", 0 },
        { "\x1bPq", 0 },
        { "\x1bP1;2\x1b\\", 0 },
        { "\x1bPq#0~\x1b\\\x1b[2J", 0 },
        { "\x1bPq#0~\x1b\\\x1b[2J\x1b\\", 0 },
        { "\x1bPq#0~\x07\x1b\\", 0 },
        { "\x1bPq#0~\x9c\x1b\\", 0 },
        { "\x1b]0;title\x1b\\", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        assert_int_equal(sixel_is_one(sequences[i].text, strlen(sequences[i].text)),
                         sequences[i].is_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_becomes_text),
        cmocka_unit_test(a_long_table_is_cut),
        cmocka_unit_test(what_a_table_has_no_room_for_is_marked),
        cmocka_unit_test(a_picture_is_sent_in_chunks),
        cmocka_unit_test(nothing_but_sixels_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
