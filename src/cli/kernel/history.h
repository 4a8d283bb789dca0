/*
 * history.h - the cells that a kernel has run, for clients that ask. A session that takes the place
 * of a lost one is another one here too. One thread uses it.
 */
#ifndef SNUG_CLI_HISTORY_H
#define SNUG_CLI_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "cli/kernel/content.h"
#include "cli/kernel/message.h"

typedef struct history_entry {
    long session, line; /* from 1 */
    char *source;
    char *output; /* text of its value; NULL: it had none */
} history_entry;

/* The oldest entries go where there are too many. */
typedef struct history {
    history_entry *entries;
    size_t count, cap, bytes;
    long session; /* of entries that follow, less 1 */
} history;

/* Remembers a cell; what there is no memory for is not remembered. */
void history_add(history *h, uint64_t line, const char *source, const char *output);
/* The cells that follow are of a new session. */
void history_next_session(history *h);
/* The content of the reply to a history_request. */
void history_answer(content *out, const history *h, const kernel_message *request);
void history_free(history *h);

#endif
