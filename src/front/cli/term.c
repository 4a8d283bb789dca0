#include "front/cli/term.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants(term_mode mode, int fd)
{
    const char *off = getenv("NO_COLOR");
    const char *name = getenv("TERM");
    switch (mode) {
    case TERM_ALWAYS:
        return true;
    case TERM_NEVER:
        return false;
    case TERM_AUTO:
        break;
    }
    return isatty(fd) && !(off && *off) && name && strcmp(name, "dumb") != 0;
}

term term_open(term_mode mode)
{
    return (term){ wants(mode, STDOUT_FILENO), wants(mode, STDERR_FILENO) };
}

const char *term_on(const term *t, const FILE *stream, term_style style)
{
    static const char *const escapes[] = {
        [TERM_IN] = "\x1b[32m",      [TERM_OUT] = "\x1b[31m",   [TERM_NUMBER] = "\x1b[1m",
        [TERM_ERROR] = "\x1b[1;31m", [TERM_PLACE] = "\x1b[36m", [TERM_HINT] = "\x1b[33m",
        [TERM_OFF] = "\x1b[0m",
    };
    bool is_on = stream == stdout ? t->out : stream == stderr ? t->err : false;
    return is_on ? escapes[style] : "";
}

void term_put(FILE *stream, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool is_late = c == 0xc2 && i + 1 < len && (unsigned char)text[i + 1] < 0xa0;
        i += is_late; /* U+0080 to U+009F */
        fputc(is_late || (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f ? '?' : c, stream);
    }
}

/* "ZeroDivisionError: division by zero", "KeyboardInterrupt", "mod.Odd: ..." */
static size_t exception_name(const char *line, size_t len)
{
    size_t n = 0;
    while (n < len && (isalnum((unsigned char)line[n]) || line[n] == '_' || line[n] == '.'))
        n++;
    return n > 0 && (n == len || line[n] == ':') ? n : 0;
}

static void traceback_line(const term *t, FILE *stream, const char *line, size_t len)
{
    size_t indent = strspn(line, " |");
    const char *style = "";
    size_t styled = len;
    if (indent > len)
        indent = len;
    if (!strncmp(line + indent, "File \"", 6)) {
        style = term_on(t, stream, TERM_PLACE);
    } else if (indent < len && strspn(line + indent, "^~") == len - indent) {
        style = term_on(t, stream, TERM_ERROR);
    } else if (indent == 0 && (styled = exception_name(line, len)) > 0) {
        style = term_on(t, stream, TERM_ERROR);
    }
    if (!*style) {
        fwrite(line, 1, len, stream);
        return;
    }
    fputs(style, stream);
    fwrite(line, 1, styled, stream);
    fputs(term_on(t, stream, TERM_OFF), stream);
    fwrite(line + styled, 1, len - styled, stream);
}

void term_traceback(const term *t, FILE *stream, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        traceback_line(t, stream, text, len);
        fputc('\n', stream);
        text += len + (text[len] == '\n');
    }
}
