#include "cli/program/yamljson.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"

/* ---- scalars ---- */

static const struct {
    const char *yaml, *json;
} words[] = {
    { "", "null" },       { "~", "null" },      { "null", "null" },   { "Null", "null" },
    { "NULL", "null" },   { "true", "true" },   { "True", "true" },   { "TRUE", "true" },
    { "false", "false" }, { "False", "false" }, { "FALSE", "false" },
};

static const char *known_word(const char *text)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].yaml, text))
            return words[i].json;
    return NULL;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static int is_number(const char *text)
{
    static const char digits[] = "0123456789";
    const char *at = text + (*text == '-' || *text == '+');
    const size_t whole = strspn(at, digits);
    size_t part = 0;

    at += whole;
    if (*at == '.') {
        part = strspn(at + 1, digits);
        at += 1 + part;
    }
    if (whole + part == 0)
        return 0;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        const size_t exponent = strspn(at, digits);
        at += exponent;
        if (exponent == 0)
            return 0;
    }
    return *at == '\0';
}

static int add_number(str *out, const char *text)
{
    size_t at;

    if (!jsontext_check(text, strlen(text), &at))
        return str_add(out, text);
    return str_printf(out, "%.17g", strtod(text, NULL)); /* "+1", ".5", "007" */
}

static int add_scalar(str *out, const yaml_event_t *event, int is_key)
{
    const char *text = (const char *)event->data.scalar.value;
    const int is_plain =
        event->data.scalar.plain_implicit && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const char *word = is_plain && !is_key ? known_word(text) : NULL;

    if (word)
        return str_add(out, word);
    if (is_plain && !is_key && is_number(text))
        return add_number(out, text);
    return jsontext_quote(out, text, event->data.scalar.length);
}

/* ---- lists and mappings ---- */

/* Whether what comes next is a key, after what has to stand before it. */
static int begin_item(yamljson *j, int *is_key)
{
    *is_key = 0;
    if (j->level == 0)
        return SNUG_OK;

    const int is_mapping = j->open[j->level - 1].is_mapping;
    const size_t before = j->open[j->level - 1].count++;
    *is_key = is_mapping && before % 2 == 0;
    if (before == 0)
        return SNUG_OK;
    return str_add(&j->text, is_mapping && !*is_key ? ": " : ", ");
}

static int open_level(yamljson *j, const char **fault, int is_mapping)
{
    if (j->level == YAMLJSON_LEVELS) {
        *fault = "is nested too deep";
        return SNUG_OK;
    }

    j->open[j->level].is_mapping = is_mapping;
    j->open[j->level++].count = 0;
    return str_add(&j->text, is_mapping ? "{" : "[");
}

static int close_level(yamljson *j)
{
    return str_add(&j->text, j->open[--j->level].is_mapping ? "}" : "]");
}

int yamljson_add(yamljson *j, const char **fault, const yaml_event_t *event)
{
    int is_key;

    if (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT)
        return close_level(j);

    int error = begin_item(j, &is_key);
    if (error)
        return error;
    if (event->type == YAML_SCALAR_EVENT)
        return add_scalar(&j->text, event, is_key);

    if (is_key) {
        *fault = "has a key that is not text";
        return SNUG_OK;
    }
    return open_level(j, fault, event->type == YAML_MAPPING_START_EVENT);
}
