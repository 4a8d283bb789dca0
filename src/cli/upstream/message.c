#include "cli/upstream/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

int message_read(message *out, const char *text, size_t len)
{
    size_t at;
    const jsontext_span whole = { text, len };

    *out = (message){ 0 };
    if (len == 0 || jsontext_check(text, len, &at) || text[strspn(text, " \t\r\n")] != '{')
        return 0;
    *out = (message){ jsontext_member(whole, "id"), jsontext_member(whole, "method"),
                      jsontext_member(whole, "params"), jsontext_member(whole, "result"),
                      jsontext_member(whole, "error") };
    return out->method.text || out->id.text || (out->error.text && *out->error.text == '{');
}

int message_has_id(const message *m, unsigned long id)
{
    char text[32];

    snprintf(text, sizeof text, "%lu", id);
    return jsontext_is(m->id, text);
}

long message_error_code(jsontext_span error)
{
    const jsontext_span code = jsontext_member(error, "code");
    return code.text ? strtol(code.text, NULL, 10) : 0;
}

/* ---- what is sent ---- */

/* "{...}", with what each request of the newer revision says of itself. */
static int write_params(str *out, const char *params, int is_new)
{
    const char *rest = params + 1 + strspn(params + 1, " ");

    if (!is_new)
        return str_add(out, params);
    str_printf(out,
               "{\"_meta\": {\"io.modelcontextprotocol/protocolVersion\": "
               "\"" MESSAGE_NEW "\", \"io.modelcontextprotocol/clientInfo\": "
               "" MESSAGE_CLIENT ", "
               "\"io.modelcontextprotocol/clientCapabilities\": {}}%s",
               *rest == '}' ? "" : ", ");
    return str_add(out, rest);
}

int message_write_request(str *out, unsigned long id, const char *method, const char *params,
                          int is_new)
{
    str_printf(out, "{\"jsonrpc\": \"2.0\", \"id\": %lu, \"method\": \"%s\", \"params\": ", id,
               method);

    write_params(out, params, is_new);
    return str_add(out, "}");
}

int message_write_notification(str *out, const char *method, const char *params)
{
    return str_printf(out, "{\"jsonrpc\": \"2.0\", \"method\": \"%s\", \"params\": %s}", method,
                      params);
}

int message_write_answer(str *out, jsontext_span id, jsontext_span method)
{
    str_add(out, "{\"jsonrpc\": \"2.0\", \"id\": ");

    str_append(out, id.text, id.len);
    return str_add(out, jsontext_is(method, "\"ping\"")
                            ? ", \"result\": {}}"
                            : ", \"error\": {\"code\": -32601, \"message\": \"not found\"}}");
}

/* ---- versions ---- */

int message_lists_new(jsontext_span list)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span item;

    if (!list.text || *list.text != '[' || !jsontext_enter(&j, list))
        return 0;
    while (jsontext_item(&j, &ignored, &item))
        if (jsontext_is(item, "\"" MESSAGE_NEW "\""))
            return 1;
    return 0;
}

void message_read_version(char out[MESSAGE_VERSION_BYTES], jsontext_span version)
{
    str text = { 0 };
    const int is_date = !jsontext_string(&text, version) && text.len > 0 &&
                        text.len < MESSAGE_VERSION_BYTES &&
                        strspn(text.data, "0123456789-") == text.len;

    strcpy(out, is_date ? text.data : MESSAGE_OLD);
    str_free(&text);
}
