/*
 * same_json.h - whether two JSON values are the same: order, case and the last
 * bit of a number count, which cJSON_Compare does not look at.
 */
#ifndef SNUG_FUZZ_SAME_JSON_H
#define SNUG_FUZZ_SAME_JSON_H

#include <string.h>

#include <cjson/cJSON.h>

static inline int same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static inline int same_json(const cJSON *a, const cJSON *b)
{
    if ((a->type & 0xff) != (b->type & 0xff) || !same_text(a->valuestring, b->valuestring))
        return 0;
    if (cJSON_IsNumber(a) && !(a->valuedouble == b->valuedouble))
        return 0;
    const cJSON *x = a->child, *y = b->child;
    for (; x && y; x = x->next, y = y->next)
        if (!same_text(x->string, y->string) || !same_json(x, y))
            return 0;
    return !x && !y;
}

#endif
