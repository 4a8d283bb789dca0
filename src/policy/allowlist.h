/*
 * allowlist.h - profiles: which modules a session may import.
 *
 * The format is described in stdlib_allowlist/README.md. A line is
 *
 *     name             reason it is safe
 *     name (internal)  reason        only the standard library itself may import it
 *     include name                   all lines of another profile
 *
 * '#' begins a comment line. A name covers its submodules, unless a submodule
 * has a line of its own; a line wins over one for the same name in a profile
 * that is included. Pure: no Python here.
 */
#ifndef SNUG_POLICY_ALLOWLIST_H
#define SNUG_POLICY_ALLOWLIST_H

#include <stddef.h>

typedef struct allowlist allowlist;

typedef enum allow_verdict {
    ALLOW_PUBLIC,   /* cells may import it */
    ALLOW_INTERNAL, /* only the standard library may */
    ALLOW_NEVER     /* not in the profile */
} allow_verdict;

/* profile: a name ("core"), looked up as dir/name.txt, or among the built-in
 * profiles if dir is NULL; or a path, if it has a slash, and what that includes
 * is looked for beside it first. more: further modules to allow, NULL-terminated,
 * or NULL; SNUG_EINVAL for what is not a module's name. SNUG_EPOLICY with a message
 * that names profile and line ("profile core.txt, line 12: ..."), SNUG_ENOTFOUND
 * for a profile that is not there, with the names of those that are. */
int allowlist_open(allowlist **out, const char *profile, const char *dir, const char *const *more);
void allowlist_close(allowlist *list);
/* One more user, who closes it too. Answers list. */
allowlist *allowlist_share(allowlist *list);

/* Of a dotted module name, not NUL-terminated. */
allow_verdict allowlist_verdict(const allowlist *list, const char *module, size_t len);
/* "core", also of a path that ends in core.txt. */
const char *allowlist_profile(const allowlist *list);
/* The files that it was read from, the profile's own first, each with its path; NULL past the end.
 * What is built in has no slash. */
const char *allowlist_file(const allowlist *list, size_t index);
/* How many public modules there are, and the one at index, sorted by name, NULL
 * past the end; for messages and completion. Without those whose name begins
 * with one underscore, which are public for C code's sake. */
size_t allowlist_count(const allowlist *list);
const char *allowlist_name(const allowlist *list, size_t index);

/* Why an import was refused and what to do instead, as one sentence for a model,
 * into text (cut to fit): names the alternative from alternatives.txt, else the
 * nearest allowed module, else says that it is not available. exists: the module
 * is in the standard library, but not in this profile; then another profile that
 * has it is named too. */
void allowlist_explain(const allowlist *list, const char *module, int exists, char *text,
                       size_t size);

/* Names that no tool may have: who calls them means something else. Pure. */

/* What keeps the name from being a tool's, "the name is a built-in one of Python"; NULL:
 * nothing. modules: those that cells may import. */
const char *toolnames_fault(const char *name, const allowlist *modules);

#endif
