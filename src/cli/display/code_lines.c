#include "cli/display/code_lines.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal/term.h"

/* Longer source has no colours: all of it is looked at for each line that comes. */
enum { MOST_COLOURED_BYTES = 64 * 1024 };

/* styles may be NULL. */
static void put_styled(FILE *stream, theme t, const char *text, const unsigned char *styles,
                       size_t len)
{
    for (size_t at = 0, end; at < len; at = end) {
        end = at + 1;
        while (end < len && (!styles || styles[end] == styles[at]))
            end++;
        const char *on = styles ? theme_on(t, (style)styles[at]) : "";
        fputs(on, stream);
        term_put(stream, text + at, end - at);
        fputs(*on ? "\x1b[0m" : "", stream);
    }
}

/* To Python a return ends a line, and a comment in it, as what follows it does. */
static size_t line_len(code_language language, const char *text, size_t len)
{
    size_t at = 0;

    while (at < len && text[at] != '\n' && (text[at] != '\r' || language != CODE_PYTHON))
        at++;
    return at;
}

/* Of the end of a line at text. */
static size_t end_len(const char *text, size_t len)
{
    return len > 1 && text[0] == '\r' && text[1] == '\n' ? 2 : len > 0;
}

size_t code_lines_count(code_language language, const char *text, size_t len)
{
    size_t count = 0;

    for (size_t at = line_len(language, text, len); at < len; count++) {
        at += end_len(text + at, len - at);
        at += line_len(language, text + at, len - at);
    }
    return count;
}

void code_lines_put(FILE *stream, const code_look *look, const char *code, size_t len, size_t from,
                    size_t number)
{
    const int is_coloured = look->theme != THEME_NONE && len <= MOST_COLOURED_BYTES;
    unsigned char *styles = is_coloured ? malloc(len + 1) : NULL;

    if (styles)
        code_style(styles, look->language, code, len);
    for (size_t at = from; at < len; number++) {
        const size_t line = line_len(look->language, code + at, len - at);
        fprintf(stream, "%s%6zu %s", look->on, number, look->off);
        put_styled(stream, look->theme, code + at, styles ? styles + at : NULL, line);
        fputc('\n', stream);
        at += line + end_len(code + at + line, len - at - line);
    }
    free(styles);
}
