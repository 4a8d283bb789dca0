/*
 * source.h - which bytes can be a cell, and what is taken off them.
 */
#ifndef SNUG_POLICY_SOURCE_H
#define SNUG_POLICY_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* What CPython would say, for a syntax error made by us. */
typedef struct source_fault {
    char message[160];
    unsigned line;   /* from 1; 0 if it has none */
    unsigned column; /* from 1, in characters; 0 if it has none */
    int is_length;   /* it is too long; nothing else was looked at */
} source_fault;

typedef struct source_text {
    const char
        *text; /* NUL-terminated; the caller's bytes where nothing was taken off, or own.data */
    size_t len;
    str own;
} source_text;

/*
 * Makes text a cell that CPython's compiler takes as UTF-8: a BOM is skipped, a
 * utf-8 coding cookie on the first two lines is let through, the first line's
 * indentation is taken off every line that has it (as IPython does; lines inside
 * multi-line strings too), of a transcript the prompts are, and its lines of output
 * are empty; CRLF and form feeds are left to the tokenizer.
 * Answers 1, or 0 and the fault: over max_bytes (UINT64_MAX: no limit), a NUL
 * byte, another coding cookie, invalid UTF-8, a lone surrogate; SNUG_ENOMEM,
 * without a message, if memory for the own text ran out. text[len] must be NUL.
 * Free with source_free in every case.
 */
int source_prepare(source_text *out, source_fault *fault, const char *text, size_t len,
                   uint64_t max_bytes);
void source_free(source_text *source);
/* Line n (from 1) of text, without its line end (LF, CRLF or CR); NULL if there is
 * none. Behind the last line end no further line begins. */
const char *source_line(const char *text, size_t len, unsigned n, size_t *line_len);

#endif
