#include "cli/editor/theme.h"

/* Of the sixteen colours, which each terminal has, and whose owner has chosen how they look. */
static const char *const looks[STYLE_COUNT][2] = {
    [STYLE_PLAIN] = { "", "" },
    [STYLE_KEYWORD] = { "", "\x1b[1;35m" },
    [STYLE_NAMED] = { "", "\x1b[1;34m" },
    [STYLE_BUILTIN] = { "", "\x1b[36m" },
    [STYLE_STRING] = { "", "\x1b[32m" },
    [STYLE_NUMBER] = { "", "\x1b[31m" },
    [STYLE_COMMENT] = { "", "\x1b[2m" },
    [STYLE_BRACKET] = { "", "\x1b[1;4m" },
    [STYLE_STRAY] = { "", "\x1b[1;31m" },
    [STYLE_PROMPT] = { "", "\x1b[32m" },
    [STYLE_FOUND] = { "\x1b[7m", "\x1b[7m" },
    [STYLE_MENU] = { "", "\x1b[36m" },
    [STYLE_CHOSEN] = { "\x1b[7m", "\x1b[7m" },
    [STYLE_SIGNATURE] = { "", "\x1b[36m" },
    [STYLE_MESSAGE] = { "", "\x1b[33m" },
};

const char *theme_on(theme t, style s)
{
    return looks[s][t];
}
