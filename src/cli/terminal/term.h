/*
 * term.h - colours, and whether there are any.
 */
#ifndef SNUG_CLI_TERM_H
#define SNUG_CLI_TERM_H

#include <stdio.h>

#include "cli/terminal/clean.h"

typedef enum term_mode { TERM_AUTO, TERM_ALWAYS, TERM_NEVER } term_mode;

typedef enum term_style {
    TERM_IN,     /* In [1]: */
    TERM_OUT,    /* Out[1]: */
    TERM_NUMBER, /* the number in it */
    TERM_ERROR,  /* an exception's name */
    TERM_PLACE,  /* file and line of a traceback */
    TERM_HINT,
    TERM_OFF
} term_style;

typedef struct term {
    int out; /* stdout has colours */
    int err; /* stderr has */
} term;

/* TERM_AUTO: on a terminal that is not dumb, unless NO_COLOR is set. */
term term_open(term_mode mode);
/* Whether TERM names a terminal that has sequences: which moves, and where lines are taken back. */
int term_has_sequences(void);
/* The escape that turns style on for that stream; "" where there are no colours. */
const char *term_on(const term *t, const FILE *stream, term_style style);
/* Text of a model or a provider: its control characters, C1 included, do nothing to the
 * terminal. */
void term_put(FILE *stream, const char *text, size_t len);
/* Text of a cell, a file or a server: on a terminal as clean.h has it, elsewhere byte for
 * byte. c: of a stream that goes on; NULL: this is all of it. */
void term_show(FILE *stream, clean *c, const char *text, size_t len, unsigned passes);
/* The same, formatted, of all of it. How many bytes there were. */
__attribute__((format(printf, 2, 3))) int term_printf(FILE *stream, const char *format, ...);
/* The end of such a stream. */
void term_end(FILE *stream, clean *c);
/* A traceback with its places, carets and the exception's name coloured. */
void term_traceback(const term *t, FILE *stream, const char *text);

/* What is typed and shown is UTF-8, whatever the environment says. */
void term_set_utf8(void);

#endif
