#include "cli/upstream/mcptool.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "cli/upstream/param_headers.h"
#include "cli/upstream/schema_type.h"

/* ---- names ---- */

int mcptool_is_keyword(const char *name)
{
    /* __snug_call__ is what the function itself calls: py/host/toolbind.c. */
    static const char *const words[] = {
        "False",         "None",     "True",  "and",    "as",       "assert",
        "async",         "await",    "break", "class",  "continue", "def",
        "del",           "elif",     "else",  "except", "finally",  "for",
        "from",          "global",   "if",    "import", "in",       "is",
        "lambda",        "nonlocal", "not",   "or",     "pass",     "raise",
        "return",        "try",      "while", "with",   "yield",    "__debug__",
        "__snug_call__",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i], name))
            return 1;
    return 0;
}

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

/* Names that a session keeps itself (In, _, _3) or a module has (__name__): no tool's. */
static int is_reserved_name(const char *name)
{
    size_t len = strlen(name), digits = 1 + strspn(name + 1, "0123456789");
    if (*name != '_')
        return !strcmp(name, "In") || !strcmp(name, "Out");
    return digits == len || strspn(name, "_") == len ||
           (name[1] == '_' && !strcmp(name + len - 2, "__"));
}

enum { NAME_BYTES = 200 }; /* of 256 that a tool may have: the rest is for a number */

static int write_identifier(str *out, const char *remote)
{
    int error = is_digit(*remote) ? str_add(out, "_") : SNUG_OK;

    for (; *remote && !error && out->len < NAME_BYTES; remote++) {
        int stays = is_word(*remote);
        /* One for each character, also of several bytes. */
        if (stays || ((unsigned char)*remote & 0xc0) != 0x80)
            error = str_append(out, stays ? remote : "_", 1);
    }

    if (!error && (out->len == 0 || mcptool_is_keyword(out->data)))
        error = str_add(out, "_");
    return error;
}

static int make_identifier(str *out, const char *remote)
{
    str name = { 0 };
    int error = write_identifier(&name, remote);
    if (!error)
        error = str_printf(out, "%s%s", is_reserved_name(name.data) ? "tool_" : "", name.data);
    str_free(&name);
    return error;
}

int mcptool_rename(mcptool *t, unsigned number)
{
    str name = { 0 };
    if (str_printf(&name, "%.*s_%u", (int)t->name_len, t->name, number))
        return SNUG_ENOMEM;
    free(t->name);
    t->name = str_take(&name);
    return SNUG_OK;
}

static int put_before(mcptool *t, const char *text, const char *between)
{
    str name = { 0 };
    if (str_printf(&name, "%s%s%.*s", text, between, (int)t->name_len, t->name))
        return SNUG_ENOMEM;
    free(t->name);
    t->name_len = name.len;
    t->name = str_take(&name);
    return SNUG_OK;
}

int mcptool_place(mcptool *t, const char *server)
{
    return put_before(t, server, ".");
}

int mcptool_prefix(mcptool *t)
{
    return put_before(t, "tool", "_");
}

/* ---- the signature ---- */

static const char *annotation_of(jsontext_span property)
{
    static const char *const types[][2] = {
        { "\"string\"", "str" },   { "\"integer\"", "int" }, { "\"number\"", "float" },
        { "\"boolean\"", "bool" }, { "\"array\"", "list" },  { "\"object\"", "dict" },
    };
    jsontext_span type = jsontext_member(property, "type");

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
static int write_typed(str *out, const char *name, jsontext_span property, int is_required)
{
    const jsontext_span value = jsontext_member(property, "default");
    str type = { 0 };
    int error = schema_write_type(&type, property);

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

static int write_parameter(str *out, const char *name, jsontext_span property, int is_required)
{
    const char *annotation = annotation_of(property);
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

static int put_parameter(parameters *out, mcptool *t, const char *name, jsontext_span property,
                         int is_required)
{
    int error = write_parameter(&out->signature, name, property, is_required);
    if (!error)
        error = write_typed(&out->typed, name, property, is_required);
    if (!error && !is_required)
        error = add_optional(t, name);
    return error;
}

/* Those that are required, or the others. *has_more: there is one that no parameter can name. */
static int add_parameters(parameters *out, mcptool *t, jsontext_span schema, int wanted,
                          int *has_more)
{
    jsontext j;
    jsontext_token key;
    jsontext_span property, required = jsontext_member(schema, "required");
    jsontext_span properties = jsontext_member(schema, "properties");
    int error = SNUG_OK;

    if (!properties.text || !jsontext_enter(&j, properties) || j.open[0] != '{')
        return SNUG_OK;

    while (!error && jsontext_item(&j, &key, &property)) {
        str name = { 0 };
        error = jsontext_token_string(&name, &key);
        if (error) {
            str_free(&name);
            break;
        }

        /* Of a name that is there twice, the last counts, as everywhere. */
        int is_last = jsontext_member(properties, str_text(&name)).text == property.text;
        int is_required = has_item(required, str_text(&name));
        if (!is_last)
            *has_more |= key.has_escapes;
        else if (!is_parameter_name(str_text(&name)))
            *has_more = 1;
        else if (is_required == wanted)
            error = put_parameter(out, t, name.data, property, is_required);
        str_free(&name);
    }

    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* A name that no parameter has. */
static int add_others(parameters *out, jsontext_span schema)
{
    str name = { 0 };
    int error = str_add(&name, "others");
    while (!error && jsontext_member(jsontext_member(schema, "properties"), name.data).text)
        error = str_add(&name, "_");
    const char *comma = out->signature.len > 0 ? ", " : "";
    if (!error)
        error = str_printf(&out->signature, "%s**%s", comma, name.data);
    if (!error)
        error = str_printf(&out->typed, "%s**%s: Any", comma, name.data);
    str_free(&name);
    return error;
}

static size_t count_items(jsontext_span value)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span one;
    size_t count = 0;

    if (!value.text || !jsontext_enter(&j, value))
        return 0;
    while (jsontext_item(&j, &ignored, &one))
        count++;
    return count;
}

/* Whether it is said that there are others than the properties. */
static int is_open(jsontext_span schema)
{
    const jsontext_span others = jsontext_member(schema, "additionalProperties");

    if (!jsontext_member(schema, "properties").text)
        return !jsontext_is(others, "false");
    return jsontext_member(schema, "patternProperties").text ||
           (others.text && !jsontext_is(others, "false"));
}

/* Whether one is required that is not a property. */
static int needs_more(jsontext_span schema)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value, required = jsontext_member(schema, "required");
    size_t count = 0;
    int found = 0;

    if (!required.text || !jsontext_enter(&j, required))
        return 0;
    while (!found && count++ < MOST_PARAMETERS && jsontext_item(&j, &ignored, &value)) {
        str name = { 0 };
        if (jsontext_string(&name, value) == SNUG_OK)
            found = !jsontext_member(jsontext_member(schema, "properties"), str_text(&name)).text;
        str_free(&name);
    }
    return found;
}

/* Of very many parameters none has a name here: calls give them as they like. */
static int write_signature(parameters *out, mcptool *t, jsontext_span schema)
{
    const int has_too_many = count_items(jsontext_member(schema, "properties")) > MOST_PARAMETERS ||
                             count_items(jsontext_member(schema, "required")) > MOST_PARAMETERS;
    int has_more = has_too_many || is_open(schema) || needs_more(schema);

    if (!has_too_many && (add_parameters(out, t, schema, 1, &has_more) ||
                          add_parameters(out, t, schema, 0, &has_more)))
        return SNUG_ENOMEM;

    if (has_more && add_others(out, schema))
        return SNUG_ENOMEM;
    return SNUG_OK;
}

/* ---- the docstring ---- */

enum { MOST_CHOICES = 50 };

/* "One of "celsius", "kelvin"." */
static int describe_choices(str *out, jsontext_span choices)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    size_t count = 0;
    int failed = 0;

    if (!choices.text || choices.text[0] != '[' || !jsontext_enter(&j, choices))
        return SNUG_OK;
    while (!failed && count < MOST_CHOICES && jsontext_item(&j, &ignored, &value)) {
        const char *before = out->len > 0 ? " One of " : "One of ";
        if (value.text[0] == '[' || value.text[0] == '{')
            continue;
        failed = str_add(out, count++ > 0 ? ", " : before);
        if (!failed)
            failed = str_append(out, value.text, value.len);
    }

    if (!failed && count > 0)
        failed = str_add(out, count < MOST_CHOICES ? "." : ", ...");
    return failed ? SNUG_ENOMEM : SNUG_OK;
}

/* What dicts have, which no annotation says. */
static int describe_shape(str *out, jsontext_span schema)
{
    str shape = { 0 };
    int error = schema_write_shape(&shape, schema);

    if (!error && shape.len > 0)
        error = str_printf(out, "%s(%s)", out->len > 0 ? " " : "", shape.data);
    str_free(&shape);
    return error;
}

/* What its schema says of it; nothing where that is its name and type alone. */
static int describe_property(str *out, jsontext_span property)
{
    if (jsontext_string(out, jsontext_member(property, "description")) == SNUG_ENOMEM)
        return SNUG_ENOMEM;
    if (describe_choices(out, jsontext_member(property, "enum")))
        return SNUG_ENOMEM;
    return describe_shape(out, property);
}

static int describe_parameter(str *out, const jsontext_token *key, const char *text)
{
    int failed = str_add(out, "\n    ");
    if (!failed)
        failed = jsontext_token_string(out, key);
    if (!failed)
        failed = str_printf(out, ": %s", text);
    return failed;
}

static int describe_parameters(str *out, jsontext_span properties)
{
    jsontext j;
    jsontext_token key;
    jsontext_span property;
    int failed = 0, has_title = 0;

    if (!properties.text || !jsontext_enter(&j, properties) || j.open[0] != '{')
        return SNUG_OK;

    while (!failed && jsontext_item(&j, &key, &property)) {
        str text = { 0 };
        failed = describe_property(&text, property);
        if (!failed && text.len > 0) {
            if (!has_title)
                failed = str_printf(out, "%sArguments:", out->len > 0 ? "\n\n" : "");
            has_title = 1;
            if (!failed)
                failed = describe_parameter(out, &key, str_text(&text));
        }
        str_free(&text);
    }

    return failed ? SNUG_ENOMEM : SNUG_OK;
}

static int describe_result(str *out, jsontext_span schema)
{
    str shape = { 0 };
    int error = schema_write_shape(&shape, schema);

    if (!error && shape.len > 0 && out->len > 0)
        error = str_add(out, "\n\n");
    if (!error && shape.len > 0)
        error = str_printf(out, "Returns: %s", shape.data);
    str_free(&shape);
    return error;
}

static int write_doc(str *out, jsontext_span description, jsontext_span schema)
{
    if (jsontext_string(out, jsontext_member(description, "description")) == SNUG_ENOMEM)
        return SNUG_ENOMEM;
    if (describe_parameters(out, jsontext_member(schema, "properties")))
        return SNUG_ENOMEM;
    return describe_result(out, jsontext_member(description, "outputSchema"));
}

static int keep_mirrored(mcptool *out, jsontext_span schema)
{
    static const char key[] = "\"x-mcp-header\"";

    if (!schema.text || !memmem(schema.text, schema.len, key, sizeof key - 1))
        return SNUG_OK;
    out->fault = param_headers_fault(schema);
    out->mirrored = strndup(schema.text, schema.len);
    return out->mirrored ? SNUG_OK : SNUG_ENOMEM;
}

int mcptool_read(mcptool *out, jsontext_span description)
{
    str remote = { 0 }, name = { 0 }, doc = { 0 }, result = { 0 };
    parameters p = { 0 };
    jsontext_span schema = jsontext_member(description, "inputSchema");

    *out = (mcptool){ 0 };
    out->is_read_only = jsontext_is(
        jsontext_member(jsontext_member(description, "annotations"), "readOnlyHint"), "true");
    int error = jsontext_string(&remote, jsontext_member(description, "name"));
    if (!error && remote.len == 0)
        error = SNUG_EINVAL;
    if (!error)
        error = make_identifier(&name, remote.data);
    if (!error)
        error = write_signature(&p, out, schema);
    if (!error)
        error = schema_write_type(&result, jsontext_member(description, "outputSchema"));
    if (!error)
        error = write_doc(&doc, description, schema);
    if (!error)
        error = keep_mirrored(out, schema);

    out->remote = str_take(&remote);
    out->name_len = name.len;
    out->name = str_take(&name);
    out->signature = str_take(&p.signature);
    out->typed = str_take(&p.typed);
    out->result = str_take(&result);
    out->doc = str_take(&doc);
    if (!error &&
        (!out->remote || !out->name || !out->signature || !out->typed || !out->result || !out->doc))
        error = SNUG_ENOMEM;
    if (error)
        mcptool_free(out);
    return error;
}

void mcptool_free(mcptool *t)
{
    for (size_t i = 0; i < t->optional_count; i++)
        free(t->optional[i]);
    free(t->optional);
    free(t->remote);
    free(t->name);
    free(t->signature);
    free(t->typed);
    free(t->result);
    free(t->doc);
    free(t->mirrored);
    *t = (mcptool){ 0 };
}

/* ---- to and fro ---- */

static int is_left_out(const mcptool *t, const jsontext_token *key, jsontext_span value)
{
    str name = { 0 };
    int found = 0;

    if (!jsontext_is(value, "null") || jsontext_token_string(&name, key))
        return 0;
    for (size_t i = 0; i < t->optional_count && !found; i++)
        found = !strcmp(t->optional[i], str_text(&name));
    str_free(&name);
    return found;
}

static int append_argument(str *out, const jsontext_token *key, jsontext_span value, int is_first)
{
    int error = str_add(out, is_first ? "\"" : ", \"");

    if (!error)
        error = str_append(out, key->text, key->len);
    if (!error)
        error = str_add(out, "\": ");
    if (!error)
        error = str_append(out, value.text, value.len);
    return error;
}

int mcptool_write_arguments(str *out, const mcptool *t, const char *arguments)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value, object = { arguments, strlen(arguments) };
    int error = str_add(out, "{"), is_first = 1;

    jsontext_enter(&j, object);
    while (!error && jsontext_item(&j, &key, &value)) {
        if (is_left_out(t, &key, value))
            continue;
        error = append_argument(out, &key, value, is_first);
        is_first = 0;
    }

    if (!error)
        error = str_add(out, "}");
    return error;
}

/* Whether all of the content is text; that is appended then, a line end between the blocks. */
static int append_text_blocks(str *out, jsontext_span content)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span block;
    size_t blocks = 0;

    if (!content.text || !jsontext_enter(&j, content))
        return 0;

    while (jsontext_item(&j, &ignored, &block)) {
        if (!jsontext_is(jsontext_member(block, "type"), "\"text\""))
            return 0;
        if (blocks++ > 0 && str_add(out, "\n"))
            return 0;
        if (jsontext_string(out, jsontext_member(block, "text")))
            return 0;
    }

    return 1;
}

/* What a call answers as JSON. */
static int append_result(str *out, jsontext_span result)
{
    jsontext_span structured = jsontext_member(result, "structuredContent");
    jsontext_span content = jsontext_member(result, "content");

    if (structured.text && !jsontext_is(structured, "null"))
        return str_append(out, structured.text, structured.len);

    str text = { 0 };
    int error;
    if (append_text_blocks(&text, content))
        error = jsontext_quote(out, str_text(&text), text.len);
    else if (content.text)
        error = str_append(out, content.text, content.len);
    else
        error = str_add(out, "null");

    str_free(&text);
    return error;
}

/* Why it failed. */
static int append_failure(str *out, jsontext_span result)
{
    str text = { 0 };
    int has_text = append_text_blocks(&text, jsontext_member(result, "content"));
    int error;

    if (has_text && text.len > 0)
        error = str_append(out, text.data, text.len);
    else
        error = str_add(out, "the tool failed");

    str_free(&text);
    return error;
}

int mcptool_read_result(str *out, int *is_fine, jsontext_span result)
{
    *is_fine = 0;
    if (*result.text != '{')
        return str_add(out, "the MCP server answered without a result");
    *is_fine = !jsontext_is(jsontext_member(result, "isError"), "true");
    if (*is_fine)
        return append_result(out, result);
    return append_failure(out, result);
}
