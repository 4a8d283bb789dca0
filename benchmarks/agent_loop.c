/*
 * agent_loop.c - what the agent's loop costs without the model: microseconds an attempt.
 *
 *     snug_agent_loop [QUESTIONS]
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

/* ---- the model ---------------------------------------------------------------------- */

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
    char text[1024], head[256];
    int text_len = snprintf(text, sizeof text,
                            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":"
                            "\"```python\\n%s\\n```\"},\"finish_reason\":\"stop\"}],"
                            "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9}}",
                            program);
    int head_len = snprintf(head, sizeof head,
                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                            "Content-Length: %d\r\n\r\n",
                            text_len);
    return write(fd, head, (size_t)head_len) == head_len &&
           write(fd, text, (size_t)text_len) == text_len;
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

/* ---- the measurement ------------------------------------------------------------------ */

typedef struct sample {
    double loop, scan, execute; /* microseconds */
} sample;

static sample ask(snug_agent *agent)
{
    snug_reply *reply;
    if (snug_agent_ask(&reply, agent, "What is their sum?", NULL))
        die("%s", snug_error_message());
    if (snug_reply_get_status(reply) != SNUG_REPLY_ANSWERED)
        die("%s", snug_reply_error(reply));
    cJSON *json = cJSON_Parse(snug_reply_text(reply, SNUG_FORMAT_JSON, NULL));
    const cJSON *timing = cJSON_GetObjectItemCaseSensitive(json, "timing_ms");
    const char *models[] = { "generate", "improve", "evaluate", "reply" };
    sample s = { .loop = cJSON_GetObjectItemCaseSensitive(timing, "total")->valuedouble * 1e3,
                 .scan = cJSON_GetObjectItemCaseSensitive(timing, "scan")->valuedouble * 1e3,
                 .execute =
                     cJSON_GetObjectItemCaseSensitive(timing, "execute")->valuedouble * 1e3 };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        s.loop -= cJSON_GetObjectItemCaseSensitive(timing, models[i])->valuedouble * 1e3;
    cJSON_Delete(json);
    snug_reply_free(reply);
    return s;
}

static double turn(snug_session *session)
{
    snug_result *result;
    uint64_t start = now_ns();
    if (snug_session_run(&result, session, source, sizeof source - 1, NULL))
        die("%s", snug_error_message());
    snug_result_free(result);
    return (double)(now_ns() - start) / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
    int listener;
    char url[64];
    snug_host *host;
    snug_agent *agent;
    snug_agent_options options = SNUG_AGENT_OPTIONS_INIT;
    if (count < 10 || count > 100000)
        die("usage: snug_agent_loop [QUESTIONS], 10 to 100000");
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", start_model(&listener));
    options.model = "vllm:bench";
    options.base_url = url;
    options.answer = SNUG_ANSWER_RESULT;
    options.has_no_evaluation = 1;
    options.is_not_streaming = 1;
    if (snug_host_open(&host, NULL) || snug_agent_open(&agent, host, &options))
        die("%s", snug_error_message());
    double *values[4];
    for (size_t i = 0; i < 4; i++)
        if (!(values[i] = calloc(count, sizeof **values)))
            die("out of memory");
    for (size_t i = 0; i < 20; i++)
        ask(agent);
    for (size_t i = 0; i < count; i++) {
        if (i % 50 == 0 && snug_agent_reset(agent)) /* a conversation of fifty questions */
            die("%s", snug_error_message());
        sample s = ask(agent);
        values[0][i] = s.loop;
        values[1][i] = s.scan;
        values[2][i] = s.execute;
        values[3][i] = turn(snug_agent_session(agent));
    }
    double loop = median(values[0], count), bare = median(values[3], count);
    printf("an attempt without the model: %.0f us (scan %.0f us, cell %.0f us); the bare turn: "
           "%.1f us; ratio %.1f; medians of %zu questions\n",
           loop, median(values[1], count), median(values[2], count), bare, loop / bare, count);
    for (size_t i = 0; i < 4; i++)
        free(values[i]);
    snug_agent_close(agent);
    return snug_host_close(host) ? 1 : 0;
}
