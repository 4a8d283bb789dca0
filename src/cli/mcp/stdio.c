/* stdio: a message a line. One thread reads, another one writes, so that who does not read keeps
 * nobody else. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/mcp/asking.h"
#include "cli/program/command.h"
#include "cli/terminal/lines.h"

/* How long the end waits for a client that reads nothing: one that was told to end by a signal has
 * little time, and sessions to save. */
enum { LOOK_MS = 100, LAST_MS = 5000, LAST_AT_SIGNAL_MS = 1000 };

typedef struct channel {
    mcp_server *server;
    signals *signals;
    pthread_mutex_t lock;
    pthread_cond_t change;
    str unsent;
    int is_broken;    /* nobody reads any more, or not fast enough */
    uint64_t over_ns; /* since when nothing is added any more; 0: something may be */
    thread writer;
} channel;

/* ---- writing ---- */

static int is_broken(channel *c)
{
    pthread_mutex_lock(&c->lock);
    const int broken = c->is_broken;
    pthread_mutex_unlock(&c->lock);
    return broken;
}

/* Nobody has read for long since there is no more to come. */
static int is_given_up(channel *c, uint64_t since_ns)
{
    const uint64_t ms = signals_taken(c->signals) ? LAST_AT_SIGNAL_MS : LAST_MS;

    pthread_mutex_lock(&c->lock);
    const uint64_t from_ns = c->over_ns > since_ns ? c->over_ns : since_ns;
    const int is_late = c->over_ns && clock_now_ns() >= clock_deadline_ns(from_ns, ms);
    pthread_mutex_unlock(&c->lock);
    if (is_late)
        fprintf(stderr, "snug: the client reads nothing: its last answers are lost\n");
    return is_late;
}

/* In pieces that a pipe takes without a wait once it says so, so that who never reads does not keep
 * the thread. 0, or -1. */
static int write_pieces(channel *c, const str *text)
{
    uint64_t since_ns = clock_now_ns();

    for (size_t at = 0; at < text->len;) {
        struct pollfd out = { STDOUT_FILENO, POLLOUT, 0 };
        if (is_broken(c))
            return -1;
        if (poll(&out, 1, LOOK_MS) <= 0) {
            if (is_given_up(c, since_ns))
                return -1;
            continue;
        }

        const size_t left = text->len - at;
        const ssize_t len =
            write(STDOUT_FILENO, text->data + at, left < PIPE_BUF ? left : PIPE_BUF);
        if (len < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        at += len > 0 ? (size_t)len : 0;
        since_ns = clock_now_ns();
    }
    return 0;
}

static void *write_messages(void *payload)
{
    channel *c = payload;

    pthread_mutex_lock(&c->lock);
    for (;;) {
        if (c->unsent.len == 0 && c->over_ns)
            break;
        if (c->unsent.len == 0) {
            pthread_cond_wait(&c->change, &c->lock);
            continue;
        }
        str now = c->unsent;
        c->unsent = (str){ 0 };
        pthread_mutex_unlock(&c->lock);
        const int failed = write_pieces(c, &now);
        str_free(&now);
        pthread_mutex_lock(&c->lock);
        if (failed && !c->is_broken) {
            c->is_broken = 1;
            signals_ask(c->signals, SIGPIPE);
        }
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static void put_message(channel *c, const char *text, size_t len)
{
    pthread_mutex_lock(&c->lock);
    const int is_full = c->unsent.len + len > c->server->limits.unsent_bytes && c->unsent.len > 0;
    if (!c->is_broken && (is_full || str_reserve(&c->unsent, len + 1))) {
        c->is_broken = 1;
        signals_ask(c->signals, SIGPIPE);
    }
    if (!c->is_broken) {
        str_append(&c->unsent, text, len);
        str_append(&c->unsent, "\n", 1);
    }
    pthread_cond_signal(&c->change);
    pthread_mutex_unlock(&c->lock);
}

static void tell(void *payload, const char *text, size_t len)
{
    put_message(payload, text, len);
}

static void answer_message(void *payload, mcp_status status, const char *text, size_t len)
{
    (void)status;
    if (text)
        put_message(payload, text, len);
}

/* ---- reading ---- */

static int is_empty(const char *line, size_t len)
{
    while (len > 0 && (is_blank(line[len - 1]) || line[len - 1] == '\r'))
        len--;
    return len == 0;
}

static void refuse_long(channel *c)
{
    str text = { 0 };
    if (rpc_write_error(&text, NULL, RPC_INVALID_REQUEST,
                        "a message has more bytes than this server takes (--message-size)") ==
        SNUG_OK)
        put_message(c, text.data, text.len);
    str_free(&text);
}

static void take_line(channel *c, mcp_peer *peer, const char *line, size_t len)
{
    const mcp_wire wire = { tell, answer_message, c, 1 };
    rpc_message message;

    if (is_empty(line, len))
        return;
    if (rpc_read(&message, line, len))
        rpc_free(&message); /* without memory there is no answer either */
    else
        mcp_server_take(c->server, peer, &wire, &message);
}

static int read_messages(channel *c, mcp_peer *peer)
{
    lines in;
    const char *line;
    size_t len;
    int status = EXIT_FINE;

    lines_init(&in, STDIN_FILENO, signals_fd(c->signals), (size_t)c->server->limits.message_bytes);
    for (int is_open = 1; is_open;) {
        switch (lines_next(&in, &line, &len)) {
        case LINES_LINE:
            take_line(c, peer, line, len);
            break;
        case LINES_LONG:
            refuse_long(c);
            break;
        case LINES_WOKEN:
            while (signals_next(c->signals))
                ;
            is_open = !signals_taken(c->signals);
            break;
        case LINES_FAILED:
            status = command_fail(EXIT_USAGE, "%s", error_message());
            is_open = 0;
            break;
        case LINES_END:
            is_open = 0;
            break;
        }
    }
    lines_free(&in);
    return status;
}

/* What was asked is answered, unless a signal comes. */
static void finish_calls(channel *c)
{
    mcp_server *s = c->server;

    asking_refuse_all(s);
    pthread_mutex_lock(&s->lock);
    while (s->calls && !signals_taken(c->signals))
        cond_wait_until(&s->idle, &s->lock, clock_now_ns() + 50 * NS_PER_MS);
    pthread_mutex_unlock(&s->lock);
}

int mcp_serve_stdio(mcp_server *s, signals *sig)
{
    channel c = { .server = s,
                  .signals = sig,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .change = PTHREAD_COND_INITIALIZER };
    mcp_peer *peer;

    if (mcp_peer_open(&peer, s, "stdio") ||
        thread_start(&c.writer, "snug-mcp-out", 256 * 1024, write_messages, &c))
        return command_fail(EXIT_USAGE, "%s", error_message());

    int status = read_messages(&c, peer);
    finish_calls(&c);
    mcp_server_stop(s, signals_taken(sig) ? 0 : 1000);
    pthread_mutex_lock(&c.lock);
    c.over_ns = clock_now_ns();
    pthread_cond_signal(&c.change);
    pthread_mutex_unlock(&c.lock);
    mcp_server_save(s); /* a client that reads nothing does not delay it */
    thread_join(&c.writer);
    str_free(&c.unsent);
    mcp_peer_close(s, peer);
    return status;
}
