#include "agent/loop/act.h"

#include <stdlib.h>
#include <string.h>

#include "agent/prompt/prompt.h"
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
    tool.fn = take_answer;
    tool.payload = agent;
    int error = snug_session_bind_tool(agent->session, &tool);
    agent->has_answer = !error;
    return error;
}

/* ---- the transcript ---- */

static model_message *add_message(run *r, model_role role)
{
    if (array_reserve(&r->messages, &r->message_cap, r->message_count + 1, sizeof *r->messages))
        return NULL;

    model_message *message = &r->messages[r->message_count++];
    *message = (model_message){ .role = role };
    return message;
}

int act_say(run *r, model_role role, const char *text, size_t len, const char *call_id,
            int is_error)
{
    model_message *message = add_message(r, role);

    if (!message || str_append(&message->text, text, len))
        return error_no_memory();

    if (call_id && str_add(&message->call_id, call_id))
        return error_no_memory();

    message->is_error = is_error;
    return SNUG_OK;
}

static int say_prompt(run *r, model_role role, const char *template, const char *call_id,
                      int is_error)
{
    str text = { 0 };
    int error = prompt_make(&text, r, template);
    if (!error)
        error = act_say(r, role, str_text(&text), text.len, call_id, is_error);
    str_free(&text);
    return error;
}

int act_begin(run *r)
{
    int error = say_prompt(r, MODEL_SYSTEM, "system_act", NULL, 0);
    if (error)
        return error;
    return say_prompt(r, MODEL_USER, "generate", NULL, 0);
}

loop_outcome act_look(run *r)
{
    if (r->step_cells < r->limits.steps)
        return WENT;
    return run_stop(r, SNUG_AGENT_STATUS_BUDGET, "all %llu steps were taken without a final answer",
                    (unsigned long long)r->limits.steps);
}

/* ---- calls ---- */

static int copy_call(model_call *to, const model_call *from)
{
    return str_add_str(&to->id, &from->id) || str_add_str(&to->name, &from->name) ||
           str_add_str(&to->arguments, &from->arguments);
}

static int say_reply(run *r)
{
    const model_reply *said = &r->said;
    model_message *message = add_message(r, MODEL_ASSISTANT);

    if (!message || str_add_str(&message->text, &said->text))
        return error_no_memory();

    if (said->call_count == 0)
        return SNUG_OK;

    message->calls = calloc(said->call_count, sizeof *message->calls);
    if (!message->calls)
        return error_no_memory();

    message->call_count = said->call_count;
    for (size_t i = 0; i < said->call_count; i++)
        if (copy_call(&message->calls[i], &said->calls[i]))
            return error_no_memory();
    return SNUG_OK;
}

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
        return say_prompt(r, MODEL_TOOL, "unknown_tool", id, 1);
    }

    int error = extract_arguments(&code, str_text(&call->arguments), call->arguments.len);
    if (error)
        return error_no_memory();

    if (code.code.len > 0)
        error = add_call(r, id, &code);
    else
        error = say_prompt(r, MODEL_TOOL, "no_code", id, 1);

    extracted_free(&code);
    return error;
}

/* A program in the text of a reply that calls no tool. */
static int accept_text(run *r)
{
    const str *text = &r->said.text;
    extracted code;
    int error;

    if (extract_code(&code, str_text(text), text->len) != SNUG_OK)
        return error_no_memory();

    if (code.code.len > 0)
        error = add_call(r, "", &code);
    else
        error = say_prompt(r, MODEL_USER, "no_code", NULL, 0);

    extracted_free(&code);
    return error;
}

loop_outcome act_take_reply(run *r)
{
    const model_reply *said = &r->said;
    int error = say_reply(r);

    for (size_t i = 0; !error && i < said->call_count; i++)
        error = accept_call(r, &said->calls[i]);
    if (!error && said->call_count == 0)
        error = accept_text(r);

    if (error)
        return run_break(r, error);
    return r->call_count > 0 ? WENT : FAILED;
}

loop_outcome act_observe(run *r, const char *template)
{
    const pending_call *call = &r->calls[r->call_at - 1];
    const int has_failed = r->failure.sentence.len > 0;
    int error;

    if (call->id.len > 0)
        error = say_prompt(r, MODEL_TOOL, template, call->id.data, has_failed);
    else
        error = say_prompt(r, MODEL_USER, template, NULL, has_failed);

    if (error)
        return run_break(r, error);

    if (r->call_at < r->call_count)
        return MORE;

    run_forget_calls(r);
    return FAILED;
}

int act_drop_calls(run *r)
{
    static const char text[] = "This was not run: the final answer had been given.";
    int error = SNUG_OK;

    for (; !error && r->call_at < r->call_count; r->call_at++) {
        const str *id = &r->calls[r->call_at].id;
        if (id->len > 0)
            error = act_say(r, MODEL_TOOL, text, sizeof text - 1, id->data, 1);
    }

    run_forget_calls(r);
    return error;
}

loop_outcome act_reject(run *r)
{
    int error = say_prompt(r, MODEL_USER, "observe", NULL, 0);
    r->has_final = 0;
    if (error)
        return run_break(r, error);
    return FAILED;
}
