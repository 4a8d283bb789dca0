#include "test.h"

#include "cli/mcp/rpc.h"

/* What a message is: its kind, id and method, or its code. */
static void assert_message(const char *text, rpc_kind kind, const char *id, int code)
{
    rpc_message m;
    assert_int_equal(rpc_read(&m, text, strlen(text)), 0);
    assert_int_equal(m.kind, kind);
    if (id)
        assert_string_equal(m.id, id);
    else
        assert_null(m.id);
    assert_int_equal(m.code, code);
    if (kind == RPC_FAULT)
        assert_true(m.why && *m.why);
    rpc_free(&m);
}

TEST(messages_are_told_apart)
{
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}", RPC_REQUEST, "1", 0);
    assert_message("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", RPC_NOTIFICATION, NULL, 0);
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}", RPC_ANSWER, "\"a\"", 0);
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", RPC_ANSWER, "1", 0);
}

TEST(what_is_wrong_has_its_code)
{
    static const char wrong_id[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}";
    assert_message("", RPC_FAULT, NULL, RPC_PARSE_ERROR);
    assert_message("{\"jsonrpc\":\"2.0\"", RPC_FAULT, NULL, RPC_PARSE_ERROR);
    assert_message("[]", RPC_FAULT, NULL, RPC_INVALID_REQUEST);
    assert_message("7", RPC_FAULT, NULL, RPC_INVALID_REQUEST);
    assert_message("{\"id\":1,\"method\":\"x\"}", RPC_FAULT, "1", RPC_INVALID_REQUEST);
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_FAULT, "1", RPC_INVALID_REQUEST);
    assert_message(wrong_id, RPC_FAULT, NULL, RPC_INVALID_REQUEST);
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[]}", RPC_FAULT, "1",
                   RPC_INVALID_PARAMS);
}

TEST(an_id_is_known_where_its_message_cannot_be_read)
{
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\",\"params\":{\"a\":\"\\u0000\"}}",
                   RPC_FAULT, "3", RPC_PARSE_ERROR);
}

TEST(what_could_be_read_in_two_ways_is_refused)
{
    static const char *const twice[] = {
        "\"method\":\"x\",\"method\":\"y\"",
        "\"method\":\"x\",\"params\":{},\"params\":{}",
        "\"method\":\"x\",\"params\":{\"name\":\"a\",\"b\":1,\"n\\u0061me\":\"c\"}",
        "\"method\":\"x\",\"params\":{\"_meta\":{\"a\":1,\"a\":1}}",
        "\"method\":\"x\",\"params\":{\"arguments\":{\"a\":1,\"b\":1,\"a\":2}}",
    };
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":1,%s}", twice[i]);
        assert_message(text, RPC_FAULT, "1", RPC_INVALID_REQUEST);
    }
    /* Names of different objects are. */
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"id\":1,"
                   "\"arguments\":{\"id\":[{\"a\":1},{\"a\":1}],\"name\":1},\"name\":1}}",
                   RPC_REQUEST, "1", 0);
}

TEST(ids_are_kept_byte_for_byte)
{
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"x\"}",
                   RPC_REQUEST, "123456789012345678901234567890", 0);
    assert_message("{\"jsonrpc\":\"2.0\",\"id\":\"\\u00e4\\n\",\"method\":\"x\"}", RPC_REQUEST,
                   "\"\\u00e4\\n\"", 0);
}

TEST(what_is_written_is_on_one_line)
{
    str out = { 0 };
    assert_int_equal(rpc_write_fault(&out, -32600, "a\nb \"c\"", "{}"), 0);
    assert_string_equal(out.data, "{\"code\":-32600,\"message\":\"a\\nb \\\"c\\\"\",\"data\":{}}");
    str_clear(&out);
    assert_int_equal(rpc_write_error(&out, NULL, -32700, "x"), 0);
    assert_string_equal(out.data, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"
                                  "\"message\":\"x\"}}");
    str_free(&out);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
