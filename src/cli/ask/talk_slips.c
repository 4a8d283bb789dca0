#include "cli/ask/talk_slips.h"

#include <string.h>

#include "base/ascii.h"
#include "cli/program/option_table.h"
#include "cli/program/settings.h"

static const char all_the_same[] = "; a blank before it makes it a question";

/* What there is at the prompt in the place of an option. */
static const struct {
    const char *names, *instead;
} instead[] = {
    { " help h ? ", "/help lists what there is here" },
    { " model m evaluation-model repair-model ", "/model NAME asks another model" },
    { " input i csv file files f excel xlsx json-file attach add ",
      "a file that a question names is read" },
    { " save export out o output ", "/save FILE saves the conversation" },
    { " quit exit q ", "/quit leaves" },
    { " reset clear new ", "/reset begins again" },
    { " cost usage tokens ", "/cost says what was used" },
};

static const char *find_instead(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++)
        for (const char *at = instead[i].names; *at; at += strcspn(at + 1, " ") + 1)
            if (at[1] && strncmp(at + 1, name, len) == 0 && at[1 + len] == ' ')
                return instead[i].instead;
    return NULL;
}

/* "max_attempts" and "max-attempts" are the option --max-attempts. */
static int is_option(const char *name, size_t len)
{
    char option[64] = "--";

    if (len == 0 || len > sizeof option - 3)
        return 0;
    for (size_t i = 0; i < len; i++)
        option[2 + i] = name[i] == '_' ? '-' : name[i];
    return option_find(option, len + 2) != NULL;
}

static int is_key(const char *name, size_t len)
{
    char key[96] = "";

    if (len == 0 || len >= sizeof key)
        return 0;
    memcpy(key, name, len);
    return settings_has_key(key);
}

static size_t word_end(const char *text, const char *also)
{
    size_t end = 0;
    while (is_word(text[end]) || (text[end] && strchr(also, text[end])))
        end++;
    return end;
}

/* ---- what lines look like ---- */

/* "--csv sales.csv", "-v", and not "-5 + 3" or "- one". */
static int find_option(str *out, const char *text)
{
    const size_t dashes = strspn(text, "-");
    const char *name = text + dashes;
    const size_t len = word_end(name, "-");

    if (dashes < 1 || dashes > 2 || !is_letter(*name) ||
        (name[len] && !is_space(name[len]) && name[len] != '='))
        return 0;
    const char *what = find_instead(name, len);
    str_printf(out, "\"%.*s\" looks like an option, which stands behind \"snug ask\"",
               (int)(dashes + len), text);
    if (what)
        str_printf(out, "; here %s", what);
    str_add(out, all_the_same);
    return 1;
}

/* "[ask]" */
static int find_section(str *out, const char *text)
{
    const size_t len = *text == '[' ? word_end(text + 1, ".-") : 0;

    if (len == 0 || text[len + 1] != ']' || text[len + 2 + strspn(text + len + 2, " \t")])
        return 0;
    str_printf(
        out, "\"%.*s\" looks like a section of a configuration, whose file is named by --config%s",
        (int)len + 2, text, all_the_same);
    return 1;
}

/* "model = x", "timeout: 5" */
static int find_setting(str *out, const char *text)
{
    const size_t len = word_end(text, ".-");
    const char *mark = text + len + strspn(text + len, " \t");
    const char *value = mark + 1 + strspn(*mark ? mark + 1 : mark, " \t");

    if (len == 0 || (*mark != '=' && *mark != ':') || mark[1] == '=')
        return 0;
    if (!*value || value[strcspn(value, " \t\n")] || (!is_option(text, len) && !is_key(text, len)))
        return 0;
    const char *what = find_instead(text, len);
    str_printf(out, "\"%s\" looks like a setting, which stands behind \"snug ask\"", text);
    if (what)
        str_printf(out, "; here %s", what);
    str_add(out, all_the_same);
    return 1;
}

/* "snug ask ..." */
static int find_command(str *out, const char *text)
{
    static const char command[] = "snug ask";
    const size_t len = sizeof command - 1;

    if (strncmp(text, command, len) != 0 || (text[len] && !is_space(text[len])))
        return 0;
    str_printf(out, "this is the prompt of snug ask already: the question alone is enough%s",
               all_the_same);
    return 1;
}

int slip_find(str *out, const char *text)
{
    return find_option(out, text) || find_section(out, text) || find_command(out, text) ||
           find_setting(out, text);
}
