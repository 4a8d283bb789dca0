/*
 * source_place.h - what stands at a place of a source that is being written, read without compiling
 * it. No Python is asked.
 */
#ifndef SNUG_PY_SOURCE_PLACE_H
#define SNUG_PY_SOURCE_PLACE_H

#include <stddef.h>

/* Where reading ended, and what stands there. */
typedef struct source_place {
    size_t statement;  /* where the last statement begins; the end, if none did */
    int block_is_open; /* the last logical line is indented */
    int is_quoted;     /* the end is inside a string or a comment */
    size_t literal;    /* where the quote of that string is; the end, if there is none */
} source_place;

source_place source_place_at(const char *s, size_t len);

/* A piece of the source. */
typedef struct piece {
    const char *at;
    size_t len;
} piece;

int ends_line(char c);
/* A joined line is space too. */
int is_between_words(char c);
/* Takes a run of name characters and, if dots is set, dots off the front. */
piece cut_word(piece *text, int dots);
void skip_between_words(piece *text);
int piece_is(piece word, const char *text);
/* The path at the cursor, up to the name under it; empty if something else stands there. */
piece path_at(const char *source, size_t len, size_t cursor);

#endif
