/*
 * stubs.h - tools as the text of a .pyi file: for models, people and type checkers. Pure.
 */
#ifndef SNUG_CLI_STUBS_H
#define SNUG_CLI_STUBS_H

#include <stddef.h>

#include "base/str.h"

/* A function that cells can call. The texts are somebody else's. */
typedef struct stub {
    const char *name;  /* "search", or "github.search" */
    const char *types; /* '(state: Literal["open", "closed"] = ...) -> dict' */
    const char *doc;   /* "": none */
} stub;

/* Appends those with these numbers, what is of one server as a class of its name. doc_bytes: of the
 * docstrings, which are cut at a character, and of types of more than 3,000 bytes nothing is said
 * then; 0: all of them. SNUG_OK or SNUG_ENOMEM. */
int stubs_write(str *out, const stub *items, const size_t *chosen, size_t count, size_t doc_bytes);
/* How many bytes of the name are its server's; 0: it has none. */
size_t stub_server_len(const char *name);

#endif
