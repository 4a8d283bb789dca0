#include "cli/upstream/schema.h"

#include <snug/snug.h>

#include <string.h>

enum {
    MOST_LEVELS = 6,
    MOST_CHOICES = 50,
    MOST_MEMBERS = 40,
    MOST_BYTES = 1500, /* of a type */
    MOST_HOPS = 8      /* from reference to reference */
};

/* ---- reading ---- */

void schema_document_init(schema_document *d, jsontext_span root)
{
    enum { ALWAYS = 8 << 20, TIMES = 8 };
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

static jsontext_span first_item(jsontext_span list)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span item = { NULL, 0 };

    if (!is_list(list) || !jsontext_enter(&j, list) || !jsontext_item(&j, &ignored, &item))
        return (jsontext_span){ NULL, 0 };
    return item;
}

void schema_read(json_schema *out, schema_document *d, jsontext_span text)
{
    for (int hops = 0; hops < MOST_HOPS; hops++) {
        if (!is_object(text) || !spend(d, text.len))
            break;
        read_keywords(out, text);
        if (out->ref.text)
            text = find_definition(d, out->ref);
        else if (out->all_of.text && !out->type.text && !out->properties.text &&
                 !out->choices.text && !out->constant.text)
            text = first_item(out->all_of);
        else
            return;
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
    int has_members, wrote_members;
    int level;
    const char *open[MOST_LEVELS + 1]; /* schemas that are being written, from outside in */
} writer;

static int write_schema(str *out, writer *w, jsontext_span text);

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

    const int error = jsontext_string(&text, value);
    jsontext_quote(out, str_text(&text), text.len);
    str_free(&text);
    return error ? error : str_error(out);
}

/* What Literal takes. Python reads no number of thousands of digits. */
static int is_literal(jsontext_span value)
{
    enum { MOST_DIGITS = 100 };

    if (!value.text || value.len == 0 || value.len > MOST_BYTES || strchr("[{", *value.text))
        return 0;
    if (strchr("\"ntf", *value.text))
        return 1;
    return value.len <= MOST_DIGITS && !memchr(value.text, '.', value.len) &&
           !memchr(value.text, 'e', value.len) && !memchr(value.text, 'E', value.len);
}

/* Of an enum, or of the one value of a const. Nothing where not all can be choices. */
static int write_choices(str *out, const json_schema *s)
{
    str text = { 0 };
    jsontext j;
    jsontext_token ignored;
    jsontext_span value = s->constant;
    int error = str_add(&text, "Literal["), count = 0, is_fine = 1;

    if (is_list(s->choices) && s->choices.len <= MOST_BYTES && jsontext_enter(&j, s->choices)) {
        while (!error && is_fine && jsontext_item(&j, &ignored, &value)) {
            is_fine = is_literal(value) && ++count <= MOST_CHOICES;
            error = count > 1 ? str_add(&text, ", ") : SNUG_OK;
            if (!error && is_fine)
                error = write_literal(&text, value);
        }
    } else if (is_literal(value)) {
        count = 1;
        error = error ? error : write_literal(&text, value);
    }
    if (!error && is_fine && count > 0)
        error = str_printf(out, "%s]", text.data);
    str_free(&text);
    return error;
}

static int write_member(str *out, writer *w, const json_schema *s, const str *name,
                        jsontext_span text)
{
    jsontext_quote(out, str_text(name), name->len);
    str_add(out, schema_lists(s->required, str_text(name)) ? ": " : "?: ");
    return write_schema(out, w, text);
}

static int write_members(str *out, writer *w, const json_schema *s)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;
    int error = str_add(out, "{");

    w->wrote_members = 1;
    jsontext_enter(&j, s->properties);
    for (int count = 0; !error && jsontext_item(&j, &key, &value); count++) {
        str name = { 0 };
        if (count > 0)
            error = str_add(out, ", ");
        if (!error && count == MOST_MEMBERS) {
            error = str_add(out, "...");
            break;
        }
        if (!error)
            error = jsontext_token_string(&name, &key);
        if (!error)
            error = write_member(out, w, s, &name, value);
        str_free(&name);
    }
    return error ? error : str_add(out, "}");
}

static int write_inner(str *out, writer *w, const char *before, jsontext_span inner)
{
    str_add(out, before);
    return write_schema(out, w, inner) ? SNUG_ENOMEM : str_add(out, "]");
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
    const int has_members = has_items(s->properties);

    if (w->has_members && has_members)
        return write_members(out, w, s);
    if (has_members || !is_object(s->additional_properties) || s->pattern_properties.text)
        return str_add(out, "dict");
    return write_inner(out, w, "dict[str, ", s->additional_properties);
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
    if (!is_object(s->items) || s->prefix_items.text)
        return str_add(out, "list");
    return write_inner(out, w, "list[", s->items);
}

/* Of schemas, or where there is s of the names of its types: each part once. Any takes all others
 * in. */
static int write_union(str *out, writer *w, jsontext_span list, const json_schema *s)
{
    const size_t from = out->len;
    size_t begins[MOST_CHOICES], lens[MOST_CHOICES], count = 0;
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int error = SNUG_OK, is_any = 1;

    jsontext_enter(&j, list);
    while (!error && jsontext_item(&j, &ignored, &value)) {
        size_t same = 0, at = out->len + (count > 0 ? 3 : 0);
        error = count > 0 ? str_add(out, " | ") : SNUG_OK;
        if (!error)
            error = s ? write_named(out, w, s, value) : write_schema(out, w, value);
        if (error)
            return error;
        const size_t len = out->len - at;
        is_any = !strcmp(out->data + at, "Any") || count == MOST_CHOICES;
        if (is_any)
            break;
        while (same < count &&
               (lens[same] != len || memcmp(out->data + begins[same], out->data + at, len) != 0))
            same++;
        if (same < count)
            out->data[out->len = at - 3] = '\0';
        else {
            begins[count] = at;
            lens[count++] = len;
        }
    }
    if (is_any && out->data)
        out->data[out->len = from] = '\0';
    return is_any ? str_add(out, "Any") : SNUG_OK;
}

static int write_known(str *out, writer *w, const json_schema *s)
{
    const size_t from = out->len;
    const int error = write_choices(out, s);

    if (error || out->len > from)
        return error;
    if (is_list(s->type))
        return write_union(out, w, s->type, s);
    if (s->type.text)
        return write_named(out, w, s, s->type);
    if (is_list(s->any_of))
        return write_union(out, w, s->any_of, NULL);
    if (is_list(s->one_of))
        return write_union(out, w, s->one_of, NULL);
    return has_items(s->properties) ? write_object(out, w, s) : str_add(out, "Any");
}

static int write_schema(str *out, writer *w, jsontext_span text)
{
    const size_t from = out->len;
    int is_open = 0;
    json_schema s;

    schema_read(&s, w->document, text);
    for (int i = 0; i < w->level; i++)
        is_open |= w->open[i] == s.whole.text;
    if (!s.whole.text || w->level == MOST_LEVELS || is_open || out->len > MOST_BYTES)
        return str_add(out, is_open && s.properties.text ? "dict" : "Any");

    w->open[w->level++] = s.whole.text;
    int error = write_known(out, w, &s);
    w->level--;
    /* As OpenAPI says that it may be null. */
    const int is_nullable =
        jsontext_is(s.nullable, "true") || jsontext_is(jsontext_member(text, "nullable"), "true");
    if (!error && is_nullable && strcmp(out->data + from, "Any") != 0)
        error = str_add(out, " | None");
    return error;
}

/* What is too long with all its levels is written with fewer of them. */
static int write_briefly(str *out, writer *w, schema_document *d, jsontext_span text,
                         int has_members)
{
    int error = SNUG_OK;

    for (int level = 0; !error && level <= MOST_LEVELS; level++) {
        *w = (writer){ .document = d, .has_members = has_members, .level = level };
        str_clear(out);
        error = write_schema(out, w, text);
        if (out->len <= MOST_BYTES)
            break;
    }
    return error;
}

int schema_write_type(str *out, schema_document *d, jsontext_span text)
{
    writer w;
    str type = { 0 };
    int error = write_briefly(&type, &w, d, text, 0);

    if (!error)
        error = str_add_str(out, &type);
    str_free(&type);
    return error;
}

int schema_write_shape(str *out, schema_document *d, jsontext_span text)
{
    writer w;
    str shape = { 0 };
    int error = write_briefly(&shape, &w, d, text, 1);

    if (!error && w.wrote_members)
        error = str_add_str(out, &shape);
    str_free(&shape);
    return error;
}
