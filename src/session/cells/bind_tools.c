#include "session/cells/inquiries.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/forked.h"
#include "base/jsontext.h"
#include "base/options.h"
#include "base/utf8.h"
#include "policy/allowlist.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"

/* ---- binding ---- */

static int check_tool_text(const snug_tool *tool, const char *what, const char *text)
{
    size_t at;
    if (text && utf8_check(text, strlen(text), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "tool %s: the %s is not UTF-8 at byte %zu", tool->name, what,
                         at + 1);
    return SNUG_OK;
}

enum { MAX_NAME_BYTES = 256 };

static int check_tool(const snug_tool *tool)
{
    size_t at;
    int error;
    size_t len = tool->name ? strlen(tool->name) : 0;
    if (len == 0 || len > MAX_NAME_BYTES)
        return error_set(SNUG_EINVAL, "a tool's name must have 1 to %d bytes, and has %zu",
                         MAX_NAME_BYTES, len);

    if (utf8_check(tool->name, len, &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "a tool's name must be UTF-8, and is not at byte %zu",
                         at + 1);

    if (!tool->fn)
        return error_set(SNUG_EINVAL, "tool %s: fn is NULL", tool->name);
    if ((error = check_tool_text(tool, "signature", tool->signature)))
        return error;
    if ((error = check_tool_text(tool, "origin", tool->origin)))
        return error;
    return check_tool_text(tool, "doc", tool->doc);
}

int snug_tool_check_name(const char *name, const char *profile, const char *const *allow)
{
    allowlist *modules;

    if (!name)
        return error_set(SNUG_EINVAL, "snug_tool_check_name: name is NULL");
    int error = allowlist_open(&modules, profile ? profile : "core", NULL, allow);
    if (error)
        return error;

    /* Of two parts the first is what cells have in their namespace. */
    char *first = strndup(name, strcspn(name, "."));
    const char *fault = first ? toolnames_fault(first, modules) : NULL;
    allowlist_close(modules);
    if (!first)
        return error_no_memory();
    free(first);
    if (fault)
        return error_set(SNUG_EINVAL, "tool %s: %s", name, fault);
    return SNUG_OK;
}

/* On the session's thread. */
static int bind_in_interp(snug_session *session, void *tool)
{
    return interp_bind(session->interp, tool);
}

static void free_tool(void *tool)
{
    desk_tool_free(tool);
}

int local_bind(snug_session *session, const snug_tool *tool)
{
    const job_limits limits = session_step_limits(session);
    desk_tool *copy = desk_tool_copy(tool);
    if (!copy)
        return error_no_memory();

    int error = session_run_job(session, bind_in_interp, copy, &limits);
    if (session_keeps_arg(session, copy, free_tool) || error == SNUG_EDEAD)
        return error; /* a thread that is still at it may look at the copy */

    if (!error && desk_put_tool(session->desk, copy) != SNUG_OK)
        error = error_no_memory();
    if (error)
        desk_tool_free(copy);
    return error;
}

int snug_session_bind_tool(snug_session *session, const snug_tool *given)
{
    snug_tool tool;

    if (!given)
        return session_fail(session,
                            error_set(SNUG_EINVAL, "snug_session_bind_tool: tool is NULL"));
    int error = options_take(&tool, sizeof tool, given, "snug_tool");
    if (!error)
        error = check_tool(&tool);
    if (!error && session && session->thread.is_inline)
        error = error_set(SNUG_EINVAL,
                          "snug_session_bind_tool: session %s runs on its caller's thread, "
                          "where nobody could answer a tool",
                          session->name);

    if (error || (error = session_claim_alive(&session, "snug_session_bind_tool")))
        return session_fail(session, error);
    if (desk_replays(session->desk) && !tool.is_unrecorded)
        tool.timeout_ms = tool.is_untimed = 0; /* answers do not take the time that they took */
    return session_return(session, session->form->bind(session, &tool));
}

/* ---- answering ---- */

static int check_call(const snug_call *call, const char *what)
{
    if (!call)
        return error_set(SNUG_EINVAL, "%s: call is NULL", what);
    if (!call_is_own(call))
        return forked_refuse(what);
    return SNUG_OK;
}

static int answer_call(snug_call *call, call_state how, const char *text, size_t len)
{
    switch (call_answer(call, how, text, len)) {
    case SNUG_OK:
        return SNUG_OK;
    case SNUG_ENOMEM:
        return error_no_memory();
    case SNUG_EINVAL:
        return error_set(SNUG_EINVAL, "the calls of the session that are under way would take "
                                      "more than 64 MiB");
    }
    return error_set(SNUG_ENOTFOUND, "nobody waits for this answer any more");
}

/* Both sides learn it: the cell by ToolError. */
static int refuse_answer(snug_call *call, const char *sentence)
{
    call_answer(call, CALL_ERROR, sentence, strlen(sentence));
    return error_set(SNUG_EINVAL, "%s", sentence);
}

int snug_call_return(snug_call *call, const char *json, size_t len)
{
    size_t at = 0;
    const char *fault = NULL;
    str sentence = { 0 };

    int error = check_call(call, "snug_call_return");
    if (error)
        return error;
    if (!json) {
        json = "";
        len = 0;
    }

    if (len > SNUG_TOOL_BYTES)
        str_printf(&sentence, "the answer of %s() has %zu bytes, more than 16 MiB", call_name(call),
                   len);
    else if (call_is_wanted(call))
        fault = jsontext_check(json, len, &at);

    if (fault)
        str_printf(&sentence, "the answer of %s() is not JSON: %s at byte %zu", call_name(call),
                   fault, at + 1);

    if (sentence.len > 0)
        error = refuse_answer(call, sentence.data);
    else
        error = answer_call(call, CALL_OK, json, len);

    str_free(&sentence);
    return error;
}

int snug_call_fail(snug_call *call, const char *message)
{
    size_t at, len = message ? strlen(message) : 0;

    int error = check_call(call, "snug_call_fail");
    if (error)
        return error;

    if (len > SNUG_TOOL_BYTES && utf8_check(message, len, &at) == UTF8_FINE)
        len = utf8_floor(message, len, SNUG_TOOL_BYTES);
    else if (len > SNUG_TOOL_BYTES)
        len = SNUG_TOOL_BYTES;
    return answer_call(call, CALL_ERROR, message, len);
}

/* One that was not approved is not called. */
static int refuse_call(snug_call *call, const char *reason)
{
    str text = { 0 };
    if (reason)
        str_printf(&text, "%s", reason);
    else
        str_printf(&text, "%s() was refused", call_name(call));
    int error = answer_call(call, CALL_REFUSED, str_text(&text), text.len);
    str_free(&text);
    return error;
}

int snug_call_approve(snug_call *call, snug_approval answer, const char *reason)
{
    size_t at;
    int error = check_call(call, "snug_call_approve");
    if (error)
        return error;

    if (reason && utf8_check(reason, strlen(reason), &at) != UTF8_FINE)
        reason = NULL;
    if (answer == SNUG_APPROVAL_REFUSE)
        return refuse_call(call, reason);
    if (answer != SNUG_APPROVAL_ONCE && answer != SNUG_APPROVAL_ALWAYS) {
        refuse_call(call, NULL);
        return error_set(SNUG_EINVAL, "snug_call_approve: there is no answer %u", (unsigned)answer);
    }

    switch (call_approve(call, answer == SNUG_APPROVAL_ALWAYS)) {
    case SNUG_OK:
        return SNUG_OK;
    case SNUG_EINVAL:
        return refuse_answer(call, "snug_call_approve: this call does not wait for an approval");
    }
    return error_set(SNUG_ENOTFOUND, "nobody waits for this answer any more");
}

int snug_call_return_line(snug_call *call, const char *line, size_t len)
{
    int error = check_call(call, "snug_call_return_line");
    if (error)
        return error;
    if (!line)
        return answer_call(call, CALL_NONE, NULL, 0);
    if (len > SNUG_TOOL_BYTES)
        return refuse_answer(call, "a line for input() has more than 16 MiB");
    return answer_call(call, CALL_OK, line, len);
}

int snug_call_is_wanted(const snug_call *call)
{
    return call_is_own(call) && call_is_wanted(call);
}

const char *snug_call_name(const snug_call *call)
{
    return call_name(call);
}

const char *snug_call_arguments(const snug_call *call)
{
    return call_text(call);
}
