/*
 * upstream.h - MCP servers with a name, whose tools cells call as NAME.tool(...): those of
 * --upstream, and of files in which other programs keep theirs.
 */
#ifndef SNUG_CLI_UPSTREAM_H
#define SNUG_CLI_UPSTREAM_H

#include <stddef.h>

#include "base/str.h"
#include "cli/program/options.h"

typedef struct upstream {
    char *name;    /* an identifier */
    char *command; /* for /bin/sh; it may have secrets in it, and is not to be shown */
} upstream;

typedef struct upstreams {
    upstream *items;
    size_t count, cap;
} upstreams;

/* EXIT_FINE, or EXIT_USAGE after one sentence. Free in both cases. */
int upstreams_read(upstreams *u, const options *o);
void upstreams_free(upstreams *u);

/* Appends those of a file's text, {"mcpServers": {NAME: {"command", "args", "env"}}}, or "servers".
 * ${NAME} in a value is the environment's variable. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with *why.
 * Pure, but for the environment. */
int upstreams_parse(upstreams *u, str *why, const char *text, size_t len);

#endif
