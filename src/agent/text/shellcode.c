#include "agent/text/shellcode.h"

#include <string.h>

#include <snug/snug.h>

#include "agent/text/blocks.h"
#include "agent/text/line.h"

static int is_shell(const block *item)
{
    static const char *const marks[] = { "bash", "sh", "shell", "zsh", "shell-script", "console" };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (item->kind == BLOCK_OTHER && strcmp(item->mark, marks[i]) == 0)
            return 1;
    return 0;
}

/* A fence without a word counts: the program was asked for in bash. */
static void take_blocks(extracted *out, const blocks *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const block *item = &b->items[i];
        const int is_code = is_shell(item) || item->kind == BLOCK_UNMARKED;
        str *to = is_code ? &out->code : &out->other;

        out->is_complete &= item->is_closed;
        if (!is_code && item->kind != BLOCK_PYTHON)
            continue;
        str_add(to, to->len > 0 ? "\n" : "");
        str_add_str(to, &item->text);
        str_add(to, "\n");
    }
}

int shellcode_extract(extracted *out, const char *text, size_t len)
{
    str plain = { 0 }, said = { 0 };
    blocks b = { 0 };

    *out = (extracted){ .is_complete = 1 };
    int error = blocks_normalize(&plain, text, len) ||
                blocks_without_thinking(&said, &out->is_complete, str_text(&plain), plain.len) ||
                blocks_read(&b, str_text(&said), said.len);

    take_blocks(out, &b);
    error = error || str_add_str(&out->prose, &b.prose) || str_add(&out->language, "bash") ||
            str_error(&out->code) || str_error(&out->other);
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
    for (size_t i = 0; i < b->count; i++)
        if (is_shell(&b->items[i]))
            str_add_str(out, &b->items[i].text);
    return str_error(out);
}

static int has(const line *l, const char *word)
{
    return memmem(l->text, l->len, word, strlen(word)) != NULL;
}

static int installs(const line *l)
{
    const int is_manager = has(l, "pip") || has(l, "conda") || has(l, "mamba") || has(l, "apt");
    return is_manager && (has(l, " install") || has(l, " update"));
}

int shellcode_only_installs(const char *text, size_t len)
{
    int does_install = 0;

    for (size_t at = 0; at < len;) {
        const line l = line_at(text, len, at);
        const size_t blanks = line_blanks(&l);

        at = l.next;
        if (blanks == l.len || l.text[blanks] == '#')
            continue;
        if (!installs(&l))
            return 0;
        does_install = 1;
    }
    return does_install;
}
