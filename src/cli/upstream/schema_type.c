#include "cli/upstream/schema_type.h"

#include <snug/snug.h>

#include <string.h>

enum { MOST_LEVELS = 6, MOST_CHOICES = 50, MOST_MEMBERS = 40, MOST_BYTES = 1500 };

enum { MOST_SCHEMAS = 1000, MOST_OPEN = MOST_LEVELS * SCHEMA_MOST_PARTS };

/* What is being written; objects by their members, or as dict. */
typedef struct writer {
    schema_document *document;
    int has_members;
    int level;
    int wrote_members;
    size_t schemas;               /* that were begun */
    int is_too_long;              /* what is written will not be used */
    const char *open[MOST_OPEN];  /* what is being written, from outside in */
    size_t open_count, open_from; /* from: those before do not count */
} writer;

static int write_schema(str *out, writer *w, jsontext_span schema);
static int write_named(str *out, writer *w, const schema_parts *all, const schema_keywords *part,
                       jsontext_span name);

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

/* Any takes all others in, but for members, which are shown. */
static int join_parts(str *out, const writer *w, const union_parts *u)
{
    int error = SNUG_OK, is_any = u->count == 0 || u->is_too_long;

    for (size_t i = 0; i < u->count && !w->has_members; i++)
        is_any |= !strcmp(u->items[i].data, "Any");
    if (is_any)
        return str_add(out, "Any");
    for (size_t i = 0; i < u->count && !error; i++) {
        error = i > 0 ? str_add(out, " | ") : SNUG_OK;
        if (!error)
            error = str_add_str(out, &u->items[i]);
    }
    return error;
}

/* Of schemas, or where there are *all of the names of types of that part: "type": ["string",
 * "null"]. */
static int write_union(str *out, writer *w, jsontext_span list, const schema_parts *all,
                       const schema_keywords *of)
{
    union_parts u = { .count = 0 };
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
    int error = SNUG_OK;

    jsontext_enter(&j, list);
    while (!error && !u.is_too_long && !w->is_too_long && jsontext_item(&j, &ignored, &value)) {
        str part = { 0 };
        error = all ? write_named(&part, w, all, of, value) : write_schema(&part, w, value);
        if (error)
            str_free(&part);
        else
            keep_part(&u, part);
    }
    if (!error)
        error = join_parts(out, w, &u);
    for (size_t i = 0; i < u.count; i++)
        str_free(&u.items[i]);
    return error;
}

/* ---- lists and objects ---- */

static int write_list(str *out, writer *w, const schema_keywords *part)
{
    const jsontext_span items = part->of[SCHEMA_items];
    int error = str_add(out, "list");

    /* What else says of items speaks of some of them alone. */
    if (error || !items.text || *items.text != '{' || part->of[SCHEMA_prefixItems].text)
        return error;
    error = str_add(out, "[");
    if (!error)
        error = write_schema(out, w, items);
    return error ? error : str_add(out, "]");
}

static int is_listed(jsontext_span required, const str *name)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span value;
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

static int is_required(const schema_parts *all, const str *name)
{
    int found = 0;
    for (size_t i = 0; i < all->count && !found; i++)
        found = is_listed(all->of[i].of[SCHEMA_required], name);
    return found;
}

static int write_member(str *out, writer *w, const schema_parts *all, const str *name,
                        jsontext_span value)
{
    int error = jsontext_quote(out, str_text(name), name->len);

    if (!error)
        error = str_add(out, is_required(all, name) ? ": " : "?: ");
    return error ? error : write_schema(out, w, value);
}

static int is_object(jsontext_span value)
{
    return value.text && *value.text == '{';
}

/* Whether a part before this one has it. */
static int is_member_before(const schema_parts *all, size_t part, const str *name)
{
    for (size_t i = 0; i < part; i++)
        if (jsontext_member(all->of[i].of[SCHEMA_properties], str_text(name)).text)
            return 1;
    return 0;
}

/* Those of one part. *count: of all that are written. */
static int write_own_members(str *out, writer *w, const schema_parts *all, size_t part, int *count)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;
    int error = SNUG_OK;

    if (!is_object(all->of[part].of[SCHEMA_properties]))
        return SNUG_OK;
    jsontext_enter(&j, all->of[part].of[SCHEMA_properties]);
    while (!error && *count <= MOST_MEMBERS && !w->is_too_long && jsontext_item(&j, &key, &value)) {
        str name = { 0 };
        error = jsontext_token_string(&name, &key);
        if (!error && !is_member_before(all, part, &name)) {
            error = *count > 0 ? str_add(out, ", ") : SNUG_OK;
            if (!error && ++*count > MOST_MEMBERS)
                error = str_add(out, "...");
            else if (!error)
                error = write_member(out, w, all, &name, value);
        }
        str_free(&name);
    }
    return error;
}

static int write_members(str *out, writer *w, const schema_parts *all)
{
    int error = str_add(out, "{"), count = 0;

    w->wrote_members = 1;
    for (size_t i = 0; i < all->count && !error; i++)
        error = write_own_members(out, w, all, i, &count);
    return error ? error : str_add(out, "}");
}

static int has_members(const schema_keywords *part)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value, properties = part->of[SCHEMA_properties];

    return is_object(properties) && jsontext_enter(&j, properties) &&
           jsontext_item(&j, &key, &value);
}

static int have_members(const schema_parts *all)
{
    int found = 0;
    for (size_t i = 0; i < all->count && !found; i++)
        found = has_members(&all->of[i]);
    return found;
}

static int write_object(str *out, writer *w, const schema_parts *all, const schema_keywords *part)
{
    const jsontext_span others = part->of[SCHEMA_additionalProperties];

    if (w->has_members && have_members(all))
        return write_members(out, w, all);
    int error = str_add(out, "dict");
    if (error || has_members(part) || !is_object(others) || part->of[SCHEMA_patternProperties].text)
        return error;
    error = str_add(out, "[str, ");
    if (!error)
        error = write_schema(out, w, others);
    return error ? error : str_add(out, "]");
}

/* ---- schemas ---- */

static int write_named(str *out, writer *w, const schema_parts *all, const schema_keywords *part,
                       jsontext_span name)
{
    static const char *const types[][2] = {
        { "\"string\"", "str" },   { "\"integer\"", "int" }, { "\"number\"", "float" },
        { "\"boolean\"", "bool" }, { "\"null\"", "None" },
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (jsontext_is(name, types[i][0]))
            return str_add(out, types[i][1]);
    if (jsontext_is(name, "\"array\""))
        return write_list(out, w, part);
    if (jsontext_is(name, "\"object\""))
        return write_object(out, w, all, part);
    return str_add(out, "Any");
}

static int is_list(jsontext_span value)
{
    return value.text && *value.text == '[';
}

/* Nothing where the part does not have them. */
static int write_choice(str *out, const schema_keywords *part)
{
    const jsontext_span constant = part->of[SCHEMA_const];
    size_t count;

    if (check_choices(part->of[SCHEMA_enum], &count))
        return write_choices(out, part->of[SCHEMA_enum]);
    if (!is_literal(constant) || constant.len > MOST_BYTES)
        return SNUG_OK;
    int error = str_add(out, "Literal[");
    if (!error)
        error = write_literal(out, constant);
    return error ? error : str_add(out, "]");
}

static int write_type(str *out, writer *w, const schema_parts *all, const schema_keywords *part)
{
    const jsontext_span type = part->of[SCHEMA_type];

    if (is_list(type))
        return write_union(out, w, type, all, part);
    if (!type.text && has_members(part))
        return write_object(out, w, all, part);
    return type.text ? write_named(out, w, all, part, type) : str_add(out, "Any");
}

/* How much a type says. */
static int rank_type(const str *type)
{
    if (type->len == 0 || !strcmp(type->data, "Any"))
        return 0;
    return !strcmp(type->data, "list") || !strcmp(type->data, "dict") ? 1 : 2;
}

/* Takes what was found, if that says more. */
static void keep_better(str *best, str *found)
{
    if (rank_type(found) > rank_type(best)) {
        str_free(best);
        *best = *found;
        *found = (str){ 0 };
    }
    str_free(found);
}

/* Each thing that a part says holds: the first that says much. */
static int write_part(str *best, writer *w, const schema_parts *all, const schema_keywords *part)
{
    static const int unions[] = { SCHEMA_anyOf, SCHEMA_oneOf };
    int error = SNUG_OK;

    for (size_t i = 0; i < sizeof unions / sizeof *unions && !error && rank_type(best) < 2; i++) {
        str found = { 0 };
        if (is_list(part->of[unions[i]]))
            error = write_union(&found, w, part->of[unions[i]], NULL, NULL);
        keep_better(best, &found);
    }
    if (!error && rank_type(best) < 2) {
        str found = { 0 };
        error = write_type(&found, w, all, part);
        keep_better(best, &found);
    }
    return error;
}

/* As OpenAPI says that it may be null. */
static int add_null(str *out, const schema_parts *all)
{
    int is_nullable = 0;

    for (size_t i = 0; i < all->count; i++)
        is_nullable |= jsontext_is(all->of[i].of[SCHEMA_nullable], "true");
    return is_nullable && rank_type(out) > 0 ? str_add(out, " | None") : SNUG_OK;
}

static int write_parts(str *out, writer *w, const schema_parts *all)
{
    str best = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; i < all->count && !error && best.len == 0; i++)
        error = write_choice(&best, &all->of[i]);
    for (size_t i = 0; i < all->count && !error && rank_type(&best) < 2; i++)
        error = write_part(&best, w, all, &all->of[i]);
    if (!error && best.len == 0)
        error = str_add(&best, "Any");
    if (!error)
        error = add_null(&best, all);
    if (!error)
        error = str_add_str(out, &best);
    str_free(&best);
    return error;
}

/* ---- recursion ---- */

static int is_open(const writer *w, const schema_parts *all)
{
    for (size_t i = w->open_from; i < w->open_count; i++)
        for (size_t k = 0; k < all->count; k++)
            if (w->open[i] == all->of[k].text)
                return 1;
    return 0;
}

static int write_within(str *out, writer *w, const schema_parts *all)
{
    const size_t before = w->open_count;

    for (size_t i = 0; i < all->count && w->open_count < MOST_OPEN; i++)
        w->open[w->open_count++] = all->of[i].text;
    w->level++;
    const int error = write_parts(out, w, all);
    w->level--;
    w->open_count = before;
    return error;
}

/* What is within itself is named there without its members, and within that is Any. */
static int write_again(str *out, writer *w, const schema_parts *all)
{
    const size_t from = w->open_from;

    if (!w->has_members)
        return str_add(out, "Any");
    w->has_members = 0;
    w->open_from = w->open_count;
    const int error = write_within(out, w, all);
    w->has_members = 1;
    w->open_from = from;
    return error;
}

static int write_schema(str *out, writer *w, jsontext_span schema)
{
    schema_parts all;

    w->is_too_long |= out->len > MOST_BYTES || ++w->schemas > MOST_SCHEMAS;
    if (!is_object(schema) || w->level == MOST_LEVELS || w->is_too_long)
        return str_add(out, "Any");
    const int error = schema_parts_read(&all, w->document, schema);
    if (error)
        return error;
    return is_open(w, &all) ? write_again(out, w, &all) : write_within(out, w, &all);
}

/* What is too long with all its levels is written with fewer of them. *w: what was found then. */
static int write_briefly(str *out, writer *w, schema_document *d, jsontext_span schema,
                         int has_members)
{
    int error = SNUG_OK;

    for (int level = 0; !error && level <= MOST_LEVELS; level++) {
        *w = (writer){ .document = d, .has_members = has_members, .level = level };
        str_clear(out);
        error = write_schema(out, w, schema);
        if (out->len <= MOST_BYTES && !w->is_too_long)
            break;
    }
    return error;
}

int schema_write_type(str *out, schema_document *d, jsontext_span schema)
{
    writer w;
    str type = { 0 };
    int error = write_briefly(&type, &w, d, schema, 0);

    if (!error)
        error = str_add_str(out, &type);
    str_free(&type);
    return error;
}

int schema_write_shape(str *out, schema_document *d, jsontext_span schema)
{
    writer w;
    str shape = { 0 };
    int error = write_briefly(&shape, &w, d, schema, 1);

    if (!error && w.wrote_members)
        error = str_add_str(out, &shape);
    str_free(&shape);
    return error;
}
