/*
 * agent_loop.c - what the agent's loop costs without the model.
 *
 *     snug_agent_loop
 *
 * Speaks what bench.c speaks, and has one command:
 *
 *     attempt QUESTIONS    "median": an attempt without the model; "scan" and "cell", parts of it;
 *                          "turn": the bare turn
 *
 * The model is a thread of this process that answers each request at once with the same
 * program. From the time of a question that of its requests is taken away (the agent counts it
 * itself); what is left is prompts, extraction, scan, the cell and the reply. Beside it stands
 * the bare turn: the same program by snug_session_run in the same session.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <snug/agent.h>

#include "measure.h"

static const char program[] = "rows = [3, 1, 2]\\nprint(sorted(rows), sum(rows))";
static const char source[] = "rows = [3, 1, 2]\nprint(sorted(rows), sum(rows))";

/* ---- the model ---- */

static int answer_request(int fd, char *buffer, size_t size)
{
    size_t len = 0, want = 0;
    char *body = NULL;
    for (;;) {
        ssize_t got = read(fd, buffer + len, size - 1 - len);
        if (got <= 0)
            return 0;
        len += (size_t)got;
        buffer[len] = '\0';
        if (!body && (body = strstr(buffer, "\r\n\r\n"))) {
            const char *length = strcasestr(buffer, "content-length:");
            want = (size_t)(body + 4 - buffer) + (length ? strtoul(length + 15, NULL, 10) : 0);
        }
        if (body && len >= want)
            break;
        if (len == size - 1)
            return 0;
    }
    char text[1024], answer[2048];
    int text_len = snprintf(text, sizeof text,
                            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":"
                            "\"```python\\n%s\\n```\"},\"finish_reason\":\"stop\"}],"
                            "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9}}",
                            program);
    int len_all = snprintf(answer, sizeof answer,
                           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                           "Content-Length: %d\r\n\r\n%s",
                           text_len, text);
    return write(fd, answer, (size_t)len_all) == len_all; /* at once: two writes wait for an ACK */
}

static void *serve(void *arg)
{
    static char buffer[1 << 20];
    int listener = *(int *)arg, fd;
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        while (answer_request(fd, buffer, sizeof buffer))
            ;
        close(fd);
    }
    return NULL;
}

static int start_model(int *listener)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof address;
    pthread_t thread;
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*listener < 0 || bind(*listener, (struct sockaddr *)&address, len) ||
        listen(*listener, 4) || getsockname(*listener, (struct sockaddr *)&address, &len) ||
        pthread_create(&thread, NULL, serve, listener))
        die("the model could not be started");
    pthread_detach(thread);
    return ntohs(address.sin_port);
}

/* ---- the measurement ---- */

typedef struct sample {
    double loop, scan, execute; /* ns */
} sample;

static sample ask(snug_agent *agent)
{
    snug_reply *reply;
    if (snug_agent_ask(&reply, agent, "What is their sum?", NULL))
        die("%s", snug_error_message());
    if (snug_reply_status(reply) != SNUG_AGENT_STATUS_ANSWERED)
        die("%s", snug_reply_error(reply));
    cJSON *json = cJSON_Parse(snug_reply_text(reply, SNUG_REPLY_JSON, NULL));
    const cJSON *timing = cJSON_GetObjectItemCaseSensitive(json, "timing_ms");
    const char *models[] = { "generate", "improve", "evaluate", "reply" };
    sample s = { .loop = cJSON_GetObjectItemCaseSensitive(timing, "total")->valuedouble * 1e6,
                 .scan = cJSON_GetObjectItemCaseSensitive(timing, "scan")->valuedouble * 1e6,
                 .execute =
                     cJSON_GetObjectItemCaseSensitive(timing, "execute")->valuedouble * 1e6 };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        s.loop -= cJSON_GetObjectItemCaseSensitive(timing, models[i])->valuedouble * 1e6;
    cJSON_Delete(json);
    snug_reply_free(reply);
    return s;
}

static uint64_t turn(snug_session *session)
{
    snug_result *result;
    uint64_t start = now_ns();
    if (snug_session_run(&result, session, source, sizeof source - 1, NULL))
        die("%s", snug_error_message());
    snug_result_free(result);
    return now_ns() - start;
}

static void measure_attempts(snug_agent *agent, size_t count)
{
    static const char *const names[] = { "median", "scan", "cell", "turn" };
    samples figures[4] = { { 0 } };
    for (size_t i = 0; i < 20; i++)
        ask(agent);
    for (size_t i = 0; i < count; i++) {
        if (i % 50 == 0 && snug_agent_reset(agent)) /* a conversation of fifty questions */
            die("%s", snug_error_message());
        sample s = ask(agent);
        samples_add(&figures[0], (uint64_t)s.loop);
        samples_add(&figures[1], (uint64_t)s.scan);
        samples_add(&figures[2], (uint64_t)s.execute);
        samples_add(&figures[3], turn(snug_agent_session(agent)));
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf("%s\"%s\": %llu", i ? ", " : "{", names[i],
               (unsigned long long)samples_quantile(&figures[i], 0.5));
        samples_free(&figures[i]);
    }
    printf(", \"runs\": %zu}\n", count);
    fflush(stdout);
}

int main(void)
{
    char url[64], line[256];
    int listener;
    snug_host *host;
    snug_agent *agent;
    snug_agent_options options = SNUG_AGENT_OPTIONS_INIT;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", start_model(&listener));
    options.model = "vllm:bench";
    options.base_url = url;
    options.answer = SNUG_AGENT_ANSWER_RESULT;
    options.has_no_evaluation = 1;
    options.is_not_streaming = 1;
    if (snug_host_open(&host, NULL) || snug_agent_open(&agent, host, &options))
        die("%s", snug_error_message());
    printf("{\"version\": \"snug %s\", \"commands\": [\"attempt\"]}\n", snug_version());
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        size_t count = strncmp(line, "attempt ", 8) == 0 ? strtoul(line + 8, NULL, 10) : 0;
        if (count == 0)
            die("the command is: attempt QUESTIONS");
        measure_attempts(agent, count);
    }
    snug_agent_close(agent);
    return snug_host_close(host) ? 1 : 0;
}
