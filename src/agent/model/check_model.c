/*
 * check_model.c - snug_agent_check_model: is that the name of a model?
 */
#include <snug/agent.h>

#include "agent/model/provider.h"
#include "base/error.h"

int snug_agent_check_model(const char *name)
{
    const provider *found;
    const char *rest;

    if (!name)
        return error_set(SNUG_EINVAL, "snug_agent_check_model: name is NULL");
    return provider_find(&found, &rest, name);
}
