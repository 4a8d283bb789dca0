#include "dialect.h"

static const dialect *const d = &dialect_openai;

static void a_request_is_a_chat(void **state)
{
    model_call call = { text_of("c1"), text_of("run"), text_of("{\"code\": \"1\"}") };
    model_call broken = { text_of("c2"), text_of("run"), text_of("{\"code") };
    model_call calls[] = { call, broken };
    const model_message messages[] = {
        { MODEL_SYSTEM, text_of("Be \"brief\"."), NULL, 0, { 0 }, 0 },
        { MODEL_USER, text_of("h\xc3\xa9\n\xff"), NULL, 0, { 0 }, 0 },
        { MODEL_ASSISTANT, { 0 }, calls, 2, { 0 }, 0 },
        { MODEL_TOOL, text_of("1"), NULL, 0, text_of("c1"), 0 },
    };
    const model_tool tool = { "run", "Runs it.", "{\"type\":\"object\"}" };
    model_request request = { .messages = messages,
                              .message_count = 4,
                              .tools = &tool,
                              .tool_count = 1,
                              .temperature = 0.25,
                              .max_tokens = 50 };
    assert_written(
        d, &request, 1, 0,
        "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be \\\"brief\\\".\"},"
        "{\"role\":\"user\",\"content\":\"h\xc3\xa9\\n\xef\xbf\xbd\"},"
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
        "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"run\",\"arguments\":"
        "\"{\\\"code\\\": \\\"1\\\"}\"}},"
        "{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"run\",\"arguments\":"
        "\"{\\\"invalid\\\":\\\"{\\\\\\\"code\\\"}\"}}]},"
        "{\"role\":\"tool\",\"content\":\"1\",\"tool_call_id\":\"c1\"}],"
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"run\",\"description\":"
        "\"Runs it.\",\"parameters\":{\"type\":\"object\"}}}],\"max_tokens\":50,"
        "\"temperature\":0.25,\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
}

static void a_shape_is_a_format_of_the_response(void **state)
{
    const model_message message = { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 };
    const model_shape shape = { "verdict", "Gives it.", "{\"type\":\"object\"}" };
    const model_request request = {
        .messages = &message, .message_count = 1, .shape = &shape, .temperature = -1
    };
#define SHAPELESS "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]"
    assert_written(d, &request, 0, 0,
                   SHAPELESS ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
                             "\"name\":\"verdict\",\"strict\":true,\"schema\":{\"type\":"
                             "\"object\"}}}}");
    assert_written(d, &request, 0, DIALECT_NO_SHAPE, SHAPELESS "}");
}

static void images_stand_behind_the_text_of_the_first_question(void **state)
{
    const model_message messages[] = { { MODEL_SYSTEM, text_of("s"), NULL, 0, { 0 }, 0 },
                                       { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 },
                                       { MODEL_USER, text_of("c"), NULL, 0, { 0 }, 0 } };
    const model_image images[] = { { "image/png", text_of("QUJD") },
                                   { "image/gif", text_of("REVG") } };
    const model_request request = { .messages = messages,
                                    .message_count = 3,
                                    .images = images,
                                    .image_count = 2,
                                    .temperature = -1 };
    assert_written(
        d, &request, 0, 0,
        "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,QUJD\"}},"
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/gif;base64,REVG\"}}]},"
        "{\"role\":\"user\",\"content\":\"c\"}]}");
}

static void what_is_not_wanted_or_not_taken_is_left_out(void **state)
{
    const model_message message = { MODEL_USER, text_of("a"), NULL, 0, { 0 }, 0 };
    model_request request = { .messages = &message, .message_count = 1, .temperature = -1 };
#define BEGUN "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]"
    assert_written(d, &request, 0, 0, BEGUN "}");
    request.max_tokens = SNUG_UNLIMITED;
    request.temperature = 0;
    assert_written(d, &request, 0, 0, BEGUN ",\"temperature\":0}");
    request.max_tokens = 9;
    assert_written(d, &request, 1,
                   DIALECT_NO_TEMPERATURE | DIALECT_COMPLETION_TOKENS | DIALECT_NO_STREAM_OPTIONS,
                   BEGUN ",\"max_completion_tokens\":9,\"stream\":true}");
}

static void a_whole_reply_is_read_with_what_servers_make_of_it(void **state)
{
#define CHOICE(message, finish) \
    "{\"choices\":[{\"index\":0,\"message\":" message ",\"finish_reason\":" finish "}]}"
    static const char *const cases[][2] = {
        { CHOICE("{\"content\":\"a\"}", "\"stop\""), "a;;end" },
        { CHOICE("{\"content\":null}", "\"stop\""), ";;end" },
        { CHOICE("{\"content\":\"a\"}", "null"), "a;;end" },
        { CHOICE("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"x\"},"
                 "{\"type\":\"text\",\"text\":\"b\"}]}",
                 "\"stop\""),
          "ab;;end" },
        { CHOICE("{\"content\":\"a\",\"reasoning_content\":\"t\"}", "\"stop\""), "a;t;end" },
        { CHOICE("{\"content\":\"a\",\"reasoning\":\"t\",\"reasoning_content\":null}",
                 "\"length\""),
          "a;t;length" },
        { CHOICE("{\"content\":\"\"}", "\"content_filter\""), ";;refusal" },
        { CHOICE("{\"content\":null,\"refusal\":\"No.\"}", "\"stop\""), "No.;;refusal" },
        { CHOICE("{\"content\":\"a\\ud83d\\ude00\\u0000\\ud83d\"}", "\"stop\""),
          "a\xf0\x9f\x98\x80" },
        { CHOICE("{\"content\":null,\"tool_calls\":[{\"id\":\"x\",\"type\":\"function\","
                 "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}},{\"function\":"
                 "{\"name\":\"g\",\"arguments\":{\"b\": 2}}},{\"id\":\"y\",\"function\":"
                 "{\"name\":\"h\"}}]}",
                 "\"tool_calls\""),
          ";;end;x/f/{\"a\":1};call_2/g/{\"b\": 2};y/h/{}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dialect_reader r;
        model_reply reply;
        assert_int_equal(read_whole(&r, &reply, d, cases[i][0]), SNUG_OK);
        assert_true(r.is_complete);
        if (i == 8) { /* a NUL in it, and half a pair */
            assert_int_equal(reply.text.len, 9);
            assert_memory_equal(reply.text.data, "a\xf0\x9f\x98\x80\0\xef\xbf\xbd", 9);
        } else {
            assert_reply(&r, cases[i][1]);
        }
        done(&r);
    }
}

static void a_text_that_is_no_reply_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "3",
        "nope",
        "{}",
        "{\"choices\":[]}",
        "{\"choices\":[3]}",
        "{\"choices\":{}}",
        "{\"choices\":[{}]} x",
        "{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dialect_reader r;
        model_reply reply;
        assert_int_equal(read_whole(&r, &reply, d, texts[i]), SNUG_EINVAL);
        assert_non_null(r.problem);
        assert_false(r.is_complete);
        done(&r);
    }
}

#define DELTA(delta) "{\"choices\":[{\"index\":0,\"delta\":" delta "}]}"
#define STOP(reason) "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}"

static void a_stream_is_read_with_what_servers_make_of_it(void **state)
{
    static const struct {
        const char *const events[8];
        const char *reply;
    } cases[] = {
        { { DELTA("{\"role\":\"assistant\",\"content\":\"\"}"), DELTA("{\"content\":\"a\"}"),
            DELTA("{\"content\":\"b\"}"), STOP("stop"), "[DONE]" },
          "ab;;end" },
        { { DELTA("{\"reasoning_content\":\"t\"}"), DELTA("{\"reasoning\":\"u\"}"),
            DELTA("{\"content\":\"a\"}"), STOP("length") },
          "a;tu;length" },
        { { DELTA("{\"refusal\":\"No\"}"), DELTA("{\"refusal\":\".\"}"), STOP("stop") },
          "No.;;refusal" },
        { { DELTA("{\"content\":\"a\"}"),
            "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}",
            "{\"type\":\"ping\"}", "{\"choices\":null}", "", STOP("stop") },
          "a;;end" },
        /* Side by side, by index. */
        { { DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"f\","
                  "\"arguments\":\"\"}},{\"index\":1,\"id\":\"y\",\"function\":{\"name\":\"g\","
                  "\"arguments\":\"{\"}}]}"),
            DELTA("{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"}\"}}]}"),
            DELTA("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":\"}}]}"),
            DELTA("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}"),
            STOP("tool_calls") },
          ";;end;x/f/{\"a\":1};y/g/{}" },
        /* Without an index: an id begins a call. */
        { { DELTA("{\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"f\","
                  "\"arguments\":\"{\"}}]}"),
            DELTA("{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]}"),
            DELTA("{\"tool_calls\":[{\"id\":\"y\",\"function\":{\"name\":\"g\","
                  "\"arguments\":\"{}\"}}]}"),
            STOP("tool_calls") },
          ";;end;x/f/{};y/g/{}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dialect_reader r;
        model_reply reply;
        assert_int_equal(read_events(&r, &reply, d, cases[i].events), SNUG_OK);
        assert_true(r.is_complete);
        assert_reply(&r, cases[i].reply);
        done(&r);
    }
}

static void a_stream_is_complete_at_its_reason_or_its_end(void **state)
{
    static const char *const cut[] = { DELTA("{\"content\":\"a\"}"), NULL };
    static const char *const ended[] = { DELTA("{\"content\":\"a\"}"), "[DONE]", NULL };
    static const char *const finished[] = { DELTA("{\"content\":\"a\"}"), STOP("stop"), NULL };
    dialect_reader r;
    model_reply reply;
    assert_int_equal(read_events(&r, &reply, d, cut), SNUG_OK);
    assert_false(r.is_complete);
    done(&r);
    assert_int_equal(read_events(&r, &reply, d, ended), SNUG_OK);
    assert_true(r.is_ended);
    done(&r);
    assert_int_equal(read_events(&r, &reply, d, finished), SNUG_OK);
    assert_true(r.is_complete && !r.is_ended);
    done(&r);
}

static void usage_is_counted_where_it_stands(void **state)
{
    static const char *const events[] = {
        DELTA("{\"content\":\"a\"}"),
        STOP("stop"),
        "{\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,"
        "\"prompt_tokens_details\":{\"cached_tokens\":4}}}",
        NULL,
    };
    static const char *const none[] = { STOP("stop"), "{\"choices\":[],\"usage\":null}",
                                        "{\"usage\":{\"prompt_tokens\":-1,"
                                        "\"completion_tokens\":1e3}}",
                                        NULL };
    dialect_reader r;
    model_reply reply;
    assert_int_equal(read_events(&r, &reply, d, events), SNUG_OK);
    assert_int_equal(reply.usage.input_tokens, 10);
    assert_int_equal(reply.usage.output_tokens, 2);
    assert_int_equal(reply.usage.cached_tokens, 4);
    assert_true(r.has_input_tokens && r.has_output_tokens);
    done(&r);
    assert_int_equal(read_events(&r, &reply, d, none), SNUG_OK);
    assert_false(r.has_input_tokens || r.has_output_tokens);
    done(&r);
}

static void garbage_and_errors_in_a_stream_are_seen(void **state)
{
    static const char *const garbage[] = { DELTA("{\"content\":\"a\"}"), "<html>", NULL };
    static const char *const no_object[] = { "[1]", NULL };
    static const char *const error[] = { "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":"
                                         "502}}",
                                         NULL };
    static const char *const limited[] = { "{\"error\":{\"message\":\"m\",\"code\":"
                                           "\"rate_limit_exceeded\"}}",
                                           NULL };
    dialect_reader r;
    model_reply reply;
    assert_int_equal(read_events(&r, &reply, d, garbage), SNUG_EINVAL);
    done(&r);
    assert_int_equal(read_events(&r, &reply, d, no_object), SNUG_EINVAL);
    done(&r);
    assert_int_equal(read_events(&r, &reply, d, error), SNUG_OK);
    assert_true(r.error.is_present);
    assert_int_equal(r.error.status, 502);
    assert_string_equal(str_text(&r.error.message), "m");
    done(&r);
    assert_int_equal(read_events(&r, &reply, d, limited), SNUG_OK);
    assert_int_equal(r.error.status, 429);
    done(&r);
}

static void calls_have_a_bound(void **state)
{
    dialect_reader r;
    model_reply reply = { 0 };
    int error = SNUG_OK;
    r = (dialect_reader){ .reply = &reply };
    for (int i = 0; i <= DIALECT_MOST_CALLS; i++) {
        char event[200];
        assert_int_equal(error, SNUG_OK);
        snprintf(event, sizeof event, DELTA("{\"tool_calls\":[{\"index\":%d}]}"), i);
        error = d->read_event(&r, event, strlen(event));
    }
    assert_int_equal(error, SNUG_EINVAL);
    assert_non_null(strstr(r.problem, "128"));
    done(&r);
}

/* ---- refusals ---- */

static void a_refusal_is_read_in_any_shape(void **state)
{
    static const char *const cases[][2] = {
        { "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"param\":\"p\",\"code\":\"c\"}}",
          "m;t;c;p" },
        { "{\"error\":\"m\"}", "m;;;" },
        { "{\"object\":\"error\",\"message\":\"m\",\"code\":404}", "m;;404;" },
        { "{\"detail\":\"m\"}", "m;;;" },
        { "{\"detail\":[{\"loc\":1}]}", "{\"detail\":[{\"loc\":1}]};;;" },
        { "plain", "plain;;;" },
        { "<!DOCTYPE html>", ";;;" },
        { " \n<html>", ";;;" },
        { "", ";;;" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dialect_error e = { 0 };
        str out = { 0 };
        assert_int_equal(dialect_read_refusal(&e, cases[i][0], strlen(cases[i][0])), SNUG_OK);
        assert_true(e.is_present);
        str_printf(&out, "%s;%s;%s;%s", str_text(&e.message), str_text(&e.type), str_text(&e.code),
                   str_text(&e.param));
        assert_string_equal(str_text(&out), cases[i][1]);
        str_free(&out);
        dialect_error_free(&e);
    }
}

static void only_a_parameter_that_is_not_supported_is_learnt(void **state)
{
    static const struct {
        int status;
        const char *body;
        unsigned quirk;
    } cases[] = {
        { 400,
          "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with "
          "this model. Use 'max_completion_tokens' instead.\",\"code\":\"invalid_request_body\"}}",
          DIALECT_COMPLETION_TOKENS },
        { 400,
          "{\"error\":{\"message\":\"x\",\"param\":\"temperature\",\"code\":"
          "\"unsupported_value\"}}",
          DIALECT_NO_TEMPERATURE },
        { 400, "{\"error\":{\"message\":\"`temperature` is deprecated for this model.\"}}",
          DIALECT_NO_TEMPERATURE },
        { 400,
          "{\"error\":{\"message\":\"`temperature` may only be set to 1 when thinking is "
          "enabled\"}}",
          DIALECT_NO_TEMPERATURE },
        { 400, "{\"error\":{\"message\":\"system.0.cache_control: what is this?\"}}",
          DIALECT_NO_CACHING },
        { 422, "{\"detail\":\"stream_options: extra inputs are not permitted\"}",
          DIALECT_NO_STREAM_OPTIONS },
        { 400, "{\"error\":{\"message\":\"temperature must be at most 2\"}}", 0 },
        { 400,
          "{\"error\":{\"message\":\"max_tokens and more\",\"param\":\"messages\",\"code\":"
          "\"unsupported_value\"}}",
          0 },
        { 500, "{\"error\":{\"message\":\"temperature is not supported\"}}", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dialect_error e = { 0 };
        assert_int_equal(dialect_read_refusal(&e, cases[i].body, strlen(cases[i].body)), SNUG_OK);
        assert_int_equal(dialect_learn(&e, cases[i].status, 0, 0), cases[i].quirk);
        assert_int_equal(dialect_learn(&e, cases[i].status, cases[i].quirk, 0), 0);
        dialect_error_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_a_chat),
        cmocka_unit_test(a_shape_is_a_format_of_the_response),
        cmocka_unit_test(images_stand_behind_the_text_of_the_first_question),
        cmocka_unit_test(what_is_not_wanted_or_not_taken_is_left_out),
        cmocka_unit_test(a_whole_reply_is_read_with_what_servers_make_of_it),
        cmocka_unit_test(a_text_that_is_no_reply_is_refused),
        cmocka_unit_test(a_stream_is_read_with_what_servers_make_of_it),
        cmocka_unit_test(a_stream_is_complete_at_its_reason_or_its_end),
        cmocka_unit_test(usage_is_counted_where_it_stands),
        cmocka_unit_test(garbage_and_errors_in_a_stream_are_seen),
        cmocka_unit_test(calls_have_a_bound),
        cmocka_unit_test(a_refusal_is_read_in_any_shape),
        cmocka_unit_test(only_a_parameter_that_is_not_supported_is_learnt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
