/*
 * buffer.h - the text that is edited: a cursor, what was cut, and the way back. Pure.
 *
 * Positions are bytes, at the beginning of a glyph. The text is UTF-8 without control characters
 * other than LF and tab; whoever inserts sees to that.
 */
#ifndef SNUG_CLI_BUFFER_H
#define SNUG_CLI_BUFFER_H

#include <stddef.h>

#include "base/str.h"

enum { BUFFER_MOST_BYTES = 1 << 20 };

typedef enum buffer_change { BUFFER_OTHER, BUFFER_TYPED, BUFFER_RUBBED } buffer_change;

typedef struct buffer_version {
    str text;
    size_t cursor;
} buffer_version;

typedef struct buffer {
    str all;
    size_t cursor;
    str cut; /* what Ctrl-Y puts back */
    buffer_version *versions;
    size_t version_count, version_cap, version_bytes;
    buffer_change last; /* changes of one kind in a row are one to undo */
} buffer;

/* A change is left out where there is no memory for it; 0, or -1 where the text would be over
 * BUFFER_MOST_BYTES. */
int buffer_insert(buffer *t, const char *bytes, size_t len, buffer_change kind);
/* Takes out [from, to), where the cursor goes. */
void buffer_delete(buffer *t, size_t from, size_t to, buffer_change kind);
/* The same; what is cut is added to what the last key has cut where is_more, before it where the
 * cut was towards the beginning. */
void buffer_cut(buffer *t, size_t from, size_t to, int is_more);
/* Puts bytes in the place of all, with the cursor at the end. */
int buffer_set(buffer *t, const char *bytes, size_t len);
/* 1; 0: there is nothing to go back to. */
int buffer_undo(buffer *t);
/* Nothing, and no way back; what was cut stays. */
void buffer_reset(buffer *t);
void buffer_free(buffer *t);

/* Positions around at. */
size_t buffer_line_begin(const buffer *t, size_t at);
size_t buffer_line_end(const buffer *t, size_t at);
size_t buffer_before(const buffer *t, size_t at);
size_t buffer_behind(const buffer *t, size_t at);
size_t buffer_word_before(const buffer *t, size_t at);
size_t buffer_word_behind(const buffer *t, size_t at);
/* How much of the line's beginning is spaces and tabs, up to at. */
size_t buffer_indent(const buffer *t, size_t at);
/* Nothing but blanks stands before at in its line. */
int buffer_is_indent(const buffer *t, size_t at);
int buffer_has_lines(const buffer *t);

#endif
