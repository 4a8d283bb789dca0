/*
 * streamed_code.h - finds the code in a model's reply while it streams in. Pure.
 */
#ifndef SNUG_CLI_STREAMED_CODE_H
#define SNUG_CLI_STREAMED_CODE_H

#include <stddef.h>

#include "base/str.h"
#include "cli/editor/code.h"

/* Zeroed is the beginning of a reply. */
typedef struct streamed_code {
    str line;     /* that has no end yet */
    str code;     /* all lines of the fences so far */
    size_t fence; /* how many backticks the open one has; 0: none is open */
    int is_code;  /* what it holds is: it names no other language */
    code_language language;
} streamed_code;

/* Takes a piece of the reply; what it has of code is at the end of code then, in whole lines. How
 * many bytes there are more. */
size_t streamed_code_take(streamed_code *s, const char *text, size_t len);
/* The reply has ended. As above. */
size_t streamed_code_end(streamed_code *s);
/* Whether it is that code, up to blanks at its ends. */
int streamed_code_is(const streamed_code *s, const char *code, size_t len);
/* For the next reply. */
void streamed_code_clear(streamed_code *s);
void streamed_code_free(streamed_code *s);

#endif
