#include "py/report/carets.h"

#include <string.h>

#include "base/ascii.h"

/* From 3.12 on the replacement fields of f-strings are tokens of the program: they may
 * hold the quote that surrounds them. */
#define FSTRING_TOKENS PYTHON_FSTRINGS_ARE_TOKENS
/* From 3.13 on the segment is parsed in parentheses, of many lines, and carets begin at
 * the operator; before, whatever follows the left operand's node counts as operator. */
#define ANCHORS_AT_TOKENS PYTHON_REPORTS_IN_PYTHON

/* CPython's tokenizer allows 200 brackets and 150 f-strings in each other. */
enum { SEGMENT_BYTES = 64 * 1024, MAX_BRACKETS = 200, MAX_FSTRINGS = 30, FAILED = -1 };

/* ---- skipping ---- */

/* Offsets are of text; -1 where it does not hang together. */
typedef struct scanner {
    const char *text;
    ptrdiff_t len;
    int fstrings; /* entered */
} scanner;

static char at(const scanner *s, ptrdiff_t i)
{
    return i < s->len ? s->text[i] : '\0';
}

static int is_quote(char c)
{
    return c == '"' || c == '\'';
}

static ptrdiff_t skip_name(const scanner *s, ptrdiff_t i)
{
    while (is_name(at(s, i)))
        i++;
    return i;
}

/* Blanks, line ends, joined lines, comments. */
static ptrdiff_t skip_blanks(const scanner *s, ptrdiff_t i)
{
    for (;; i++) {
        char c = at(s, i);
        if (c == '\\' && at(s, i + 1) == '\n')
            i++;
        else if (c == '#')
            while (i + 1 < s->len && at(s, i + 1) != '\n')
                i++;
        else if (c != ' ' && c != '\t' && c != '\f' && c != '\n')
            return i;
    }
}

static int has_letter(const char *text, ptrdiff_t len, char letter)
{
    for (ptrdiff_t i = 0; i < len; i++)
        if ((text[i] | 0x20) == letter)
            return 1;
    return 0;
}

/* r, b, u, f, br, fr in any order and case. */
static int is_string_prefix(const char *name, ptrdiff_t len)
{
    for (ptrdiff_t i = 0; i < len; i++)
        if (!memchr("rbufRBUF", name[i], 8))
            return 0;
    return len <= 2;
}

static ptrdiff_t skip_field(scanner *s, ptrdiff_t i);

/* The end of an f-string whose text begins at i, after the quotes. */
static ptrdiff_t skip_fstring(scanner *s, ptrdiff_t i, char quote, int is_triple, int is_raw)
{
    while (i >= 0 && i < s->len) {
        char c = at(s, i);
        if (c == '\\' && (at(s, i + 1) == '{' || at(s, i + 1) == '}')) {
            i++;
        } else if (c == '\\' && !is_raw && at(s, i + 1) == 'N' && at(s, i + 2) == '{') {
            while (i < s->len && at(s, i) != '}')
                i++;
            i++;
        } else if (c == '\\') {
            i += 2;
        } else if (c == '{' && at(s, i + 1) == '{') {
            i += 2;
        } else if (c == '{') {
            i = skip_field(s, i + 1);
        } else if (c == '\n' && !is_triple) {
            return FAILED;
        } else if (c != quote) {
            i++;
        } else if (!is_triple) {
            return i + 1;
        } else if (at(s, i + 1) == quote && at(s, i + 2) == quote) {
            return i + 3;
        } else {
            i++;
        }
    }
    return FAILED;
}

/* The end of the string whose quote is at i and whose prefix is before it. */
static ptrdiff_t skip_string(scanner *s, ptrdiff_t i, ptrdiff_t prefix_len)
{
    const char *prefix = s->text + i - prefix_len;
    char quote = at(s, i);
    int is_triple = at(s, i + 1) == quote && at(s, i + 2) == quote;

    i += is_triple ? 3 : 1;
    if (FSTRING_TOKENS && has_letter(prefix, prefix_len, 'f')) {
        if (s->fstrings == MAX_FSTRINGS)
            return FAILED;
        s->fstrings++;
        i = skip_fstring(s, i, quote, is_triple, has_letter(prefix, prefix_len, 'r'));
        s->fstrings--;
        return i;
    }

    for (; i < s->len; i++) {
        char c = at(s, i);
        if (c == '\\')
            i++;
        else if (c == '\n' && !is_triple)
            return FAILED;
        else if (c == quote && !is_triple)
            return i + 1;
        else if (c == quote && at(s, i + 1) == quote && at(s, i + 2) == quote)
            return i + 3;
    }

    return FAILED;
}

/* The format specification of a replacement field, up to and with its brace. */
static ptrdiff_t skip_specification(scanner *s, ptrdiff_t i)
{
    while (i >= 0 && i < s->len) {
        if (at(s, i) == '}')
            return i + 1;
        i = at(s, i) == '{' ? skip_field(s, i + 1) : i + 1;
    }
    return FAILED;
}

/* Past a name, a string with or without prefix, a comment, or one other character. */
static ptrdiff_t skip_piece(scanner *s, ptrdiff_t i)
{
    char c = at(s, i);
    if (is_name_start(c) || is_digit(c)) {
        ptrdiff_t end = skip_name(s, i);
        int is_string = is_quote(at(s, end)) && is_string_prefix(s->text + i, end - i);
        return is_string ? skip_string(s, end, end - i) : end;
    }

    if (is_quote(c))
        return skip_string(s, i, 0);
    return c == '#' ? skip_blanks(s, i) : i + 1;
}

static char closer_of(char opener)
{
    if (opener == '(')
        return ')';
    return opener == '[' ? ']' : '}';
}

/* The end of the bracket that was opened before i, with the closing one. is_field: it
 * is the brace of a replacement field. */
static ptrdiff_t skip_nested(scanner *s, ptrdiff_t i, char opener, int is_field)
{
    char closers[MAX_BRACKETS];
    size_t depth = 0;

    closers[depth++] = closer_of(opener);
    while (i >= 0 && i < s->len) {
        char c = at(s, i);
        if (c == '(' || c == '[' || c == '{') {
            if (depth == MAX_BRACKETS)
                return FAILED;
            closers[depth++] = closer_of(c);
            i++;
        } else if (c == ')' || c == ']' || c == '}') {
            if (closers[--depth] != c)
                return FAILED;
            i++;
            if (!depth)
                return i;
        } else if (is_field && depth == 1 && c == ':') {
            return skip_specification(s, i + 1);
        } else {
            i = skip_piece(s, i);
        }
    }

    return FAILED;
}

/* The end of the replacement field whose brace is before i. */
static ptrdiff_t skip_field(scanner *s, ptrdiff_t i)
{
    if (s->fstrings == MAX_FSTRINGS)
        return FAILED;
    s->fstrings++;
    i = skip_nested(s, i, '{', 1);
    s->fstrings--;
    return i;
}

/* ---- tokens ---- */

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_AWAIT,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_GROUP, /* a bracket with all that it holds */
    TOKEN_DOT,
    TOKEN_ELLIPSIS,
    TOKEN_OPERATOR, /* arithmetic */
    TOKEN_OTHER     /* none of those that make a primary or an operation */
} token_kind;

typedef struct token {
    token_kind kind;
    ptrdiff_t start, end;
} token;

/* Without await and the three that are values. */
static const char *const keywords[] = {
    "and",  "as",     "assert", "async",  "break",   "class",    "continue", "def",
    "del",  "elif",   "else",   "except", "finally", "for",      "from",     "global",
    "if",   "import", "in",     "is",     "lambda",  "nonlocal", "not",      "or",
    "pass", "raise",  "return", "try",    "while",   "with",     "yield",
};

static int token_is(const scanner *s, const token *t, const char *word)
{
    size_t len = (size_t)(t->end - t->start);
    return strlen(word) == len && !memcmp(s->text + t->start, word, len);
}

static token_kind name_kind(const scanner *s, const token *t)
{
    if (token_is(s, t, "await"))
        return TOKEN_AWAIT;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (token_is(s, t, keywords[i]))
            return TOKEN_OTHER;
    return TOKEN_NAME;
}

static ptrdiff_t skip_decimal(const scanner *s, ptrdiff_t i)
{
    while (is_digit(at(s, i)) || at(s, i) == '_')
        i++;
    return i;
}

static ptrdiff_t skip_number(const scanner *s, ptrdiff_t i)
{
    if (at(s, i) == '0' && at(s, i + 1) && memchr("xXoObB", at(s, i + 1), 6)) {
        i += 2;
        while (hex_value(at(s, i)) >= 0 || at(s, i) == '_')
            i++;
        return i;
    }

    i = skip_decimal(s, i);
    if (at(s, i) == '.')
        i = skip_decimal(s, i + 1);
    if ((at(s, i) | 0x20) == 'e') {
        ptrdiff_t digits = i + 1 + (at(s, i + 1) == '+' || at(s, i + 1) == '-');
        if (is_digit(at(s, digits)))
            i = skip_decimal(s, digits);
    }

    return (at(s, i) | 0x20) == 'j' ? i + 1 : i;
}

/* The length of the arithmetic operator at i, or 0: comparisons and assignments are none. */
static ptrdiff_t operator_len(const scanner *s, ptrdiff_t i)
{
    char c = at(s, i);
    ptrdiff_t len = 1;

    if (!c || !memchr("+-*/%@&|^~<>", c, 12))
        return 0;
    if ((c == '*' || c == '/' || c == '<' || c == '>') && at(s, i + 1) == c)
        len = 2;
    if (at(s, i + len) == '=' || ((c == '<' || c == '>') && len == 1))
        return 0;
    return len;
}

/* The token at or after i. */
static token next_token(scanner *s, ptrdiff_t i)
{
    i = skip_blanks(s, i);
    token t = { TOKEN_OTHER, i, i + 1 };
    char c = at(s, i);
    if (i >= s->len) {
        t = (token){ TOKEN_END, s->len, s->len };
    } else if (is_digit(c) || (c == '.' && is_digit(at(s, i + 1)))) {
        t.kind = TOKEN_NUMBER;
        t.end = skip_number(s, i);
    } else if (is_name_start(c) || is_quote(c)) {
        t.end = skip_piece(s, i);
        if (t.end > i && is_quote(at(s, t.end - 1)))
            t.kind = TOKEN_STRING;
        else if (t.end > i)
            t.kind = name_kind(s, &t);
    } else if (c == '(' || c == '[' || c == '{') {
        t.end = skip_nested(s, i + 1, c, 0);
        t.kind = TOKEN_GROUP;
    } else if (c == '.') {
        int is_ellipsis = at(s, i + 1) == '.' && at(s, i + 2) == '.';
        t.kind = is_ellipsis ? TOKEN_ELLIPSIS : TOKEN_DOT;
        t.end = i + (is_ellipsis ? 3 : 1);
    } else if (operator_len(s, i)) {
        t.kind = TOKEN_OPERATOR;
        t.end = i + operator_len(s, i);
    }

    if (t.end < 0)
        t = (token){ TOKEN_OTHER, i, i + 1 };
    return t;
}

/* ---- parentheses ---- */

/* Whether the parentheses around the text from start to end are a tuple's or a
 * generator's own, not merely around an expression. */
static int makes_object(scanner *s, ptrdiff_t start, ptrdiff_t end)
{
    scanner inner = { s->text, end, s->fstrings };
    token t = next_token(&inner, start);
    int lambdas = 0;

    if (t.kind == TOKEN_END)
        return 1;
    if (token_is(&inner, &t, "yield"))
        return 0;

    for (; t.kind != TOKEN_END; t = next_token(&inner, t.end)) {
        char c = at(&inner, t.start);
        if (token_is(&inner, &t, "for"))
            return 1;
        if (token_is(&inner, &t, "lambda"))
            lambdas++;
        else if (lambdas && c == ':')
            lambdas--;
        else if (!lambdas && c == ',')
            return 1;
    }

    return 0;
}

/* Narrows start and end to the node in between: no blanks, no parentheses that only
 * group. */
static void unwrap(scanner *s, ptrdiff_t *start, ptrdiff_t *end)
{
    for (;;) {
        *start = skip_blanks(s, *start);
        while (*end > *start && memchr(" \t\f\n", s->text[*end - 1], 4))
            --*end;
        if (*end - *start < 2 || at(s, *start) != '(' ||
            skip_nested(s, *start + 1, '(', 0) != *end || makes_object(s, *start + 1, *end - 1))
            return;
        ++*start;
        --*end;
    }
}

/* ---- the outermost node ---- */

/* What classify finds; offsets of the segment. */
typedef struct shape {
    segment_kind kind;
    token root;           /* SEGMENT_OPERATION */
    ptrdiff_t group, end; /* the last bracket; the end of the last token */
} shape;

static int precedence(const scanner *s, const token *t)
{
    char c = at(s, t->start), is_double = t->end - t->start == 2;
    switch (c) {
    case '|':
        return 1;
    case '^':
        return 2;
    case '&':
        return 3;
    case '<':
    case '>':
        return 4;
    case '+':
    case '-':
        return 5;
    default:
        return c == '*' && is_double ? 7 : 6;
    }
}

enum { POWER = 7 };

/* What classify has read so far. */
typedef struct reading {
    shape *out;
    token last;
    int root;        /* how out->root binds; 0: there is no operation yet */
    int has_operand; /* an operator or a trailer may follow */
    int is_trailer;  /* the last bracket is a call's or a subscript's */
    int has_prefix;  /* a sign or an await stands in front */
    int has_sign;
} reading;

/* These take a token; 0 where it makes the text another expression than those below. */
static int take_operator(reading *r, const scanner *s, const token *t)
{
    if (!r->has_operand) {
        /* A sign or ~; * is not an operator here. */
        if (!memchr("+-~", at(s, t->start), 3))
            return 0;
        if (!r->root)
            r->has_sign = r->has_prefix = 1;
        return 1;
    }

    if (at(s, t->start) == '~')
        return 0;
    int binds = precedence(s, t);
    if (!r->root || binds < r->root || (binds == r->root && r->root != POWER)) {
        r->root = binds;
        r->out->root = *t;
    }

    r->has_operand = 0;
    return 1;
}

static int take_operand(reading *r, const token *t)
{
    int goes_on = t->kind == TOKEN_STRING && r->last.kind == TOKEN_STRING;
    if (r->has_operand && !goes_on)
        return 0;
    r->has_operand = 1;
    r->is_trailer = 0;
    return 1;
}

static int take_bracket(reading *r, const scanner *s, const token *t)
{
    if (r->has_operand && at(s, t->start) == '{')
        return 0;
    r->is_trailer = r->has_operand;
    r->out->group = t->start;
    r->has_operand = 1;
    return 1;
}

/* With the name behind a dot, which t is then. */
static int take_token(reading *r, scanner *s, token *t)
{
    switch (t->kind) {
    case TOKEN_OPERATOR:
        return take_operator(r, s, t);
    case TOKEN_AWAIT:
        r->has_prefix |= !r->root;
        return !r->has_operand;
    case TOKEN_GROUP:
        return take_bracket(r, s, t);
    case TOKEN_DOT:
        *t = next_token(s, t->end);
        r->is_trailer = 0;
        return r->has_operand && t->kind == TOKEN_NAME;
    case TOKEN_STRING:
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_ELLIPSIS:
        return take_operand(r, t);
    case TOKEN_OTHER:
    case TOKEN_END:
        break;
    }
    return 0;
}

/* An expression of primaries and arithmetic, as shape: what binds least is outermost,
 * of equals the last one, of powers the first. */
static void classify(shape *out, scanner *s)
{
    reading r = { .out = out, .last = { TOKEN_END, 0, 0 } };

    *out = (shape){ SEGMENT_OTHER };
    for (token t = next_token(s, 0); t.kind != TOKEN_END; t = next_token(s, t.end)) {
        if (!take_token(&r, s, &t))
            return;
        out->end = t.end;
        r.last = t;
    }

    if (!r.has_operand || (r.root == POWER && r.has_sign))
        return;
    if (r.root)
        out->kind = SEGMENT_OPERATION;
    else if (r.is_trailer && !r.has_prefix)
        out->kind = at(s, out->group) == '[' ? SEGMENT_SUBSCRIPT : SEGMENT_CALL;
}

static int calls_name(scanner *s, ptrdiff_t end)
{
    ptrdiff_t start = 0;

    unwrap(s, &start, &end);
    token t = { TOKEN_NAME, start, end };
    if (!is_name_start(at(s, start)) || skip_name(s, start) != end)
        return 0;
    if (token_is(s, &t, "None") || token_is(s, &t, "True") || token_is(s, &t, "False"))
        return 0;
    return name_kind(s, &t) == TOKEN_NAME;
}

#if ANCHORS_AT_TOKENS

static void place_operation(anchors *out, scanner *s, const shape *found)
{
    ptrdiff_t start = found->root.start, right = found->root.end;

    /* A parenthesis that only groups is not part of the right operand's node, so
     * traceback.py takes one at the operator for its second character. */
    if (right == start + 1 && at(s, right) == '(' &&
        skip_nested(s, right + 1, '(', 0) == found->end &&
        !makes_object(s, right + 1, found->end - 1))
        right++;
    *out = (anchors){ (size_t)start, (size_t)right };
}

static void place_group(anchors *out, scanner *s, const shape *found)
{
    (void)s;
    *out = (anchors){ (size_t)found->group, (size_t)found->end };
}

#else

static void place_operation(anchors *out, scanner *s, const shape *found)
{
    ptrdiff_t start = 0, left_end = found->root.start;
    ptrdiff_t right_start = found->root.end, end = found->end;

    unwrap(s, &start, &left_end);
    unwrap(s, &right_start, &end);
    while (left_end < right_start && is_space(at(s, left_end)))
        left_end++;
    end = left_end + 1;
    if (end < right_start && !is_space(at(s, end)))
        end++;
    *out = (anchors){ (size_t)left_end, (size_t)end };
}

static void place_group(anchors *out, scanner *s, const shape *found)
{
    ptrdiff_t start = 0, value_end = found->group;
    ptrdiff_t slice = found->group + 1, slice_end = found->end - 1;
    unwrap(s, &start, &value_end);
    unwrap(s, &slice, &slice_end);
    *out = (anchors){ (size_t)value_end, (size_t)slice_end + 1 };
}

#endif

segment_kind anchors_find(anchors *out, span segment)
{
    scanner s = { segment.at, (ptrdiff_t)segment.len, 0 };
    shape found;

    *out = (anchors){ 0 };
    if (segment.len > SEGMENT_BYTES)
        return SEGMENT_OTHER;

    classify(&found, &s);
    if (found.kind == SEGMENT_OPERATION)
        place_operation(out, &s, &found);
    else if (found.kind != SEGMENT_OTHER)
        place_group(out, &s, &found);

    if (found.kind == SEGMENT_CALL && calls_name(&s, found.group))
        return SEGMENT_CALL_OF_NAME;
    return found.kind;
}

int anchors_statement(span before, span after)
{
    scanner s = { before.at, (ptrdiff_t)before.len, 0 };
    token t = { TOKEN_NAME, 0, skip_name(&s, 0) };
    ptrdiff_t i = t.end;
    int kind = 0, open = 0;

    if (!is_name_start(at(&s, 0)))
        return 0;
    if (token_is(&s, &t, "return")) {
        kind = 'r';
    } else {
        i = skip_blanks(&s, i);
        if (name_kind(&s, &t) != TOKEN_NAME || at(&s, i) != '=')
            return 0;
        kind = '=';
        i++;
    }

    for (i = skip_blanks(&s, i); at(&s, i) == '('; i = skip_blanks(&s, i + 1))
        open++;
    if (i < s.len)
        return 0;

    s = (scanner){ after.at, (ptrdiff_t)after.len, 0 };
    for (i = 0; is_space(at(&s, i)) || (open && at(&s, i) == ')'); i++)
        open -= at(&s, i) == ')';
    int ends = i == s.len || at(&s, i) == '#' || at(&s, i) == ';';
    return !open && ends ? kind : 0;
}
