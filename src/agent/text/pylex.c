#include "agent/text/pylex.h"

#include <snug/snug.h>

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

static int is_python_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static int is_triple_at(const char *text, size_t len, size_t at)
{
    return len - at >= 3 && text[at + 1] == text[at] && text[at + 2] == text[at];
}

/* ---- strings and comments ---- */

static size_t step_in_string(pylex *lex, const char *text, size_t len, size_t at)
{
    if (text[at] == '\\')
        return len - at >= 2 ? at + 2 : len;
    if (text[at] == '\n' && !lex->is_triple)
        lex->quote = 0;
    if (text[at] != lex->quote || (lex->is_triple && !is_triple_at(text, len, at)))
        return at + 1;
    lex->quote = 0;
    return at + (lex->is_triple ? 3 : 1);
}

size_t pylex_step(pylex *lex, const char *text, size_t len, size_t at)
{
    char c = text[at];

    if (lex->quote)
        return step_in_string(lex, text, len, at);
    if (lex->is_comment) {
        lex->is_comment = c != '\n';
        return at + 1;
    }

    lex->is_comment = c == '#';
    if (c != '"' && c != '\'')
        return at + 1;

    lex->quote = c;
    lex->is_triple = is_triple_at(text, len, at);
    return at + (lex->is_triple ? 3 : 1);
}

/* ---- spaces ---- */

/* Three bytes of UTF-8, or two, and what takes their place. */
static const struct {
    const char *odd, *plain;
} spaces[] = {
    { "\xc2\xa0", " " },     { "\xe2\x80\x80", " " }, { "\xe2\x80\x81", " " },
    { "\xe2\x80\x82", " " }, { "\xe2\x80\x83", " " }, { "\xe2\x80\x84", " " },
    { "\xe2\x80\x85", " " }, { "\xe2\x80\x86", " " }, { "\xe2\x80\x87", " " },
    { "\xe2\x80\x88", " " }, { "\xe2\x80\x89", " " }, { "\xe2\x80\x8a", " " },
    { "\xe2\x80\xaf", " " }, { "\xe2\x81\x9f", " " }, { "\xe3\x80\x80", " " },
    { "\xe2\x80\x8b", "" },  { "\xe2\x80\x8c", "" },  { "\xe2\x80\x8d", "" },
    { "\xe2\x81\xa0", "" },  { "\xef\xbb\xbf", "" },  { "\xc2\xad", "" },
};

/* The row of what stands at `at`, or -1. */
static int odd_space(const char *text, size_t len, size_t at)
{
    unsigned char c = (unsigned char)text[at];
    if (c != 0xc2 && c != 0xe2 && c != 0xe3 && c != 0xef)
        return -1;

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        size_t width = strlen(spaces[i].odd);
        if (len - at >= width && memcmp(text + at, spaces[i].odd, width) == 0)
            return (int)i;
    }

    return -1;
}

int pylex_clean(str *out, const char *text, size_t len)
{
    pylex lex = { 0 };
    size_t done = 0, at = 0;
    int error = SNUG_OK;

    while (at < len && !error) {
        int row = pylex_is_code(&lex) ? odd_space(text, len, at) : -1;
        if (row < 0) {
            at = pylex_step(&lex, text, len, at);
            continue;
        }
        if (!(error = str_append(out, text + done, at - done)))
            error = str_add(out, spaces[row].plain);
        at += strlen(spaces[row].odd);
        done = at;
    }

    if (error)
        return error;
    return str_append(out, text + done, len - done);
}

/* ---- does it look like Python? ---- */

static const char *const keywords[] = {
    "False",  "None",     "True",   "and", "as",   "assert", "async",  "await",    "break", "case",
    "class",  "continue", "def",    "del", "elif", "else",   "except", "finally",  "for",   "from",
    "global", "if",       "import", "in",  "is",   "lambda", "match",  "nonlocal", "not",   "or",
    "pass",   "raise",    "return", "try", "type", "while",  "with",   "yield",
};

/* Those that cannot begin a line of prose together with what `needs` finds in the line. */
static const struct {
    const char *word, *needs;
} statements[] = {
    { "import", "" }, { "from", " import " }, { "def", "(" },   { "class", ":" }, { "for", " in " },
    { "while", ":" }, { "if", ":" },          { "with", ":" },  { "try", ":" },   { "async", ":" },
    { "assert", "" }, { "raise", "(" },       { "match", ":" }, { "await", "(" }, { "del", "" },
};

typedef enum token_kind {
    TOKEN_NONE,
    TOKEN_NAME,
    TOKEN_KEYWORD,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_MARK
} token_kind;

typedef struct reader {
    const char *text;
    size_t len, at;
    pylex lex;
    int depth;                   /* of brackets */
    int is_fine;                 /* nothing yet that is not Python */
    int is_sure;                 /* there was a line that is nothing else */
    token_kind last;             /* on this line */
    size_t line_begin, word_end; /* of the line; of its first word */
    int has_assignment, has_call;
} reader;

static int is_among_keywords(const char *const *words, size_t count, const char *text, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
            return 1;
    return 0;
}

/* The line ends at r->at. */
static void judge_line(reader *r)
{
    const char *line = r->text + r->line_begin;
    size_t len = r->at - r->line_begin;

    while (len && is_python_blank(*line))
        line++, len--;
    size_t word =
        r->word_end > (size_t)(line - r->text) ? r->word_end - (size_t)(line - r->text) : 0;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (strlen(statements[i].word) == word && memcmp(line, statements[i].word, word) == 0)
            r->is_sure |=
                memmem(line, len, statements[i].needs, strlen(statements[i].needs)) != NULL &&
                len > word;
    r->is_sure |= word && (r->has_assignment || r->has_call);
}

static void end_line(reader *r)
{
    if (r->depth == 0 && !r->lex.quote) {
        judge_line(r);
        r->has_assignment = r->has_call = 0;
        r->line_begin = r->at + 1;
        r->word_end = 0;
        r->last = TOKEN_NONE;
    } else if (!r->lex.quote) {
        r->last = TOKEN_NONE;
    }
}

/* Names do not stand side by side in Python, words do in prose. */
static void take_token(reader *r, token_kind kind)
{
    int was_word = r->last == TOKEN_NAME || r->last == TOKEN_NUMBER;
    int is_text = kind == TOKEN_NAME || kind == TOKEN_NUMBER;
    if (was_word && is_text)
        r->is_fine = 0;
    if (r->last == TOKEN_STRING && is_text)
        r->is_fine = 0;
    r->last = kind;
}

static void take_word(reader *r)
{
    size_t begin = r->at;

    while (r->at < r->len && (is_name_start(r->text[r->at]) || is_digit(r->text[r->at])))
        r->at++;
    char next = r->at < r->len ? r->text[r->at] : 0;

    /* The prefix of a string. */
    if ((next == '"' || next == '\'') && r->at - begin <= 2 &&
        strspn(r->text + begin, "rRbBuUfFtT") >= r->at - begin)
        return;

    if (r->last == TOKEN_NONE && r->depth == 0)
        r->word_end = r->at;
    take_token(r, is_among_keywords(keywords, sizeof keywords / sizeof *keywords, r->text + begin,
                                    r->at - begin)
                      ? TOKEN_KEYWORD
                      : TOKEN_NAME);
}

static void take_number(reader *r)
{
    while (r->at < r->len &&
           (is_name_start(r->text[r->at]) || is_digit(r->text[r->at]) || r->text[r->at] == '.'))
        r->at++;
    take_token(r, TOKEN_NUMBER);
}

static void take_string(reader *r)
{
    char quote = r->text[r->at];

    if (r->last == TOKEN_NAME || r->last == TOKEN_NUMBER)
        r->is_fine = 0;
    take_token(r, TOKEN_STRING);
    do {
        size_t from = r->at;
        r->at = pylex_step(&r->lex, r->text, r->len, r->at);
        /* It ended with its line and not with its quote. */
        if (!r->lex.quote && !r->lex.is_triple && r->text[r->at - 1] != quote) {
            r->is_fine = 0;
            r->at = from;
            return;
        }
    } while (r->at < r->len && r->lex.quote);

    if (r->lex.quote)
        r->is_fine = 0;
}

static void take_comment(reader *r)
{
    while (r->at < r->len && r->text[r->at] != '\n')
        r->at++;
}

static void take_mark(reader *r)
{
    const char *c = r->text + r->at;
    char next = r->at + 1 < r->len ? c[1] : 0;

    if (strchr("?$`!", *c) && !(*c == '!' && next == '='))
        r->is_fine = 0;

    /* print(...), obj.method(...): a call that the line begins with. */
    if (*c == '(' && r->depth == 0 && r->last == TOKEN_NAME &&
        (r->at == 0 || !is_python_blank(c[-1])))
        r->has_call = 1;

    if (strchr("([{", *c))
        r->depth++;
    if (strchr(")]}", *c) && --r->depth < 0)
        r->is_fine = 0;
    if (*c == '=' && next != '=' && r->depth == 0 && r->last != TOKEN_NONE &&
        !strchr("=<>!", c[-1]))
        r->has_assignment = 1;

    r->at++;
    r->last = TOKEN_MARK;
}

int pylex_is_python(const char *text, size_t len)
{
    size_t end;
    return pylex_read_python(&end, text, len);
}

int pylex_read_python(size_t *end, const char *text, size_t len)
{
    reader r = { .text = text, .len = len, .is_fine = 1 };

    while (r.at < len && r.is_fine) {
        char c = text[r.at];
        if (c == '\n') {
            end_line(&r);
            r.at++;
        } else if (c == '\\' && r.at + 1 < len && text[r.at + 1] == '\n') {
            r.at += 2;
        } else if (is_python_blank(c)) {
            r.at++;
        } else if (is_name_start(c)) {
            take_word(&r);
        } else if (is_digit(c)) {
            take_number(&r);
        } else if (c == '#') {
            take_comment(&r);
        } else if (c == '"' || c == '\'') {
            take_string(&r);
        } else if (c && strchr("()[]{}.,:;@=+-*/%<>!&|^~?$`", c)) {
            take_mark(&r);
        } else {
            r.is_fine = 0;
        }
    }

    if (r.is_fine)
        judge_line(&r);
    *end = r.at;
    return r.is_fine && r.is_sure && r.depth == 0;
}

/* ---- expressions ---- */

/* First words of statements of one line. */
static const char *const statement_words[] = {
    "assert", "async", "break",  "class",  "continue", "def",      "del",
    "for",    "from",  "global", "if",     "import",   "nonlocal", "pass",
    "raise",  "with",  "while",  "return", "try",      "yield",
};

static int begins_statement(const char *text, size_t len)
{
    size_t word = 0;
    while (word < len && is_word(text[word]))
        word++;

    if (word == 0)
        return len > 0 && text[0] == '@';
    for (size_t i = 0; i < sizeof statement_words / sizeof *statement_words; i++)
        if (strlen(statement_words[i]) == word && memcmp(text, statement_words[i], word) == 0)
            return 1;
    return 0;
}

/* A = that is none of == != <= >= :=; at is where it stands. */
static int is_assignment(const char *text, size_t len, size_t at)
{
    if (at + 1 < len && text[at + 1] == '=')
        return 0;
    return at == 0 || !strchr("=!<>:", text[at - 1]);
}

int pylex_is_expression(const char *text, size_t len)
{
    pylex lex = { 0 };
    int depth = 0;

    while (len > 0 && is_space(text[len - 1]))
        len--;
    if (len == 0 || begins_statement(text, len))
        return 0;

    for (size_t at = 0; at < len; at = pylex_step(&lex, text, len, at)) {
        const char c = text[at];
        if (!pylex_is_code(&lex))
            continue;
        depth += (strchr("([{", c) != NULL) - (strchr(")]}", c) != NULL);
        if (depth == 0 && (c == ';' || c == '\n' || (c == '=' && is_assignment(text, len, at))))
            return 0;
    }
    return depth == 0 && !lex.quote;
}
