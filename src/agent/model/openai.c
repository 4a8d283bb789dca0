/*
 * openai.c - chat completions, as OpenAI has them and many servers answer them.
 *
 * https://platform.openai.com/docs/api-reference/chat. The servers differ in small things:
 * calls without an index or an id, arguments as an object, usage in a chunk without choices,
 * thinking as "reasoning_content" or "reasoning".
 */
#include "agent/model/dialect.h"

#include <snug/snug.h>

#include <string.h>

#include "wire/json.h"

/* ---- the request ---- */

static void write_call(str *out, const model_call *call)
{
    str arguments = { 0 };

    dialect_put_arguments(&arguments, NULL, &call->arguments);
    json_open(out, NULL, '{');
    json_put_str(out, "id", &call->id);
    json_put_word(out, "type", "function");
    json_open(out, "function", '{');
    json_put_str(out, "name", &call->name);
    json_put_str(out, "arguments", &arguments);
    json_close(out, '}');
    json_close(out, '}');
    out->has_failed |= arguments.has_failed;
    str_free(&arguments);
}

/* A text, and images as addresses that hold them. */
static void write_parts(str *out, const model_message *message, const model_request *request)
{
    json_open(out, "content", '[');
    json_open(out, NULL, '{');
    json_put_word(out, "type", "text");
    json_put_str(out, "text", &message->text);
    json_close(out, '}');
    for (size_t i = 0; i < request->image_count; i++) {
        const model_image *image = &request->images[i];
        json_open(out, NULL, '{');
        json_put_word(out, "type", "image_url");
        json_open(out, "image_url", '{');
        /* What is in it needs no escapes. */
        str_printf(out, "\"url\":\"data:%s;base64,", image->type);
        str_add_str(out, &image->base64);
        str_add(out, "\"");
        json_close(out, '}');
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void write_message(str *out, const model_message *message, const model_request *request)
{
    static const char *const roles[] = { [MODEL_SYSTEM] = "system",
                                         [MODEL_USER] = "user",
                                         [MODEL_ASSISTANT] = "assistant",
                                         [MODEL_TOOL] = "tool" };

    json_open(out, NULL, '{');
    json_put_word(out, "role", roles[message->role]);
    if (message == dialect_image_message(request))
        write_parts(out, message, request);
    else if (message->call_count > 0 && message->text.len == 0)
        json_put_raw(out, "content", NULL);
    else
        json_put_str(out, "content", &message->text);

    if (message->role == MODEL_TOOL)
        json_put_str(out, "tool_call_id", &message->call_id);
    if (message->call_count > 0) {
        json_open(out, "tool_calls", '[');
        for (size_t i = 0; i < message->call_count; i++)
            write_call(out, &message->calls[i]);
        json_close(out, ']');
    }
    json_close(out, '}');
}

static void write_tool(str *out, const model_tool *tool)
{
    json_open(out, NULL, '{');
    json_put_word(out, "type", "function");
    json_open(out, "function", '{');
    json_put_word(out, "name", tool->name);
    json_put_word(out, "description", tool->description);
    json_put_raw(out, "parameters", tool->parameters_json);
    json_close(out, '}');
    json_close(out, '}');
}

static void write_shape(str *out, const model_shape *shape)
{
    json_open(out, "response_format", '{');
    json_put_word(out, "type", "json_schema");
    json_open(out, "json_schema", '{');
    json_put_word(out, "name", shape->name);
    json_put_bool(out, "strict", 1);
    json_put_raw(out, "schema", shape->schema_json);
    json_close(out, '}');
    json_close(out, '}');
}

static int write_request(str *body, const char *name, const model_request *request,
                         int is_streaming, unsigned quirks)
{
    const char *most = quirks & DIALECT_COMPLETION_TOKENS ? "max_completion_tokens" : "max_tokens";

    json_open(body, NULL, '{');
    json_put_word(body, "model", name);
    json_open(body, "messages", '[');
    for (size_t i = 0; i < request->message_count; i++)
        write_message(body, &request->messages[i], request);
    json_close(body, ']');

    if (request->tool_count > 0) {
        json_open(body, "tools", '[');
        for (size_t i = 0; i < request->tool_count; i++)
            write_tool(body, &request->tools[i]);
        json_close(body, ']');
    } else if (request->shape && !(quirks & DIALECT_NO_SHAPE)) {
        write_shape(body, request->shape);
    }

    if (request->max_tokens > 0 && request->max_tokens != SNUG_UNLIMITED)
        json_put_number(body, most, (double)request->max_tokens);
    if (request->temperature >= 0 && !(quirks & DIALECT_NO_TEMPERATURE))
        json_put_number(body, "temperature", request->temperature);
    if (is_streaming)
        json_put_bool(body, "stream", 1);
    if (is_streaming && !(quirks & DIALECT_NO_STREAM_OPTIONS))
        json_put_raw(body, "stream_options", "{\"include_usage\":true}");
    json_close(body, '}');
    return str_error(body);
}

/* ---- the reply ---- */

static void read_usage(dialect_reader *r, jsontext_span usage)
{
    model_usage *out = &r->reply->usage;
    jsontext_span details = jsontext_member(usage, "prompt_tokens_details");
    r->has_input_tokens |=
        dialect_number(&out->input_tokens, jsontext_member(usage, "prompt_tokens"));
    r->has_output_tokens |=
        dialect_number(&out->output_tokens, jsontext_member(usage, "completion_tokens"));
    dialect_number(&out->cached_tokens, jsontext_member(details, "cached_tokens"));
}

/* A text, or a list of parts of which some are texts. */
static int read_content(dialect_reader *r, jsontext_span content)
{
    jsontext list;
    jsontext_token name;
    jsontext_span part;
    int error = SNUG_OK;

    if (!content.text || content.text[0] != '[')
        return dialect_add_text(r, content);
    jsontext_enter(&list, content);
    while (!error && jsontext_item(&list, &name, &part))
        error = dialect_add_text(r, jsontext_member(part, "text"));
    return error;
}

static int add_thinking(dialect_reader *r, jsontext_span said)
{
    jsontext_span text = jsontext_member(said, "reasoning_content");
    if (!text.text || text.text[0] != '"')
        text = jsontext_member(said, "reasoning");
    return dialect_add_piece(r, DIALECT_THINKING, text);
}

static int add_arguments(dialect_reader *r, model_call *call, jsontext_span arguments)
{
    if (arguments.text && arguments.text[0] == '{')
        return str_append(&call->arguments, arguments.text, arguments.len);
    return dialect_add_piece(r, DIALECT_CALLS + (size_t)(call - r->reply->calls), arguments);
}

/* Which call a piece belongs to: by its index; without one, an id begins a new call and
 * anything else goes on with the last. */
static size_t block_of(const dialect_reader *r, jsontext_span piece, size_t position)
{
    uint64_t index;
    size_t count = r->reply->call_count;

    if (dialect_number(&index, jsontext_member(piece, "index")))
        return (size_t)index;
    jsontext_span id = jsontext_member(piece, "id");
    if (count == 0 || (id.text && id.text[0] == '"' && id.len > 2))
        return count == 0 ? position : r->blocks[count - 1] + 1;
    return r->blocks[count - 1];
}

static int read_call(dialect_reader *r, jsontext_span piece, size_t block)
{
    int error = SNUG_OK;
    jsontext_span function = jsontext_member(piece, "function");
    model_call *call = dialect_call(&error, r, block);
    if (!call)
        return error;

    if ((error = dialect_replace(&call->id, jsontext_member(piece, "id"))) ||
        (error = dialect_replace(&call->name, jsontext_member(function, "name"))))
        return error;
    return add_arguments(r, call, jsontext_member(function, "arguments"));
}

static int read_calls(dialect_reader *r, jsontext_span calls, int is_stream)
{
    jsontext list;
    jsontext_token name;
    jsontext_span piece;
    int error = SNUG_OK;

    if (!calls.text || calls.text[0] != '[')
        return SNUG_OK;
    jsontext_enter(&list, calls);
    for (size_t i = 0; !error && jsontext_item(&list, &name, &piece); i++)
        error = read_call(r, piece, is_stream ? block_of(r, piece, i) : i);
    return error;
}

static int read_refusal(dialect_reader *r, jsontext_span refusal)
{
    if (!refusal.text || refusal.text[0] != '"' || refusal.len == 2)
        return SNUG_OK;
    r->reply->stop = MODEL_STOP_REFUSAL;
    return dialect_add_text(r, refusal);
}

static void read_finish(dialect_reader *r, jsontext_span finish)
{
    if (!finish.text || finish.text[0] != '"')
        return;
    r->is_complete = 1;
    if (dialect_is(finish, "length"))
        r->reply->stop = MODEL_STOP_LENGTH;
    else if (dialect_is(finish, "content_filter"))
        r->reply->stop = MODEL_STOP_REFUSAL;
}

/* said: the message, or a piece of it. */
static int read_said(dialect_reader *r, jsontext_span said, int is_stream)
{
    int error;
    if ((error = add_thinking(r, said)) ||
        (error = read_content(r, jsontext_member(said, "content"))) ||
        (error = read_refusal(r, jsontext_member(said, "refusal"))))
        return error;
    return read_calls(r, jsontext_member(said, "tool_calls"), is_stream);
}

/* The choices of one chunk; "said" is the name of what was said in it. */
static int read_choices(dialect_reader *r, jsontext_span choices, const char *said, int is_stream)
{
    jsontext list;
    jsontext_token name;
    jsontext_span choice;
    uint64_t index;
    int error = SNUG_OK;

    if (!choices.text || choices.text[0] != '[')
        return SNUG_OK;
    jsontext_enter(&list, choices);
    while (!error && jsontext_item(&list, &name, &choice)) {
        if (dialect_number(&index, jsontext_member(choice, "index")) && index != 0)
            continue; /* one was asked for */
        error = read_said(r, jsontext_member(choice, said), is_stream);
        if (!error)
            read_finish(r, jsontext_member(choice, "finish_reason"));
    }

    return error;
}

static jsontext_span first_of(jsontext_span list)
{
    jsontext items;
    jsontext_token name;
    jsontext_span first = { NULL, 0 };
    if (jsontext_enter(&items, list))
        jsontext_item(&items, &name, &first);
    return first;
}

static int read_body(dialect_reader *r, const char *json, size_t len, int is_stream)
{
    size_t at;
    jsontext_span whole = { json, len };
    if (jsontext_check(json, len, &at))
        return dialect_fail(r, "it is not JSON");

    jsontext_span error = jsontext_member(whole, "error");
    if (error.text && (error.text[0] == '{' || error.text[0] == '"'))
        return dialect_read_error(&r->error, error);
    if (!dialect_is_object(whole))
        return dialect_fail(r, "a piece of it is not an object");

    jsontext_span choices = jsontext_member(whole, "choices");
    if (!is_stream && !dialect_is_object(first_of(choices)))
        return dialect_fail(r, "it has no choices");
    read_usage(r, jsontext_member(whole, "usage"));
    return read_choices(r, choices, is_stream ? "delta" : "message", is_stream);
}

static int read_whole(dialect_reader *r, const char *json, size_t len)
{
    int error = read_body(r, json, len, 0);
    r->is_complete = r->is_ended = !error;
    return error;
}

static int read_event(dialect_reader *r, const char *data, size_t len)
{
    if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
        r->is_complete = r->is_ended = 1;
        return SNUG_OK;
    }
    if (len > 0)
        return read_body(r, data, len, 1);
    return SNUG_OK;
}

const dialect dialect_openai = {
    .version = "",
    .path = "/chat/completions",
    .key_header = "Authorization: Bearer ",
    .write = write_request,
    .read_whole = read_whole,
    .read_event = read_event,
};
