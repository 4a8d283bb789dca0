/*
 * files.h - the files of stdlib_allowlist/, compiled in by embed.py: profiles as
 * text, for allowlist.c reads them from disk as well; the two tables as rows,
 * their format checked at build time.
 */
#ifndef SNUG_POLICY_FILES_H
#define SNUG_POLICY_FILES_H

#include <stddef.h>

/* A profile. */
typedef struct policy_file {
    const char *name; /* "core.txt" */
    const char *text; /* ends with a NUL past len */
    size_t len;
} policy_file;

/* Calls that a scan forbids: the table in stdlib_allowlist/calls.txt.
 *
 * A line is `pattern  profile  reason`: a dotted name, or one that ends in `.*`
 * or `*` for all names that begin so; profile is `all` or a profile's name. The
 * whole name wins over a pattern, a longer pattern over a shorter one, a line of
 * the profile over one of all. embed.py makes the table at build time. */

typedef struct call_rule {
    const char *pattern;
    const char *reason;
} call_rule;

/* A line of calls.txt. */
typedef struct policy_call {
    const char *profile; /* NULL: all */
    call_rule rule;
} policy_call;

/* A line of alternatives.txt. */
typedef struct policy_alternative {
    const char *module;
    const char *profile; /* NULL: all that have no line of their own for it */
    const char *text;
} policy_alternative;

/* Each ends with a row of NULLs. */
extern const policy_file policy_files[];
extern const policy_call policy_calls[];
extern const policy_alternative policy_alternatives[];

/* NULL if there is none of that name. */
const policy_file *policy_file_find(const char *name);

/* The rule that forbids a call of the dotted name in that profile, or NULL.
 * "builtins.eval", "__builtins__.eval" and "eval" are the same name. */
const call_rule *calls_forbidden(const char *profile, const char *name, size_t len);

#endif
