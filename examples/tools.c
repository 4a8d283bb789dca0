/*
 * tools.c - three functions of the program that cells can call: one that answers at once, one that
 * fails, and one that is awaited and answered from other threads, out of order. The result of each
 * cell lists the calls that it made.
 */
#include <pthread.h>
#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const cells[] = {
    "prices = {item: price(item) for item in ('tea', 'milk')}\n"
    "prices",

    /* Both are under way at once; the one that was asked first is answered last. */
    "import asyncio\n"
    "await asyncio.gather(weather('Lima'), weather('Oslo'))",

    "try:\n"
    "    order('tea', count=2)\n"
    "except ToolError as error:\n"
    "    answer = f'no order: {error}'\n"
    "answer",

    "order('milk')",
};

/* What a cell passes comes as one JSON object, {"item": "tea"}; a program would parse it. */
static void price(void *payload, snug_call *call, const char *arguments)
{
    const char *answer = strstr(arguments, "\"tea\"") ? "4.5" : "1.25";

    (void)payload;
    snug_call_return(call, answer, strlen(answer));
}

static void order(void *payload, snug_call *call, const char *arguments)
{
    (void)payload;
    (void)arguments;
    snug_call_fail(call, "the shop is closed");
}

/* What takes long belongs to another thread: this one runs the cell. */
typedef struct station {
    snug_call *calls[2];
    int count;
    pthread_t thread;
} station;

static void *report(void *payload)
{
    station *s = payload;
    int i;

    for (i = 1; i >= 0; i--) {
        const char *answer = strstr(snug_call_arguments(s->calls[i]), "Lima")
                                 ? "{\"city\": \"Lima\", \"degrees\": 18}"
                                 : "{\"city\": \"Oslo\", \"degrees\": -3}";
        snug_call_return(s->calls[i], answer, strlen(answer));
    }
    return NULL;
}

/* Each call is answered once: those that wait for a second one, by main at the latest. */
static void weather(void *payload, snug_call *call, const char *arguments)
{
    station *s = payload;

    (void)arguments;
    if (s->count == 2) {
        snug_call_fail(call, "the station has two lines");
        return;
    }
    s->calls[s->count++] = call;
    if (s->count == 2 && pthread_create(&s->thread, NULL, report, s) != 0)
        abort();
}

static int bind_tools(snug_session *session, station *s)
{
    snug_tool tools[3] = { SNUG_TOOL_INIT, SNUG_TOOL_INIT, SNUG_TOOL_INIT };
    int error = SNUG_OK;
    size_t i;

    tools[0].name = "price";
    tools[0].signature = "item: str";
    tools[0].doc = "What an item costs.";
    tools[0].fn = price;
    tools[1].name = "order";
    tools[1].signature = "item: str, count: int = 1";
    tools[1].fn = order;
    tools[2].name = "weather";
    tools[2].signature = "city: str";
    tools[2].is_async = 1;
    tools[2].timeout_ms = 5000;
    tools[2].fn = weather;
    tools[2].payload = s;
    for (i = 0; i < 3 && !error; i++)
        error = snug_session_bind_tool(session, &tools[i]);
    return error;
}

static int run(snug_session *session, const char *source)
{
    snug_result *result;
    size_t i;
    int error = snug_session_run(&result, session, source, strlen(source), NULL);

    if (error)
        return error;
    if (snug_result_status(result) == SNUG_STATUS_OK)
        printf("value   %s\n", snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    else
        printf("error   %s: %s (%s)\n", snug_result_error_name(result),
               snug_result_error_value(result), snug_result_error_category(result));
    for (i = 0; i < snug_result_tool_call_count(result); i++) {
        const snug_tool_call *call = snug_result_tool_call(result, i);
        printf("call    %s %s\n", call->name, call->status);
    }
    snug_result_free(result);
    return SNUG_OK;
}

int main(void)
{
    snug_host *host = NULL;
    snug_session *session = NULL;
    station s = { { NULL, NULL }, 0, 0 };
    int error;
    size_t i;

    if (!(error = snug_host_open(&host, NULL)) &&
        !(error = snug_session_open(&session, host, NULL)))
        error = bind_tools(session, &s);
    for (i = 0; i < sizeof(cells) / sizeof(cells[0]) && !error; i++)
        error = run(session, cells[i]);
    if (error)
        fprintf(stderr, "%s\n", snug_error_message());
    if (s.count == 2)
        pthread_join(s.thread, NULL);
    else if (s.count == 1)
        snug_call_fail(s.calls[0], NULL);
    snug_session_close(session);
    snug_host_close(host);
    return error != SNUG_OK;
}
