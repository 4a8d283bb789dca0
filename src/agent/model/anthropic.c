/*
 * anthropic.c - messages, as Anthropic has them.
 *
 * https://docs.anthropic.com/en/api/messages. The system's message is a field of its own, what a
 * tool gave is part of a user's message, and the roles take turns.
 */
#include "agent/model/dialect.h"

#include <snug/snug.h>

#include <inttypes.h>
#include <string.h>

/* A reply must have a bound here. */
enum { TOKENS_WITHOUT_BOUND = 4096 };

/* ---- the request ---- */

/* A text without anything to read is refused. */
static int says_nothing(const str *text)
{
    return strspn(str_text(text), " \t\r\n") == text->len;
}

static int write_call(str *out, const model_call *call)
{
    if (dialect_add_quoted(out, "{\"type\":\"tool_use\",\"id\":", &call->id) ||
        dialect_add_quoted(out, ",\"name\":", &call->name) || str_add(out, ",\"input\":"))
        return SNUG_ENOMEM;

    int error = dialect_add_arguments(out, &call->arguments);
    if (error)
        return error;
    return str_add(out, "}");
}

static int write_result(str *out, const model_message *message)
{
    if (dialect_add_quoted(out, "{\"type\":\"tool_result\",\"tool_use_id\":", &message->call_id) ||
        dialect_add_quoted(out, ",\"content\":", &message->text))
        return SNUG_ENOMEM;
    return str_add(out, message->is_error ? ",\"is_error\":true}" : "}");
}

static int write_text(str *out, const str *text)
{
    if (dialect_add_quoted(out, "{\"type\":\"text\",\"text\":", text))
        return SNUG_ENOMEM;
    return str_add(out, "}");
}

static int write_image(str *out, const model_image *image)
{
    if (str_printf(out,
                   "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"%s\","
                   "\"data\":\"",
                   image->type) ||
        str_add_str(out, &image->base64))
        return SNUG_ENOMEM;
    return str_add(out, "\"}}");
}

static int write_images(str *out, size_t *count, const model_request *request)
{
    for (size_t i = 0; i < request->image_count; i++)
        if (dialect_add_comma(out, count) || write_image(out, &request->images[i]))
            return SNUG_ENOMEM;
    return SNUG_OK;
}

/* Appends the blocks of a message, with a comma before each but the first of *count. */
static int write_blocks(str *out, size_t *count, const model_message *message)
{
    if (message->role == MODEL_TOOL) {
        if (dialect_add_comma(out, count))
            return SNUG_ENOMEM;
        return write_result(out, message);
    }

    if (!says_nothing(&message->text) &&
        (dialect_add_comma(out, count) || write_text(out, &message->text)))
        return SNUG_ENOMEM;

    for (size_t i = 0; i < message->call_count; i++) {
        int error = dialect_add_comma(out, count);
        if (!error)
            error = write_call(out, &message->calls[i]);
        if (error)
            return error;
    }

    return SNUG_OK;
}

static const char *role_of(const model_message *message)
{
    return message->role == MODEL_ASSISTANT ? "assistant" : "user";
}

/* The messages from *at on that are one here. */
static int write_turn(str *out, size_t *at, const model_request *request)
{
    const model_message *with_images = dialect_image_message(request);
    const char *role = role_of(&request->messages[*at]);
    size_t count = 0;
    int error = str_printf(out, "{\"role\":\"%s\",\"content\":[", role);

    for (; !error && *at < request->message_count; (*at)++) {
        const model_message *message = &request->messages[*at];
        if (message->role == MODEL_SYSTEM)
            continue;
        if (strcmp(role_of(message), role) != 0)
            break;
        if (message == with_images)
            error = write_images(out, &count, request);
        if (!error)
            error = write_blocks(out, &count, message);
    }

    if (!error && count == 0)
        error = str_add(out, "{\"type\":\"text\",\"text\":\"(empty)\"}");
    if (error)
        return error;
    return str_add(out, "]}");
}

#define CACHED ",\"cache_control\":{\"type\":\"ephemeral\"}"

/* All up to the end of a talk that goes on is the beginning of the next request. */
static int mark_cached(str *out, const model_request *request)
{
    static const char end[] = "}]}"; /* of the last block, the content and the turn */
    int is_talk = 0;

    for (size_t i = 0; i < request->message_count; i++)
        is_talk |= request->messages[i].role == MODEL_ASSISTANT;
    if (!is_talk)
        return SNUG_OK;

    out->len -= sizeof end - 1;
    out->data[out->len] = '\0';
    if (str_add(out, CACHED))
        return SNUG_ENOMEM;
    return str_add(out, end);
}

static int write_messages(str *out, const model_request *request, unsigned quirks)
{
    int error = str_add(out, ",\"messages\":[");

    for (size_t i = 0, turns = 0; !error && i < request->message_count;) {
        if (request->messages[i].role == MODEL_SYSTEM) {
            i++;
            continue;
        }
        error = dialect_add_comma(out, &turns);
        if (!error)
            error = write_turn(out, &i, request);
    }

    if (!error && !(quirks & DIALECT_NO_CACHING))
        error = mark_cached(out, request);
    if (error)
        return error;
    return str_add(out, "]");
}

/* Tools and the system's message are the same in all requests of a kind. */
static int write_system_text(str *out, const str *text, unsigned quirks)
{
    if (quirks & DIALECT_NO_CACHING)
        return dialect_add_quoted(out, ",\"system\":", text);
    if (dialect_add_quoted(out, ",\"system\":[{\"type\":\"text\",\"text\":", text))
        return SNUG_ENOMEM;
    return str_add(out, CACHED "}]");
}

static int write_system(str *out, const model_request *request, unsigned quirks)
{
    str text = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < request->message_count; i++) {
        const model_message *message = &request->messages[i];
        if (message->role != MODEL_SYSTEM || says_nothing(&message->text))
            continue;
        if (text.len > 0)
            error = str_add(&text, "\n\n");
        if (!error)
            error = str_add_str(&text, &message->text);
    }

    if (!error && text.len > 0)
        error = write_system_text(out, &text, quirks);
    str_free(&text);
    return error;
}

static int write_tool(str *out, const model_tool *tool)
{
    if (str_add(out, "{\"name\":") || jsontext_quote(out, tool->name, strlen(tool->name)))
        return SNUG_ENOMEM;
    if (str_add(out, ",\"description\":") ||
        jsontext_quote(out, tool->description, strlen(tool->description)))
        return SNUG_ENOMEM;
    return str_printf(out, ",\"input_schema\":%s}", tool->parameters_json);
}

static int write_tools(str *out, const model_request *request)
{
    int error = str_add(out, ",\"tools\":[");

    for (size_t i = 0, count = 0; !error && i < request->tool_count; i++) {
        error = dialect_add_comma(out, &count);
        if (!error)
            error = write_tool(out, &request->tools[i]);
    }

    if (error)
        return error;
    return str_add(out, "]");
}

/* A tool that must be called. */
static int write_shape(str *out, const model_shape *shape)
{
    const model_tool tool = { shape->name, shape->description, shape->schema_json };

    if (str_add(out, ",\"tools\":[") || write_tool(out, &tool))
        return SNUG_ENOMEM;
    return str_printf(out, "],\"tool_choice\":{\"type\":\"tool\",\"name\":\"%s\"}", shape->name);
}

static int write_request(str *body, const char *name, const model_request *request,
                         int is_streaming, unsigned quirks)
{
    uint64_t most = request->max_tokens;

    if (most == 0 || most == SNUG_UNLIMITED)
        most = TOKENS_WITHOUT_BOUND;
    int error = str_add(body, "{\"model\":");
    if (!error)
        error = jsontext_quote(body, name, strlen(name));
    if (!error)
        error = str_printf(body, ",\"max_tokens\":%" PRIu64, most);
    if (!error)
        error = write_system(body, request, quirks);
    if (!error)
        error = write_messages(body, request, quirks);
    if (!error && request->tool_count > 0)
        error = write_tools(body, request);
    if (!error && request->shape && request->tool_count == 0 && !(quirks & DIALECT_NO_SHAPE))
        error = write_shape(body, request->shape);
    if (!error && request->temperature >= 0 && !(quirks & DIALECT_NO_TEMPERATURE)) {
        /* Its scale ends at 1. */
        double temperature = request->temperature > 1 ? 1 : request->temperature;
        error = dialect_add_number(body, ",\"temperature\":", temperature);
    }

    if (!error && is_streaming)
        error = str_add(body, ",\"stream\":true");
    if (error)
        return error;
    return str_add(body, "}");
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
