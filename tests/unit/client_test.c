#include "test.h"

#include <snug/snug.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/model.h"
#include "base/clock.h"
#include "base/error.h"
#include "server.h"

#define KEY "sk-planted-0123456789"

#define HEAD(status, type) "HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n"
#define JSON(status)       HEAD(status, "application/json") "\r\n"
#define EVENTS             HEAD("200 OK", "text/event-stream; charset=utf-8") "\r\n"
#define CHUNK(said)        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" said "\"}}]}\n\n"
#define FINISH             "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE               "data: [DONE]\n\n"
#define WHOLE_BODY                                                 \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"4\"},"  \
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":7," \
    "\"completion_tokens\":1}}"
#define WHOLE JSON("200 OK") WHOLE_BODY

/* ---- what each test has -------------------------------------------------- */

typedef struct fixture {
    server server;
    model *m;
    model_options options;
    char url[64];
    model_message message;
    model_request request;
    model_reply reply;
    str seen, told; /* by on_text and on_retry */
    unsigned retries_told;
} fixture;

static void keep_text(void *payload, const char *text, size_t len)
{
    fixture *f = payload;
    assert_int_equal(str_append(&f->seen, text, len), SNUG_OK);
}

static void keep_retry(void *payload, const char *sentence, uint64_t wait_ms)
{
    fixture *f = payload;
    (void)wait_ms;
    str_clear(&f->told);
    str_clear(&f->seen);
    assert_int_equal(str_add(&f->told, sentence), SNUG_OK);
    f->retries_told++;
}

static void start(fixture *f, const server_answer *answers, size_t count)
{
    static const char *const others[] = { "http_proxy",    "https_proxy",  "all_proxy",
                                          "no_proxy",      "HTTPS_PROXY",  "ALL_PROXY",
                                          "NO_PROXY",      "SSL_CERT_DIR", "SSL_CERT_FILE",
                                          "CURL_CA_BUNDLE" };
    *f = (fixture){ 0 };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        unsetenv(others[i]);
    setenv("OPENAI_API_KEY", KEY, 1);
    setenv("ANTHROPIC_API_KEY", KEY, 1);
    server_start(&f->server, answers, count);
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d/v1", f->server.port);
    f->options = (model_options){ .name = "openai:test",
                                  .base_url = f->url,
                                  .is_streaming = 1,
                                  .connect_ms = 10000,
                                  .first_token_ms = 10000,
                                  .idle_ms = 10000,
                                  .total_ms = 20000,
                                  .retries = 2,
                                  .backoff_ms = 1,
                                  .longest_wait_ms = 5000,
                                  .reply_bytes = 1 << 20 };
    f->message.role = MODEL_USER;
    assert_int_equal(str_add(&f->message.text, "2 + 2?"), SNUG_OK);
    f->request = (model_request){ .messages = &f->message,
                                  .message_count = 1,
                                  .temperature = 0.5,
                                  .max_tokens = 100,
                                  .deadline_ns = UINT64_MAX,
                                  .on_text = keep_text,
                                  .on_retry = keep_retry,
                                  .payload = f };
}

static void ask(fixture *f)
{
    if (!f->m && model_open(&f->m, &f->options))
        fail_msg("%s", error_message());
    model_reply_free(&f->reply);
    assert_int_equal(model_ask(&f->reply, f->m, &f->request), SNUG_OK);
}

static void finish(fixture *f)
{
    server_stop(&f->server);
    /* Wherever the key might have come. */
    assert_null(strstr(str_text(&f->reply.sentence), KEY));
    assert_null(strstr(str_text(&f->reply.text), KEY));
    assert_null(strstr(str_text(&f->seen), KEY));
    assert_null(strstr(str_text(&f->told), KEY));
    model_reply_free(&f->reply);
    model_close(f->m);
    model_message_free(&f->message);
    str_free(&f->seen);
    str_free(&f->told);
    server_free(&f->server);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static void assert_fault(const fixture *f, model_fault fault, const char *part)
{
    if (f->reply.fault != fault)
        fail_msg("%s instead of %s: %s", model_fault_name(f->reply.fault), model_fault_name(fault),
                 str_text(&f->reply.sentence));
    assert_has(str_text(&f->reply.sentence), part);
    assert_has(str_text(&f->reply.sentence), f->options.name);
}

static void assert_answered(const fixture *f, const char *text)
{
    if (f->reply.fault)
        fail_msg("%s: %s", model_fault_name(f->reply.fault), str_text(&f->reply.sentence));
    assert_string_equal(str_text(&f->reply.text), text);
}

#define START(f, ...)                                \
    const server_answer answers[] = { __VA_ARGS__ }; \
    start(&(f), answers, sizeof answers / sizeof *answers)

/* ---- what comes ---------------------------------------------------------- */

static void a_whole_reply_is_read(void **state)
{
    fixture f;
    (void)state;
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

static void a_stream_is_read_however_it_is_cut(void **state)
{
    static const char stream[] = EVENTS ": hello\n\n" CHUNK("a\\u00e9") CHUNK("b\\nc") FINISH
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,"
        "\"prompt_tokens_details\":{\"cached_tokens\":5}}}\n\n" DONE;
    (void)state;
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

static void anthropic_is_asked_in_its_own_way(void **state)
{
    fixture f;
    (void)state;
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

static void a_whole_reply_is_taken_where_a_stream_was_asked_for(void **state)
{
    fixture f;
    (void)state;
    START(f, { WHOLE });
    ask(&f);
    assert_answered(&f, "4");
    assert_string_equal(str_text(&f.seen), "4");
    finish(&f);
}

static void a_stream_of_no_type_is_one_where_it_was_asked_for(void **state)
{
    fixture f;
    (void)state;
    START(f, { HEAD("200 OK", "text/plain") "\r\n" CHUNK("4") FINISH DONE },
          { "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" CHUNK("5") FINISH DONE });
    ask(&f);
    assert_answered(&f, "4");
    ask(&f);
    assert_answered(&f, "5");
    finish(&f);
}

static void usage_that_nobody_told_is_estimated(void **state)
{
    fixture f;
    (void)state;
    START(f, { EVENTS CHUNK("12345") FINISH DONE });
    ask(&f);
    assert_answered(&f, "12345");
    assert_true(f.reply.usage.is_estimated);
    assert_int_equal(f.reply.usage.output_tokens, 2);
    assert_true(f.reply.usage.input_tokens > 10);
    finish(&f);
}

static void a_connection_is_used_again(void **state)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Content-Length: 124\r\n\r\n" WHOLE_BODY;
    fixture f;
    (void)state;
    assert_int_equal(sizeof WHOLE_BODY - 1, 124);
    START(f, { answer, .keeps = 1 }, { answer });
    ask(&f);
    assert_answered(&f, "4");
    ask(&f);
    assert_answered(&f, "4");
    assert_int_equal(f.server.connection_count, 1);
    finish(&f);
}

static void a_proxy_is_used_for_other_machines_only(void **state)
{
    char proxy[64];
    (void)state;
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

static void a_reply_whose_end_came_is_not_waited_for(void **state)
{
    fixture f;
    (void)state;
    START(f, { EVENTS CHUNK("4") DONE, .holds = 1 });
    uint64_t begun = clock_now_ns();
    ask(&f);
    assert_answered(&f, "4");
    assert_true(clock_now_ns() - begun < 5 * NS_PER_S);
    finish(&f);
}

static void a_stream_ends_at_its_error(void **state)
{
    fixture f;
    (void)state;
    START(f, { EVENTS CHUNK("a") "data: {\"error\":{\"message\":\"no\",\"code\":400}}\n\n",
               .holds = 1 });
    uint64_t begun = clock_now_ns();
    ask(&f);
    assert_fault(&f, MODEL_BAD_REQUEST, "sent an error in its reply: no");
    assert_true(clock_now_ns() - begun < 5 * NS_PER_S);
    finish(&f);
}

/* ---- what is tried again ------------------------------------------------- */

static void what_passes_is_tried_again(void **state)
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
        { JSON("200 OK") "{\"choices\":[{\"index\":0,", "shape: it is no JSON" },
        { JSON("200 OK") "{\"object\":\"list\"}", "shape: it has no choices" },
        { "garbage\r\n\r\n", "the connection to" },
        { EVENTS CHUNK("half") "data: {\"error\":{\"message\":\"it fell over\"}}\n\n",
          "sent an error in its reply: it fell over" },
    };
    (void)state;
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

static void retries_end(void **state)
{
    fixture f;
    (void)state;
    START(f, { JSON("500 No") "{}" }, { JSON("500 No") "{}" }, { JSON("503 No") "{}" }, { WHOLE });
    ask(&f);
    assert_fault(&f, MODEL_UNAVAILABLE, "answered 503: {} (request 3 of 3)");
    assert_int_equal(f.reply.http_status, 503);
    assert_int_equal(f.server.request_count, 3);
    finish(&f);
}

static void what_does_not_pass_is_not_tried_again(void **state)
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
        { HEAD("307 Elsewhere", "text/plain") "Location: /else\r\n\r\n",
          "a redirect that is not followed, because the key would go along: /else",
          MODEL_BAD_REQUEST },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        START(f, { cases[i].answer }, { WHOLE });
        ask(&f);
        assert_fault(&f, cases[i].fault, cases[i].part);
        assert_int_equal(f.server.request_count, 1);
        finish(&f);
    }
}

static void a_long_message_is_cut_at_a_character(void **state)
{
    fixture f;
    str answer = { 0 };
    (void)state;
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

static void a_refused_parameter_is_left_out_from_then_on(void **state)
{
    fixture f;
    (void)state;
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

/* ---- what does not come -------------------------------------------------- */

static void a_refused_connection_is_unavailable(void **state)
{
    fixture f;
    (void)state;
    START(f, { WHOLE });
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    /* Bound, so that nobody else listens there, and not listening. */
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(f.url, sizeof f.url, "http://127.0.0.1:%d/v1", ntohs(address.sin_port));
    ask(&f);
    assert_fault(&f, MODEL_UNAVAILABLE, "can not be reached at 127.0.0.1:");
    assert_int_equal(f.retries_told, 2);
    assert_int_equal(f.reply.http_status, 0);
    close(fd);
    finish(&f);
}

static void each_time_out_has_its_sentence(void **state)
{
    static const char begun[] = EVENTS CHUNK("a");
    static const struct {
        const char *answer, *part;
        uint64_t connect_ms, first_ms, idle_ms, total_ms;
    } cases[] = {
        { EVENTS, ": no answer from 127.0.0.1:", 20000, 30, 20000, 20000 },
        { "", "within 30 ms", 20000, 30, 20000, 20000 },
        { begun, ": nothing more came from 127.0.0.1:", 20000, 20000, 30, 20000 },
        { begun, "was not whole within 40 ms", 20000, 20000, 20000, 40 },
        { "", "was not whole within 40 ms", 20000, 20000, 20000, 40 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        START(f, { cases[i].answer, .holds = 1 });
        f.options.connect_ms = cases[i].connect_ms;
        f.options.first_token_ms = cases[i].first_ms;
        f.options.idle_ms = cases[i].idle_ms;
        f.options.total_ms = cases[i].total_ms;
        f.options.retries = 0;
        ask(&f);
        assert_fault(&f, MODEL_TIMED_OUT, cases[i].part);
        finish(&f);
    }
}

static void a_slow_connection_times_out(void **state)
{
    fixture f;
    (void)state;
    START(f, { "", .holds = 1 });
    /* The server never answers the beginning of TLS. */
    snprintf(f.url, sizeof f.url, "https://127.0.0.1:%d/v1", f.server.port);
    f.options.connect_ms = 30;
    f.options.retries = 1;
    ask(&f);
    assert_fault(&f, MODEL_TIMED_OUT, ": no connection to 127.0.0.1:");
    assert_has(str_text(&f.reply.sentence), "within 30 ms (request 2 of 2)");
    finish(&f);
}

static void certificates_are_those_of_the_environment(void **state)
{
    static const char *const variables[] = { "CURL_CA_BUNDLE", "SSL_CERT_FILE" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        START(f, { "", .holds = 1 });
        snprintf(f.url, sizeof f.url, "https://127.0.0.1:%d/v1", f.server.port);
        setenv(variables[i], "/nowhere/ca.pem", 1);
        ask(&f);
        unsetenv(variables[i]);
        assert_fault(&f, MODEL_UNAVAILABLE, "is not trusted at 127.0.0.1:");
        assert_has(str_text(&f.reply.sentence), "/nowhere/ca.pem");
        assert_int_equal(f.retries_told, 0);
        finish(&f);
    }
}

static void the_deadline_ends_a_request_and_all_retries(void **state)
{
    fixture f;
    (void)state;
    START(f, { "", .holds = 1 });
    f.request.deadline_ns = clock_deadline_ns(clock_now_ns(), 30);
    ask(&f);
    assert_fault(&f, MODEL_PAST_DEADLINE, "the time for the question was up");
    assert_int_equal(f.retries_told, 0);
    ask(&f);
    assert_fault(&f, MODEL_PAST_DEADLINE, "the time for the question was up");
    assert_int_equal(f.reply.usage.requests, 0);
    finish(&f);
}

static void a_wait_past_the_deadline_is_not_begun(void **state)
{
    fixture f;
    (void)state;
    START(f, { HEAD("429 No", "text/plain") "Retry-After: 4\r\n\r\nx" }, { WHOLE });
    f.request.deadline_ns = clock_deadline_ns(clock_now_ns(), 3000);
    ask(&f);
    assert_fault(&f, MODEL_PAST_DEADLINE, "answered 429: x; the time for the question is up");
    assert_true(clock_now_ns() < f.request.deadline_ns);
    finish(&f);
}

static void a_reply_that_is_too_large_is_given_up(void **state)
{
    fixture f;
    (void)state;
    START(f, { EVENTS CHUNK("0123456789") FINISH DONE }, { WHOLE });
    f.options.reply_bytes = 100;
    ask(&f);
    assert_fault(&f, MODEL_BAD_REPLY, "is over the limit of 100 bytes");
    assert_int_equal(f.reply.usage.requests, 1);
    finish(&f);
}

/* ---- cancelling ---------------------------------------------------------- */

static void *ask_in_thread(void *arg)
{
    ask(arg);
    return NULL;
}

static void a_request_is_cancelled_from_another_thread(void **state)
{
    static const char *const held[] = { "", EVENTS, EVENTS CHUNK("a") };
    (void)state;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        fixture f;
        pthread_t thread;
        START(f, { held[i], .holds = 1 });
        assert_int_equal(model_open(&f.m, &f.options), SNUG_OK);
        uint64_t begun = clock_now_ns();
        assert_int_equal(pthread_create(&thread, NULL, ask_in_thread, &f), 0);
        server_await(&f.server, 1);
        model_cancel(f.m);
        pthread_join(thread, NULL);
        assert_fault(&f, MODEL_CANCELLED, "was cancelled");
        assert_true(clock_now_ns() - begun < 5 * NS_PER_S);
        ask(&f);
        assert_fault(&f, MODEL_CANCELLED, "was cancelled");
        assert_int_equal(f.server.request_count, 1);
        finish(&f);
    }
}

static void cancel_on_retry(void *payload, const char *sentence, uint64_t wait_ms)
{
    fixture *f = payload;
    keep_retry(payload, sentence, wait_ms);
    assert_int_equal(wait_ms, 5000);
    model_cancel(f->m);
}

static void a_wait_for_a_retry_is_cancelled_and_resumed(void **state)
{
    fixture f;
    (void)state;
    START(f, { HEAD("429 No", "text/plain") "Retry-After: 5\r\n\r\nx" }, { WHOLE });
    f.request.on_retry = cancel_on_retry;
    ask(&f);
    assert_fault(&f, MODEL_CANCELLED, "was cancelled");
    assert_int_equal(f.reply.usage.requests, 1);
    model_resume(f.m);
    ask(&f);
    assert_answered(&f, "4");
    finish(&f);
}

static sem_t is_told;

static void post_retry(void *payload, const char *sentence, uint64_t wait_ms)
{
    keep_retry(payload, sentence, wait_ms);
    sem_post(&is_told);
}

static void a_wait_for_a_retry_is_cancelled_from_another_thread(void **state)
{
    fixture f;
    pthread_t thread;
    (void)state;
    START(f, { HEAD("429 No", "text/plain") "Retry-After: 60\r\n\r\nx" });
    f.options.longest_wait_ms = 60000;
    f.request.on_retry = post_retry;
    assert_int_equal(sem_init(&is_told, 0, 0), 0);
    assert_int_equal(model_open(&f.m, &f.options), SNUG_OK);
    assert_int_equal(pthread_create(&thread, NULL, ask_in_thread, &f), 0);
    sem_wait(&is_told);
    uint64_t begun = clock_now_ns();
    model_cancel(f.m);
    pthread_join(thread, NULL);
    assert_fault(&f, MODEL_CANCELLED, "was cancelled");
    assert_true(clock_now_ns() - begun < 5 * NS_PER_S);
    sem_destroy(&is_told);
    finish(&f);
}

/* ---- the key ------------------------------------------------------------- */

static void a_key_that_comes_back_is_hidden(void **state)
{
    static const char said[] = "your key is " KEY ", sk-planted";
    fixture f;
    (void)state;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_reply_is_read),
        cmocka_unit_test(a_stream_is_read_however_it_is_cut),
        cmocka_unit_test(anthropic_is_asked_in_its_own_way),
        cmocka_unit_test(a_whole_reply_is_taken_where_a_stream_was_asked_for),
        cmocka_unit_test(a_stream_of_no_type_is_one_where_it_was_asked_for),
        cmocka_unit_test(usage_that_nobody_told_is_estimated),
        cmocka_unit_test(a_connection_is_used_again),
        cmocka_unit_test(a_proxy_is_used_for_other_machines_only),
        cmocka_unit_test(a_reply_whose_end_came_is_not_waited_for),
        cmocka_unit_test(a_stream_ends_at_its_error),
        cmocka_unit_test(what_passes_is_tried_again),
        cmocka_unit_test(retries_end),
        cmocka_unit_test(what_does_not_pass_is_not_tried_again),
        cmocka_unit_test(a_long_message_is_cut_at_a_character),
        cmocka_unit_test(a_refused_parameter_is_left_out_from_then_on),
        cmocka_unit_test(a_refused_connection_is_unavailable),
        cmocka_unit_test(each_time_out_has_its_sentence),
        cmocka_unit_test(a_slow_connection_times_out),
        cmocka_unit_test(certificates_are_those_of_the_environment),
        cmocka_unit_test(the_deadline_ends_a_request_and_all_retries),
        cmocka_unit_test(a_wait_past_the_deadline_is_not_begun),
        cmocka_unit_test(a_reply_that_is_too_large_is_given_up),
        cmocka_unit_test(a_request_is_cancelled_from_another_thread),
        cmocka_unit_test(a_wait_for_a_retry_is_cancelled_and_resumed),
        cmocka_unit_test(a_wait_for_a_retry_is_cancelled_from_another_thread),
        cmocka_unit_test(a_key_that_comes_back_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
