/* A server that answers anything to how it is greeted, and lists tools: each line of the input is
 * what comes next, a message after its first letter. Whatever it says, what is sent is a message,
 * and the client is ready with tools that have names, or says why it is not. */
#include "fuzz.h"

#include <snug/snug.h>

#define input cli_input /* fuzz.h has one of its own */
#include "cli/program/command.h"
#include "cli/program/quantity.h"
#include "cli/program/secrets.h"
#include "cli/upstream/client_inside.h"
#undef input

/* ---- in the place of the program's ---- */

int command_fail(int status, const char *format, ...)
{
    HOLDS(*format);
    return status;
}

void secrets_hide_str(str *text)
{
}

size_t secrets_hide_json(char *text, size_t len)
{
    (void)text;
    return len;
}

int secrets_are_in_json(const char *text, size_t len)
{
    return len > 0 && *text == 0;
}

const char *quantity_text(char *out, size_t bytes, uint64_t value, const char *unit)
{
    (void)value;
    snprintf(out, bytes, "%s", unit);
    return out;
}

int signals_watch_call(signals *s, void (*interrupt)(void *target), void *target)
{
    (void)s;
    (void)interrupt;
    (void)target;
    return 0;
}

int snug_call_return(snug_call *call, const char *json, size_t len)
{
    fuzz_fail("no call is made", __FILE__, __LINE__, __func__);
}

int snug_call_fail(snug_call *call, const char *text)
{
    return snug_call_return(call, text, 0);
}

int snug_call_is_wanted(const snug_call *call)
{
    (void)call;
    return 1;
}

/* ---- the transport ---- */

static struct {
    transport base;
    input in;
    unsigned long last;
} fake;

static int start(transport *t)
{
    (void)t;
    return SNUG_OK;
}

static void do_nothing(transport *t)
{
    (void)t;
}

static int send_message(transport *t, const outgoing *sent)
{
    size_t at;
    const jsontext_span text = { sent->text.data, sent->text.len };

    HOLDS(!jsontext_check(text.text, text.len, &at) && *text.text == '{');
    HOLDS(!jsontext_member(text, "id").text == (sent->id == 0 && sent->method != NULL));
    HOLDS(!sent->version || strspn(sent->version, "0123456789-") == strlen(sent->version));
    if (sent->id > 0)
        fake.last = sent->id;
    return t == &fake.base ? SNUG_OK : SNUG_ENOMEM;
}

static void drop(transport *t, unsigned long id)
{
    (void)t;
    (void)id;
}

static void turn(transport *t, int ms)
{
    static const int statuses[] = { 0, 400, 401, 404, 500 };
    const transport_user *user = &t->user;
    const unsigned long stream = t->kind->has_streams ? fake.last : 0;

    (void)ms;
    if (fake.in.left == 0) {
        user->on_death(user->client, "has ended");
        return;
    }
    input line = take_until(&fake.in, "\n");
    const unsigned how = take_byte(&line);
    if (how >= '0' && how <= '4') {
        user->on_ending(user->client, fake.last, ENDING_REFUSED, statuses[how - '0'], "no");
        return;
    }
    char *text = copy_of(line.at, line.left);
    if (!user->on_message(user->client, stream, text, line.left))
        user->on_ending(user->client, 0, ENDING_BROKEN, 0, "it is not JSON-RPC");
    free(text);
}

static void free_transport(transport *t, int at_once)
{
    (void)t;
    (void)at_once;
}

static const transport_kind on_stdio = { 0,    start, do_nothing, send_message,
                                         drop, turn,  do_nothing, free_transport },
                            by_web = { 1,    start, do_nothing, send_message,
                                       drop, turn,  do_nothing, free_transport };

int stdio_transport_open(transport **out, const char *command, const transport_user *user)
{
    (void)command;
    fake.base = (transport){ &on_stdio, *user };
    *out = &fake.base;
    return SNUG_OK;
}

int web_transport_open(transport **out, const upstream *server, const transport_user *user)
{
    (void)server;
    fake.base = (transport){ &by_web, *user };
    *out = &fake.base;
    return SNUG_OK;
}

/* ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char label[] = "a", url[] = "http://a/";
    mcp *m;
    mcptool *tool;
    str why = { 0 };

    fake.in = input_of(data, size);
    const upstream server = { .name = label,
                              .command = label,
                              .url = take_byte(&fake.in) % 2 ? url : NULL };
    HOLDS(mcp_open(&m, &server, 1000, "") == SNUG_OK);
    const int error = mcp_wait(m, NULL, UINT64_MAX);
    HOLDS(mcp_write_failure(&why, m) == SNUG_OK && (why.len > 0) == (error != SNUG_OK));
    HOLDS(!error || !mcp_tool(m, 0));
    for (size_t i = 0; (tool = mcp_tool(m, i)); i++)
        HOLDS(i < 1000 && *tool->name && *tool->remote);
    str_free(&why);
    mcp_close(m);
    return 0;
}
