#include "cli/upstream/mcptool.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

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
static int describe_shape(str *out, schema_document *d, jsontext_span schema)
{
    str shape = { 0 };
    int error = schema_write_shape(&shape, d, schema);

    if (!error && shape.len > 0)
        error = str_printf(out, "%s(%s)", out->len > 0 ? " " : "", shape.data);
    str_free(&shape);
    return error;
}

/* What its schema says of it; nothing where that is its name and type alone. */
static int describe_property(str *out, schema_document *d, jsontext_span property)
{
    const jsontext_span own = jsontext_member(property, "description");
    json_schema s;

    schema_read(&s, d, property);
    if (jsontext_string(out, own.text ? own : s.description) == SNUG_ENOMEM ||
        describe_choices(out, s.choices))
        return SNUG_ENOMEM;
    return describe_shape(out, d, property);
}

/* *has_title: whether it has been written. */
static int describe_parameter(str *out, const str *name, const char *text, int *has_title)
{
    int failed = SNUG_OK;

    if (!*has_title)
        failed = str_printf(out, "%sArguments:", out->len > 0 ? "\n\n" : "");
    *has_title = 1;
    if (!failed)
        failed = str_add(out, "\n    ");
    if (!failed)
        failed = str_add_str(out, name);
    if (!failed)
        failed = str_printf(out, ": %s", text);
    return failed;
}

static int describe_parameters(str *out, schema_document *d, jsontext_span properties)
{
    jsontext j;
    jsontext_token key;
    jsontext_span property;
    int failed = 0, has_title = 0;

    if (!properties.text || *properties.text != '{' || !jsontext_enter(&j, properties))
        return SNUG_OK;

    while (!failed && jsontext_item(&j, &key, &property)) {
        str name = { 0 }, text = { 0 };
        failed = jsontext_token_string(&name, &key);
        if (!failed)
            failed = describe_property(&text, d, property);
        if (!failed && text.len > 0)
            failed = describe_parameter(out, &name, str_text(&text), &has_title);
        str_free(&name);
        str_free(&text);
    }

    return failed ? SNUG_ENOMEM : SNUG_OK;
}

static int describe_result(str *out, schema_document *d)
{
    str shape = { 0 };
    int error = schema_write_shape(&shape, d, d->root);

    if (!error && shape.len > 0 && out->len > 0)
        error = str_add(out, "\n\n");
    if (!error && shape.len > 0)
        error = str_printf(out, "Returns: %s", shape.data);
    str_free(&shape);
    return error;
}

static int write_doc(str *out, jsontext_span description, schema_document *input,
                     jsontext_span properties, schema_document *output)
{
    if (jsontext_string(out, jsontext_member(description, "description")) == SNUG_ENOMEM)
        return SNUG_ENOMEM;
    const int error = describe_parameters(out, input, properties);
    return error ? error : describe_result(out, output);
}

static int keep_schema(mcptool *out, jsontext_span schema)
{
    if (schema.text)
        out->schema = strndup(schema.text, schema.len);
    return schema.text && !out->schema ? SNUG_ENOMEM : SNUG_OK;
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
    str result = { 0 }, doc = { 0 };

    schema_document_init(&input, jsontext_member(description, "inputSchema"));
    schema_document_init(&output, jsontext_member(description, "outputSchema"));
    schema_read(&root, &input, input.root);
    int error = mcptool_write_signature(out, &input, &root);
    if (!error)
        error = schema_write_type(&result, &output, output.root);
    if (!error)
        error = write_doc(&doc, description, &input, root.properties, &output);
    if (!error && (!(out->result = str_take(&result)) || !(out->doc = str_take(&doc))))
        error = SNUG_ENOMEM;
    str_free(&result);
    str_free(&doc);
    return error ? error : keep_schema(out, input.root);
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
    free(t->typed);
    free(t->result);
    free(t->doc);
    free(t->schema);
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
