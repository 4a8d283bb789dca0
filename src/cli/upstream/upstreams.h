/*
 * upstreams.h - MCP servers with a name, whose tools cells call as NAME.tool(...): those of
 * --upstream, and of files in which other programs keep theirs.
 */
#ifndef SNUG_CLI_UPSTREAMS_H
#define SNUG_CLI_UPSTREAMS_H

#include <stddef.h>

#include "base/str.h"
#include "cli/program/options.h"

/* Either a command or a URL. They may have secrets in them, and are not to be shown. */
typedef struct upstream {
    char *name;     /* an identifier */
    char *command;  /* for /bin/sh */
    char *url;      /* of streamable HTTP */
    char **headers; /* "Name: value"; header_count of them */
    size_t header_count;
} upstream;

typedef struct upstreams {
    upstream *items;
    size_t count, cap;
} upstreams;

/* EXIT_FINE, or EXIT_USAGE after one sentence. Free in both cases. */
int upstreams_read(upstreams *u, const options *o);
void upstreams_free(upstreams *u);

/* Whether text is a URL, where a command could be. */
int upstream_is_url(const char *text);
/* Appends those of a file's text, {"mcpServers": {NAME: {"command", "args", "env"}}}, or {"url",
 * "headers"}; or "servers". ${NAME} in a value is the environment's variable. The values of headers
 * are secrets from then on. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with *why. */
int upstreams_parse(upstreams *u, str *why, const char *text, size_t len);

#endif
