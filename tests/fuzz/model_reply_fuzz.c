/* Any bytes are a reply, an error or no reply, in both dialects, whole and as the events of a
 * stream (one a line). What was read can be sent back, and what a provider says of an error can
 * be shown. The first byte chooses. */
#include "fuzz.h"

#include <snug/snug.h>

#include "agent/model/dialect.h"
#include "agent/model/key.h"
#include "agent/model/model_fault.h"
#include "base/utf8.h"

enum { DEEPEST = 100 };

static void keep(void *payload, const char *text, size_t len)
{
    HOLDS(len > 0);
    HOLDS(str_append(payload, text, len) == SNUG_OK);
}

static void check_text(const str *text)
{
    size_t at;
    HOLDS(utf8_check(str_text(text), text->len, &at) == UTF8_FINE);
}

static int is_deep(const str *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->len; i++)
        count += text->data[i] == '[' || text->data[i] == '{';
    return count > DEEPEST;
}

/* As the loop does: the reply, and a result for each of its calls. */
static void send_back(const dialect *d, const model_reply *reply)
{
    model_message messages[DIALECT_MOST_CALLS + 1] = { { .role = MODEL_ASSISTANT,
                                                         .text = reply->text,
                                                         .calls = reply->calls,
                                                         .call_count = reply->call_count } };
    str body = { 0 };
    size_t at;
    for (size_t i = 0; i < reply->call_count; i++) {
        messages[i + 1] = (model_message){ .role = MODEL_TOOL,
                                           .text = reply->calls[i].arguments,
                                           .call_id = reply->calls[i].id };
        if (is_deep(&reply->calls[i].arguments))
            return; /* which is valid by itself, and too deep within another text */
    }
    const model_request request = { .messages = messages,
                                    .message_count = reply->call_count + 1,
                                    .temperature = 0.5,
                                    .max_tokens = 1 };
    HOLDS(d->write(&body, "m", &request, 1, 0) == SNUG_OK);
    HOLDS(!jsontext_check(body.data, body.len, &at));
    str_free(&body);
}

static void check_reply(dialect_reader *r, const str *shown)
{
    const model_reply *reply = r->reply;
    HOLDS(reply->text.len == shown->len);
    HOLDS(!shown->len || memcmp(reply->text.data, shown->data, shown->len) == 0);
    HOLDS(reply->call_count <= DIALECT_MOST_CALLS);
    check_text(&reply->text);
    check_text(&reply->thinking);
    HOLDS(dialect_finish(r) == SNUG_OK);
    for (size_t i = 0; i < reply->call_count; i++) {
        check_text(&reply->calls[i].id);
        check_text(&reply->calls[i].name);
        check_text(&reply->calls[i].arguments);
        HOLDS(reply->calls[i].id.len && reply->calls[i].arguments.len);
    }
    send_back(&dialect_openai, reply);
    send_back(&dialect_anthropic, reply);
}

static int read_lines(dialect_reader *r, const dialect *d, input in)
{
    int error = SNUG_OK;
    while (!error && in.left) {
        input line = take_until(&in, "\n");
        char *copy = copy_of(line.at, line.left);
        error = d->read_event(r, copy, line.left);
        free(copy);
    }
    return error;
}

static void read_reply(const dialect *d, input in, int is_stream)
{
    model_reply reply = { 0 };
    str shown = { 0 };
    dialect_reader r = { .reply = &reply, .on_text = keep, .payload = &shown };
    char *copy = copy_of(in.at, in.left);
    int error = is_stream ? read_lines(&r, d, in) : d->read_whole(&r, copy, in.left);
    HOLDS(error == SNUG_OK || error == SNUG_EINVAL);
    HOLDS((error == SNUG_EINVAL) == (r.problem != NULL));
    check_reply(&r, &shown);
    free(copy);
    str_free(&shown);
    dialect_reader_free(&r);
    model_reply_free(&reply);
}

static void read_refusal(input in)
{
    dialect_error error = { 0 };
    str key = { 0 }, quoted = { 0 };
    char *copy = copy_of(in.at, in.left);
    size_t at;
    HOLDS(str_add(&key, "sk-123456") == SNUG_OK);
    const key_list keys = { &key, 1 };
    HOLDS(dialect_read_refusal(&error, copy, in.left) == SNUG_OK);
    dialect_learn(&error, 400, 0, 1);
    HOLDS(fault_quote(&quoted, str_text(&error.message), error.message.len, &keys) == SNUG_OK);
    HOLDS(quoted.len <= FAULT_MOST_QUOTED + 3);
    HOLDS(utf8_check(str_text(&quoted), quoted.len, &at) == UTF8_FINE);
    for (size_t i = 0; i < quoted.len; i++)
        HOLDS((unsigned char)quoted.data[i] >= ' ' && quoted.data[i] != 0x7f);
    HOLDS(!quoted.len || !memmem(quoted.data, quoted.len, key.data, key.len));
    str_free(&quoted);
    str_free(&key);
    free(copy);
    dialect_error_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    unsigned choice = take_byte(&in);
    read_reply(choice & 1 ? &dialect_anthropic : &dialect_openai, in, choice & 2 ? 1 : 0);
    read_refusal(in);
    return 0;
}
