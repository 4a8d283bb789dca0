/*
 * theme.h - how styles look on a terminal. Pure.
 */
#ifndef SNUG_CLI_THEME_H
#define SNUG_CLI_THEME_H

#include "cli/editor/style.h"

typedef enum theme {
    THEME_NONE,  /* no colours; what is chosen is reversed */
    THEME_ANY,   /* of an unknown background: colours that are seen on both */
    THEME_LIGHT, /* dark text on a light background */
    THEME_DARK
} theme;

/* The sequence that turns a style on, behind one that has turned all off; "": none. */
const char *theme_on(theme t, style s);

/* The theme for a background, from an answer to OSC 11, "11;rgb:ffff/ffff/ffff"; THEME_ANY where it
 * says nothing. */
theme theme_of_answer(const char *answer);
/* The same from COLORFGBG, "15;0"; NULL is nothing. */
theme theme_of_variable(const char *value);

#endif
