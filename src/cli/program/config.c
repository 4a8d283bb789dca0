/* snug config: is a configuration right, and what is in force. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/command.h"
#include "cli/program/presets.h"
#include "cli/program/settings.h"
#include "cli/terminal/term.h"
#include "wire/json.h"

static const char *const source_names[] = { "default", "variable", "file", "override", "option" };

/* ---- as text ---- */

static const char *default_text(const setting *s)
{
    if (s->fallback)
        return s->fallback;
    return s->is_list ? "[]" : "none";
}

/* As much of an item as may be seen. */
static int shown_len(const setting *s, size_t at)
{
    if (s->is_secret)
        return (int)strcspn(s->items[at], ":");
    return (int)strlen(s->items[at]);
}

static void print_list(const setting *s)
{
    int width = term_printf(stdout, "[");
    for (size_t i = 0; i < s->count; i++)
        width += term_printf(stdout, "%s%.*s%s", i ? ", " : "", shown_len(s, i), s->items[i],
                             s->is_secret ? ": [hidden]" : "");
    term_printf(stdout, "]%*s", width < 27 ? 27 - width : 0, "");
}

static void print_value(const setting *s)
{
    if (s->source == FROM_DEFAULT)
        term_printf(stdout, "%-28s", default_text(s));
    else if (s->source == FROM_VARIABLE)
        term_printf(stdout, "%-28s", getenv(s->place));
    else if (!s->is_list)
        term_printf(stdout, "%-28s", s->items[s->count - 1]);
    else
        print_list(s);
}

static void print_source(const setting *s)
{
    switch (s->source) {
    case FROM_DEFAULT:
        puts(" default");
        break;
    case FROM_VARIABLE:
        term_printf(stdout, " the variable %s\n", s->place);
        break;
    case FROM_FILE:
        term_printf(stdout, " %s, line %zu\n", s->place, s->line);
        break;
    case FROM_OVERRIDE:
        puts(" an override");
        break;
    case FROM_OPTION:
        term_printf(stdout, " %s\n", s->option);
        break;
    }
}

static int show_text(const options *o)
{
    char buffer[32];
    setting s;

    for (size_t i = 0; settings_get(&s, buffer, sizeof buffer, o->settings, o, &i);) {
        term_printf(stdout, "%-38s ", s.key);
        print_value(&s);
        print_source(&s);
    }

    return EXIT_FINE;
}

/* ---- as JSON ---- */

static int add_text_or_null(cJSON *item, const char *name, const char *text)
{
    if (text)
        return json_add_text(item, name, text);
    return json_add_null(item, name);
}

static const char *value_text(const setting *s)
{
    switch (s->source) {
    case FROM_DEFAULT:
        return s->fallback;
    case FROM_VARIABLE:
        return getenv(s->place);
    case FROM_FILE:
    case FROM_OVERRIDE:
    case FROM_OPTION:
        break;
    }
    return s->items[s->count - 1];
}

/* Values are as they were written: texts, and lists of them. */
static int add_setting_value(cJSON *item, const setting *s)
{
    if (!s->is_list)
        return add_text_or_null(item, "value", value_text(s));

    cJSON *list = json_add_array(item, "value");
    int failed = !list;
    for (size_t i = 0; i < s->count; i++) {
        char *shown = strndup(s->items[i], (size_t)shown_len(s, i));
        failed |= !shown || json_add_text(list, NULL, shown);
        free(shown);
    }
    return failed;
}

static int add_setting(cJSON *list, const setting *s)
{
    cJSON *item = json_add_object(list, NULL);
    int failed = json_add_text(item, "key", s->key);

    failed |= add_setting_value(item, s);
    failed |= json_add_text(item, "source", source_names[s->source]);
    if (s->line && s->source == FROM_FILE)
        failed |= json_add_number(item, "line", (double)s->line);
    failed |= add_text_or_null(item, "option", s->option);
    failed |= add_text_or_null(item, "default", s->fallback);
    failed |= json_add_text(item, "about", s->about);
    return failed;
}

static int show_json(const options *o)
{
    char buffer[32];
    setting s;
    cJSON *root = cJSON_CreateObject();
    int failed = json_add_text(root, "schema", "snug.config/1");

    failed |= add_text_or_null(root, "file", settings_file(o->settings));
    cJSON *list = json_add_array(root, "keys");
    failed |= !list;
    for (size_t i = 0; settings_get(&s, buffer, sizeof buffer, o->settings, o, &i);)
        failed |= add_setting(list, &s);

    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    if (!text)
        return command_fail_memory();

    term_printf(stdout, "%s\n", text);
    free(text);
    return EXIT_FINE;
}

/* ---- the command ---- */

/* The value in force, where it comes from anywhere; NULL: the default. */
static const char *given_text(const setting *s)
{
    return s->source == FROM_DEFAULT ? NULL : value_text(s);
}

static int is_model(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot && (!strcmp(dot, ".model") || !strcmp(dot, ".embedding_model"));
}

static int check_model(const setting *s)
{
    const char *name = given_text(s);

    if (!name || snug_agent_check_model(name) == SNUG_OK)
        return EXIT_FINE;
    if (s->source == FROM_FILE)
        return command_fail(EXIT_USAGE, "%s, line %zu: %s: %s", s->place, s->line, s->key,
                            snug_error_message());
    return command_fail(EXIT_USAGE, "%s: %s", s->source == FROM_VARIABLE ? s->place : s->key,
                        snug_error_message());
}

/* What else is not right was said when the options were read. */
static int check_config(const options *o)
{
    const char *file = settings_file(o->settings);
    char buffer[32];
    setting s;

    for (size_t i = 0; settings_get(&s, buffer, sizeof buffer, o->settings, o, &i);)
        if (is_model(s.key) && check_model(&s))
            return EXIT_USAGE;

    printf("%s: fine\n", file ? file : "no file");
    return EXIT_FINE;
}

static int show_presets(void)
{
    for (const preset *p = presets_built_in; p->name; p++)
        printf("%-14s %s\n", p->name, p->about);
    return EXIT_FINE;
}

int command_config(const options *o)
{
    const char *what = o->input_count ? o->inputs[0].text : "";
    if (!strcmp(what, "check") && o->input_count < 3)
        return check_config(o);

    if (!strcmp(what, "presets") && o->input_count == 1)
        return show_presets();
    if (strcmp(what, "show") != 0 || o->input_count > 1)
        return command_fail(EXIT_USAGE, "config: expected check [FILE], show or presets");
    if (o->is_json)
        return show_json(o);
    return show_text(o);
}
