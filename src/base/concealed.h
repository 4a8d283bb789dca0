/*
 * concealed.h - finds secrets in text: as they are, as JSON writers and URLs escape them, and
 * in base64.
 */
#ifndef SNUG_BASE_CONCEALED_H
#define SNUG_BASE_CONCEALED_H

#include <stddef.h>

#include "base/str.h"

/* Fewer bytes may be an ordinary word: they are not looked for. */
enum { CONCEALED_LEAST = 8 };

enum { CONCEALED_ITSELF = 1, CONCEALED_IN_TEXT = 2, CONCEALED_IN_JSON = 4 };

typedef struct concealed_form {
    str text;
    size_t owner;
    size_t next;   /* 1 + the index of the next form with the same first byte; 0: there is none */
    unsigned uses; /* CONCEALED_ITSELF: not encoded; CONCEALED_IN_...: where it is looked for */
} concealed_form;

typedef struct concealed {
    concealed_form *forms;
    size_t count, cap;
    size_t first[256]; /* by the first byte; as next */
} concealed;

/* Adds a secret. owner: what is answered where it is found. SNUG_OK or SNUG_ENOMEM. */
int concealed_add(concealed *c, const char *text, size_t len, size_t owner);
/* Wipes them. */
void concealed_free(concealed *c);

typedef struct concealed_scan {
    const concealed *of;
    const char *text;
    size_t len, at;
    int is_json; /* looks into strings and names alone, and takes no piece of an escape */
    int is_inside;
} concealed_scan;

void concealed_scan_init(concealed_scan *s, const concealed *of, const char *text, size_t len,
                         int is_json);
/* 1: the next secret, the longest that begins there, stands at *from in *used bytes, never fewer
 * than CONCEALED_LEAST. 0: there is none. What is in front of *from is not looked at again, and may
 * be written. */
int concealed_next(concealed_scan *s, size_t *from, size_t *used, size_t *owner);

#endif
