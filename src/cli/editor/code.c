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

static int steps_bash(const char *text, const unsigned char *styles, size_t begin, size_t len)
{
    size_t last = last_of_code(text, styles, begin, len), word;

    if (last == len)
        return 0;
    if (text[last] == '{' || text[last] == '(')
        return 1;
    for (word = last; word > begin && is_letter(text[word - 1]);)
        word--;
    return code_is_one_of(" then do else in ", text + word, last + 1 - word) ? 1 : 0;
}

static int indent_by_styles(str *out, code_language language, const char *text,
                            const unsigned char *styles, size_t len)
{
    size_t open = language == CODE_PYTHON ? open_bracket(text, styles, len) : len;
    size_t begin = line_begin(text, open);

    if (open < len)
        return add_indent(out, text, begin, blanks_at(text, len, begin), 1);

    /* Within a string of several lines the next one begins as this one does. */
    if (language == CODE_PYTHON && len > 0 && styles[len - 1] == STYLE_STRING &&
        text[len - 1] != '"' && text[len - 1] != '\'') {
        begin = line_begin(text, len);
        return add_indent(out, text, begin, blanks_at(text, len, begin), 0);
    }

    begin = language == CODE_PYTHON ? statement_begin(text, styles, len) : line_begin(text, len);
    int steps = language == CODE_PYTHON ? steps_python(text, styles, begin, len)
                                        : steps_bash(text, styles, begin, len);
    return add_indent(out, text, begin, blanks_at(text, len, begin), steps);
}

int code_indent(str *out, code_language language, const char *text, size_t len)
{
    if (language == CODE_TEXT || len == 0)
        return 0;

    unsigned char *styles = malloc(len);
    if (!styles)
        return str_add(out, "");
    code_style(styles, language, text, len);
    int error = indent_by_styles(out, language, text, styles, len);
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

/* ---- clauses ---- */

/* What begins a line that stands with one before it; and of that one the first word in Python, the
 * last one in bash. */
static const struct {
    code_language language;
    const char *word, *follows;
} clauses[] = {
    { CODE_PYTHON, "else", " if elif for while except " },
    { CODE_PYTHON, "elif", " if elif " },
    { CODE_PYTHON, "except", " try except " },
    { CODE_PYTHON, "finally", " try except else " },
    { CODE_PYTHON, "case", " case " },
    { CODE_BASH, "else", " then " },
    { CODE_BASH, "elif", " then " },
    { CODE_BASH, "fi", " then else " },
    { CODE_BASH, "done", " do " },
    { CODE_BASH, "esac", " in " },
    { CODE_BASH, "}", " { " },
};

/* NULL: a line that begins so is not a clause. */
static const char *follows_what(code_language language, const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (clauses[i].language == language && strlen(clauses[i].word) == len &&
            memcmp(clauses[i].word, word, len) == 0)
            return clauses[i].follows;
    return NULL;
}

static size_t letters_at(const char *text, size_t len, size_t at)
{
    size_t end = at;
    while (end < len && is_letter(text[end]))
        end++;
    return end - at;
}

/* Whether the statement from begin to len, which is not blank, is what a clause follows. */
static int is_followed(code_language language, const char *text, const unsigned char *styles,
                       size_t begin, size_t len, const char *follows)
{
    static const char async[] = "async ";
    size_t word = begin + blanks_at(text, len, begin), last;

    if (language == CODE_PYTHON) {
        if (len - word >= sizeof async - 1 && memcmp(text + word, async, sizeof async - 1) == 0)
            word += sizeof async - 1;
        return code_is_one_of(follows, text + word, letters_at(text, len, word));
    }

    last = last_of_code(text, styles, begin, len);
    for (word = last; word > begin && is_letter(text[last]) && is_letter(text[word - 1]);)
        word--;
    return code_is_one_of(follows, text + word, last + 1 - word);
}

static int opens_block(code_language language, const char *text, const unsigned char *styles,
                       size_t begin, size_t len)
{
    return (language == CODE_PYTHON ? steps_python(text, styles, begin, len)
                                    : steps_bash(text, styles, begin, len)) > 0;
}

/* Looks for it among the statements before the line at begin: the nearest ones that are not deeper
 * than it, and than what is nearer. */
static size_t outdent_by_styles(code_language language, const char *text,
                                const unsigned char *styles, size_t begin, size_t blanks,
                                const char *follows)
{
    size_t above = begin, depth = blanks + 1;
    int is_nearest = 1;

    while (above > 0 && depth > 0) {
        size_t end = above - 1;
        above =
            language == CODE_PYTHON ? statement_begin(text, styles, end) : line_begin(text, end);
        if (last_of_code(text, styles, above, end) == end)
            continue;
        if (is_nearest && opens_block(language, text, styles, above, end))
            return 0; /* whose block would be empty */
        is_nearest = 0;
        size_t there = blanks_at(text, end, above);
        if (there >= depth)
            continue;
        depth = there;
        if (is_followed(language, text, styles, above, end, follows))
            return blanks - there;
    }

    return 0;
}

size_t code_outdent(code_language language, const char *text, size_t len)
{
    size_t begin = line_begin(text, len), blanks = blanks_at(text, len, begin);
    size_t word = begin + blanks, letters = letters_at(text, len, word);
    const char *follows =
        follows_what(language, text + word, letters > 0 || word == len ? letters : 1);

    if (begin == 0 || blanks == 0 || !follows)
        return 0;
    unsigned char *styles = malloc(len);
    if (!styles)
        return 0;
    code_style(styles, language, text, len);
    size_t taken = outdent_by_styles(language, text, styles, begin, blanks, follows);
    free(styles);
    return taken;
}
