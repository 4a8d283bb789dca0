#include "test.h"

#include <time.h>

#include <snug/snug.h>

#include "calls/canonical.h"

static jsontext_span span_of(const char *text)
{
    return (jsontext_span){ text, strlen(text) };
}

static void check_spelling(const char *text, const char *canonical)
{
    str out = { 0 };

    assert_int_equal(canonical_json(&out, span_of(text)), SNUG_OK);
    assert_string_equal(str_text(&out), canonical);
    str_free(&out);
}

TEST(order_of_names_spaces_and_escapes_make_no_difference)
{
    check_spelling("{ \"b\":[2,{ }] ,\"a\":1, \"ab\" : 3}", "{\"a\":1,\"ab\":3,\"b\":[2,{}]}");
    check_spelling("\"\\u00e9\\n\\/\\u0041\"", "\"\xc3\xa9\\u000a/A\"");
    check_spelling("\"\xc3\xa9\\u000A\"", "\"\xc3\xa9\\u000a\"");
    check_spelling("{\"\\u0061\": {\"y\": 2, \"x\": 1}}", "{\"a\":{\"x\":1,\"y\":2}}");
    check_spelling(" [ ] ", "[]");
    check_spelling("\"\\ud83d\\ude00\\u07ff\\uffff\"", "\"\xf0\x9f\x98\x80\xdf\xbf\xef\xbf\xbf\"");
    check_spelling("{\"b\": 0, \"a\": 1, \"a\": 2}", "{\"a\":1,\"a\":2,\"b\":0}");
    check_spelling("{\"a\": 2, \"a\": 1}", "{\"a\":2,\"a\":1}");
}

TEST(whatever_else_differs_stays_different)
{
    check_spelling("[1, 1.0, \"1\", 1e0, 100000000000000000000, -0]",
                   "[1,1.0,\"1\",1e0,100000000000000000000,-0]");
    check_spelling("[[], [1], [[1], 2], null, false, true]", "[[],[1],[[1],2],null,false,true]");
    check_spelling("\"\\ud800\"", "\"\\ud800\"");
    check_spelling("\"\\udc00\\\\ud800\\\"\"", "\"\\udc00\\u005cud800\\u0022\"");
    check_spelling("\"a\\u0000b\"", "\"a\\u0000b\"");
    check_spelling("{\"a\": {\"b\": 1}}", "{\"a\":{\"b\":1}}");
    check_spelling("{\"a\": {}, \"b\": 1}", "{\"a\":{},\"b\":1}");
}

static void check_difference(const char *now, const char *was, const char *sentence)
{
    str out = { 0 };

    assert_int_equal(canonical_compare(&out, span_of(now), span_of(was)), !sentence);
    assert_string_equal(str_text(&out), sentence ? sentence : "");
    str_free(&out);
}

TEST(the_first_member_that_differs_is_named)
{
    check_difference("{\"a\": 1, \"b\": 2}", "{\"b\":2,\"a\":1}", NULL);
    check_difference("{\"a\": 1, \"ab\": 2}", "{\"ab\": 3, \"a\": 1}",
                     "its argument ab is 2, and was 3");
    check_difference("{}", "{\"a\": \"x\"}", "its argument a is missing, and was \"x\"");
    check_difference("{\"a\": 1, \"b\": []}", "{\"a\": 1}",
                     "its argument b is [], and was not there");
    check_difference("{\"a\": 1}", "{\"ab\": 1}", "its argument a is 1, and was not there");
    check_difference("{\"a\": 1, \"a\": 2}", "{\"a\": 2, \"a\": 1}",
                     "its argument a is 1, and was 2");
}

/* value in so many lists or objects with two members. */
static char *nest(size_t levels, int is_object, const char *value)
{
    const char *open = is_object ? "{\"b\":0,\"a\":" : "[";
    const size_t width = strlen(open);
    char *text = malloc(levels * (width + 1) + strlen(value) + 1), *to = text;

    for (size_t i = 0; i < levels; i++, to += width)
        memcpy(to, open, width);
    to = stpcpy(to, value);
    memset(to, is_object ? '}' : ']', levels);
    to[levels] = '\0';
    return text;
}

/* In the processor time of this thread. */
static double measure(size_t levels, int is_object)
{
    enum { LEN = 800000 };
    struct timespec from, to;
    char *value = malloc(LEN + 1);
    str out = { 0 };

    memset(value, '7', LEN);
    value[0] = value[LEN - 1] = '"';
    value[LEN] = '\0';
    char *text = nest(levels, is_object, value);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    assert_int_equal(canonical_json(&out, span_of(text)), SNUG_OK);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    str_free(&out);
    free(text);
    free(value);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Members are moved once for each level: that is copying, and no reading again. */
TEST(what_is_nested_deeply_is_read_once)
{
    assert_true(measure(190, 0) < 10 * measure(1, 0) + 0.2);
    assert_true(measure(190, 1) < 10 * measure(1, 1) + 1);
}

TEST(what_is_long_is_compared_to_the_byte)
{
    enum { LEN = 2 << 20 };
    char *a = malloc(LEN + 1), *b = malloc(LEN + 1);
    memset(a, ' ', LEN);
    memset(b, ' ', LEN);
    memcpy(a, "{\"a\":1", 6);
    memcpy(b, "{\"a\" :1", 7);
    a[LEN - 1] = b[LEN - 1] = '}';
    a[LEN] = b[LEN] = '\0';
    check_difference(a, a, NULL);
    check_difference(a, b, "its arguments were others");
    free(a);
    free(b);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
