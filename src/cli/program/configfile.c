#include "cli/program/configfile.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/program/key_names.h"

enum { MOST_KEY_BYTES = 100 };

/* Where the walk is: the file is a mapping of sections, which are mappings of keys. All of that may
 * be in an outer section, "flows", and there in "code_execution". */
typedef enum place { AT_TOP, IN_OUTER, IN_SECTION, IN_LIST } place;

typedef struct walk {
    config_entries *out;
    const char *name;  /* of the file */
    size_t first;      /* entry of this text */
    place at, outside; /* outside: of the list */
    int has_root, is_ended;
    int is_wrapped; /* the top is that of flows.code_execution */
    str section;
    char *key; /* whose value comes next; NULL: none */
    size_t key_line;
} walk;

/* ---- entries ---- */

static config_entry *append_entry(config_entries *out, const char *key, size_t line)
{
    if (array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items))
        return NULL;
    char *copy = strdup(key);
    if (!copy)
        return NULL;

    config_entry *entry = &out->items[out->count++];
    *entry = (config_entry){ .key = copy, .line = line };
    return entry;
}

static int append_item(config_entry *entry, const char *text)
{
    if (array_reserve(&entry->items, &entry->cap, entry->count + 1, sizeof *entry->items))
        return error_no_memory();
    char *copy = strdup(text);
    if (!copy)
        return error_no_memory();

    entry->items[entry->count++] = copy;
    return SNUG_OK;
}

void configfile_free(config_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        config_entry *entry = &entries->items[i];
        for (size_t k = 0; k < entry->count; k++)
            free(entry->items[k]);
        free(entry->items);
        free(entry->key);
    }

    free(entries->items);
    *entries = (config_entries){ 0 };
}

/* ---- events ---- */

static size_t event_line(const yaml_event_t *event)
{
    return event->start_mark.line + 1;
}

static int fail_event(const walk *w, const yaml_event_t *event, const char *what)
{
    size_t line = event_line(event);
    if (w->key)
        return error_set(SNUG_EINVAL, "%s, line %zu: %s %s", w->name, line, w->key, what);
    return error_set(SNUG_EINVAL, "%s, line %zu: %s", w->name, line, what);
}

/* A mapping begins a line below the key that it is of, or more. */
static int fail_mapping(const walk *w, const char *what)
{
    return error_set(SNUG_EINVAL, "%s, line %zu: %s %s", w->name, w->key_line, w->key, what);
}

static int is_null(const yaml_event_t *event)
{
    static const char *const words[] = { "", "~", "null", "Null", "NULL" };
    const char *text = (const char *)event->data.scalar.value;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i]))
            return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return 0;
}

static int begin_entry(walk *w, config_entry **out, const char *key, size_t line)
{
    for (size_t i = w->first; i < w->out->count; i++)
        if (!strcmp(w->out->items[i].key, key))
            return error_set(SNUG_EINVAL, "%s, line %zu: %s is given twice, first in line %zu",
                             w->name, line, key, w->out->items[i].line);

    *out = append_entry(w->out, key, line);
    if (!*out)
        return error_no_memory();
    return SNUG_OK;
}

static void end_key(walk *w)
{
    free(w->key);
    w->key = NULL;
}

/* The name of a section, or of a key in one. */
static int take_key(walk *w, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t len = strcspn(text, " \t\r\n\x1b\x7f");
    if (len != event->data.scalar.length || len == 0 || len > MOST_KEY_BYTES)
        return fail_event(w, event, "a key is one word");

    str key = { 0 };
    int error = SNUG_OK;
    if (w->at == IN_SECTION || w->at == IN_OUTER)
        error = str_printf(&key, "%s.", str_text(&w->section));
    if (!error)
        error = str_add(&key, text);
    if (error) {
        str_free(&key);
        return error_no_memory();
    }

    w->key = key.data;
    w->key_line = event_line(event);
    return SNUG_OK;
}

/* A text without any keys; nothing at all is fine. */
static int take_root_scalar(walk *w, const yaml_event_t *event)
{
    w->is_ended = w->has_root = 1;
    if (is_null(event))
        return SNUG_OK;
    return fail_event(w, event, "sections such as \"limits:\" are expected");
}

static int take_scalar(walk *w, const yaml_event_t *event)
{
    config_entry *entry;
    const char *text = (const char *)event->data.scalar.value;

    if (strlen(text) != event->data.scalar.length)
        return fail_event(w, event, "has a NUL byte");

    if (w->at == IN_LIST)
        return append_item(&w->out->items[w->out->count - 1], text);
    if (!w->has_root)
        return take_root_scalar(w, event);
    if (!w->key)
        return take_key(w, event);

    int error = begin_entry(w, &entry, w->key, w->key_line);
    if (!error) {
        entry->is_null = is_null(event);
        error = append_item(entry, text);
    }

    end_key(w);
    return error;
}

/* 1: the mapping is one that all sections are in. */
static int begin_outer(walk *w)
{
    const int is_outer = w->at == AT_TOP && !w->is_wrapped && !strcmp(w->key, KEYS_OUTER);
    const int is_wrapper = w->at == IN_OUTER && !strcmp(w->key, KEYS_WRAPPER);

    if (is_wrapper) {
        w->is_wrapped = 1;
        w->at = AT_TOP;
    } else if (is_outer) {
        w->at = IN_OUTER;
    }

    return is_outer || is_wrapper;
}

static int enter_section(walk *w)
{
    str_clear(&w->section);
    if (str_add(&w->section, w->key))
        return error_no_memory();
    end_key(w);
    return SNUG_OK;
}

static int begin_mapping(walk *w, const yaml_event_t *event)
{
    config_entry *entry;

    if (!w->has_root) {
        w->has_root = 1;
        return SNUG_OK;
    }

    if (!w->key)
        return fail_event(w, event, "a key is not text");
    if (begin_outer(w))
        return enter_section(w);
    if (w->at == IN_OUTER)
        return fail_mapping(w, KEYS_NO_FLOW);
    if (w->at == IN_LIST || w->at == IN_SECTION)
        return fail_mapping(w, "is one value or a list, not a mapping");

    int error = begin_entry(w, &entry, w->key, w->key_line);
    if (error)
        return error;

    entry->is_null = 1;
    w->at = IN_SECTION;
    return enter_section(w);
}

static int end_mapping(walk *w)
{
    if (w->at == AT_TOP && w->is_wrapped) {
        w->is_wrapped = 0;
        w->at = IN_OUTER;
        str_clear(&w->section);
        return str_add(&w->section, KEYS_OUTER) ? error_no_memory() : SNUG_OK;
    }

    if (w->at == AT_TOP)
        w->is_ended = 1;
    w->at = AT_TOP;
    return SNUG_OK;
}

static int begin_list(walk *w, const yaml_event_t *event)
{
    config_entry *entry;

    if (!w->has_root)
        return fail_event(w, event, "sections such as \"limits:\" are expected, and no list");
    if (!w->key)
        return fail_event(w, event, "a key is not text");
    if (w->at == IN_LIST)
        return fail_event(w, event, "has a list within its list");

    int error = begin_entry(w, &entry, w->key, w->key_line);
    if (error)
        return error;

    entry->is_list = 1;
    w->outside = w->at;
    w->at = IN_LIST;
    return SNUG_OK;
}

static int end_list(walk *w)
{
    w->at = w->outside;
    end_key(w);
    return SNUG_OK;
}

/* ---- all of it ---- */

static int take_event(walk *w, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(w, event);
    case YAML_MAPPING_START_EVENT:
        return begin_mapping(w, event);
    case YAML_MAPPING_END_EVENT:
        return end_mapping(w);
    case YAML_SEQUENCE_START_EVENT:
        return begin_list(w, event);
    case YAML_SEQUENCE_END_EVENT:
        return end_list(w);
    case YAML_ALIAS_EVENT:
        return fail_event(w, event, "refers to another value by *, which is not taken here");
    case YAML_DOCUMENT_START_EVENT:
        if (w->is_ended)
            return fail_event(w, event, "a second document begins here");
        return SNUG_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return SNUG_OK;
}

/* What is not YAML, in libyaml's words. Bytes that are not text have an offset and no line. */
static int fail_yaml(const walk *w, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "?";

    if (parser->error == YAML_MEMORY_ERROR)
        return error_no_memory();
    if (parser->error == YAML_READER_ERROR)
        return error_set(SNUG_EINVAL, "%s, byte %zu: not YAML: %s", w->name,
                         parser->problem_offset + 1, problem);

    return error_set(SNUG_EINVAL, "%s, line %zu: not YAML: %s", w->name,
                     parser->problem_mark.line + 1, problem);
}

/* Leaves the walk with nothing to free. */
static int walk_events(walk *w, const char *text, size_t len)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int error = SNUG_OK;

    if (!yaml_parser_initialize(&parser)) {
        end_key(w);
        return error_no_memory();
    }

    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    for (int is_last = 0; !error && !is_last;) {
        if (!yaml_parser_parse(&parser, &event)) {
            error = fail_yaml(w, &parser);
            break;
        }
        is_last = event.type == YAML_STREAM_END_EVENT;
        error = take_event(w, &event);
        yaml_event_delete(&event);
    }

    yaml_parser_delete(&parser);
    str_free(&w->section);
    end_key(w);
    return error;
}

int configfile_parse(config_entries *out, const char *name, const char *text, size_t len)
{
    walk w = { .out = out, .name = name, .first = out->count };
    return walk_events(&w, text, len);
}

/* ---- overrides ---- */

static int parse_list(config_entries *out, const char *key, const char *text)
{
    walk w = { .out = out, .name = key, .first = out->count, .has_root = 1 };
    if (!(w.key = strdup(key)))
        return error_no_memory();

    int error = walk_events(&w, text, strlen(text));
    for (size_t i = w.first; i < out->count; i++)
        out->items[i].line = 0;
    if (error)
        return error_set(SNUG_EINVAL, "%s \"%s\": expected a list as [a, b]", key, text);
    return SNUG_OK;
}

int configfile_parse_value(config_entries *out, const char *key, const char *text)
{
    if (*text == '[')
        return parse_list(out, key, text);
    config_entry *entry = append_entry(out, key, 0);
    if (!entry || append_item(entry, text))
        return error_no_memory();
    entry->is_null = !*text || !strcmp(text, "null") || !strcmp(text, "~");
    return SNUG_OK;
}
