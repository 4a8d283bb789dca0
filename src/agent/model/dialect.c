#include "agent/model/dialect.h"

#include <snug/snug.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void dialect_error_free(dialect_error *error)
{
    str_free(&error->message);
    str_free(&error->type);
    str_free(&error->code);
    str_free(&error->param);
    *error = (dialect_error){ 0 };
}

void dialect_reader_free(dialect_reader *r)
{
    dialect_error_free(&r->error);
}

int dialect_fail(dialect_reader *r, const char *problem)
{
    r->problem = problem;
    return SNUG_EINVAL;
}

/* ---- pieces of JSON ---- */

int dialect_number(uint64_t *out, jsontext_span value)
{
    uint64_t number = 0;

    if (!value.text || value.len == 0 || value.len > 18)
        return 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.text[i] < '0' || value.text[i] > '9')
            return 0;
        number = number * 10 + (uint64_t)(value.text[i] - '0');
    }

    *out = number;
    return 1;
}

int dialect_is(jsontext_span value, const char *text)
{
    size_t len = strlen(text);
    return value.text && value.len == len + 2 && value.text[0] == '"' &&
           memcmp(value.text + 1, text, len) == 0;
}

int dialect_is_object(jsontext_span value)
{
    while (value.len > 0 && memchr(" \t\r\n", *value.text, 4))
        value.text++, value.len--;
    return value.len > 0 && *value.text == '{';
}

int dialect_add_quoted(str *out, const char *before, const str *text)
{
    if (str_add(out, before))
        return SNUG_ENOMEM;
    return jsontext_quote(out, str_text(text), text->len);
}

int dialect_add_comma(str *out, size_t *count)
{
    const int is_first = *count == 0;

    ++*count;
    if (is_first)
        return SNUG_OK;
    return str_add(out, ",");
}

int dialect_add_number(str *out, const char *before, double number)
{
    char text[64];
    int error = str_add(out, before);

    snprintf(text, sizeof text, "%.6g", number);
    /* The host program's locale may have another decimal point. */
    for (char *c = text; *c; c++)
        if (!strchr("0123456789+-e", *c))
            *c = '.';

    if (error)
        return error;
    return str_add(out, text);
}

/* A string is appended; anything else is nothing. */
static int add_string(str *out, jsontext_span value)
{
    int error = jsontext_string(out, value);
    return error == SNUG_ENOMEM ? error : SNUG_OK;
}

int dialect_replace(str *out, jsontext_span value)
{
    if (!value.text || value.text[0] != '"')
        return SNUG_OK;
    str_clear(out);
    return add_string(out, value);
}

int dialect_add_text(dialect_reader *r, jsontext_span text)
{
    size_t before = r->reply->text.len;
    int error = add_string(&r->reply->text, text);
    size_t len = r->reply->text.len - before;
    if (!error && len > 0 && r->on_text)
        r->on_text(r->payload, r->reply->text.data + before, len);
    return error;
}

int dialect_add_arguments(str *out, const str *arguments)
{
    size_t at;
    const char *text = str_text(arguments), *body = text + strspn(text, " \t\r\n");

    if (arguments->len == 0)
        return str_add(out, "{}");
    if (*body == '{' && !jsontext_check(text, arguments->len, &at))
        return str_append(out, text, arguments->len);

    /* So that the model sees what it sent. */
    int error = str_add(out, "{\"invalid\":");
    if (!error)
        error = jsontext_quote(out, text, arguments->len);
    if (error)
        return error;
    return str_add(out, "}");
}

/* ---- calls ---- */

model_call *dialect_call(int *error, dialect_reader *r, size_t block)
{
    model_reply *reply = r->reply;

    for (size_t i = 0; i < reply->call_count; i++)
        if (r->blocks[i] == block)
            return &reply->calls[i];

    if (reply->call_count == DIALECT_MOST_CALLS) {
        *error = dialect_fail(r, "it has more than 128 calls of tools");
        return NULL;
    }

    model_call *calls = realloc(reply->calls, (reply->call_count + 1) * sizeof *calls);
    if (!calls) {
        *error = SNUG_ENOMEM;
        return NULL;
    }

    reply->calls = calls;
    calls[reply->call_count] = (model_call){ 0 };
    r->blocks[reply->call_count] = block;
    return &calls[reply->call_count++];
}

int dialect_finish(dialect_reader *r)
{
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < r->reply->call_count; i++) {
        model_call *call = &r->reply->calls[i];
        if (call->arguments.len == 0)
            error = str_add(&call->arguments, "{}");
        if (!error && call->id.len == 0)
            error = str_printf(&call->id, "call_%zu", i + 1);
    }

    return error;
}

/* ---- errors ---- */

/* The types that stand in a stream, which come after the status. */
static int status_of(const dialect_error *error)
{
    static const struct {
        const char *name;
        int status;
    } types[] = {
        { "insufficient_quota", 402 },    { "billing_error", 402 },
        { "authentication_error", 401 },  { "invalid_api_key", 401 },
        { "permission_error", 403 },      { "not_found_error", 404 },
        { "model_not_found", 404 },       { "request_too_large", 413 },
        { "invalid_request_error", 400 }, { "context_length_exceeded", 400 },
        { "rate_limit_error", 429 },      { "rate_limit_exceeded", 429 },
        { "overloaded_error", 529 },      { "timeout_error", 504 },
    };
    uint64_t number;
    if (dialect_number(&number, (jsontext_span){ error->code.data, error->code.len }) &&
        number >= 400 && number <= 599)
        return (int)number;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(str_text(&error->type), types[i].name) == 0 ||
            strcmp(str_text(&error->code), types[i].name) == 0)
            return types[i].status;
    return 0;
}

int dialect_read_error(dialect_error *error, jsontext_span value)
{
    int failed;
    uint64_t number;

    error->is_present = 1;
    if (value.text && value.text[0] == '"')
        return dialect_replace(&error->message, value);

    jsontext_span code = jsontext_member(value, "code");
    if ((failed = dialect_replace(&error->message, jsontext_member(value, "message"))) ||
        (failed = dialect_replace(&error->type, jsontext_member(value, "type"))) ||
        (failed = dialect_replace(&error->code, code)) ||
        (failed = dialect_replace(&error->param, jsontext_member(value, "param"))))
        return failed;

    if (dialect_number(&number, code)) {
        str_clear(&error->code);
        failed = str_append(&error->code, code.text, code.len);
    }

    error->status = status_of(error);
    return failed;
}

/* A page of a proxy is nothing to read out. */
static int is_markup(const char *body, size_t len)
{
    while (len > 0 && strchr(" \t\r\n", *body) && *body)
        body++, len--;
    return len > 0 && *body == '<';
}

int dialect_read_refusal(dialect_error *error, const char *body, size_t len)
{
    size_t at;
    jsontext_span whole = { body, len };

    error->is_present = 1;
    if (len == 0 || is_markup(body, len))
        return SNUG_OK;
    if (jsontext_check(body, len, &at))
        return str_append(&error->message, body, len);

    jsontext_span inner = jsontext_member(whole, "error");
    if (inner.text && (inner.text[0] == '{' || inner.text[0] == '"'))
        return dialect_read_error(error, inner);
    if (jsontext_member(whole, "message").text)
        return dialect_read_error(error, whole);

    inner = jsontext_member(whole, "detail");
    if (inner.text && inner.text[0] == '"')
        return dialect_replace(&error->message, inner);
    return str_append(&error->message, body, len);
}

unsigned dialect_learn(const dialect_error *error, int status, unsigned quirks)
{
    static const struct {
        const char *param;
        unsigned quirk;
    } rows[] = {
        { "max_tokens", DIALECT_COMPLETION_TOKENS },
        { "temperature", DIALECT_NO_TEMPERATURE },
        { "stream_options", DIALECT_NO_STREAM_OPTIONS },
    };
    static const char *const words[] = { "unsupported",   "not support",  "deprecated",
                                         "not permitted", "unrecognized", "max_completion_tokens" };
    const char *message = str_text(&error->message), *code = str_text(&error->code);
    if (status != 400 && status != 422)
        return 0;

    int is_unsupported =
        strcmp(code, "unsupported_parameter") == 0 || strcmp(code, "unsupported_value") == 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_unsupported |= strcasestr(message, words[i]) != NULL;
    for (size_t i = 0; is_unsupported && i < sizeof rows / sizeof *rows; i++) {
        const char *param = str_text(&error->param);
        int is_named =
            *param ? strcmp(param, rows[i].param) == 0 : strstr(message, rows[i].param) != NULL;
        if (is_named && !(quirks & rows[i].quirk))
            return rows[i].quirk;
    }

    return 0;
}
