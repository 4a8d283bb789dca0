#include "cli/run/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"

#include <snug/snug.h>

static int is_blank_text(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && is_space(text[at]) && text[at] != '\v')
        at++;
    return at == len;
}

int cell_list_add(cell_list *list, const char *source, size_t len)
{
    if (is_blank_text(source, len))
        return SNUG_OK;
    if (array_reserve(&list->items, &list->cap, list->count + 1, sizeof *list->items))
        return error_no_memory();

    char *copy = malloc(len + 1);
    if (!copy)
        return error_no_memory();

    memcpy(copy, source, len);
    copy[len] = '\0';
    unsigned number = list->count ? list->items[list->count - 1].number + 1 : 1;
    list->items[list->count++] = (cell){ copy, len, number, 1, 0 };
    return SNUG_OK;
}

void cell_list_free(cell_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].source);
    free(list->items);
    *list = (cell_list){ 0 };
}

/* One line: where it begins, its length without the line end, where the next begins. */
typedef struct line {
    const char *text;
    size_t len;
    size_t next;
} line;

static line line_at(const char *text, size_t len, size_t at)
{
    const char *end = memchr(text + at, '\n', len - at);
    size_t stop = end ? (size_t)(end - text) : len;
    size_t next = end ? stop + 1 : len;

    if (stop > at && text[stop - 1] == '\r')
        stop--;
    return (line){ text + at, stop - at, next };
}

/* "# %%", with a title behind it or without. */
static int is_cell_marker(const line *l)
{
    size_t at = 0;

    if (l->len == 0 || l->text[0] != '#')
        return 0;

    at++;
    while (at < l->len && is_blank(l->text[at]))
        at++;
    if (l->len - at < 2 || memcmp(l->text + at, "%%", 2) != 0)
        return 0;

    /* "# %%time" is a magic that jupytext has commented out. */
    at += 2;
    return at == l->len || strchr(" \t%[", l->text[at]);
}

static int is_text_marker(const line *marker)
{
    static const char *const kinds[] = { "[markdown]", "[md]", "[raw]" };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (memmem(marker->text, marker->len, kinds[i], strlen(kinds[i])))
            return 1;
    return 0;
}

/* ---- where a cell ends ---- */

typedef struct splitter {
    cell_list *list;
    const char *text;
    size_t len;
    size_t counted; /* up to where the lines are */
    unsigned lines;
} splitter;

static unsigned line_number(splitter *s, size_t at)
{
    const char *end;
    while ((end = memchr(s->text + s->counted, '\n', at - s->counted))) {
        s->counted = (size_t)(end - s->text) + 1;
        s->lines++;
    }
    return s->lines + 1;
}

/* Appends what lies between two markers without the blank lines around it. */
static int add_between(splitter *s, size_t from, size_t to)
{
    const char *text = s->text;

    while (from < to) {
        line l = line_at(text, to, from);
        if (!is_blank_text(l.text, l.len))
            break;
        from = l.next;
    }

    while (to > from && (text[to - 1] == '\n' || text[to - 1] == '\r'))
        to--;
    size_t count = s->list->count;
    int error = cell_list_add(s->list, text + from, to - from);
    if (s->list->count > count)
        s->list->items[count].line = line_number(s, from);
    return error;
}

int split_cells(cell_list *list, const char *text, size_t len)
{
    static const char bom[] = "\xef\xbb\xbf";
    splitter s = { .list = list, .text = text, .len = len };
    size_t at = len >= 3 && !memcmp(text, bom, 3) ? 3 : 0;
    size_t begin = at;
    int is_code = 1;
    int error = SNUG_OK;

    while (at < len && !error) {
        line l = line_at(text, len, at);
        if (is_cell_marker(&l)) {
            if (is_code)
                error = add_between(&s, begin, at);
            begin = l.next;
            is_code = !is_text_marker(&l);
            list->is_divided = 1;
        }
        at = l.next;
    }

    if (error || !is_code)
        return error;
    if (list->is_divided)
        return add_between(&s, begin, len);
    return cell_list_add(list, text, len);
}
