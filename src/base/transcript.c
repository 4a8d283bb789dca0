#include "base/transcript.h"

#include <string.h>

#include "base/ascii.h"

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

int transcript_read(str *out, const char *text, size_t len, int keeps_lines)
{
    const char *at = text, *end = text + len;
    line first = { text, 0 };
    int is_first = 1, error = 0;

    while (at < end && first.len == 0)
        first = next_line(&at, end);
    int has_arrows = arrow_len(first, ">>>") > 0;
    if (!has_arrows && in_len(first) == 0)
        return 0;

    for (at = text; at < end && !error;) {
        line l = next_line(&at, end);
        size_t mark = has_arrows ? arrow_len(l, ">>>") : in_len(l);
        if (mark == 0)
            mark = has_arrows ? arrow_len(l, "...") : dots_len(l);
        if (mark == 0 && !keeps_lines)
            continue;
        if (!is_first)
            error = str_add(out, "\n");
        if (!error && mark > 0)
            error = str_append(out, l.at + mark, l.len - mark);
        is_first = 0;
    }

    return error ? error : 1;
}
