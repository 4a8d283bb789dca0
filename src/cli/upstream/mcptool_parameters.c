#include "cli/upstream/mcptool_inside.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "cli/upstream/schema_type.h"

/* Names that begin with two underscores are for places alone in stubs. */
static int is_parameter_name(const char *name)
{
    if (is_digit(*name) || !*name || mcptool_is_keyword(name) || !strncmp(name, "__", 2))
        return 0;
    for (; *name; name++)
        if (!is_word(*name))
            return 0;
    return 1;
}

/* ---- one parameter ---- */

static const char *annotation_of(const schema_parts *parts)
{
    static const char *const types[][2] = {
        { "\"string\"", "str" },   { "\"integer\"", "int" }, { "\"number\"", "float" },
        { "\"boolean\"", "bool" }, { "\"array\"", "list" },  { "\"object\"", "dict" },
    };
    const jsontext_span type = schema_parts_find(parts, SCHEMA_type);

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (jsontext_is(type, types[i][0]))
            return types[i][1];
    return NULL;
}

/* That have names in a signature, and are looked at: a server chooses how many there are, and the
 * work grows by their square. */
enum { MOST_PARAMETERS = 200 };

static int has_item(jsontext_span list, const char *name)
{
    size_t count = 0;
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int found = 0;

    if (!list.text || !jsontext_enter(&j, list))
        return 0;
    while (!found && count++ < MOST_PARAMETERS && jsontext_item(&j, &ignored, &value)) {
        str text = { 0 };
        found = jsontext_string(&text, value) == SNUG_OK && !strcmp(str_text(&text), name);
        str_free(&text);
    }

    return found;
}

static int add_optional(mcptool *t, const char *name)
{
    if (array_reserve(&t->optional, &t->optional_cap, t->optional_count + 1, sizeof *t->optional))
        return SNUG_ENOMEM;
    char *copy = strdup(name);
    if (!copy)
        return SNUG_ENOMEM;

    t->optional[t->optional_count++] = copy;
    return SNUG_OK;
}

/* Whether the JSON is the same in Python, and cannot end the list of parameters. */
static int is_plain_default(jsontext_span value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  " _.,:;/+-";
    enum { MOST_BYTES = 60 };

    if (!value.text || value.len == 0 || value.len > MOST_BYTES)
        return 0;
    if (value.text[0] == '"')
        return 2 + strspn(value.text + 1, letters) == value.len;
    return value.text[0] == '-' || is_digit(value.text[0]);
}

/* What the parameter is where a call leaves it out. */
static int write_default(str *out, jsontext_span value)
{
    if (value.text && jsontext_is(value, "true"))
        return str_add(out, "True");
    if (value.text && jsontext_is(value, "false"))
        return str_add(out, "False");
    if (is_plain_default(value))
        return str_append(out, value.text, value.len);
    return str_add(out, "None");
}

/* The same for a stub: "..." where it is not plain, or is left out. */
static int write_typed(str *out, schema_document *d, const char *name, jsontext_span property,
                       int is_required)
{
    const jsontext_span value = jsontext_member(property, "default");
    str type = { 0 };
    int error = schema_write_type(&type, d, property);

    if (!error)
        error = str_printf(out, "%s%s: %s", out->len > 0 ? ", " : "", name, str_text(&type));
    str_free(&type);
    if (error || is_required)
        return error;

    str text = { 0 };
    error = write_default(&text, value);
    if (!error)
        error = str_printf(out, " = %s", strcmp(str_text(&text), "None") ? text.data : "...");
    str_free(&text);
    return error;
}

static int write_parameter(str *out, schema_document *d, const char *name, jsontext_span property,
                           int is_required)
{
    schema_parts parts;
    if (schema_parts_read(&parts, d, property))
        return SNUG_ENOMEM;

    const char *annotation = annotation_of(&parts);
    int failed = str_printf(out, "%s%s", out->len > 0 ? ", " : "", name);

    if (!failed && annotation)
        failed = str_printf(out, ": %s", annotation);
    if (!failed && !is_required)
        failed = str_add(out, annotation ? " = " : "=");
    if (!failed && !is_required)
        failed = write_default(out, jsontext_member(property, "default"));
    return failed;
}

/* The parameters for Python to compile, and those of the stub. */
typedef struct parameters {
    str signature, typed;
} parameters;

static int put_parameter(parameters *out, mcptool *t, schema_document *d, const char *name,
                         jsontext_span property, int is_required)
{
    int error = write_parameter(&out->signature, d, name, property, is_required);
    if (!error)
        error = write_typed(&out->typed, d, name, property, is_required);
    if (!error && !is_required)
        error = add_optional(t, name);
    return error;
}

/* ---- all of them ---- */

static jsontext_span properties_of(const mcptool_input *in, size_t part)
{
    return in->parts.of[part].of[SCHEMA_properties];
}

static int is_required(const mcptool_input *in, const char *name)
{
    int found = 0;
    for (size_t i = 0; i < in->parts.count && !found; i++)
        found = has_item(in->parts.of[i].of[SCHEMA_required], name);
    return found;
}

int mcptool_has_property(const mcptool_input *in, size_t parts, const char *name)
{
    for (size_t i = 0; i < parts; i++)
        if (jsontext_member(properties_of(in, i), name).text)
            return 1;
    return 0;
}

/* Those of one part that are required, or the others. *has_more: there is one that no parameter
 * can name. */
static int add_parameters(parameters *out, mcptool *t, const mcptool_input *in, size_t part,
                          int wanted, int *has_more)
{
    jsontext j;
    jsontext_token key;
    jsontext_span property, properties = properties_of(in, part);
    int error = SNUG_OK;

    if (!properties.text || !jsontext_enter(&j, properties) || j.open[0] != '{')
        return SNUG_OK;

    while (!error && jsontext_item(&j, &key, &property)) {
        str name = { 0 };
        error = jsontext_token_string(&name, &key);
        if (error || mcptool_has_property(in, part, str_text(&name))) {
            str_free(&name);
            continue;
        }

        /* Of a name that is there twice, the last counts, as everywhere. */
        int is_last = jsontext_member(properties, str_text(&name)).text == property.text;
        if (!is_last)
            *has_more |= key.has_escapes;
        else if (!is_parameter_name(str_text(&name)))
            *has_more = 1;
        else if (is_required(in, str_text(&name)) == wanted)
            error = put_parameter(out, t, in->document, name.data, property, wanted);
        str_free(&name);
    }

    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* A name that no parameter has. */
static int add_others(parameters *out, const mcptool_input *in)
{
    str name = { 0 };
    int error = str_add(&name, "others");
    while (!error && mcptool_has_property(in, in->parts.count, name.data))
        error = str_add(&name, "_");
    const char *comma = out->signature.len > 0 ? ", " : "";
    if (!error)
        error = str_printf(&out->signature, "%s**%s", comma, name.data);
    if (!error)
        error = str_printf(&out->typed, "%s**%s: Any", comma, name.data);
    str_free(&name);
    return error;
}

static size_t count_items(const mcptool_input *in, int keyword)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span one;
    size_t count = 0;

    for (size_t i = 0; i < in->parts.count; i++) {
        const jsontext_span value = in->parts.of[i].of[keyword];
        if (!value.text || !jsontext_enter(&j, value))
            continue;
        while (jsontext_item(&j, &ignored, &one))
            count++;
    }
    return count;
}

/* ---- whether there are others ---- */

/* Whether it has a name, as its own or of a property, that no property has. */
static int names_others(const mcptool_input *in, jsontext_span list, int is_of_properties)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;
    size_t count = 0;
    int found = 0;

    if (!list.text || !jsontext_enter(&j, list))
        return 0;
    while (!found && count++ < MOST_PARAMETERS && jsontext_item(&j, &key, &value)) {
        str name = { 0 };
        const int error =
            is_of_properties ? jsontext_token_string(&name, &key) : jsontext_string(&name, value);
        if (!error)
            found = !mcptool_has_property(in, in->parts.count, str_text(&name));
        str_free(&name);
    }
    return found || count > MOST_PARAMETERS;
}

/* What holds for some objects alone: as far as a look at it shows. */
static int branch_has_others(const mcptool_input *in, jsontext_span branch)
{
    static const int others[] = {
        SCHEMA_ref,
        SCHEMA_dynamicRef,
        SCHEMA_recursiveRef,
        SCHEMA_allOf,
        SCHEMA_anyOf,
        SCHEMA_oneOf,
        SCHEMA_if,
        SCHEMA_dependentSchemas,
        SCHEMA_else,
        SCHEMA_then,
        SCHEMA_additionalProperties,
        SCHEMA_patternProperties,
    };
    schema_parts parts;

    /* Without a document its references lead nowhere. */
    if (schema_parts_read(&parts, NULL, branch))
        return 1;
    for (size_t i = 0; i < parts.count; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (parts.of[i].of[others[k]].text)
                return 1;
    return names_others(in, schema_parts_find(&parts, SCHEMA_properties), 1);
}

static int branches_have_others(const mcptool_input *in, const schema_keywords *part)
{
    static const int alone[] = { SCHEMA_if, SCHEMA_then, SCHEMA_else };
    static const int several[] = { SCHEMA_anyOf, SCHEMA_oneOf, SCHEMA_dependentSchemas,
                                   SCHEMA_dependencies };
    jsontext j;
    jsontext_token ignored;
    jsontext_span branch;

    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (branch_has_others(in, part->of[alone[i]]))
            return 1;
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        if (!part->of[several[i]].text || !jsontext_enter(&j, part->of[several[i]]))
            continue;
        while (jsontext_item(&j, &ignored, &branch))
            if (branch_has_others(in, branch))
                return 1;
    }
    return part->of[SCHEMA_dynamicRef].text || part->of[SCHEMA_recursiveRef].text;
}

static int says(jsontext_span others, int is_open)
{
    return others.text && jsontext_is(others, "false") != is_open;
}

/* Whether it is said that there are others than the properties. */
static int is_open(const mcptool_input *in)
{
    static const int keywords[] = { SCHEMA_additionalProperties, SCHEMA_unevaluatedProperties };
    int has_properties = 0, is_closed = 0;

    for (size_t i = 0; i < in->parts.count; i++) {
        const schema_keywords *part = &in->parts.of[i];
        if (part->of[SCHEMA_patternProperties].text || branches_have_others(in, part))
            return 1;
        for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++) {
            if (says(part->of[keywords[k]], 1))
                return 1;
            is_closed |= says(part->of[keywords[k]], 0);
        }
        has_properties |= part->of[SCHEMA_properties].text != NULL;
    }
    return in->parts.is_partial || (!has_properties && !is_closed);
}

/* Whether one is required that is not a property. */
static int needs_more(const mcptool_input *in)
{
    int found = 0;
    for (size_t i = 0; i < in->parts.count && !found; i++)
        found = names_others(in, in->parts.of[i].of[SCHEMA_required], 0);
    return found;
}

static int add_all(parameters *out, mcptool *t, const mcptool_input *in, int *has_more)
{
    int error = SNUG_OK;

    for (int wanted = 1; wanted >= 0; wanted--)
        for (size_t i = 0; i < in->parts.count && !error; i++)
            error = add_parameters(out, t, in, i, wanted, has_more);
    return error;
}

/* Of very many parameters none has a name here: calls give them as they like. */
int mcptool_write_signature(mcptool *out, const mcptool_input *in)
{
    const int has_too_many = count_items(in, SCHEMA_properties) > MOST_PARAMETERS ||
                             count_items(in, SCHEMA_required) > MOST_PARAMETERS;
    int has_more = has_too_many || is_open(in) || needs_more(in);
    parameters p = { 0 };
    int error = has_too_many ? SNUG_OK : add_all(&p, out, in, &has_more);

    if (!error && has_more)
        error = add_others(&p, in);
    out->signature = str_take(&p.signature);
    out->typed = str_take(&p.typed);
    if (!error && (!out->signature || !out->typed))
        error = SNUG_ENOMEM;
    return error;
}
