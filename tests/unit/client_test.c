#include "../pace.h"
#include "asking.h"

#include "base/clock.h"

/* ---- what comes ---- */

TEST(a_whole_reply_is_read)
{
    fixture f;
    START(f, { WHOLE });
    f.options.is_streaming = 0;
    ask(&f);
    assert_answered(&f, "4");
    assert_int_equal(f.reply.http_status, 200);
    assert_int_equal(f.reply.usage.requests, 1);
    assert_int_equal(f.reply.usage.input_tokens, 7);
    assert_int_equal(f.reply.usage.output_tokens, 1);
    assert_false(f.reply.usage.is_estimated);
    const char *sent = str_text(&f.server.requests[0]);
    assert_has(sent, "POST /v1/chat/completions HTTP/1.1\r\n");
    assert_has(sent, "Authorization: Bearer " KEY "\r\n");
    assert_has(sent, "Content-Type: application/json\r\n");
    assert_has(sent, "User-Agent: snug/0.");
    assert_has(sent, "\"content\":\"2 + 2?\"");
    assert_null(strstr(sent, "stream"));
    finish(&f);
}

TEST(a_stream_is_read_however_it_is_cut)
{
    static const char stream[] = EVENTS ": hello\n\n" CHUNK("a\\u00e9") CHUNK("b\\nc") FINISH
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,"
        "\"prompt_tokens_details\":{\"cached_tokens\":5}}}\n\n" DONE;
    for (size_t piece = 0; piece < 4; piece++) {
        fixture f;
        START(f, { stream, .piece = piece });
        ask(&f);
        assert_answered(&f, "a\xc3\xa9"
                            "b\nc");
        assert_string_equal(str_text(&f.seen), "a\xc3\xa9"
                                               "b\nc");
        assert_int_equal(f.reply.usage.input_tokens, 9);
        assert_int_equal(f.reply.usage.cached_tokens, 5);
        assert_has(str_text(&f.server.requests[0]), "\"stream\":true");
        finish(&f);
    }
}

TEST(anthropic_is_asked_in_its_own_way)
{
    fixture f;
    START(f, { EVENTS "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"
                      "{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n"
                      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\","
                      "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"four\"}}\n\n"
                      "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":"
                      "{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n"
                      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n" });
    f.options.name = "anthropic:test";
    ask(&f);
    assert_answered(&f, "four");
    assert_int_equal(f.reply.usage.output_tokens, 2);
    const char *sent = str_text(&f.server.requests[0]);
    assert_has(sent, "POST /v1/messages HTTP/1.1\r\n");
    assert_has(sent, "x-api-key: " KEY "\r\n");
    assert_has(sent, "anthropic-version: 2023-06-01\r\n");
    finish(&f);
}

TEST(a_whole_reply_is_taken_where_a_stream_was_asked_for)
{
    fixture f;
    START(f, { WHOLE });
    ask(&f);
    assert_answered(&f, "4");
    assert_string_equal(str_text(&f.seen), "4");
    finish(&f);
}

TEST(a_stream_of_no_type_is_one_where_it_was_asked_for)
{
    fixture f;
    START(f, { HEAD("200 OK", "text/plain") "\r\n" CHUNK("4") FINISH DONE },
          { "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" CHUNK("5") FINISH DONE });
    ask(&f);
    assert_answered(&f, "4");
    ask(&f);
    assert_answered(&f, "5");
    finish(&f);
}

TEST(usage_that_nobody_told_is_estimated)
{
    fixture f;
    START(f, { EVENTS CHUNK("12345") FINISH DONE });
    ask(&f);
    assert_answered(&f, "12345");
    assert_true(f.reply.usage.is_estimated);
    assert_int_equal(f.reply.usage.output_tokens, 2);
    assert_true(f.reply.usage.input_tokens > 10);
    finish(&f);
}

TEST(a_connection_is_used_again)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Content-Length: 124\r\n\r\n" WHOLE_BODY;
    fixture f;
    assert_int_equal(sizeof WHOLE_BODY - 1, 124);
    START(f, { answer, .keeps = 1 }, { answer });
    ask(&f);
    assert_answered(&f, "4");
    ask(&f);
    assert_answered(&f, "4");
    assert_int_equal(f.server.connection_count, 1);
    finish(&f);
}

TEST(a_proxy_is_used_for_other_machines_only)
{
    char proxy[64];
    for (int is_other = 0; is_other < 2; is_other++) {
        fixture f;
        START(f, { WHOLE });
        /* Nobody listens on port 1. */
        snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", is_other ? f.server.port : 1);
        setenv("http_proxy", proxy, 1);
        if (is_other)
            snprintf(f.url, sizeof f.url, "http://models.example/v1");
        ask(&f);
        unsetenv("http_proxy");
        assert_answered(&f, "4");
        assert_has(str_text(&f.server.requests[0]),
                   is_other ? "POST http://models.example/v1/chat/completions HTTP/1.1\r\n"
                            : "POST /v1/chat/completions HTTP/1.1\r\n");
        finish(&f);
    }
}

TEST(a_reply_whose_end_came_is_not_waited_for)
{
    fixture f;
    START(f, { EVENTS CHUNK("4") DONE, .holds = 1 });
    uint64_t begun = clock_now_ns();
    ask(&f);
    assert_answered(&f, "4");
    assert_false(is_late((double)(clock_now_ns() - begun) / 1e6, 5000));
    finish(&f);
}

TEST(a_stream_ends_at_its_error)
{
    fixture f;
    START(f, { EVENTS CHUNK("a") "data: {\"error\":{\"message\":\"no\",\"code\":400}}\n\n",
               .holds = 1 });
    uint64_t begun = clock_now_ns();
    ask(&f);
    assert_fault(&f, MODEL_BAD_REQUEST, "sent an error in its reply: no");
    assert_false(is_late((double)(clock_now_ns() - begun) / 1e6, 5000));
    finish(&f);
}

/* ---- what is tried again ---- */

TEST(what_passes_is_tried_again)
{
    static const struct {
        const char *answer, *told;
    } cases[] = {
        { HEAD("429 Too Many", "application/json") "Retry-After: 0\r\n\r\n{\"error\":{\"message\":"
                                                   "\"slow down\",\"type\":\"requests\"}}",
          "answered 429: slow down" },
        { JSON("500 No") "{\"error\":\"oh\"}", "answered 500: oh" },
        { JSON("502 No") "<html>a page</html>", "answered 502" },
        { JSON("529 No") "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                         "\"message\":\"Overloaded\"}}",
          "answered 529: Overloaded" },
        { EVENTS CHUNK("half"), "broke off before its end" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndata: ", "broke: " },
        { "HTTP/1.1 200 OK\r\nContent-Le", "broke off before its end" },
        { "", "broke: " },
        { EVENTS CHUNK("half") "data: <garbage>\n\n", "no reply in its provider's shape: " },
        { JSON("200 OK") "{\"choices\":[{\"index\":0,", "shape: it is not JSON" },
        { JSON("200 OK") "{\"object\":\"list\"}", "shape: it has no choices" },
        { "garbage\r\n\r\n", "the connection to" },
        { EVENTS CHUNK("half") "data: {\"error\":{\"message\":\"it fell over\"}}\n\n",
          "sent an error in its reply: it fell over" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        START(f, { cases[i].answer }, { EVENTS CHUNK("4") FINISH DONE });
        ask(&f);
        assert_answered(&f, "4");
        assert_string_equal(str_text(&f.seen), "4");
        assert_int_equal(f.retries_told, 1);
        assert_int_equal(f.reply.usage.requests, 2);
        assert_has(str_text(&f.told), cases[i].told);
        finish(&f);
    }
}

TEST(retries_end)
{
    fixture f;
    START(f, { JSON("500 No") "{}" }, { JSON("500 No") "{}" }, { JSON("503 No") "{}" }, { WHOLE });
    ask(&f);
    assert_fault(&f, MODEL_UNAVAILABLE, "answered 503: {} (request 3 of 3)");
    assert_int_equal(f.reply.http_status, 503);
    assert_int_equal(f.server.request_count, 3);
    finish(&f);
}

TEST(what_does_not_pass_is_not_tried_again)
{
    static const struct {
        const char *answer, *part;
        model_fault fault;
    } cases[] = {
        { JSON("401 No") "{\"error\":{\"message\":\"Incorrect API key: " KEY ".\"}}",
          "answered 401: Incorrect API key: [key].", MODEL_KEY_REFUSED },
        { JSON("403 No") "no", "answered 403: no", MODEL_KEY_REFUSED },
        { JSON("400 No") "{\"error\":{\"message\":\"a\\nb\\u001b[1m\\u009bc\"}}",
          "answered 400: a b [1m c", MODEL_BAD_REQUEST },
        { JSON("404 No") "{\"error\":{\"message\":\"no such model\"}}", "404: no such model",
          MODEL_BAD_REQUEST },
        { JSON("402 No") "", "answered 402", MODEL_NO_QUOTA },
        { JSON("429 No") "{\"error\":{\"message\":\"You exceeded your current quota\",\"type\":"
                         "\"insufficient_quota\",\"code\":\"insufficient_quota\"}}",
          "your current quota", MODEL_NO_QUOTA },
        { HEAD("429 No", "text/plain") "Retry-After: 3600\r\n\r\nlater",
          "429: later; it asks to wait for 3600000 ms, which is longer than 5000 ms",
          MODEL_RATE_LIMITED },
        { JSON("404 No") "404 page not found", "404: 404 page not found; is the base URL right?",
          MODEL_BAD_REQUEST },
        { JSON("404 No") "", "404; is the base URL right?", MODEL_BAD_REQUEST },
        { JSON("404 No") "{\"detail\":\"Not Found\"}", "404: Not Found; is the base URL right?",
          MODEL_BAD_REQUEST },
        { HEAD("200 OK", "text/html") "\r\n<html>Log in</html>",
          "answered with a web page, and not as a model does; is the base URL right?",
          MODEL_BAD_REQUEST },
        { EVENTS "\n <!DOCTYPE html>", "answered with a web page", MODEL_BAD_REQUEST },
        { HEAD("307 Elsewhere", "text/plain") "Location: /else\r\n\r\n",
          "a redirect that is not followed, because the key would go along: /else",
          MODEL_BAD_REQUEST },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        START(f, { cases[i].answer }, { WHOLE });
        ask(&f);
        assert_fault(&f, cases[i].fault, cases[i].part);
        assert_int_equal(f.server.request_count, 1);
        finish(&f);
    }
}

TEST(a_base_url_without_its_version_is_told)
{
    static const char *const cases[] = { JSON("404 No") "404 page not found",
                                         JSON("200 OK") "<html></html>" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        START(f, { cases[i] }, { WHOLE });
        snprintf(f.url, sizeof f.url, "http://127.0.0.1:%d", f.server.port);
        ask(&f);
        assert_fault(&f, MODEL_BAD_REQUEST, "is the base URL right? It has no /v1 at its end");
        assert_int_equal(f.server.request_count, 1);
        finish(&f);
    }
}

TEST(a_long_message_is_cut_at_a_character)
{
    fixture f;
    str answer = { 0 };
    assert_int_equal(str_add(&answer, JSON("404 No")), SNUG_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(str_add(&answer, "\xc3\xa9"), SNUG_OK);
    START(f, { str_text(&answer) });
    ask(&f);
    assert_fault(&f, MODEL_BAD_REQUEST, "\xc3\xa9...");
    assert_int_equal(f.reply.sentence.len, strlen("openai:test answered 404: ") + 300 + 3);
    finish(&f);
    str_free(&answer);
}

TEST(a_refused_parameter_is_left_out_from_then_on)
{
    fixture f;
    START(f,
          { JSON("400 No") "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is "
                           "not supported with this model. Use 'max_completion_tokens' "
                           "instead.\",\"param\":\"max_tokens\",\"code\":"
                           "\"unsupported_parameter\"}}" },
          { JSON("400 No") "{\"error\":{\"message\":\"Unsupported value: 'temperature' does not "
                           "support 0.5 with this model.\",\"param\":\"temperature\",\"code\":"
                           "\"unsupported_value\"}}" },
          { WHOLE }, { WHOLE });
    f.options.retries = 0;
    ask(&f);
    assert_answered(&f, "4");
    assert_int_equal(f.retries_told, 0);
    assert_int_equal(f.reply.usage.requests, 3);
    ask(&f);
    assert_answered(&f, "4");
    assert_int_equal(f.reply.usage.requests, 1);
    assert_has(str_text(&f.server.requests[0]), "\"max_tokens\":100");
    assert_has(str_text(&f.server.requests[0]), "\"temperature\":0.5");
    for (size_t i = 2; i < 4; i++) {
        assert_has(str_text(&f.server.requests[i]), "\"max_completion_tokens\":100");
        assert_null(strstr(str_text(&f.server.requests[i]), "temperature"));
    }
    finish(&f);
}

/* ---- the key ---- */

TEST(a_key_that_comes_back_is_hidden)
{
    static const char said[] = "your key is " KEY ", sk-planted";
    fixture f;
    START(f, { EVENTS CHUNK("your key is sk-pl") CHUNK("anted-01234567") CHUNK("89, sk-planted")
                   FINISH DONE });
    ask(&f);
    assert_answered(&f, "your key is [key], sk-planted");
    assert_string_equal(str_text(&f.seen), "your key is [key], sk-planted");
    str text = { 0 };
    assert_int_equal(str_add(&text, said), SNUG_OK);
    assert_int_equal(model_hide_key(f.m, &text), SNUG_OK);
    assert_string_equal(str_text(&text), "your key is [key], sk-planted");
    str_free(&text);
    finish(&f);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
