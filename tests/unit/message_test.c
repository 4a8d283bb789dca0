#include "test.h"

#include <string.h>

#include <snug/snug.h>

#include "cli/upstream/message.h"
#include "cli/upstream/param_headers.h"

static jsontext_span span_of(const char *text)
{
    return (jsontext_span){ text, strlen(text) };
}

static void messages_are_objects_with_a_method_an_id_or_an_error(void **state)
{
    static const struct {
        const char *text;
        int is_message;
    } cases[] = {
        { "{\"id\": 7, \"result\": {}}", 1 },
        { "{\"method\": \"x\"}", 1 },
        { "{\"error\": {\"code\": 1}}", 1 },
        { "{\"error\": \"who are you\"}", 0 },
        { "{}", 0 },
        { "[{\"id\": 1}]", 0 },
        { "{\"id\": 1", 0 },
        { "", 0 },
        { "<html>", 0 },
    };
    message m;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(message_read(&m, cases[i].text, strlen(cases[i].text)),
                         cases[i].is_message);
    assert_true(message_read(&m, cases[0].text, strlen(cases[0].text)));
    assert_true(message_has_id(&m, 7));
    assert_false(message_has_id(&m, 70));
    assert_int_equal(message_error_code(span_of("{\"code\": -32022}")), -32022);
    assert_int_equal(message_error_code(span_of("{}")), 0);
}

static void requests_of_the_newer_revision_say_what_they_are(void **state)
{
    str out = { 0 };
    message m;
    (void)state;

    assert_int_equal(message_write_request(&out, 3, "tools/list", "{}", 1), SNUG_OK);
    assert_true(message_read(&m, out.data, out.len));
    const jsontext_span meta = jsontext_member(m.params, "_meta");
    assert_true(jsontext_is(jsontext_member(meta, "io.modelcontextprotocol/protocolVersion"),
                            "\"2026-07-28\""));
    assert_true(
        jsontext_is(jsontext_member(meta, "io.modelcontextprotocol/clientCapabilities"), "{}"));
    str_clear(&out);
    assert_int_equal(message_write_request(&out, 3, "tools/list", "{\"cursor\": \"a\"}", 1),
                     SNUG_OK);
    assert_true(message_read(&m, out.data, out.len));
    assert_true(jsontext_is(jsontext_member(m.params, "cursor"), "\"a\""));
    str_clear(&out);
    assert_int_equal(message_write_request(&out, 3, "x", "{}", 0), SNUG_OK);
    assert_string_equal(out.data,
                        "{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"x\", \"params\": {}}");
    str_free(&out);
}

static void the_newest_version_that_both_speak_is_chosen(void **state)
{
    (void)state;
    assert_string_equal(message_choose_version(span_of("[\"2025-06-18\", \"2026-07-28\"]")),
                        "2026-07-28");
    assert_string_equal(message_choose_version(span_of("[\"2099-01-01\", \"2025-06-18\"]")),
                        "2025-06-18");
    assert_null(message_choose_version(span_of("[\"2099-01-01\", 7, null]")));
    assert_null(message_choose_version(span_of("\"2026-07-28\"")));
    assert_null(message_choose_version((jsontext_span){ 0 }));
    assert_string_equal(message_known_version(span_of("\"2025-03-26\"")), "2025-03-26");
    assert_null(message_known_version(span_of("\"2026-07-28\""))); /* it has no handshake */
    assert_null(message_known_version((jsontext_span){ 0 }));
}

static void values_of_headers_are_encoded_where_they_must_be(void **state)
{
    /* Of the specification. */
    static const char *const cases[][2] = {
        { "us-west1", "us-west1" },
        { "", "" },
        { "Hello, \xe4\xb8\x96\xe7\x95\x8c", "=?base64?SGVsbG8sIOS4lueVjA==?=" },
        { " padded ", "=?base64?IHBhZGRlZCA=?=" },
        { "line1\nline2", "=?base64?bGluZTEKbGluZTI=?=" },
        { "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=" },
        { "=?base64?", "=?base64?" },
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(param_headers_write_value(&out, cases[i][0], strlen(cases[i][0])),
                         SNUG_OK);
        assert_string_equal(str_text(&out), cases[i][1]);
        str_free(&out);
    }
}

#define STRING_AS(name) "{\"type\": \"string\", \"x-mcp-header\": \"" name "\"}"

static void wrong_headers_of_a_schema_are_found(void **state)
{
    static const struct {
        const char *schema;
        int is_fine;
    } cases[] = {
        { "{\"properties\": {\"a\": {\"type\": \"string\"}}}", 1 },
        { "{\"properties\": {\"a\": " STRING_AS("A") "}}", 1 },
        { "{\"properties\": {\"a\": {\"properties\": {\"b\": " STRING_AS("A") "}}}}", 1 },
        { "{\"properties\": {\"properties\": {\"properties\": {\"b\": " STRING_AS("A") "}}}}", 1 },
        { "{\"properties\": {\"a\": " STRING_AS("A") ", \"b\": " STRING_AS("a") "}}", 0 },
        { "{\"properties\": {\"a\": " STRING_AS("") "}}", 0 },
        { "{\"properties\": {\"a\": " STRING_AS("A B") "}}", 0 },
        { "{\"properties\": {\"a\": " STRING_AS("A\\r\\nB") "}}", 0 },
        { "{\"properties\": {\"a\": " STRING_AS("A\\u0000") "}}", 0 },
        { "{\"properties\": {\"a\": {\"type\": \"string\", \"x-mcp-header\": 1}}}", 0 },
        { "{\"properties\": {\"a\": {\"type\": \"number\", \"x-mcp-header\": \"A\"}}}", 0 },
        { "{\"properties\": {\"a\": {\"items\": " STRING_AS("A") "}}}", 0 },
        { "{\"properties\": {\"a\": {\"anyOf\": [" STRING_AS("A") "]}}}", 0 },
        { "{\"anyOf\": [{\"properties\": {\"a\": " STRING_AS("A") "}}]}", 0 },
        { STRING_AS("A"), 0 },
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(param_headers_fault(span_of(cases[i].schema)) == NULL, cases[i].is_fine);
}

static void arguments_that_are_there_are_headers(void **state)
{
    static const char schema[] = "{\"properties\": {\"a\": " STRING_AS(
        "A") ", \"n\": {\"type\": "
             "\"integer\", \"x-mcp-header\": \"N\"}, \"o\": {\"properties\": "
             "{\"b\": {\"type\": \"boolean\", \"x-mcp-header\": \"B\"}}}}}";
    str out = { 0 };
    (void)state;

    assert_int_equal(param_headers_write(&out, span_of(schema),
                                         span_of("{\"a\": \"x\\ny\", \"n\": -7, \"o\": {\"b\": "
                                                 "true}, \"other\": 1}")),
                     SNUG_OK);
    assert_string_equal(str_text(&out), "Mcp-Param-A: =?base64?eAp5?=\nMcp-Param-N: -7\n"
                                        "Mcp-Param-B: true\n");
    str_clear(&out);
    assert_int_equal(
        param_headers_write(&out, span_of(schema), span_of("{\"a\": null, \"n\": [1], \"o\": 3}")),
        SNUG_OK);
    assert_string_equal(str_text(&out), "");
    str_free(&out);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_objects_with_a_method_an_id_or_an_error),
        cmocka_unit_test(requests_of_the_newer_revision_say_what_they_are),
        cmocka_unit_test(the_newest_version_that_both_speak_is_chosen),
        cmocka_unit_test(values_of_headers_are_encoded_where_they_must_be),
        cmocka_unit_test(wrong_headers_of_a_schema_are_found),
        cmocka_unit_test(arguments_that_are_there_are_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
