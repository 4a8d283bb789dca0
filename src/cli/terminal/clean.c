#include "cli/terminal/clean.h"

#include <snug/snug.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* ---- one character ---- */

static uint32_t decode_character(const char *text, size_t width)
{
    uint32_t value = (unsigned char)text[0] & (0x7fU >> (width > 1 ? width : 0));
    for (size_t i = 1; i < width; i++)
        value = value << 6 | ((unsigned char)text[i] & 0x3f);
    return value;
}

/* Marks that turn text round, so that it is not read in the order in which it is written, and those
 * that are not seen. */
static int turns_text(uint32_t c)
{
    return c == 0xad || c == 0x61c || c == 0x200b || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

size_t clean_turn(const char *text, size_t len)
{
    if (len == 0 || (unsigned char)*text < 0x80)
        return 0;

    size_t fault, width = utf8_width((unsigned char)*text);
    if (width < 2 || width > len || utf8_check(text, width, &fault) != UTF8_FINE)
        return 0;
    return turns_text(decode_character(text, width)) ? width : 0;
}

static int put_character(str *out, const char *text, size_t width, unsigned passes)
{
    uint32_t c = decode_character(text, width);
    if (c == '\n' || c == '\t' || (c == '\r' && passes & CLEAN_RETURNS))
        return str_append(out, text, 1);

    if (c < 0x20 || c == 0x7f)
        return str_printf(out, "^%c", (char)(c ^ 0x40));
    if (c < 0xa0 && c > 0x7f)
        return str_printf(out, "\\x%02x", (unsigned)c);
    if (turns_text(c))
        return str_printf(out, "\\u%04x", (unsigned)c);
    return str_append(out, text, width);
}

/* ---- colours ---- */

/* The length of the SGR sequence at text; 0: it is not one; SIZE_MAX: it may become one. */
static size_t sgr_len(const char *text, size_t len)
{
    if (len > 1 && text[1] != '[')
        return 0;
    size_t at = 2;
    while (at < len && strchr("0123456789;:", text[at]) && text[at])
        at++;
    if (at >= CLEAN_HELD)
        return 0;
    if (at >= len)
        return SIZE_MAX;
    return text[at] == 'm' ? at + 1 : 0;
}

/* Blinking, reverse and concealed text is read as something else than it is. The numbers that
 * follow an extended colour are not styles. */
static size_t numbers_of_style(long style, const char *next)
{
    if (style != 38 && style != 48 && style != 58)
        return 0;
    const long kind = strtol(next, NULL, 10);
    return kind == 5 ? 2 : kind == 2 ? 4 : 0;
}

static int put_sgr(str *out, clean *c, const char *text, size_t len)
{
    str styles = { 0 };
    size_t count = 0, numbers = 0;
    int error = SNUG_OK;

    for (size_t at = 2; at < len && !error;) {
        const size_t some = strcspn(text + at, ";m");
        const long style = strtol(text + at, NULL, 10);
        if (numbers > 0 || style < 5 || style > 8) {
            error = str_printf(&styles, "%s%.*s", count++ ? ";" : "", (int)some, text + at);
            const int has_more = text[at + some] == ';' && !memchr(text + at, ':', some);
            numbers = numbers > 0 ? numbers - 1
                      : has_more  ? numbers_of_style(style, text + at + some + 1)
                                  : 0;
        }
        at += some + 1;
    }

    if (!error && count > 0) {
        c->has_colours = styles.len > 0 && strcmp(str_text(&styles), "0") != 0;
        error = str_printf(out, "\x1b[%sm", str_text(&styles));
    }
    str_free(&styles);
    return error;
}

/* ---- text ---- */

/* How much of text is taken now; 0: it is held until more comes. */
static size_t take_character(str *out, int *error, clean *c, const char *text, size_t len,
                             unsigned passes)
{
    size_t width = utf8_width((unsigned char)*text), fault;

    if (*text == '\x1b' && passes & CLEAN_COLOURS) {
        size_t sgr = sgr_len(text, len);
        if (sgr == SIZE_MAX)
            return 0;
        if (sgr > 0) {
            *error = put_sgr(out, c, text, sgr);
            return sgr;
        }
    }

    if (width > len && utf8_ceil(text, len, 1) == len)
        return 0;
    if (width == 0 || width > len || utf8_check(text, width, &fault) != UTF8_FINE) {
        *error = str_add(out, "?");
        return 1;
    }

    *error = put_character(out, text, width, passes);
    return width;
}

/* A run of text that stands as it is. */
static size_t plain_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && ((unsigned char)text[at] >= 0x20 || text[at] == '\n') &&
           (unsigned char)text[at] < 0x7f)
        at++;
    return at;
}

static int clean_all(str *out, clean *c, const char *text, size_t len, unsigned passes,
                     size_t *left)
{
    int error = SNUG_OK;
    size_t at = 0;

    while (!error && at < len) {
        size_t plain = plain_len(text + at, len - at);
        if (plain > 0) {
            error = str_append(out, text + at, plain);
            at += plain;
            continue;
        }
        size_t taken = take_character(out, &error, c, text + at, len - at, passes);
        if (taken == 0)
            break;
        at += taken;
    }

    *left = len - at;
    return error;
}

int clean_text(str *out, clean *c, const char *text, size_t len, unsigned passes)
{
    str whole = { 0 };
    size_t left;
    int error = SNUG_OK;

    if (c->held_len > 0) {
        error = str_append(&whole, c->held, c->held_len);
        if (!error)
            error = str_append(&whole, text, len);
        text = str_text(&whole);
        len = whole.len;
        c->held_len = 0;
    }

    if (!error)
        error = clean_all(out, c, text, len, passes, &left);
    if (!error) {
        /* It fits: a sequence that is longer is none, and a character has four bytes. */
        memcpy(c->held, text + len - left, left);
        c->held_len = left;
    }

    str_free(&whole);
    return error;
}

int clean_end(str *out, clean *c)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < c->held_len && !error; i++) {
        if ((unsigned char)c->held[i] < 0x80)
            error = put_character(out, c->held + i, 1, 0);
        else
            error = str_add(out, "?");
    }

    if (!error && c->has_colours)
        error = str_add(out, "\x1b[0m");
    *c = (clean){ 0 };
    return error;
}
