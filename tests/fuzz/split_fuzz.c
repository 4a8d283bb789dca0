/* The cells are pieces of the text, in their order, and know their lines. Where no string spans
 * lines they hold every line between markers of code that is not blank, and no marker. Without a
 * marker the text is one cell. */
#include "fuzz.h"

#include <snug/snug.h>

#include "cli/run/split.h"

static int is_blank(input line)
{
    for (size_t i = 0; i < line.left; i++)
        if (!line.at[i] || !strchr(" \t\r\n\f", line.at[i]))
            return 0;
    return 1;
}

/* Without its line end, LF or CRLF. */
static input take_line(input *in)
{
    input line = take_until(in, "\n");
    line.left -= line.left && line.at[line.left - 1] == '\r';
    return line;
}

/* More carriage returns at the end of a cell are gone. */
static int is_same(input a, input b)
{
    while (a.left && a.at[a.left - 1] == '\r')
        a.left--;
    while (b.left && b.at[b.left - 1] == '\r')
        b.left--;
    return a.left == b.left && !memcmp(a.at, b.at, a.left);
}

/* 1: of code, 2: of text; 0: none. */
static int marker(input line)
{
    char *text = copy_of(line.at, line.left);
    int kind = 0;
    /* "#", blanks, "%%", and then a blank, "[", "%" or nothing. */
    if (text[0] == '#') {
        size_t at = 1 + strspn(text + 1, " \t");
        if (!strncmp(text + at, "%%", 2) && (!text[at + 2] || strchr(" \t%[", text[at + 2])))
            kind = 1;
    }
    if (kind && (memmem(text, line.left, "[markdown]", 10) || memmem(text, line.left, "[md]", 4) ||
                 memmem(text, line.left, "[raw]", 5)))
        kind = 2;
    free(text);
    return kind;
}

/* The next line of the cells that is not blank; at is within cell n. */
static input next_line(const cell_list *cells, size_t *n, input *at)
{
    for (;;) {
        while (at->left) {
            input line = take_line(at);
            if (!is_blank(line))
                return line;
        }
        if (*n == cells->count)
            return (input){ NULL, 0 };
        *at = (input){ cells->items[*n].source, cells->items[*n].len };
        ++*n;
    }
}

static void check_lines(const cell_list *cells, input text)
{
    input at = { NULL, 0 };
    size_t n = 0;
    int kind = 1;
    while (text.left) {
        input line = take_line(&text);
        int found = marker(line);
        if (found)
            kind = found;
        if (found || kind == 2 || is_blank(line))
            continue;
        input ours = next_line(cells, &n, &at);
        HOLDS(ours.at && is_same(ours, line));
    }
    HOLDS(!next_line(cells, &n, &at).at);
}

static int has_marker(input text)
{
    int found = 0;
    while (text.left && !found)
        found = marker(take_line(&text));
    return found;
}

static int may_span_lines(input text)
{
    return memmem(text.at, text.left, "'''", 3) || memmem(text.at, text.left, "\"\"\"", 3) ||
           memmem(text.at, text.left, "\\\n", 2) || memmem(text.at, text.left, "\\\r\n", 3);
}

static int begins_with(input text, const cell *c)
{
    return c->len <= text.left && !memcmp(text.at, c->source, c->len);
}

/* The cell is what begins with its line, or behind the byte order mark. */
static void check_place(const cell *c, input text)
{
    for (unsigned line = 1; line < c->line; line++) {
        HOLDS(text.left);
        take_until(&text, "\n");
    }
    HOLDS(begins_with(text, c) || (c->line == 1 && text.left >= 3 &&
                                   begins_with((input){ text.at + 3, text.left - 3 }, c)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char bom[] = "\xef\xbb\xbf";
    cell_list cells = { 0 };
    input whole = input_of(data, size), text = whole;
    if (text.left >= 3 && !memcmp(text.at, bom, 3))
        text = (input){ text.at + 3, text.left - 3 };
    HOLDS(split_cells(&cells, whole.at, whole.left) == SNUG_OK);
    input left = whole;
    for (size_t i = 0; i < cells.count; i++) {
        const cell *c = &cells.items[i];
        HOLDS(c->number == i + 1 && c->source[c->len] == '\0');
        HOLDS(!is_blank((input){ c->source, c->len }));
        check_place(c, whole);
        const char *place = memmem(left.at, left.left, c->source, c->len);
        HOLDS(place);
        left.left -= (size_t)(place - left.at) + c->len;
        left.at = place + c->len;
    }
    if (!has_marker(text))
        HOLDS(is_blank(whole) ? !cells.count
                              : cells.count == 1 && cells.items[0].len == whole.left);
    else if (!may_span_lines(text))
        check_lines(&cells, text);
    cell_list_free(&cells);
    return 0;
}
