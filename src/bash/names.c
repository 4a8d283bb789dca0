#include "bash/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "wire/json.h"

/* What bash and the prelude change by themselves. */
static const char *const own[] = {
    "_",        "COLUMNS",       "COMP_WORDBREAKS",
    "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS",
    "FUNCNAME", "GROUPS",        "HISTCMD",
    "LINENO",   "LINES",         "OLDPWD",
    "OPTIND",   "PIPESTATUS",    "PPID",
    "PS1",      "PS2",           "PWD",
    "RANDOM",   "SECONDS",       "SHELLOPTS",
    "SHLVL",    "SRANDOM",       "command_not_found_handle",
    "exit",     "read",          "trap",
};

static int is_own(const char *name)
{
    if (strncmp(name, "BASH", 4) == 0 || strncmp(name, "__snug", 6) == 0)
        return 1;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return 1;
    return 0;
}

static const char *type_of(const char *flags)
{
    static const struct {
        char flag;
        const char *type;
    } types[] = { { 'A', "map" }, { 'a', "array" }, { 'f', "function" }, { 'i', "integer" } };
    size_t len = strcspn(flags, " ");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (memchr(flags, types[i].flag, len))
            return types[i].type;

    return "string";
}

/* "declare -ax name=(...)", with what is in further lines. */
static int add_line(shell_names *names, const char *line, size_t len)
{
    static const char begin[] = "declare -";
    const char *flags = line + sizeof begin - 1;
    const char *name = memchr(flags, ' ', len - (sizeof begin - 1));
    if (!name)
        return SNUG_OK;

    name++;
    size_t name_len = 0, left = len - (size_t)(name - line);
    while (name_len < left && name[name_len] != '=' && name[name_len] != '\n')
        name_len++;
    const size_t name_at = names->text.len;
    if (str_append(&names->text, name, name_len) || str_append(&names->text, "", 1))
        return SNUG_ENOMEM;
    if (name_len == 0 || is_own(names->text.data + name_at)) {
        names->text.len = name_at;
        return SNUG_OK;
    }

    const size_t line_at = names->text.len;
    if (str_append(&names->text, line, len) || str_append(&names->text, "", 1))
        return SNUG_ENOMEM;

    if (array_reserve(&names->items, &names->cap, names->count + 1, sizeof *names->items))
        return SNUG_ENOMEM;

    names->items[names->count++] =
        (shell_name){ name_at, line_at, type_of(flags), hash_bytes(line, len) };
    return SNUG_OK;
}

static int read_declarations(shell_names *names, const char *text)
{
    int error = SNUG_OK;
    const char *end;

    if (!text)
        return SNUG_OK;

    end = text + strlen(text);
    while (!error && text < end) {
        int is_declaration = strncmp(text, "declare -", 9) == 0;
        const char *stop = strstr(text, is_declaration ? "\ndeclare -" : "\n");
        if (!stop) /* the last one ends with its line, as the others do */
            stop = end - (end[-1] == '\n');
        if (is_declaration)
            error = add_line(names, text, (size_t)(stop - text));
        text = stop + 1;
    }

    return error;
}

static int compare_rows(const void *a, const void *b, void *text)
{
    const shell_name *left = a, *right = b;
    return strcmp((const char *)text + left->name, (const char *)text + right->name);
}

int names_read(shell_names *out, const char *variables, const char *functions)
{
    *out = (shell_names){ 0 };
    int error = read_declarations(out, variables);
    if (!error)
        error = read_declarations(out, functions);
    if (error)
        names_free(out);
    else if (out->count > 0)
        qsort_r(out->items, out->count, sizeof *out->items, compare_rows, out->text.data);

    return error;
}

void names_free(shell_names *names)
{
    free(names->items);
    str_free(&names->text);
    *names = (shell_names){ 0 };
}

static const char *name_of(const shell_names *names, size_t index)
{
    return names->text.data + names->items[index].name;
}

/* What a row has in JSON besides its texts. */
enum { CHANGE_BYTES = 48, VARIABLE_BYTES = 72 };

static int tell_change(outcome *out, const char *name, const char *type, const char *op)
{
    size_t len = strlen(name), fault;
    if (utf8_check(name, len, &fault) != UTF8_FINE)
        return SNUG_OK;

    uint64_t bytes = CHANGE_BYTES + strlen(type) + jsontext_quoted_bytes(name, len);
    if (out->change_count == OUTCOME_CHANGES ||
        bytes > out->most_change_bytes - out->change_bytes) {
        out->more_changes++;
        return SNUG_OK;
    }

    out->change_bytes += bytes;
    if (array_reserve(&out->changes, &out->change_cap, out->change_count + 1, sizeof *out->changes))
        return SNUG_ENOMEM;

    const size_t at = out->change_texts.len;
    if (str_append(&out->change_texts, name, len + 1) ||
        str_append(&out->change_texts, type, strlen(type) + 1))
        return SNUG_ENOMEM;

    out->changes[out->change_count++] = (outcome_change){ at, len, at + len + 1, op };
    return SNUG_OK;
}

/* As strcmp of the names at a and b; a list that is at its end comes after the other. */
static int compare_at(const shell_names *before, size_t a, const shell_names *now, size_t b)
{
    if (a == before->count)
        return 1;
    if (b == now->count)
        return -1;
    return strcmp(name_of(before, a), name_of(now, b));
}

static int tell_new_names(outcome *out, const shell_names *before, const shell_names *now)
{
    size_t a = 0, b = 0;
    int error = SNUG_OK;

    while (!error && b < now->count) {
        int order = compare_at(before, a, now, b);
        const shell_name *item = &now->items[b];
        if (order > 0)
            error = tell_change(out, name_of(now, b), item->type, "set");
        else if (order == 0 && before->items[a].hash != item->hash)
            error = tell_change(out, name_of(now, b), item->type, "rebound");
        if (order <= 0)
            a++;
        if (order >= 0)
            b++;
    }

    return error;
}

static int tell_gone_names(outcome *out, const shell_names *before, const shell_names *now)
{
    size_t a = 0, b = 0;
    int error = SNUG_OK;

    while (!error && a < before->count) {
        int order = compare_at(before, a, now, b);
        if (order < 0)
            error = tell_change(out, name_of(before, a), "", "deleted");
        if (order <= 0)
            a++;
        if (order >= 0)
            b++;
    }

    return error;
}

/* Both are in order, so that each walk goes through them once. What is gone comes last: where there
 * is no room for all, it is left out first. */
int names_compare(outcome *out, const shell_names *before, const shell_names *now)
{
    int error = tell_new_names(out, before, now);

    if (!error)
        error = tell_gone_names(out, before, now);
    return error;
}

/* ---- all of them ---- */

enum { SUMMARY_BYTES = 200 };

typedef struct variable {
    const char *name, *type, *value;
    size_t len, shown; /* of the value */
} variable;

static variable variable_at(const shell_names *now, size_t index)
{
    const shell_name *item = &now->items[index];
    const char *value = strchr(now->text.data + item->line, '=');
    variable v = { .name = name_of(now, index),
                   .type = item->type,
                   .value = value ? value + 1 : "" };

    v.len = strlen(v.value);
    v.shown = v.len < SUMMARY_BYTES ? v.len : SUMMARY_BYTES;
    size_t fault;
    if (utf8_check(v.value, v.len, &fault) != UTF8_FINE) {
        if (fault < v.shown)
            v.shown = fault;
        v.len = v.shown;
    }

    v.shown = utf8_floor(v.value, v.len, v.shown);
    return v;
}

static uint64_t bytes_of_row(const variable *v)
{
    return VARIABLE_BYTES + strlen(v->type) + jsontext_quoted_bytes(v->name, strlen(v->name)) +
           jsontext_quoted_bytes(v->value, v->shown);
}

static int add_variable(cJSON *list, const variable *v)
{
    cJSON *row = json_add_object(list, NULL);
    char summary[SUMMARY_BYTES + 1];
    memcpy(summary, v->value, v->shown);
    summary[v->shown] = '\0';
    return !row || json_add_text(row, "name", v->name) || json_add_text(row, "type", v->type) ||
           json_add_number(row, "bytes", (double)v->len) || json_add_text(row, "summary", summary);
}

/* Whether the name at a is also at b, with the same value. */
static int has_same(const shell_names *first, size_t a, const shell_names *now, size_t b)
{
    return a < first->count && strcmp(name_of(first, a), name_of(now, b)) == 0 &&
           first->items[a].hash == now->items[b].hash;
}

/* Those that first does not have, as far as list_bytes go. */
static int add_variables(cJSON *list, size_t *left_out, const shell_names *now,
                         const shell_names *first, uint64_t list_bytes)
{
    int failed = 0;

    for (size_t i = 0, k = 0; !failed && i < now->count; i++) {
        size_t at;
        const char *name = name_of(now, i);
        while (k < first->count && strcmp(name_of(first, k), name) < 0)
            k++;
        if (has_same(first, k, now, i) || utf8_check(name, strlen(name), &at) != UTF8_FINE)
            continue;

        const variable v = variable_at(now, i);
        const uint64_t bytes = bytes_of_row(&v);
        if (bytes > list_bytes) {
            ++*left_out;
            continue;
        }
        list_bytes -= bytes;
        failed = add_variable(list, &v);
    }

    return failed;
}

char *names_describe(const shell_names *now, const shell_names *first, const char *session,
                     uint64_t list_bytes)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *list = NULL;
    size_t left_out = 0;
    int failed = !root || json_add_text(root, "schema", "snug.variables/1") ||
                 json_add_text(root, "session", session);

    if (!failed)
        list = json_add_array(root, "variables");
    failed = !list || add_variables(list, &left_out, now, first, list_bytes);
    if (!failed && left_out > 0)
        failed = json_add_number(root, "left_out", (double)left_out);
    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    return text;
}
