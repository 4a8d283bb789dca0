#include "agent/text/shellcode.h"

#include <string.h>

#include <snug/snug.h>

#include "agent/text/blocks.h"

static int is_shell(const block *item)
{
    static const char *const marks[] = { "bash", "sh", "shell", "zsh", "shell-script", "console" };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (item->kind == BLOCK_OTHER && strcmp(item->mark, marks[i]) == 0)
            return 1;
    return 0;
}

/* A fence without a word counts: the program was asked for in bash. */
static int take_blocks(extracted *out, const blocks *b)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < b->count && !error; i++) {
        const block *item = &b->items[i];
        const int is_code = is_shell(item) || (item->kind == BLOCK_UNMARKED && !item->is_output);
        str *to = is_code ? &out->code : &out->other;
        if (is_code || item->kind == BLOCK_PYTHON)
            error = (to->len > 0 && str_add(to, "\n")) || str_add_str(to, &item->text) ||
                    str_add(to, "\n");
        out->is_complete &= item->is_closed;
    }
    return error;
}

int shellcode_extract(extracted *out, const char *text, size_t len)
{
    str plain = { 0 }, said = { 0 };
    blocks b = { 0 };

    *out = (extracted){ .is_complete = 1 };
    int error = blocks_normalize(&plain, text, len) ||
                blocks_without_thinking(&said, &out->is_complete, str_text(&plain), plain.len) ||
                blocks_read(&b, str_text(&said), said.len) || take_blocks(out, &b) ||
                str_add_str(&out->prose, &b.prose) || str_add(&out->language, "bash");

    blocks_free(&b);
    str_free(&plain);
    str_free(&said);
    blocks_trim(&out->code);
    blocks_trim(&out->prose);
    if (error)
        extracted_free(out);
    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* ---- beside a program in Python ---- */

int shellcode_of_blocks(str *out, const blocks *b)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < b->count && !error; i++)
        if (is_shell(&b->items[i]))
            error = str_add_str(out, &b->items[i].text);
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
