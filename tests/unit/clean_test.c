#include "test.h"

#include <snug/snug.h>

#include "cli/terminal/clean.h"

/* In pieces of that many bytes; 0: at once. */
static void assert_cleaned(const char *text, size_t len, size_t piece, unsigned passes,
                           const char *expected)
{
    clean c = { .held_len = 0 };
    str out = { 0 };
    for (size_t at = 0; at < len; at += piece ? piece : len) {
        size_t some = piece && piece < len - at ? piece : len - at;
        assert_int_equal(clean_text(&out, &c, text + at, some, passes), SNUG_OK);
    }
    assert_int_equal(clean_end(&out, &c), SNUG_OK);
    assert_string_equal(str_text(&out), expected);
    str_free(&out);
}

static const struct {
    const char *text;
    unsigned passes;
    const char *expected;
} cases[] = {
    { "plain\ttext\n", 0, "plain\ttext\n" },
    { "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 0, "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
    { "\x1b]52;c;cm0=\x07", CLEAN_COLOURS, "^[]52;c;cm0=^G" },
    { "\x1b]0;title\x1b\\", CLEAN_COLOURS, "^[]0;title^[\\" },
    { "\x1b]8;;http://evil\x07link", CLEAN_COLOURS, "^[]8;;http://evil^Glink" },
    { "\x1b[2J\x1b[H", CLEAN_COLOURS, "^[[2J^[[H" },
    { "\x1b[1A\x1b[2K forged", CLEAN_COLOURS, "^[[1A^[[2K forged" },
    { "\x1bP1$r\x1b\\ \x1b_x \x1b^x \x1b"
      "c",
      CLEAN_COLOURS, "^[P1$r^[\\ ^[_x ^[^x ^[c" },
    { "\x1b[31mred\x1b[0m", CLEAN_COLOURS, "\x1b[31mred\x1b[0m" },
    { "\x1b[38;2;1;2;3mx\x1b[m", CLEAN_COLOURS, "\x1b[38;2;1;2;3mx\x1b[m" },
    { "\x1b[8mx\x1b[1;5;7;31my\x1b[38;5;8;48;2;5;6;7;7mz\x1b[38:5:8m\x1b[;8mend", CLEAN_COLOURS,
      "x\x1b[1;31my\x1b[38;5;8;48;2;5;6;7mz\x1b[38:5:8m\x1b[mend" },
    { "a\xe2\x80\x8b\xc2\xad\xef\xbb\xbf\xe2\x80\xa8z", 0, "a\\u200b\\u00ad\\ufeff\\u2028z" },
    { "\x1b[4:3mx", CLEAN_COLOURS, "\x1b[4:3mx\x1b[0m" },
    { "\x1b[31mred\x1b[0m", 0, "^[[31mred^[[0m" },
    { "\x1b[?31m\x1b[>4m\x1b[ 1m", CLEAN_COLOURS, "^[[?31m^[[>4m^[[ 1m" },
    { "\x1b[31\x07m", CLEAN_COLOURS, "^[[31^Gm" },
    { "\x1b[0000000000000000000000000000000000000000m", CLEAN_COLOURS,
      "^[[0000000000000000000000000000000000000000m" },
    { "end\x1b", CLEAN_COLOURS, "end^[" },
    { "end\x1b[31", CLEAN_COLOURS, "end^[[31" },
    { "a\rb\bc\x0b\x0c\x0e\x7f", 0, "a^Mb^Hc^K^L^N^?" },
    { "10%\r20%\r", CLEAN_RETURNS, "10%\r20%\r" },
    { "\xc2\x9b"
      "2J \xc2\x9d"
      "0;t\xc2\x9c",
      CLEAN_COLOURS, "\\x9b2J \\x9d0;t\\x9c" },
    { "\xe2\x80\xae"
      "evil\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c",
      0, "\\u202eevil\\u2066\\u200f\\u061c" },
    { "\x9b"
      "2J \xff \xc3",
      CLEAN_COLOURS, "?2J ? ?" },
    { "\xe2\x80", CLEAN_COLOURS, "??" },
    { "\xed\xa0\x80", 0, "???" },
};

TEST(what_is_no_text_is_shown_and_does_nothing)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_cleaned(cases[i].text, strlen(cases[i].text), 0, cases[i].passes, cases[i].expected);
    assert_cleaned("a\0b", 3, 0, 0, "a^@b");
}

TEST(it_is_the_same_in_pieces)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 12; piece++)
            assert_cleaned(cases[i].text, strlen(cases[i].text), piece, cases[i].passes,
                           cases[i].expected);
}

/* Nothing that comes out, whatever goes in, begins a sequence that is not SGR. */
TEST(no_bytes_make_another_sequence)
{
    static const char bytes[] = "\x1b\x1b[[]0;m2JhP\\\x07\x9b\xc2\x9d\xe2\x80\xae\r\n";
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char text[24];
        clean c = { .held_len = 0 };
        str out = { 0 };
        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 1103515245 + 12345;
            text[i] = bytes[(seed >> 16) % (sizeof bytes - 1)];
        }
        size_t cut = (seed >> 8) % sizeof text;
        clean_text(&out, &c, text, cut, CLEAN_COLOURS);
        clean_text(&out, &c, text + cut, sizeof text - cut, CLEAN_COLOURS);
        clean_end(&out, &c);
        for (const char *at = str_text(&out); (at = strchr(at, '\x1b')); at++) {
            assert_int_equal(at[1], '[');
            assert_int_equal(at[2 + strspn(at + 2, "0123456789;:")], 'm');
        }
        assert_null(strpbrk(str_text(&out), "\x07\r"));
        assert_null(strstr(str_text(&out), "\xc2\x9b"));
        assert_null(strstr(str_text(&out), "\xc2\x9d"));
        assert_null(strstr(str_text(&out), "\xe2\x80\xae"));
        str_free(&out);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
