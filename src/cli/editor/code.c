#include "cli/editor/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "cli/editor/code_languages.h"

enum { STEP = 4 /* of an indentation, in columns */ };

void code_style(unsigned char *styles, code_language language, const char *text, size_t len)
{
    switch (language) {
    case CODE_PYTHON:
        code_style_python(styles, text, len);
        return;
    case CODE_BASH:
        code_style_bash(styles, text, len);
        return;
    case CODE_TEXT:
        code_mark(styles, 0, len, STYLE_PLAIN);
        return;
    }
}

/* ---- brackets ---- */

static const char openers[] = "([{", closers[] = ")]}";

static int opens(char c)
{
    return c && strchr(openers, c) != NULL;
}

static int closes(char c)
{
    return c && strchr(closers, c) != NULL;
}

int code_is_bracket(char c)
{
    return opens(c) || closes(c);
}

static char partner_of(char c)
{
    const char *opener = strchr(openers, c);
    return opener ? closers[opener - openers] : openers[strchr(closers, c) - closers];
}

static int is_code(unsigned char s)
{
    return s != STYLE_STRING && s != STYLE_COMMENT;
}

size_t code_partner(const char *text, const unsigned char *styles, size_t len, size_t at)
{
    int step = opens(text[at]) ? 1 : -1;
    size_t depth = 0, place = at;

    for (;;) {
        if (is_code(styles[place]) && code_is_bracket(text[place])) {
            int is_deeper = opens(text[place]) == (step > 0);
            depth = is_deeper ? depth + 1 : depth - 1;
            if (depth == 0)
                return text[place] == partner_of(text[at]) ? place : len;
        }
        if (step > 0 ? place + 1 == len : place == 0)
            return len;
        place = step > 0 ? place + 1 : place - 1;
    }
}

/* The innermost bracket that is open at the end; len: none is. */
static size_t open_bracket(const char *text, const unsigned char *styles, size_t len)
{
    size_t depth = 0;

    for (size_t at = len; at-- > 0;) {
        if (!is_code(styles[at]))
            continue;
        if (closes(text[at]))
            depth++;
        else if (opens(text[at]) && depth-- == 0)
            return at;
    }

    return len;
}

/* ---- indentation ---- */

static size_t line_begin(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t blanks_at(const char *text, size_t len, size_t at)
{
    size_t end = at;
    while (end < len && is_blank(text[end]))
        end++;
    return end - at;
}

static int add_indent(str *out, const char *text, size_t begin, size_t blanks, int steps)
{
    size_t taken = steps < 0 ? STEP : 0;
    int error = str_append(out, text + begin, blanks > taken ? blanks - taken : 0);
    if (!error && steps > 0)
        error = str_append(out, "    ", STEP);
    return error;
}

/* The last byte of code that is not a blank; len: there is none from begin on. */
static size_t last_of_code(const char *text, const unsigned char *styles, size_t begin, size_t len)
{
    for (size_t at = len; at-- > begin;)
        if (styles[at] != STYLE_COMMENT && !is_space(text[at]))
            return at;
    return len;
}

/* Where a string or the pair of a bracket begins that ends at last; last: neither does. */
static size_t part_begin(const char *text, const unsigned char *styles, size_t len, size_t last)
{
    size_t begin = last;

    if (styles[last] == STYLE_STRING)
        while (begin > 0 && styles[begin - 1] == STYLE_STRING)
            begin--;
    else if (closes(text[last]) && is_code(styles[last]))
        begin = code_partner(text, styles, len, last);
    return begin < last ? begin : last;
}

/* The statement that the last line belongs to begins there. */
static size_t statement_begin(const char *text, const unsigned char *styles, size_t len)
{
    size_t begin = line_begin(text, len);
    size_t last = last_of_code(text, styles, begin, len);

    while (last < len && last > 0 && last >= begin) {
        size_t part = part_begin(text, styles, len, last);
        if (part < begin)
            begin = line_begin(text, part);
        if (part == 0)
            break;
        last = part - 1;
        if (text[last] == '\n')
            break;
    }

    return begin;
}

static int steps_python(const char *text, const unsigned char *styles, size_t begin, size_t len)
{
    static const char enders[] = " return raise pass break continue ";
    size_t last = last_of_code(text, styles, begin, len);

    if (last == len)
        return 0;
    if (text[last] == ':' && styles[last] != STYLE_STRING)
        return 1;

    size_t word = begin + blanks_at(text, len, begin), end = word;
    while (end < len && is_name(text[end]))
        end++;
    return code_is_one_of(enders, text + word, end - word) ? -1 : 0;
}

static int indent_by_styles(str *out, const char *text, const unsigned char *styles, size_t len)
{
    size_t open = open_bracket(text, styles, len), begin = line_begin(text, open);

    if (open < len)
        return add_indent(out, text, begin, blanks_at(text, len, begin), 1);

    /* Within a string of several lines the next one begins as this one does. */
    if (styles[len - 1] == STYLE_STRING && text[len - 1] != '"' && text[len - 1] != '\'') {
        begin = line_begin(text, len);
        return add_indent(out, text, begin, blanks_at(text, len, begin), 0);
    }

    begin = statement_begin(text, styles, len);
    return add_indent(out, text, begin, blanks_at(text, len, begin),
                      steps_python(text, styles, begin, len));
}

int code_indent(str *out, code_language language, const char *text, size_t len)
{
    if (language != CODE_PYTHON || len == 0)
        return 0;

    unsigned char *styles = malloc(len);
    if (!styles)
        return str_add(out, "");
    code_style_python(styles, text, len);
    int error = indent_by_styles(out, text, styles, len);
    free(styles);
    return error;
}

int code_is_in_block(code_language language, const char *text, size_t len)
{
    unsigned char *styles = language == CODE_PYTHON ? malloc(len + 1) : NULL;
    size_t begin = line_begin(text, len);

    if (language != CODE_PYTHON)
        return 0;
    if (styles) {
        code_style(styles, language, text, len);
        begin = statement_begin(text, styles, len);
    }
    free(styles);
    return begin < len && is_blank(text[begin]);
}
