/* A server that answers anything to how it is greeted, and lists tools: each line of the input is
 * what comes next, an answer behind its first letter. Whatever it says, each request has one
 * answer, what is sent is a message, and the client is where one can be. */
#include "fuzz.h"

#include <snug/snug.h>

#define input cli_input /* fuzz.h has one of its own */
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/upstream/client_inside.h"
#undef input

/* In the place of the program's: a notice. */
int command_fail(int status, const char *format, ...)
{
    HOLDS(*format);
    return status;
}

void secrets_hide_str(str *text)
{
}

int snug_call_return(snug_call *call, const char *json, size_t len)
{
    fuzz_fail("no call is made", __FILE__, __LINE__, __func__);
}

int snug_call_fail(snug_call *call, const char *text)
{
    return snug_call_return(call, text, 0);
}

/* ---- where the client is ---- */

static size_t count_asks(const mcp *m, ask_kind kind)
{
    size_t count = 0;
    for (const ask *a = m->asks; a; a = a->next)
        count += a->kind == kind;
    return count;
}

static void check_state(mcp *m)
{
    for (int kind = ASK_CALL; kind <= ASK_LIST; kind++)
        HOLDS(count_asks(m, (ask_kind)kind) <= 1);
    const size_t greetings = count_asks(m, ASK_DISCOVER) + count_asks(m, ASK_INITIALIZE);

    switch (m->phase) {
    case CLIENT_GREETED:
        HOLDS(greetings > 0);
        break;
    case CLIENT_DOWN:
        HOLDS(m->why.len > 0 && m->wants_stop && m->era == ERA_UNKNOWN && !m->asks);
        break;
    case CLIENT_LISTED:
        HOLDS(greetings == 0 && count_asks(m, ASK_LIST) == 1);
        HOLDS(m->era == ERA_NEW || (m->era == ERA_OLD && m->version));
        break;
    case CLIENT_READY:
        HOLDS(greetings == 0 && m->era != ERA_UNKNOWN);
        break;
    case CLIENT_GIVEN_UP:
        fuzz_fail("nobody has died", __FILE__, __LINE__, __func__);
    }
    HOLDS(m->tools.count <= MOST_TOOLS && m->coming.count <= MOST_TOOLS &&
          m->news.count <= MOST_TOOLS);
}

/* All of it, and it is gone. */
static void check_sent(mcp *m)
{
    size_t count = 0;

    for (outgoing *o = m->out, *next; o; o = next, count++) {
        message sent;
        next = o->next;
        HOLDS(message_read(&sent, o->text.data, o->text.len));
        HOLDS(!sent.id.text == (o->id == 0) && (!o->id || message_has_id(&sent, o->id)));
        client_free_outgoing(o);
    }
    m->out = NULL;
    m->out_end = &m->out;
    HOLDS(count <= 4);
}

/* ---- what comes ---- */

static void answer(mcp *m, ask *a, const message *said)
{
    const jsontext_span none = { NULL, 0 };
    const jsontext_span error = said->result.text ? none : said->error;

    if (a->kind == ASK_LIST && said->result.text)
        client_take_page(m, a, said->result);
    else if (a->kind == ASK_LIST)
        client_miss_list(m, a, "it was refused");
    else
        client_take_greeting(m, a, said->result, error);
}

static void miss(mcp *m, ask *a, int status)
{
    if (a->kind == ASK_LIST)
        client_miss_list(m, a, "there was none");
    else
        client_miss_greeting(m, a, status, "there was none");
}

static void take_line(mcp *m, input line)
{
    static const int statuses[] = { 0, 400, 401, 404, 500 };
    message said;
    ask *a = m->asks;
    const unsigned how = take_byte(&line);

    if (how == 'c' && m->phase == CLIENT_READY && !m->is_listing) {
        client_note_change(m);
        client_list(m);
    }
    if (how == 'o' && m->phase == CLIENT_GREETED)
        client_greet_old(m);
    else if (how == 'l' && a)
        a = a->next ? a->next : a;
    if (!a || how == 'c' || how == 'o')
        return;
    if (how >= '0' && how <= '4') {
        miss(m, a, statuses[how - '0']);
        return;
    }
    char *text = copy_of(line.at, line.left);
    if (message_read(&said, text, line.left) && !said.method.text)
        answer(m, a, &said);
    free(text);
}

/* ---- */

static const transport_kind on_stdio = { .has_streams = 0 }, by_web = { .has_streams = 1 };

static void free_client(mcp *m)
{
    while (m->asks)
        client_end_ask(m, m->asks);
    client_free_tools(&m->tools);
    client_free_tools(&m->retired);
    client_free_tools(&m->coming);
    client_free_tools(&m->news);
    str_free(&m->why);
    pthread_cond_destroy(&m->change);
    pthread_mutex_destroy(&m->lock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char label[] = "a";
    input in = input_of(data, size);
    transport t = { .kind = take_byte(&in) % 2 ? &by_web : &on_stdio };
    mcp m = { .label = label, .transport = &t, .start_ms = 1000, .limit = "" };

    m.out_end = &m.out;
    m.list_at_ns = 0;
    m.stale_at_ns = m.greet_at_ns = UINT64_MAX;
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.change, NULL);
    client_begin(&m);
    for (;;) {
        check_sent(&m);
        check_state(&m);
        if (in.left == 0)
            break;
        take_line(&m, take_until(&in, "\n"));
    }
    free_client(&m);
    return 0;
}
