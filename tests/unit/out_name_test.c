/* Names of folders and files for what programs have made. */
#include "test.h"

#include <snug/snug.h>

#include "cli/ask/out_name.h"

TEST(a_folder_has_the_first_words_of_its_question)
{
    static const struct {
        const char *question, *name;
    } cases[] = {
        { "Plot sales by month", "plot-sales-by-month" },
        { "  What is 6*7?\n", "what-is-6-7" },
        { "../../etc/passwd", "etc-passwd" },
        { "-rf --no-preserve-root /", "rf-no-preserve-root" },
        { "", "answer" },
        { "?!\x1b[31m\xff", "31m" },
        { "\xff\xfe", "answer" },
        { "Zeichne die Ums\xc3\xa4tze", "zeichne-die-ums\xc3\xa4tze" },
        { "\xe2\x80\xaeTurned\xe2\x80\xac \xf0\x9f\x93\x88 chart",
          "turned-\xf0\x9f\x93\x88-chart" },
        { "Draw one two three four five six seven eight nine",
          "draw-one-two-three-four-five-six-seven" },
        { "Supercalifragilisticexpialidocious-and-more of it",
          "supercalifragilisticexpialidocious-and" },
        { "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee",
          "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(out_name_of_question(&out, cases[i].question), SNUG_OK);
        assert_string_equal(str_text(&out), cases[i].name);
        str_free(&out);
    }
}

TEST(a_path_that_leads_elsewhere_is_none)
{
    static const char *const paths[] = { "",     "/",    "/etc/passwd", "..", "../x", "a/../../x",
                                         "a//b", "a/..", "./a",         ".",  "a/",   "a/./b" };
    str out = { 0 };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(out_name_of_path(&out, paths[i]), SNUG_EINVAL);
    assert_int_equal(out.len, 0);
    assert_true(out_name_is_hidden(".a") && out_name_is_hidden("a/.b/c"));
    assert_false(out_name_is_hidden("a.b/c.d") || out_name_is_hidden("a"));
}

TEST(what_does_something_in_a_path_does_nothing)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        { "a/b c.txt", "a/b c.txt" },
        { "-rf", "_rf" },
        { "a/-rf", "a/-rf" },
        { "a\nb\x7f\x1b[2J", "a_b__[2J" },
        { "\xc2\x9b"
          "2J \xc3\xa4",
          "_2J \xc3\xa4" },
        { "\xff\xc3", "__" },
        { "\xe2\x80\xae"
          "cod.exe\xe2\x80\xa8x",
          "_cod.exe_x" },
        { "...", "..." },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(out_name_of_path(&out, cases[i].path), SNUG_OK);
        assert_string_equal(str_text(&out), cases[i].name);
        str_free(&out);
    }
}

TEST(a_number_stands_before_the_ending)
{
    static const char *const cases[][2] = { { "plot.png", "plot-2.png" },
                                            { "a.b/plot", "a.b/plot-2" },
                                            { "a/b.tar.gz", "a/b.tar-2.gz" },
                                            { "a/.b", "a/.b-2" } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(out_name_numbered(&out, cases[i][0], 2), SNUG_OK);
        assert_string_equal(str_text(&out), cases[i][1]);
        str_free(&out);
    }
}

TEST(a_size_has_one_unit)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = { { 0, "0 bytes" },       { 1, "1 byte" },
                  { 1023, "1023 bytes" }, { 1024, "1.0 KiB" },
                  { 12345, "12 KiB" },    { 1023 << 10, "1.0 MiB" },
                  { 10 << 20, "10 MiB" }, { UINT64_C(3) << 40, "3072 GiB" } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(out_name_size(&out, cases[i].bytes), SNUG_OK);
        assert_string_equal(str_text(&out), cases[i].text);
        str_free(&out);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
