#include "agent/text/shellcode.h"

#include <string.h>

#include <snug/snug.h>

#include "agent/text/blocks.h"

typedef struct fence {
    size_t indent, len; /* len 0: the line is not one */
    char mark;
    const char *word;
    size_t word_len;
} fence;

static fence read_fence(const char *line, size_t len)
{
    fence f = { 0 };

    while (f.indent < len && (line[f.indent] == ' ' || line[f.indent] == '\t'))
        f.indent++;
    const char *at = line + f.indent, *end = line + len;
    f.mark = at < end ? *at : '\0';
    while (at + f.len < end && at[f.len] == f.mark)
        f.len++;
    if (f.len < 3 || (f.mark != '`' && f.mark != '~'))
        return (fence){ 0 };

    at += f.len;
    while (at < end && *at == ' ')
        at++;
    f.word = at;
    while (at < end && !strchr(" \t\r{", *at))
        at++;
    f.word_len = (size_t)(at - f.word);
    return f;
}

/* A fence without a word counts: the program was asked for in bash. */
static int is_shell_fence(const fence *f)
{
    static const char *const words[] = { "", "bash", "sh", "shell", "zsh", "Bash", "shell-script" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == f->word_len && memcmp(words[i], f->word, f->word_len) == 0)
            return 1;
    return 0;
}

static int is_python_fence(const fence *f)
{
    static const char *const words[] = { "python", "py", "python3" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == f->word_len && memcmp(words[i], f->word, f->word_len) == 0)
            return 1;
    return 0;
}

static int add_code_line(str *out, const char *line, size_t len, size_t indent)
{
    size_t cut = 0;
    while (cut < indent && cut < len && (line[cut] == ' ' || line[cut] == '\t'))
        cut++;
    return str_append(out, line + cut, len - cut);
}

int shellcode_extract(extracted *out, const char *text, size_t len)
{
    fence open = { 0 };
    int error = SNUG_OK, is_taken = 0, is_other = 0;

    *out = (extracted){ .is_complete = 1 };
    for (const char *end = text + len; !error && text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t width = stop ? (size_t)(stop - text) : (size_t)(end - text);
        const size_t whole = stop ? width + 1 : width;
        fence f = read_fence(text, width);
        int closes = open.len > 0 && f.mark == open.mark && f.len >= open.len && f.word_len == 0;
        if (open.len == 0 && f.len > 0) {
            open = f;
            is_taken = is_shell_fence(&f);
            is_other = is_python_fence(&f);
            if (is_taken && out->code.len > 0)
                error = str_add(&out->code, "\n");
        } else if (closes) {
            open = (fence){ 0 };
        } else if (open.len > 0) {
            if (is_taken)
                error = add_code_line(&out->code, text, whole, open.indent);
            else if (is_other)
                error = add_code_line(&out->other, text, whole, open.indent);
        } else {
            error = str_append(&out->prose, text, whole);
        }
        text += whole;
    }

    out->is_complete = open.len == 0;
    blocks_trim(&out->code);
    blocks_trim(&out->prose);
    if (!error)
        error = str_add(&out->language, "bash");
    if (error)
        extracted_free(out);
    return error;
}

/* ---- beside a program in Python ---- */

int shellcode_of_blocks(str *out, const blocks *b)
{
    static const char *const marks[] = { "bash", "sh", "shell", "zsh", "shell-script", "console" };
    int error = SNUG_OK;

    for (size_t i = 0; i < b->count && !error; i++) {
        const block *item = &b->items[i];
        for (size_t k = 0; k < sizeof marks / sizeof *marks && !error; k++)
            if (item->kind == BLOCK_OTHER && strcmp(item->mark, marks[k]) == 0)
                error = str_add_str(out, &item->text);
    }

    return error;
}

static size_t skip_blanks(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && strchr(" \t\r", text[at]) && text[at])
        at++;
    return at;
}

/* Behind the words, if the text begins with them; else 0. Blanks between words may be any. */
static size_t past_words(const char *text, size_t len, const char *words)
{
    size_t at = 0;

    while (*words) {
        const size_t width = strcspn(words, " ");
        if (len - at < width || memcmp(text + at, words, width) != 0)
            return 0;
        at += width;
        words += width + (words[width] == ' ');
        const size_t blanks = skip_blanks(text + at, len - at);
        if (blanks == 0 && at < len)
            return 0;
        at += blanks;
    }

    return at;
}

/* One command, with "$ " or "sudo " in front or not. */
static int installs(const char *text, size_t len)
{
    static const char *const fronts[] = { "$", "%", "sudo" };
    static const char *const commands[] = {
        "pip install",     "pip3 install",      "python -m pip install", "python3 -m pip install",
        "uv pip install",  "conda install",     "mamba install",         "apt install",
        "apt-get install", "apt -y install",    "apt-get -y install",    "apt update",
        "apt-get update",  "apt-get -qq update"
    };
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        const size_t front = past_words(text, len, fronts[i]);
        text += front;
        len -= front;
    }

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (past_words(text, len, commands[i]) > 0)
            return 1;
    return 0;
}

int shellcode_only_installs(const char *text, size_t len)
{
    int does_install = 0;

    for (const char *end = text + len; text < end;) {
        size_t width = 0;
        while (text + width < end && !strchr("\n;&", text[width]))
            width++;
        const size_t blanks = skip_blanks(text, width);
        const char *command = text + blanks;
        if (width > blanks && *command == '#') {
            const char *stop = memchr(command, '\n', (size_t)(end - command));
            text = stop ? stop : end;
            continue;
        }
        if (width > blanks && !installs(command, width - blanks))
            return 0;
        does_install |= width > blanks;
        text += width + (text + width < end);
    }

    return does_install;
}
