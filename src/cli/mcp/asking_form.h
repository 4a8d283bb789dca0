/*
 * asking_form.h - the form that asks about a call, elicitation/create, and what somebody has put
 * into it. Pure but for the call's name.
 *
 * https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
#ifndef SNUG_CLI_MCP_ASKING_FORM_H
#define SNUG_CLI_MCP_ASKING_FORM_H

#include <snug/snug.h>

#include "base/str.h"
#include "cli/mcp/rpc.h"

/* Whether a client with these capabilities can be shown a form. NULL: it cannot. */
int form_is_taken(const cJSON *capabilities);
/* Appends the params of the request: the call as somebody reads it, and once, always or refuse as
 * the answer. mode: as the newer revision has it. SNUG_OK or SNUG_ENOMEM. */
int form_write(str *out, const char *text, int has_mode);
/* What an ElicitResult says. 1: that; 0: it was accepted, without an answer that is one; -1: it is
 * not one. reason: where it is a refusal. */
int form_read(snug_approval *out, const char **reason, const cJSON *result);

#endif
