#include "agent/prompt/digest.h"

#include <stdlib.h>
#include <string.h>

#include "agent/text/clip.h"
#include "base/error.h"
#include "base/jsontext.h"

enum { MOST_VARIABLES = 100, MOST_SUMMARY_BYTES = 120, MOST_FILES = 100 };

static int add_member_text(str *out, jsontext_span object, const char *name, const char *before,
                           const char *after, size_t most)
{
    str text = { 0 };
    jsontext_span value = jsontext_member(object, name);
    int error = SNUG_OK;

    if (!value.text || jsontext_is(value, "null") || jsontext_is(value, "\"\""))
        return SNUG_OK;
    if (jsontext_string(&text, value) == SNUG_EINVAL)
        error = str_append(&text, value.text, value.len);
    if (!error)
        error = str_add(out, before);
    if (!error)
        error = clip_append(out, str_text(&text), text.len, most, 0);
    if (!error)
        error = str_add(out, after);
    str_free(&text);
    return error;
}

/* In bash the function that takes the answer is one like the guest's. */
static int is_own(jsontext_span variable)
{
    return jsontext_is(jsontext_member(variable, "name"), "\"final_answer\"") &&
           jsontext_is(jsontext_member(variable, "type"), "\"function\"");
}

static int add_variable_line(str *out, jsontext_span variable)
{
    int error = add_member_text(out, variable, "name", "- ", "", 200);

    if (!error)
        error = add_member_text(out, variable, "type", ": ", "", 200);
    if (!error)
        error = add_member_text(out, variable, "length", ", length ", "", 40);
    if (!error)
        error = add_member_text(out, variable, "summary", " = ", "", MOST_SUMMARY_BYTES);
    if (error)
        return error;
    return str_add(out, "\n");
}

int digest_variables(str *out, snug_session *session)
{
    snug_description *d;
    size_t len, count = 0;
    const int is_bash = snug_session_kind(session) == SNUG_KIND_BASH;
    int error = snug_session_list_variables(&d, session);
    if (error)
        return error;

    const char *json = snug_description_json(d, &len);
    jsontext_span list = jsontext_member((jsontext_span){ json, len }, "variables"), item;
    jsontext j;
    jsontext_enter(&j, list);
    while (!error && jsontext_item(&j, NULL, &item)) {
        if (is_bash && is_own(item))
            continue;
        if (count++ < MOST_VARIABLES)
            error = add_variable_line(out, item);
    }

    if (!error && count > MOST_VARIABLES)
        error = str_printf(out, "- and %zu more\n", count - MOST_VARIABLES);
    snug_description_free(d);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

int digest_files(str *out, snug_session *session)
{
    snug_listing *listing;
    int error = snug_session_list_files(&listing, session);
    if (error)
        return error;

    size_t count = snug_listing_entry_count(listing);
    for (size_t i = 0; !error && i < count && i < MOST_FILES; i++) {
        const snug_entry *entry = snug_listing_entry(listing, i);
        if (entry->kind == SNUG_ENTRY_FILE)
            error = str_printf(out, "- %s, %llu bytes\n", entry->path,
                               (unsigned long long)entry->bytes);
        else
            error = str_printf(out, "- %s, a %s\n", entry->path, snug_entry_kind_name(entry->kind));
    }

    if (!error && count > MOST_FILES)
        error = str_printf(out, "- and %zu more\n", count - MOST_FILES);
    snug_listing_free(listing);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

int digest_modules(str *out, snug_session *session)
{
    static const char source[] = "import ";
    snug_completion *c;
    int error = snug_session_complete(&c, session, source, sizeof source - 1, sizeof source - 1);
    if (error)
        return error;

    for (size_t i = 0; !error && i < snug_completion_match_count(c); i++) {
        const char *name = snug_completion_match(c, i);
        if (name[0] != '_' && !strchr(name, '.'))
            error = str_printf(out, "%s%s", out->len ? ", " : "", name);
    }

    snug_completion_free(c);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}
