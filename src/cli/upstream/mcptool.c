#include "cli/upstream/mcptool.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "cli/upstream/schema.h"

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

/* ---- parameters ---- */

/* That have names in a signature: a server chooses how many there are, and the work grows by their
 * square. */
enum { MOST_PARAMETERS = 200 };

/* The parameters for Python to compile, and those of the stub. */
typedef struct parameters {
    mcptool *tool;
    schema_document *document;
    str signature, types;
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
    int error = schema_write_type(&type, p->document, property, 0);

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
    str_printf(&p->types, "%s%s: %s%s%s", p->types.len > 1 ? ", " : "", name, str_text(&type),
               is_required ? "" : " = ",
               strcmp(str_text(&value), "None") ? str_text(&value) : "...");
    error = error ? error : str_error(&value);
    if (!error && !is_required)
        error = add_optional(p->tool, name);
    str_free(&type);
    str_free(&value);
    return error;
}

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
    for (int i = 0; !error && i < MOST_PARAMETERS && jsontext_item(&j, &key, &property); i++) {
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
    str_printf(&p->types, "%s**%s: Any", comma, str_text(&name));
    const int error = str_error(&name);
    str_free(&name);
    return error;
}

/* Whether calls may give more than the properties: by other keywords, or where there are too many.
 */
static int has_others(const json_schema *root, jsontext_span whole)
{
    static const char *const keywords[] = {
        "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"
    };
    const jsontext_span others = jsontext_member(root->whole, "additionalProperties");
    jsontext j;
    jsontext_token ignored;
    jsontext_span one;
    size_t count = 0;

    if (!root->whole.text ||
        (root->whole.text != whole.text && jsontext_member(whole, "properties").text))
        return 1;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (jsontext_member(root->whole, keywords[i]).text)
            return 1;
    if (!root->properties.text || !jsontext_enter(&j, root->properties))
        return !root->properties.text && !jsontext_is(others, "false");
    while (jsontext_item(&j, &ignored, &one))
        count++;
    return count > MOST_PARAMETERS || (others.text && !jsontext_is(others, "false"));
}

/* Of very many parameters none has a name here: calls give them as they like. */
static int write_signature(mcptool *out, schema_document *d, const json_schema *root,
                           schema_document *output)
{
    parameters p = { .tool = out, .document = d };
    int has_more = has_others(root, d->root), error = str_add(&p.types, "(");

    for (int wanted = 1; wanted >= 0 && !error; wanted--)
        error = add_parameters(&p, root, wanted, &has_more);
    if (!error && has_more)
        error = add_others(&p, root);
    str_add(&p.types, ") -> ");
    if (!error)
        error = schema_write_type(&p.types, output, output->root, 0);
    out->signature = str_take(&p.signature);
    out->types = str_take(&p.types);
    if (!error && (!out->signature || !out->types))
        error = SNUG_ENOMEM;
    return error;
}

/* ---- the docstring ---- */

/* Choices, and what dicts have: what an annotation of the signature does not say. */
static int describe_type(str *out, schema_document *d, jsontext_span schema, int is_result)
{
    static const char choices[] = "Literal[";
    str type = { 0 };

    schema_write_type(&type, d, schema, 1);
    const char *text = str_text(&type), *before = out->len == 0 ? "" : is_result ? "\n\n" : " ";
    if (is_result && strchr(text, '{'))
        str_printf(out, "%s%s: %s", before, "Returns", text);
    else if (!is_result && !strncmp(text, choices, sizeof choices - 1) && !strstr(text, "] | "))
        str_printf(out, "%sOne of %.*s.", before, (int)(type.len - sizeof choices),
                   text + sizeof choices - 1);
    else if (!is_result && (strchr(text, '{') || strstr(text, choices)))
        str_printf(out, "%s(%s)", before, text);
    const int error = str_error(&type);
    str_free(&type);
    return error ? error : str_error(out);
}

/* What its schema says of it; nothing where that is its name and type alone. */
static int describe_property(str *out, schema_document *d, jsontext_span property)
{
    const jsontext_span own = jsontext_member(property, "description");
    json_schema s;

    schema_read(&s, d, property);
    if (jsontext_string(out, own.text ? own : s.description) == SNUG_ENOMEM)
        return SNUG_ENOMEM;
    return describe_type(out, d, property, 0);
}

static int describe_parameters(str *out, schema_document *d, jsontext_span properties)
{
    jsontext j;
    jsontext_token key;
    jsontext_span property;
    int has_title = 0;

    if (!properties.text || *properties.text != '{' || !jsontext_enter(&j, properties))
        return SNUG_OK;

    while (!str_error(out) && jsontext_item(&j, &key, &property)) {
        str name = { 0 }, text = { 0 };
        jsontext_token_string(&name, &key);
        if (describe_property(&text, d, property) || str_error(&name))
            out->has_failed = 1;
        if (text.len > 0 && !has_title++)
            str_printf(out, "%sArguments:", out->len > 0 ? "\n\n" : "");
        if (text.len > 0)
            str_printf(out, "\n    %s: %s", str_text(&name), text.data);
        str_free(&name);
        str_free(&text);
    }
    return str_error(out);
}

static int write_doc(str *out, jsontext_span description, schema_document *input,
                     jsontext_span properties, schema_document *output)
{
    if (jsontext_string(out, jsontext_member(description, "description")) == SNUG_ENOMEM)
        return SNUG_ENOMEM;
    const int error = describe_parameters(out, input, properties);
    return error ? error : describe_type(out, output, output->root, 1);
}

static int read_names(mcptool *out, jsontext_span description)
{
    str remote = { 0 }, name = { 0 };
    int error = jsontext_string(&remote, jsontext_member(description, "name"));

    if (!error && remote.len == 0)
        error = SNUG_EINVAL;
    if (!error)
        error = make_identifier(&name, remote.data);
    if (error) {
        str_free(&remote);
        str_free(&name);
        return error;
    }
    out->remote = str_take(&remote);
    out->name_len = name.len;
    out->name = str_take(&name);
    return out->remote && out->name ? SNUG_OK : SNUG_ENOMEM;
}

static int read_schemas(mcptool *out, jsontext_span description)
{
    schema_document input, output;
    json_schema root;
    str doc = { 0 };

    schema_document_init(&input, jsontext_member(description, "inputSchema"));
    schema_document_init(&output, jsontext_member(description, "outputSchema"));
    schema_read(&root, &input, input.root);
    int error = write_signature(out, &input, &root, &output);
    if (!error)
        error = write_doc(&doc, description, &input, root.properties, &output);
    if (!error && !(out->doc = str_take(&doc)))
        error = SNUG_ENOMEM;
    str_free(&doc);
    return error;
}

int mcptool_read(mcptool *out, jsontext_span description)
{
    *out = (mcptool){ 0 };
    out->is_read_only = jsontext_is(
        jsontext_member(jsontext_member(description, "annotations"), "readOnlyHint"), "true");
    int error = read_names(out, description);
    if (!error)
        error = read_schemas(out, description);
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
    free(t->types);
    free(t->doc);
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
    str_add(out, is_first ? "\"" : ", \"");

    str_append(out, key->text, key->len);
    str_add(out, "\": ");
    return str_append(out, value.text, value.len);
}

int mcptool_write_arguments(str *out, const mcptool *t, const char *arguments)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value, object = { arguments, strlen(arguments) };
    int is_first = 1;
    str_add(out, "{");

    jsontext_enter(&j, object);
    while (jsontext_item(&j, &key, &value)) {
        if (is_left_out(t, &key, value))
            continue;
        append_argument(out, &key, value, is_first);
        is_first = 0;
    }

    return str_add(out, "}");
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
