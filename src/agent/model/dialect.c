#include "agent/model/dialect.h"

#include <snug/snug.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "wire/json.h"

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

/* ---- pieces of a stream ---- */

static str *target_of(dialect_reader *r, size_t of)
{
    if (of == DIALECT_TEXT)
        return &r->reply->text;
    if (of == DIALECT_THINKING)
        return &r->reply->thinking;
    return &r->reply->calls[of - DIALECT_CALLS].arguments;
}

int dialect_add_piece(dialect_reader *r, size_t of, jsontext_span piece)
{
    return add_string(target_of(r, of), piece);
}

int dialect_add_text(dialect_reader *r, jsontext_span text)
{
    size_t before = r->reply->text.len;
    int error = dialect_add_piece(r, DIALECT_TEXT, text);
    size_t len = r->reply->text.len - before;
    if (!error && len > 0 && r->on_text)
        r->on_text(r->payload, r->reply->text.data + before, len);
    return error;
}

void dialect_put_arguments(str *out, const char *name, const str *arguments)
{
    size_t at;
    const char *text = str_text(arguments), *body = text + strspn(text, " \t\r\n");

    if (arguments->len == 0 || (*body == '{' && !jsontext_check(text, arguments->len, &at))) {
        json_put_raw(out, name, arguments->len > 0 ? text : "{}");
        return;
    }

    /* So that the model sees what it sent. */
    json_open(out, name, '{');
    json_put_str(out, "invalid", arguments);
    json_close(out, '}');
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
    failed = dialect_replace(&error->message, jsontext_member(value, "message")) ||
             dialect_replace(&error->type, jsontext_member(value, "type")) ||
             dialect_replace(&error->code, code) ||
             dialect_replace(&error->param, jsontext_member(value, "param"));
    if (failed)
        return SNUG_ENOMEM;

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

/* What a refusal names, and what it is a refusal of. */
static const struct {
    const char *param;
    unsigned quirk;
    int is_enough; /* there is no other reason to name it */
} refusals[] = {
    { "max_tokens", DIALECT_COMPLETION_TOKENS, 0 },
    { "temperature", DIALECT_NO_TEMPERATURE, 0 },
    { "stream_options", DIALECT_NO_STREAM_OPTIONS, 0 },
    { "cache_control", DIALECT_NO_CACHING, 1 },
};

static int is_unsupported(const dialect_error *error)
{
    static const char *const words[] = { "unsupported",   "not support",  "deprecated",
                                         "not permitted", "unrecognized", "max_completion_tokens",
                                         "may only be",   "not allowed",  "the default" };
    const char *code = str_text(&error->code);

    if (strcmp(code, "unsupported_parameter") == 0 || strcmp(code, "unsupported_value") == 0)
        return 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(str_text(&error->message), words[i]))
            return 1;
    return 0;
}

unsigned dialect_learn(const dialect_error *error, int status, unsigned quirks, int has_shape)
{
    const char *message = str_text(&error->message), *param = str_text(&error->param);
    const int is_refused = is_unsupported(error);

    if (status != 400 && status != 422)
        return 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const char *name = refusals[i].param;
        int is_named = *param ? strcmp(param, name) == 0 : strstr(message, name) != NULL;
        if (is_named && (is_refused || refusals[i].is_enough) && !(quirks & refusals[i].quirk))
            return refusals[i].quirk;
    }

    /* The ways to refuse a shape are as many as there are servers. */
    return has_shape && !(quirks & DIALECT_NO_SHAPE) ? DIALECT_NO_SHAPE : 0;
}

/* ---- shapes and images ---- */

int dialect_take_shape(model_reply *reply, const model_shape *shape)
{
    for (size_t i = 0; i < reply->call_count; i++) {
        if (strcmp(str_text(&reply->calls[i].name), shape->name) != 0)
            continue;
        str_clear(&reply->text);
        return str_add_str(&reply->text, &reply->calls[i].arguments);
    }
    return SNUG_OK;
}

const model_message *dialect_image_message(const model_request *request)
{
    for (size_t i = 0; request->image_count > 0 && i < request->message_count; i++)
        if (request->messages[i].role == MODEL_USER)
            return &request->messages[i];
    return NULL;
}
