#include "py/queries/source_place.h"

#include <string.h>

#include "base/ascii.h"

/* ---- reading ---- */

static int begins_literal(char c)
{
    return c == '"' || c == '\'';
}

/* Whether the quote at at is the first of three. */
static int is_triple_quote(const char *s, size_t len, size_t at)
{
    return len - at >= 3 && s[at + 1] == s[at] && s[at + 2] == s[at];
}

int ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* The offset behind the string that begins at at; len + 1 if it goes on there. */
static size_t skip_literal(const char *s, size_t len, size_t at)
{
    char quote = s[at];
    int is_triple = is_triple_quote(s, len, at);
    size_t width = is_triple ? 3 : 1;

    for (at += width; at < len; at++) {
        if (s[at] == '\\')
            at++;
        else if (!is_triple && ends_line(s[at]))
            return at; /* a string that CPython will refuse */
        else if (s[at] == quote && (!is_triple || is_triple_quote(s, len, at)))
            return at + width;
    }

    return len + 1;
}

/* Tokens enough to know lines, statements, strings and comments. The quotes inside an f-string
 * (3.12) come in pairs, so that it ends where it should. */
source_place source_place_at(const char *s, size_t len)
{
    source_place found = { .literal = len };
    size_t depth = 0, line = 0;
    int begins_line = 1, begins_statement = 1;

    for (size_t at = 0; at < len;) {
        char c = s[at];
        if (c == '#') {
            while (at < len && !ends_line(s[at]))
                at++;
            found.is_quoted = at == len;
            continue;
        }
        if (c == '\\') {
            int joins_crlf = at + 2 < len && s[at + 1] == '\r' && s[at + 2] == '\n';
            at += joins_crlf ? 3 : 2;
            continue;
        }
        if (ends_line(c)) {
            line = ++at;
            if (!depth)
                begins_line = begins_statement = 1;
            continue;
        }
        if (is_blank(c) || c == '\f') {
            at++;
            if (c == '\f')
                line = at; /* indentation counts from a form feed */
            continue;
        }
        if (begins_line)
            found.block_is_open = at > line;
        if (begins_statement)
            found.statement = at;
        begins_line = begins_statement = 0;
        if (begins_literal(c)) {
            size_t begin = at;
            at = skip_literal(s, len, at);
            found.is_quoted = at > len;
            if (found.is_quoted)
                found.literal = begin;
            continue;
        }
        if (strchr("([{", c))
            depth++;
        else if (strchr(")]}", c))
            depth -= depth > 0;
        else if (!depth && (c == ';' || c == ':'))
            begins_statement = 1;
        at++;
    }

    if (begins_statement)
        found.statement = len;
    return found;
}

/* ---- pieces ---- */

int is_between_words(char c)
{
    return is_blank(c) || c == '\f' || ends_line(c) || c == '\\';
}

piece cut_word(piece *text, int dots)
{
    piece word = { text->at, 0 };
    while (word.len < text->len &&
           (is_name(word.at[word.len]) || (dots && word.at[word.len] == '.')))
        word.len++;
    text->at += word.len;
    text->len -= word.len;
    return word;
}

void skip_between_words(piece *text)
{
    while (text->len && is_between_words(text->at[0])) {
        text->at++;
        text->len--;
    }
}

int piece_is(piece word, const char *text)
{
    return word.len == strlen(text) && memcmp(word.at, text, word.len) == 0;
}

static int is_of_path(char c)
{
    return is_name(c) || c == '.';
}

piece path_at(const char *source, size_t len, size_t cursor)
{
    size_t end = cursor, start;

    while (end < len && is_of_path(source[end]) && source[end] != '.')
        end++;
    for (start = end; start > 0 && is_of_path(source[start - 1]);)
        start--;
    return (piece){ source + start, end - start };
}
