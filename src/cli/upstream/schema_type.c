#include "cli/upstream/schema_type.h"

#include <snug/snug.h>

#include <string.h>

enum { MOST_LEVELS = 6, MOST_CHOICES = 50, MOST_MEMBERS = 40, MOST_SHAPE_BYTES = 1500 };

/* What is being written; objects by their members, or as dict. */
typedef struct writer {
    int has_members;
    int level;
    int wrote_members;
} writer;

static int write_schema(str *out, writer *w, jsontext_span schema);

/* ---- values ---- */

/* A string of JSON's is not copied as it stands: "\/" and halves of pairs are not Python's. */
static int write_literal(str *out, jsontext_span value)
{
    str text = { 0 };

    if (jsontext_is(value, "null"))
        return str_add(out, "None");
    if (jsontext_is(value, "true"))
        return str_add(out, "True");
    if (jsontext_is(value, "false"))
        return str_add(out, "False");
    if (*value.text != '"')
        return str_append(out, value.text, value.len);

    int error = jsontext_string(&text, value);
    if (!error)
        error = jsontext_quote(out, str_text(&text), text.len);
    str_free(&text);
    return error;
}

/* What Literal takes. */
static int is_literal(jsontext_span value)
{
    if (!value.text || value.len == 0 || *value.text == '[' || *value.text == '{')
        return 0;
    if (*value.text == '"' || *value.text == 'n' || *value.text == 't' || *value.text == 'f')
        return 1;
    return !memchr(value.text, '.', value.len) && !memchr(value.text, 'e', value.len) &&
           !memchr(value.text, 'E', value.len);
}

/* *count: of its items; 0: they are not all of the kind, or too many. */
static int check_choices(jsontext_span choices, size_t *count)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;

    *count = 0;
    if (!choices.text || *choices.text != '[' || !jsontext_enter(&j, choices))
        return 0;
    while (jsontext_item(&j, &ignored, &value))
        if (!is_literal(value) || ++*count > MOST_CHOICES)
            return 0;
    return *count > 0;
}

static int write_choices(str *out, jsontext_span choices)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int error = str_add(out, "Literal["), is_first = 1;

    jsontext_enter(&j, choices);
    while (!error && jsontext_item(&j, &ignored, &value)) {
        if (!is_first)
            error = str_add(out, ", ");
        if (!error)
            error = write_literal(out, value);
        is_first = 0;
    }
    return error ? error : str_add(out, "]");
}

/* ---- unions ---- */

/* Whether the union from that byte on has the part: "str | None" has "None". */
static int has_part(const str *out, size_t from, const str *part)
{
    const char *at = out->data + from, *end = out->data + out->len;

    while ((at = memmem(at, (size_t)(end - at), part->data, part->len))) {
        const char *behind = at + part->len;
        const int begins = at == out->data + from || at[-1] == ' ';
        if (begins && (behind == end || *behind == ' '))
            return 1;
        at++;
    }
    return 0;
}

static int add_part(str *out, size_t from, const str *part)
{
    int error = SNUG_OK;

    if (out->len > from && has_part(out, from, part))
        return SNUG_OK;
    if (out->len > from)
        error = str_add(out, " | ");
    return error ? error : str_add_str(out, part);
}

static int write_union(str *out, writer *w, jsontext_span parts)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    const size_t from = out->len;
    int error = SNUG_OK, count = 0;

    jsontext_enter(&j, parts);
    while (!error && count++ < MOST_CHOICES && jsontext_item(&j, &ignored, &value)) {
        str part = { 0 };
        error = write_schema(&part, w, value);
        if (!error)
            error = add_part(out, from, &part);
        str_free(&part);
    }
    if (!error && out->len == from)
        error = str_add(out, "Any");
    return error;
}

/* ---- lists and objects ---- */

static int write_list(str *out, writer *w, jsontext_span schema)
{
    const jsontext_span items = jsontext_member(schema, "items");
    int error = str_add(out, "list");

    if (error || !items.text || *items.text != '{')
        return error;
    error = str_add(out, "[");
    if (!error)
        error = write_schema(out, w, items);
    return error ? error : str_add(out, "]");
}

static int is_required(jsontext_span schema, const str *name)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value, required = jsontext_member(schema, "required");
    int found = 0;

    if (!required.text || *required.text != '[' || !jsontext_enter(&j, required))
        return 0;
    while (!found && jsontext_item(&j, &ignored, &value)) {
        str text = { 0 };
        found = jsontext_string(&text, value) == SNUG_OK && text.len == name->len &&
                memcmp(str_text(&text), str_text(name), text.len) == 0;
        str_free(&text);
    }
    return found;
}

static int write_member(str *out, writer *w, jsontext_span schema, const jsontext_token *key,
                        jsontext_span value)
{
    str name = { 0 };
    int error = jsontext_token_string(&name, key);

    if (!error)
        error = jsontext_quote(out, str_text(&name), name.len);
    if (!error)
        error = str_add(out, is_required(schema, &name) ? ": " : "?: ");
    str_free(&name);
    return error ? error : write_schema(out, w, value);
}

static int write_members(str *out, writer *w, jsontext_span schema)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;
    int error = str_add(out, "{"), count = 0;

    w->wrote_members = 1;
    jsontext_enter(&j, jsontext_member(schema, "properties"));
    while (!error && jsontext_item(&j, &key, &value)) {
        if (count++ > 0)
            error = str_add(out, ", ");
        if (!error && count > MOST_MEMBERS) {
            error = str_add(out, "...");
            break;
        }
        if (!error)
            error = write_member(out, w, schema, &key, value);
    }
    return error ? error : str_add(out, "}");
}

static int has_members(jsontext_span schema)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value, properties = jsontext_member(schema, "properties");

    return properties.text && *properties.text == '{' && jsontext_enter(&j, properties) &&
           jsontext_item(&j, &key, &value);
}

static int write_object(str *out, writer *w, jsontext_span schema)
{
    const jsontext_span others = jsontext_member(schema, "additionalProperties");

    if (w->has_members && has_members(schema))
        return write_members(out, w, schema);
    int error = str_add(out, "dict");
    if (error || has_members(schema) || !others.text || *others.text != '{')
        return error;
    error = str_add(out, "[str, ");
    if (!error)
        error = write_schema(out, w, others);
    return error ? error : str_add(out, "]");
}

/* ---- schemas ---- */

static int write_named(str *out, writer *w, jsontext_span schema, jsontext_span name)
{
    static const char *const types[][2] = {
        { "\"string\"", "str" },   { "\"integer\"", "int" }, { "\"number\"", "float" },
        { "\"boolean\"", "bool" }, { "\"null\"", "None" },
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (jsontext_is(name, types[i][0]))
            return str_add(out, types[i][1]);
    if (jsontext_is(name, "\"array\""))
        return write_list(out, w, schema);
    if (jsontext_is(name, "\"object\""))
        return write_object(out, w, schema);
    return str_add(out, "Any");
}

/* "type": ["string", "null"] */
static int write_several(str *out, writer *w, jsontext_span schema, jsontext_span names)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span name;
    const size_t from = out->len;
    int error = SNUG_OK, count = 0;

    jsontext_enter(&j, names);
    while (!error && count++ < MOST_CHOICES && jsontext_item(&j, &ignored, &name)) {
        str part = { 0 };
        error = write_named(&part, w, schema, name);
        if (!error)
            error = add_part(out, from, &part);
        str_free(&part);
    }
    if (!error && out->len == from)
        error = str_add(out, "Any");
    return error;
}

static int is_list(jsontext_span value)
{
    return value.text && *value.text == '[';
}

static int write_one(str *out, writer *w, jsontext_span schema)
{
    static const char *const unions[] = { "anyOf", "oneOf" };
    const jsontext_span type = jsontext_member(schema, "type");
    const jsontext_span constant = jsontext_member(schema, "const");
    size_t count;

    if (check_choices(jsontext_member(schema, "enum"), &count))
        return write_choices(out, jsontext_member(schema, "enum"));
    if (is_literal(constant)) {
        int error = str_add(out, "Literal[");
        if (!error)
            error = write_literal(out, constant);
        return error ? error : str_add(out, "]");
    }
    for (size_t i = 0; i < sizeof unions / sizeof *unions; i++)
        if (is_list(jsontext_member(schema, unions[i])))
            return write_union(out, w, jsontext_member(schema, unions[i]));
    if (is_list(type))
        return write_several(out, w, schema, type);
    if (!type.text && has_members(schema))
        return write_object(out, w, schema);
    return type.text ? write_named(out, w, schema, type) : str_add(out, "Any");
}

static int write_schema(str *out, writer *w, jsontext_span schema)
{
    if (!schema.text || *schema.text != '{' || w->level == MOST_LEVELS)
        return str_add(out, "Any");
    w->level++;
    const int error = write_one(out, w, schema);
    w->level--;
    return error;
}

int schema_write_type(str *out, jsontext_span schema)
{
    writer w = { 0 };
    return write_schema(out, &w, schema);
}

int schema_write_shape(str *out, jsontext_span schema)
{
    writer w = { 0 };
    str shape = { 0 };
    int error = SNUG_OK;

    /* What is too long with all its levels is written with fewer of them. */
    for (int level = 0; !error && level < MOST_LEVELS; level++) {
        w = (writer){ .has_members = 1, .level = level };
        str_clear(&shape);
        error = write_schema(&shape, &w, schema);
        if (shape.len <= MOST_SHAPE_BYTES)
            break;
    }
    if (!error && w.wrote_members && shape.len <= MOST_SHAPE_BYTES)
        error = str_add_str(out, &shape);
    str_free(&shape);
    return error;
}
