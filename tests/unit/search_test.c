#include "test.h"

#include <snug/snug.h>

#include <string.h>

#include "agent/store/search.h"

static void assert_query(const char *text, const char *expected)
{
    str query = { 0 };
    assert_int_equal(search_query(&query, text, strlen(text)), SNUG_OK);
    assert_string_equal(str_text(&query), expected);
    str_free(&query);
}

static void a_query_is_quoted_words(void **state)
{
    assert_query("compound interest", "\"compound\" OR \"interest\" *");
    assert_query("interest, compound?", "\"interest\" OR \"compound\"");
    assert_query("a AND NOT \"b* (", "\"b\"");
    assert_query("flour flour flour", "\"flour\" OR \"flour\" *");
    assert_query("compound_interest(5)", "\"compound\" OR \"interest\" OR \"5\"");
    assert_query("", "");
    assert_query(" ?!\"*", "");
    assert_query("caf\xc3\xa9", "\"caf\xc3\xa9\" *");
    assert_query("x\xff\xfe"
                 "z",
                 "\"x\" OR \"z\"");
}

static void words_of_every_text_count_only_alone(void **state)
{
    assert_query("What is the density of zinc", "\"density\" OR \"zinc\" *");
    assert_query("who is it?", "\"who\" OR \"is\" OR \"it\"");
}

static void signs_are_words_two_by_two(void **state)
{
    assert_query("北京", "\" 北  京 \"");
    assert_query("海", "\" 海 \"");
    assert_query("zinc密度", "\"zinc\" OR \" 密  度 \"");
}

static void a_long_question_has_a_bound(void **state)
{
    str text = { 0 }, query = { 0 };
    size_t terms = 1;
    for (int i = 0; i < 5000; i++)
        assert_int_equal(str_printf(&text, "word%d ", i), SNUG_OK);
    assert_int_equal(search_query(&query, text.data, text.len), SNUG_OK);
    for (const char *at = query.data; (at = strstr(at, " OR ")); at++)
        terms++;
    assert_int_equal(terms, 64);
    str_free(&text);
    str_free(&query);
}

static void passages_end_where_a_reader_would_end_them(void **state)
{
    assert_int_equal(search_passage("short", 5, 0, 100), 5);
    assert_int_equal(search_passage("first part\n\nsecond part", 23, 0, 20), 12);
    assert_int_equal(search_passage("first line\nsecond line", 22, 0, 20), 11);
    assert_int_equal(search_passage("one two three four", 18, 0, 10), 8);
    assert_int_equal(search_passage("\xe5\x8c\x97\xe4\xba\xac\xe6\xb5\xb7", 9, 0, 7), 6);
    assert_int_equal(search_passage("aaaaaaaaaaaaaaaaaaaa", 20, 10, 5), 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_is_quoted_words),
        cmocka_unit_test(words_of_every_text_count_only_alone),
        cmocka_unit_test(signs_are_words_two_by_two),
        cmocka_unit_test(a_long_question_has_a_bound),
        cmocka_unit_test(passages_end_where_a_reader_would_end_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
