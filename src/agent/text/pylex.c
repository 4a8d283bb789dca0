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

/* ---- does it look like Python? ---- */

static const char keywords[] =
    " False None True and as assert async await break case class continue def del elif else except "
    "finally for from global if import in is lambda match nonlocal not or pass raise return try "
    "type "
    "while with yield ";

/* Those that cannot begin a line of prose together with what `needs` finds in the line. */
static const struct {
    const char *word, *needs;
} statements[] = {
    { "import", "" }, { "from", " import " }, { "def", "(" },   { "class", ":" }, { "for", " in " },
    { "while", ":" }, { "if", ":" },          { "with", ":" },  { "try", ":" },   { "async", ":" },
    { "assert", "" }, { "raise", "(" },       { "match", ":" }, { "await", "(" }, { "del", "" },
};

typedef enum token { NO_TOKEN, WORD, KEYWORD, STRING, MARK } token;

typedef struct reader {
    const char *text;
    size_t len, at;
    int depth;          /* of brackets */
    int is_sure;        /* there was a line that is nothing else */
    token last;         /* on this line */
    size_t word, width; /* the first word of the line, outside of brackets */
} reader;

static int is_keyword(const char *text, size_t len)
{
    for (const char *at = keywords; (at = memmem(at, strlen(at), text, len)); at++)
        if (at[-1] == ' ' && at[len] == ' ')
            return 1;
    return 0;
}

/* At the end of a line. */
static void judge_line(reader *r)
{
    const char *line = r->text + r->word;
    const size_t len = r->at - r->word;

    for (size_t i = 0; r->width > 0 && i < sizeof statements / sizeof *statements; i++)
        if (strlen(statements[i].word) == r->width &&
            memcmp(line, statements[i].word, r->width) == 0)
            r->is_sure |= len > r->width && memmem(line, len, statements[i].needs,
                                                   strlen(statements[i].needs)) != NULL;
    r->width = 0;
}

/* A word, a number, or the prefix of a string. Words do not stand side by side in Python, and do in
 * prose. */
static int take_word(reader *r)
{
    const size_t begin = r->at;
    const int is_number = is_digit(r->text[begin]);

    while (r->at < r->len && (is_name(r->text[r->at]) || (is_number && r->text[r->at] == '.')))
        r->at++;
    const size_t width = r->at - begin;
    if (r->at < r->len && strchr("\"'", r->text[r->at]) && width <= 2 &&
        strspn(r->text + begin, "rRbBuUfFtT") >= width)
        return 1;

    const int is_key = !is_number && is_keyword(r->text + begin, width);
    if (!is_number && r->last == NO_TOKEN && r->depth == 0) {
        r->word = begin;
        r->width = width;
    }
    const int is_fine = is_key || (r->last != WORD && r->last != STRING);
    r->last = is_key ? KEYWORD : WORD;
    return is_fine;
}

/* 0 where it ends with its line and not with its quote. */
static int take_string(reader *r)
{
    const char quote = r->text[r->at];
    pylex lex = { 0 };
    const int is_fine = r->last != WORD;

    r->last = STRING;
    do
        r->at = pylex_step(&lex, r->text, r->len, r->at);
    while (r->at < r->len && lex.quote);
    return is_fine && !lex.quote && r->text[r->at - 1] == quote;
}

static int take_mark(reader *r)
{
    const char *c = r->text + r->at;
    const char next = r->at + 1 < r->len ? c[1] : '\0', before = r->at > 0 ? c[-1] : '\n';

    if (*c == '!' && next != '=')
        return 0;
    /* print(...), and x = ... */
    if (r->depth == 0 && r->width > 0)
        r->is_sure |= (*c == '(' && r->last == WORD && !is_python_blank(before)) ||
                      (*c == '=' && next != '=' && !strchr("=<>!", before));
    r->depth += strchr("([{", *c) != NULL;
    r->depth -= strchr(")]}", *c) != NULL;
    r->at++;
    r->last = MARK;
    return r->depth >= 0;
}

int pylex_is_python(const char *text, size_t len)
{
    reader r = { .text = text, .len = len };
    int is_fine = 1;

    while (r.at < len && is_fine) {
        const char c = text[r.at];
        if (c == '\n') {
            if (r.depth == 0)
                judge_line(&r);
            r.last = NO_TOKEN;
            r.at++;
        } else if (c == '\\' && r.at + 1 < len && text[r.at + 1] == '\n') {
            r.at += 2;
        } else if (is_python_blank(c)) {
            r.at++;
        } else if (is_name(c)) {
            is_fine = take_word(&r);
        } else if (c == '#') {
            while (r.at < len && text[r.at] != '\n')
                r.at++;
        } else if (c == '"' || c == '\'') {
            is_fine = take_string(&r);
        } else {
            is_fine = c && strchr("()[]{}.,:;@=+-*/%<>!&|^~", c) && take_mark(&r);
        }
    }

    judge_line(&r);
    return is_fine && r.is_sure && r.depth == 0;
}
