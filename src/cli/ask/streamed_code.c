#include "cli/ask/streamed_code.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"

enum { LEAST_FENCE = 3, MOST_BYTES = 256 * 1024 /* of what is kept: past it nothing is shown */ };

/* How many backticks a line begins with. */
static size_t backticks(const char *text, size_t len)
{
    size_t count = 0;
    while (count < len && text[count] == '`')
        count++;
    return count;
}

static const struct {
    const char *word;
    code_language language;
} words[] = {
    { "", CODE_PYTHON },    { "python", CODE_PYTHON }, { "python3", CODE_PYTHON },
    { "py", CODE_PYTHON },  { "bash", CODE_BASH },     { "sh", CODE_BASH },
    { "shell", CODE_BASH }, { "zsh", CODE_BASH },
};

/* What stands behind the backticks of a fence. */
static void open_fence(streamed_code *s, const char *text, size_t len)
{
    size_t word = 0;

    while (word < len && is_word(text[word]))
        word++;
    s->is_code = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == word && strncasecmp(words[i].word, text, word) == 0) {
            s->is_code = 1;
            s->language = words[i].language;
        }
}

static void take_line(streamed_code *s)
{
    const char *text = str_text(&s->line);
    size_t len = s->line.len;

    if (len > 0 && text[len - 1] == '\r')
        len--;
    const size_t ticks = backticks(text, len);
    if (s->fence == 0 && ticks >= LEAST_FENCE) {
        open_fence(s, text + ticks, len - ticks);
        s->fence = ticks;
    } else if (s->fence > 0 && ticks >= s->fence && ticks == len) {
        s->fence = 0;
    } else if (s->fence > 0 && s->is_code && s->code.len < MOST_BYTES) {
        str_append(&s->code, text, len);
        str_add(&s->code, "\n");
    }
    str_clear(&s->line);
}

size_t streamed_code_take(streamed_code *s, const char *text, size_t len)
{
    const size_t before = s->code.len;

    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        const size_t piece = end ? (size_t)(end - text) : len;
        if (s->line.len < MOST_BYTES)
            str_append(&s->line, text, piece);
        if (end)
            take_line(s);
        text += piece + (end != NULL);
        len -= piece + (end != NULL);
    }
    return s->code.len - before;
}

size_t streamed_code_end(streamed_code *s)
{
    const size_t before = s->code.len;

    if (s->line.len > 0)
        take_line(s);
    return s->code.len - before;
}

int streamed_code_is(const streamed_code *s, const char *code, size_t len)
{
    const char *own = str_text(&s->code);
    size_t own_len = s->code.len;

    while (len > 0 && is_space(code[len - 1]))
        len--;
    while (own_len > 0 && is_space(own[own_len - 1]))
        own_len--;
    return own_len == len && memcmp(own, code, len) == 0;
}

void streamed_code_clear(streamed_code *s)
{
    str_clear(&s->line);
    str_clear(&s->code);
    s->fence = 0;
    s->language = CODE_PYTHON;
}

void streamed_code_free(streamed_code *s)
{
    str_free(&s->line);
    str_free(&s->code);
}
