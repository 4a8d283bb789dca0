/* A message of JSON-RPC is refused with a code and a sentence, or understood; what is written about
 * it is JSON, and its id goes back as the bytes that came. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/jsontext.h"
#include "cli/mcp/rpc.h"

static void check_json(const str *text)
{
    size_t at;
    HOLDS(!jsontext_check(str_text(text), text->len, &at));
    HOLDS(!memchr(str_text(text), '\n', text->len));
}

static void check_message(const rpc_message *m)
{
    size_t at;

    if (m->id)
        HOLDS(!jsontext_check(m->id, strlen(m->id), &at));
    switch (m->kind) {
    case RPC_FAULT:
        HOLDS(m->why && *m->why && m->code <= RPC_INVALID_REQUEST);
        break;
    case RPC_REQUEST:
        HOLDS(m->id && m->method);
        break;
    case RPC_NOTIFICATION:
        HOLDS(!m->id && m->method);
        break;
    case RPC_ANSWER:
        HOLDS(m->result || m->error);
        break;
    }
}

static void check_answers(const rpc_message *m)
{
    str text = { 0 };

    HOLDS(rpc_write_error(&text, m->id, m->code, m->why ? m->why : "") == SNUG_OK);
    check_json(&text);
    str_clear(&text);
    HOLDS(rpc_write_answer(&text, m->id, "result", "{}") == SNUG_OK);
    check_json(&text);
    str_clear(&text);
    if (m->method) {
        HOLDS(rpc_write_notification(&text, m->method, "{}") == SNUG_OK);
        check_json(&text);
    }
    str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const input line = input_of(data, size);
    rpc_message m;

    if (memchr(line.at, '\n', line.left))
        return 0;
    HOLDS(rpc_read(&m, line.at, line.left) == SNUG_OK);
    check_message(&m);
    check_answers(&m);
    rpc_free(&m);
    return 0;
}
