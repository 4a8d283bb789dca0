#include "cli/terminal/columns.h"

#include <utf8proc.h>

#include "base/utf8.h"

static int is_mark(uint32_t code)
{
    return code >= 0x300 && utf8proc_charwidth((utf8proc_int32_t)code) == 0;
}

/* The character at text, and its bytes; U+FFFD and one byte where there is none. */
static uint32_t decode_character(size_t *width, const char *text, size_t len)
{
    unsigned char lead = (unsigned char)*text;
    size_t fault = 0;

    *width = 1;
    if (lead < 0x80)
        return lead;
    size_t wanted = utf8_width(lead);
    if (wanted == 0 || wanted > len || utf8_check(text, wanted, &fault) != UTF8_FINE)
        return 0xfffd;

    uint32_t code = lead & (0x7fU >> wanted);
    for (size_t i = 1; i < wanted; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    *width = wanted;
    return code;
}

static unsigned columns_of_code(uint32_t code)
{
    if (code < 0x300)
        return 1;
    return (unsigned)utf8proc_charwidth((utf8proc_int32_t)code);
}

glyph glyph_at(const char *text, size_t len)
{
    glyph g = { .len = 1, .columns = 1 };
    const unsigned char first = (unsigned char)*text;

    /* Most of all text. */
    if (first >= ' ' && first < 0x7f && (len < 2 || (unsigned char)text[1] < 0x80)) {
        g.code = first;
        return g;
    }
    g.code = decode_character(&g.len, text, len);
    g.columns = columns_of_code(g.code);
    if (g.code < ' ')
        return g;

    while (g.len < len && (unsigned char)text[g.len] >= 0x80) {
        size_t width;
        uint32_t code = decode_character(&width, text + g.len, len - g.len);
        if (!is_mark(code))
            break;
        g.len += width;
        if (code == 0xfe0f && g.columns == 1 && g.code > 0xff)
            g.columns = 2; /* drawn as a picture */
    }

    return g;
}

static int is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t glyph_before(const char *text, size_t at)
{
    size_t end = at, width;

    while (at > 0) {
        size_t begin = at - 1;
        while (begin > 0 && at - begin < 4 && is_continuation(text[begin]))
            begin--;
        uint32_t code = decode_character(&width, text + begin, at - begin);
        if (begin + width != at) {
            begin = at - 1;
            code = 0xfffd;
        }

        at = begin;
        if (code < ' ')
            return at + 1 < end ? at + 1 : at;
        if (!is_mark(code))
            return at;
    }

    return at;
}

size_t columns_of(const char *text, size_t len)
{
    size_t columns = 0;

    for (size_t at = 0; at < len;) {
        glyph g = glyph_at(text + at, len - at);
        columns += g.columns;
        at += g.len;
    }

    return columns;
}

size_t columns_fit(const char *text, size_t len, size_t columns)
{
    size_t at = 0;

    for (size_t used = 0; at < len;) {
        glyph g = glyph_at(text + at, len - at);
        if (used + g.columns > columns)
            break;
        used += g.columns;
        at += g.len;
    }

    return at;
}
