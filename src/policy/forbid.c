#include "policy/forbid.h"

#include <snug/snug.h>

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"

typedef struct forbid_pattern {
    char *text;
    int is_regex;
    regex_t regex;
} forbid_pattern;

struct forbid_list {
    forbid_pattern *items;
    size_t count;
};

void forbid_close(forbid_list *list)
{
    if (!list)
        return;

    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].text);
        if (list->items[i].is_regex)
            regfree(&list->items[i].regex);
    }
    free(list->items);
    free(list);
}

/* ---- reading ---- */

/* Of modules and functions of Python, and of commands: "apt-get", "g++". */
static int is_pattern_name(const char *text)
{
    if (!is_name(*text) || is_digit(*text))
        return 0;
    for (const char *at = text; *at; at++)
        if (!is_name(*at) && !strchr(".-+", *at))
            return 0;
    return text[strlen(text) - 1] != '.' && !strstr(text, "..");
}

static int read_regex(forbid_pattern *out, const char *text, size_t len)
{
    char why[128];
    char *source = strndup(text + 1, len - 2);
    if (!source)
        return error_no_memory();

    int fault = regcomp(&out->regex, source, REG_EXTENDED);
    free(source);
    if (fault == 0) {
        out->is_regex = 1;
        return SNUG_OK;
    }

    regerror(fault, &out->regex, why, sizeof why);
    return error_set(SNUG_EINVAL,
                     "the pattern \"%.200s\" to forbid is not a regular expression: %s", text, why);
}

static int read_pattern(forbid_pattern *out, const char *text)
{
    const size_t len = strlen(text);
    int error = SNUG_OK;

    if (len > 2 && text[0] == '/' && text[len - 1] == '/')
        error = read_regex(out, text, len);
    else if (!is_pattern_name(text))
        error = error_set(SNUG_EINVAL,
                          "the pattern \"%.200s\" to forbid is neither a name, as in open, "
                          "os.remove or curl, nor a regular expression in slashes, as in /rm +-rf/",
                          text);

    if (!error && !(out->text = strdup(text)))
        error = error_no_memory();
    return error;
}

int forbid_open(forbid_list **out, const char *const *patterns)
{
    size_t count = 0;
    int error = SNUG_OK;
    while (patterns && patterns[count])
        count++;

    forbid_list *list = calloc(1, sizeof *list);
    if (list)
        list->items = calloc(count + 1, sizeof *list->items);
    if (!list || !list->items) {
        free(list);
        return error_no_memory();
    }

    /* One that is half read is closed with the others. */
    while (!error && list->count < count) {
        forbid_pattern *next = &list->items[list->count];
        error = read_pattern(next, patterns[list->count]);
        list->count++;
    }

    if (error)
        forbid_close(list);
    else
        *out = list;
    return error;
}

/* ---- judging ---- */

const char *forbid_name(const forbid_list *list, const char *name, size_t len)
{
    for (size_t i = 0; list && i < list->count; i++) {
        const forbid_pattern *pattern = &list->items[i];
        const size_t own = strlen(pattern->text);
        if (pattern->is_regex || own > len || memcmp(pattern->text, name, own) != 0)
            continue;
        if (own == len || name[own] == '.')
            return pattern->text;
    }

    return NULL;
}

const char *forbid_line(const forbid_list *list, size_t *index, const char *line, size_t len,
                        forbid_place *found)
{
    while (list && *index < list->count) {
        const forbid_pattern *pattern = &list->items[(*index)++];
        regmatch_t match = { .rm_so = 0, .rm_eo = (regoff_t)len };
        if (!pattern->is_regex || regexec(&pattern->regex, line, 1, &match, REG_STARTEND) != 0)
            continue;
        *found = (forbid_place){ (size_t)match.rm_so, (size_t)(match.rm_eo - match.rm_so) };
        return pattern->text;
    }

    return NULL;
}
