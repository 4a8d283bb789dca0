/*
 * tokens.h - who may ask by HTTP: a file of bearer tokens.
 */
#ifndef SNUG_CLI_MCP_TOKENS_H
#define SNUG_CLI_MCP_TOKENS_H

#include "base/str.h"

enum { TOKEN_LEAST_BYTES = 16 };

typedef struct token {
    char *principal, *text;
} token;

typedef struct tokens {
    token *items;
    size_t count, cap;
    size_t names; /* of different principals */
} tokens;

/* A line each: TOKEN, whose principal is named by its hash, or NAME=TOKEN; empty ones and "# ..."
 * are passed over. SNUG_OK, or an error whose message names the line and has nothing of the token
 * in it. */
int tokens_read(tokens *out, const char *path);
void tokens_free(tokens *t);
/* The principal of a token; NULL: there is none. Looks at all of each. */
const char *tokens_find(const tokens *t, const char *text);

#endif
