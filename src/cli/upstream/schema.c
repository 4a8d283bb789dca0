#include "cli/upstream/schema.h"

#include <snug/snug.h>

#include <string.h>

enum {
    MOST_LEVELS = 6,
    MOST_MEMBERS = 40,
    MOST_BYTES = 1500, /* of a type, but for what closes it */
    MOST_HOPS = 8      /* from reference to reference */
};

/* ---- reading ---- */

void schema_document_init(schema_document *d, jsontext_span root)
{
    enum { ALWAYS = 1 << 20, TIMES = 4 };
    *d = (schema_document){ root, ALWAYS + TIMES * root.len };
}

static int is_object(jsontext_span value)
{
    return value.text && *value.text == '{';
}

static int is_list(jsontext_span value)
{
    return value.text && *value.text == '[';
}

/* A server chooses how many schemas there are, and how often each is led to. */
static int spend(schema_document *d, size_t bytes)
{
    enum { LEAST = 200 };
    const size_t cost = bytes > LEAST ? bytes : LEAST;

    if (d->budget < cost)
        return 0;
    d->budget -= cost;
    return 1;
}

static void read_keywords(json_schema *out, jsontext_span text)
{
#define SCHEMA_NAME(name, text) { (text), sizeof(text) - 1, offsetof(json_schema, name) },
    static const struct {
        const char *text;
        size_t len, offset;
    } names[] = { SCHEMA_KEYWORDS(SCHEMA_NAME) };
#undef SCHEMA_NAME
    jsontext j;
    jsontext_token key;
    jsontext_span value;

    *out = (json_schema){ .whole = text };
    jsontext_enter(&j, text);
    while (jsontext_item(&j, &key, &value))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (key.len == names[i].len && !memcmp(key.text, names[i].text, key.len))
                memcpy((char *)out + names[i].offset, &value, sizeof value);
}

/* What "#/$defs/Name" names. Not in a document of which parts have ids of their own: "#" may be
 * one of these. */
static jsontext_span find_definition(schema_document *d, jsontext_span reference)
{
    static const char *const folders[] = { "$defs", "definitions" };
    static const char id[] = "\"$id\"";
    jsontext_span found = { NULL, 0 };
    str path = { 0 };

    if (!jsontext_string(&path, reference) && spend(d, d->root.len) &&
        !memmem(d->root.text, d->root.len, id, sizeof id - 1))
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            const size_t len = strlen(folders[i]);
            const char *text = str_text(&path);
            if (path.len > len + 3 && !memcmp(text, "#/", 2) &&
                !memcmp(text + 2, folders[i], len) && text[len + 2] == '/' &&
                !strpbrk(text + len + 3, "/%~"))
                found = jsontext_member(jsontext_member(d->root, folders[i]), text + len + 3);
        }
    str_free(&path);
    return found;
}

void schema_read(json_schema *out, schema_document *d, jsontext_span text)
{
    for (int hops = 0; hops < MOST_HOPS; hops++) {
        if (!is_object(text) || !spend(d, text.len))
            break;
        read_keywords(out, text);
        if (!out->ref.text)
            return;
        text = find_definition(d, out->ref);
    }
    *out = (json_schema){ .whole = { NULL, 0 } };
}

int schema_lists(jsontext_span list, const char *name)
{
    enum { MOST_NAMES = 200 };
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int found = 0;

    if (!is_list(list) || !jsontext_enter(&j, list))
        return 0;
    for (int i = 0; i < MOST_NAMES && !found && jsontext_item(&j, &ignored, &value); i++) {
        str text = { 0 };
        found = jsontext_string(&text, value) == SNUG_OK && !strcmp(str_text(&text), name);
        str_free(&text);
    }
    return found;
}

/* ---- writing ---- */

/* What is being written; objects by their members, or as dict. */
typedef struct writer {
    schema_document *document;
    int has_members, level;
    const char *open[MOST_LEVELS]; /* schemas that are being written, from outside in */
    size_t from;                   /* where the type begins */
} writer;

static int write_schema(str *out, writer *w, jsontext_span text);

/* What Literal takes: no float, and no number that Python does not read. */
static int is_literal(jsontext_span value)
{
    enum { MOST_DIGITS = 100 };

    if (!value.text || value.len == 0 || strchr("[{", *value.text))
        return 0;
    if (strchr("\"ntf", *value.text))
        return 1;
    return value.len <= MOST_DIGITS && !memchr(value.text, '.', value.len) &&
           !memchr(value.text, 'e', value.len) && !memchr(value.text, 'E', value.len);
}

/* A string of JSON's is not copied as it stands: "\/" and halves of pairs are not Python's. */
static int write_literal(str *out, jsontext_span value)
{
    str text = { 0 };

    if (*value.text != '"') {
        const char *word = *value.text == 'n'   ? "None"
                           : *value.text == 't' ? "True"
                           : *value.text == 'f' ? "False"
                                                : NULL;
        return word ? str_add(out, word) : str_append(out, value.text, value.len);
    }
    if (!jsontext_string(&text, value))
        jsontext_quote(out, str_text(&text), text.len);
    str_free(&text);
    return str_error(out);
}

/* Whether an enum, or the one value of a const, can be choices. */
static int has_choices(const json_schema *s)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int count = 0;

    if (is_literal(s->constant))
        return s->constant.len <= MOST_BYTES;
    if (!is_list(s->choices) || s->choices.len > MOST_BYTES)
        return 0;
    jsontext_enter(&j, s->choices);
    for (; jsontext_item(&j, &ignored, &value); count++)
        if (!is_literal(value))
            return 0;
    return count > 0;
}

static int write_choices(str *out, const json_schema *s)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int count = 0;

    str_add(out, "Literal[");
    if (is_literal(s->constant)) {
        write_literal(out, s->constant);
        return str_add(out, "]");
    }
    jsontext_enter(&j, s->choices);
    while (jsontext_item(&j, &ignored, &value)) {
        str_add(out, count++ > 0 ? ", " : "");
        write_literal(out, value);
    }
    return str_add(out, "]");
}

static int write_members(str *out, writer *w, const json_schema *s)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;

    str_add(out, "{");
    jsontext_enter(&j, s->properties);
    for (int count = 0; !str_error(out) && jsontext_item(&j, &key, &value); count++) {
        str name = { 0 };
        str_add(out, count > 0 ? ", " : "");
        if (count == MOST_MEMBERS) {
            str_add(out, "...");
            break;
        }
        jsontext_token_string(&name, &key);
        jsontext_quote(out, str_text(&name), name.len);
        str_add(out, schema_lists(s->required, str_text(&name)) ? ": " : "?: ");
        write_schema(out, w, value);
        str_free(&name);
    }
    return str_add(out, "}");
}

static int has_items(jsontext_span object)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;
    return is_object(object) && jsontext_enter(&j, object) && jsontext_item(&j, &key, &value);
}

static int write_object(str *out, writer *w, const json_schema *s)
{
    if (w->has_members && has_items(s->properties))
        return write_members(out, w, s);
    return str_add(out, "dict");
}

static int write_named(str *out, writer *w, const json_schema *s, jsontext_span name)
{
    static const char *const types[][2] = {
        { "\"string\"", "str" },   { "\"integer\"", "int" }, { "\"number\"", "float" },
        { "\"boolean\"", "bool" }, { "\"null\"", "None" },
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (jsontext_is(name, types[i][0]))
            return str_add(out, types[i][1]);
    if (jsontext_is(name, "\"object\""))
        return write_object(out, w, s);
    if (!jsontext_is(name, "\"array\""))
        return str_add(out, "Any");
    /* What else says of items speaks of some of them alone. */
    if (!is_object(s->items) || jsontext_member(s->whole, "prefixItems").text)
        return str_add(out, "list");
    str_add(out, "list[");
    write_schema(out, w, s->items);
    return str_add(out, "]");
}

/* Of schemas, or where there is s of the names of its types. Any takes all others in. */
static int write_union(str *out, writer *w, jsontext_span list, const json_schema *s)
{
    const size_t from = out->len;
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int is_any = 1, count = 0;

    jsontext_enter(&j, list);
    while (!str_error(out) && jsontext_item(&j, &ignored, &value)) {
        str_add(out, count++ > 0 ? " | " : "");
        const size_t at = out->len;
        if (s)
            write_named(out, w, s, value);
        else
            write_schema(out, w, value);
        is_any = !strcmp(str_text(out) + at, "Any") || out->len - w->from > MOST_BYTES;
        if (is_any)
            break;
    }
    if (is_any && out->data)
        out->data[out->len = from] = '\0';
    return is_any ? str_add(out, "Any") : str_error(out);
}

static int write_schema(str *out, writer *w, jsontext_span text)
{
    json_schema s;
    int error;

    if (w->level == MOST_LEVELS || out->len - w->from > MOST_BYTES)
        return str_add(out, "Any");
    schema_read(&s, w->document, text);
    if (!s.whole.text)
        return str_add(out, "Any");
    for (int i = 0; i < w->level; i++)
        if (w->open[i] == s.whole.text)
            return str_add(out, s.properties.text ? "dict" : "Any");

    w->open[w->level++] = s.whole.text;
    if (has_choices(&s))
        error = write_choices(out, &s);
    else if (is_list(s.type))
        error = write_union(out, w, s.type, &s);
    else if (s.type.text)
        error = write_named(out, w, &s, s.type);
    else if (is_list(s.any_of) || is_list(s.one_of))
        error = write_union(out, w, is_list(s.any_of) ? s.any_of : s.one_of, NULL);
    else
        error = has_items(s.properties) ? write_object(out, w, &s) : str_add(out, "Any");
    w->level--;
    return error;
}

int schema_write_type(str *out, schema_document *d, jsontext_span text, int has_members)
{
    writer w = { .document = d, .has_members = has_members, .from = out->len };
    return write_schema(out, &w, text);
}
