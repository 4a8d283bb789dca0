#include "base/base64.h"

#include <string.h>

#include <snug/snug.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The four characters of one to three bytes. */
static void encode_group(char *to, const unsigned char *from, size_t count)
{
    unsigned bits = (unsigned)from[0] << 16;

    if (count > 1)
        bits |= (unsigned)from[1] << 8;
    if (count > 2)
        bits |= from[2];

    for (size_t i = 0; i < 4; i++)
        to[i] = i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=';
}

int base64_append(str *out, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    size_t size = (len + 2) / 3 * 4;
    if (str_reserve(out, size) != SNUG_OK)
        return SNUG_ENOMEM;

    for (size_t at = 0; at < len; at += 3) {
        encode_group(out->data + out->len, bytes + at, len - at < 3 ? len - at : 3);
        out->len += 4;
    }

    out->data[out->len] = '\0';
    return SNUG_OK;
}

/* ---- back ---- */

/* The six bits that a character stands for; -1: it is not a digit. */
static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    if (c == '/')
        return 63;
    return -1;
}

/* The bytes of a group, of which padding leaves some out; 0 where bits stand for nothing. */
static int decode_group(str *out, unsigned bits, unsigned pads)
{
    if (pads > 2 || (bits & ((1u << 8 * pads) - 1)) != 0)
        return 0;
    for (unsigned i = 0; i < 3 - pads; i++)
        out->data[out->len++] = (char)(bits >> (16 - 8 * i) & 0xff);
    return 1;
}

static int decode_text(str *out, const char *text, size_t len)
{
    unsigned bits = 0, count = 0, pads = 0;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '\n' || c == '\r')
            continue;
        int value = c == '=' ? 0 : digit_value(c);
        int is_behind = pads > 0 && (c != '=' || count % 4 == 0);
        if (value < 0 || is_behind)
            return SNUG_EINVAL;
        pads += c == '=';
        bits = bits << 6 | (unsigned)value;
        if (++count % 4 == 0 && !decode_group(out, bits & 0xffffff, pads))
            return SNUG_EINVAL;
    }

    return count % 4 == 0 ? SNUG_OK : SNUG_EINVAL;
}

int base64_decode(str *out, const char *text, size_t len)
{
    size_t before = out->len;
    if (str_reserve(out, len / 4 * 3) != SNUG_OK)
        return SNUG_ENOMEM;

    int error = decode_text(out, text, len);
    if (error)
        out->len = before;
    out->data[out->len] = '\0';
    return error;
}
