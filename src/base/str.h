/*
 * str.h - growable byte string.
 */
#ifndef SNUG_BASE_STR_H
#define SNUG_BASE_STR_H

#include <stdarg.h>
#include <stddef.h>

/* data is NUL-terminated once anything was appended. Zeroed is empty. */
typedef struct str {
    char *data;
    size_t len;
    size_t cap;
    int has_failed;
} str;

/* These append and answer SNUG_OK or SNUG_ENOMEM; on failure the string is
 * as it was. A failure sticks, until the string is cleared, taken or freed: look once,
 * at the end. They set no error message. What is appended must not lie in the
 * string itself. */
int str_append(str *s, const char *data, size_t len);
int str_add(str *s, const char *text);
int str_add_str(str *s, const str *other);
__attribute__((format(printf, 2, 3))) int str_printf(str *s, const char *format, ...);

/* Whether one of them has failed: SNUG_OK or SNUG_ENOMEM. */
int str_error(const str *s);
/* Room for len more bytes and the NUL. It does not stick. */
int str_reserve(str *s, size_t len);
/* The text, "" if nothing was ever appended. Belongs to the string. */
const char *str_text(const str *s);
/* Hands the buffer to the caller, who frees it; the string is empty then. NULL
 * only if memory ran out. */
char *str_take(str *s);
/* Forgets the text, keeps the buffer. */
void str_clear(str *s);
void str_free(str *s);

#endif
