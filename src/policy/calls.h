/*
 * calls.h - calls that a scan forbids: the table in stdlib_allowlist/calls.txt.
 *
 * A line is `pattern  profile  reason`: a dotted name, or one that ends in `.*`
 * or `*` for all names that begin so; profile is `all` or a profile's name. The
 * whole name wins over a pattern, a longer pattern over a shorter one, a line of
 * the profile over one of all. embed.py makes the table at build time.
 */
#ifndef SNUG_POLICY_CALLS_H
#define SNUG_POLICY_CALLS_H

#include <stddef.h>

typedef struct call_rule {
    const char *pattern;
    const char *reason;
} call_rule;

/* The rule that forbids a call of the dotted name in that profile, or NULL.
 * "builtins.eval", "__builtins__.eval" and "eval" are the same name. */
const call_rule *calls_forbidden(const char *profile, const char *name, size_t len);

#endif
