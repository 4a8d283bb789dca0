/*
 * theme.h - how styles look on a terminal. Pure.
 */
#ifndef SNUG_CLI_THEME_H
#define SNUG_CLI_THEME_H

#include "cli/editor/style.h"

typedef enum theme {
    THEME_NONE,   /* no colours; what is chosen is reversed */
    THEME_COLOURS /* that are seen on light and on dark backgrounds */
} theme;

/* The sequence that turns a style on, behind one that has turned all off; "": none. */
const char *theme_on(theme t, style s);

#endif
