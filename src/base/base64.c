#include "base/base64.h"

#include <string.h>

#include <snug/snug.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put(char *to, const unsigned char *from, size_t count)
{
    unsigned bits = (unsigned)from[0] << 16 | (count > 1 ? (unsigned)from[1] << 8 : 0) |
                    (count > 2 ? from[2] : 0);
    for (size_t i = 0; i < 4; i++)
        to[i] = i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=';
}

int base64_append(str *out, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    size_t size = (len + 2) / 3 * 4;
    if (str_reserve(out, size) != SNUG_OK)
        return SNUG_ENOMEM;
    for (size_t at = 0; at < len; at += 3, out->len += 4)
        put(out->data + out->len, bytes + at, len - at < 3 ? len - at : 3);
    out->data[out->len] = '\0';
    return SNUG_OK;
}
