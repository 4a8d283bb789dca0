#include "base/str.h"

#include <snug/snug.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_CAP = 32 };

static int fail(str *s)
{
    s->has_failed = 1;
    return SNUG_ENOMEM;
}

int str_error(const str *s)
{
    return s->has_failed ? SNUG_ENOMEM : SNUG_OK;
}

int str_reserve(str *s, size_t len)
{
    if (len >= SIZE_MAX - s->len)
        return SNUG_ENOMEM;
    size_t wanted = s->len + len + 1;
    if (wanted <= s->cap)
        return SNUG_OK;

    size_t cap = s->cap > SIZE_MAX / 2 ? SIZE_MAX : s->cap * 2;
    if (cap < SMALLEST_CAP)
        cap = SMALLEST_CAP;
    if (cap < wanted)
        cap = wanted;

    /* Most are empty before: realloc takes longer to find that out. */
    char *data = s->data ? realloc(s->data, cap) : malloc(cap);
    if (!data)
        return SNUG_ENOMEM;

    data[s->len] = '\0';
    s->data = data;
    s->cap = cap;
    return SNUG_OK;
}

int str_append(str *s, const char *data, size_t len)
{
    if (s->has_failed || str_reserve(s, len))
        return fail(s);

    if (len)
        memcpy(s->data + s->len, data, len);
    s->len += len;
    s->data[s->len] = '\0';
    return SNUG_OK;
}

int str_add(str *s, const char *text)
{
    return str_append(s, text, strlen(text));
}

int str_add_str(str *s, const str *other)
{
    return other->has_failed ? fail(s) : str_append(s, str_text(other), other->len);
}

int str_printf(str *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);

    /* Only a text over INT_MAX has no length. */
    if (len < 0 || s->has_failed || str_reserve(s, (size_t)len))
        return fail(s);

    va_start(args, format);
    vsnprintf(s->data + s->len, (size_t)len + 1, format, args);
    va_end(args);
    s->len += (size_t)len;
    return SNUG_OK;
}

const char *str_text(const str *s)
{
    return s->data ? s->data : "";
}

char *str_take(str *s)
{
    char *data = s->data;
    if (s->has_failed) {
        free(data);
        data = NULL;
    } else if (!data) {
        data = calloc(1, 1);
    }

    *s = (str){ 0 };
    return data;
}

void str_clear(str *s)
{
    s->len = 0;
    s->has_failed = 0;
    if (s->data)
        s->data[0] = '\0';
}

void str_free(str *s)
{
    if (s->data) /* most are empty, and each call would show in the time of a small cell */
        free(s->data);
    *s = (str){ 0 };
}
