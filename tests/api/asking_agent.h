/*
 * asking_agent.h - of tests that ask an agent whose model is scripted. Included behind the test's
 * own struct fixture, which has at least: server, url, options, limits, agent, reply.
 */
#ifndef SNUG_TESTS_API_ASKING_AGENT_H
#define SNUG_TESTS_API_ASKING_AGENT_H

#include "../unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "../unit/server.h"
#include "form.h"

#include <snug/agent.h>

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define SAY(text)                                                                             \
    HEAD "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"" text \
         "\"},\"finish_reason\":\"stop\"}]}"
#define CODE(source) SAY("```python\\n" source "\\n```")

static snug_host *host;

static inline int open_host(void **state)
{
    setenv("OPENAI_API_KEY", "sk-planted-0123456789", 1);
    unsetenv("OPENAI_BASE_URL");
    unsetenv("SNUG_MODEL");
    return open_test_host(&host);
}

static inline int close_host(void **state)
{
    return snug_host_close(host);
}

static inline void start(fixture *f, const server_answer *answers, size_t count)
{
    *f = (fixture){ .options = SNUG_AGENT_OPTIONS_INIT, .limits = SNUG_AGENT_LIMITS_INIT };
    f->options.limits = &f->limits;
    server_start(&f->server, answers, count);
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d/v1", f->server.port);
    f->options.model = "openai:test";
    f->options.base_url = f->url;
    f->options.is_not_streaming = 1;
    f->options.has_no_evaluation = 1;
    f->options.answer = SNUG_AGENT_ANSWER_RESULT;
    f->limits.retries = 1;
    f->options.payload = f;
}

#define START(f, ...)                                       \
    static const server_answer answers[] = { __VA_ARGS__ }; \
    fixture f;                                              \
    start(&f, answers, sizeof answers / sizeof *answers)

static inline void open_agent(fixture *f)
{
    if (!f->agent && snug_agent_open(&f->agent, host, &f->options))
        fail_msg("%s", snug_error_message());
}

static inline void close_agent(fixture *f)
{
    snug_agent_close(f->agent);
    f->agent = NULL;
}

static inline void ask(fixture *f, const char *question)
{
    open_agent(f);
    snug_reply_free(f->reply);
    f->reply = NULL;
    if (snug_agent_ask(&f->reply, f->agent, question, NULL))
        fail_msg("%s", snug_error_message());
}

static inline void expect(const fixture *f, snug_agent_status status, const char *answer)
{
    if (snug_reply_status(f->reply) != status)
        fail_msg("%s: %s", snug_agent_status_name(snug_reply_status(f->reply)),
                 snug_reply_error(f->reply));
    assert_string_equal(snug_reply_answer(f->reply), answer);
    assert_int_equal(*snug_reply_error(f->reply) == '\0', status == SNUG_AGENT_STATUS_ANSWERED);
}

static inline int was_told(fixture *f, size_t request, const char *text)
{
    return strstr(str_text(&f->server.requests[request]), text) != NULL;
}

static inline void finish_asking(fixture *f)
{
    server_stop(&f->server);
    snug_reply_free(f->reply);
    close_agent(f);
    server_free(&f->server);
}

#endif
