/*
 * style.h - what a piece of the screen is; theme.h has how that looks.
 */
#ifndef SNUG_CLI_STYLE_H
#define SNUG_CLI_STYLE_H

typedef enum style {
    STYLE_PLAIN,
    STYLE_KEYWORD,
    STYLE_NAMED, /* a name that is being defined, a decorator */
    STYLE_BUILTIN,
    STYLE_STRING,
    STYLE_NUMBER,
    STYLE_COMMENT,
    STYLE_BRACKET, /* one of a pair, beside the cursor */
    STYLE_STRAY,   /* a bracket that has none, a character that is not shown as it is */
    STYLE_PROMPT,
    STYLE_FOUND, /* by a search */
    STYLE_MENU,
    STYLE_CHOSEN, /* in the menu */
    STYLE_SIGNATURE,
    STYLE_MESSAGE,
    STYLE_COUNT
} style;

#endif
