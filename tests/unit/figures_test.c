#include "test.h"

#include <snug/snug.h>

#include "agent/text/figures.h"
#include "base/clock.h"

typedef struct row {
    const char *source, *answer, *unsupported;
} row;

static void check_rows(const row *rows, size_t count)
{
    int faults = 0;
    for (size_t i = 0; i < count; i++) {
        str out = { 0 };
        assert_int_equal(figures_unsupported(&out, rows[i].answer, &rows[i].source, 1), SNUG_OK);
        if (strcmp(str_text(&out), rows[i].unsupported) != 0) {
            print_error("[%s] from [%s]: [%s] and not [%s]\n", rows[i].answer, rows[i].source,
                        str_text(&out), rows[i].unsupported);
            faults++;
        }
        str_free(&out);
    }
    assert_int_equal(faults, 0);
}
#define ROWS(rows) check_rows(rows, sizeof rows / sizeof *rows)

TEST(numbers_that_the_run_gave_are_supported)
{
    static const row rows[] = {
        { "42", "The answer is 42.", "" },
        { "42", "**42**", "" },
        { "42", "It is $42, or (42) or 42%.", "" },
        { "-3.5", "It fell by 3.5.", "" },
        { "3.5",
          "\xe2\x88\x92"
          "3.5 degrees",
          "" },
        { "(1,234)", "a loss of 1234", "" },
        { "42.0", "42", "" },
        { "42", "42.00", "" },
        { "007", "7", "" },
        { "x=5", "x is 5", "" },
        { "total:42kg", "42 kg", "" },
        { "[1, 2, 3]", "1, 2 and 3", "" },
        { "1,2,3", "1, 2 and 3", "" },
        { "1.5,2.5,3", "1.5, 2.5 and 3", "" },
        { "1, 2, 3", "1,2,3", "" },
        { "{'a': 7}", "a is 7", "" },
        { "541", "The 100th prime is 541.", "100th" },
        { "541 of 100", "The 100th prime is 541.", "" },
        { ".5", "0.5", "" },
        { "0.5", ".5", "" },
        { "", "There are no numbers.", "" },
        { "no result", "", "" },
    };
    ROWS(rows);
}

TEST(the_form_of_a_number_does_not_matter)
{
    static const row rows[] = {
        { "1234.5", "1,234.5", "" },
        { "1234.5", "1.234,5", "" },
        { "1234.5", "1 234,5", "" },
        { "1234.5",
          "1\xc2\xa0"
          "234,5",
          "" },
        { "1234.5",
          "1\xe2\x80\xaf"
          "234,5",
          "" },
        { "1234.5", "1'234.5", "" },
        { "1234.5",
          "1\xe2\x80\x99"
          "234.5",
          "" },
        { "1234567", "1,234,567", "" },
        { "1234567", "12,34,567", "" },
        { "1234567", "1 234 567", "" },
        { "1234567", "1_234_567", "" },
        { "1,234,567", "1234567", "" },
        { "1.234.567", "1234567", "" },
        { "12,5", "12.5", "" },
        { "1234", "1.234", "" },
        { "1.234", "1,234", "" },
        { "12000", "1.2e4 and 12e3 and 1.2E+4", "" },
        { "1.2e4", "12,000", "" },
        { "1.2e-05", "0.000012", "" },
        { "1.2e-05", "1.2 \xc3\x97 10^-5", "" },
        { "6.02e23", "6.02 x 10^23", "" },
        { "42", "\xd9\xa4\xd9\xa2", "" },
        { "42", "\xef\xbc\x94\xef\xbc\x92", "" },
        { "42",
          "\xe5\x85\xb1"
          "42"
          "\xe5\x80\x8b",
          "" },
        { "84166.66666666667", "84 166,67 \xe2\x82\xac", "" },
        { "50000", "50.000 \xe2\x82\xac and $50K", "" },
        { "84166.67\n", "| Pay |\n|---|\n| $84,166.67 |", "" },
    };
    ROWS(rows);
}

TEST(scaled_words_and_percent_are_numbers)
{
    static const row rows[] = {
        { "1200000", "1.2 million", "" },
        { "1234567", "about 1.2 million", "" },
        { "1234567", "1.2M and $1.23M", "" },
        { "12345", "12.3k", "" },
        { "12345", "12 thousand", "" },
        { "3000000000", "3 billion", "" },
        { "revenue (millions): 3.4", "3.4 million", "" },
        { "3.4", "3.4 million", "3.4 million" },
        { "3 million", "3,000,000", "" },
        { "1500000 bytes", "1.5 MB", "" },
        { "0.125", "12.5%", "" },
        { "12.5%", "0.125", "" },
        { "0.125", "12.5 percent and 12.5 pct", "" },
        { "12.5", "12.5 %", "" },
        { "0.33333", "33.3%", "" },
        { "0.33333", "33%", "" },
        { "0.333333", "33.4%", "33.4%" },
        { "0.05", "50%", "50%" },
        { "1234567", "1.3 million", "1.3 million" },
        { "1234567", "12 million", "12 million" },
    };
    ROWS(rows);
}

TEST(rounding_is_fine_and_more_digits_are_not)
{
    static const row rows[] = {
        { "3.14159", "3.14", "" },
        { "3.14159", "3.1416", "" },
        { "3.14159", "3.1415", "" }, /* cut off */
        { "3.14159", "3.141592", "3.141592" },
        { "3.14159", "3.15", "3.15" },
        { "3.14159", "3", "" },
        { "2.5", "3 or 2", "" },
        { "2.675", "2.68 or 2.67", "" },
        { "66.6667", "66.66", "" },
        { "99.96", "100.0", "" },
        { "99.96", "100", "" },
        { "9.99", "10", "" },
        { "0.04", "0.0", "" },
        { "1234567", "1,230,000", "1,230,000" },
        { "1234567", "about 1,230,000", "" },
        { "1234567", "about 1,300,000", "1,300,000" },
        { "1234567", "approximately $1,200,000", "" },
        { "1234567", "~1200000", "" },
        { "1290", "over 1,200", "" },
        { "1190", "nearly 1,200", "" },
        { "1390", "over 1,200", "1,200" },
        { "123", "124", "124" },
        { "124", "123", "123" },
        { "123", "120", "120" },
        { "0.1 + 0.2 = 0.30000000000000004", "0.3", "" },
    };
    ROWS(rows);
}

TEST(what_the_run_did_not_give_is_told)
{
    static const row rows[] = {
        { "42", "The answer is 43.", "43" },
        { "42", "43, 44 and 43", "43, 44" },
        { "1234.5", "1,234.6", "1,234.6" },
        { "1234", "12345", "12345" },
        { "sum 10, mean 2.5", "the sum is 11 and the mean 2.5", "11" },
        { "42", "it costs $99.99", "99.99" },
        { "42", "42 (that is 4.2e3)", "4.2e3" },
        { "42", "7", "7" },
        { "5050", "La suma de 1 a 99 es 5.050.", "1, 99" },
        { "3 rows, 4 columns", "3 rows and 4 columns, 12 cells", "12" },
        { "", "5", "5" },
        { "12345678901234567890", "12,345,678,901,234,567,890", "" },
        { "1 234 567", "1 234 568", "1 234 568" },
    };
    ROWS(rows);
}

TEST(dates_and_times_are_several_numbers)
{
    static const row rows[] = {
        { "2024-03-12", "on 2024-03-12", "" },
        { "2024-03-12", "on March 12, 2024", "" },
        { "2024-03-12", "am 12.03.2024", "" },
        { "2024-03-12", "3/12/2024", "" },
        { "2024-03-12", "on March 13, 2024", "13" },
        { "2024-03-12", "am 13.03.2024", "13.03.2024" },
        { "2024-03-12 14:30:00", "at 14:30", "" },
        { "192.168.0.1", "192.168.0.1", "" },
        { "192.168.0.1", "192.168.0.2", "192.168.0.2" },
        { "3.11.4", "Python 3.11.4", "" },
        { "1990", "the 1990s", "" },
    };
    ROWS(rows);
}

TEST(what_is_no_figure_is_passed_over)
{
    static const row rows[] = {
        { "10 20", "1. Ada: 10\n2. Bob: 20", "" },
        { "10 20", "**1.** Ada: 10\n**2.** Bob: 20", "" },
        { "10 20", "1) Ada: 10\n2) Bob: 20", "" },
        { "10", "42. That is the sum", "42" },
        { "10", "gpt-4, Q3, x2, H2O, file_7 and v1.2.3 and COVID-19", "" },
        { "10", "see https://example.org/2024/07?x=3", "" },
        { "10", "a 3D plot", "" },
        { "10", "gpt-4 says 4", "4" },
        { "someone", "1", "1" },
    };
    ROWS(rows);
}

TEST(items_and_lines_are_counted)
{
    static const row rows[] = {
        { "['a', 'b', 'c']", "There are 3 names.", "" },
        { "['a', 'b', 'c',]", "There are 3 names.", "" },
        { "['a, b', 'c']", "There are 2 names.", "" },
        { "['a', 'b', 'c']", "There are 4 names.", "4" },
        { "[('a', 'b'), ('c', 'd'), ('e', 'f')]", "3 pairs", "" },
        { "{'a': 'x', 'b': 'y'}", "2 keys", "" },
        { "[]", "0 results", "" },
        { "Ada\nBob\nEve", "3 people", "" },
        { "name pay\nAda low\nBob high\nEve low\n", "3 people", "" },
        { "Ada\nBob\nEve", "5 people", "5" },
        { "Ada\nBob\nEve", "Eve is 3rd, Ada is 1st", "" },
        { "Ada\nBob\nEve", "Eve is 7th", "7th" },
        { "Ada", "1 person", "1" },
    };
    ROWS(rows);
}

TEST(any_source_counts)
{
    const char *sources[] = { "1", NULL, "", "2\n" };
    str out = { 0 };
    assert_int_equal(str_add(&out, "before "), SNUG_OK);
    assert_int_equal(figures_unsupported(&out, "1 2 33", sources, 4), SNUG_OK);
    assert_string_equal(out.data, "before 33");
    str_clear(&out);
    assert_int_equal(figures_unsupported(&out, "1", NULL, 0), SNUG_OK);
    assert_string_equal(out.data, "1");
    str_free(&out);
}

TEST(no_more_than_twenty_are_told)
{
    str answer = { 0 }, out = { 0 };
    for (int i = 100; i < 200; i++)
        assert_int_equal(str_printf(&answer, "%d; ", i), SNUG_OK);
    assert_int_equal(figures_unsupported(&out, answer.data, NULL, 0), SNUG_OK);
    size_t commas = 0;
    for (const char *c = out.data; *c; c++)
        commas += *c == ',';
    assert_int_equal(commas, FIGURES_MOST - 1);
    str_free(&answer);
    str_free(&out);
}

TEST(hostile_texts_take_linear_time)
{
    static const char *const pieces[] = { "1",   "1 ",     "1,",    "1.",     "1 234 ", "[",
                                          "'",   "[1,",    "$",     "1e9",    "%",      "a",
                                          "\n",  ".5",     "9999 ", "1. ",    "-",      "one ",
                                          "1)(", "about ", "0",     "http://" };
    enum { SIZE = PART_IF_SANITIZED(1 << 18) };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    text[SIZE] = '\0';
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t len = strlen(pieces[i]);
        for (size_t at = 0; at < SIZE; at++)
            text[at] = pieces[i][at % len];
        const char *source = text;
        str out = { 0 };
        uint64_t begin = clock_thread_cpu_ns();
        assert_int_equal(figures_unsupported(&out, text, &source, 1), SNUG_OK);
        if (clock_thread_cpu_ns() - begin > UINT64_C(20000000000))
            fail_msg("%s takes too long", pieces[i]);
        str_free(&out);
    }
    free(text);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
