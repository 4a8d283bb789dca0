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

void code_lines_put(FILE *stream, const code_look *look, const char *code, size_t len, size_t from,
                    size_t number)
{
    const int is_coloured = look->theme != THEME_NONE && len <= MOST_COLOURED_BYTES;
    unsigned char *styles = is_coloured ? malloc(len + 1) : NULL;

    if (styles)
        code_style(styles, look->language, code, len);
    for (size_t at = from; at < len; number++) {
        const char *end = memchr(code + at, '\n', len - at);
        const size_t line = end ? (size_t)(end - code) - at : len - at;
        fprintf(stream, "%s%6zu %s", look->on, number, look->off);
        put_styled(stream, look->theme, code + at, styles ? styles + at : NULL, line);
        fputc('\n', stream);
        at += line + 1;
    }
    free(styles);
}
