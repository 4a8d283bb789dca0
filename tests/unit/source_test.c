#include "test.h"

#include <snug/snug.h>

#include "base/str.h"
#include "policy/source.h"

#include <time.h>

static void assert_becomes(const char *text, const char *expected)
{
    source_text source;
    source_fault fault;
    assert_int_equal(source_prepare(&source, &fault, text, strlen(text), UINT64_MAX), 1);
    assert_string_equal(source.text, expected);
    assert_int_equal(source.len, strlen(expected));
    source_free(&source);
}

static void assert_fault(const char *text, size_t len, const char *message, unsigned line,
                         unsigned column)
{
    source_text source;
    source_fault fault;
    assert_int_equal(source_prepare(&source, &fault, text, len, UINT64_MAX), 0);
    assert_string_equal(fault.message, message);
    assert_int_equal(fault.line, line);
    assert_int_equal(fault.column, column);
    source_free(&source);
}

TEST(a_plain_cell_is_not_copied)
{
    static const char text[] = "x = 'h\xc3\xa9'\nif x:\n    y\r\n\f\n";
    source_text source;
    source_fault fault;
    assert_int_equal(source_prepare(&source, &fault, text, sizeof text - 1, UINT64_MAX), 1);
    assert_ptr_equal(source.text, text);
    assert_int_equal(source.len, sizeof text - 1);
    assert_null(source.own.data);
    source_free(&source);
    assert_becomes("", "");
    assert_becomes(" \n\n", " \n\n");
}

TEST(a_byte_order_mark_is_skipped)
{
    assert_becomes("\xef\xbb\xbfx = 1\n", "x = 1\n");
    assert_becomes("\xef\xbb\xbf  x\n  y\n", "x\ny\n");
    assert_becomes("\xef\xbb\xbf", "");
}

TEST(the_first_lines_indentation_is_taken_off)
{
    assert_becomes("    x = 1\n    if x:\n        y\nz\n", "x = 1\nif x:\n    y\nz\n");
    assert_becomes("\tx\n\t\ty\n        z", "x\n\ty\n        z");
    assert_becomes(" \tx\n \ty\n\t z", "x\ny\n\t z");
    /* In strings of several lines too, as in IPython. */
    assert_becomes("  s = '''\n  a\n b\n'''\n", "s = '''\na\n b\n'''\n");
}

TEST(the_first_line_is_the_first_that_is_not_blank)
{
    assert_becomes("\n   \n  x\n  y\n", "\n \nx\ny\n");
    assert_becomes("\n\t\f\n  x\n", "\n\t\f\nx\n");
    assert_becomes("  # why\n  x\n", "# why\nx\n");
    assert_becomes("# why\n  x\n", "# why\n  x\n");
}

TEST(every_kind_of_line_end_ends_a_line)
{
    assert_becomes("  a\r\n  b\r  c\n  d", "a\r\nb\rc\nd");
    assert_becomes("\r\n  a\r\n  b\r\n", "\r\na\r\nb\r\n");
}

TEST(a_utf8_cookie_is_let_through)
{
    static const char *const cells[] = {
        "# -*- coding: utf-8 -*-\nx",
        "#coding=utf8\nx",
        "# coding: UTF_8\nx",
        "#!/usr/bin/python3\n# vim: set fileencoding=UTF-8 :\nx",
        "\f \t# coding: utf-8-sig\nx",
        "\n# coding:utf-8-unix\nx",
        "# coding: utf-8\n# coding: latin-1\nx",
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        assert_becomes(cells[i], cells[i]);
}

TEST(what_only_looks_like_a_cookie_is_none)
{
    static const char *const cells[] = {
        "x = 1 # coding: latin-1\n",
        "x = 1\n# coding: latin-1\n",
        "\n\n# coding: latin-1\n",
        "'''\n# coding: latin-1'''\n",
        "# encoding is latin-1\n",
        "# coding : latin-1\n",
        "# coding: \"latin-1\"\n",
        "# coding:\nlatin\n",
        "# coding",
        "#",
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        assert_becomes(cells[i], cells[i]);
}

TEST(another_encoding_is_a_fault)
{
    static const char message[] = "encoding \"latin-1\" is not supported: a cell is UTF-8";
    assert_fault("# coding: latin-1\nx", 19, message, 1, 11);
    assert_fault("\r\n# \xc3\xa9 coding=latin-1", 21, message, 2, 12);
    assert_fault("# coding: latin-1\n'\xe9'", 21, message, 1, 11);
    assert_fault("\xef\xbb\xbf#coding:latin-1", 18, message, 1, 9);
    assert_fault("# coding coding: coding:ascii", 29,
                 "encoding \"coding\" is not supported: a cell is UTF-8", 1, 18);
    assert_fault("#coding: utf-16", 15, "encoding \"utf-16\" is not supported: a cell is UTF-8", 1,
                 10);
    assert_fault("#coding: utf", 12, "encoding \"utf\" is not supported: a cell is UTF-8", 1, 10);
    assert_fault("#coding: utf-80", 15, "encoding \"utf-80\" is not supported: a cell is UTF-8", 1,
                 10);
}

TEST(a_nul_byte_is_a_fault)
{
    assert_fault("x\n\xc3\xa9 = '\0'", 9, "source code cannot contain null bytes", 2, 6);
    assert_fault("\0", 1, "source code cannot contain null bytes", 1, 1);
}

TEST(invalid_utf8_is_a_fault_at_its_character)
{
    assert_fault("abc\xff", 4, "invalid UTF-8 at byte 4", 1, 4);
    assert_fault("\xc3\xa9\r\n\xe2\x82\xac\xc3", 8, "invalid UTF-8 at byte 8", 2, 2);
    assert_fault("\xef\xbb\xbf\xff", 4, "invalid UTF-8 at byte 4", 1, 1);
    assert_fault("a\rb\n'\xed\xa0\x80'", 9, "half of a surrogate pair at byte 6", 3, 2);
}

TEST(a_cell_over_the_limit_is_a_fault_with_both_sizes)
{
    source_text source;
    source_fault fault;
    assert_int_equal(source_prepare(&source, &fault, "12345", 5, 5), 1);
    source_free(&source);
    assert_int_equal(source_prepare(&source, &fault, "123456", 6, 5), 0);
    assert_string_equal(fault.message, "source is 6 bytes long and the limit is 5");
    assert_int_equal(fault.line + fault.column, 0);
    source_free(&source);
}

TEST(a_long_encoding_is_cut_in_the_message)
{
    str text = { 0 };
    source_text source;
    source_fault fault;
    str_add(&text, "# coding: ");
    for (int i = 0; i < 1000; i++)
        str_add(&text, "x");
    assert_int_equal(source_prepare(&source, &fault, text.data, text.len, UINT64_MAX), 0);
    assert_int_equal(strlen(fault.message),
                     strlen("encoding \"\" is not supported: a cell is UTF-8") + 60);
    source_free(&source);
    str_free(&text);
}

/* These would take many minutes if a pass were not linear. */
TEST(a_megabyte_takes_linear_time)
{
    static const char *const pieces[] = { "x", "\n", "  \n", " ", "# coding ", "\xc3\xa9", "\r" };
    clock_t started = clock(); /* of processor time */
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        str text = { 0 };
        source_text source;
        source_fault fault;
        while (text.len < 1000000)
            str_add(&text, pieces[i]);
        str_add(&text, "\n  y = 1\n  z\n");
        assert_int_equal(source_prepare(&source, &fault, text.data, text.len, UINT64_MAX), 1);
        source_free(&source);
        str_append(&text, "\xff", 1);
        assert_int_equal(source_prepare(&source, &fault, text.data, text.len, UINT64_MAX), 0);
        source_free(&source);
        str_free(&text);
    }
    assert_true(clock() - started < 20 * CLOCKS_PER_SEC);
}

static void assert_line(const char *text, unsigned n, const char *expected)
{
    size_t len = 99;
    const char *line = source_line(text, strlen(text), n, &len);
    if (!expected) {
        assert_null(line);
        return;
    }
    assert_non_null(line);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(line, expected, len);
}

TEST(a_line_is_found_by_its_number)
{
    assert_line("a\nbc\r\n\rd", 0, NULL);
    assert_line("a\nbc\r\n\rd", 1, "a");
    assert_line("a\nbc\r\n\rd", 2, "bc");
    assert_line("a\nbc\r\n\rd", 3, "");
    assert_line("a\nbc\r\n\rd", 4, "d");
    assert_line("a\nbc\r\n\rd", 5, NULL);
    assert_line("a\n", 2, NULL);
    assert_line("", 1, NULL);
}

TEST(only_a_source_that_is_too_long_is_a_fault_of_length)
{
    source_text text;
    source_fault fault = { .is_length = 0 };
    assert_int_equal(source_prepare(&text, &fault, "12345", 5, 4), 0);
    assert_int_equal(fault.is_length, 1);
    source_free(&text);
    assert_int_equal(source_prepare(&text, &fault, "a\xff", 2, 100), 0);
    assert_int_equal(fault.is_length, 0);
    source_free(&text);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
