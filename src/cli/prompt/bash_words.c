#include "cli/prompt/bash_words.h"

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

enum { MOST_MS = 3000 };

/* ---- the word ---- */

static int ends_word(const char *text, size_t at)
{
    return strchr(" \t\n;|&()<>=`\"'", text[at]) && (at == 0 || text[at - 1] != '\\');
}

static size_t word_begin(const char *text, size_t cursor)
{
    while (cursor > 0 && !ends_word(text, cursor - 1))
        cursor--;
    return cursor;
}

/* Where the name of a variable begins that ends at cursor; cursor + 1: there is none. */
static size_t variable_begin(const char *text, size_t begin, size_t cursor)
{
    size_t at = cursor;

    while (at > begin && is_word(text[at - 1]))
        at--;
    if (at > begin + 1 && text[at - 1] == '{' && text[at - 2] == '$')
        return at;
    return at > begin && text[at - 1] == '$' ? at : cursor + 1;
}

/* Whether a command stands there: nothing, or what ends one, is before it. */
static int is_command(const char *text, size_t begin)
{
    static const char before[] = " then do else elif if while until ";
    char word[16] = " ";
    size_t at = begin, end;

    while (at > 0 && is_blank(text[at - 1]))
        at--;
    if (at == 0 || strchr("\n;|&(`", text[at - 1]))
        return 1;
    for (end = at; at > 0 && is_letter(text[at - 1]);)
        at--;
    if (end == at || end - at + 3 > sizeof word)
        return 0;
    memcpy(word + 1, text + at, end - at);
    word[1 + end - at] = ' ';
    return strstr(before, word) != NULL;
}

/* ---- the question ---- */

/* As one word of bash, without the backslashes that it was typed with. */
static int put_quoted(str *out, const char *word, size_t len)
{
    int error = str_add(out, "'");

    for (size_t i = 0; i < len && !error; i++) {
        if (word[i] == '\\' && i + 1 < len)
            i++;
        error = word[i] == '\'' ? str_add(out, "'\\''") : str_append(out, word + i, 1);
    }
    return error ? error : str_add(out, "'");
}

/* Folders have a slash, and what has to be quoted is. */
static const char ask_files[] =
    "compgen -f -- %s | while IFS= read -r f; do printf -v q %%q \"$f\"; q=${q/#\\\\~/\\~}; "
    "[ -d \"${f/#\\~/$HOME}\" ] && q+=/; printf '%%s\\n' \"$q\"; done | sort -u";
static const char ask_commands[] = "{ compgen -c -- %s; compgen -d -S / -- %s; } | sort -u";
static const char ask_variables[] = "compgen -v -- %s | sort -u";

static int put_question(str *out, const char *kind, const str *word)
{
    int error = 0;

    for (const char *at = kind; *at && !error; at++) {
        if (*at != '%')
            error = str_append(out, at, 1);
        else if (*++at == 's')
            error = str_add_str(out, word);
        else
            error = str_append(out, at, 1);
    }
    return error;
}

static void add_lines(menu *out, const char *text, size_t len)
{
    str line = { 0 };

    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t size = end ? (size_t)(end - text) - at : len - at;
        str_clear(&line);
        if (size > 0 && str_append(&line, text + at, size) == 0)
            menu_add(out, line.data);
        at += size + 1;
    }
    str_free(&line);
}

static void ask(shown_session *s, menu *out, const str *question)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_result *result = NULL;
    size_t len;

    limits.wall_ms = MOST_MS;
    s->show.is_quiet = 1;
    int error = snug_session_run_aside(&result, s->session, question->data, question->len, &limits);
    s->show.is_quiet = 0;
    if (error)
        return;
    const char *found = snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    if (found && snug_result_status(result) == SNUG_STATUS_OK)
        add_lines(out, found, len);
    snug_result_free(result);
}

void bash_words(shown_session *s, menu *out, const char *text, size_t cursor)
{
    size_t begin = word_begin(text, cursor), variable = variable_begin(text, begin, cursor);
    const char *kind = is_command(text, begin) && !memchr(text + begin, '/', cursor - begin)
                           ? ask_commands
                           : ask_files;
    str word = { 0 }, question = { 0 };

    if (variable <= cursor) {
        begin = variable;
        kind = ask_variables;
    }
    if (put_quoted(&word, text + begin, cursor - begin) == 0 &&
        put_question(&question, kind, &word) == 0) {
        out->start = begin;
        ask(s, out, &question);
    }
    str_free(&word);
    str_free(&question);
}
