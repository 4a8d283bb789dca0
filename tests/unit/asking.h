/*
 * asking.h - a model, a server that answers it, and what the tests of the client ask of both.
 */
#ifndef SNUG_TEST_ASKING_H
#define SNUG_TEST_ASKING_H

#include "test.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "agent/model/model.h"
#include "base/error.h"
#include "server.h"

#define KEY "sk-planted-0123456789"

#define HEAD(status, type) "HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n"
#define JSON(status)       HEAD(status, "application/json") "\r\n"
#define EVENTS             HEAD("200 OK", "text/event-stream; charset=utf-8") "\r\n"
#define CHUNK(said)        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" said "\"}}]}\n\n"
#define ROLE \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
#define FINISH "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE   "data: [DONE]\n\n"
#define WHOLE_BODY                                                 \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"4\"},"  \
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":7," \
    "\"completion_tokens\":1}}"
#define WHOLE JSON("200 OK") WHOLE_BODY

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

static inline void keep_text(void *payload, const char *text, size_t len)
{
    fixture *f = payload;
    assert_int_equal(str_append(&f->seen, text, len), SNUG_OK);
}

static inline void keep_retry(void *payload, const char *sentence, uint64_t wait_ms)
{
    fixture *f = payload;
    str_clear(&f->told);
    str_clear(&f->seen);
    assert_int_equal(str_add(&f->told, sentence), SNUG_OK);
    f->retries_told++;
}

static inline void start(fixture *f, const server_answer *answers, size_t count)
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

static inline void ask(fixture *f)
{
    if (!f->m && model_open(&f->m, &f->options))
        fail_msg("%s", error_message());
    model_reply_free(&f->reply);
    assert_int_equal(model_ask(&f->reply, f->m, &f->request), SNUG_OK);
}

static inline void finish(fixture *f)
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

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static inline void assert_fault(const fixture *f, model_fault fault, const char *part)
{
    if (f->reply.fault != fault)
        fail_msg("%s instead of %s: %s", model_fault_name(f->reply.fault), model_fault_name(fault),
                 str_text(&f->reply.sentence));
    assert_has(str_text(&f->reply.sentence), part);
    assert_has(str_text(&f->reply.sentence), f->options.name);
}

static inline void assert_answered(const fixture *f, const char *text)
{
    if (f->reply.fault)
        fail_msg("%s: %s", model_fault_name(f->reply.fault), str_text(&f->reply.sentence));
    assert_string_equal(str_text(&f->reply.text), text);
}

#define START(f, ...)                                \
    const server_answer answers[] = { __VA_ARGS__ }; \
    start(&(f), answers, sizeof answers / sizeof *answers)

#endif
