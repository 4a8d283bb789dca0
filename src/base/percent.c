#include "base/percent.h"

#include <snug/snug.h>

#include "base/ascii.h"

static int is_plain(int c)
{
    return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

int percent_append(str *out, const char *text, size_t len, const char *digits, int all)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        if (all || !is_plain(text[i]))
            error = str_append(out, "%", 1);
        if (!error && (all || !is_plain(text[i])))
            error = hex_append(out, text + i, 1, digits);
        else if (!error)
            error = str_append(out, text + i, 1);
    }
    return error;
}

int hex_append(str *out, const char *text, size_t len, const char *digits)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        const unsigned char c = (unsigned char)text[i];
        const char pair[] = { digits[c >> 4], digits[c & 15] };
        error = str_append(out, pair, sizeof pair);
    }
    return error;
}
