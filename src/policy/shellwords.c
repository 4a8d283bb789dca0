#include "policy/shellwords.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

typedef enum position {
    AT_COMMAND,  /* the next word is one */
    AT_ARGUMENT, /* it is not */
    AT_ANY,      /* each word of this command may be one */
} position;

static int is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return 1;
    return 0;
}

/* A command follows these. */
static int leads_to_command(const char *word)
{
    static const char *const words[] = { "if",    "then", "else", "elif", "do", "while",
                                         "until", "time", "!",    "{",    "}" };
    return is_one_of(word, words, sizeof words / sizeof *words);
}

/* A command may be among the words behind these. */
static int runs_others(const char *word)
{
    static const char *const words[] = { "command", "builtin", "exec",    "eval",     "env",
                                         "sudo",    "nohup",   "nice",    "setsid",   "timeout",
                                         "xargs",   "find",    "watch",   "parallel", "bash",
                                         "sh",      "trap",    "function" };
    return is_one_of(word, words, sizeof words / sizeof *words);
}

static int is_assignment(const char *word)
{
    size_t len = 0;

    if (is_digit(*word))
        return 0;
    while (is_word(word[len]))
        len++;
    return len > 0 && (word[len] == '=' || word[len] == '[' || strncmp(word + len, "+=", 2) == 0);
}

/* Appends the word at the beginning of text, without its quotes. Answers how much of the text it
 * is, or 0 where memory ran out. */
static size_t read_word(str *word, const char *text, size_t len)
{
    size_t at = 0;

    for (; at < len && text[at] && !strchr(" \t\r\n;&|()<>`", text[at]); at++) {
        if (text[at] == '\'' || text[at] == '"')
            continue;
        if (text[at] == '\\' && (++at == len || text[at] == '\n'))
            continue;
        if (str_append(word, text + at, 1))
            return 0;
    }
    return at < len ? at : len;
}

/* What follows a word that is at *p. is_told: it may be a command. */
static void pass_word(position *p, int *is_told, const char *word)
{
    *is_told = 0;
    if (*p == AT_COMMAND && !is_assignment(word) && !leads_to_command(word) && *word) {
        *p = runs_others(word) ? AT_ANY : AT_ARGUMENT;
        *is_told = 1;
    } else if (*p == AT_ANY) {
        *is_told = *word && *word != '-';
    }
}

/* "> file", "2>&1", "<<END": what follows cannot be a command, except after "<(". */
static size_t pass_redirection(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len && text[at] && strchr("<>&|-", text[at]))
        at++;
    while (at < len && is_blank(text[at]))
        at++;
    while (at < len && text[at] && !strchr(" \t\r\n;&|()<>`", text[at]))
        at++;
    return at;
}

int shellwords_commands(const char *text, size_t len, shellwords_fn found, void *payload)
{
    position p = AT_COMMAND;
    str word = { 0 };
    int error = 0, is_told;

    for (size_t at = 0, width; !error && at < len; at += width) {
        const char c = text[at];
        width = 1;
        if (c == '<' || c == '>' || (c == '&' && at + 1 < len && text[at + 1] == '>')) {
            width = pass_redirection(text + at, len - at);
        } else if (c && strchr("\n;&|()`", c)) {
            p = AT_COMMAND;
        } else if (c && !is_blank(c) && c != '\r') {
            str_clear(&word);
            width = read_word(&word, text + at, len - at);
            if (width == 0)
                error = SNUG_ENOMEM;
            else
                pass_word(&p, &is_told, str_text(&word));
            if (!error && is_told)
                error = found(payload, word.data, word.len, at);
        }
    }

    str_free(&word);
    return error;
}
