#include "test.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "agent/model/extras.h"
#include "base/error.h"

static void assert_fields(const char *const *fields, const char *expected)
{
    extras e;
    str body = { 0 };
    if (extras_read(&e, fields, NULL))
        fail_msg("%s", error_message());
    assert_int_equal(str_add(&body, "{\"model\":\"m\"}"), SNUG_OK);
    assert_int_equal(extras_write(&body, &e), SNUG_OK);
    assert_string_equal(str_text(&body), expected);
    str_free(&body);
    extras_free(&e);
}

#define FIELDS(...)       \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static void fields_are_put_behind_those_of_the_body(void **state)
{
    assert_fields((const char *const[]){ NULL }, "{\"model\":\"m\"}");
    assert_fields(FIELDS("seed=7", "reasoning_effort=low", "top_p=0.9", "user="),
                  "{\"model\":\"m\",\"seed\":7,\"reasoning_effort\":\"low\",\"top_p\":0.9,"
                  "\"user\":\"\"}");
    assert_fields(
        FIELDS("a.b.c=1", "a.b.d=[true, null]", "a.e={\"f\": \"g\"}"),
        "{\"model\":\"m\",\"a\":{\"b\":{\"c\":1,\"d\":[true,null]},\"e\":{\"f\":\"g\"}}}");
}

static void a_field_that_is_none_is_refused(void **state)
{
    static const char *const cases[][3] = {
        { "seed", NULL, "the request field \"seed\": expected NAME=VALUE" },
        { "=7", NULL, "expected NAME=VALUE" },
        { "a b=7", NULL, "expected NAME=VALUE" },
        { "a..b=7", NULL, "expected NAME=VALUE" },
        { ".a=7", NULL, "expected NAME=VALUE" },
        { "messages=[]", NULL, "the request field \"messages\" is snug's own" },
        { "temperature=1", NULL, "the request field \"temperature\" is set by --temperature" },
        { "max_tokens=1", NULL, "the request field \"max_tokens\" is set by --reply-tokens" },
        { "seed=1", "seed=2", "the request field \"seed\" is given twice" },
        { "a=1", "a.b=2", "the request field \"a.b\" is given twice" },
        { "a=\xff", NULL, "the request field \"a\" is not UTF-8" },
    };
    extras e;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const fields[] = { cases[i][0], cases[i][1], NULL };
        assert_int_equal(extras_read(&e, fields, NULL), SNUG_EINVAL);
        if (!strstr(error_message(), cases[i][2]))
            fail_msg("%s", error_message());
    }
}

static void headers_are_lines_with_their_values_as_secrets(void **state)
{
    extras e;
    setenv("SNUG_TEST_HEADER", "from-the-variable", 1);
    const char *const headers[] = { "X-Team:blue", "Authorization: Bearer sekrit-123",
                                    "X-Gateway: $SNUG_TEST_HEADER", NULL };
    assert_int_equal(extras_read(&e, NULL, headers), SNUG_OK);
    assert_int_equal(e.header_count, 3);
    assert_string_equal(e.headers[0], "X-Team: blue");
    assert_string_equal(e.headers[2], "X-Gateway: from-the-variable");
    assert_null(e.headers[3]);
    assert_int_equal(e.secret_count, 4);
    assert_string_equal(str_text(&e.secrets[1]), "Bearer sekrit-123");
    assert_string_equal(str_text(&e.secrets[2]), "sekrit-123");
    assert_true(extras_has_header(&e, "authorization: Bearer "));
    assert_false(extras_has_header(&e, "x-api-key: "));
    extras_free(&e);
}

static void a_header_that_is_none_is_refused_without_its_value(void **state)
{
    static const char *const cases[][2] = {
        { "sekrit", "header 1: expected NAME: VALUE" },
        { ": sekrit", "header 1: expected NAME: VALUE" },
        { "X Y: sekrit", "header 1: expected NAME: VALUE" },
        { "X:", "the header X: its value is empty" },
        { "X: sekrit\r\nY: z", "or has a control character" },
        { "X: $SNUG_NOT_SET", "the header X: the variable SNUG_NOT_SET is not set" },
        { "Content-Length: sekrit", "the header content-length is snug's own" },
    };
    extras e;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const headers[] = { cases[i][0], NULL };
        assert_int_equal(extras_read(&e, NULL, headers), SNUG_EINVAL);
        if (!strstr(error_message(), cases[i][1]))
            fail_msg("%s", error_message());
        assert_null(strstr(error_message(), "sekrit"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_put_behind_those_of_the_body),
        cmocka_unit_test(a_field_that_is_none_is_refused),
        cmocka_unit_test(headers_are_lines_with_their_values_as_secrets),
        cmocka_unit_test(a_header_that_is_none_is_refused_without_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
