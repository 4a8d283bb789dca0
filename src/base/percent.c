#include "base/percent.h"

#include <snug/snug.h>

#include "base/ascii.h"

static int is_plain(int c)
{
    return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

int percent_append(str *out, const char *text, size_t len)
{
    static const char digits[] = "0123456789ABCDEF";
    int error = SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        const unsigned char c = (unsigned char)text[i];
        const char bytes[] = { '%', digits[c >> 4], digits[c & 15] };
        error = is_plain(c) ? str_append(out, text + i, 1) : str_append(out, bytes, sizeof bytes);
    }
    return error;
}
