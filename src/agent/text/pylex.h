/*
 * pylex.h - just enough of Python's lexical structure to know what is a string or a comment.
 */
#ifndef SNUG_AGENT_PYLEX_H
#define SNUG_AGENT_PYLEX_H

#include <stddef.h>

/* Where a reader of code stands. Zeroed is its beginning. */
typedef struct pylex {
    char quote; /* of the string it is in; 0: in none */
    int is_triple;
    int is_comment;
} pylex;

/* Goes past one byte, or past what belongs together (three quotes, an escape); answers where it
 * is then. at < len. A string of one quote ends with its line. */
size_t pylex_step(pylex *lex, const char *text, size_t len, size_t at);
static inline int pylex_is_code(const pylex *lex)
{
    return !lex->quote && !lex->is_comment;
}

/* Whether all of text looks like Python and no line of it like prose, to be sure rather than
 * fair: 42 and hello are not code, print(42) is. */
int pylex_is_python(const char *text, size_t len);

#endif
