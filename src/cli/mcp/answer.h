/*
 * answer.h - the result of a tool in the making: content for the model, and the object beside it.
 */
#ifndef SNUG_CLI_MCP_ANSWER_H
#define SNUG_CLI_MCP_ANSWER_H

#include <snug/supervisor.h>

#include "base/str.h"
#include "cli/mcp/handles.h"
#include "cli/program/options.h"

typedef struct answer {
    str text;       /* of the first content */
    str items;      /* further ones, JSON, each with a comma in front */
    str structured; /* JSON; empty: none */
    str note;       /* what of the text is about the session and its limits */
    int is_error;
    int failed;   /* memory ran out */
    int has_save; /* restore_session finds one */
} answer;

/* Each appends; a failure is noted in the answer. */
__attribute__((format(printf, 2, 3))) void answer_say(answer *a, const char *format, ...);
/* A file's name on one line, without control characters. */
void answer_name(answer *a, const char *name);
/* The same, about the session and its limits. */
__attribute__((format(printf, 2, 3))) void answer_note(answer *a, const char *format, ...);
/* As an error, in place of what there was. */
__attribute__((format(printf, 2, 3))) void answer_fail(answer *a, const char *format, ...);
/* The library's message. */
void answer_fail_library(answer *a);
/* What a cell has given, for the model, and as an object: brief, or snug.result/1 with the member
 * "opened". limit_ms: more than that no cell has; 0: that is not to be said. */
void answer_cell(answer *a, const snug_result *result, const snug_arrival *arrival, const handle *h,
                 structured_choice form, uint64_t limit_ms);
/* Where the session is not as the client has left it, or cannot be saved as it is. */
void answer_arrival(answer *a, const snug_arrival *arrival);
/* The same where it was only restored: nothing. */
void answer_trouble(answer *a, const snug_arrival *arrival);
/* The result of tools/call but for its beginning: "content": ... }. SNUG_OK or SNUG_ENOMEM. */
int answer_write(str *out, const answer *a);
void answer_free(answer *a);

#endif
