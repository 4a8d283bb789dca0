#include "cli/mcp/rpc.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/jsontext.h"

static int fail_message(rpc_message *m, int code, const char *why)
{
    m->kind = RPC_FAULT;
    m->code = code;
    m->why = strdup(why);
    return m->why ? SNUG_OK : SNUG_ENOMEM;
}

/* ---- the id ---- */

static int is_integer(jsontext_span value)
{
    for (size_t i = 0; i < value.len; i++)
        if (!strchr("-0123456789", value.text[i]))
            return 0;
    return value.len > 0;
}

/* A string or an integer of a bounded length; what else there is counts as none. */
static int keep_id(rpc_message *m, jsontext_span value)
{
    if (!value.text || value.len > RPC_ID_BYTES)
        return SNUG_OK;
    if (*value.text != '"' && !is_integer(value))
        return SNUG_OK;
    m->id = strndup(value.text, value.len);
    return m->id ? SNUG_OK : SNUG_ENOMEM;
}

/* Of an object that is JSON. *has_id: there is one, of whatever type. */
static int read_id(rpc_message *m, int *has_id, const char *text, size_t len)
{
    const jsontext_span id = jsontext_member((jsontext_span){ text, len }, "id");
    *has_id = id.text != NULL;
    return keep_id(m, id);
}

/* ---- reading ---- */

const cJSON *rpc_object(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsObject(member) ? member : NULL;
}

const char *rpc_text(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(member) ? member->valuestring : NULL;
}

static int read_call(rpc_message *m, int has_id)
{
    const char *method = rpc_text(m->root, "method");
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(m->root, "params");

    if (has_id && !m->id)
        return fail_message(m, RPC_INVALID_REQUEST,
                            "\"id\" must be a string or an integer, of "
                            "1,024 bytes at most");
    if (!method)
        return fail_message(m, RPC_INVALID_REQUEST, "\"method\" must be a string");
    if (strlen(method) > RPC_METHOD_BYTES)
        return fail_message(m, RPC_INVALID_REQUEST, "\"method\" has more than 256 bytes");
    if (params && !cJSON_IsObject(params))
        return fail_message(m, RPC_INVALID_PARAMS, "\"params\" must be an object");

    m->kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
    m->params = params;
    m->method = strdup(method);
    return m->method ? SNUG_OK : SNUG_ENOMEM;
}

/* ---- members that are there twice ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* *twice: it has two members of one name. SNUG_OK or SNUG_ENOMEM. */
static int find_twice(int *twice, const cJSON *object)
{
    const size_t most = (size_t)cJSON_GetArraySize(object);
    const cJSON *one;
    size_t count = 0;

    if (*twice || !cJSON_IsObject(object) || most < 2)
        return SNUG_OK;
    const char **names = malloc(most * sizeof *names);
    if (!names)
        return SNUG_ENOMEM;
    cJSON_ArrayForEach(one, object)
    {
        names[count++] = one->string;
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        *twice |= strcmp(names[i - 1], names[i]) == 0;
    free(names);
    return SNUG_OK;
}

/* Of two members of one name readers take the first or the last: who stands between the client and
 * this server, as the headers of HTTP, may have judged the other one. */
static int find_any_twice(int *twice, const rpc_message *m)
{
    const cJSON *params = rpc_object(m->root, "params");
    const cJSON *const objects[] = { m->root, params, rpc_object(params, "_meta"),
                                     rpc_object(params, "arguments") };
    int error = SNUG_OK;

    *twice = 0;
    for (size_t i = 0; i < sizeof objects / sizeof *objects && !error; i++)
        error = find_twice(twice, objects[i]);
    return error;
}

static int read_object(rpc_message *m, int has_id)
{
    int twice;

    if (find_any_twice(&twice, m))
        return SNUG_ENOMEM;
    if (twice)
        return fail_message(m, RPC_INVALID_REQUEST, "duplicate member");
    const char *version = rpc_text(m->root, "jsonrpc");

    if (!version || strcmp(version, "2.0") != 0)
        return fail_message(m, RPC_INVALID_REQUEST, "\"jsonrpc\" must be \"2.0\"");
    if (cJSON_GetObjectItemCaseSensitive(m->root, "method"))
        return read_call(m, has_id);

    m->result = cJSON_GetObjectItemCaseSensitive(m->root, "result");
    m->error = rpc_object(m->root, "error");
    if (!m->result && !m->error)
        return fail_message(m, RPC_INVALID_REQUEST,
                            "a message has a \"method\", a \"result\" or "
                            "an \"error\"");
    m->kind = RPC_ANSWER;
    return SNUG_OK;
}

/* What is JSON, and yet refused, has an id to be answered under. */
static int fail_parse(rpc_message *m, const char *text, size_t len)
{
    int has_id;
    size_t at;

    if (fail_message(m, RPC_PARSE_ERROR, error_message()))
        return SNUG_ENOMEM;
    return jsontext_check(text, len, &at) ? SNUG_OK : read_id(m, &has_id, text, len);
}

/* By its commas and opening brackets, before anything is made of them: a value takes many times the
 * memory of its text. */
static int has_many_values(const char *text, size_t len)
{
    size_t count = 1;
    int is_string = 0;

    for (size_t i = 0; i < len && count <= RPC_VALUES; i++) {
        if (text[i] == '"')
            is_string = !is_string;
        else if (is_string)
            i += text[i] == '\\';
        else
            count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    }
    return count > RPC_VALUES;
}

int rpc_read(rpc_message *out, const char *text, size_t len)
{
    int has_id;

    *out = (rpc_message){ 0 };
    if (has_many_values(text, len))
        return fail_message(out, RPC_INVALID_REQUEST, "a message has more than 100,000 values");
    int error = json_parse(&out->root, text, len);
    if (error)
        return error == SNUG_ENOMEM ? error : fail_parse(out, text, len);
    if (cJSON_IsArray(out->root))
        return fail_message(out, RPC_INVALID_REQUEST,
                            "batches are not part of this protocol; send "
                            "each message alone");
    if (!cJSON_IsObject(out->root))
        return fail_message(out, RPC_INVALID_REQUEST, "a message is a JSON object");
    error = read_id(out, &has_id, text, len);
    return error ? error : read_object(out, has_id);
}

void rpc_free(rpc_message *m)
{
    cJSON_Delete(m->root);
    free(m->id);
    free(m->method);
    free(m->why);
    *m = (rpc_message){ 0 };
}

/* ---- writing ---- */

int rpc_write_answer(str *out, const char *id, const char *member, const char *body)
{
    str_add(out, "{\"jsonrpc\":\"2.0\",");
    /* Where it could not be read, both schemas leave the member out. */
    if (id)
        str_printf(out, "\"id\":%s,", id);
    str_printf(out, "\"%s\":", member);
    str_add(out, body);
    return str_add(out, "}");
}

int rpc_write_fault(str *out, int code, const char *message, const char *data)
{
    str_printf(out, "{\"code\":%d,\"message\":", code);
    jsontext_quote(out, message, strlen(message));
    if (data)
        str_printf(out, ",\"data\":%s", data);
    return str_add(out, "}");
}

int rpc_write_error(str *out, const char *id, int code, const char *message)
{
    str fault = { 0 };
    int error = rpc_write_fault(&fault, code, message, NULL);
    if (!error)
        error = rpc_write_answer(out, id, "error", fault.data);
    str_free(&fault);
    return error;
}

static int write_method(str *out, const char *method, const char *params)
{
    str_add(out, "\"method\":");
    jsontext_quote(out, method, strlen(method));
    if (params) {
        str_add(out, ",\"params\":");
        str_add(out, params);
    }
    return str_add(out, "}");
}

int rpc_write_notification(str *out, const char *method, const char *params)
{
    str_add(out, "{\"jsonrpc\":\"2.0\",");
    return write_method(out, method, params);
}

int rpc_write_request(str *out, const char *id, const char *method, const char *params)
{
    str_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,", id);
    return write_method(out, method, params);
}
