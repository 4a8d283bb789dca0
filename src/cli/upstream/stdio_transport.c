#include "cli/upstream/transport.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/process/child.h"
#include "cli/program/secrets.h"

enum {
    END_MS = 1000, /* between the steps of the end */
    LAST_MS = 50,  /* for what it says at its end */
    STDERR_BYTES = 64 * 1024
};

typedef struct stdio {
    transport base;
    char *command;
    child child;
    int wake[2]; /* a byte ends the wait */
    str in, err, out;
    size_t looked, written;
} stdio;

static int start(transport *base)
{
    stdio *t = (stdio *)base;

    str_clear(&t->in);
    str_clear(&t->err);
    str_clear(&t->out);
    t->looked = t->written = 0;
    return child_start(&t->child, t->command);
}

static void end_child(stdio *t, int at_once)
{
    if (at_once)
        child_kill(&t->child);
    else if (t->child.pid > 0)
        child_end(&t->child, END_MS);
    child_free(&t->child);
    t->child = (child){ .in = -1, .out = -1, .err = -1 };
}

static void stop(transport *base)
{
    end_child((stdio *)base, 0);
}

static int send_line(transport *base, const outgoing *sent)
{
    stdio *t = (stdio *)base;

    /* Half a message would spoil those behind it. */
    if (str_reserve(&t->out, sent->text.len + 1))
        return SNUG_ENOMEM;
    str_add_str(&t->out, &sent->text);
    str_append(&t->out, "\n", 1);
    return SNUG_OK;
}

static void drop(transport *base, unsigned long id)
{
    (void)base;
    (void)id;
}

static void say_end(const stdio *t)
{
    str text = { 0 };
    str err = t->err;
    const char *line;

    secrets_hide_str(&err); /* before it is cut */
    const size_t len = child_last_line(&line, str_text(&err), err.len);
    str_add(&text, "has ended");
    if (len > 0)
        str_printf(&text, ": %.*s", (int)(len < 500 ? len : 500), line);
    t->base.user.on_death(t->base.user.client, str_text(&text));
    str_free(&text);
}

static void take_lines(stdio *t)
{
    const transport_user *user = &t->base.user;
    size_t start = 0;
    char *end;

    while (t->looked < t->in.len &&
           (end = memchr(t->in.data + t->looked, '\n', t->in.len - t->looked))) {
        size_t len = (size_t)(end - t->in.data) - start;
        *end = '\0';
        if (len > 0 && !user->on_message(user->client, 0, t->in.data + start, len))
            user->on_ending(user->client, 0, ENDING_BROKEN, 0,
                            "the MCP server wrote a line that is not JSON-RPC");
        start = t->looked = (size_t)(end - t->in.data) + 1;
    }

    t->looked = t->in.len;
    if (start == 0)
        return;
    memmove(t->in.data, t->in.data + start, t->in.len - start);
    t->in.len -= start;
    t->looked -= start;
}

static void write_out(stdio *t)
{
    child_write(&t->child, str_text(&t->out), t->out.len, &t->written, 0);
    if (t->written == t->out.len) {
        str_clear(&t->out);
        t->written = 0;
    }
}

static void turn(transport *base, int ms)
{
    stdio *t = (stdio *)base;
    char bytes[64];
    const int is_there = t->child.pid > 0;

    if (is_there)
        write_out(t);
    struct pollfd fds[] = { { t->wake[0], POLLIN, 0 },
                            { is_there ? t->child.out : -1, POLLIN, 0 },
                            { is_there ? t->child.err : -1, POLLIN, 0 },
                            { is_there && t->out.len > 0 ? t->child.in : -1, POLLOUT, 0 } };
    poll(fds, 4, ms);
    while (read(t->wake[0], bytes, sizeof bytes) > 0)
        ;
    if (!is_there)
        return;

    child_read(&t->child.err, &t->err, STDERR_BYTES);
    child_read(&t->child.out, &t->in, MESSAGE_BYTES);
    take_lines(t);
    if (t->in.len >= MESSAGE_BYTES) {
        t->base.user.on_death(t->base.user.client, TOO_LARGE);
    } else if (t->child.out < 0 || t->child.in < 0) {
        /* What it said at its end comes last. */
        poll(&fds[2], 1, LAST_MS);
        child_read(&t->child.err, &t->err, STDERR_BYTES);
        say_end(t);
    }
}

static void wake(transport *base)
{
    ssize_t ignored = write(((stdio *)base)->wake[1], "", 1);
    (void)ignored; /* full: it will look */
}

static void free_stdio(transport *base, int at_once)
{
    stdio *t = (stdio *)base;

    end_child(t, at_once);
    for (int i = 0; i < 2; i++)
        if (t->wake[i] >= 0)
            close(t->wake[i]);
    str_free(&t->in);
    str_free(&t->err);
    str_free(&t->out);
    if (t->command)
        explicit_bzero(t->command, strlen(t->command));
    free(t->command);
    free(t);
}

static const transport_kind kind = { 0, start, stop, send_line, drop, turn, wake, free_stdio };

int stdio_transport_open(transport **out, const char *command, const transport_user *user)
{
    stdio *t = calloc(1, sizeof *t);

    if (!t)
        return error_no_memory();
    t->base = (transport){ &kind, *user };
    t->child = (child){ .in = -1, .out = -1, .err = -1 };
    t->wake[0] = t->wake[1] = -1;
    *out = &t->base;
    if (!(t->command = strdup(command)))
        return error_no_memory();
    if (pipe2(t->wake, O_CLOEXEC | O_NONBLOCK))
        return error_system("pipe");
    return SNUG_OK;
}
