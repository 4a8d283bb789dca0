#include "test.h"

#include "base/jsontext.h"

static const char *fault_of(const char *text, size_t *at)
{
    return jsontext_check(text, strlen(text), at);
}

TEST(json_is_taken)
{
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "12345678901234567890123",
        "1.5e-3",
        "1E+2",
        "\"\"",
        "[]",
        "{}",
        " [ 1 , 2 ] ",
        "[[]]",
        "{\"a\": {\"b\": [null]}}",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\xc3\xbc\"",
        "{\"\": 1, \"\": 2}",
    };
    size_t at;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(fault_of(texts[i], &at));
}

TEST(what_is_no_json_is_named_with_its_place)
{
    static const struct {
        const char *text, *fault;
        size_t at;
    } cases[] = {
        { "", "nothing", 0 },
        { " ", "it ends too early", 1 },
        { "[1", "it ends too early", 2 },
        { "[1,]", "unexpected text", 3 },
        { "[1 2]", "a comma is missing", 3 },
        { "[1}", "a comma is missing", 2 },
        { "{1: 2}", "a name in quotes should stand here,", 1 },
        { "{\"a\" 2}", "a colon is missing", 5 },
        { "{\"a\": 1,}", "a name in quotes should stand here,", 8 },
        { "01", "not a number", 0 },
        { "1.", "not a number", 0 },
        { "-", "not a number", 0 },
        { "1e", "not a number", 0 },
        { "nan", "unexpected text", 0 },
        { "nul", "unexpected text", 0 },
        { "1 2", "text behind the value", 2 },
        { "]", "unexpected text", 0 },
        { "\"a", "a string without an end", 0 },
        { "\"a\nb\"", "a control character in a string", 2 },
        { "\"\\x\"", "an escape that there is not", 1 },
        { "\"\\u12g4\"", "\\u without four hexadecimal digits", 1 },
        { "\"\xff\"", "invalid UTF-8", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at = 99;
        assert_string_equal(fault_of(cases[i].text, &at), cases[i].fault);
        assert_int_equal(at, cases[i].at);
    }
}

TEST(nesting_and_digits_are_bounded)
{
    char text[5000];
    size_t at;
    memset(text, '[', 200);
    memset(text + 200, ']', 201);
    assert_null(jsontext_check(text, 400, &at));
    memset(text, '[', 201);
    memset(text + 201, ']', 201);
    assert_string_equal(jsontext_check(text, 402, &at), "nested deeper than 200 levels");
    memset(text, '9', sizeof text);
    assert_null(jsontext_check(text, 4300, &at));
    assert_string_equal(jsontext_check(text, 4301, &at), "a number of more than 4,300 digits");
}

TEST(a_text_is_read_no_further_than_its_length)
{
    size_t at;
    assert_null(jsontext_check("12x", 2, &at));
    assert_non_null(jsontext_check("\"ab\"", 3, &at));
    assert_non_null(jsontext_check("true", 3, &at));
    assert_non_null(jsontext_check("\"\\u0041\"", 6, &at));
}

TEST(tokens_come_in_order)
{
    static const char text[] = "{\"a\": [1, 2.0], \"b\": \"c\"}";
    static const jsontext_kind kinds[] = {
        JSONTEXT_OBJECT,   JSONTEXT_KEY, JSONTEXT_LIST,   JSONTEXT_INTEGER,    JSONTEXT_FLOAT,
        JSONTEXT_LIST_END, JSONTEXT_KEY, JSONTEXT_STRING, JSONTEXT_OBJECT_END, JSONTEXT_END,
    };
    jsontext j;
    jsontext_token token;
    jsontext_init(&j, text, strlen(text));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_int_equal(jsontext_next(&j, &token), kinds[i]);
        if (kinds[i] == JSONTEXT_STRING)
            assert_memory_equal(token.text, "c", token.len);
    }
}

TEST(escapes_become_characters)
{
    static const char text[] = "\"\\u00fc\xc3\xbc\\ud83d\\ude00\\ud83d\\n\\ude00\xf0\x9f\x98\x80\"";
    static const uint32_t wanted[] = { 0xfc, 0xfc, 0x1f600, 0xd83d, '\n', 0xde00, 0x1f600 };
    jsontext j;
    jsontext_token token;
    jsontext_init(&j, text, strlen(text));
    assert_int_equal(jsontext_next(&j, &token), JSONTEXT_STRING);
    uint32_t *out = malloc(token.len * sizeof *out);
    assert_int_equal(jsontext_unescape(out, &token), sizeof wanted / sizeof *wanted);
    assert_memory_equal(out, wanted, sizeof wanted);
    free(out);
}

static jsontext_span span_of(const char *text)
{
    return (jsontext_span){ text, strlen(text) };
}

TEST(members_and_items_are_pieces_of_the_text)
{
    jsontext j;
    jsontext_token name;
    jsontext_span value;
    jsontext_span object = span_of("{\"a\": [1, {\"b\": 2}], \"c\" : \"x\", \"c\": 12 , \"d\":{}}");
    assert_true(jsontext_is(jsontext_member(object, "a"), "[1, {\"b\": 2}]"));
    assert_true(jsontext_is(jsontext_member(object, "c"), "12"));
    assert_true(jsontext_is(jsontext_member(object, "d"), "{}"));
    assert_null(jsontext_member(object, "b").text);
    assert_null(jsontext_member(span_of("[1]"), "b").text);
    assert_null(jsontext_member(span_of("12"), "b").text);
    assert_null(jsontext_member((jsontext_span){ NULL, 0 }, "b").text);
    assert_true(jsontext_enter(&j, jsontext_member(object, "a")));
    assert_true(jsontext_item(&j, &name, &value) && jsontext_is(value, "1"));
    assert_true(jsontext_item(&j, &name, &value) && jsontext_is(value, "{\"b\": 2}"));
    assert_false(jsontext_item(&j, &name, &value));
    assert_false(jsontext_enter(&j, span_of("\"a\"")));
}

TEST(a_string_is_quoted_and_read_back)
{
    static const char text[] = "a\"\\\n\0\xc3\xbc\xf0\x9f\x98\x80";
    str quoted = { 0 }, back = { 0 };
    assert_int_equal(jsontext_quote(&quoted, text, sizeof text - 1), 0);
    assert_int_equal(jsontext_string(&back, (jsontext_span){ quoted.data, quoted.len }), 0);
    assert_int_equal(back.len, sizeof text - 1);
    assert_memory_equal(back.data, text, back.len);
    str_clear(&quoted);
    jsontext_quote(&quoted, "a\xff\xc3", 3);
    assert_string_equal(quoted.data, "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
    str_clear(&back);
    assert_int_equal(jsontext_string(&back, span_of("\"\\ud83d\\ude00\\ud83d\"")), 0);
    assert_string_equal(back.data, "\xf0\x9f\x98\x80\xef\xbf\xbd");
    assert_int_equal(jsontext_string(&back, span_of("12")), -1);
    str_free(&quoted);
    str_free(&back);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
