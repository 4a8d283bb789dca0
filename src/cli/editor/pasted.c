#include "cli/editor/pasted.h"

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/terminal/columns.h"

/* ---- clean ---- */

int pasted_clean(str *out, const char *text, size_t len)
{
    static const char unknown[] = "\xef\xbf\xbd";
    int error = 0;

    for (size_t at = 0; at < len && !error;) {
        unsigned char c = (unsigned char)text[at];
        size_t plain = at, fault = 0;
        while (plain < len && (unsigned char)text[plain] >= ' ' && text[plain] != 0x7f &&
               (unsigned char)text[plain] < 0x80)
            plain++;
        if (plain > at) {
            error = str_append(out, text + at, plain - at);
            at = plain;
            continue;
        }

        at++;
        if (c == '\r' || c == '\n') {
            at += c == '\r' && at < len && text[at] == '\n';
            error = str_add(out, "\n");
        } else if (c == '\t') {
            error = str_add(out, "\t");
        } else if (c >= 0x80) {
            size_t width = utf8_width(c);
            at--;
            int is_one =
                width > 1 && width <= len - at && utf8_check(text + at, width, &fault) == UTF8_FINE;
            int is_control = is_one && c == 0xc2 && (unsigned char)text[at + 1] < 0xa0;
            if (!is_one)
                error = str_add(out, unknown);
            else if (!is_control)
                error = str_append(out, text + at, width);
            at += is_one ? width : 1;
        }
    }

    return error;
}

/* ---- transcripts ---- */

typedef struct line {
    const char *at;
    size_t len;
} line;

static line next_line(const char **at, const char *end)
{
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    line l = { *at, (size_t)((stop ? stop : end) - *at) };
    *at = stop ? stop + 1 : end;
    return l;
}

static int begins_with(line l, const char *mark)
{
    size_t len = strlen(mark);
    return l.len >= len && memcmp(l.at, mark, len) == 0;
}

/* The length of ">>> " or "... ", without its blank where the line ends there; 0: neither. */
static size_t arrow_len(line l, const char *mark)
{
    if (!begins_with(l, mark) || (l.len > 3 && l.at[3] != ' '))
        return 0;
    return l.len > 3 ? 4 : 3;
}

/* Of "In [12]: ". */
static size_t in_len(line l)
{
    size_t at = 4;

    if (!begins_with(l, "In ["))
        return 0;
    while (at < l.len && is_digit(l.at[at]))
        at++;
    if (at == 4 || at + 2 > l.len || l.at[at] != ']' || l.at[at + 1] != ':')
        return 0;
    return at + 2 < l.len ? at + 3 : at + 2;
}

/* Of "   ...: ". */
static size_t dots_len(line l)
{
    size_t at = 0;

    while (at < l.len && l.at[at] == ' ')
        at++;
    if (at < 2 || l.len - at < 4 || memcmp(l.at + at, "...:", 4) != 0)
        return 0;
    return at + 4 < l.len ? at + 5 : at + 4;
}

int pasted_source(str *out, const char *text, size_t len)
{
    const char *at = text, *end = text + len;
    line first = { text, 0 };
    size_t before = out->len;
    int error = 0;

    while (at < end && first.len == 0)
        first = next_line(&at, end);
    int has_arrows = arrow_len(first, ">>>") > 0;
    if (!has_arrows && in_len(first) == 0)
        return str_append(out, text, len);

    for (at = text; at < end && !error;) {
        line l = next_line(&at, end);
        size_t mark = has_arrows ? arrow_len(l, ">>>") : in_len(l);
        if (mark == 0)
            mark = has_arrows ? arrow_len(l, "...") : dots_len(l);
        if (mark == 0)
            continue;
        if (out->len > before)
            error = str_add(out, "\n");
        if (!error)
            error = str_append(out, l.at + mark, l.len - mark);
    }

    return error;
}
