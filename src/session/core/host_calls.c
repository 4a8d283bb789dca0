#include "session/core/host_calls.h"

#include "session/core/session.h"

static void wake_interp(void *payload)
{
    interp_wake(payload);
}

int session_bind_all(snug_session *session)
{
    desk_tool *tool;
    int error = SNUG_OK;
    desk_set_wake(session->desk, wake_interp, session->interp);
    for (size_t i = 0; !error && (tool = desk_tool_at(session->desk, i)); i++)
        error = interp_bind(session->interp, tool);
    return error;
}

static void refuse_call(snug_call *call, const char *why)
{
    str text = { 0 };
    str_printf(&text, "%s() is not allowed: %s", call_name(call), why);
    call_answer(call, CALL_REFUSED, str_text(&text), text.len);
    str_free(&text);
}

/* Or does not, as the rules say. */
static void call_tool_of(snug_session *session, const desk_tool *tool, snug_call *call,
                         void (*drain)(snug_session *session))
{
    const session_callbacks *callbacks = &session->callbacks;

    if (call_replay(call))
        return;
    switch (call_decide(call)) {
    case SNUG_TOOL_DECISION_ALLOW:
        tool->fn(tool->payload, call, call_text(call));
        break;
    case SNUG_TOOL_DECISION_ASK:
        if (callbacks->on_approval) {
            call_hold(call);
            drain(session); /* who is asked may keep this thread */
            callbacks->on_approval(callbacks->payload, call);
        } else {
            refuse_call(call, "the session asks about its calls, and nobody answers");
        }
        break;
    case SNUG_TOOL_DECISION_DENY:
        refuse_call(call, "a rule of the session denies it");
        break;
    }
}

void session_make_calls(snug_session *session, desk_line which,
                        void (*drain)(snug_session *session))
{
    snug_call *call;

    while ((call = desk_take(session->desk, which))) {
        const desk_tool *tool = call_tool(call);
        session_tell_calls(session);
        drain(session); /* what was printed before it */
        if (tool)
            call_tool_of(session, tool, call, drain);
        else
            session->callbacks.on_input(session->callbacks.payload, call, call_text(call));
        session_tell_calls(session);
    }
}

void session_tell_calls(snug_session *session)
{
    const session_callbacks *callbacks = &session->callbacks;
    snug_tool_call call;

    desk_go_on(session->desk);
    while (callbacks->on_tool_call && desk_take_over(&call, session->desk))
        callbacks->on_tool_call(callbacks->payload, &call);
}
