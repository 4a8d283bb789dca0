#include "cli/upstream/mcptool.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "cli/upstream/schema.h"

/* That have names in a signature: a server chooses how many there are, and the work grows by their
 * square. */
enum { MOST_PARAMETERS = 200 };

/* The parameters for Python to compile, and those of the stub. */
typedef struct parameters {
    mcptool *tool;
    schema_document *document;
    str signature, typed;
} parameters;

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

static const char *annotation_of(jsontext_span type)
{
    static const char *const types[][2] = {
        { "\"string\"", "str" },   { "\"integer\"", "int" }, { "\"number\"", "float" },
        { "\"boolean\"", "bool" }, { "\"array\"", "list" },  { "\"object\"", "dict" },
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (jsontext_is(type, types[i][0]))
            return types[i][1];
    return NULL;
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

/* In the signature, and in the stub, where "..." is a default that is left out. */
static int add_parameter(parameters *p, const char *name, jsontext_span property, int is_required)
{
    str type = { 0 }, value = { 0 };
    json_schema s;
    int error = schema_write_type(&type, p->document, property);

    schema_read(&s, p->document, property);
    const char *annotation = annotation_of(s.type);
    if (!is_required)
        write_default(&value, jsontext_member(property, "default"));
    str_printf(&p->signature, "%s%s%s%s%s%s", p->signature.len > 0 ? ", " : "", name,
               annotation ? ": " : "", annotation ? annotation : "",
               is_required  ? ""
               : annotation ? " = "
                            : "=",
               str_text(&value));
    str_printf(&p->typed, "%s%s: %s%s%s", p->typed.len > 0 ? ", " : "", name, str_text(&type),
               is_required ? "" : " = ",
               strcmp(str_text(&value), "None") ? str_text(&value) : "...");
    error = error ? error : str_error(&value);
    if (!error && !is_required)
        error = add_optional(p->tool, name);
    str_free(&type);
    str_free(&value);
    return error;
}

/* ---- all of them ---- */

/* Those that are required, or the others. *has_more: there is one that no parameter can name. */
static int add_parameters(parameters *p, const json_schema *root, int wanted, int *has_more)
{
    jsontext j;
    jsontext_token key;
    jsontext_span property;
    int error = SNUG_OK;

    if (!root->properties.text || *root->properties.text != '{')
        return SNUG_OK;
    jsontext_enter(&j, root->properties);
    while (!error && jsontext_item(&j, &key, &property)) {
        str name = { 0 };
        error = jsontext_token_string(&name, &key);
        /* Of a name that is there twice, the last counts, as everywhere. */
        const int is_last =
            !error && jsontext_member(root->properties, str_text(&name)).text == property.text;
        if (!is_last)
            *has_more |= key.has_escapes;
        else if (!is_parameter_name(str_text(&name)))
            *has_more = 1;
        else if (schema_lists(root->required, name.data) == wanted)
            error = add_parameter(p, name.data, property, wanted);
        str_free(&name);
    }
    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* A name that no parameter has. */
static int add_others(parameters *p, const json_schema *root)
{
    const char *comma = p->signature.len > 0 ? ", " : "";
    str name = { 0 };

    str_add(&name, "others");
    while (!str_error(&name) && jsontext_member(root->properties, name.data).text)
        str_add(&name, "_");
    str_printf(&p->signature, "%s**%s", comma, str_text(&name));
    str_printf(&p->typed, "%s**%s: Any", comma, str_text(&name));
    const int error = str_error(&name);
    str_free(&name);
    return error;
}

static size_t count_items(jsontext_span value)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span one;
    size_t count = 0;

    if (value.text && jsontext_enter(&j, value))
        while (jsontext_item(&j, &ignored, &one))
            count++;
    return count;
}

/* ---- whether there are others ---- */

/* Whether it says more of an object than its own properties do. */
static int says_more(jsontext_span schema)
{
    static const char *const keywords[] = { "$dynamicRef",
                                            "$recursiveRef",
                                            "allOf",
                                            "anyOf",
                                            "oneOf",
                                            "if",
                                            "then",
                                            "else",
                                            "dependentSchemas",
                                            "dependencies",
                                            "patternProperties" };
    static const char *const others[] = { "additionalProperties", "unevaluatedProperties" };

    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (jsontext_member(schema, keywords[i]).text)
            return 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const jsontext_span value = jsontext_member(schema, others[i]);
        if (value.text && !jsontext_is(value, "false"))
            return 1;
    }
    return 0;
}

/* Whether one is required that is not a property. */
static int needs_more(const json_schema *root)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int found = 0;

    if (!root->required.text || !jsontext_enter(&j, root->required))
        return 0;
    while (!found && jsontext_item(&j, &ignored, &value)) {
        str name = { 0 };
        found = !jsontext_string(&name, value) &&
                !jsontext_member(root->properties, str_text(&name)).text;
        str_free(&name);
    }
    return found;
}

static int has_others(const json_schema *root, jsontext_span whole)
{
    if (!root->whole.text || says_more(root->whole))
        return 1;
    if (root->whole.text != whole.text &&
        (jsontext_member(whole, "properties").text || says_more(whole)))
        return 1;
    return needs_more(root) ||
           (!root->properties.text && !jsontext_is(root->additional_properties, "false"));
}

/* Of very many parameters none has a name here: calls give them as they like. */
int mcptool_write_signature(mcptool *out, schema_document *d, const json_schema *root)
{
    parameters p = { .tool = out, .document = d };
    const int has_too_many = count_items(root->properties) > MOST_PARAMETERS ||
                             count_items(root->required) > MOST_PARAMETERS;
    int has_more = has_too_many || has_others(root, d->root), error = SNUG_OK;

    for (int wanted = 1; wanted >= 0 && !has_too_many && !error; wanted--)
        error = add_parameters(&p, root, wanted, &has_more);
    if (!error && has_more)
        error = add_others(&p, root);
    out->signature = str_take(&p.signature);
    out->typed = str_take(&p.typed);
    if (!error && (!out->signature || !out->typed))
        error = SNUG_ENOMEM;
    return error;
}
