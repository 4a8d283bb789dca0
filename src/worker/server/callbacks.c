/*
 * callbacks.c - what a session tells and asks its host while a cell runs, and the host's answers.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/desk.h"
#include "session/result/packed.h"
#include "worker/server/callbacks.h"
#include "worker/server/serve.h"

void serve_on_output(void *payload, snug_stream which, const char *text, size_t len)
{
    channel *c = payload;
    packer body = { 0 };
    pack_number(&body, which == SNUG_STREAM_STDERR);
    pack_bytes(&body, text, len);
    serve_output(c, FRAME_OUTPUT, &body);
}

void serve_on_display(void *payload, snug_display_event event, const snug_display *d)
{
    channel *c = payload;
    packer body = { 0 };
    pack_number(&body, (uint64_t)event);
    if (event != SNUG_DISPLAY_EVENT_CLEAR)
        display_pack(&body, d);
    serve_output(c, FRAME_DISPLAY, &body);
}

/* name NULL: a line, and "": one that is not to be seen. */
static void send_call(channel *c, snug_call *call, int is_input, const char *name, const char *text)
{
    packer body = { 0 };
    serve_call *made = calloc(1, sizeof *made);
    if (!made) {
        snug_call_fail(call, "the worker has no memory for this call");
        return;
    }

    pthread_mutex_lock(&c->server->lock);
    *made = (serve_call){ call, ++c->calls_made, is_input, 0, c->calls };
    pack_number(&body, made->id);
    c->calls = made;
    pthread_mutex_unlock(&c->server->lock);

    pack_text(&body, name);
    pack_bytes(&body, text, strlen(text));
    if (body.is_short || serve_send(c->server, FRAME_CALL, c, &body) != 0)
        _exit(1);
    str_free(&body.text);
}

void serve_on_call(void *payload, snug_call *call, const char *arguments)
{
    send_call(payload, call, 0, snug_call_name(call), arguments);
}

/* Calls that the cell gave up; of others the host knows that they are over. */
static serve_call *next_given_up(const channel *c)
{
    serve_call *made = c->calls;
    while (made && (made->is_told || snug_call_is_wanted(made->call)))
        made = made->next;
    return made;
}

void serve_on_call_over(void *payload, const snug_tool_call *over)
{
    channel *c = payload;
    const int is_late = !strcmp(over->status, "timeout");
    serve_call *made;

    if (!is_late && strcmp(over->status, "cancelled") != 0)
        return;
    pthread_mutex_lock(&c->server->lock);
    while ((made = next_given_up(c))) {
        packer body = { 0 };
        made->is_told = 1;
        pack_number(&body, made->id);
        pack_number(&body, (uint64_t)is_late);
        pthread_mutex_unlock(&c->server->lock);
        if (body.is_short || serve_send(c->server, FRAME_GAVE_UP, c, &body) != 0)
            _exit(1);
        str_free(&body.text);
        pthread_mutex_lock(&c->server->lock);
    }
    pthread_mutex_unlock(&c->server->lock);
}

void serve_on_input(void *payload, snug_call *call, const char *prompt)
{
    send_call(payload, call, 1, strcmp(snug_call_name(call), "getpass") ? NULL : "", prompt);
}

static void return_call(serve_call *made, frame_answer how, const char *text, size_t len)
{
    if (how == FRAME_ANSWER_NONE)
        snug_call_return_line(made->call, NULL, 0);
    else if (how == FRAME_ANSWER_REFUSED)
        snug_call_approve(made->call, SNUG_APPROVAL_REFUSE, text);
    else if (how == FRAME_ANSWER_TIMEOUT)
        call_answer(made->call, CALL_TIMEOUT, text, len);
    else if (how == FRAME_ANSWER_ERROR)
        snug_call_fail(made->call, text);
    else if (made->is_input)
        snug_call_return_line(made->call, text, len);
    else
        snug_call_return(made->call, text, len);
    free(made);
}

/* Out of the channel's list; NULL: it is not there. */
static serve_call *take_made_call(channel *c, uint64_t id)
{
    serve_call **at = &c->calls;
    while (*at && (*at)->id != id)
        at = &(*at)->next;

    serve_call *made = *at;
    if (made)
        *at = made->next;
    return made;
}

/* Its clock here stands as the host's does. */
static void hold_call(const channel *c, uint64_t id, int is_held)
{
    for (const serve_call *made = c->calls; made; made = made->next) {
        if (made->id != id)
            continue;
        if (is_held)
            call_hold(made->call);
        else
            call_go_on(made->call);
    }
}

void serve_answer(channel *c, unpacker *u)
{
    size_t len;
    uint64_t id = unpack_number(u);
    frame_answer how = (frame_answer)unpack_small(u, FRAME_ANSWER_GOES_ON);
    const char *text = unpack_bytes(u, &len);

    if (u->is_bad)
        how = FRAME_ANSWER_ERROR;

    if (how == FRAME_ANSWER_HELD || how == FRAME_ANSWER_GOES_ON) {
        hold_call(c, id, how == FRAME_ANSWER_HELD);
        return;
    }

    serve_call *made = take_made_call(c, id);
    if (made)
        return_call(made, how, text, len);
}

void serve_forget_calls(channel *c)
{
    while (c->calls) {
        serve_call *made = c->calls;
        c->calls = made->next;
        snug_call_fail(made->call, NULL);
        free(made);
    }
}
