/*
 * init_structs.c - the _INIT values of agent.h and library.h as functions.
 */
#include <snug/agent.h>
#include <snug/library.h>

#include "base/options.h"

OPTIONS_INIT(snug_agent_limits)
OPTIONS_INIT(snug_agent_options)
OPTIONS_INIT(snug_agent_ask_options)
OPTIONS_INIT(snug_library_document)
