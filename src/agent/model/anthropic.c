/*
 * anthropic.c - messages, as Anthropic has them.
 *
 * https://docs.anthropic.com/en/api/messages. The system's message is a field of its own, what a
 * tool gave is part of a user's message, and the roles take turns.
 */
#include "agent/model/dialect.h"

#include <snug/snug.h>

#include <string.h>

#include "wire/json.h"

/* A reply must have a bound here. */
enum { TOKENS_WITHOUT_BOUND = 4096 };

/* ---- the request ---- */

/* A text without anything to read is refused. */
static int says_nothing(const str *text)
{
    return strspn(str_text(text), " \t\r\n") == text->len;
}

static void write_call(str *out, const model_call *call)
{
    json_open(out, NULL, '{');
    json_put_word(out, "type", "tool_use");
    json_put_str(out, "id", &call->id);
    json_put_str(out, "name", &call->name);
    dialect_put_arguments(out, "input", &call->arguments);
    json_close(out, '}');
}

static void write_result(str *out, const model_message *message)
{
    json_open(out, NULL, '{');
    json_put_word(out, "type", "tool_result");
    json_put_str(out, "tool_use_id", &message->call_id);
    json_put_str(out, "content", &message->text);
    if (message->is_error)
        json_put_bool(out, "is_error", 1);
    json_close(out, '}');
}

static void write_text(str *out, const char *text, size_t len)
{
    json_open(out, NULL, '{');
    json_put_word(out, "type", "text");
    json_put_text(out, "text", text, len);
    json_close(out, '}');
}

static void write_image(str *out, const model_image *image)
{
    json_open(out, NULL, '{');
    json_put_word(out, "type", "image");
    json_open(out, "source", '{');
    json_put_word(out, "type", "base64");
    json_put_word(out, "media_type", image->type);
    json_put_str(out, "data", &image->base64);
    json_close(out, '}');
    json_close(out, '}');
}

/* The blocks of a message. */
static void write_blocks(str *out, const model_message *message)
{
    if (message->role == MODEL_TOOL) {
        write_result(out, message);
        return;
    }

    if (!says_nothing(&message->text))
        write_text(out, str_text(&message->text), message->text.len);
    for (size_t i = 0; i < message->call_count; i++)
        write_call(out, &message->calls[i]);
}

static const char *role_of(const model_message *message)
{
    return message->role == MODEL_ASSISTANT ? "assistant" : "user";
}

/* The messages from *at on that are one here. */
static void write_turn(str *out, size_t *at, const model_request *request)
{
    const model_message *with_images = dialect_image_message(request);
    const char *role = role_of(&request->messages[*at]);

    json_open(out, NULL, '{');
    json_put_word(out, "role", role);
    json_open(out, "content", '[');
    const size_t begin = out->len;
    for (; *at < request->message_count; (*at)++) {
        const model_message *message = &request->messages[*at];
        if (message->role == MODEL_SYSTEM)
            continue;
        if (strcmp(role_of(message), role) != 0)
            break;
        for (size_t i = 0; message == with_images && i < request->image_count; i++)
            write_image(out, &request->images[i]);
        write_blocks(out, message);
    }

    if (out->len == begin)
        write_text(out, "(empty)", strlen("(empty)"));
    json_close(out, ']');
    json_close(out, '}');
}

#define CACHED ",\"cache_control\":{\"type\":\"ephemeral\"}"

/* All up to the end of a talk that goes on is the beginning of the next request. */
static void mark_cached(str *out, const model_request *request)
{
    static const char end[] = "}]}"; /* of the last block, the content and the turn */
    int is_talk = 0;

    for (size_t i = 0; i < request->message_count; i++)
        is_talk |= request->messages[i].role == MODEL_ASSISTANT;
    if (!is_talk || str_error(out))
        return;

    out->len -= sizeof end - 1;
    out->data[out->len] = '\0';
    str_add(out, CACHED);
    str_add(out, end);
}

static void write_messages(str *out, const model_request *request, unsigned quirks)
{
    json_open(out, "messages", '[');
    for (size_t i = 0; i < request->message_count;) {
        if (request->messages[i].role == MODEL_SYSTEM)
            i++;
        else
            write_turn(out, &i, request);
    }

    if (!(quirks & DIALECT_NO_CACHING))
        mark_cached(out, request);
    json_close(out, ']');
}

/* Tools and the system's message are the same in all requests of a kind. */
static void write_system(str *out, const model_request *request, unsigned quirks)
{
    str text = { 0 };

    for (size_t i = 0; i < request->message_count; i++) {
        const model_message *message = &request->messages[i];
        if (message->role != MODEL_SYSTEM || says_nothing(&message->text))
            continue;
        str_add(&text, text.len > 0 ? "\n\n" : "");
        str_add_str(&text, &message->text);
    }

    if (text.len > 0 && quirks & DIALECT_NO_CACHING) {
        json_put_str(out, "system", &text);
    } else if (text.len > 0) {
        json_open(out, "system", '[');
        json_open(out, NULL, '{');
        json_put_word(out, "type", "text");
        json_put_str(out, "text", &text);
        str_add(out, CACHED "}]");
    }
    out->has_failed |= text.has_failed;
    str_free(&text);
}

static void write_tool(str *out, const model_tool *tool)
{
    json_open(out, NULL, '{');
    json_put_word(out, "name", tool->name);
    json_put_word(out, "description", tool->description);
    json_put_raw(out, "input_schema", tool->parameters_json);
    json_close(out, '}');
}

/* A reply in a shape is that of a tool which must be called. */
static void write_tools(str *out, const model_request *request, unsigned quirks)
{
    const model_shape *shape = quirks & DIALECT_NO_SHAPE ? NULL : request->shape;

    if (request->tool_count == 0 && !shape)
        return;
    json_open(out, "tools", '[');
    for (size_t i = 0; i < request->tool_count; i++)
        write_tool(out, &request->tools[i]);
    if (request->tool_count == 0) {
        const model_tool tool = { shape->name, shape->description, shape->schema_json };
        write_tool(out, &tool);
    }
    json_close(out, ']');
    if (request->tool_count > 0)
        return;

    json_open(out, "tool_choice", '{');
    json_put_word(out, "type", "tool");
    json_put_word(out, "name", shape->name);
    json_close(out, '}');
}

static int write_request(str *body, const char *name, const model_request *request,
                         int is_streaming, unsigned quirks)
{
    uint64_t most = request->max_tokens;

    if (most == 0 || most == SNUG_UNLIMITED)
        most = TOKENS_WITHOUT_BOUND;
    json_open(body, NULL, '{');
    json_put_word(body, "model", name);
    json_put_number(body, "max_tokens", (double)most);
    write_system(body, request, quirks);
    write_messages(body, request, quirks);
    write_tools(body, request, quirks);
    /* Its scale ends at 1. */
    if (request->temperature >= 0 && !(quirks & DIALECT_NO_TEMPERATURE))
        json_put_number(body, "temperature", request->temperature > 1 ? 1 : request->temperature);
    if (is_streaming)
        json_put_bool(body, "stream", 1);
    json_close(body, '}');
    return str_error(body);
}

/* ---- the reply ---- */

/* Its input tokens are without those of the cache. */
static void read_usage(dialect_reader *r, jsontext_span usage)
{
    uint64_t input, created = 0, cached = 0;
    model_usage *out = &r->reply->usage;

    if (dialect_number(&input, jsontext_member(usage, "input_tokens"))) {
        dialect_number(&created, jsontext_member(usage, "cache_creation_input_tokens"));
        dialect_number(&cached, jsontext_member(usage, "cache_read_input_tokens"));
        r->has_input_tokens = 1;
        /* The end of a stream may tell less than its beginning. */
        if (input + created + cached >= out->input_tokens) {
            out->input_tokens = input + created + cached;
            out->cached_tokens = cached;
            out->written_tokens = created;
        }
    }

    r->has_output_tokens |=
        dialect_number(&out->output_tokens, jsontext_member(usage, "output_tokens"));
}

static int add_thinking(dialect_reader *r, jsontext_span text)
{
    return dialect_add_piece(r, DIALECT_THINKING, text);
}

/* The beginning of a block of a stream, or a whole one. */
static int read_block(dialect_reader *r, jsontext_span block, size_t index, int is_stream)
{
    int error = SNUG_OK;
    jsontext_span type = jsontext_member(block, "type");
    if (dialect_is(type, "text"))
        return dialect_add_text(r, jsontext_member(block, "text"));

    if (dialect_is(type, "thinking"))
        return add_thinking(r, jsontext_member(block, "thinking"));
    if (!dialect_is(type, "tool_use"))
        return SNUG_OK;

    model_call *call = dialect_call(&error, r, index);
    if (!call)
        return error;
    if ((error = dialect_replace(&call->id, jsontext_member(block, "id"))) ||
        (error = dialect_replace(&call->name, jsontext_member(block, "name"))))
        return error;

    /* In a stream the input that stands here is {}, and comes in pieces. */
    jsontext_span input = jsontext_member(block, "input");
    if (is_stream && jsontext_is(input, "{}"))
        return SNUG_OK;

    str_clear(&call->arguments);
    if (input.text)
        return str_append(&call->arguments, input.text, input.len);
    return SNUG_OK;
}

static int read_delta(dialect_reader *r, jsontext_span delta, size_t index)
{
    int error = SNUG_OK;
    jsontext_span type = jsontext_member(delta, "type");
    if (dialect_is(type, "text_delta"))
        return dialect_add_text(r, jsontext_member(delta, "text"));

    if (dialect_is(type, "thinking_delta"))
        return add_thinking(r, jsontext_member(delta, "thinking"));
    if (!dialect_is(type, "input_json_delta"))
        return SNUG_OK;

    for (size_t i = 0; i < r->reply->call_count; i++)
        if (r->blocks[i] == index)
            error = dialect_add_piece(r, DIALECT_CALLS + i, jsontext_member(delta, "partial_json"));
    return error;
}

static void read_stop(dialect_reader *r, jsontext_span reason)
{
    if (!reason.text || reason.text[0] != '"')
        return;
    r->is_complete = 1;
    if (dialect_is(reason, "max_tokens") || dialect_is(reason, "model_context_window_exceeded"))
        r->reply->stop = MODEL_STOP_LENGTH;
    else if (dialect_is(reason, "refusal"))
        r->reply->stop = MODEL_STOP_REFUSAL;
}

static int read_whole(dialect_reader *r, const char *json, size_t len)
{
    size_t at;
    int error = SNUG_OK;
    jsontext list;
    jsontext_token name;
    jsontext_span whole = { json, len }, block;
    if (jsontext_check(json, len, &at))
        return dialect_fail(r, "it is not JSON");

    if (dialect_is(jsontext_member(whole, "type"), "error"))
        return dialect_read_error(&r->error, jsontext_member(whole, "error"));
    jsontext_span content = jsontext_member(whole, "content");
    if (!content.text || content.text[0] != '[')
        return dialect_fail(r, "it has no content");

    read_usage(r, jsontext_member(whole, "usage"));
    jsontext_enter(&list, content);
    for (size_t i = 0; !error && jsontext_item(&list, &name, &block); i++)
        error = read_block(r, block, i, 0);
    read_stop(r, jsontext_member(whole, "stop_reason"));
    r->is_complete = r->is_ended = 1;
    return error;
}

static int read_event(dialect_reader *r, const char *data, size_t len)
{
    size_t at;
    uint64_t index = 0;
    int error = SNUG_OK;
    jsontext_span whole = { data, len };

    if (len == 0)
        return SNUG_OK;
    if (jsontext_check(data, len, &at))
        return dialect_fail(r, "a piece of it is not JSON");

    jsontext_span type = jsontext_member(whole, "type");
    if (!type.text)
        return dialect_fail(r, "a piece of it has no type");

    dialect_number(&index, jsontext_member(whole, "index"));
    if (dialect_is(type, "error"))
        return dialect_read_error(&r->error, jsontext_member(whole, "error"));

    if (dialect_is(type, "message_start"))
        read_usage(r, jsontext_member(jsontext_member(whole, "message"), "usage"));
    else if (dialect_is(type, "content_block_start"))
        error = read_block(r, jsontext_member(whole, "content_block"), (size_t)index, 1);
    else if (dialect_is(type, "content_block_delta"))
        error = read_delta(r, jsontext_member(whole, "delta"), (size_t)index);
    else if (dialect_is(type, "message_delta")) {
        read_usage(r, jsontext_member(whole, "usage"));
        read_stop(r, jsontext_member(jsontext_member(whole, "delta"), "stop_reason"));
    } else if (dialect_is(type, "message_stop"))
        r->is_complete = r->is_ended = 1;

    return error;
}

const dialect dialect_anthropic = {
    .version = "/v1",
    .path = "/messages",
    .key_header = "x-api-key: ",
    .other_header = "anthropic-version: 2023-06-01",
    .write = write_request,
    .read_whole = read_whole,
    .read_event = read_event,
};
