#include "agent/loop/undo.h"

#include "agent/loop/agent.h"
#include "agent/prompt/conversation.h"
#include "base/error.h"

/* There must be room for what the session has, and for what the question replaces, which stays in
 * memory until the next one. */
static int is_heavy(const snug_agent *agent)
{
    return agent->peak_bytes > agent->cell_limits.memory_bytes / 2;
}

void undo_keep_way_back(snug_agent *agent)
{
    agent->has_way_back = 0;
    if (!agent->options.keeps_way_back || is_in_bash(agent))
        return;
    if (is_heavy(agent))
        snug_session_forget_checkpoint(agent->session);
    else
        agent->has_way_back = snug_session_checkpoint(agent->session) == SNUG_OK;
}

int snug_agent_undo(snug_agent *agent)
{
    int error = agent_check_idle(agent, "snug_agent_undo");
    if (error)
        return error;
    if (is_in_bash(agent))
        return error_set(SNUG_ENOTFOUND, "a session of bash cannot go back");
    if (!agent->has_way_back && is_heavy(agent))
        return error_set(SNUG_ENOTFOUND,
                         "there is no way back: the session uses more than half of its memory, and "
                         "what a question replaces would be kept beside it");
    if (!agent->has_way_back)
        return error_set(SNUG_ENOTFOUND, "there is no question to take back");

    error = snug_session_rollback(agent->session);
    agent->has_way_back = 0;
    if (error)
        return error;
    str_clear(&agent->unrun); /* it was the question's */
    return conversation_take_back(agent);
}
