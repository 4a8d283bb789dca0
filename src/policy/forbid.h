/*
 * forbid.h - patterns of the caller's that a program must not have.
 *
 * A name is what a program imports, calls or otherwise uses: "open", "os.remove", "curl". It stands
 * for all below it too: "os" for os.remove. A POSIX extended regular expression in slashes,
 * "/rm +-rf/", is looked for in each line of the source, comments and texts included.
 *
 * A guard: what a name is at run time, nobody knows before.
 */
#ifndef SNUG_POLICY_FORBID_H
#define SNUG_POLICY_FORBID_H

#include <stddef.h>

typedef struct forbid_list forbid_list;

/* patterns: NULL-terminated, or NULL. SNUG_ENOMEM, or SNUG_EINVAL with a message that has the
 * pattern and says what is wrong with it. */
int forbid_open(forbid_list **out, const char *const *patterns);
void forbid_close(forbid_list *list);

/* The pattern that a name falls under, or NULL. A list of NULL has none. */
const char *forbid_name(const forbid_list *list, const char *name, size_t len);
/* The bytes of a line that a pattern was found in. */
typedef struct forbid_place {
    size_t at, len;
} forbid_place;

/* The first regular expression from *index on that is found in the line; *index is behind it then.
 * NULL: none. */
const char *forbid_line(const forbid_list *list, size_t *index, const char *line, size_t len,
                        forbid_place *found);

#endif
