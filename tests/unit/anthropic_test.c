#include "dialect.h"

static const dialect *const d = &dialect_anthropic;

static void a_request_is_turns_of_blocks(void **state)
{
    model_call calls[] = { { text_of("c1"), text_of("run"), text_of("{\"code\": \"1\"}") },
                           { text_of("c2"), text_of("run"), text_of("oops") } };
    const model_message messages[] = {
        { MODEL_SYSTEM, text_of("Be brief."), NULL, 0, { 0 }, 0 },
        { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 },
        { MODEL_USER, text_of("b"), NULL, 0, { 0 }, 0 },
        { MODEL_ASSISTANT, text_of("Well."), calls, 2, { 0 }, 0 },
        { MODEL_TOOL, text_of("1"), NULL, 0, text_of("c1"), 0 },
        { MODEL_TOOL, text_of("bad"), NULL, 0, text_of("c2"), 1 },
        { MODEL_USER, text_of("go on"), NULL, 0, { 0 }, 0 },
        { MODEL_ASSISTANT, text_of(" \n"), NULL, 0, { 0 }, 0 },
        { MODEL_USER, text_of("c"), NULL, 0, { 0 }, 0 },
    };
    const model_tool tool = { "run", "Runs it.", "{\"type\":\"object\"}" };
    model_request request = { .messages = messages,
                              .message_count = 9,
                              .tools = &tool,
                              .tool_count = 1,
                              .temperature = 1.5,
                              .max_tokens = 50 };
    assert_written(
        d, &request, 1, DIALECT_NO_CACHING,
        "{\"model\":\"m\",\"max_tokens\":50,\"system\":\"Be brief.\",\"messages\":["
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
        "{\"type\":\"text\",\"text\":\"b\"}]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Well.\"},"
        "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{\"code\": \"1\"}},"
        "{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"run\",\"input\":{\"invalid\":\"oops\"}}]},"
        "{\"role\":\"user\",\"content\":["
        "{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":\"1\"},"
        "{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"content\":\"bad\",\"is_error\":true},"
        "{\"type\":\"text\",\"text\":\"go on\"}]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"(empty)\"}]},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"c\"}]}],"
        "\"tools\":[{\"name\":\"run\",\"description\":\"Runs it.\",\"input_schema\":"
        "{\"type\":\"object\"}}],\"temperature\":1,\"stream\":true}");
}

#define EPHEMERAL ",\"cache_control\":{\"type\":\"ephemeral\"}"

/* The system's message always, and all of a talk that goes on. */
static void what_comes_again_is_marked_for_the_cache(void **state)
{
    const model_message messages[] = {
        { MODEL_SYSTEM, text_of("s"), NULL, 0, { 0 }, 0 },
        { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 },
        { MODEL_ASSISTANT, text_of("b"), NULL, 0, { 0 }, 0 },
        { MODEL_USER, text_of("c"), NULL, 0, { 0 }, 0 },
    };
    model_request request = { .messages = messages, .temperature = -1, .max_tokens = 9 };
#define CACHED_SYSTEM                                                                           \
    "{\"model\":\"m\",\"max_tokens\":9,\"system\":[{\"type\":\"text\",\"text\":\"s\"" EPHEMERAL \
    "}],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}"
    request.message_count = 2;
    assert_written(d, &request, 0, 0, CACHED_SYSTEM "]}");
    request.message_count = 4;
    assert_written(d, &request, 0, 0,
                   CACHED_SYSTEM
                   ",{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
                   "\"b\"}]},{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                   "\"text\":\"c\"" EPHEMERAL "}]}]}");
}

static void a_shape_is_a_tool_that_must_be_called(void **state)
{
    const model_message message = { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 };
    const model_shape shape = { "verdict", "Gives it.", "{\"type\":\"object\"}" };
    const model_request request = { .messages = &message,
                                    .message_count = 1,
                                    .shape = &shape,
                                    .temperature = -1,
                                    .max_tokens = 9 };
#define SHAPELESS                                                                      \
    "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":[" \
    "{\"type\":\"text\",\"text\":\"a\"}]}]"
    assert_written(d, &request, 0, 0,
                   SHAPELESS ",\"tools\":[{\"name\":\"verdict\",\"description\":\"Gives it.\","
                             "\"input_schema\":{\"type\":\"object\"}}],\"tool_choice\":"
                             "{\"type\":\"tool\",\"name\":\"verdict\"}}");
    assert_written(d, &request, 0, DIALECT_NO_SHAPE, SHAPELESS "}");
}

static void images_stand_before_the_text_of_the_first_question(void **state)
{
    const model_message messages[] = { { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 },
                                       { MODEL_ASSISTANT, text_of("b"), NULL, 0, { 0 }, 0 },
                                       { MODEL_USER, text_of("c"), NULL, 0, { 0 }, 0 } };
    const model_image image = { "image/png", text_of("QUJD") };
    const model_request request = { .messages = messages,
                                    .message_count = 3,
                                    .images = &image,
                                    .image_count = 1,
                                    .temperature = -1,
                                    .max_tokens = 9 };
    assert_written(
        d, &request, 0, DIALECT_NO_CACHING,
        "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":["
        "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
        "\"image/png\",\"data\":\"QUJD\"}},{\"type\":\"text\",\"text\":\"a\"}]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"c\"}]}]}");
}

static void a_reply_must_have_a_bound(void **state)
{
    const model_message message = { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 };
    model_request request = { .messages = &message, .message_count = 1, .temperature = 0.5 };
#define REST ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]}"
    assert_written(d, &request, 0, DIALECT_NO_TEMPERATURE,
                   "{\"model\":\"m\",\"max_tokens\":4096" REST);
    request.max_tokens = SNUG_UNLIMITED;
    request.temperature = -1;
    assert_written(d, &request, 0, 0, "{\"model\":\"m\",\"max_tokens\":4096" REST);
}

static void a_whole_reply_is_read(void **state)
{
    dialect_reader r;
    model_reply reply;
    assert_int_equal(
        read_whole(&r, &reply, d,
                   "{\"type\":\"message\",\"role\":\"assistant\",\"content\":["
                   "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"},"
                   "{\"type\":\"redacted_thinking\",\"data\":\"x\"},"
                   "{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"x\","
                   "\"name\":\"f\",\"input\":{\"b\": [1]}},{\"type\":\"text\",\"text\":\"c\"},"
                   "{\"type\":\"tool_use\",\"id\":\"y\",\"name\":\"g\",\"input\":{}}],"
                   "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":10,"
                   "\"cache_creation_input_tokens\":2,\"cache_read_input_tokens\":3,"
                   "\"output_tokens\":4}}"),
        SNUG_OK);
    assert_reply(&r, "ac;t;end;x/f/{\"b\": [1]};y/g/{}");
    assert_int_equal(reply.usage.input_tokens, 15);
    assert_int_equal(reply.usage.cached_tokens, 3);
    assert_int_equal(reply.usage.written_tokens, 2);
    assert_int_equal(reply.usage.output_tokens, 4);
    assert_true(r.is_complete);
    done(&r);
}

static void reasons_to_stop_are_told_apart(void **state)
{
    static const char *const cases[][2] = {
        { "end_turn", "a;;end" },      { "stop_sequence", "a;;end" },
        { "max_tokens", "a;;length" }, { "model_context_window_exceeded", "a;;length" },
        { "refusal", "a;;refusal" },   { "pause_turn", "a;;end" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dialect_reader r;
        model_reply reply;
        char text[200];
        snprintf(text, sizeof text,
                 "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"stop_reason\":\"%s\"}",
                 cases[i][0]);
        assert_int_equal(read_whole(&r, &reply, d, text), SNUG_OK);
        assert_reply(&r, cases[i][1]);
        done(&r);
    }
}

#define START(usage) "{\"type\":\"message_start\",\"message\":{\"content\":[],\"usage\":" usage "}}"
#define BLOCK(index, block) \
    "{\"type\":\"content_block_start\",\"index\":" #index ",\"content_block\":" block "}"
#define DELTA(index, delta) \
    "{\"type\":\"content_block_delta\",\"index\":" #index ",\"delta\":" delta "}"
#define END(reason, usage) \
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":" reason "},\"usage\":" usage "}"
#define STOP "{\"type\":\"message_stop\"}"

static void a_stream_is_read(void **state)
{
    static const char *const events[] = {
        START("{\"input_tokens\":10,\"cache_read_input_tokens\":5,\"output_tokens\":1}"),
        "{\"type\":\"ping\"}",
        BLOCK(0, "{\"type\":\"thinking\",\"thinking\":\"\"}"),
        DELTA(0, "{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}"),
        DELTA(0, "{\"type\":\"signature_delta\",\"signature\":\"x\"}"),
        BLOCK(1, "{\"type\":\"text\",\"text\":\"\"}"),
        DELTA(1, "{\"type\":\"text_delta\",\"text\":\"a\"}"),
        DELTA(1, "{\"type\":\"text_delta\",\"text\":\"b\"}"),
        "{\"type\":\"content_block_stop\",\"index\":1}",
        BLOCK(2, "{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"f\",\"input\":{}}"),
        DELTA(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"\"}"),
        DELTA(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\": \"}"),
        DELTA(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}"),
        BLOCK(3, "{\"type\":\"tool_use\",\"id\":\"y\",\"name\":\"g\",\"input\":{}}"),
        "{\"type\":\"something_new\"}",
        END("\"tool_use\"", "{\"output_tokens\":20}"),
        STOP,
        NULL,
    };
    dialect_reader r;
    model_reply reply;
    assert_int_equal(read_events(&r, &reply, d, events), SNUG_OK);
    assert_reply(&r, "ab;hm;end;x/f/{\"a\": 1};y/g/{}");
    assert_int_equal(reply.usage.input_tokens, 15);
    assert_int_equal(reply.usage.cached_tokens, 5);
    assert_int_equal(reply.usage.output_tokens, 20);
    assert_true(r.is_complete && r.is_ended);
    done(&r);
}

static void a_stream_is_complete_at_its_reason(void **state)
{
    static const char *const cut[] = { START("{}"),
                                       DELTA(0, "{\"type\":\"text_delta\",\"text\":"
                                                "\"a\"}"),
                                       NULL };
    static const char *const reason[] = { START("{}"), END("\"end_turn\"", "{}"), NULL };
    dialect_reader r;
    model_reply reply;
    assert_int_equal(read_events(&r, &reply, d, cut), SNUG_OK);
    assert_false(r.is_complete);
    done(&r);
    assert_int_equal(read_events(&r, &reply, d, reason), SNUG_OK);
    assert_true(r.is_complete && !r.is_ended);
    done(&r);
}

static void errors_in_a_stream_have_the_status_of_their_type(void **state)
{
    static const struct {
        const char *type;
        int status;
    } cases[] = {
        { "overloaded_error", 529 }, { "rate_limit_error", 429 },
        { "api_error", 0 },          { "authentication_error", 401 },
        { "billing_error", 402 },    { "invalid_request_error", 400 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char event[200];
        const char *const events[] = { event, NULL };
        dialect_reader r;
        model_reply reply;
        snprintf(event, sizeof event,
                 "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"m\"}}",
                 cases[i].type);
        assert_int_equal(read_events(&r, &reply, d, events), SNUG_OK);
        assert_true(r.error.is_present);
        assert_int_equal(r.error.status, cases[i].status);
        assert_string_equal(str_text(&r.error.message), "m");
        done(&r);
    }
}

static void a_text_that_is_no_reply_is_refused(void **state)
{
    static const char *const texts[] = { "", "3", "{}", "{\"content\":\"a\"}", "{\"content\":[" };
    static const char *const events[] = { "3", "{}", "[DONE]", "{\"type\":" };
    dialect_reader r;
    model_reply reply;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_whole(&r, &reply, d, texts[i]), SNUG_EINVAL);
        assert_non_null(r.problem);
        done(&r);
    }
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const char *const one[] = { events[i], NULL };
        assert_int_equal(read_events(&r, &reply, d, one), SNUG_EINVAL);
        assert_non_null(r.problem);
        done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_turns_of_blocks),
        cmocka_unit_test(what_comes_again_is_marked_for_the_cache),
        cmocka_unit_test(a_shape_is_a_tool_that_must_be_called),
        cmocka_unit_test(images_stand_before_the_text_of_the_first_question),
        cmocka_unit_test(a_reply_must_have_a_bound),
        cmocka_unit_test(a_whole_reply_is_read),
        cmocka_unit_test(reasons_to_stop_are_told_apart),
        cmocka_unit_test(a_stream_is_read),
        cmocka_unit_test(a_stream_is_complete_at_its_reason),
        cmocka_unit_test(errors_in_a_stream_have_the_status_of_their_type),
        cmocka_unit_test(a_text_that_is_no_reply_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
