#include "test.h"

#include "base/utf8.h"

/* The bytes of a code point, by the rule and not by a table; surrogates too. */
static size_t encode(char *out, unsigned code)
{
    unsigned char bytes[4];
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, code >>= 6)
        bytes[i] = (unsigned char)(0x80 | (code & 0x3f));
    bytes[0] = (unsigned char)(len == 1 ? code : (0xf00 >> len & 0xff) | code);
    memcpy(out, bytes, len);
    return len;
}

TEST(every_code_point_is_fine_but_surrogates)
{
    char text[4];
    for (unsigned code = 0; code < 0x120000; code++) {
        size_t len = encode(text, code), at = 99;
        utf8_fault expected = code >= 0xd800 && code <= 0xdfff ? UTF8_SURROGATE
                              : code > 0x10ffff                ? UTF8_INVALID
                                                               : UTF8_FINE;
        assert_int_equal(utf8_check(text, len, &at), expected);
        assert_int_equal(at, expected == UTF8_FINE ? 99 : 0);
        if (expected == UTF8_FINE)
            assert_int_equal(utf8_length(text, len), 1);
    }
}

TEST(two_bytes_are_two_ascii_characters_or_one_of_1920)
{
    unsigned fine = 0;
    for (unsigned i = 0; i < 0x10000; i++) {
        char text[2] = { (char)(i >> 8), (char)(i & 0xff) };
        size_t at;
        fine += utf8_check(text, 2, &at) == UTF8_FINE;
    }
    assert_int_equal(fine, 128 * 128 + 0x780);
}

TEST(a_fault_is_found_where_it_begins)
{
    static const struct {
        const char *text;
        utf8_fault fault;
        size_t at;
    } cases[] = {
        { "\xff", UTF8_INVALID, 0 },
        { "abc\x80", UTF8_INVALID, 3 },
        { "eight by\xc0\x80", UTF8_INVALID, 8 }, /* an overlong NUL */
        { "\xc3\xa9\xc1\xbf", UTF8_INVALID, 2 },
        { "\xe0\x9f\xbf", UTF8_INVALID, 0 }, /* overlong */
        { "\xf0\x8f\xbf\xbf", UTF8_INVALID, 0 },
        { "\xf4\x90\x80\x80", UTF8_INVALID, 0 }, /* U+110000 */
        { "\xf8\x88\x80\x80\x80", UTF8_INVALID, 0 },
        { "a\xe2\x82", UTF8_INVALID, 1 }, /* cut off */
        { "a\xf0\x9f\x98", UTF8_INVALID, 1 },
        { "a\xe2\x82z", UTF8_INVALID, 1 },
        { "ab\xed\xa0\x80", UTF8_SURROGATE, 2 },
        { "ab\xed\xbf\xbf", UTF8_SURROGATE, 2 },
        { "ab\xed\xa0", UTF8_INVALID, 2 },
        { "ab\xed\xa0z", UTF8_INVALID, 2 },
        { "\xe2\x82\xac 0123456789 \xe2\x82\xac \xfe", UTF8_INVALID, 19 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at = 99;
        assert_int_equal(utf8_check(cases[i].text, strlen(cases[i].text), &at), cases[i].fault);
        assert_int_equal(at, cases[i].at);
    }
}

TEST(a_fault_is_found_at_every_offset)
{
    char text[40];
    for (size_t i = 0; i < sizeof text; i++) {
        size_t at = 99;
        memset(text, 'x', sizeof text);
        assert_int_equal(utf8_check(text, i, &at), UTF8_FINE);
        text[i] = (char)0xbf;
        assert_int_equal(utf8_check(text, sizeof text, &at), UTF8_INVALID);
        assert_int_equal(at, i);
    }
}

TEST(a_cut_is_at_a_character)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; /* 1, 2, 3, 4, 1 bytes */
    static const size_t floors[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
    static const size_t ceils[] = { 0, 1, 3, 3, 6, 6, 6, 10, 10, 10, 10, 11 };
    for (size_t at = 0; at <= 11; at++) {
        assert_int_equal(utf8_floor(text, 11, at), floors[at]);
        assert_int_equal(utf8_ceil(text, 11, at), ceils[at]);
        size_t cut_off;
        assert_int_equal(utf8_check(text, at, &cut_off) == UTF8_FINE, floors[at] == at);
        /* What the first bytes are, without looking at the next. */
        assert_int_equal(utf8_whole(text, at), floors[at]);
    }
    assert_int_equal(utf8_length(text, 11), 5);
}

TEST(a_cut_of_other_bytes_is_near)
{
    char text[64];
    memset(text, 0x80, sizeof text);
    for (size_t at = 0; at <= sizeof text; at++) {
        assert_in_range(utf8_floor(text, sizeof text, at), at > 3 ? at - 3 : 0, at);
        assert_in_range(utf8_ceil(text, sizeof text, at), at, at + 3);
        assert_int_equal(utf8_whole(text, at), at);
    }
}

TEST(the_first_byte_says_how_long_a_character_is)
{
    for (unsigned lead = 0; lead < 256; lead++) {
        unsigned expected = lead < 0x80   ? 1
                            : lead < 0xc2 ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 0;
        assert_int_equal(utf8_width((unsigned char)lead), expected);
    }
}

TEST(what_is_no_character_becomes_question_marks)
{
    char text[] = "a\xff\xc3\xa9\xc3";
    utf8_mend(text, sizeof text - 1);
    assert_string_equal(text, "a?\xc3\xa9?");
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
