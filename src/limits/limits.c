#include "limits/limits.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"

#define DESCRIPTION(field, option, unit, value, can_be_none, about) \
    { #field, option, unit, value, about, offsetof(snug_limits, field), can_be_none },

static const snug_limit_description descriptions[] = { LIMITS(DESCRIPTION) };

enum { LIMIT_COUNT = sizeof descriptions / sizeof *descriptions };

static_assert(sizeof(size_t) + LIMIT_COUNT * sizeof(uint64_t) == sizeof(snug_limits),
              "every limit has a row in the table");

const snug_limit_description *snug_limit_info(size_t index)
{
    return index < LIMIT_COUNT ? &descriptions[index] : NULL;
}

/* Zero in what is resolved is none. */
static uint64_t choose_limit(uint64_t wanted, uint64_t otherwise)
{
    if (wanted == SNUG_NONE)
        return 0;
    return wanted ? wanted : otherwise;
}

snug_limits limits_resolve(const snug_limits *wanted, const snug_limits *base)
{
#define DEFAULT(field, option, unit, value, can_be_none, about) .field = (value),
    static const snug_limits none = { 0 }, defaults = { .size = sizeof defaults, LIMITS(DEFAULT) };
#undef DEFAULT
    snug_limits resolved = defaults;

    if (!wanted)
        wanted = &none;
    if (!base)
        base = &defaults;
#define RESOLVE(field, option, unit, value, can_be_none, about) \
    resolved.field = choose_limit(wanted->field, base->field);
    LIMITS(RESOLVE)
#undef RESOLVE
    return resolved;
}

int limits_take(snug_limits *out, const snug_limits *given)
{
    int error = options_take(out, sizeof *out, given, "snug_limits");

    for (size_t i = 0; !error && i < LIMIT_COUNT; i++) {
        uint64_t value;
        memcpy(&value, (const char *)out + descriptions[i].offset, sizeof value);
        if (value == SNUG_NONE && !descriptions[i].can_be_none)
            error = error_set(SNUG_EINVAL, "%s is SNUG_NONE: without it nothing runs",
                              descriptions[i].name);
    }

    return error;
}
