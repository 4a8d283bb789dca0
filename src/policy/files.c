#include "policy/files.h"

#include <stdint.h>
#include <string.h>

const policy_file *policy_file_find(const char *name)
{
    for (const policy_file *file = policy_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

/* How well pattern fits the name: 0 not at all; a longer pattern better; the
 * whole name best. */
static size_t rate_fit(const char *pattern, const char *name, size_t len)
{
    size_t n = strlen(pattern);

    if (n && pattern[n - 1] == '*') {
        int is_beginning = len >= n - 1 && memcmp(pattern, name, n - 1) == 0;
        return is_beginning ? n : 0;
    }

    int is_same = len == n && memcmp(pattern, name, n) == 0;
    return is_same ? SIZE_MAX / 2 : 0;
}

const call_rule *calls_forbidden(const char *profile, const char *name, size_t len)
{
    static const char *const modules[] = { "builtins.", "__builtins__." };
    const call_rule *best = NULL;
    size_t best_fit = 0;

    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        size_t n = strlen(modules[i]);
        if (len > n && memcmp(name, modules[i], n) == 0) {
            name += n;
            len -= n;
            break;
        }
    }

    for (const policy_call *row = policy_calls; row->rule.pattern; row++) {
        if (row->profile && strcmp(row->profile, profile) != 0)
            continue;
        /* Of two rows for one pattern the profile's own wins. */
        size_t score = 2 * rate_fit(row->rule.pattern, name, len);
        if (score && row->profile)
            score++;
        if (score > best_fit) {
            best = &row->rule;
            best_fit = score;
        }
    }

    return best;
}
