#include "cli/upstream/client_inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"

/* ---- what goes out ---- */

outgoing *client_new_outgoing(unsigned long id, const char *method)
{
    outgoing *o = calloc(1, sizeof *o);

    if (o) {
        o->id = id;
        o->method = method;
    }
    return o;
}

void client_free_outgoing(outgoing *o)
{
    if (!o)
        return;
    str_free(&o->text);
    str_free(&o->name);
    str_free(&o->headers);
    free(o);
}

void client_queue(mcp *m, outgoing *o)
{
    o->next = NULL;
    *m->out_end = o;
    m->out_end = &o->next;
}

static int is_plain_value(const char *text, size_t len)
{
    static const char begin[] = "=?base64?";

    for (size_t i = 0; i < len; i++)
        if (text[i] < 0x20 || text[i] > 0x7e)
            return 0;
    if (len > 0 && (text[0] == ' ' || text[len - 1] == ' '))
        return 0;
    return strncmp(text, begin, sizeof begin - 1) != 0;
}

/* In base64 where a header could not have it as it is. */
static int write_value(str *out, const char *text)
{
    const size_t len = strlen(text);
    if (is_plain_value(text, len))
        return str_add(out, text);
    str_add(out, "=?base64?");
    base64_append(out, text, len);
    return str_add(out, "?=");
}

/* What the newer revision has in headers too. */
static int write_headers(outgoing *o, const ask *a)
{
    int error = str_printf(&o->headers, "Mcp-Method: %s\n", o->method);

    if (error || a->kind != ASK_CALL)
        return error;
    error = str_add(&o->headers, "Mcp-Name: ");
    if (!error)
        error = write_value(&o->headers, a->tool->remote);
    return error ? error : str_add(&o->headers, "\n");
}

static int send_ask(mcp *m, ask *a, const char *method)
{
    const int is_new = m->era == ERA_NEW || a->kind == ASK_DISCOVER;
    outgoing *o = client_new_outgoing(a->id, method);
    int error = o ? SNUG_OK : SNUG_ENOMEM;

    if (!error)
        error = message_write_request(&o->text, a->id, method, str_text(&a->params), is_new);
    if (!error && is_new)
        error = write_headers(o, a);
    if (error) {
        client_free_outgoing(o);
        return SNUG_ENOMEM;
    }
    a->is_sent = 1;
    client_queue(m, o);
    return SNUG_OK;
}

int client_send_call(mcp *m, ask *a)
{
    return send_ask(m, a, "tools/call");
}

ask *client_ask(mcp *m, ask_kind kind, const char *method, str *params)
{
    ask *a = calloc(1, sizeof *a), **place = &m->asks;

    if (!a)
        return NULL;
    a->kind = kind;
    a->id = ++m->ids;
    a->until_ns = kind == ASK_LIST ? clock_deadline_ns(clock_now_ns(), m->start_ms) : UINT64_MAX;
    a->params = *params;
    *params = (str){ 0 };
    if (method && send_ask(m, a, method)) {
        str_free(&a->params);
        free(a);
        return NULL;
    }
    while (*place)
        place = &(*place)->next;
    *place = a;
    return a;
}

int client_notify(mcp *m, const char *method, const char *params)
{
    outgoing *o = client_new_outgoing(0, method);

    if (!o || message_write_notification(&o->text, method, params)) {
        client_free_outgoing(o);
        return SNUG_ENOMEM;
    }
    client_queue(m, o);
    return SNUG_OK;
}

/* ---- ends ---- */

void client_end_own(mcp *m)
{
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (a->kind != ASK_CALL)
            client_end_ask(m, a);
    }
}

ask *client_find_ask(mcp *m, ask_kind kind)
{
    ask *a = m->asks;
    while (a && a->kind != kind)
        a = a->next;
    return a;
}

void client_end_ask(mcp *m, ask *a)
{
    ask **place = &m->asks;

    while (*place && *place != a)
        place = &(*place)->next;
    if (*place)
        *place = a->next;
    str_free(&a->params);
    free(a);
}

void client_end_call(mcp *m, ask *a, int is_fine, const char *text, size_t len)
{
    if (is_fine)
        snug_call_return(a->call, text, len);
    else
        snug_call_fail(a->call, text);
    client_end_ask(m, a);
}

void client_fail_calls(mcp *m, const char *why, int sent_alone)
{
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (a->kind == ASK_CALL && (a->is_sent || !sent_alone))
            client_end_call(m, a, 0, why, strlen(why));
    }
}
