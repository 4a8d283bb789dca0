#include "cli/upstream/param_headers.h"

#include <snug/snug.h>

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/base64.h"

static const char key[] = "x-mcp-header";
enum { MOST_HEADERS = 50, MOST_LEVELS = 10 };

/* ---- what a schema says ---- */

typedef struct survey {
    str names; /* an LF before and behind each, in lower case */
    size_t count;
    const char *fault;
} survey;

static int is_token(const str *name)
{
    for (size_t i = 0; i < name->len; i++)
        if (!is_alnum(name->data[i]) && !strchr("!#$%&'*+-.^_`|~", name->data[i]))
            return 0;
    return name->len > 0;
}

static int has_primitive_type(jsontext_span property)
{
    const jsontext_span type = jsontext_member(property, "type");
    return jsontext_is(type, "\"string\"") || jsontext_is(type, "\"integer\"") ||
           jsontext_is(type, "\"boolean\"");
}

static void note_name(survey *s, jsontext_span property, jsontext_span value)
{
    str name = { 0 }, line = { 0 };

    if (jsontext_string(&name, value) || strlen(str_text(&name)) != name.len || !is_token(&name)) {
        s->fault = "x-mcp-header is not the name of a header";
    } else if (!has_primitive_type(property)) {
        s->fault = "x-mcp-header is not at a string, integer or boolean";
    } else {
        for (size_t i = 0; i < name.len; i++)
            name.data[i] = to_lower(name.data[i]);
        str_printf(&line, "\n%s\n", name.data);
        if (strstr(str_text(&s->names), str_text(&line)))
            s->fault = "x-mcp-header has a name twice";
        else if (++s->count > MOST_HEADERS || str_add_str(&s->names, &line))
            s->fault = "it has too many of x-mcp-header";
    }
    str_free(&name);
    str_free(&line);
}

static void survey_schema(survey *s, jsontext_span schema, int is_reached, int level);

/* Of an object's members, or of a list's items. */
static void survey_members(survey *s, jsontext_span value, int is_reached, int are_properties,
                           int level)
{
    jsontext j;
    jsontext_token name;
    jsontext_span item;

    if (!value.text || !jsontext_enter(&j, value))
        return;
    const int is_object = j.open[0] == '{';
    while (!s->fault && jsontext_item(&j, &name, &item)) {
        const int is_properties = is_object && !are_properties && !name.has_escapes &&
                                  name.len == 10 && !memcmp(name.text, "properties", 10);
        if (is_properties)
            survey_members(s, item, is_reached, 1, level + 1);
        else
            survey_schema(s, item, is_reached && are_properties, level + 1);
    }
}

/* is_reached: by properties alone. */
static void survey_schema(survey *s, jsontext_span schema, int is_reached, int level)
{
    if (*schema.text != '{' && *schema.text != '[')
        return;
    const jsontext_span value =
        *schema.text == '{' ? jsontext_member(schema, key) : (jsontext_span){ 0 };
    if (value.text && !is_reached)
        s->fault = "x-mcp-header is where only some arguments reach";
    else if (value.text)
        note_name(s, schema, value);
    if (!s->fault && level < JSONTEXT_LEVELS)
        survey_members(s, schema, is_reached, 0, level);
}

const char *param_headers_fault(jsontext_span schema)
{
    survey s = { 0 };

    if (!schema.text || !memmem(schema.text, schema.len, key, sizeof key - 1))
        return NULL;
    if (jsontext_member(schema, key).text)
        s.fault = "x-mcp-header is not at a property";
    else
        survey_members(&s, schema, 1, 0, 0);
    str_free(&s.names);
    return s.fault;
}

/* ---- values ---- */

static int is_plain_value(const char *text, size_t len)
{
    static const char begin[] = "=?base64?";

    for (size_t i = 0; i < len; i++)
        if ((text[i] < 0x20 || text[i] > 0x7e) && text[i] != '\t')
            return 0;
    if (len > 0 && (strchr(" \t", text[0]) || strchr(" \t", text[len - 1])))
        return 0;
    return len < sizeof begin + 1 || memcmp(text, begin, sizeof begin - 1) != 0 ||
           memcmp(text + len - 2, "?=", 2) != 0;
}

int param_headers_write_value(str *out, const char *text, size_t len)
{
    if (is_plain_value(text, len))
        return str_append(out, text, len);
    int error = str_add(out, "=?base64?");
    if (!error)
        error = base64_append(out, text, len);
    return error ? error : str_add(out, "?=");
}

/* ---- what a call has ---- */

static int write_value(str *out, jsontext_span value)
{
    str text = { 0 };
    int error = *value.text == '"' ? jsontext_string(&text, value)
                                   : str_append(&text, value.text, value.len);

    if (!error)
        error = param_headers_write_value(out, str_text(&text), text.len);
    str_free(&text);
    return error;
}

static int write_header(str *out, jsontext_span name, jsontext_span value)
{
    str text = { 0 };
    int error = jsontext_string(&text, name);

    if (!error)
        error = str_printf(out, "Mcp-Param-%s: ", str_text(&text));
    str_free(&text);
    if (!error)
        error = write_value(out, value);
    return error ? error : str_add(out, "\n");
}

static int is_primitive(jsontext_span value)
{
    return value.text && *value.text != '{' && *value.text != '[' && !jsontext_is(value, "null");
}

static int write_level(str *out, jsontext_span schema, jsontext_span arguments, int level)
{
    jsontext j;
    jsontext_token token;
    jsontext_span property, properties = jsontext_member(schema, "properties");
    int error = SNUG_OK;

    if (level > MOST_LEVELS || !properties.text || *properties.text != '{' ||
        !jsontext_enter(&j, properties))
        return SNUG_OK;
    while (!error && jsontext_item(&j, &token, &property)) {
        str name = { 0 };
        error = jsontext_token_string(&name, &token);
        const jsontext_span value = jsontext_member(arguments, str_text(&name));
        const jsontext_span header =
            *property.text == '{' ? jsontext_member(property, key) : (jsontext_span){ 0 };
        str_free(&name);
        if (!error && header.text && is_primitive(value))
            error = write_header(out, header, value);
        else if (!error && value.text && *value.text == '{' && *property.text == '{')
            error = write_level(out, property, value, level + 1);
    }
    return error;
}

int param_headers_write(str *out, jsontext_span schema, jsontext_span arguments)
{
    return write_level(out, schema, arguments, 0);
}
