/* What an MCP server sends: a message is read without looking past it, what it asks for is answered
 * with one message, and versions are among those that snug has. */
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

static void check_version(const char *version)
{
    static const char *const all[] = { MESSAGE_NEW, MESSAGE_OLD, "2025-06-18", "2025-03-26",
                                       "2024-11-05" };
    int is_known = !version;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        is_known |= version && !strcmp(version, all[i]);
    HOLDS(is_known);
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
        check_version(message_choose_version(jsontext_member(m.result, "supportedVersions")));
        check_version(message_known_version(jsontext_member(m.result, "protocolVersion")));
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
