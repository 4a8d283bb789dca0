#include "policy/shellwords.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

/* Of substitutions within each other, and of here-documents that one line begins. */
enum { MOST_DEPTH = 40, MOST_DOCUMENTS = 8 };

typedef struct document {
    str end; /* the line that ends it */
    int is_indented;
} document;

typedef struct script {
    const char *text;
    size_t len, at;
    const size_t *place; /* of all words, where the text is a word itself; else NULL */
    shellwords_fn found;
    void *payload;
    document documents[MOST_DOCUMENTS];
    size_t document_count;
    int depth, error;
} script;

typedef struct word {
    str text;
    size_t at;
    int is_quoted;
} word;

static void read_list(script *s, char end);

static char char_at(const script *s, size_t ahead)
{
    return s->at + ahead < s->len ? s->text[s->at + ahead] : '\0';
}

static int is_over(const script *s)
{
    return s->error || s->at >= s->len;
}

/* ---- words ---- */

static void add_char(script *s, word *w)
{
    if (!s->error)
        s->error = str_append(&w->text, s->text + s->at, 1);
    s->at++;
}

/* The commands of $( ... ) or ` ... `, whose beginning has width bytes. */
static void read_nested(script *s, size_t width, char end)
{
    s->at += width;
    if (++s->depth > MOST_DEPTH)
        s->at = s->len;
    else
        read_list(s, end);
    s->depth--;
}

static void read_escape(script *s, word *w)
{
    s->at++;
    if (char_at(s, 0) == '\n')
        s->at++;
    else if (!is_over(s))
        add_char(s, w);
}

static void read_single(script *s, word *w)
{
    s->at++;
    while (!is_over(s) && char_at(s, 0) != '\'')
        add_char(s, w);
    s->at++;
}

/* (( ... )): a shift in it is not a here-document. The beginning has width bytes. */
static void skip_arithmetic(script *s, size_t width)
{
    s->at += width;
    for (int open = 2; !is_over(s) && open > 0; s->at++) {
        open += char_at(s, 0) == '(';
        open -= char_at(s, 0) == ')';
    }
}

/* 1 where a substitution began, and was read. */
static int read_substitution(script *s)
{
    if (char_at(s, 0) == '$' && char_at(s, 1) == '(' && char_at(s, 2) == '(')
        skip_arithmetic(s, 3);
    else if (char_at(s, 0) == '`')
        read_nested(s, 1, '`');
    else if (char_at(s, 0) == '$' && char_at(s, 1) == '(')
        read_nested(s, 2, ')');
    else
        return 0;
    return 1;
}

static void read_double(script *s, word *w)
{
    s->at++;
    while (!is_over(s) && char_at(s, 0) != '"') {
        if (char_at(s, 0) == '\\')
            read_escape(s, w);
        else if (!read_substitution(s))
            add_char(s, w);
    }
    s->at++;
}

static void read_word(script *s, word *w, char end)
{
    *w = (word){ .at = s->at };
    while (!is_over(s) && !strchr(" \t\n;&|()<>", char_at(s, 0))) {
        const char c = char_at(s, 0);
        if (c == '`' && end == '`')
            return;
        w->is_quoted |= c == '\'' || c == '"' || c == '\\';
        if (c == '\\')
            read_escape(s, w);
        else if (c == '\'')
            read_single(s, w);
        else if (c == '"')
            read_double(s, w);
        else if (!read_substitution(s))
            add_char(s, w);
    }
}

/* ---- redirections and here-documents ---- */

static void skip_blanks(script *s)
{
    while (is_blank(char_at(s, 0)))
        s->at++;
}

/* The word behind ">", or the one that ends a here-document. */
static void read_redirection(script *s, char end)
{
    const int is_document = char_at(s, 0) == '<' && char_at(s, 1) == '<' && char_at(s, 2) != '<';
    const int is_indented = is_document && char_at(s, 2) == '-';
    word target;

    while (!is_over(s) && strchr("<>&|", char_at(s, 0)))
        s->at++;
    if (char_at(s, 0) == '(') {
        read_nested(s, 1, ')');
        return;
    }

    if (is_indented)
        s->at++;
    skip_blanks(s);
    read_word(s, &target, end);
    if (is_document && target.text.len > 0 && s->document_count < MOST_DOCUMENTS)
        s->documents[s->document_count++] = (document){ target.text, is_indented };
    else
        str_free(&target.text);
}

/* The text of a here-document is data. */
static void skip_document(script *s, document *d)
{
    while (s->at < s->len) {
        const char *line = s->text + s->at, *stop = memchr(line, '\n', s->len - s->at);
        size_t len = stop ? (size_t)(stop - line) : s->len - s->at;
        s->at += stop ? len + 1 : len;
        while (d->is_indented && len > 0 && *line == '\t') {
            line++;
            len--;
        }
        if (len == d->end.len && memcmp(line, d->end.data, len) == 0)
            break;
    }
    str_free(&d->end);
}

static void drop_documents(script *s)
{
    for (size_t i = 0; i < s->document_count; i++)
        str_free(&s->documents[i].end);
    s->document_count = 0;
}

static void end_line(script *s)
{
    s->at++;
    for (size_t i = 0; i < s->document_count; i++)
        skip_document(s, &s->documents[i]);
    s->document_count = 0;
}

/* ---- commands ---- */

static int is_one_of(const word *w, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(str_text(&w->text), words[i]) == 0)
            return 1;
    return 0;
}

/* A command follows these. */
static int leads_to_command(const word *w)
{
    static const char *const words[] = { "if",    "then", "else", "elif", "do", "while",
                                         "until", "time", "!",    "{",    "}" };
    return !w->is_quoted && is_one_of(w, words, sizeof words / sizeof *words);
}

/* A command may be among the words behind these. */
static int runs_others(const word *w)
{
    static const char *const words[] = { "command", "builtin", "exec",    "eval",     "env",
                                         "sudo",    "nohup",   "nice",    "setsid",   "timeout",
                                         "xargs",   "find",    "watch",   "parallel", "bash",
                                         "sh",      "trap",    "function" };
    return is_one_of(w, words, sizeof words / sizeof *words);
}

static int is_assignment(const word *w)
{
    const char *text = str_text(&w->text);
    size_t len = 0;

    if (is_digit(*text))
        return 0;
    while (is_word(text[len]))
        len++;
    return len > 0 && (text[len] == '=' || text[len] == '[' || strncmp(text + len, "+=", 2) == 0);
}

static void tell_word(script *s, const word *w)
{
    if (w->text.len > 0 && !s->error)
        s->error = s->found(s->payload, w->text.data, w->text.len, s->place ? *s->place : w->at);
}

/* "rm -r x" of `bash -c "rm -r x"`. */
static void read_word_as_script(script *s, const word *w)
{
    const size_t place = s->place ? *s->place : w->at;
    script inner = { .text = str_text(&w->text),
                     .len = w->text.len,
                     .place = &place,
                     .found = s->found,
                     .payload = s->payload,
                     .depth = s->depth + 1 };

    if (inner.depth > MOST_DEPTH)
        return;
    read_list(&inner, '\0');
    drop_documents(&inner);
    s->error = inner.error;
}

typedef struct position {
    int is_command;  /* the next word is one */
    int may_command; /* so may be all that follow */
} position;

static void take_word(script *s, position *p, const word *w)
{
    if (p->is_command && (is_assignment(w) || leads_to_command(w)))
        return;

    if (p->is_command) {
        p->is_command = 0;
        p->may_command = runs_others(w);
        tell_word(s, w);
    } else if (p->may_command && strpbrk(str_text(&w->text), " \t\n;")) {
        read_word_as_script(s, w);
    } else if (p->may_command && *str_text(&w->text) != '-') {
        tell_word(s, w);
    }
}

static void read_list(script *s, char end)
{
    const position begin = { .is_command = 1 };
    position p = begin;

    while (!is_over(s)) {
        const char c = char_at(s, 0);
        if (end && c == end) {
            s->at++;
            return;
        }
        if (c == '\n') {
            end_line(s);
            p = begin;
        } else if (is_blank(c)) {
            s->at++;
        } else if (c == '#') {
            while (s->at < s->len && s->text[s->at] != '\n')
                s->at++;
        } else if (c == '<' || c == '>' || (c == '&' && char_at(s, 1) == '>')) {
            read_redirection(s, end);
        } else if (c == '(' && char_at(s, 1) == '(') {
            skip_arithmetic(s, 2);
        } else if (c == '(') {
            read_nested(s, 1, ')');
            p = begin;
        } else if (strchr(";&|)", c)) {
            s->at++;
            p = begin;
        } else {
            word w;
            read_word(s, &w, end);
            take_word(s, &p, &w);
            str_free(&w.text);
        }
    }
}

int shellwords_commands(const char *text, size_t len, shellwords_fn found, void *payload)
{
    script s = { .text = text, .len = len, .found = found, .payload = payload };

    read_list(&s, '\0');
    drop_documents(&s);
    return s.error;
}
