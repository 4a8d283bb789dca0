/*
 * act.c - what act mode does between its cells: calls that wait, and what the model hears of them.
 */
#include "agent/loop/loop.h"

#include <stdlib.h>
#include <string.h>

#include "agent/prompt/prompt.h"
#include "agent/text/shellcode.h"
#include "base/array.h"
#include "base/error.h"
#include "base/jsontext.h"

/* ---- the final answer ---- */

static void take_answer(void *payload, snug_call *call, const char *arguments)
{
    snug_agent *agent = payload;
    run *r = agent->run;
    jsontext_span object = { arguments, strlen(arguments) };
    jsontext_span value = jsontext_member(object, "answer");

    if (!r || r->mode != SNUG_AGENT_MODE_ACT) {
        snug_call_fail(call, "nobody has asked for a final answer: print it instead");
        return;
    }

    str_clear(&r->final_answer);
    if (jsontext_string(&r->final_answer, value) == SNUG_EINVAL)
        str_append(&r->final_answer, value.text, value.len);
    r->has_final = 1;
    snug_call_return(call, "null", 4);
}

int act_bind(snug_agent *agent)
{
    snug_tool tool = SNUG_TOOL_INIT;

    if (agent->has_answer)
        return SNUG_OK;
    tool.name = "final_answer";
    tool.signature = "answer";
    tool.doc = "Gives the answer to the question and ends the work on it.";
    tool.takes_any = 1;
    tool.is_unrecorded = 1; /* it steers the loop */
    tool.fn = take_answer;
    tool.payload = agent;
    int error = snug_session_bind_tool(agent->session, &tool);
    agent->has_answer = !error;
    return error;
}

/* ---- steps ---- */

int act_has_steps(const run *r)
{
    return r->step_cells < r->limits.steps;
}

/* ---- calls ---- */

static int add_call(run *r, const char *id, const extracted *code)
{
    if (array_reserve(&r->calls, &r->call_cap, r->call_count + 1, sizeof *r->calls))
        return error_no_memory();

    pending_call *call = &r->calls[r->call_count++];
    *call = (pending_call){ 0 };
    if (str_add(&call->id, id) || str_add_str(&call->code, &code->code))
        return error_no_memory();
    return SNUG_OK;
}

/* A call of a tool: to be run, or answered at once where there is no such tool or no code. */
static int accept_call(run *r, const model_call *call)
{
    extracted code;
    const char *id = str_text(&call->id);

    if (strcmp(str_text(&call->name), "run_python") != 0) {
        run_fail(r, "unknown_tool", "runtime", "tool");
        str_printf(&r->failure.sentence, "there is no tool \"%.100s\"", str_text(&call->name));
        return talk_say_prompt(r, MODEL_TOOL, "unknown_tool", id, 1);
    }

    int error = extract_arguments(&code, str_text(&call->arguments), call->arguments.len);
    if (error)
        return error_no_memory();

    if (code.code.len > 0)
        error = add_call(r, id, &code);
    else
        error = talk_say_prompt(r, MODEL_TOOL, "no_code", id, 1);

    extracted_free(&code);
    return error;
}

/* A program in the text of a reply that calls no tool. */
static int accept_text(run *r)
{
    const str *text = &r->said.text;
    extracted code;
    int error = SNUG_OK;

    if (is_in_bash(r->agent))
        error = shellcode_extract(&code, str_text(text), text->len);
    else
        error = extract_code(&code, str_text(text), text->len);
    if (error)
        return error_no_memory();

    error = reading_judge(r, &code);
    if (!error && code.code.len > 0) {
        r->words_asked_again = 0;
        error = add_call(r, "", &code);
    }

    extracted_free(&code);
    return error;
}

/* A reply without a call. */
static loop_outcome take_words(run *r)
{
    loop_outcome outcome = words_take(r);
    if (outcome != FAILED)
        return outcome;

    run_forget_failure(r);
    r->step_cells++;
    int error = talk_say_prompt(r, MODEL_USER, "no_code", NULL, 0);
    return error ? run_break(r, error) : FAILED;
}

loop_outcome act_take_reply(run *r)
{
    const model_reply *said = &r->said;
    int error = SNUG_OK;

    r->step_cells += said->call_count > 0; /* else a model that runs nothing would never end */
    for (size_t i = 0; !error && i < said->call_count; i++)
        error = accept_call(r, &said->calls[i]);
    if (!error && said->call_count == 0)
        error = accept_text(r);

    if (error)
        return run_break(r, error);
    if (r->reply->wants_bash)
        return reading_refuse_bash(r);
    if (r->call_count > 0) {
        r->step_cells -= said->call_count > 0; /* each is counted when it runs */
        return WENT;
    }
    return said->call_count > 0 ? FAILED : take_words(r);
}

loop_outcome act_observe(run *r, const char *template)
{
    const pending_call *call = &r->calls[r->call_at - 1];
    const int has_failed = r->failure.sentence.len > 0;
    int error;

    if (call->id.len > 0)
        error = talk_say_prompt(r, MODEL_TOOL, template, call->id.data, has_failed);
    else
        error = talk_say_prompt(r, MODEL_USER, template, NULL, has_failed);

    if (error)
        return run_break(r, error);

    if (r->call_at < r->call_count)
        return MORE;

    run_forget_calls(r);
    return FAILED;
}

int act_drop_calls(run *r)
{
    static const char answered[] = "This was not run: the final answer had been given.";
    static const char over[] = "This was not run: there are no cells left.";
    const char *text = r->has_final ? answered : over;
    int error = SNUG_OK;

    for (; !error && r->call_at < r->call_count; r->call_at++) {
        const str *id = &r->calls[r->call_at].id;
        if (id->len > 0)
            error = talk_say(r, MODEL_TOOL, text, strlen(text), id->data, 1);
    }

    run_forget_calls(r);
    return error;
}

int act_finish(run *r)
{
    const pending_call *call = &r->calls[r->call_at - 1];

    r->is_unobserved = 1;
    str_clear(&r->final_call);
    if (str_add_str(&r->final_call, &call->id))
        return error_no_memory();
    return act_drop_calls(r);
}

int act_catch_up(run *r)
{
    const str *call = &r->final_call;

    if (!r->is_unobserved)
        return SNUG_OK;
    r->is_unobserved = 0;
    if (call->len > 0)
        return talk_say_prompt(r, MODEL_TOOL, "observe", call->data, 0);
    return talk_say_prompt(r, MODEL_USER, "observe", NULL, 0);
}

/* Words are answered by themselves; a cell by what it gave, and why that is not accepted. */
loop_outcome act_reject(run *r)
{
    int error =
        r->is_unobserved ? act_catch_up(r) : talk_say_prompt(r, MODEL_USER, "observe", NULL, 0);
    words_forget(r);
    return error ? run_break(r, error) : FAILED;
}

/* ---- the final answer in bash ---- */

/* It may be called in a subshell or at the end of a pipe, which have no variables to leave: what it
 * is given lies in a file of the session's own /tmp. */
static const char definition[] =
    "final_answer() { builtin printf '%s' \"$*\" >/tmp/.final_answer; }\n"
    "rm -f /tmp/.final_answer\n";

/* With a mark before it, for an answer may be empty. */
static const char taking[] = "if [[ -e /tmp/.final_answer ]]; then\n"
                             "  builtin printf 'answer:'\n"
                             "  cat /tmp/.final_answer\n"
                             "  rm -f /tmp/.final_answer\n"
                             "fi\n";

/* Nobody hears what it prints. *out is NULL where the question was cancelled. */
static int run_unheard(snug_result **out, run *r, const char *source, int is_aside)
{
    r->agent->is_catching_up = 1;
    int error = run_cell(out, r, source, strlen(source), is_aside);
    r->agent->is_catching_up = 0;
    return error;
}

int act_bash_bind(run *r)
{
    snug_result *result = NULL;
    int error = run_unheard(&result, r, definition, 0);
    snug_result_free(result);
    return error;
}

int act_bash_take(run *r)
{
    static const char mark[] = "answer:";
    const size_t mark_len = sizeof mark - 1;
    snug_result *result = NULL;
    size_t len;
    int error = run_unheard(&result, r, taking, 1);
    if (error || !result)
        return error;

    const char *text = snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    if (len >= mark_len && memcmp(text, mark, mark_len) == 0) {
        str_clear(&r->final_answer);
        r->has_final = 1;
        if (str_append(&r->final_answer, text + mark_len, len - mark_len))
            error = error_no_memory();
    }

    snug_result_free(result);
    return error;
}
