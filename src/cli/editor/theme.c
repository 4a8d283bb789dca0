#include "cli/editor/theme.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

/* Of the sixteen colours, which each terminal has, and whose owner has chosen how they look. */
static const char *const looks[STYLE_COUNT][4] = {
    [STYLE_PLAIN] = { "", "", "", "" },
    [STYLE_KEYWORD] = { "", "\x1b[1;35m", "\x1b[35m", "\x1b[95m" },
    [STYLE_NAMED] = { "", "\x1b[1;34m", "\x1b[34m", "\x1b[94m" },
    [STYLE_BUILTIN] = { "", "\x1b[36m", "\x1b[36m", "\x1b[96m" },
    [STYLE_STRING] = { "", "\x1b[32m", "\x1b[32m", "\x1b[92m" },
    [STYLE_NUMBER] = { "", "\x1b[31m", "\x1b[31m", "\x1b[93m" },
    [STYLE_COMMENT] = { "", "\x1b[2m", "\x1b[90m", "\x1b[90m" },
    [STYLE_BRACKET] = { "", "\x1b[1;4m", "\x1b[1;4m", "\x1b[1;4m" },
    [STYLE_STRAY] = { "", "\x1b[1;31m", "\x1b[1;31m", "\x1b[1;91m" },
    [STYLE_PROMPT] = { "", "\x1b[32m", "\x1b[32m", "\x1b[32m" },
    [STYLE_FOUND] = { "\x1b[7m", "\x1b[7m", "\x1b[7m", "\x1b[7m" },
    [STYLE_MENU] = { "", "\x1b[36m", "\x1b[34m", "\x1b[36m" },
    [STYLE_CHOSEN] = { "\x1b[7m", "\x1b[7m", "\x1b[7m", "\x1b[7m" },
    [STYLE_SIGNATURE] = { "", "\x1b[36m", "\x1b[34m", "\x1b[96m" },
    [STYLE_MESSAGE] = { "", "\x1b[33m", "\x1b[35m", "\x1b[33m" },
};

const char *theme_on(theme t, style s)
{
    return looks[s][t];
}

/* 0 to 255 of "ff", "ffff" and other numbers of digits; -1: it is none. */
static int read_part(const char **at)
{
    int value = 0, digits = 0;

    for (; hex_value(**at) >= 0; ++*at, digits++)
        if (digits < 2)
            value = value * 16 + hex_value(**at);
    if (digits == 0 || digits > 4)
        return -1;
    return digits == 1 ? value * 17 : value;
}

theme theme_of_answer(const char *answer)
{
    const char *at = strstr(answer, "rgb");
    int parts[3];

    if (strncmp(answer, "11;", 3) != 0 || !at || !(at = strchr(at, ':')))
        return THEME_ANY;
    for (int i = 0; i < 3; i++) {
        at++;
        parts[i] = read_part(&at);
        if (parts[i] < 0 || (i < 2 && *at != '/'))
            return THEME_ANY;
    }

    /* How bright it is, by Rec. 601. */
    int bright = (parts[0] * 299 + parts[1] * 587 + parts[2] * 114) / 1000;
    return bright < 128 ? THEME_DARK : THEME_LIGHT;
}

theme theme_of_variable(const char *value)
{
    const char *last = value ? strrchr(value, ';') : NULL;
    char *end;

    if (!last || !is_digit(last[1]))
        return THEME_ANY;
    long number = strtol(last + 1, &end, 10);
    if (*end || number > 15)
        return THEME_ANY;
    return number == 7 || number == 15 ? THEME_LIGHT : THEME_DARK;
}
