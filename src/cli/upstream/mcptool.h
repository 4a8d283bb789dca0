/*
 * mcptool.h - a tool as an MCP server describes it, as a function of Python; and what goes to
 * and fro. Pure.
 */
#ifndef SNUG_CLI_MCPTOOL_H
#define SNUG_CLI_MCPTOOL_H

#include <stddef.h>

#include "base/jsontext.h"
#include "base/str.h"

struct mcp;

typedef struct mcptool {
    char *remote;    /* its name for the server */
    char *name;      /* made an identifier */
    size_t name_len; /* of it, without the number of mcptool_rename */
    char *signature; /* required parameters, then the others with the default None */
    char *doc;
    char *types;      /* as a stub has them: '(state: Literal["open", "closed"] = ...) -> dict' */
    int is_read_only; /* as the server says */
    char **optional;  /* names of those others: left out where they are None */
    size_t optional_count, optional_cap;
    struct mcp *server; /* the caller's */
} mcptool;

/* From an item of tools/list. SNUG_OK, SNUG_EINVAL: it has no name; SNUG_ENOMEM. Without a
 * message. */
int mcptool_read(mcptool *out, jsontext_span description);
void mcptool_free(mcptool *t);
/* Whether no function, parameter or server can have that name in a program. */
int mcptool_is_keyword(const char *name);
/* Puts "_2", or another number, behind the name. SNUG_OK or SNUG_ENOMEM. */
int mcptool_rename(mcptool *t, unsigned number);
/* Puts the name of its server in front of it: "github.search". */
int mcptool_place(mcptool *t, const char *server);
/* Puts "tool_" in front of it. */
int mcptool_prefix(mcptool *t);

/* Appends the arguments of a call, a JSON object, as the server wants them: without the optional
 * ones that are null. SNUG_OK or SNUG_ENOMEM. */
int mcptool_write_arguments(str *out, const mcptool *t, const char *arguments);
/* Reads the result of tools/call. Where *is_fine, *out is the answer as JSON: structuredContent, or
 * the text of the content as one string, or the content as it is; else *out says why the call
 * failed. SNUG_OK or SNUG_ENOMEM. */
int mcptool_read_result(str *out, int *is_fine, jsontext_span result);

#endif
