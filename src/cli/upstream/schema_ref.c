#include "cli/upstream/schema_ref.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"

/* ---- definitions ---- */

static const char *const folders[] = { "$defs", "definitions" };
enum { FOLDERS = sizeof folders / sizeof *folders };

struct schema_definition {
    size_t folder;
    str name;
    jsontext_span schema;
};

static int compare_names(const struct schema_definition *one, const struct schema_definition *other)
{
    if (one->folder != other->folder)
        return one->folder < other->folder ? -1 : 1;
    if (one->name.len != other->name.len)
        return one->name.len < other->name.len ? -1 : 1;
    return memcmp(str_text(&one->name), str_text(&other->name), one->name.len);
}

static int find_definition(const void *one, const void *other)
{
    return compare_names(one, other);
}

/* Of those of one name the last is the first. */
static int sort_definitions(const void *one, const void *other)
{
    const struct schema_definition *a = one, *b = other;
    const int order = compare_names(a, b);

    if (order || a->schema.text == b->schema.text)
        return order;
    return a->schema.text > b->schema.text ? -1 : 1;
}

static void drop_same_names(schema_document *d)
{
    size_t kept = 0;

    for (size_t i = 0; i < d->count; i++)
        if (kept > 0 && !compare_names(&d->definitions[kept - 1], &d->definitions[i]))
            str_free(&d->definitions[i].name);
        else
            d->definitions[kept++] = d->definitions[i];
    d->count = kept;
}

static int add_definition(schema_document *d, size_t folder, const jsontext_token *key,
                          jsontext_span schema)
{
    if (array_reserve(&d->definitions, &d->cap, d->count + 1, sizeof *d->definitions))
        return SNUG_ENOMEM;
    struct schema_definition *made = &d->definitions[d->count++];

    *made = (struct schema_definition){ .folder = folder, .schema = schema };
    return jsontext_token_string(&made->name, key);
}

static int add_definitions(schema_document *d, size_t folder)
{
    const jsontext_span all = jsontext_member(d->root, folders[folder]);
    jsontext j;
    jsontext_token key;
    jsontext_span schema;
    int error = SNUG_OK;

    if (!all.text || *all.text != '{' || !jsontext_enter(&j, all))
        return SNUG_OK;
    while (!error && jsontext_item(&j, &key, &schema))
        error = add_definition(d, folder, &key, schema);
    return error;
}

/* ---- documents ---- */

static size_t count_text(jsontext_span in, const char *text)
{
    const size_t len = strlen(text);
    size_t count = 0;

    for (const char *at = in.text, *end = at + in.len;
         (at = memmem(at, (size_t)(end - at), text, len)); at += len)
        count++;
    return count;
}

/* In a schema within that has an id of its own, "#" is that schema. */
static int has_schemas_with_ids(jsontext_span root)
{
    return count_text(root, "\"$id\"") > (jsontext_member(root, "$id").text ? 1 : 0);
}

int schema_document_init(schema_document *d, jsontext_span root)
{
    enum { ALWAYS = 1 << 20, TIMES = 8 };
    const jsontext_span dialect = jsontext_member(root, "$schema");
    int error = SNUG_OK;

    *d = (schema_document){ .root = root, .budget = ALWAYS + TIMES * root.len };
    if (!root.text || !count_text(root, "\"$ref\"") || has_schemas_with_ids(root))
        return SNUG_OK;
    d->has_references = 1;
    d->ignores_siblings = dialect.text && count_text(dialect, "/draft-0") > 0; /* to 07 */
    for (size_t i = 0; i < FOLDERS && !error; i++)
        error = add_definitions(d, i);
    if (d->count > 0)
        qsort(d->definitions, d->count, sizeof *d->definitions, sort_definitions);
    drop_same_names(d);
    return error;
}

void schema_document_free(schema_document *d)
{
    for (size_t i = 0; i < d->count; i++)
        str_free(&d->definitions[i].name);
    free(d->definitions);
    *d = (schema_document){ 0 };
}

/* ---- pointers (RFC 6901) ---- */

static const jsontext_span nowhere = { NULL, 0 };

/* A server chooses how many references there are, and how far each is gone. */
static int spend(schema_document *d, size_t bytes)
{
    enum { LEAST = 200 };
    const size_t cost = bytes > LEAST ? bytes : LEAST;

    if (d->budget < cost)
        return 0;
    d->budget -= cost;
    return 1;
}

/* 0: not an escape. */
static int decode_percent(str *out, const char *text, size_t len, int *error)
{
    const int high = len > 2 ? hex_value(text[1]) : -1, low = len > 2 ? hex_value(text[2]) : -1;
    const char byte = (char)(high * 16 + low);

    if (high < 0 || low < 0)
        return 0;
    *error = str_append(out, &byte, 1);
    return 1;
}

/* The fragment of a reference, behind "#". SNUG_EINVAL: it is none of this document. */
static int read_fragment(str *out, const str *reference)
{
    int error = SNUG_OK;

    if (reference->len == 0 || *reference->data != '#')
        return SNUG_EINVAL;
    for (size_t i = 1; i < reference->len && !error; i++) {
        const char *at = reference->data + i;
        if (*at != '%')
            error = str_append(out, at, 1);
        else if (decode_percent(out, at, reference->len - i, &error))
            i += 2;
        else
            error = SNUG_EINVAL;
    }
    return error;
}

/* The next name of a pointer, from its slash on; goes past it. SNUG_EINVAL: it is none. */
static int read_name(str *out, const str *pointer, size_t *at)
{
    const char *text = str_text(pointer);
    int error = text[*at] == '/' ? SNUG_OK : SNUG_EINVAL;

    str_clear(out);
    for (++*at; !error && *at < pointer->len && text[*at] != '/'; ++*at) {
        char byte = text[*at];
        if (byte == '~') {
            const char next = text[++*at]; /* NUL at the end */
            if (next != '0' && next != '1')
                return SNUG_EINVAL;
            byte = next == '0' ? '~' : '/';
        }
        error = str_append(out, &byte, 1);
    }
    return error;
}

/* The number of an item; SIZE_MAX: it is none. */
static size_t item_number(const str *name)
{
    size_t number = 0;

    if (name->len == 0 || name->len > 9 || (*name->data == '0' && name->len > 1))
        return SIZE_MAX;
    for (size_t i = 0; i < name->len; i++) {
        if (!is_digit(name->data[i]))
            return SIZE_MAX;
        number = number * 10 + (size_t)(name->data[i] - '0');
    }
    return number;
}

static int is_key(const jsontext_token *key, const str *name)
{
    str text = { 0 };
    int is_same = key->len == name->len && !memcmp(key->text, str_text(name), name->len);

    if (!key->has_escapes)
        return is_same;
    is_same = !jsontext_token_string(&text, key) && text.len == name->len &&
              !memcmp(str_text(&text), str_text(name), name->len);
    str_free(&text);
    return is_same;
}

/* What has that name, or number, there. */
static jsontext_span step_into(schema_document *d, jsontext_span value, const str *name)
{
    jsontext j;
    jsontext_token key;
    jsontext_span item, found = nowhere;
    const size_t number = item_number(name);
    size_t count = 0;

    if (!value.text || !spend(d, value.len) || !jsontext_enter(&j, value))
        return nowhere;
    const int is_list = *value.text == '[';
    while (jsontext_item(&j, &key, &item))
        if (is_list ? count++ == number : is_key(&key, name))
            found = item; /* the last one, where there are several */
    return found;
}

/* The definition that the first two names are of. */
static jsontext_span find_first(schema_document *d, const str *folder, str *name)
{
    for (size_t i = 0; i < FOLDERS; i++) {
        if (strlen(folders[i]) != folder->len || memcmp(folders[i], folder->data, folder->len) != 0)
            continue;
        const struct schema_definition wanted = { .folder = i, .name = *name }, *found = NULL;
        if (d->count > 0)
            found = bsearch(&wanted, d->definitions, d->count, sizeof wanted, find_definition);
        return found ? found->schema : nowhere;
    }
    return step_into(d, step_into(d, d->root, folder), name);
}

static int follow_pointer(jsontext_span *out, schema_document *d, const str *pointer)
{
    str first = { 0 }, name = { 0 };
    size_t at = 0;
    int error = read_name(&first, pointer, &at);

    if (!error && at == pointer->len)
        *out = step_into(d, d->root, &first);
    if (!error && at < pointer->len) {
        error = read_name(&name, pointer, &at);
        if (!error)
            *out = find_first(d, &first, &name);
    }
    while (!error && at < pointer->len) {
        error = read_name(&name, pointer, &at);
        if (!error)
            *out = step_into(d, *out, &name);
    }
    str_free(&first);
    str_free(&name);
    return error;
}

/* *out: where the reference leads, or nowhere. */
static int follow(jsontext_span *out, schema_document *d, jsontext_span reference)
{
    str text = { 0 }, pointer = { 0 };
    int error = d && d->has_references ? jsontext_string(&text, reference) : SNUG_EINVAL;

    *out = nowhere;
    if (!error)
        error = read_fragment(&pointer, &text);
    if (!error && pointer.len == 0)
        *out = d->root;
    else if (!error)
        error = follow_pointer(out, d, &pointer);
    if (error || (out->text && !spend(d, out->len)))
        *out = nowhere;
    str_free(&text);
    str_free(&pointer);
    return error == SNUG_ENOMEM ? error : SNUG_OK;
}

/* ---- parts ---- */

static void read_keywords(schema_keywords *out, jsontext_span schema)
{
#define SCHEMA_NAME(name, text) { (text), sizeof(text) - 1 },
    static const struct {
        const char *text;
        size_t len;
    } names[] = { SCHEMA_KEYWORDS(SCHEMA_NAME) };
#undef SCHEMA_NAME
    jsontext j;
    jsontext_token key;
    jsontext_span value;

    *out = (schema_keywords){ .text = schema.text };
    jsontext_enter(&j, schema);
    while (jsontext_item(&j, &key, &value))
        for (size_t i = 0; i < SCHEMA_KEYWORD_COUNT; i++)
            if (key.len == names[i].len && !memcmp(key.text, names[i].text, key.len))
                out->of[i] = value;
}

/* Puts it at that place, and goes past it. */
static void add_part(schema_parts *out, size_t *at, jsontext_span schema)
{
    /* true is nothing, and false is nobody's. */
    if (!schema.text || *schema.text != '{') {
        out->is_partial |= !schema.text;
        return;
    }
    for (size_t i = 0; i < out->count; i++)
        if (out->of[i].text == schema.text)
            return;
    if (out->count == SCHEMA_MOST_PARTS) {
        out->is_partial = 1;
        return;
    }
    memmove(out->of + *at + 1, out->of + *at, (out->count++ - *at) * sizeof *out->of);
    read_keywords(&out->of[(*at)++], schema);
}

/* What stands beside a reference and says nothing of values stays. */
static void forget_siblings(schema_keywords *of)
{
    schema_keywords kept = { .text = of->text };

    kept.of[SCHEMA_description] = of->of[SCHEMA_description];
    kept.of[SCHEMA_nullable] = of->of[SCHEMA_nullable];
    *of = kept;
}

static int add_reference(schema_parts *out, schema_document *d, size_t *at, schema_keywords *of)
{
    jsontext_span target;
    const int error = follow(&target, d, of->of[SCHEMA_ref]);

    if (d && d->ignores_siblings)
        forget_siblings(of);
    add_part(out, at, target);
    return error;
}

/* Those that one part leads to, behind it. */
static int add_parts(schema_parts *out, schema_document *d, size_t from)
{
    schema_keywords *of = &out->of[from];
    size_t at = from + 1;
    jsontext j;
    jsontext_token ignored;
    jsontext_span part;
    const int error = of->of[SCHEMA_ref].text ? add_reference(out, d, &at, of) : SNUG_OK;
    const jsontext_span all = of->of[SCHEMA_allOf];

    if (error || !all.text || *all.text != '[')
        return error;
    jsontext_enter(&j, all);
    while (jsontext_item(&j, &ignored, &part))
        add_part(out, &at, part);
    return SNUG_OK;
}

int schema_parts_read(schema_parts *out, schema_document *d, jsontext_span schema)
{
    size_t at = 0;
    int error = SNUG_OK;

    out->count = 0;
    out->is_partial = 0;
    add_part(out, &at, schema);
    for (size_t i = 0; i < out->count && !error; i++)
        error = add_parts(out, d, i);
    return error;
}

jsontext_span schema_parts_find(const schema_parts *parts, int keyword)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->of[i].of[keyword].text)
            return parts->of[i].of[keyword];
    return nowhere;
}
