#include "test.h"

#include <string.h>

#include <snug/snug.h>

#include "cli/upstream/message.h"

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

static void versions_are_read_as_servers_write_them(void **state)
{
    static const char *const cases[][2] = {
        { "\"2025-06-18\"", "2025-06-18" },
        { "\"2025-11-25\\r\\n\"", "2025-11-25" },
        { "\"\"", "2025-11-25" },
        { "\"0000-00-00-00-00-00\"", "2025-11-25" },
        { "7", "2025-11-25" },
    };
    char version[MESSAGE_VERSION_BYTES];

    assert_true(message_lists_new(span_of("[\"2025-06-18\", \"2026-07-28\"]")));
    assert_false(message_lists_new(span_of("[\"2099-01-01\", 7, null]")));
    assert_false(message_lists_new(span_of("\"2026-07-28\"")));
    assert_false(message_lists_new((jsontext_span){ 0 }));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        message_read_version(version, span_of(cases[i][0]));
        assert_string_equal(version, cases[i][1]);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_objects_with_a_method_an_id_or_an_error),
        cmocka_unit_test(requests_of_the_newer_revision_say_what_they_are),
        cmocka_unit_test(versions_are_read_as_servers_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
