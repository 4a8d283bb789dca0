#include "cli/editor/menu.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/terminal/columns.h"

void menu_add(menu *m, const char *item)
{
    for (const char *c = item; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return;
    if (m->count == MENU_MOST) {
        m->left_out++;
        return;
    }

    if (m->count == m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 32;
        char **bigger = realloc(m->items, cap * sizeof *bigger);
        if (!bigger)
            return;
        m->items = bigger;
        m->cap = cap;
    }

    char *copy = strdup(item);
    if (copy)
        m->items[m->count++] = copy;
}

size_t menu_common(const menu *m)
{
    if (m->count == 0)
        return 0;

    const char *first = m->items[0];
    size_t len = strlen(first);
    for (size_t i = 1; i < m->count; i++) {
        size_t same = 0;
        while (same < len && m->items[i][same] == first[same])
            same++;
        len = utf8_floor(first, len, same);
    }

    return len;
}

menu_grid menu_lay_out(const menu *m, size_t columns)
{
    menu_grid grid = { .width = 1 };

    for (size_t i = 0; i < m->count; i++) {
        size_t width = columns_of(m->items[i], strlen(m->items[i]));
        grid.width = width > grid.width ? width : grid.width;
    }

    if (grid.width + 2 > columns)
        grid.width = columns > 2 ? columns - 2 : 1;
    grid.columns = columns / (grid.width + 2);
    grid.columns = grid.columns ? grid.columns : 1;
    grid.rows = (m->count + grid.columns - 1) / grid.columns;
    return grid;
}

void menu_move(menu *m, int step)
{
    long count = (long)m->count;

    if (count == 0)
        return;
    if (m->chosen == MENU_NONE)
        m->chosen = step > 0 ? 0 : count - 1;
    else
        m->chosen = (m->chosen + step + count) % count;
}

void menu_move_columns(menu *m, size_t columns, int step)
{
    long rows = (long)menu_lay_out(m, columns).rows, count = (long)m->count;

    if (m->chosen == MENU_NONE) {
        menu_move(m, step);
        return;
    }

    long next = m->chosen + step * rows;
    if (next >= 0 && next < count)
        m->chosen = next;
}

void menu_clear(menu *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->items[i]);
    m->count = m->left_out = 0;
    m->chosen = MENU_NONE;
}

void menu_free(menu *m)
{
    menu_clear(m);
    free(m->items);
    *m = (menu){ .chosen = MENU_NONE };
}
