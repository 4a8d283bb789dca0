#include "cli/upstream/schema_type.h"

#include <snug/snug.h>

#include <string.h>

enum { MOST_LEVELS = 6, MOST_CHOICES = 50, MOST_MEMBERS = 40, MOST_BYTES = 1500 };

/* What is being written; objects by their members, or as dict. */
typedef struct writer {
    int has_members;
    int level;
    int wrote_members;
} writer;

static int write_schema(str *out, writer *w, jsontext_span schema);
static int write_named(str *out, writer *w, jsontext_span schema, jsontext_span name);

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

/* What Literal takes. Python reads no number of thousands of digits. */
static int is_literal(jsontext_span value)
{
    enum { MOST_DIGITS = 100 };

    if (!value.text || value.len == 0 || *value.text == '[' || *value.text == '{')
        return 0;
    if (*value.text == '"' || *value.text == 'n' || *value.text == 't' || *value.text == 'f')
        return 1;
    return value.len <= MOST_DIGITS && !memchr(value.text, '.', value.len) &&
           !memchr(value.text, 'e', value.len) && !memchr(value.text, 'E', value.len);
}

/* *count: of its items; 0: they are not all of the kind, or too many or too long. */
static int check_choices(jsontext_span choices, size_t *count)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;

    *count = 0;
    if (!choices.text || *choices.text != '[' || choices.len > MOST_BYTES ||
        !jsontext_enter(&j, choices))
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

typedef struct union_parts {
    str items[MOST_CHOICES];
    size_t count;
    int is_too_long;
} union_parts;

/* Each part once. */
static void keep_part(union_parts *u, str part)
{
    for (size_t i = 0; i < u->count; i++)
        if (u->items[i].len == part.len && !memcmp(u->items[i].data, part.data, part.len)) {
            str_free(&part);
            return;
        }
    u->is_too_long |= u->count == MOST_CHOICES;
    if (u->is_too_long)
        str_free(&part);
    else
        u->items[u->count++] = part;
}

static int join_parts(str *out, const union_parts *u)
{
    int error = SNUG_OK;

    if (u->count == 0 || u->is_too_long)
        return str_add(out, "Any");
    for (size_t i = 0; i < u->count && !error; i++) {
        error = i > 0 ? str_add(out, " | ") : SNUG_OK;
        if (!error)
            error = str_add_str(out, &u->items[i]);
    }
    return error;
}

/* The parts are schemas, or the names of types of this one: "type": ["string", "null"]. */
static int write_union(str *out, writer *w, jsontext_span parts, const jsontext_span *schema)
{
    union_parts u = { .count = 0 };
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int error = SNUG_OK;

    jsontext_enter(&j, parts);
    while (!error && !u.is_too_long && jsontext_item(&j, &ignored, &value)) {
        str part = { 0 };
        error = schema ? write_named(&part, w, *schema, value) : write_schema(&part, w, value);
        if (error)
            str_free(&part);
        else
            keep_part(&u, part);
    }
    if (!error)
        error = join_parts(out, &u);
    for (size_t i = 0; i < u.count; i++)
        str_free(&u.items[i]);
    return error;
}

/* ---- lists and objects ---- */

static int write_list(str *out, writer *w, jsontext_span schema)
{
    const jsontext_span items = jsontext_member(schema, "items");
    int error = str_add(out, "list");

    /* What else says of items speaks of some of them alone. */
    if (error || !items.text || *items.text != '{' || jsontext_member(schema, "prefixItems").text)
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
    if (error || has_members(schema) || !others.text || *others.text != '{' ||
        jsontext_member(schema, "patternProperties").text)
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
    if (is_literal(constant) && constant.len <= MOST_BYTES) {
        int error = str_add(out, "Literal[");
        if (!error)
            error = write_literal(out, constant);
        return error ? error : str_add(out, "]");
    }
    for (size_t i = 0; i < sizeof unions / sizeof *unions; i++)
        if (is_list(jsontext_member(schema, unions[i])))
            return write_union(out, w, jsontext_member(schema, unions[i]), NULL);
    if (is_list(type))
        return write_union(out, w, type, &schema);
    if (!type.text && has_members(schema))
        return write_object(out, w, schema);
    return type.text ? write_named(out, w, schema, type) : str_add(out, "Any");
}

/* As OpenAPI says that it may be null. */
static int add_null(str *out, size_t from, jsontext_span schema)
{
    if (!jsontext_is(jsontext_member(schema, "nullable"), "true") ||
        !strcmp(out->data + from, "Any"))
        return SNUG_OK;
    return str_add(out, " | None");
}

static int write_schema(str *out, writer *w, jsontext_span schema)
{
    const size_t from = out->len;

    if (!schema.text || *schema.text != '{' || w->level == MOST_LEVELS)
        return str_add(out, "Any");
    w->level++;
    const int error = write_one(out, w, schema);
    w->level--;
    return error ? error : add_null(out, from, schema);
}

/* What is too long with all its levels is written with fewer of them. *w: what was found then. */
static int write_briefly(str *out, writer *w, jsontext_span schema, int has_members)
{
    int error = SNUG_OK;

    for (int level = 0; !error && level <= MOST_LEVELS; level++) {
        *w = (writer){ .has_members = has_members, .level = level };
        str_clear(out);
        error = write_schema(out, w, schema);
        if (out->len <= MOST_BYTES)
            break;
    }
    return error;
}

int schema_write_type(str *out, jsontext_span schema)
{
    writer w;
    str type = { 0 };
    int error = write_briefly(&type, &w, schema, 0);

    if (!error)
        error = str_add_str(out, &type);
    str_free(&type);
    return error;
}

int schema_write_shape(str *out, jsontext_span schema)
{
    writer w;
    str shape = { 0 };
    int error = write_briefly(&shape, &w, schema, 1);

    if (!error && w.wrote_members)
        error = str_add_str(out, &shape);
    str_free(&shape);
    return error;
}
