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
    int error = SNUG_OK, is_taken = 0;

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
            if (is_taken && out->code.len > 0)
                error = str_add(&out->code, "\n");
        } else if (closes) {
            open = (fence){ 0 };
        } else if (open.len > 0) {
            if (is_taken)
                error = add_code_line(&out->code, text, whole, open.indent);
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
