#include "base/excerpt.h"

#include <snug/snug.h>

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "base/wide.h"

/* Characters that are shown before the column and behind it. */
enum { BEFORE = 80, BEHIND = 60 };

/* Where the character after count others begins. */
static size_t offset_of(const char *text, size_t len, size_t count)
{
    size_t at = 0;
    while (count-- > 0 && at < len)
        at = utf8_ceil(text, len, at + 1);
    return at;
}

/* Of one character of valid UTF-8. */
static uint32_t code_of(const char *text, size_t len)
{
    const unsigned char *c = (const unsigned char *)text;
    uint32_t code = len > 1 ? *c & (0xffu >> (len + 1)) : *c;
    for (size_t i = 1; i < len; i++)
        code = code << 6 | (c[i] & 0x3fu);
    return code;
}

/* What takes as much room as the text: tabs stay tabs. */
static int add_room(str *out, const char *text, size_t len)
{
    int error = SNUG_OK;

    for (size_t at = 0, next; at < len && !error; at = next) {
        next = utf8_ceil(text, len, at + 1);
        if (text[at] == '\t')
            error = str_add(out, "\t");
        else if (wide_is(code_of(text + at, next - at)))
            error = str_add(out, "  ");
        else
            error = str_add(out, " ");
    }

    return error;
}

/* The line as it can be shown. */
static int copy_line(str *out, const char *line, size_t len)
{
    if (str_append(out, line, len))
        return SNUG_ENOMEM;

    utf8_mend(out->data, out->len);
    for (size_t i = 0; i < out->len; i++)
        if (((unsigned char)out->data[i] < ' ' && out->data[i] != '\t') || out->data[i] == 0x7f)
            out->data[i] = ' ';
    return SNUG_OK;
}

static int add_window(str *out, const str *line, unsigned column)
{
    const size_t place = column > 0 ? column - 1 : 0;
    const char *text = str_text(line);
    size_t from = offset_of(text, line->len, place > BEFORE ? place - BEFORE : 0);
    size_t caret = from + offset_of(text + from, line->len - from, place > BEFORE ? BEFORE : place);
    size_t to = caret + offset_of(text + caret, line->len - caret, BEHIND);
    const char *before = from > 0 ? "..." : "", *behind = to < line->len ? "..." : "";

    if (str_add(out, before) || str_append(out, text + from, to - from) || str_add(out, behind))
        return SNUG_ENOMEM;
    if (column == 0)
        return SNUG_OK;
    if (str_add(out, "\n") || add_room(out, before, strlen(before)) ||
        add_room(out, text + from, caret - from))
        return SNUG_ENOMEM;
    return str_add(out, "^");
}

int excerpt_add(str *out, const char *line, size_t len, unsigned column)
{
    str shown = { 0 };
    int error = copy_line(&shown, line, len);

    if (!error)
        error = add_window(out, &shown, column);
    str_free(&shown);
    return error;
}
