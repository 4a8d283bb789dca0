#include "bash/names.h"

#include <string.h>

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

static int is_own(const char *name, size_t len)
{
    if (strncmp(name, "BASH", 4) == 0 || strncmp(name, "__snug", 6) == 0)
        return 1;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i]) == len && memcmp(own[i], name, len) == 0)
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

/* What a row has in JSON besides its texts, and what is shown of a value. */
enum { VARIABLE_BYTES = 72, SUMMARY_BYTES = 200 };

typedef struct listing {
    cJSON *rows;
    const str *first;
    uint64_t left_bytes;
    size_t left_out;
} listing;

/* Whether the text has these lines, whole. */
static int has_lines(const str *text, const char *lines, size_t len)
{
    const char *at = str_text(text), *end = at + text->len;
    while ((at = memmem(at, (size_t)(end - at), lines, len))) {
        const char *stop = at + len;
        if ((at == text->data || at[-1] == '\n') && (stop == end || *stop == '\n'))
            return 1;
        at++;
    }
    return 0;
}

/* How much of a value is shown: not past what is not UTF-8. */
static size_t shown_bytes(const char *value, size_t len)
{
    size_t fault, most = len;
    if (utf8_check(value, len, &fault) != UTF8_FINE)
        most = fault;
    return utf8_floor(value, most, most < SUMMARY_BYTES ? most : SUMMARY_BYTES);
}

static int add_row(listing *l, const char *name, size_t name_len, const char *type,
                   const char *value, size_t len)
{
    const size_t shown = shown_bytes(value, len);
    const uint64_t bytes = VARIABLE_BYTES + strlen(type) + jsontext_quoted_bytes(name, name_len) +
                           jsontext_quoted_bytes(value, shown);
    if (bytes > l->left_bytes) {
        l->left_out++;
        return 0;
    }

    l->left_bytes -= bytes;
    cJSON *row = json_add_object(l->rows, NULL);
    return !row || json_add_text_len(row, "name", name, name_len) ||
           json_add_text(row, "type", type) || json_add_number(row, "bytes", (double)len) ||
           json_add_text_len(row, "summary", value, shown);
}

/* "declare -ax name=(...)", with what is in further lines. */
static int add_declaration(listing *l, const char *line, size_t len)
{
    static const char begin[] = "declare -";
    const char *flags = line + sizeof begin - 1, *end = line + len;
    const char *name = memchr(flags, ' ', len - (sizeof begin - 1));
    size_t fault;

    if (!name)
        return 0;
    const char *stop = ++name;
    while (stop < end && *stop != '=' && *stop != '\n')
        stop++;
    const size_t name_len = (size_t)(stop - name);
    if (name_len == 0 || is_own(name, name_len) || has_lines(l->first, line, len) ||
        utf8_check(name, name_len, &fault) != UTF8_FINE)
        return 0;

    const char *value = stop < end && *stop == '=' ? stop + 1 : end;
    return add_row(l, name, name_len, type_of(flags), value, (size_t)(end - value));
}

static int add_declarations(listing *l, const str *names)
{
    const char *text = str_text(names), *end = text + names->len;
    int failed = 0;

    while (!failed && text < end) {
        int is_declaration = strncmp(text, "declare -", 9) == 0;
        const char *stop = strstr(text, is_declaration ? "\ndeclare -" : "\n");
        if (!stop) /* the last one ends with its line, as the others do */
            stop = end - (end[-1] == '\n');
        if (is_declaration)
            failed = add_declaration(l, text, (size_t)(stop - text));
        text = stop + 1;
    }

    return failed;
}

char *names_describe(const str *now, const str *first, const char *session, uint64_t list_bytes)
{
    cJSON *root = cJSON_CreateObject();
    listing l = { .first = first, .left_bytes = list_bytes };
    int failed = !root || json_add_text(root, "schema", "snug.variables/1") ||
                 json_add_text(root, "session", session);

    if (!failed)
        l.rows = json_add_array(root, "variables");
    failed = !l.rows || add_declarations(&l, now);
    if (!failed && l.left_out > 0)
        failed = json_add_number(root, "left_out", (double)l.left_out);
    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    return text;
}
