/* What an MCP server says, on the thread that speaks with it. */
#include "cli/upstream/client_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/jsontext.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"

enum { MOST_DEATHS = 5 }; /* without an answered call in between; then it is not started again */

/* ---- answers ---- */

static ask *find_answered(mcp *m, const message *msg, unsigned long stream)
{
    const int has_no_id = !msg->id.text || jsontext_is(msg->id, "null");

    for (ask *a = m->asks; a; a = a->next) {
        if (!a->is_sent || (stream > 0 && a->id != stream))
            continue;
        if (message_has_id(msg, a->id) || (stream > 0 && has_no_id))
            return a;
    }
    return NULL;
}

/* It wants more before it answers. Nothing of that is declared, so that it must not. */
static void refuse_wish(mcp *m, ask *a)
{
    str text = { 0 };

    str_printf(&text, "the MCP server %s wants more before %s answers, which snug does not give",
               m->label, a->tool->remote);
    client_end_call(m, a, 0, str_text(&text), text.len);
    str_free(&text);
}

static void take_call_result(mcp *m, ask *a, jsontext_span result)
{
    const jsontext_span type = jsontext_member(result, "resultType");
    str answer = { 0 };
    int is_fine;

    m->deaths = 0;
    if (type.text && !jsontext_is(type, "\"complete\"")) {
        refuse_wish(m, a);
        return;
    }
    if (mcptool_read_result(&answer, &is_fine, result))
        client_end_call(m, a, 0, "out of memory", 13);
    else if (is_fine)
        client_end_call(m, a, 1, str_text(&answer), answer.len);
    else
        client_end_call(m, a, 0, str_text(&answer), answer.len);
    str_free(&answer);
}

static void write_error(str *out, jsontext_span error)
{
    if (jsontext_string(out, jsontext_member(error, "message")) || out->len == 0)
        str_add(out, "the MCP server answered with an error");
}

static void take_call_error(mcp *m, ask *a, jsontext_span error)
{
    str text = { 0 };

    /* It may not know the tool any more, or take other arguments. */
    if (message_error_code(error) == -32602 || message_error_code(error) == -32020)
        m->is_stale = m->era == ERA_NEW;
    m->deaths = 0;
    write_error(&text, error);
    client_end_call(m, a, 0, str_text(&text), text.len);
    str_free(&text);
}

static void take_answer(mcp *m, ask *a, const message *msg)
{
    static const char nothing[] = "the MCP server answered without a result";
    str why = { 0 };

    switch (a->kind) {
    case ASK_CALL:
        if (msg->result.text)
            take_call_result(m, a, msg->result);
        else if (msg->error.text)
            take_call_error(m, a, msg->error);
        else
            client_end_call(m, a, 0, nothing, sizeof nothing - 1);
        break;
    case ASK_DISCOVER:
    case ASK_INITIALIZE:
        client_take_greeting(m, a, msg->result, msg->error);
        break;
    case ASK_LIST:
        write_error(&why, msg->error);
        if (msg->result.text)
            client_take_page(m, a, msg->result);
        else
            client_miss_list(m, a, str_text(&why));
        break;
    }
    str_free(&why);
}

static void take_request(mcp *m, const message *msg)
{
    outgoing *o = client_new_outgoing(0, NULL);

    if (o && !message_write_answer(&o->text, msg->id, msg->method))
        client_queue(m, o);
    else
        client_free_outgoing(o);
}

static void take_notification(mcp *m, const message *msg)
{
    if (jsontext_is(msg->method, "\"notifications/tools/list_changed\""))
        client_note_change(m);
}

static int take_message(mcp *m, unsigned long stream, const char *text, size_t len)
{
    message msg;
    int taken = 1;

    if (!message_read(&msg, text, len))
        return 0;
    pthread_mutex_lock(&m->lock);
    if (msg.method.text && msg.id.text) {
        if (m->era != ERA_NEW) /* there, servers must not ask */
            take_request(m, &msg);
    } else if (msg.method.text) {
        take_notification(m, &msg);
    } else {
        ask *a = find_answered(m, &msg, stream);
        if (a) {
            take_answer(m, a, &msg);
            taken = 2;
        }
        /* Else it is an answer that nobody wants any more. */
    }
    pthread_mutex_unlock(&m->lock);
    return taken;
}

/* A line that a server on stdio has written for people: it is passed over, and that is said once.
 */
static int is_stray(mcp *m, const char *text)
{
    static const char mark[] = "\xef\xbb\xbf";

    if (*text == '{' || *text == '[' || !strncmp(text, mark, sizeof mark - 1) ||
        m->transport->kind->has_streams)
        return 0;
    if (!m->has_stray)
        command_fail(0,
                     "the MCP server %s writes lines to stdout that are not messages: they "
                     "are ignored",
                     m->label);
    m->has_stray = 1;
    return 1;
}

/* What a server says of the keys that it was given, or found in its environment, is not heard. */
int client_on_message(void *payload, unsigned long stream, const char *text, size_t len)
{
    str copy = { 0 };
    int taken = 0;

    if (is_stray(payload, text))
        return 1;
    if (!secrets_are_in_json(text, len))
        return take_message(payload, stream, text, len);
    if (str_append(&copy, text, len) == SNUG_OK) {
        copy.len = secrets_hide_json(copy.data, copy.len);
        taken = take_message(payload, stream, copy.data, copy.len);
    }
    str_free(&copy);
    return taken;
}

/* What has not gone out yet would do so without a session. */
static void take_back(mcp *m)
{
    for (outgoing *o = m->out, *next; o; o = next) {
        next = o->next;
        for (ask *a = m->asks; a; a = a->next)
            if (a->id == o->id)
                a->is_sent = 0;
        client_free_outgoing(o);
    }
    m->out = NULL;
    m->out_end = &m->out;
}

static void begin_again(mcp *m)
{
    if (m->phase == CLIENT_READY) {
        take_back(m);
        m->phase = CLIENT_DOWN;
        m->wants_start = 1;
    }
}

/* Whether a call may be made a second time, behind the session that is begun again: once, and not
 * where the server may have acted. */
static int may_repeat(const ask *a, ending how)
{
    return !a->was_lost && (how == ENDING_LOST || (how == ENDING_UNSURE && a->tool->is_read_only));
}

static void miss_call(mcp *m, ask *a, ending how, const char *why)
{
    str text = { 0 };

    if (may_repeat(a, how)) {
        a->was_lost = 1;
        a->is_sent = 0;
        return;
    }
    if (strncmp(why, "the MCP server", 14) != 0)
        str_printf(&text, "the MCP server %s: ", m->label);
    str_add(&text, why);
    if (how == ENDING_UNSURE)
        str_add(&text, "; its session is begun again, but not this call, which it may have made");
    client_end_call(m, a, 0, str_text(&text), text.len);
    str_free(&text);
}

static void miss_answer(mcp *m, ask *a, ending how, int status, const char *why)
{
    switch (a->kind) {
    case ASK_CALL:
        miss_call(m, a, how, why);
        if (how == ENDING_LOST || how == ENDING_UNSURE)
            begin_again(m);
        break;
    case ASK_DISCOVER:
    case ASK_INITIALIZE:
        client_miss_greeting(m, a, status, why);
        break;
    case ASK_LIST:
        client_miss_list(m, a, why);
        break;
    }
}

void client_on_ending(void *payload, unsigned long id, ending how, int status, const char *why)
{
    mcp *m = payload;
    str text = { 0 };
    int is_found = 0;

    str_add(&text, why);
    secrets_hide_str(&text);
    pthread_mutex_lock(&m->lock);
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (!a->is_sent || (id > 0 && a->id != id))
            continue;
        is_found = 1;
        miss_answer(m, a, how, status, str_text(&text));
        if (m->phase == CLIENT_DOWN)
            break; /* the others went with it */
    }
    /* Behind its answer, or of a call that nobody waits for. */
    if (!is_found && how == ENDING_UNSURE)
        begin_again(m);
    pthread_mutex_unlock(&m->lock);
    str_free(&text);
}

/* 1: it has died of the question what it speaks, which is asked no more. */
static int has_died_of_question(const mcp *m)
{
    return m->phase == CLIENT_GREETED && m->era == ERA_UNKNOWN;
}

void client_on_death(void *payload, const char *what)
{
    mcp *m = payload;
    str text = { 0 };

    str_printf(&text, " %s", what);
    pthread_mutex_lock(&m->lock);
    if (has_died_of_question(m)) {
        client_end_own(m);
        m->era = ERA_OLD;
        m->phase = CLIENT_DOWN;
        m->wants_start = m->wants_stop = 1;
    } else {
        const client_era era = m->phase == CLIENT_READY ? m->era : ERA_UNKNOWN;
        client_fail_greeting(m, str_text(&text));
        m->era = era;
        if (++m->deaths >= MOST_DEATHS) {
            str_printf(&m->why, " (it has ended %d times, and is not started again)", MOST_DEATHS);
            m->phase = CLIENT_GIVEN_UP;
        }
    }
    pthread_mutex_unlock(&m->lock);
    str_free(&text);
}
