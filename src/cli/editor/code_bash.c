#include "cli/editor/code_languages.h"

#include <string.h>

#include "base/ascii.h"

static const char keywords[] =
    " if then elif else fi for while until do done case esac in function "
    "select time break continue return exit local export declare "
    "readonly unset shift trap set source eval exec ";
static const char builtins[] = " echo printf read cd pwd test let mapfile type wait jobs kill "
                               "true false pushd popd getopts umask alias ";

static int ends_word(char c)
{
    return is_space(c) || strchr(";|&()<>", c);
}

/* Of $name, ${...}, $1, $?; in the end of $( only the two of them. */
static size_t end_of_variable(const char *text, size_t len, size_t at)
{
    size_t end = at + 1;

    if (end < len && text[end] == '{') {
        const char *close = memchr(text + end, '}', len - end);
        const char *line = memchr(text + end, '\n', len - end);
        if (close && (!line || close < line))
            return (size_t)(close - text) + 1;
        return end + 1;
    }

    while (end < len && is_word(text[end]))
        end++;
    if (end == at + 1 && end < len && strchr("?!#$@*-", text[end]))
        end++;
    return end;
}

/* A string in double quotes, with the variables in it. */
static size_t mark_quoted(unsigned char *styles, const char *text, size_t len, size_t at)
{
    size_t end = at + 1;

    styles[at] = STYLE_STRING;
    while (end < len && text[end] != '"') {
        size_t next = end + 1;
        style s = STYLE_STRING;
        if (text[end] == '\\' && next < len)
            next++;
        else if (text[end] == '$') {
            next = end_of_variable(text, len, end);
            s = STYLE_NAMED;
        }
        code_mark(styles, end, next, s);
        end = next;
    }

    if (end < len)
        styles[end++] = STYLE_STRING;
    return end;
}

static size_t end_at(const char *text, size_t len, size_t from, char c)
{
    const char *end = from < len ? memchr(text + from, c, len - from) : NULL;
    return end ? (size_t)(end - text) + (c != '\n') : len;
}

static size_t mark_word(unsigned char *styles, const char *text, size_t len, size_t at)
{
    size_t end = at;
    style s = STYLE_PLAIN;

    while (end < len && !ends_word(text[end]) && !strchr("'\"$\\`", text[end]))
        end++;
    if (end == at)
        end++;
    if (code_is_one_of(keywords, text + at, end - at))
        s = STYLE_KEYWORD;
    else if (code_is_one_of(builtins, text + at, end - at))
        s = STYLE_BUILTIN;
    code_mark(styles, at, end, s);
    return end;
}

void code_style_bash(unsigned char *styles, const char *text, size_t len)
{
    for (size_t at = 0, end; at < len; at = end) {
        int begins_word = at == 0 || ends_word(text[at - 1]);
        style s = STYLE_PLAIN;
        end = at + 1;

        if (text[at] == '#' && begins_word) {
            end = end_at(text, len, at, '\n');
            s = STYLE_COMMENT;
        } else if (text[at] == '\'') {
            end = end_at(text, len, at + 1, '\'');
            s = STYLE_STRING;
        } else if (text[at] == '"') {
            end = mark_quoted(styles, text, len, at);
            continue;
        } else if (text[at] == '$') {
            end = end_of_variable(text, len, at);
            s = STYLE_NAMED;
        } else if (text[at] == '\\' && end < len) {
            end++;
        } else if (begins_word && !ends_word(text[at])) {
            end = mark_word(styles, text, len, at);
            continue;
        }

        code_mark(styles, at, end, s);
    }
}
