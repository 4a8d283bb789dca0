#include "cli/program/settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/key_names.h"
#include "cli/program/option_table.h"
#include "cli/program/option_value.h"
#include "cli/program/presets.h"
#include "cli/program/quantity.h"

enum { MOST_PRESETS = 32 };

struct settings {
    char *path; /* NULL: none */
    config_entries file, overrides;
};

/* ---- values ---- */

static int read_bool(int *out, const char *text)
{
    static const struct {
        const char *word;
        int value;
    } words[] = { { "true", 1 }, { "false", 0 }, { "yes", 1 },
                  { "no", 0 },   { "on", 1 },    { "off", 0 } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(words[i].word, text)) {
            *out = words[i].value;
            return 1;
        }

    return 0;
}

static int is_list(const option_row *row)
{
    return row->kind == KIND_LIST || row->kind == KIND_PAIR || row->kind == KIND_MOUNT;
}

static int is_flag(const option_row *row)
{
    return row->kind == KIND_FLAG || row->kind == KIND_SHORT;
}

/* As the option does it, of which messages say the key. */
static int set_value(options *o, const option_row *row, const char *said, const char *text)
{
    option_row named = *row;
    int value;

    named.name = said;
    if (!is_flag(row))
        return option_set(o, &named, text);
    if (!read_bool(&value, text))
        return command_fail(EXIT_USAGE, "%s \"%s\": expected true or false", said, text);
    return value == row->is_off ? EXIT_FINE : option_set(o, &named, NULL);
}

static int set_entry(options *o, const option_row *row, const char *said, const config_entry *entry)
{
    int status = EXIT_FINE;

    if (entry->is_null)
        return EXIT_FINE;
    if (entry->is_list && !is_list(row))
        return command_fail(EXIT_USAGE, "%s: expected one value, and a list of %zu was given", said,
                            entry->count);

    for (size_t i = 0; i < entry->count && !status; i++)
        status = set_value(o, row, said, entry->items[i]);
    return status;
}

/* ---- applying ---- */

/* What messages call a key: its place, where it has one, and its name. */
static void name_entry(char *out, size_t size, const char *file, const config_entry *entry)
{
    if (entry->line)
        snprintf(out, size, "%s, line %zu: %s", file, entry->line, entry->key);
    else
        snprintf(out, size, "%s", entry->key);
}

static const config_entry *last_entry(const config_entries *entries, const char *key)
{
    for (size_t i = entries->count; i > 0; i--)
        if (!strcmp(entries->items[i - 1].key, key))
            return &entries->items[i - 1];
    return NULL;
}

/* Of several overrides of a key the last one counts, also of a list. */
static int is_last_override(const settings *s, const config_entry *entry)
{
    const config_entry *override = last_entry(&s->overrides, entry->key);
    return !override || override == entry;
}

/* The row of an entry. EXIT_FINE with NULL: it is a section. */
static int find_row(const option_row **out, const char *said, const config_entry *entry)
{
    *out = option_of_key(entry->key);
    if (*out || (entry->is_null && keys_is_section(entry->key)))
        return EXIT_FINE;
    return keys_fail_unknown(said, entry->key);
}

int settings_try(options *o, const char *name, const config_entries *entries)
{
    int status = EXIT_FINE;

    for (size_t i = 0; i < entries->count && !status; i++) {
        const config_entry *entry = &entries->items[i];
        const option_row *row;
        char said[600];

        name_entry(said, sizeof said, name, entry);
        status = find_row(&row, said, entry);
        if (!status && row)
            status = set_entry(o, row, said, entry);
    }

    return status;
}

/* After settings_try: a value is looked at also where something else takes its place. */
static int apply_entries(options *o, const settings *s, const config_entries *entries)
{
    int status = EXIT_FINE;

    for (size_t i = 0; i < entries->count && !status; i++) {
        const config_entry *entry = &entries->items[i];
        const option_row *row = option_of_key(entry->key);
        if (row && !options_given_row(o, row) && is_last_override(s, entry))
            status = set_entry(o, row, entry->key, entry);
    }

    return status;
}

static int add_override(settings *s, const char *text)
{
    size_t len = strcspn(text, "=");
    char key[128];

    if (len >= sizeof key)
        return command_fail(EXIT_USAGE, "--set \"%.60s...\": unknown key", text);
    snprintf(key, sizeof key, "%.*s", (int)len, text);
    if (configfile_parse_value(&s->overrides, keys_unwrap(key), text + len + 1))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

/* In the configuration folder; empty: there is none. */
static int find_in_folder(str *out, const char *name)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (base && *base == '/')
        return str_printf(out, "%s/snug/%s.yaml", base, name);
    if (home && *home == '/')
        return str_printf(out, "%s/.config/snug/%s.yaml", home, name);
    return SNUG_OK;
}

/* NULL: there is none, which is not an error. */
static char *existing_path(const char *name)
{
    str path = { 0 };

    if (find_in_folder(&path, name) || path.len == 0 || access(path.data, F_OK)) {
        str_free(&path);
        return NULL;
    }
    return str_take(&path);
}

static int parse_file(settings *s)
{
    str text = { 0 };
    int error = file_read(&text, s->path, CONFIG_FILE_BYTES);
    if (!error)
        error = configfile_parse(&s->file, s->path, str_text(&text), text.len);
    str_free(&text);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

static int fail_unknown_preset(const char *name)
{
    const char *names[MOST_PRESETS];
    size_t count = 0;
    str list = { 0 };

    for (const preset *p = presets_built_in; p->name && count < MOST_PRESETS; p++) {
        str_printf(&list, "%s%s", count ? ", " : "", p->name);
        names[count++] = p->name;
    }

    const char *near = nearest_name(name, names, count);
    int status;
    if (near)
        status = command_fail(EXIT_USAGE,
                              "--config-name \"%s\": there is no such preset; did you mean %s?",
                              name, near);
    else
        status =
            command_fail(EXIT_USAGE,
                         "--config-name \"%s\": there is no such preset, nor a file of that name "
                         "in the configuration folder; presets are %s",
                         name, str_text(&list));
    str_free(&list);
    return status;
}

/* A file of the user's, else one that comes with snug. */
static int read_named(settings *s, const char *name)
{
    str said = { 0 };

    if (strchr(name, '/'))
        return command_fail(EXIT_USAGE,
                            "--config-name \"%s\": expected a name; --config takes a path", name);

    s->path = existing_path(name);
    if (s->path)
        return parse_file(s);

    const preset *p = presets_built_in;
    while (p->name && strcmp(p->name, name) != 0)
        p++;
    if (!p->name)
        return fail_unknown_preset(name);

    if (str_printf(&said, "the preset %s", name))
        return command_fail_memory();
    s->path = str_take(&said);
    if (configfile_parse(&s->file, s->path, p->text, strlen(p->text)))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

static int read_config_file(settings *s, const options *o)
{
    if (o->config_name && o->config_path)
        return command_fail(EXIT_USAGE, "--config and --config-name exclude each other");
    if (o->config_name)
        return read_named(s, o->config_name);

    const char *named = o->config_path ? o->config_path : getenv("SNUG_CONFIG");
    if (named && !strcmp(named, "none"))
        return EXIT_FINE;

    if (named && *named) {
        s->path = strdup(named);
        if (!s->path)
            return command_fail_memory();
    } else {
        s->path = existing_path("config");
        if (!s->path)
            return EXIT_FINE;
    }

    return parse_file(s);
}

/* The variables of OpenTelemetry; that of traces alone is the whole address. */
static void take_trace_variables(options *o)
{
    const char *whole = getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    const char *base = getenv("OTEL_EXPORTER_OTLP_ENDPOINT");

    if (o->agent.trace_url)
        return;

    if (whole && *whole) {
        o->agent.trace_url = whole;
        o->agent.has_whole_trace_url = 1;
    } else if (base && *base) {
        o->agent.trace_url = base;
    }
}

int settings_apply(settings **out, options *o)
{
    options trial = { 0 };
    settings *s = *out = calloc(1, sizeof *s);
    if (!s)
        return command_fail_memory();

    int status = read_config_file(s, o);
    for (size_t i = 0; i < o->overrides.count && !status; i++)
        status = add_override(s, o->overrides.items[i]);

    /* All of it is looked at first, on options that nobody uses. */
    if (!status)
        status = settings_try(&trial, s->path, &s->file);
    if (!status)
        status = settings_try(&trial, s->path, &s->overrides);
    if (!status)
        status = apply_entries(o, s, &s->file);
    if (!status)
        status = apply_entries(o, s, &s->overrides);
    if (!status)
        take_trace_variables(o);
    options_free(&trial);
    return status;
}

void settings_free(settings *s)
{
    if (!s)
        return;
    configfile_free(&s->file);
    configfile_free(&s->overrides);
    free(s->path);
    free(s);
}

/* ---- showing ---- */

const char *settings_file(const settings *s)
{
    return s->path;
}

void settings_place(char *out, size_t size, const settings *s, const char *key)
{
    const config_entry *entry = last_entry(&s->file, key);
    if (entry && !last_entry(&s->overrides, key))
        snprintf(out, size, "%s, line %zu,", s->path, entry->line);
    else
        snprintf(out, size, "the command line");
}

/* The variable that a key has its value from; NULL: none of them is set. */
static const char *variable_of(const option_row *row)
{
    static const char of_traces[] = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    if (!row->variable)
        return NULL;
    if (!strcmp(row->key, "trace.url") && getenv(of_traces) && *getenv(of_traces))
        return of_traces;
    return getenv(row->variable) && *getenv(row->variable) ? row->variable : NULL;
}

static void take_entry(setting *out, const config_entry *entry, setting_source source)
{
    if (entry->is_null)
        return;
    out->source = source;
    out->line = entry->line;
    out->items = (const char *const *)entry->items;
    out->count = entry->count;
}

/* A flag that was given says yes to one key and no to another. */
static void take_given(setting *out, const option_row *row, const text_list *given)
{
    static const char *const yes[] = { "true" }, *const no[] = { "false" };

    out->source = FROM_OPTION;
    if (is_flag(row)) {
        out->items = row->is_off ? no : yes;
        out->count = 1;
        return;
    }

    out->items = given->items;
    out->count = given->count;
}

int settings_get(setting *out, char *buffer, size_t size, const settings *s, const options *o,
                 size_t *index)
{
    while (*index < option_count && !option_rows[*index].key)
        ++*index;
    if (*index == option_count)
        return 0;

    const option_row *row = &option_rows[(*index)++];
    const snug_limit_description *limit = option_limit(row);
    *out = (setting){ .key = row->key,
                      .option = row->name,
                      .fallback = row->fallback,
                      .about = row->key_about ? row->key_about : row->about,
                      .is_list = is_list(row),
                      .is_secret = row->name && strcmp(row->name, "--header") == 0 };
    if (!out->about && limit)
        out->about = limit->about;
    if (is_flag(row))
        out->fallback = row->is_off ? "true" : "false";
    else if (row->kind == KIND_REFUSED)
        out->fallback = "false";
    else if (limit)
        out->fallback = quantity_text(buffer, size, limit->default_value, limit->unit);

    const text_list *given = options_given_row(o, row);
    if (given) {
        take_given(out, row, given);
        return 1;
    }

    const config_entry *file = last_entry(&s->file, row->key);
    const config_entry *override = last_entry(&s->overrides, row->key);
    if (override) {
        take_entry(out, override, FROM_OVERRIDE);
    } else if (file) {
        take_entry(out, file, FROM_FILE);
        out->place = s->path;
    }

    if (out->source == FROM_DEFAULT) {
        out->place = variable_of(row);
        if (out->place)
            out->source = FROM_VARIABLE;
    }

    return 1;
}
