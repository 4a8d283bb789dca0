#include "agent/text/fences.h"

#include <snug/snug.h>

#include <string.h>

#include "agent/text/line.h"
#include "agent/text/pylex.h"
#include "base/ascii.h"

static size_t trimmed_len(const line *l)
{
    size_t len = l->len;
    while (len > 0 && is_blank(l->text[len - 1]))
        len--;
    return len;
}

static int is_line(const line *l, const char *text)
{
    const size_t len = strlen(text);
    return trimmed_len(l) == len && memcmp(l->text, text, len) == 0;
}

/* ---- "> ```python" ---- */

/* Behind the mark of a quotation; 0: the line is none. */
static size_t past_quote_mark(const line *l)
{
    if (l->len == 0 || l->text[0] != '>')
        return 0;
    return l->len > 1 && l->text[1] == ' ' ? 2 : 1;
}

static int has_quoted_fence(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const line l = line_at(text, len, at);
        const size_t mark = past_quote_mark(&l);
        if (mark > 0 && l.len - mark >= 3 && memcmp(l.text + mark, "```", 3) == 0)
            return 1;
        at = l.next;
    }
    return 0;
}

static int add_unquoted(str *out, const char *text, size_t len)
{
    int error = SNUG_OK;

    for (size_t at = 0; at < len && !error;) {
        const line l = line_at(text, len, at);
        const size_t mark = past_quote_mark(&l);
        error = str_append(out, l.text + mark, l.next - at - mark);
        at = l.next;
    }

    return error;
}

/* ---- "'''python" ---- */

static const char *const quotes[] = { "'''", "\"\"\"" };

/* The quotes that the line has in the place of a fence; NULL: it has none. */
static const char *opening_quotes(const line *l)
{
    static const char *const words[] = { "python", "python3", "py" };

    for (size_t q = 0; q < sizeof quotes / sizeof *quotes; q++) {
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            const line rest = { l->text + 3, l->len > 3 ? l->len - 3 : 0, l->next };
            if (l->len > 3 && memcmp(l->text, quotes[q], 3) == 0 && is_line(&rest, words[w]))
                return quotes[q];
        }
    }
    return NULL;
}

static size_t count_of_quotes(const char *text, size_t len, const char *mark)
{
    size_t count = 0;
    for (const char *at = text; (at = memmem(at, len - (size_t)(at - text), mark, 3)); at += 3)
        count++;
    return count;
}

/* Where the line stands that has the quotes alone, and is not the end of a string of the code that
 * begins at `at`; len: there is none. */
static size_t closing_quotes(const char *text, size_t len, size_t at, const char *mark)
{
    size_t count = 0;

    for (size_t end = at; end < len;) {
        const line l = line_at(text, len, end);
        if (count % 2 == 0 && is_line(&l, mark))
            return end;
        count += count_of_quotes(l.text, l.len, mark);
        end = l.next;
    }

    return len;
}

/* Of quotes that are not closed, more are read to the end of the text in vain. */
enum { MOST_VAIN = 4 };

static int add_with_fences(str *out, const char *text, size_t len, int *is_mended)
{
    int error = SNUG_OK, vain = 0;

    for (size_t at = 0; at < len && !error;) {
        const line l = line_at(text, len, at);
        const char *mark = vain < MOST_VAIN ? opening_quotes(&l) : NULL;
        const size_t end = mark ? closing_quotes(text, len, l.next, mark) : len;
        if (end == len) {
            vain += mark != NULL;
            error = str_append(out, l.text, l.next - at);
            at = l.next;
            continue;
        }

        *is_mended = 1;
        error = str_add(out, "```python\n");
        if (!error)
            error = str_append(out, text + l.next, end - l.next);
        if (!error)
            error = str_add(out, "```\n");
        at = line_at(text, len, end).next;
    }

    return error;
}

/* ---- all ---- */

/* "`print(1)`" */
static int add_without_backticks(str *out, const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\n", text[len - 1]) && text[len - 1])
        len--;
    while (len > 0 && strchr(" \t\n", *text) && *text) {
        text++;
        len--;
    }

    if (len < 3 || text[0] != '`' || text[len - 1] != '`' || memchr(text + 1, '`', len - 2) ||
        !pylex_is_python(text + 1, len - 2))
        return SNUG_OK;
    return str_append(out, text + 1, len - 2);
}

int fences_mend(str *out, const char *text, size_t len)
{
    int is_mended = 0;

    int error = add_with_fences(out, text, len, &is_mended);
    if (error || is_mended)
        return error;

    str_clear(out);
    /* A program that writes such a text is one already. */
    if (pylex_is_python(text, len))
        return SNUG_OK;
    if (has_quoted_fence(text, len))
        return add_unquoted(out, text, len);
    return add_without_backticks(out, text, len);
}
