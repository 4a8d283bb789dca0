#include "cli/terminal/term.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"

int term_has_sequences(void)
{
    const char *name = getenv("TERM");
    return name && *name && strcmp(name, "dumb") != 0;
}

static int wants(term_mode mode, int fd)
{
    const char *off = getenv("NO_COLOR");

    switch (mode) {
    case TERM_ALWAYS:
        return 1;
    case TERM_NEVER:
        return 0;
    case TERM_AUTO:
        break;
    }

    return isatty(fd) && !(off && *off) && term_has_sequences();
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
    int has_colours = (stream == stdout && t->out) || (stream == stderr && t->err);

    return has_colours ? escapes[style] : "";
}

void term_put(FILE *stream, const char *text, size_t len)
{
    int is_terminal = isatty(fileno(stream));

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        size_t turn = is_terminal ? clean_turn(text + i, len - i) : 0;
        if (turn > 0) {
            fputc('?', stream);
            i += turn - 1;
            continue;
        }

        /* U+0080 to U+009F, in two bytes. */
        if (c == 0xc2 && i + 1 < len && (unsigned char)text[i + 1] < 0xa0) {
            fputc('?', stream);
            i++;
            continue;
        }

        int ends_line = c == '\n' || (c == '\r' && i + 1 < len && text[i + 1] == '\n');
        int is_control = (c < 0x20 && c != '\t' && !ends_line) || c == 0x7f;
        fputc(is_control ? '?' : c, stream);
    }
}

static void put_clean(FILE *stream, str *text, int error)
{
    /* What there is no memory for is left out: it must not go there as it is. */
    if (!error)
        fwrite(str_text(text), 1, text->len, stream);
    str_free(text);
}

void term_show(FILE *stream, clean *c, const char *text, size_t len, unsigned passes)
{
    clean own = { .held_len = 0 };
    str out = { 0 };

    if (!isatty(fileno(stream))) {
        fwrite(text, 1, len, stream);
        return;
    }

    int error = clean_text(&out, c ? c : &own, text, len, passes);
    if (!error && !c)
        error = clean_end(&out, &own);
    put_clean(stream, &out, error);
}

int term_printf(FILE *stream, const char *format, ...)
{
    char *text;
    va_list args;

    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0)
        return 0;

    term_show(stream, NULL, text, (size_t)len, 0);
    free(text);
    return len;
}

void term_end(FILE *stream, clean *c)
{
    str out = { 0 };
    int error = clean_end(&out, c);
    put_clean(stream, &out, error);
}

/* "ZeroDivisionError: division by zero", "KeyboardInterrupt", "mod.Odd: ..." */
static size_t exception_name(const char *line, size_t len)
{
    size_t n = 0;
    while (n < len && (is_word(line[n]) || line[n] == '.'))
        n++;
    if (n == 0 || (n < len && line[n] != ':'))
        return 0;
    return n;
}

/* How much of a line has a style: a place, carets, or the name of the exception. */
static size_t styled_len(term_style *style, const char *line, size_t len)
{
    size_t indent = strspn(line, " |");

    if (indent > len)
        indent = len;

    *style = TERM_PLACE;
    if (!strncmp(line + indent, "File \"", 6))
        return len;

    *style = TERM_ERROR;
    if (indent < len && strspn(line + indent, "^~") == len - indent)
        return len;
    if (indent == 0)
        return exception_name(line, len);
    return 0;
}

static void put_traceback_line(const term *t, FILE *stream, const char *line, size_t len)
{
    term_style style;
    size_t styled = styled_len(&style, line, len);
    const char *on = term_on(t, stream, style);

    if (styled == 0 || !*on) {
        term_show(stream, NULL, line, len, 0);
        return;
    }

    fputs(on, stream);
    term_show(stream, NULL, line, styled, 0);
    fputs(term_on(t, stream, TERM_OFF), stream);
    term_show(stream, NULL, line + styled, len - styled, 0);
}

void term_traceback(const term *t, FILE *stream, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        put_traceback_line(t, stream, text, len);
        fputc('\n', stream);
        text += len + (text[len] == '\n');
    }
}

void term_set_utf8(void)
{
    if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setlocale(LC_CTYPE, "C.UTF-8");
}
