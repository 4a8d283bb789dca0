/*
 * blocks.h - the parts of a model's reply: thinking taken off, blocks in fences and tags, and the
 * prose around them.
 */
#ifndef SNUG_AGENT_BLOCKS_H
#define SNUG_AGENT_BLOCKS_H

#include <stddef.h>

#include "base/str.h"

/* Blocks past these are passed over. */
enum { BLOCKS_MOST = 512 };

typedef enum block_kind {
    BLOCK_PYTHON,
    BLOCK_UNMARKED,
    BLOCK_TAG, /* <code>...</code> */
    BLOCK_JSON,
    BLOCK_OTHER /* never code */
} block_kind;

typedef struct block {
    block_kind kind;
    char mark[24]; /* the first word behind the fence, in small letters; "" */
    str text;      /* without the fence and its indentation */
    int is_closed;
} block;

/* Zeroed is empty. */
typedef struct blocks {
    block *items;
    size_t count, cap;
    str prose;
} blocks;

/* Appends text as valid UTF-8 with "\n" as line end and without a byte order mark. SNUG_OK or
 * SNUG_ENOMEM. */
int blocks_normalize(str *out, const char *text, size_t len);
/* Appends the normalized text without the thinking in it; *is_whole is 0 where that has no end.
 * SNUG_OK or SNUG_ENOMEM. */
int blocks_without_thinking(str *out, int *is_whole, const char *text, size_t len);
/* Divides the normalized text; out is zeroed. SNUG_OK or SNUG_ENOMEM: free it in any case. */
int blocks_read(blocks *out, const char *text, size_t len);
void blocks_free(blocks *b);
/* Takes line ends and blanks off the end, and blank lines off the beginning. */
void blocks_trim(str *text);

#endif
