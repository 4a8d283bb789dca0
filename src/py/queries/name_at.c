/* The name that is meant at a place of a source: the one under the cursor, or the function in whose
 * call that stands. */
#include "base/ascii.h"
#include "py/core/interp.h"
#include "py/queries/source_place.h"

static int begins_number(piece path)
{
    size_t dots = path.len > 1 && path.at[0] == '.';
    return path.len > 0 && is_digit(path.at[dots]);
}

/* The function in whose call byte at stands: what is before the last parenthesis that is still open
 * there and has a name before it. Strings with parentheses in them lead astray: then another name
 * is found, or none. */
static piece called_at(const char *source, size_t at)
{
    size_t depth = 0;

    for (size_t i = at; i-- > 0;) {
        if (source[i] == ')') {
            depth++;
        } else if (source[i] == '(' && depth > 0) {
            depth--;
        } else if (source[i] == '(') {
            piece name = path_at(source, i, i);
            if (name.len > 0)
                return name;
        }
    }

    return (piece){ source, 0 };
}

void interp_name_at(size_t *at, size_t *len, const char *source, size_t source_len, size_t cursor)
{
    piece path = path_at(source, source_len, cursor);

    if (path.len == 0 || begins_number(path))
        path = called_at(source, cursor);
    *at = path.len > 0 ? (size_t)(path.at - source) : 0;
    *len = path.len;
}
