/* The agent of agent.h: options, hooks, events, cancelling. The model is a script. */
#include "../unit/test.h"

#include <pthread.h>

#include "form.h"

#include <snug/agent.h>

#include "../unit/server.h"

/* ---- what each test has ---- */

typedef struct fixture {
    server server;
    char url[64];
    snug_agent_options options;
    snug_agent_limits limits;
    snug_agent *agent;
    snug_reply *reply;

    /* Of the callbacks. */
    str names;     /* of the events, "generate generated ..." */
    int is_broken; /* an event was not as it must be */
    int scans, evaluations, outputs;
    snug_agent_verdict verdicts[4];
    snug_agent_step from, to; /* to where a route goes, from where; once */
    int has_route;
    int cancels_at_output, cancels_at_generate, asks_at_generate;
    int asked, reset; /* what came of that */
} fixture;

#include "asking_agent.h"

#define VERDICT(word, answer)         \
    SAY("{\\\"verdict\\\": \\\"" word \
        "\\\", \\\"reason\\\": \\\"so it is\\\", \\\"answer\\\": \\\"" answer "\\\"}")
#define HTTP_404 "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nnothing"

static void finish(fixture *f)
{
    finish_asking(f);
    str_free(&f->names);
}

/* ---- opening ---- */

static void refused(const snug_agent_options *options, const char *says)
{
    snug_agent *agent = NULL;
    const int is_missing = strncmp(says, "/nothing", 8) == 0;
    assert_int_equal(snug_agent_open(&agent, host, options),
                     is_missing ? SNUG_ESYSTEM : SNUG_EINVAL);
    assert_null(agent);
    if (!strstr(snug_error_message(), says))
        fail_msg("\"%s\" is not in: %s", says, snug_error_message());
}

TEST(options_that_are_not_right_are_named)
{
    snug_agent_options o = SNUG_AGENT_OPTIONS_INIT;
    refused(NULL, "no model is named");
    refused(&o, "no model is named");
    o.model = "opneai:x";
    refused(&o, "is it \"openai\"?");
    o.model = "openai:x";
    o.evaluation_model = "x";
    refused(&o, "has no provider");
    o.evaluation_model = NULL;
    o.base_url = "ftp://127.0.0.1";
    refused(&o, "not an http or https URL");
    o.base_url = NULL;
    o.key_file = "/nothing/there";
    refused(&o, "/nothing/there");
    o.key_file = NULL;
    o.prices_file = "/nothing/prices";
    refused(&o, "/nothing/prices");
    o.prices_file = NULL;
    snug_agent_limits limits = SNUG_AGENT_LIMITS_INIT;
    limits.cost_microusd = 1;
    o.limits = &limits;
    refused(&o, "a limit of cost needs a price for openai:x");
    o.limits = NULL;
    o.mode = (snug_agent_mode)7;
    refused(&o, "mode 7");
    o.mode = SNUG_AGENT_MODE_SOLVE;
    o.temperature = 3;
    refused(&o, "temperature 3");
    o.temperature = 0;
    o.size = 0;
    refused(&o, "SNUG_AGENT_OPTIONS_INIT");
}

TEST(a_session_that_can_not_be_opened_leaves_no_agent)
{
    snug_agent_options o = SNUG_AGENT_OPTIONS_INIT;
    snug_session_options session = SNUG_SESSION_OPTIONS_INIT;
    snug_agent *agent = NULL;
    session.profile = "nothing";
    o.model = "openai:x";
    o.session = &session;
    assert_int_not_equal(snug_agent_open(&agent, host, &o), SNUG_OK);
    assert_null(agent);
    assert_non_null(strstr(snug_error_message(), "nothing"));
}

TEST(each_limit_is_described)
{
    size_t count = 0;
    for (const snug_limit_description *l; (l = snug_agent_limit_info(count)); count++) {
        assert_true(*l->name && *l->about);
        assert_true(l->default_value > 0);
    }
    assert_int_equal(sizeof(size_t) + count * sizeof(uint64_t), sizeof(snug_agent_limits));
}

TEST(a_model_is_checked_by_its_name_alone)
{
    assert_int_equal(snug_agent_check_model("openai:gpt-4o"), SNUG_OK);
    assert_int_equal(snug_agent_check_model("ollama:qwen3:8b"), SNUG_OK);
    assert_int_equal(snug_agent_check_model("gpt-4o"), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "\"gpt-4o\" has no provider"));
    assert_int_equal(snug_agent_check_model("opnai:gpt-4o"), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "is it \"openai\"?"));
    assert_int_equal(snug_agent_check_model(NULL), SNUG_EINVAL);
}

/* ---- asking ---- */

static void not_asked(fixture *f, const char *question, const snug_agent_ask_options *options,
                      const char *says)
{
    snug_reply *reply = NULL;
    assert_int_not_equal(snug_agent_ask(&reply, f->agent, question, options), SNUG_OK);
    assert_null(reply);
    if (!strstr(snug_error_message(), says))
        fail_msg("\"%s\" is not in: %s", says, snug_error_message());
}

TEST(what_is_asked_wrongly_is_an_error_and_sends_nothing)
{
    START(f, { CODE("6 * 7") });
    snug_agent_ask_options o = SNUG_AGENT_ASK_OPTIONS_INIT;
    snug_agent_mode mode = (snug_agent_mode)9;
    snug_agent_input input = { .name = "", .data = "x", .len = 1 };
    open_agent(&f);
    not_asked(&f, NULL, NULL, "question is NULL");
    o.size = 1;
    not_asked(&f, "?", &o, "SNUG_AGENT_ASK_OPTIONS_INIT");
    o.size = sizeof o;
    o.expect = "(";
    not_asked(&f, "?", &o, "not an extended regular expression");
    o.expect = NULL;
    o.mode = &mode;
    not_asked(&f, "?", &o, "mode 9");
    o.mode = NULL;
    o.inputs = &input;
    o.input_count = 1;
    not_asked(&f, "?", &o, "an input has no name");
    input = (snug_agent_input){ .name = "x", .path = "/nothing/x" };
    not_asked(&f, "?", &o, "/nothing/x");
    input = (snug_agent_input){ .name = "class", .data = "x", .len = 1 };
    not_asked(&f, "?", &o, "class");
    input = (snug_agent_input){ .name = "x", .data = "\xff", .len = 1 };
    not_asked(&f, "?", &o, "not text");
    assert_int_equal(f.server.request_count, 0);
    ask(&f, "What is six times seven?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    finish(&f);
}

TEST(inputs_from_memory_are_variables_and_files)
{
    START(f, { CODE("[data['a'], text, open('a.csv').read()]") });
    static const snug_agent_input inputs[] = {
        { "data", NULL, "{\"a\": 1}", 8 },
        { "text", NULL, "one", 3 },
        { "a.csv", NULL, "x,y\n", 4 },
    };
    snug_agent_ask_options o = SNUG_AGENT_ASK_OPTIONS_INIT;
    o.inputs = inputs;
    o.input_count = 3;
    open_agent(&f);
    assert_int_equal(snug_agent_ask(&f.reply, f.agent, "What is there?", &o), SNUG_OK);
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "[1, 'one', 'x,y\\n']");
    finish(&f);
}

TEST(what_programs_made_is_listed_and_named_where_it_was_put)
{
    START(f, { CODE("print(1, file=open('a.txt', 'w'))\\n"
                    "class Figure:\\n"
                    "    def _repr_mimebundle_(self, include=None, exclude=None):\\n"
                    "        return {'image/svg+xml': '<svg/>', 'image/png': 'iVBO'}\\n"
                    "Figure()") });
    ask(&f, "Draw it.");
    assert_int_equal(snug_reply_output_count(f.reply), 2);
    const snug_agent_output *file = snug_reply_output(f.reply, 0);
    assert_string_equal(file->path, "a.txt");
    assert_null(file->at);
    assert_string_equal(file->mime, "text/plain");
    assert_int_equal(file->bytes, 2);
    assert_null(file->display);
    const snug_agent_output *figure = snug_reply_output(f.reply, 1);
    assert_null(figure->path);
    assert_string_equal(figure->mime, "image/png");
    assert_true(figure->display && figure->display->is_main_result);
    assert_ptr_equal(figure->display, snug_result_display(snug_reply_result(f.reply), 0));
    assert_null(snug_reply_output(f.reply, 2));

    assert_null(strstr(snug_reply_text(f.reply, SNUG_REPLY_JSON, NULL), "here/b.png"));
    assert_int_equal(snug_reply_place(f.reply, 1, "here/b.png"), SNUG_OK);
    assert_string_equal(snug_reply_output(f.reply, 1)->at, "here/b.png");
    assert_non_null(strstr(snug_reply_text(f.reply, SNUG_REPLY_JSON, NULL), "\"here/b.png\""));
    assert_non_null(
        strstr(snug_reply_text(f.reply, SNUG_REPLY_MARKDOWN, NULL), "![b.png](here/b.png)"));
    assert_int_equal(snug_reply_place(f.reply, 2, "x"), SNUG_EINVAL);
    assert_int_equal(snug_reply_place(f.reply, 0, ""), SNUG_EINVAL);
    assert_int_equal(snug_reply_place(f.reply, 0, NULL), SNUG_EINVAL);
    finish(&f);
}

TEST(a_reply_is_told_in_three_formats)
{
    START(f, { CODE("6 * 7") });
    size_t len;
    ask(&f, "What is six times seven?");
    assert_string_equal(snug_reply_text(f.reply, SNUG_REPLY_PLAIN, &len), "42");
    assert_int_equal(len, 2);
    const char *json = snug_reply_text(f.reply, SNUG_REPLY_JSON, &len);
    assert_int_equal(len, strlen(json));
    assert_ptr_equal(json, snug_reply_text(f.reply, SNUG_REPLY_JSON, NULL));
    assert_non_null(strstr(json, "\"status\":\"answered\""));
    assert_non_null(
        strstr(snug_reply_text(f.reply, SNUG_REPLY_MARKDOWN, &len), "# Execution Successful"));
    assert_string_equal(snug_reply_code(f.reply), "6 * 7");
    assert_true(snug_reply_is_supported(f.reply));
    snug_reply_free(NULL);
    finish(&f);
}

TEST(the_session_is_the_callers_between_questions)
{
    START(f, { CODE("x = 6\\nx") }, { CODE("x * y") });
    snug_result *result;
    ask(&f, "Six?");
    assert_int_equal(snug_session_run(&result, snug_agent_session(f.agent), "y = x + 1", 9, NULL),
                     SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    snug_result_free(result);
    ask(&f, "Times seven?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    finish(&f);
}

TEST(a_reset_forgets_names_and_conversation)
{
    START(f, { CODE("sixty = 60\\nsixty") }, { CODE("'sixty' in globals()") });
    ask(&f, "What is the blue number?");
    assert_int_equal(snug_agent_reset(f.agent), SNUG_OK);
    ask(&f, "And now?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "False");
    assert_false(was_told(&f, 1, "blue number"));
    assert_false(was_told(&f, 1, "sixty"));
    finish(&f);
}

TEST(the_checkpoints_of_a_plan_are_forgotten)
{
    START(f, { SAY("[\\\"one\\\", \\\"two\\\"]") }, { CODE("1") }, { CODE("2") });
    f.options.mode = SNUG_AGENT_MODE_PLAN;
    f.options.has_rollback = 1;
    ask(&f, "One and two?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "2");
    assert_int_equal(snug_session_rollback(snug_agent_session(f.agent)), SNUG_ENOTFOUND);
    finish(&f);
}

/* ---- events ---- */

static void on_event(void *payload, const snug_agent_event *event)
{
    fixture *f = payload;
    char start[64];
    int len =
        snprintf(start, sizeof start, "{\"event\":\"%s\",\"n\":%d", event->name, (int)event->n);
    f->is_broken |= strncmp(event->json, start, (size_t)len) != 0 ||
                    strlen(event->json) != event->json_len || strchr(event->json, '\n') != NULL;
    str_printf(&f->names, "%s%s", f->names.len ? " " : "", event->name);
    if (f->cancels_at_generate && strcmp(event->name, "generate") == 0)
        snug_agent_cancel(f->agent);
    if (f->asks_at_generate && strcmp(event->name, "generate") == 0) {
        snug_reply *reply;
        f->asked = snug_agent_ask(&reply, f->agent, "And this?", NULL);
        f->reset = snug_agent_reset(f->agent);
    }
    if (strcmp(event->name, "output") == 0) {
        f->outputs++;
        if (f->cancels_at_output)
            snug_agent_cancel(f->agent);
    }
}

TEST(each_step_is_an_event)
{
    START(f, { CODE("print(six)") }, { CODE("print(6 * 7)") });
    f.options.on_event = on_event;
    ask(&f, "What is six times seven?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    assert_string_equal(str_text(&f.names),
                        "generate generated extract scan execute executed repair generate "
                        "generated extract scan execute output executed reply total");
    assert_false(f.is_broken);
    finish(&f);
}

/* ---- hooks ---- */

static int refuse_once(void *payload, const char *code, size_t len, char *reason)
{
    fixture *f = payload;
    assert_int_equal(len, strlen(code));
    strcpy(reason, "the color is wrong");
    return f->scans++ > 0;
}

TEST(the_callers_scan_refuses_with_a_reason)
{
    START(f, { CODE("x = 1\\n'red'") }, { CODE("'x' in globals()") });
    f.options.on_scan = refuse_once;
    ask(&f, "Which color?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "False");
    assert_true(was_told(&f, 1, "the color is wrong"));
    assert_int_equal(f.scans, 2);
    finish(&f);
}

TEST(the_callers_scan_comes_after_snugs)
{
    START(f, { CODE("import socket") }, { CODE("1") }, { CODE("2") });
    f.options.on_scan = refuse_once;
    ask(&f, "Which?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "2");
    assert_int_equal(f.scans, 2);
    finish(&f);
}

static snug_agent_verdict judge(void *payload, const char *question, const char *code,
                                const snug_result *result, char *reason)
{
    fixture *f = payload;
    assert_string_equal(question, "Which?");
    assert_true(*code && snug_result_status(result) == SNUG_STATUS_OK);
    strcpy(reason, "it is too small");
    return f->verdicts[f->evaluations++];
}

TEST(the_callers_judgement_takes_the_place_of_the_models)
{
    START(f, { CODE("1") }, { CODE("20") });
    f.options.has_no_evaluation = 0;
    f.options.on_evaluate = judge;
    f.verdicts[0] = SNUG_AGENT_VERDICT_FAIL;
    f.verdicts[1] = SNUG_AGENT_VERDICT_PASS;
    ask(&f, "Which?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "20");
    assert_true(was_told(&f, 1, "it is too small"));
    finish(&f);
}

TEST(a_caller_who_is_unsure_leaves_it_to_the_model)
{
    START(f, { CODE("20") }, { VERDICT("pass", "It is 20.") });
    f.options.has_no_evaluation = 0;
    f.options.answer = SNUG_AGENT_ANSWER_SENTENCE;
    f.options.on_evaluate = judge;
    f.verdicts[0] = SNUG_AGENT_VERDICT_UNSURE;
    ask(&f, "Which?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "It is 20.");
    finish(&f);
}

TEST(the_words_of_a_failed_judgement_are_no_answer)
{
    START(f, { CODE("19") }, { VERDICT("fail", "It is 19.") }, { CODE("20") },
          { SAY("It is 20.") });
    f.options.has_no_evaluation = 0;
    f.options.answer = SNUG_AGENT_ANSWER_SENTENCE;
    f.options.on_evaluate = judge;
    f.verdicts[0] = SNUG_AGENT_VERDICT_UNSURE;
    f.verdicts[1] = SNUG_AGENT_VERDICT_PASS;
    ask(&f, "Which?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "It is 20.");
    finish(&f);
}

TEST(an_answer_in_words_says_so_and_is_not_for_the_callers_judgement)
{
    START(f, { SAY("ANSWER: A sequence.") }, { VERDICT("pass", "") });
    f.options.has_no_evaluation = 0;
    f.options.on_evaluate = judge;
    ask(&f, "Which?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "A sequence.");
    assert_int_equal(f.evaluations, 0);
    assert_false(snug_reply_has_program(f.reply));
    assert_string_equal(snug_reply_code(f.reply), "");
    assert_string_equal(snug_reply_doubt(f.reply), "");
    finish(&f);
}

TEST(an_answer_that_nobody_is_sure_of_says_so)
{
    START(f, { CODE("20") }, { SAY("Nothing to add.") }, { VERDICT("unsure", "") });
    f.options.has_no_evaluation = 0;
    ask(&f, "Which?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "20");
    assert_true(was_told(&f, 2, "could not be read"));
    assert_true(snug_reply_has_program(f.reply));
    assert_string_equal(snug_reply_doubt(f.reply),
                        "the evaluation is unsure of this answer: so it is");
    finish(&f);
}

static snug_agent_step reroute(void *payload, snug_agent_step from, snug_agent_step to)
{
    fixture *f = payload;
    if (f->has_route || from != f->from)
        return to;
    f->has_route = 1;
    return f->to;
}

static void route(fixture *f, snug_agent_step from, snug_agent_step to)
{
    f->options.on_route = reroute;
    f->from = from;
    f->to = to;
    f->options.on_event = on_event;
    ask(f, "What is six times seven?");
    assert_true(f->has_route);
}

TEST(the_caller_may_end_a_run)
{
    START(f, { CODE("6 * 7") });
    route(&f, SNUG_AGENT_STEP_EXTRACT, SNUG_AGENT_STEP_END);
    expect(&f, SNUG_AGENT_STATUS_TERMINAL_ERROR, "");
    finish(&f);
}

/* ---- a program that is there ---- */

static void ask_for(fixture *f, const char *code, snug_agent_focus focus)
{
    snug_agent_ask_options o = SNUG_AGENT_ASK_OPTIONS_INIT;
    f->options.focus = focus;
    f->options.on_event = on_event;
    open_agent(f);
    o.code = code;
    if (snug_agent_ask(&f->reply, f->agent, "", &o))
        fail_msg("%s", snug_error_message());
}

static snug_agent_verdict reject_version(void *payload, const char *question, const char *code,
                                         const snug_result *result, char *reason)
{
    ((fixture *)payload)->evaluations++;
    assert_string_equal(question, "");
    if (!strstr(code, "version"))
        return SNUG_AGENT_VERDICT_PASS;
    strcpy(reason, "it says so");
    return SNUG_AGENT_VERDICT_FAIL;
}

TEST(a_version_that_the_caller_rejects_is_not_taken)
{
    START(f, { CODE("42  # version") });
    f.options.on_evaluate = reject_version;
    f.limits.attempts = 1;
    ask_for(&f, "sum([1] * 42)", SNUG_AGENT_FOCUS_OPTIMIZE);
    expect(&f, SNUG_AGENT_STATUS_ANSWERED,
           "The program passes. No version was faster by 10 % or more. It is "
           "unchanged.\n\n```python\nsum([1] * 42)\n```");
    assert_string_equal(snug_reply_code(f.reply), "sum([1] * 42)");
    assert_int_equal(f.evaluations, 2);
    assert_int_equal(snug_reply_attempt_count(f.reply), 2);
    finish(&f);
}

/* ---- cancelling ---- */

static void *cancel_at_request(void *payload)
{
    fixture *f = payload;
    server_await(&f->server, 1);
    snug_agent_cancel(f->agent);
    return NULL;
}

TEST(a_request_is_cancelled_from_another_thread)
{
    START(f, { "", .holds = 1 }, { CODE("6 * 7") });
    pthread_t thread;
    open_agent(&f);
    pthread_create(&thread, NULL, cancel_at_request, &f);
    ask(&f, "What is six times seven?");
    pthread_join(thread, NULL);
    expect(&f, SNUG_AGENT_STATUS_TERMINAL_ERROR, "");
    assert_non_null(strstr(snug_reply_error(f.reply), "cancelled"));
    finish(&f);
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_open;
    snug_agent *agent;
} gate;

static void open_gate(void *payload, snug_call *call, const char *arguments)
{
    gate *g = payload;
    pthread_mutex_lock(&g->lock);
    g->is_open = 1;
    pthread_cond_signal(&g->changed);
    pthread_mutex_unlock(&g->lock);
    snug_call_return(call, "null", 4);
}

static void *cancel_at_gate(void *payload)
{
    gate *g = payload;
    pthread_mutex_lock(&g->lock);
    while (!g->is_open)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
    snug_agent_cancel(g->agent);
    return NULL;
}

TEST(a_cell_is_cancelled_from_another_thread)
{
    START(f, { CODE("x = 1\\ngo()\\nwhile True: pass") }, { CODE("x") });
    gate g = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, NULL };
    snug_tool tool = SNUG_TOOL_INIT;
    pthread_t thread;
    tool.name = "go";
    tool.fn = open_gate;
    tool.payload = &g;
    open_agent(&f);
    g.agent = f.agent;
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_OK);
    pthread_create(&thread, NULL, cancel_at_gate, &g);
    ask(&f, "What is six times seven?");
    pthread_join(thread, NULL);
    expect(&f, SNUG_AGENT_STATUS_TERMINAL_ERROR, "");
    /* The next one is not cancelled, and finds the session as it was. */
    ask(&f, "What is x?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "1");
    finish(&f);
}

/* On the thread that asks. */
TEST(a_callback_may_cancel)
{
    START(f, { CODE("print('begun', flush=True)\\nwhile True: pass") }, { CODE("6 * 7") });
    f.options.on_event = on_event;
    f.cancels_at_output = 1;
    ask(&f, "What is six times seven?");
    expect(&f, SNUG_AGENT_STATUS_TERMINAL_ERROR, "");
    assert_int_equal(f.outputs, 1);
    f.cancels_at_generate = 1;
    ask(&f, "What is six times seven?");
    expect(&f, SNUG_AGENT_STATUS_TERMINAL_ERROR, "");
    f.cancels_at_generate = 0;
    ask(&f, "What is six times seven?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    finish(&f);
}

TEST(a_callback_can_not_ask)
{
    START(f, { CODE("6 * 7") });
    f.options.on_event = on_event;
    f.asks_at_generate = 1;
    ask(&f, "What is six times seven?");
    assert_int_equal(f.asked, SNUG_EBUSY);
    assert_int_equal(f.reset, SNUG_EBUSY);
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    finish(&f);
}

static void ignore_call(void *payload, snug_call *call, const char *arguments)
{
    (void)payload, (void)arguments;
    snug_call_return(call, "null", 4);
}

TEST(the_name_of_the_final_answer_is_taken_and_no_agent_is_an_argument_error)
{
    snug_tool tool = SNUG_TOOL_INIT;
    START(f, { CODE("6 * 7") });
    open_agent(&f);
    tool.name = "final_answer";
    tool.fn = ignore_call;
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "final_answer"));
    assert_int_equal(snug_agent_bind_tool(NULL, &tool), SNUG_EINVAL);
    assert_int_equal(snug_agent_reset(NULL), SNUG_EINVAL);
    assert_null(snug_agent_session(NULL));
    snug_agent_cancel(NULL);
    finish(&f);
}

/* ---- tools, and more than one ---- */

static void give_twenty(void *payload, snug_call *call, const char *arguments)
{
    (void)payload, (void)arguments;
    snug_call_return(call, "20", 2);
}

TEST(a_tool_is_told_and_called)
{
    START(f, { CODE("stock('apples') + 1") });
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "stock";
    tool.signature = "what";
    tool.doc = "How many there are.\nNot told.";
    tool.fn = give_twenty;
    open_agent(&f);
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_OK);
    ask(&f, "How many apples?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "21");
    assert_true(was_told(&f, 0, "- stock(what): How many there are."));
    assert_false(was_told(&f, 0, "Not told."));
    tool.name = "no name";
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_EINVAL);
    finish(&f);
}

TEST(a_call_that_cannot_be_right_is_repaired_before_it_runs)
{
    START(f, { CODE("stock.count(1)") }, { CODE("stock.count('apples') + 1") },
          { CODE("stock = 3\\nstock") }, { CODE("stock.bit_length()") });
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "stock.count";
    tool.signature = "what";
    tool.stub = "(what: Literal['apples', 'pears']) -> int";
    tool.fn = give_twenty;
    open_agent(&f);
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_OK);
    ask(&f, "How many apples?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "21");
    assert_true(was_told(&f, 0, "- stock.count(what: Literal['apples', 'pears']) -> int"));
    assert_true(was_told(&f, 1, "stock.count: what must be 'apples' or 'pears', not 1"));
    /* A name that a program has taken is not the host's any more. */
    ask(&f, "What is three?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "3");
    ask(&f, "How many bits has it?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "2");
    assert_int_equal((int)f.server.request_count, 4);
    tool.stub = "(what: ";
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_EINVAL);
    finish(&f);
}

/* Texts are a server's: it writes as much as it likes. */
TEST(of_a_long_text_of_a_tool_the_beginning_is_told)
{
    static char doc[100 * 1024], stub[100 * 1024];
    START(f, { CODE("6 * 7") });
    snug_tool tool = SNUG_TOOL_INIT;
    memset(doc, 'd', sizeof doc - 1);
    memset(stub, 's', sizeof stub - 1);
    memcpy(stub, "(a", 2);
    memcpy(stub + sizeof stub - 9, ") -> int", 9);
    tool.name = "stock";
    tool.signature = "what";
    tool.stub = stub;
    tool.doc = doc;
    tool.fn = give_twenty;
    open_agent(&f);
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_OK);
    ask(&f, "What is six times seven?");
    assert_true(was_told(&f, 0, "sss ...: ddd"));
    assert_true(was_told(&f, 0, "ddd ..."));
    assert_in_range(f.server.requests[0].len, 1, 50 * 1024);
    finish(&f);
}

TEST(many_functions_of_servers_are_told_as_servers)
{
    START(f, { CODE("6 * 7") }, { CODE("6 * 7") });
    snug_tool tool = SNUG_TOOL_INIT;
    char name[32];
    tool.name = name;
    tool.fn = give_twenty;
    open_agent(&f);
    for (int i = 0; i < 21; i++) {
        snprintf(name, sizeof name, "%s.f%d", i < 20 ? "many" : "one", i);
        assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_OK);
    }
    ask(&f, "What is six times seven?");
    assert_true(was_told(&f, 0, "- many.f19(**arguments)"));
    tool.name = "find_tools";
    assert_int_equal(snug_agent_bind_tool(f.agent, &tool), SNUG_OK);
    ask(&f, "What is six times seven?");
    assert_true(was_told(&f, 1, "- many: 20 functions, called as many.NAME(...)"));
    assert_true(was_told(&f, 1, "- one: 1 function, called"));
    assert_true(was_told(&f, 1, "- find_tools(**arguments)"));
    assert_false(was_told(&f, 1, "many.f19"));
    finish(&f);
}

static void *ask_aside(void *payload)
{
    ask(payload, "What is six times seven?");
    return NULL;
}

TEST(two_agents_share_a_host_and_nothing_else)
{
    static const server_answer one[] = { { CODE("x = 1\\nx") }, { CODE("x") } };
    static const server_answer two[] = { { CODE("x = 2\\nx") }, { CODE("x") } };
    fixture a, b;
    pthread_t thread;
    start(&a, one, 2);
    start(&b, two, 2);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, ask_aside, &a);
        ask(&b, "What is six times seven?");
        pthread_join(thread, NULL);
        expect(&a, SNUG_AGENT_STATUS_ANSWERED, "1");
        expect(&b, SNUG_AGENT_STATUS_ANSWERED, "2");
    }
    finish(&a);
    finish(&b);
}

TEST(a_model_that_is_not_there_is_the_replys_status)
{
    START(f, { HTTP_404 });
    ask(&f, "What is six times seven?");
    expect(&f, SNUG_AGENT_STATUS_TERMINAL_ERROR, "");
    assert_non_null(strstr(snug_reply_error(f.reply), "openai:test answered 404"));
    finish(&f);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
