#include "agent/reply/style.h"

#include <snug/snug.h>

#include <ctype.h>
#include <string.h>

#include "agent/text/line.h"
#include "agent/text/pylex.h"

enum { LONGEST_LINE = 100 };

typedef struct piece {
    const char *at;
    size_t len;
} piece;

/* A line of the program, and the same with blanks for what stands in strings and comments. */
typedef struct style_line {
    const char *text, *code;
    size_t len;
    const char *below; /* the first line with something in it that follows */
    int depth;         /* brackets that are open where it begins */
    piece whole;       /* the program */
} style_line;

/* ---- pieces of a line ---- */

static size_t find_in(const style_line *l, const char *what)
{
    const char *found = memmem(l->code, l->len, what, strlen(what));
    return found ? (size_t)(found - l->code) : l->len;
}

static int has(const style_line *l, const char *what)
{
    return find_in(l, what) < l->len;
}

static size_t indentation(const style_line *l)
{
    size_t at = 0;
    while (at < l->len && (l->code[at] == ' ' || l->code[at] == '\t'))
        at++;
    return at;
}

/* The first word; *after is what follows the blanks behind it. */
static int begins_with(const style_line *l, const char *word, const char **after)
{
    const size_t at = indentation(l), len = strlen(word);
    if (l->len - at <= len || strncmp(l->code + at, word, len) != 0 || l->code[at + len] != ' ')
        return 0;
    *after = l->code + at + len + 1;
    return 1;
}

static int is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (byte & 0x80);
}

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\\';
}

static int depth_behind(int depth, char byte)
{
    if (byte == '(' || byte == '[' || byte == '{')
        return depth + 1;
    return (byte == ')' || byte == ']' || byte == '}') && depth > 0 ? depth - 1 : depth;
}

/* Behind the first colon that is in no brackets. l->len: there is none. */
static size_t head_end(const style_line *l)
{
    int depth = l->depth;
    for (size_t i = 0; i < l->len; i++) {
        depth = depth_behind(depth, l->code[i]);
        if (depth == 0 && l->code[i] == ':' && (i + 1 == l->len || l->code[i + 1] != '='))
            return i + 1;
    }
    return l->len;
}

/* What stands behind the head; l->len: nothing, or the dots of a body that is left out. */
static size_t body_on_line(const style_line *l)
{
    size_t at = head_end(l);
    while (at < l->len && is_blank(l->text[at]))
        at++;
    if (at == l->len || l->text[at] == '#' || l->text[at] == '.')
        return l->len;
    return at;
}

static int is_definition(const style_line *l, const char **name)
{
    if (begins_with(l, "async", name) && !strncmp(*name, "def ", 4)) {
        *name += 4;
        return 1;
    }
    return begins_with(l, "def", name) || begins_with(l, "class", name);
}

/* ---- the rules ---- */

static int is_long(const style_line *l)
{
    size_t characters = 0;
    for (size_t i = 0; i < l->len; i++)
        characters += ((unsigned char)l->text[i] & 0xc0) != 0x80;
    return characters > LONGEST_LINE;
}

static int ends_in_blanks(const style_line *l)
{
    return l->len > 0 && (l->text[l->len - 1] == ' ' || l->text[l->len - 1] == '\t');
}

static int has_tab(const style_line *l)
{
    return memchr(l->code, '\t', indentation(l)) != NULL;
}

static int has_bare_except(const style_line *l)
{
    const size_t at = indentation(l);
    return l->len - at >= 7 && !strncmp(l->code + at, "except:", 7);
}

static int compares_with_none(const style_line *l)
{
    return has(l, "== None") || has(l, "!= None");
}

static int compares_with_truth(const style_line *l)
{
    return has(l, "== True") || has(l, "== False") || has(l, "!= True") || has(l, "!= False");
}

static int imports_star(const style_line *l)
{
    const char *rest;
    return begins_with(l, "from", &rest) && has(l, " import *");
}

static int imports_several(const style_line *l)
{
    const char *rest;
    return begins_with(l, "import", &rest) && has(l, ",");
}

static int has_semicolon(const style_line *l)
{
    return has(l, ";");
}

static int has_mutable_default(const style_line *l)
{
    const char *name;
    return is_definition(l, &name) &&
           (has(l, "=[]") || has(l, "={}") || has(l, "= []") || has(l, "= {}"));
}

static int names_lambda(const style_line *l)
{
    const size_t at = find_in(l, " = lambda"), begin = indentation(l);
    for (size_t i = begin; i < at && at < l->len; i++)
        if (!isalnum((unsigned char)l->code[i]) && l->code[i] != '_')
            return 0;
    return at < l->len && at > begin;
}

static int compares_types(const style_line *l)
{
    const size_t at = find_in(l, "type(");
    return at < l->len && (at == 0 || !isalnum((unsigned char)l->code[at - 1])) &&
           (has(l, ") ==") || has(l, ") !="));
}

static int has_odd_name(const style_line *l)
{
    const char *name, *end = l->code + l->len;
    const int is_class =
        is_definition(l, &name) && has(l, "class ") && begins_with(l, "class", &name);

    if (!is_definition(l, &name))
        return 0;
    for (const char *at = name; at < end && (isalnum((unsigned char)*at) || *at == '_'); at++)
        if (is_class ? *at == '_' && at > name : isupper((unsigned char)*at) != 0)
            return 1;
    return is_class && islower((unsigned char)*name);
}

/* A line that ends a definition's head is followed by a string; names with _ in front are exempt.
 */
static int has_no_docstring(const style_line *l)
{
    const char *name, *at = l->below;
    const size_t body = body_on_line(l);
    size_t end = l->len;

    while (end > 0 && (l->code[end - 1] == ' ' || l->code[end - 1] == '\r'))
        end--;
    if (!is_definition(l, &name) || *name == '_' || end == 0)
        return 0;
    if (body < l->len)
        at = l->text + body;
    else if (l->code[end - 1] != ':')
        return 0;

    at += strspn(at, " \t");
    at += strspn(at, "rRuU");
    return *at != '"' && *at != '\'';
}

/* "if x: y" */
static int has_body_on_line(const style_line *l)
{
    static const char *const words[] = { "def",   "class", "if",   "elif",   "else",  "for",
                                         "while", "try",   "with", "except", "async", "finally" };
    const char *begin = l->code + indentation(l);
    size_t len = 0, left = l->len - indentation(l);

    while (len < left && is_word_byte(begin[len]))
        len++;
    if (l->depth > 0 || has(l, "lambda"))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && !strncmp(begin, words[i], len))
            return body_on_line(l) < l->len;
    return 0;
}

static int has_tight_comma(const style_line *l)
{
    for (size_t i = 0; i + 1 < l->len; i++)
        if (l->code[i] == ',' && !is_blank(l->text[i + 1]) && !strchr(")]}", l->text[i + 1]))
            return 1;
    return 0;
}

/* The longer ones first. PEP 8 leaves the other operators to their priority: x*x + y*y. */
static const struct {
    const char *text;
    enum { FREE, SPACED, ASSIGNS } kind; /* ASSIGNS: spaced but in brackets, f(a=1) */
} operators[] = {
    { "**=", SPACED }, { "//=", SPACED }, { ">>=", SPACED }, { "<<=", SPACED }, { "==", SPACED },
    { "!=", SPACED },  { "<=", SPACED },  { ">=", SPACED },  { "->", SPACED },  { "+=", SPACED },
    { "-=", SPACED },  { "*=", SPACED },  { "/=", SPACED },  { "%=", SPACED },  { "&=", SPACED },
    { "|=", SPACED },  { "^=", SPACED },  { "@=", SPACED },  { ":=", FREE },    { "<<", FREE },
    { ">>", FREE },    { "=", ASSIGNS },  { "<", SPACED },   { ">", SPACED },
};
enum { OPERATORS = sizeof operators / sizeof *operators };

/* Its index; OPERATORS: there is none. */
static size_t operator_at(const style_line *l, size_t at)
{
    for (size_t i = 0; i < OPERATORS; i++) {
        const size_t len = strlen(operators[i].text);
        if (l->len - at >= len && !strncmp(l->code + at, operators[i].text, len))
            return i;
    }
    return OPERATORS;
}

static int is_spaced(const style_line *l, size_t at, size_t len)
{
    return (at == indentation(l) || is_blank(l->text[at - 1])) &&
           (at + len == l->len || is_blank(l->text[at + len]));
}

/* "%timeit a<b" and "!sort <a" are lines of a notebook. */
static int is_of_notebook(const style_line *l)
{
    const size_t at = indentation(l);
    return at < l->len && (l->code[at] == '%' || l->code[at] == '!');
}

static int has_tight_operator(const style_line *l)
{
    int depth = l->depth;

    for (size_t i = indentation(l), len; i < l->len && !is_of_notebook(l); i += len) {
        const size_t found = operator_at(l, i);
        len = 1;
        depth = depth_behind(depth, l->code[i]);
        if (found == OPERATORS)
            continue;

        len = strlen(operators[found].text);
        const int is_argument = depth > 0 || find_in(l, "lambda") < i;
        if (operators[found].kind == FREE || (operators[found].kind == ASSIGNS && is_argument))
            continue;
        if (!is_spaced(l, i, len))
            return 1;
    }

    return 0;
}

/* ---- rules about names ---- */

/* Where the line assigns by "="; l->len: nowhere. */
static size_t assignment_at(const style_line *l)
{
    int depth = l->depth;

    for (size_t i = 0, len; i < l->len; i += len) {
        const size_t found = operator_at(l, i);
        len = found < OPERATORS ? strlen(operators[found].text) : 1;
        depth = depth_behind(depth, l->code[i]);
        if (found < OPERATORS && operators[found].kind == ASSIGNS && depth == 0)
            return i;
    }
    return l->len;
}

static int follows_word(const style_line *l, size_t at, const char *word)
{
    const size_t len = strlen(word);
    return at > len && !strncmp(l->code + at - len - 1, word, len) && l->code[at - 1] == ' ' &&
           (at == len + 1 || !is_word_byte(l->code[at - len - 2]));
}

/* Whether the name at this place is given a value there. */
static int is_bound_at(const style_line *l, size_t at, int depth)
{
    static const char *const words[] = { "for", "as", "lambda", "def", "class" };
    const char *name;
    size_t before = at;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (follows_word(l, at, words[i]))
            return 1;
    while (before > 0 && is_blank(l->code[before - 1]))
        before--;

    const char byte = before > 0 ? l->code[before - 1] : '\0';
    if (is_definition(l, &name) && depth == 1 && !has(l, "class "))
        return byte == '(' || byte == ',' || byte == '*';
    return depth == 0 && at < assignment_at(l) && assignment_at(l) < l->len &&
           (byte == '\0' || byte == ',');
}

static int has_ambiguous_name(const style_line *l)
{
    int depth = l->depth;

    for (size_t i = 0; i < l->len; i++) {
        const int is_alone = (i == 0 || (!is_word_byte(l->code[i - 1]) && l->code[i - 1] != '.')) &&
                             (i + 1 == l->len || !is_word_byte(l->code[i + 1]));
        const char byte = l->code[i];
        depth = depth_behind(depth, byte);
        if (is_alone && (byte == 'l' || byte == 'O' || byte == 'I') && is_bound_at(l, i, depth))
            return 1;
    }
    return 0;
}

/* In strings and comments too: an f-string uses names. */
static int is_used_elsewhere(const style_line *l, piece name)
{
    const char *end = l->whole.at + l->whole.len;

    for (const char *at = l->whole.at; at < end; at++) {
        at = memmem(at, (size_t)(end - at), name.at, name.len);
        if (!at)
            return 0;
        const int is_here = at >= l->text && at < l->text + l->len;
        const int is_word = (at == l->whole.at || !is_word_byte(at[-1])) &&
                            (at + name.len == end || !is_word_byte(at[name.len]));
        if (is_word && !is_here)
            return 1;
    }
    return 0;
}

/* The name that "numpy as np" or "os.path" binds. */
static piece bound_name(const char *begin, const char *end)
{
    const char *as = memmem(begin, (size_t)(end - begin), " as ", 4);
    piece name = { as ? as + 4 : begin, 0 };

    while (name.at < end && is_blank(*name.at))
        name.at++;
    while (name.at + name.len < end && is_word_byte(name.at[name.len]))
        name.len++;
    return name;
}

/* The names that an import binds, up to the line's end; NULL: another line, or one that is not
 * looked at, as that in brackets. */
static const char *imported_names(const style_line *l)
{
    const char *rest;
    const size_t names = find_in(l, " import ");

    if (has(l, "(") || has(l, "*") || has(l, "\\") || has(l, ";") || has(l, "__future__"))
        return NULL;
    if (begins_with(l, "import", &rest))
        return rest;
    return begins_with(l, "from", &rest) && names < l->len ? l->code + names + 8 : NULL;
}

/* A program with __all__ imports for others. */
static int imports_unused(const style_line *l)
{
    const char *end = l->code + l->len, *next;

    if (memmem(l->whole.at, l->whole.len, "__all__", 7))
        return 0;
    for (const char *at = imported_names(l); at && at < end; at = next + 1) {
        next = memchr(at, ',', (size_t)(end - at));
        next = next ? next : end;
        const piece name = bound_name(at, next);
        if (name.len > 0 && !is_used_elsewhere(l, name))
            return 1;
    }
    return 0;
}

static const struct {
    int (*departs)(const style_line *l);
    const char *advice;
} rules[] = {
    { is_long, "more than 100 characters: break it" },
    { ends_in_blanks, "blanks at its end" },
    { has_tab, "a tab in the indentation: four spaces" },
    { has_bare_except, "a bare except: name the exceptions" },
    { compares_with_none, "compared with None by ==: is None" },
    { compares_with_truth, "compared with True or False: the value itself" },
    { imports_star, "import *: name what is used" },
    { imports_several, "several modules in one import: a line each" },
    { has_semicolon, "two statements in a line" },
    { has_mutable_default, "a default that all calls share: None, and a new one inside" },
    { names_lambda, "a lambda with a name: def" },
    { compares_types, "types compared: isinstance" },
    { has_odd_name, "a name that is neither lower_case, of a function, nor CapWords, of a class" },
    { has_no_docstring, "no docstring" },
    { has_body_on_line, "a block on the line of its head: a line of its own" },
    { has_tight_comma, "no blank behind a comma" },
    { has_tight_operator, "no blanks around =, a comparison or ->" },
    { has_ambiguous_name, "a name that looks like a digit: l, O or I" },
    { imports_unused, "an import that nothing uses" },
};

/* ---- reading ---- */

/* The program with blanks for what stands in strings and comments. */
static int mask(str *out, const char *code, size_t len)
{
    pylex lex = { 0 };

    if (str_append(out, code, len))
        return SNUG_ENOMEM;
    for (size_t at = 0; at < len;) {
        const size_t here = at;
        at = pylex_step(&lex, code, len, at);
        for (size_t i = here; i < at && !pylex_is_code(&lex); i++)
            if (code[i] != '\n')
                out->data[i] = ' ';
    }

    return SNUG_OK;
}

static const char *next_solid_line(const char *code, size_t len, size_t at)
{
    while (at < len) {
        const line l = line_at(code, len, at);
        const size_t blanks = line_blanks(&l);
        if (blanks < l.len && l.text[blanks] != '#')
            return l.text;
        at = l.next;
    }
    return "";
}

int style_read(str *out, size_t *count, const char *code, size_t len)
{
    str masked = { 0 };
    size_t number = 0;
    int depth = 0;
    int error = mask(&masked, code, len);

    *count = 0;
    for (size_t at = 0; !error && at < len;) {
        const line l = line_at(code, len, at);
        const style_line looked = { .text = l.text,
                                    .code = masked.data + at,
                                    .len = l.len,
                                    .below = next_solid_line(code, len, l.next),
                                    .depth = depth,
                                    .whole = { code, len } };
        number++;
        for (size_t i = 0; !error && i < sizeof rules / sizeof *rules; i++) {
            if (!rules[i].departs(&looked))
                continue;
            ++*count;
            if (out)
                error = str_printf(out, "line %zu: %s\n", number, rules[i].advice);
        }
        for (size_t i = 0; i < l.len; i++)
            depth = depth_behind(depth, masked.data[at + i]);
        at = l.next;
    }

    str_free(&masked);
    return error;
}
