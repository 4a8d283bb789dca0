#include "cli/editor/code_languages.h"

#include <string.h>

#include "base/ascii.h"

static const char keywords[] =
    " False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield ";
static const char builtins[] =
    " abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile "
    "complex delattr dict dir display divmod enumerate eval exec filter float format frozenset "
    "getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals "
    "map max memoryview min next object oct open ord pow print property range repr reversed round "
    "set setattr slice sorted staticmethod str sum super tuple type vars zip ArithmeticError "
    "AssertionError AttributeError BaseException EOFError Exception FileNotFoundError "
    "ImportError IndexError KeyError KeyboardInterrupt LookupError MemoryError "
    "ModuleNotFoundError NameError NotImplementedError OSError OverflowError PermissionError "
    "RecursionError RuntimeError StopIteration SyntaxError TimeoutError TypeError ValueError "
    "ZeroDivisionError ";

int code_is_one_of(const char *words, const char *word, size_t len)
{
    char wanted[32];

    if (len == 0 || len + 3 > sizeof wanted)
        return 0;
    wanted[0] = ' ';
    memcpy(wanted + 1, word, len);
    memcpy(wanted + len + 1, " ", 2);
    return strstr(words, wanted) != NULL;
}

void code_mark(unsigned char *styles, size_t from, size_t to, style s)
{
    memset(styles + from, (int)s, to - from);
}

/* The end of a string whose first quote stands at at. */
static size_t end_of_string(const char *text, size_t len, size_t at)
{
    char quote = text[at];
    int is_long = at + 2 < len && text[at + 1] == quote && text[at + 2] == quote;

    for (at += is_long ? 3 : 1; at < len; at++) {
        if (text[at] == '\\' && at + 1 < len) {
            at++;
            continue;
        }
        if (!is_long && (text[at] == '\n' || text[at] == '\r'))
            return at;
        if (text[at] != quote)
            continue;
        if (!is_long)
            return at + 1;
        if (at + 2 < len && text[at + 1] == quote && text[at + 2] == quote)
            return at + 3;
    }

    return len;
}

static int is_prefix(const char *word, size_t len)
{
    return len <= 2 && strspn(word, "rRbBuUfFtT") >= len;
}

static size_t end_of_number(const char *text, size_t len, size_t at)
{
    while (at < len && (is_name(text[at]) || text[at] == '.' ||
                        ((text[at] == '+' || text[at] == '-') && to_lower(text[at - 1]) == 'e')))
        at++;
    return at;
}

/* What a name is, where the word before it in its statement was that. */
static style style_of_name(const char *name, size_t len, int is_defined, int is_attribute)
{
    if (is_defined)
        return STYLE_NAMED;
    if (is_attribute)
        return STYLE_PLAIN;
    if (code_is_one_of(keywords, name, len))
        return STYLE_KEYWORD;
    return code_is_one_of(builtins, name, len) ? STYLE_BUILTIN : STYLE_PLAIN;
}

static size_t end_of_name(const char *text, size_t len, size_t at)
{
    while (at < len && is_name(text[at]))
        at++;
    return at;
}

static size_t end_of_line(const char *text, size_t len, size_t at)
{
    while (at < len && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

void code_style_python(unsigned char *styles, const char *text, size_t len)
{
    int is_defined = 0; /* def or class has just been */

    for (size_t at = 0, end; at < len; at = end) {
        char c = text[at];
        style s = STYLE_PLAIN;
        end = at + 1;

        if (c == '#') {
            end = end_of_line(text, len, at);
            s = STYLE_COMMENT;
        } else if (c == '"' || c == '\'') {
            end = end_of_string(text, len, at);
            s = STYLE_STRING;
        } else if (is_digit(c)) {
            end = end_of_number(text, len, at + 1);
            s = STYLE_NUMBER;
        } else if (c == '@' && end_of_name(text, len, end) > end &&
                   (at == 0 || text[at - 1] == '\n' || text[at - 1] == ' ')) {
            end = end_of_name(text, len, end);
            s = at > 0 && text[at - 1] == ' ' && at > 1 && text[at - 2] != ' ' &&
                        text[at - 2] != '\n'
                    ? STYLE_PLAIN
                    : STYLE_NAMED;
        } else if (is_name_start(c)) {
            end = end_of_name(text, len, at);
            if (end < len && (text[end] == '"' || text[end] == '\'') &&
                is_prefix(text + at, end - at)) {
                end = end_of_string(text, len, end);
                s = STYLE_STRING;
            } else {
                s = style_of_name(text + at, end - at, is_defined, at > 0 && text[at - 1] == '.');
            }
            is_defined = s == STYLE_KEYWORD && code_is_one_of(" def class ", text + at, end - at);
        }

        if (s == STYLE_PLAIN && !is_blank(c) && !is_name(c))
            is_defined = 0;
        code_mark(styles, at, end, s);
    }
}
