/*
 * agent.c - a question answered by a model's program: steps shown as they happen, a tool of this
 * program's that the model's code may call, a check of the result, and a second question that
 * finds the variables of the first.
 *
 *     SNUG_MODEL=ollama:qwen3 agent
 *     SNUG_MODEL=openai:gpt-4o-mini OPENAI_API_KEY=... agent
 */
#include <snug/agent.h>
#include <stdio.h>
#include <string.h>

static const char sales[] = "month,region,amount\n"
                            "2026-01,north,120\n2026-01,south,80\n"
                            "2026-02,north,90\n2026-02,south,150\n";

/* What the code passes comes as one JSON object, {"region": "north"}. */
static void target(void *payload, snug_call *call, const char *arguments)
{
    const char *answer = strstr(arguments, "\"north\"") ? "200" : "250";

    (void)payload;
    snug_call_return(call, answer, strlen(answer));
}

static void show(void *payload, const snug_agent_event *event)
{
    (void)payload;
    if (strcmp(event->name, "delta") != 0 && strcmp(event->name, "output") != 0)
        fprintf(stderr, "%s\n", event->name);
}

static int ask(snug_agent *agent, const char *question, const snug_agent_ask_options *options)
{
    snug_reply *reply;
    int is_answered;

    if (snug_agent_ask(&reply, agent, question, options)) {
        fprintf(stderr, "%s\n", snug_error_message());
        return 0;
    }
    is_answered = snug_reply_status(reply) == SNUG_AGENT_STATUS_ANSWERED;
    printf("Q: %s\n%s: %s\n", question, is_answered ? "A" : "no answer",
           is_answered ? snug_reply_answer(reply) : snug_reply_error(reply));
    snug_reply_free(reply);
    return is_answered;
}

static int converse(snug_agent *agent)
{
    const snug_agent_input input = { "sales.csv", NULL, sales, sizeof sales - 1 };
    const char *const checks[] = { "assert sum(total.values()) == 440", NULL };
    snug_tool tool = SNUG_TOOL_INIT;
    snug_agent_ask_options options = SNUG_AGENT_ASK_OPTIONS_INIT;

    tool.name = "target";
    tool.signature = "region: str";
    tool.doc = "The sales target of a region for both months.";
    tool.fn = target;
    if (snug_agent_bind_tool(agent, &tool)) {
        fprintf(stderr, "%s\n", snug_error_message());
        return 0;
    }
    options.inputs = &input;
    options.input_count = 1;
    options.checks = checks;
    return ask(agent, "Put the sales of each region into the dict total, and show it.", &options) &&
           ask(agent, "Which regions reached their target?", NULL);
}

int main(void)
{
    snug_host *host;
    snug_agent *agent = NULL;
    snug_agent_options options = SNUG_AGENT_OPTIONS_INIT;
    snug_agent_limits limits = SNUG_AGENT_LIMITS_INIT;
    int is_fine = 0;

    options.on_event = show;
    options.limits = &limits;
    limits.attempts = 4;
    if (snug_host_open(&host, NULL) || snug_agent_open(&agent, host, &options))
        fprintf(stderr, "%s\n", snug_error_message());
    else
        is_fine = converse(agent);
    snug_agent_close(agent);
    if (agent)
        snug_host_close(host);
    return is_fine ? 0 : 1;
}
