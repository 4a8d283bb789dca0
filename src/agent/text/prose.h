/*
 * prose.h - a reply without a program, read as an answer in words.
 *
 * The prompts ask for "ANSWER:" before an answer in words. Of replies without it only those are
 * left out that end before what they announce: whether the words answer the question is for the
 * evaluation to say, in whatever language they are.
 */
#ifndef SNUG_AGENT_PROSE_H
#define SNUG_AGENT_PROSE_H

#include <stddef.h>

#include "base/str.h"

typedef enum prose_kind {
    PROSE_NONE,   /* no words, or cut off */
    PROSE_PLAIN,  /* words that may be an answer */
    PROSE_MARKED, /* an answer behind "ANSWER:" */
} prose_kind;

/* Zeroed is empty. */
typedef struct prose {
    prose_kind kind;
    str text; /* without thinking and without the mark, trimmed; empty of PROSE_NONE */
} prose;

/* out need not be initialised. Takes time in proportion to len. SNUG_OK or SNUG_ENOMEM. */
int prose_read(prose *out, const char *text, size_t len);
void prose_free(prose *p);

#endif
