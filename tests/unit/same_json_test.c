#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls/same_json.h"

static int compare(const char *a, const char *b)
{
    return same_json((jsontext_span){ a, strlen(a) }, (jsontext_span){ b, strlen(b) });
}

static void order_of_names_spaces_and_escapes_make_no_difference(void **state)
{
    (void)state;
    assert_int_equal(compare("{\"a\": 1, \"b\": [2, {}]}", "{ \"b\":[2,{ }] ,\"a\":1}"), 1);
    assert_int_equal(compare("\"\\u00e9\\n\"", "\"\xc3\xa9\\u000A\""), 1);
    assert_int_equal(
        compare("{\"\\u0061\": {\"x\": 1, \"y\": 2}}", "{\"a\": {\"y\": 2, \"x\": 1}}"), 1);
    assert_int_equal(compare("[]", "[ ]"), 1);
    assert_int_equal(
        compare("\"\\ud83d\\ude00\\u07ff\\uffff\"", "\"\xf0\x9f\x98\x80\xdf\xbf\xef\xbf\xbf\""), 1);
    assert_int_equal(compare("{\"b\": 0, \"a\": 1, \"a\": 2}", "{\"a\": 1, \"a\": 2, \"b\": 0}"),
                     1);
    assert_int_equal(compare("{\"\": [\"\\u0061\", {}]}", "{\"\":[\"a\",{}]}"), 1);
}

static void whatever_else_differs_is_different(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "1", "1.0" },
        { "1", "\"1\"" },
        { "[1, 2]", "[2, 1]" },
        { "[1, 2]", "[12]" },
        { "[[1], 2]", "[[1, 2]]" },
        { "{\"a\": 1}", "{\"a\": 1, \"b\": null}" },
        { "{\"a\": \"b\"}", "{\"b\": \"a\"}" },
        { "{\"a\": 1, \"b\": 2}", "{\"a\": 2, \"b\": 1}" },
        { "\"a\"", "\"A\"" },
        { "null", "false" },
        { "{}", "[]" },
        { "\"\\ud800\"", "\"\\udc00\"" },
        { "\"\\ud800\"", "\"\\ufffd\"" },
        { "\"\\u0000\"", "\"\"" },
        { "\"a\\u0000b\"", "\"a\\u0000c\"" },
        { "{\"a\": 1, \"a\": 2}", "{\"a\": 2, \"a\": 1}" },
        { "{\"a\": 1, \"a\": 2}", "{\"a\": 2}" },
        { "{\"\\ud800\": 1}", "{\"\\udc00\": 1}" },
        { "[[], [1]]", "[[1], []]" },
        { "{\"a\": {\"b\": 1}}", "{\"a\": {}, \"b\": 1}" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (compare(pairs[i][0], pairs[i][1]))
            fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
}

/* inmost in so many lists or objects, with spaces up to that length. */
static char *nest(size_t levels, size_t len, int is_object, const char *inmost)
{
    char *text = malloc(len + 1);
    memset(text, ' ', len);
    text[len] = '\0';
    for (size_t i = 0; i < levels; i++) {
        memcpy(text + (is_object ? 5 : 1) * i, is_object ? "{\"a\":" : "[", is_object ? 5 : 1);
        text[len - 1 - i] = is_object ? '}' : ']';
    }
    memcpy(text + (is_object ? 5 : 1) * levels, inmost, strlen(inmost));
    return text;
}

/* In the processor time of this thread. */
static double measure(size_t levels, int is_object)
{
    enum { LEN = 800000 };
    struct timespec from, to;
    char *a = nest(levels, LEN, is_object, "1"), *b = nest(levels, LEN, is_object, "2");

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    assert_int_equal(same_json((jsontext_span){ a, LEN }, (jsontext_span){ b, LEN }), 0);
    b[levels * (is_object ? 5 : 1)] = '1';
    b[LEN / 2] = '\t';
    assert_int_equal(same_json((jsontext_span){ a, LEN }, (jsontext_span){ b, LEN }), 1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    free(a);
    free(b);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static void what_is_nested_deeply_takes_no_longer(void **state)
{
    (void)state;
    assert_true(measure(190, 0) < 10 * measure(1, 0) + 0.2);
    assert_true(measure(190, 1) < 10 * measure(1, 1) + 0.2);
}

static void what_is_long_is_compared_to_the_byte(void **state)
{
    (void)state;
    enum { LEN = 2 << 20 };
    char *a = malloc(LEN), *b = malloc(LEN);
    memset(a, ' ', LEN);
    memset(b, ' ', LEN);
    memcpy(a, "[1", 2);
    memcpy(b, "[ 1", 3);
    a[LEN - 1] = b[LEN - 1] = ']';
    assert_int_equal(same_json((jsontext_span){ a, LEN }, (jsontext_span){ a, LEN }), 1);
    assert_int_equal(same_json((jsontext_span){ a, LEN }, (jsontext_span){ b, LEN }), 0);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_names_spaces_and_escapes_make_no_difference),
        cmocka_unit_test(whatever_else_differs_is_different),
        cmocka_unit_test(what_is_nested_deeply_takes_no_longer),
        cmocka_unit_test(what_is_long_is_compared_to_the_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
