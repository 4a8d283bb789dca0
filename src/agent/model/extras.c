#include "agent/model/extras.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/secret_env.h"
#include "base/utf8.h"
#include "wire/json.h"

enum { MOST_NAME_BYTES = 100, MOST_VALUE_BYTES = 8192 };

/* ---- fields ---- */

/* Those that requests have anyway, and what sets them; NULL: nothing does. */
static const struct {
    const char *name, *option;
} taken[] = {
    { "model", "--model" },
    { "messages", NULL },
    { "system", NULL },
    { "tools", NULL },
    { "tool_choice", NULL },
    { "response_format", NULL },
    { "stream", "--no-stream" },
    { "stream_options", NULL },
    { "temperature", "--temperature" },
    { "max_tokens", "--reply-tokens" },
    { "max_completion_tokens", "--reply-tokens" },
    { "n", NULL },
};

static int check_name(const char *name)
{
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(taken[i].name, name) != 0)
            continue;
        if (taken[i].option)
            return error_set(SNUG_EINVAL, "the request field \"%s\" is set by %s", name,
                             taken[i].option);
        return error_set(SNUG_EINVAL, "the request field \"%s\" is snug's own", name);
    }

    return SNUG_OK;
}

static int is_name(const char *text, size_t len)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

    if (len == 0 || len > MOST_NAME_BYTES || text[0] == '.' || text[len - 1] == '.')
        return 0;
    for (size_t i = 0; i < len; i++)
        if (!strchr(letters, text[i]) || (text[i] == '.' && text[i + 1] == '.'))
            return 0;
    return 1;
}

/* A value that is not JSON is a text. */
static int read_value(cJSON **out, const char *name, const char *text)
{
    size_t at;

    if (utf8_check(text, strlen(text), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the request field \"%s\" is not UTF-8", name);
    if (json_parse(out, text, strlen(text)) == SNUG_OK)
        return SNUG_OK;

    *out = cJSON_CreateString(text);
    return *out ? SNUG_OK : error_no_memory();
}

/* The object that the last part of a dotted name is a member of; *last is that part. */
static cJSON *enter(cJSON *object, const char **last, const char *name)
{
    char part[MOST_NAME_BYTES + 1];
    const char *dot;

    for (; object && (dot = strchr(name, '.')); name = dot + 1) {
        memcpy(part, name, (size_t)(dot - name));
        part[dot - name] = '\0';
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, part);
        if (inner && !cJSON_IsObject(inner))
            return inner;
        object = inner ? inner : cJSON_AddObjectToObject(object, part);
    }

    *last = name;
    return object;
}

static int add_field(cJSON *root, const char *field)
{
    char name[MOST_NAME_BYTES + 1];
    const char *last, *sign = strchr(field, '=');
    const size_t len = sign ? (size_t)(sign - field) : 0;

    if (!sign || !is_name(field, len))
        return error_set(SNUG_EINVAL, "the request field \"%.100s\": expected NAME=VALUE", field);

    memcpy(name, field, len);
    name[len] = '\0';
    int error = check_name(name);
    if (error)
        return error;

    cJSON *value;
    if ((error = read_value(&value, name, sign + 1)))
        return error;
    cJSON *object = enter(root, &last, name);
    if (!cJSON_IsObject(object) || cJSON_GetObjectItemCaseSensitive(object, last)) {
        cJSON_Delete(value);
        if (!object)
            return error_no_memory();
        return error_set(SNUG_EINVAL, "the request field \"%s\" is given twice", name);
    }

    if (!cJSON_AddItemToObject(object, last, value)) {
        cJSON_Delete(value);
        return error_no_memory();
    }
    return SNUG_OK;
}

static int read_fields(str *out, const char *const *fields)
{
    cJSON *root = cJSON_CreateObject();
    int error = root ? SNUG_OK : error_no_memory();

    for (; !error && *fields; fields++)
        error = add_field(root, *fields);

    char *text = !error && root->child ? json_text(root) : NULL;
    if (!error && root->child && (!text || str_add(out, text)))
        error = error_no_memory();

    /* What stands between the braces goes behind other fields. */
    if (out->len > 0) {
        out->data[0] = ',';
        out->data[--out->len] = '\0';
    }

    free(text);
    cJSON_Delete(root);
    return error;
}

/* ---- headers ---- */

/* Those of the transport. */
static const char *const own_headers[] = { "content-type", "content-length", "transfer-encoding",
                                           "host",         "expect",         "connection" };

static int is_token(const char *text, size_t len)
{
    if (len == 0 || len > MOST_NAME_BYTES)
        return 0;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f ||
            strchr("()<>@,;:\\\"/[]?={}", text[i]))
            return 0;
    return 1;
}

static int is_variable(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    return text[0] == '$' && text[1] && strspn(text + 1, letters) == strlen(text + 1);
}

/* The value behind the colon, or of the variable that it names. */
static int find_value(const char **out, const char *line, size_t name_len)
{
    const char *value = line + name_len + 1;

    value += strspn(value, " \t");
    if (is_variable(value)) {
        const char *variable = value + 1;
        value = secret_env(variable);
        if (!value || !*value)
            return error_set(SNUG_EINVAL, "the header %.*s: the variable %s is not set",
                             (int)name_len, line, variable);
    }

    const size_t len = strlen(value);
    int is_fine = len > 0 && len <= MOST_VALUE_BYTES;
    for (size_t i = 0; is_fine && i < len; i++)
        is_fine = (unsigned char)value[i] >= ' ' && value[i] != 0x7f;
    if (!is_fine)
        return error_set(SNUG_EINVAL,
                         "the header %.*s: its value is empty, too long, or has a control "
                         "character",
                         (int)name_len, line);

    *out = value;
    return SNUG_OK;
}

static int add_secret(extras *e, const char *text)
{
    if (str_add(&e->secrets[e->secret_count], text))
        return error_no_memory();
    e->secret_count++;
    return SNUG_OK;
}

static int add_header(extras *e, const char *line)
{
    const char *colon = strchr(line, ':');
    const size_t name_len = colon ? (size_t)(colon - line) : 0;
    str whole = { 0 };

    if (!is_token(line, name_len))
        return error_set(SNUG_EINVAL, "header %zu: expected NAME: VALUE", e->header_count + 1);
    for (size_t i = 0; i < sizeof own_headers / sizeof *own_headers; i++)
        if (strlen(own_headers[i]) == name_len && strncasecmp(own_headers[i], line, name_len) == 0)
            return error_set(SNUG_EINVAL, "the header %s is snug's own", own_headers[i]);

    const char *value;
    int error = find_value(&value, line, name_len);
    if (error)
        return error;
    if (str_append(&whole, line, name_len) || str_add(&whole, ": ") || str_add(&whole, value)) {
        key_wipe(&whole);
        return error_no_memory();
    }

    e->headers[e->header_count++] = whole.data;
    error = add_secret(e, value);
    const char *blank = strrchr(value, ' '); /* "Bearer ..." */
    if (!error && blank)
        error = add_secret(e, blank + 1);
    return error;
}

static int read_headers(extras *e, const char *const *headers)
{
    size_t count = 0;
    int error = SNUG_OK;

    while (headers[count])
        count++;
    e->headers = calloc(count + 1, sizeof *e->headers);
    e->secrets = calloc(2 * count + 1, sizeof *e->secrets);
    if (!e->headers || !e->secrets)
        return error_no_memory();

    for (size_t i = 0; !error && i < count; i++)
        error = add_header(e, headers[i]);
    return error;
}

/* ---- both ---- */

int extras_read(extras *out, const char *const *fields, const char *const *headers)
{
    int error = SNUG_OK;

    *out = (extras){ 0 };
    if (fields)
        error = read_fields(&out->fields, fields);
    if (!error && headers)
        error = read_headers(out, headers);
    if (error)
        extras_free(out);
    return error;
}

void extras_free(extras *e)
{
    for (size_t i = 0; i < e->header_count; i++) {
        explicit_bzero(e->headers[i], strlen(e->headers[i]));
        free(e->headers[i]);
    }
    for (size_t i = 0; i < e->secret_count; i++)
        key_wipe(&e->secrets[i]);
    free(e->headers);
    free(e->secrets);
    str_free(&e->fields);
    *e = (extras){ 0 };
}

int extras_has_header(const extras *e, const char *line)
{
    const size_t len = strcspn(line, ":");

    for (size_t i = 0; i < e->header_count; i++)
        if (strncasecmp(e->headers[i], line, len) == 0 && e->headers[i][len] == ':')
            return 1;
    return 0;
}

int extras_write(str *body, const extras *e)
{
    if (e->fields.len == 0)
        return SNUG_OK;
    body->data[--body->len] = '\0';
    if (str_add_str(body, &e->fields))
        return SNUG_ENOMEM;
    return str_add(body, "}");
}
