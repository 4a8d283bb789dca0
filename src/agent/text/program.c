#include "agent/text/program.h"

#include <snug/snug.h>

#include <stdint.h>
#include <string.h>

#include "agent/text/blocks.h"
#include "agent/text/line.h"
#include "agent/text/pylex.h"

/* What all lines have in front, but for blank ones and those within strings. */
static size_t common_indentation(const char *text, size_t len)
{
    size_t least = SIZE_MAX;
    pylex lex = { 0 };

    for (size_t at = 0; at < len && least > 0;) {
        line l = line_at(text, len, at);
        size_t blanks = line_blanks(&l);
        if (!lex.quote && blanks < l.len && blanks < least)
            least = blanks;
        while (at < l.next)
            at = pylex_step(&lex, text, len, at);
    }

    return least == SIZE_MAX ? 0 : least;
}

static void dedent(str *out, const char *text, size_t len)
{
    size_t indent = common_indentation(text, len);

    for (size_t at = 0; at < len;) {
        line l = line_at(text, len, at);
        size_t blanks = line_blanks(&l), off = blanks < indent ? blanks : indent;
        str_append(out, l.text + off, l.len - off);
        str_add(out, "\n");
        at = l.next;
    }
}

/* Behind the prompt of Python; 0: the line has none. */
static size_t past_prompt(const line *l, int is_first)
{
    static const char *const prompts[] = { ">>> ", "... " };

    for (size_t i = 0; i < (is_first ? 1 : 2); i++) {
        if (l->len >= 4 && memcmp(l->text, prompts[i], 4) == 0)
            return 4;
        if (l->len == 3 && memcmp(l->text, prompts[i], 3) == 0)
            return 3;
    }
    return 0;
}

/* No line of a program begins with a prompt. A transcript's first line does, and its lines without
 * one are output. */
static void remove_prompts(str *out, const char *text, size_t len)
{
    int is_transcript = 0;

    for (size_t at = 0, first = 1; at < len;) {
        line l = line_at(text, len, at);
        at = l.next;
        if (first && line_blanks(&l) == l.len)
            continue;
        size_t prompt = first || is_transcript ? past_prompt(&l, (int)first) : 0;
        is_transcript |= first && prompt;
        first = 0;
        if (is_transcript && !prompt)
            continue;
        str_append(out, l.text + prompt, l.len - prompt);
        str_add(out, "\n");
    }
}

int program_of(str *out, const char *text, size_t len)
{
    str plain = { 0 }, code = { 0 };

    dedent(&plain, text, len);
    remove_prompts(&code, str_text(&plain), plain.len);
    str_free(&plain);
    dedent(&plain, str_text(&code), code.len);
    blocks_trim(&plain);

    int error = str_error(&code) ? SNUG_ENOMEM : str_add_str(out, &plain);
    str_free(&plain);
    str_free(&code);
    return error;
}

size_t program_lead(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && strchr(" \t\n", text[at]) && text[at])
        at++;

    line first = line_at(text, len, at);
    if (first.next == at + first.len)
        return 0;
    while (first.len && strchr(" \t*_", first.text[first.len - 1])) /* "**Code:**" */
        first.len--;

    int is_lead = first.len == 6 && memcmp(first.text, "python", 6) == 0;
    is_lead |=
        first.len && first.text[first.len - 1] == ':' && !pylex_is_python(first.text, first.len);
    return is_lead ? first.next : 0;
}
