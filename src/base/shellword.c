#include "base/shellword.h"

#include <string.h>

int shellword_append(str *out, const char *text, size_t len)
{
    const char *end = text + len;
    int error = str_add(out, "'");

    while (!error && text < end) {
        const char *quote = memchr(text, '\'', (size_t)(end - text));
        if (!quote) {
            error = str_append(out, text, (size_t)(end - text));
            break;
        }
        error = str_append(out, text, (size_t)(quote - text));
        if (!error)
            error = str_add(out, "'\\''");
        text = quote + 1;
    }

    if (error)
        return error;
    return str_add(out, "'");
}
