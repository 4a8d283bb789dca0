#include "cli/run/name_use.h"

#include <string.h>

#include "base/ascii.h"

/* Whether that word stands in front of what begins there. */
static int is_behind(const char *text, const char *at, const char *word)
{
    const size_t len = strlen(word);

    while (at > text && is_blank(at[-1]))
        at--;
    return (size_t)(at - text) >= len && !memcmp(at - len, word, len);
}

/* ".find = f": a server has another function then. */
static int is_stored(const char *at)
{
    while (*at == '.' || is_name(*at))
        at++;
    while (is_blank(*at))
        at++;
    return *at == '=' && at[1] != '=';
}

static int is_use(const char *text, const char *at, const char *behind)
{
    if (*behind == '.')
        return !is_behind(text, at, "import") && !is_stored(behind);
    return *behind == '(' && !is_behind(text, at, "def") && !is_behind(text, at, "class");
}

int name_may_be_bound(const char *text, const char *name, size_t len)
{
    char word[256];

    if (len >= sizeof word)
        return 1;
    memcpy(word, name, len);
    word[len] = '\0';
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += len) {
        const int begins = at == text || (!is_name(at[-1]) && at[-1] != '.');
        if (begins && !is_name(at[len]) && !is_use(text, at, at + len))
            return 1;
    }
    return 0;
}

int name_any_may_be_bound(const char *text)
{
    static const char *const words[] = { "import *", "exec(",  "globals(",
                                         "locals(",  "vars()", "%run " };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return 1;
    return 0;
}
