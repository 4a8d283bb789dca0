#include "test.h"

#include <snug/snug.h>

#include "base/error.h"
#include "wire/json.h"

#include <locale.h>
#include <math.h>

static cJSON *parsed(const char *text)
{
    cJSON *value = NULL;
    if (json_parse(&value, text, strlen(text)))
        fail_msg("%s: %s", text, error_message());
    return value;
}

static void assert_refused(const char *text, size_t len, const char *message)
{
    cJSON *untouched = NULL;
    assert_int_equal(json_parse(&untouched, text, len), SNUG_EINVAL);
    assert_null(untouched);
    assert_string_equal(error_message(), message);
}

/* What is parsed is written as it was. */
static void assert_same(const char *text)
{
    cJSON *value = parsed(text);
    char *written = json_text(value);
    assert_string_equal(written, text);
    free(written);
    cJSON_Delete(value);
}

TEST(values_survive_reading_and_writing)
{
    assert_same("null");
    assert_same("[true,false,null,[],{}]");
    assert_same("{\"a\":1,\"A\":\"x\",\"\":[{\"b\":-2.5}]}");
    assert_same("\"h\xc3\xa9 \xf0\x9f\x98\x80 \\\" \\\\ / \\b\\t\\n\\f\\r\\u0001\\u001f\x7f\"");
}

TEST(escapes_become_their_characters)
{
    cJSON *value = parsed(" \"\\u00e9\\uD83D\\uDE00\\/\\u007F\" \r\n\t");
    assert_string_equal(value->valuestring, "\xc3\xa9\xf0\x9f\x98\x80/\x7f");
    cJSON_Delete(value);
}

TEST(text_need_not_end_with_a_nul)
{
    cJSON *value;
    assert_int_equal(json_parse(&value, "123456", 3), SNUG_OK);
    assert_int_equal(value->valueint, 123);
    cJSON_Delete(value);
    char *exact = malloc(4);
    assert_non_null(exact);
    memcpy(exact, "[1]\"", 4);
    assert_int_equal(json_parse(&value, exact, 3), SNUG_OK);
    cJSON_Delete(value);
    assert_int_equal(json_parse(&value, exact, 2), SNUG_EINVAL);
    free(exact);
}

TEST(what_is_no_json_is_refused_with_its_place)
{
    assert_refused("", 0, "invalid JSON: nothing at byte 1");
    assert_refused("nope", 4, "invalid JSON: unexpected text at byte 1");
    assert_refused("[1, x]", 6, "invalid JSON: unexpected text at byte 5");
    assert_refused("{\"a\" 1}", 7, "invalid JSON: unexpected text at byte 6");
    assert_refused("[1,]", 4, "invalid JSON: unexpected text at byte 4");
    assert_refused("\"abc", 4, "invalid JSON: a string without an end at byte 1");
    assert_refused("[\"abc\\", 6, "invalid JSON: a string without an end at byte 2");
    assert_refused("\"\\x\"", 4, "invalid JSON: unexpected text at byte 2");
    assert_refused("[1]\v", 4, "invalid JSON: a control character at byte 4");
}

TEST(text_behind_the_value_is_refused)
{
    assert_refused("{} {}", 5, "invalid JSON: text behind the value at byte 4");
    assert_refused("1 x", 3, "invalid JSON: text behind the value at byte 3");
    assert_refused("1\0", 2, "invalid JSON: a control character at byte 2");
    assert_refused("nullx", 5, "invalid JSON: text behind the value at byte 5");
}

TEST(a_nul_in_a_string_is_refused)
{
    assert_refused("\"a\\u0000b\"", 10, "invalid JSON: a NUL in a string at byte 3");
    assert_refused("\"a\0b\"", 5, "invalid JSON: a NUL in a string at byte 3");
    assert_refused("{\"\\u0000\":1}", 12, "invalid JSON: a NUL in a string at byte 3");
    cJSON *value = parsed("\"\\\\u0000\"");
    assert_string_equal(value->valuestring, "\\u0000");
    cJSON_Delete(value);
}

static void assert_unquoted(const char *quoted, const char *text, size_t len)
{
    str out = { 0 };
    assert_int_equal(json_unquote(&out, quoted, strlen(quoted)), SNUG_OK);
    assert_int_equal(out.len, len);
    assert_memory_equal(str_text(&out), text, len);
    str_free(&out);
}

TEST(a_text_is_unquoted_with_its_nuls)
{
    assert_unquoted("\"\"", "", 0);
    assert_unquoted("\"a\\n\"", "a\n", 2);
    assert_unquoted("\"\\u0000\"", "\0", 1);
    assert_unquoted("\"a\\u0000\\u0000\\u00e9\"", "a\0\0\xc3\xa9", 5);
    assert_unquoted("\"\\\\u0000\\\\\\u0000\"", "\\u0000\\\0", 8);
    str out = { 0 };
    static const char *const refused[] = { "\"\\ud800\\u0000\"", "\"\\u0000\\\"", "\"a\"b\"", "\"",
                                           "x" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(json_unquote(&out, refused[i], strlen(refused[i])), SNUG_EINVAL);
    str_free(&out);
}

TEST(an_escape_without_digits_is_refused)
{
    static const char message[] = "invalid JSON: \\u without four hexadecimal digits at byte 2";
    assert_refused("\"\\uzzzz\"", 8, message);
    assert_refused("\"\\u12\"", 6, message);
    assert_refused("\"\\u123", 6, message);
    assert_refused("\"\\u-123\"", 8, message);
}

TEST(half_of_a_surrogate_pair_is_refused)
{
    static const char message[] = "invalid JSON: half of a surrogate pair at byte 2";
    assert_refused("\"\\ud83d\"", 8, message);
    assert_refused("\"\\ude00\"", 8, message);
    assert_refused("\"\\ud83dx\"", 9, message);
    assert_refused("\"\\ud83d\\n\"", 10, message);
    assert_refused("\"\\ud83d\\ud83d\"", 14, message);
    assert_refused("\"\\uDE00\\uD83D\"", 14, message);
    assert_refused("\"\xed\xa0\xbd\"", 5, message);
}

TEST(invalid_utf8_is_refused)
{
    assert_refused("\"\xff\"", 3, "invalid JSON: invalid UTF-8 at byte 2");
    assert_refused("[1,\"\xc3\"]", 7, "invalid JSON: invalid UTF-8 at byte 5");
    assert_refused("\xc0\xaf", 2, "invalid JSON: invalid UTF-8 at byte 1");
}

TEST(numbers_are_those_of_json)
{
    static const char *const refused[] = {
        "01", "-", "1.", "-.5", "1e", "1e+", "1.e5", "1+2", "-01", "--1", "1-", "1.5.5",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_refused(refused[i], strlen(refused[i]), "invalid JSON: not a number at byte 1");
    assert_refused("+1", 2, "invalid JSON: unexpected text at byte 1");
    assert_refused(".5", 2, "invalid JSON: unexpected text at byte 1");
    assert_refused("[1e999]", 7, "invalid JSON: a number is out of range");
    assert_same("[0,-1,10.5,1e+300,1.5e-07,0.1]");
    cJSON *value = parsed("[-0, 0.5E1,1e-999 ]");
    assert_int_equal(cJSON_GetArrayItem(value, 1)->valueint, 5);
    cJSON_Delete(value);
}

TEST(a_number_too_long_for_cjson_is_refused)
{
    char text[65];
    cJSON *value;
    memset(text, '1', sizeof text);
    assert_refused(text, 64, "invalid JSON: a number of more than 63 characters at byte 1");
    assert_int_equal(json_parse(&value, text, 63), SNUG_OK);
    assert_true(value->valuedouble > 1e62);
    cJSON_Delete(value);
}

TEST(nesting_has_a_limit)
{
    char text[2002];
    memset(text, '[', 1001);
    memset(text + 1001, ']', 1001);
    assert_refused(text, 2002, "invalid JSON: nested too deep at byte 1001");
    cJSON *value;
    assert_int_equal(json_parse(&value, text + 1, 2000), SNUG_OK);
    char *written = json_text(value);
    assert_int_equal(strlen(written), 2000);
    free(written);
    cJSON_Delete(value);
    /* Brackets in strings are none. */
    memset(text + 1, 'a', 2000);
    memset(text + 1, '[', 1500);
    text[0] = text[2001] = '"';
    assert_int_equal(json_parse(&value, text, 2002), SNUG_OK);
    cJSON_Delete(value);
}

TEST(objects_are_built_in_order)
{
    cJSON *root = cJSON_CreateObject();
    assert_int_equal(json_add_text(root, "text", "a\n\"b\""), SNUG_OK);
    assert_int_equal(json_add_number(root, "number", 1.5), SNUG_OK);
    assert_int_equal(json_add_bool(root, "yes", 7), SNUG_OK);
    assert_int_equal(json_add_bool(root, "no", 0), SNUG_OK);
    assert_int_equal(json_add_null(root, "null"), SNUG_OK);
    assert_int_equal(json_add_raw(root, "raw", "[1, 2]"), SNUG_OK);
    cJSON *array = json_add_array(root, "array");
    assert_int_equal(json_add_text(array, NULL, "x"), SNUG_OK);
    cJSON *object = json_add_object(array, NULL);
    assert_int_equal(json_add_number(object, "n\xc3\xa9", 2), SNUG_OK);
    char *text = json_text(root);
    assert_string_equal(text,
                        "{\"text\":\"a\\n\\\"b\\\"\",\"number\":1.5,\"yes\":true,\"no\":false,"
                        "\"null\":null,\"raw\":[1, 2],\"array\":[\"x\",{\"n\xc3\xa9\":2}]}");
    free(text);
    cJSON_Delete(root);
}

static void assert_number(double value, const char *expected)
{
    cJSON *number = cJSON_CreateNumber(value);
    char *text = json_text(number);
    assert_string_equal(text, expected);
    free(text);
    cJSON_Delete(number);
}

TEST(integers_up_to_2_to_the_53_are_written_as_such)
{
    assert_number(0, "0");
    assert_number(-1, "-1");
    assert_number(2147483648.0, "2147483648");
    assert_number(1e15, "1000000000000000");
    assert_number(-1e15, "-1000000000000000");
    assert_number(9007199254740991.0, "9007199254740991");
    assert_number(9007199254740992.0, "9007199254740992");
    assert_number(-9007199254740992.0, "-9007199254740992");
    assert_number(1e20, "1e+20");
}

TEST(numbers_read_back_the_same)
{
    assert_number(0.1, "0.1");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_number(1 / 3.0, "0.3333333333333333");
    assert_number(5e-324, "4.94065645841247e-324");
    assert_number(1.7976931348623157e308, "1.7976931348623157e+308");
    assert_number((double)NAN, "null");
    assert_number((double)-INFINITY, "null");
}

TEST(numbers_have_a_point_in_every_locale)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        print_message("there is no locale with a decimal comma here\n");
        skip();
    }
    assert_number(1.5, "1.5");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_same("[2.25,1e-07]");
    setlocale(LC_NUMERIC, "C");
}

TEST(a_text_with_a_nul_keeps_what_is_behind_it)
{
    cJSON *object = cJSON_CreateObject();
    assert_int_equal(json_add_text_len(object, "a", "x\0y\n\0", 5), 0);
    assert_int_equal(json_add_text_len(object, "b", "plain", 5), 0);
    assert_int_equal(json_add_text_len(object, "c", "", 0), 0);
    assert_int_equal(json_add_text_len(object, "d", "no end", 2), 0);
    assert_int_equal(json_add_text_len(object, "e", "n\0 end", 3), 0);
    char *text = json_text(object);
    assert_string_equal(text, "{\"a\":\"x\\u0000y\\n\\u0000\",\"b\":\"plain\",\"c\":\"\","
                              "\"d\":\"no\",\"e\":\"n\\u0000 \"}");
    free(text);
    cJSON_Delete(object);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
