#include "limits/limits.h"

#include <assert.h>

#include "base/options.h"

#define DESCRIPTION(field, option, unit, value, about) \
    { #field, option, unit, value, about, offsetof(snug_limits, field) },

static const snug_limit_description descriptions[] = { LIMITS(DESCRIPTION) };

enum { LIMIT_COUNT = sizeof descriptions / sizeof *descriptions };

static_assert(sizeof(size_t) + LIMIT_COUNT * sizeof(uint64_t) == sizeof(snug_limits),
              "every limit has a row in the table");

const snug_limit_description *snug_limit_info(size_t index)
{
    return index < LIMIT_COUNT ? &descriptions[index] : NULL;
}

static uint64_t choose_limit(uint64_t wanted, uint64_t base, uint64_t default_value)
{
    if (wanted)
        return wanted;
    if (base)
        return base;
    return default_value;
}

snug_limits limits_resolve(const snug_limits *wanted, const snug_limits *base)
{
    static const snug_limits none = { 0 };
    snug_limits resolved = SNUG_LIMITS_INIT;

    if (!wanted)
        wanted = &none;
    if (!base)
        base = &none;
#define RESOLVE(field, option, unit, value, about) \
    resolved.field = choose_limit(wanted->field, base->field, value);
    LIMITS(RESOLVE)
#undef RESOLVE
    return resolved;
}

int limits_take(snug_limits *out, const snug_limits *given)
{
    return options_take(out, sizeof *out, given, "snug_limits");
}
