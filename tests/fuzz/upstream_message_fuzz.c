/* What an MCP server sends: a message is read without looking past it, what it asks for is answered
 * with one message, and a version is one that a header can have. */
#include "fuzz.h"

#include <snug/snug.h>

#include "cli/upstream/message.h"

static void check_within(jsontext_span piece, const char *text, size_t len)
{
    size_t at;

    if (!piece.text)
        return;
    HOLDS(piece.len > 0 && piece.text >= text && piece.text + piece.len <= text + len);
    HOLDS(!jsontext_check(piece.text, piece.len, &at));
}

/* It goes into a header as it is. */
static void check_version(jsontext_span text)
{
    char version[MESSAGE_VERSION_BYTES];

    message_read_version(version, text);
    HOLDS(*version && strspn(version, "0123456789-") == strlen(version));
}

static void check_answer(const message *m)
{
    message read;
    str text = { 0 };

    HOLDS(message_write_answer(&text, m->id, m->method) == SNUG_OK);
    HOLDS(message_read(&read, text.data, text.len));
    HOLDS(read.id.len == m->id.len);
    HOLDS(!memcmp(read.id.text, m->id.text, m->id.len));
    HOLDS(!read.method.text && (read.result.text != NULL) == jsontext_is(m->method, "\"ping\""));
    str_free(&text);
}

/* What is sent with such parameters is a message too. */
static void check_request(jsontext_span params)
{
    for (int is_new = 0; is_new < 2; is_new++) {
        message read;
        str text = { 0 };
        char *copy = copy_of(params.text, params.len);
        HOLDS(message_write_request(&text, 7, "tools/call", copy, is_new) == SNUG_OK);
        HOLDS(message_read(&read, text.data, text.len));
        HOLDS(message_has_id(&read, 7) && !message_has_id(&read, 8));
        HOLDS(jsontext_is(read.method, "\"tools/call\"") && *read.params.text == '{');
        HOLDS(!is_new || jsontext_member(read.params, "_meta").text);
        str_free(&text);
        free(copy);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    char *text = copy_of(in.at, in.left);
    message m;
    size_t at;

    if (message_read(&m, text, in.left)) {
        HOLDS(!jsontext_check(text, in.left, &at));
        const jsontext_span all[] = { m.id, m.method, m.params, m.result, m.error };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            check_within(all[i], text, in.left);
        message_has_id(&m, 1);
        message_error_code(m.error);
        message_lists_new(jsontext_member(m.result, "supportedVersions"));
        check_version(jsontext_member(m.result, "protocolVersion"));
        if (m.id.text)
            check_answer(&m);
        if (m.params.text && *m.params.text == '{')
            check_request(m.params);
    } else {
        HOLDS(!m.id.text || !m.method.text);
    }
    free(text);
    return 0;
}
