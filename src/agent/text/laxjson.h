/*
 * laxjson.h - JSON as models write it, made strict.
 *
 * Read are also: line breaks and unknown escapes in strings, strings in single quotes, True, False
 * and None, trailing and missing commas, and a text that ends too early.
 */
#ifndef SNUG_AGENT_LAXJSON_H
#define SNUG_AGENT_LAXJSON_H

#include <stddef.h>

#include "base/str.h"

/* Nesting that is deeper is not read. */
enum { LAXJSON_LEVELS = 32 };

/* Reads the object or list at text, which begins with its bracket and is valid UTF-8, and
 * appends it as strict JSON, which base/jsontext.h takes apart. *end is where it was done, also
 * when it failed; *is_whole 0 where the text ended too early. SNUG_OK, SNUG_ENOMEM, or
 * SNUG_EINVAL without a message: nothing of the kind; out is as it was then. */
int laxjson_read(str *out, size_t *end, int *is_whole, const char *text, size_t len);

/* Looks for objects and lists in a text of any kind. Zeroed but for text and len. */
typedef struct laxjson_search {
    const char *text; /* valid UTF-8 */
    size_t len;
    size_t at;    /* where the search goes on */
    size_t begin; /* of what was found; it ends at `at` */
    size_t work;  /* bytes read so far; past a few times len the search ends */
    int is_whole;
} laxjson_search;

/* The next one that begins with one of the brackets ("{", "[" or both) goes to out, in the
 * place of what was there: SNUG_OK. SNUG_ENOTFOUND without a message where there is no more;
 * SNUG_ENOMEM. What lies within one that was found is not found again. */
int laxjson_next(str *out, laxjson_search *search, const char *brackets);

#endif
