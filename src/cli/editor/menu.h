/*
 * menu.h - what could stand at a place, to choose from. Pure.
 */
#ifndef SNUG_CLI_MENU_H
#define SNUG_CLI_MENU_H

#include <stddef.h>

enum { MENU_MOST = 1000, MENU_NONE = -1 };

typedef struct menu {
    char **items;
    size_t count, cap;
    size_t left_out; /* past MENU_MOST */
    size_t start;    /* the byte of the text that they replace from */
    long chosen;     /* MENU_NONE: nothing is */
} menu;

/* What has control characters in it is not added. */
void menu_add(menu *m, const char *item);
/* How many bytes all of them begin with. */
size_t menu_common(const menu *m);
/* How wide a column is, how many there are on a screen of that width, and the rows of all. */
typedef struct menu_grid {
    size_t width, columns, rows;
} menu_grid;
menu_grid menu_lay_out(const menu *m, size_t columns);
/* Item by item, around the end; or by columns of the grid, whose items stand below each other. */
void menu_move(menu *m, int step);
void menu_move_columns(menu *m, size_t columns, int step);
void menu_clear(menu *m);
void menu_free(menu *m);

#endif
