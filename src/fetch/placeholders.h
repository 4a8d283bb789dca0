/*
 * placeholders.h - secrets that cells can send without seeing them.
 *
 * {{NAME}} stands for one in the query, in the value of a header and in the body of a request. It
 * is put in for the hosts that it belongs to, and for no other; what comes back is searched for it.
 */
#ifndef SNUG_FETCH_PLACEHOLDERS_H
#define SNUG_FETCH_PLACEHOLDERS_H

#include <stddef.h>

#include "base/concealed.h"
#include "base/str.h"

typedef struct placeholder {
    char *name, *host, *value;
    int is_below; /* of *.host */
} placeholder;

typedef struct placeholders {
    placeholder *items;
    size_t count, cap;
    concealed values; /* owner: the number of the item */
} placeholders;

/* "NAME=HOST:VARIABLE": the value is that of the environment's variable. SNUG_OK, SNUG_ENOMEM, or
 * SNUG_EINVAL with a sentence, which never has the value. */
int placeholders_add(placeholders *p, const char *text);
/* Wipes the values. */
void placeholders_free(placeholders *p);

/* Whether text has one of them. */
int placeholders_are_in(const placeholders *p, const char *text, size_t len);
/* Appends text with the values for host; is_query: in percent encoding. SNUG_OK, SNUG_ENOMEM, or
 * SNUG_EPOLICY with *why: one belongs to another host. */
int placeholders_fill(str *out, str *why, const placeholders *p, const char *text, size_t len,
                      const char *host, int is_query);
/* Puts {{NAME}} where text has a value, in any of its forms. SNUG_OK or SNUG_ENOMEM: then text is
 * empty. */
int placeholders_hide(const placeholders *p, str *text);
/* Appends text in percent encoding, but for placeholders. SNUG_OK or SNUG_ENOMEM. */
int placeholders_encode(str *out, const placeholders *p, const char *text, size_t len);

#endif
