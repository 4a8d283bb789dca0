#include "worker/server/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <snug/worker.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process/cgroup.h"
#include "base/thread.h"
#include "session/core/form.h"
#include "session/core/full.h"
#include "session/core/host.h"
#include "session/core/session.h"
#include "session/core/stop.h"
#include "session/files/workdir.h"
#include "session/life/make.h"

/* ---- writing ---- */

static int write_all_pieces(int fd, struct iovec *pieces, size_t count)
{
    while (count > 0) {
        ssize_t n = writev(fd, pieces, (int)count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        frame_wrote(&pieces, &count, (size_t)n);
    }

    return 0;
}

static int send_frame(server *s, const frame *f)
{
    char header[FRAME_HEADER];
    frame_header(header, f);
    struct iovec pieces[2] = { { header, sizeof header }, { f->body.data, f->body.len } };
    pthread_mutex_lock(&s->writing);
    int failed = write_all_pieces(s->out, pieces, f->body.len > 0 ? 2 : 1);
    pthread_mutex_unlock(&s->writing);
    return failed;
}

int serve_send(server *s, frame_kind kind, const channel *c, const packer *body)
{
    frame f = { .kind = kind, .body = body->text };

    if (c) {
        f.channel = c->id;
        f.number = c->number;
    }

    return send_frame(s, &f);
}

/* The host has at most this much, and one piece, that it has not taken yet. */
#define MOST_UNTAKEN (UINT64_C(1) << 20)

void serve_output(channel *c, frame_kind kind, packer *body)
{
    server *s = c->server;

    /* Before it is sent: the host may have taken it the moment after. */
    pthread_mutex_lock(&s->lock);
    c->untaken += body->text.len;
    pthread_mutex_unlock(&s->lock);
    if (body->is_short || serve_send(s, kind, c, body) != 0)
        _exit(1);
    str_free(&body->text);
    pthread_mutex_lock(&s->lock);
    while (c->untaken > MOST_UNTAKEN)
        pthread_cond_wait(&c->taken, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* ---- channels ---- */

static channel *find_channel(server *s, uint32_t id)
{
    channel *c = s->channels;
    while (c && c->id != id)
        c = c->next;
    return c;
}

/* The lock is held. NULL if memory ran out. */
static channel *add_channel(server *s, uint32_t id)
{
    channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (channel){ .server = s, .id = id, .next = s->channels };
    pthread_cond_init(&c->taken, NULL);
    s->channels = c;
    return c;
}

/* The lock is held. */
static void drop_channel(server *s, channel *c)
{
    channel **at = &s->channels;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    pthread_cond_destroy(&c->taken);
    serve_free_programs(c);
    free(c);
}

/* ---- a request ---- */

/* The request has ended: the next one of the channel may be read as soon as the reply is out. */
static void end_request(channel *c)
{
    server *s = c->server;
    pthread_mutex_lock(&s->lock);
    c->number = 0;
    serve_forget_calls(c);
    if (!c->session)
        drop_channel(s, c);
    pthread_mutex_unlock(&s->lock);
}

static void send_reply(channel *c, int error, packer *answer)
{
    server *s = c->server;
    packer body = { 0 };
    frame f = { FRAME_REPLY, c->id, c->number, { 0 } };

    end_request(c);
    if (!error && answer->is_short)
        error = error_no_memory();
    pack_number(&body, (uint64_t)-error);
    pack_text(&body, error ? error_message() : "");
    if (!error)
        body.is_short |= str_append(&body.text, str_text(&answer->text), answer->text.len) != 0;

    /* Without memory for the reply the worker ends, which tells the host. */
    f.body = body.text;
    if (body.is_short || send_frame(s, &f) != 0)
        _exit(1);
    str_free(&body.text);
}

/* These come where their channel has no session yet, all others where it has one. */
static int is_for_new_channel(frame_kind kind)
{
    return kind == FRAME_HELLO || kind == FRAME_OPEN || kind == FRAME_SCAN || kind == FRAME_HEALTH;
}

static int check_channel(const server *s, const frame *f, int is_known)
{
    if (f->kind != FRAME_HELLO && !s->host)
        return error_set(SNUG_EINVAL, "a worker is greeted first");
    if (is_known == is_for_new_channel(f->kind))
        return error_set(SNUG_EINVAL, "channel %u has %s session", f->channel,
                         is_known ? "a" : "no");
    return SNUG_OK;
}

static void serve_frame(server *s, frame *f)
{
    packer answer = { 0 };
    unpacker u = { str_text(&f->body), f->body.len, 0 };

    pthread_mutex_lock(&s->lock);
    channel *c = find_channel(s, f->channel);
    int is_known = c != NULL;
    if (!is_known)
        c = add_channel(s, f->channel);
    if (!c || c->number != 0)
        _exit(1); /* no memory, or a second request of a channel at a time */
    c->number = f->number;
    c->to_interrupt = 0;
    pthread_mutex_unlock(&s->lock);
    int error = check_channel(s, f, is_known);
    if (!error)
        error = serve_request(c, f->kind, &u, &answer);

    frame_free(f);
    send_reply(c, error, &answer);
    str_free(&answer.text);
}

/* ---- what needs no reply ---- */

/* Again until the request has ended: it may not have come to its cell yet. The lock is held. */
static void interrupt_all(server *s)
{
    for (channel *c = s->channels; c; c = c->next)
        if (c->number != 0 && c->to_interrupt == c->number && c->session) {
            if (c->is_gentle)
                snug_session_interrupt_gently(c->session);
            else
                snug_session_interrupt(c->session);
        }
}

static void take_notice(server *s, frame *f)
{
    unpacker u = { str_text(&f->body), f->body.len, 0 };

    pthread_mutex_lock(&s->lock);
    channel *c = find_channel(s, f->channel);
    if (c && f->kind == FRAME_INTERRUPT && f->number == c->number) {
        c->to_interrupt = f->number;
        c->is_gentle = f->body.len > 0 && unpack_number(&u);
    }
    if (c && f->kind == FRAME_TAKEN) {
        uint64_t bytes = unpack_number(&u);
        c->untaken -= bytes < c->untaken ? bytes : c->untaken;
        pthread_cond_signal(&c->taken);
    }

    if (c && f->kind == FRAME_ANSWER)
        serve_answer(c, &u);
    frame pong = { .kind = FRAME_PONG };
    if (c && f->number == c->number && c->session && s->form == &local_form &&
        stop_is_under_way(c->session)) {
        pong.channel = f->channel;
        pong.number = f->number;
    }

    interrupt_all(s);
    pthread_mutex_unlock(&s->lock);
    if (f->kind == FRAME_PING)
        send_frame(s, &pong);
    frame_free(f);
}

/* ---- reading ---- */

/* The next request of a host that is at work comes sooner than this thread could sleep. */
static void look_for_request(server *s)
{
    struct pollfd input = { .fd = s->in, .events = POLLIN };
    uint64_t end_ns = spin_until_ns(&s->spin, clock_now_ns());
    int has_come = 0;

    if (end_ns == 0)
        return;
    while (!(has_come = poll(&input, 1, 0) != 0) && clock_now_ns() < end_ns)
        ;
    spin_ended(&s->spin, has_come);
}

/* 1: a message; -1: the stream has ended. */
static int read_frame(server *s, frame *out)
{
    int took = 0;

    if (s->stream.header_len == 0)
        look_for_request(s);
    while (took == 0) {
        size_t room;
        char *at = frame_room(&s->stream, &room);
        if (!at)
            return -1;

        ssize_t n = read(s->in, at, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        took = frame_took(out, &s->stream, (size_t)n);
    }

    return took;
}

/* All sessions end with the process; only their work directories are left. */
__attribute__((noreturn)) static void end_process(server *s)
{
    if (s->host)
        workdir_close_host(s->host);
    _exit(0);
}

/* Under the lock, so that the watch sees it. */
static void begin_request(server *s)
{
    pthread_mutex_lock(&s->lock);
    s->busy_since_ns = clock_now_ns();
    if (s->watch_sleeps)
        pthread_cond_signal(&s->is_watched);
    pthread_mutex_unlock(&s->lock);
}

/* 1: the thread still reads. */
static int is_reader(server *s, uint64_t own)
{
    pthread_mutex_lock(&s->lock);
    int still = s->reader == own;
    if (still)
        s->busy_since_ns = 0;
    pthread_mutex_unlock(&s->lock);
    return still;
}

static void read_on(server *s, uint64_t own)
{
    frame f;
    do {
        if (read_frame(s, &f) < 0 || f.kind >= FRAME_REPLY)
            end_process(s);
        if (f.kind >= FRAME_REQUESTS) {
            take_notice(s, &f);
            continue;
        }

        begin_request(s);
        serve_frame(s, &f);
    } while (is_reader(s, own));
}

typedef struct serve_thread {
    thread thread;
    server *server;
    struct serve_thread *next; /* of those that have ended; the watch joins them */
} serve_thread;

/* The number that stay though they have nothing to do. The host counts a worker's threads: what a
 * crowd of cells has needed would be more than a few sessions may have. */
enum { MOST_IDLE = 8 };

/* The lock is held. */
static void serve_until_idle(serve_thread *t)
{
    server *s = t->server;
    const uint64_t own = ++s->threads;

    while (s->idle < MOST_IDLE) {
        s->idle++;
        while (s->reader != 0)
            pthread_cond_wait(&s->may_read, &s->lock);
        s->idle--;
        s->reader = own;
        s->busy_since_ns = 0;
        pthread_mutex_unlock(&s->lock);
        read_on(s, own);
        pthread_mutex_lock(&s->lock);
    }
}

static void *serve_requests(void *arg)
{
    serve_thread *t = arg;
    server *s = t->server;

    pthread_mutex_lock(&s->lock);
    serve_until_idle(t);
    t->next = s->ended;
    s->ended = t;
    pthread_cond_signal(&s->is_watched);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

enum { STACK_BYTES = 1 << 20 };

static int start_thread(server *s)
{
    serve_thread *t = calloc(1, sizeof *t);
    if (!t)
        return -1;

    t->server = s;
    if (thread_start(&t->thread, "snug serve", STACK_BYTES, serve_requests, t) != SNUG_OK) {
        free(t);
        return -1;
    }

    return 0;
}

/* ---- the watch ---- */

#define LOOK_NS (250 * UINT64_C(1000))
/* After that many looks at nothing it sleeps. */
enum { QUIET_LOOKS = 100 };

/* The lock is held. */
static void hand_over(server *s)
{
    uint64_t since = s->busy_since_ns;

    if (s->idle == 0) {
        pthread_mutex_unlock(&s->lock);
        int failed = start_thread(s);
        pthread_mutex_lock(&s->lock);
        if (failed || s->busy_since_ns != since)
            return; /* then the requests come one after the other; or it has ended */
    }

    s->reader = 0;
    s->busy_since_ns = 0;
    pthread_cond_signal(&s->may_read);
}

static int has_interrupts(const server *s)
{
    for (const channel *c = s->channels; c; c = c->next)
        if (c->number != 0 && c->to_interrupt == c->number)
            return 1;
    return 0;
}

/* The lock is held before and after. */
static void join_ended(server *s)
{
    serve_thread *t = s->ended;

    s->ended = NULL;
    pthread_mutex_unlock(&s->lock);
    while (t) {
        serve_thread *next = t->next;
        thread_join(&t->thread);
        free(t);
        t = next;
    }
    pthread_mutex_lock(&s->lock);
}

__attribute__((noreturn)) static void watch_requests(server *s)
{
    int quiet = 0;

    pthread_mutex_lock(&s->lock);
    for (;;) {
        uint64_t since = s->busy_since_ns;
        if (since && clock_now_ns() - since > LOOK_NS)
            hand_over(s);
        interrupt_all(s);
        if (s->ended)
            join_ended(s);
        if (s->busy_since_ns || has_interrupts(s))
            quiet = 0;
        else
            quiet++;
        if (quiet > QUIET_LOOKS && !s->ended) {
            s->watch_sleeps = 1;
            pthread_cond_wait(&s->is_watched, &s->lock);
            s->watch_sleeps = quiet = 0;
        }

        pthread_mutex_unlock(&s->lock);
        const struct timespec look = { 0, LOOK_NS };
        nanosleep(&look, NULL);
        pthread_mutex_lock(&s->lock);
    }
}

static int serve_streams(int in, int out, const host_form *form)
{
    static server s;

    s.form = form;
    s.in = in;
    s.out = out;
    pthread_mutex_init(&s.writing, NULL);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.may_read, NULL);
    pthread_cond_init(&s.is_watched, NULL);

    /* The first request opens the host: the filters hold all threads where this is the only one. */
    frame first;
    if (read_frame(&s, &first) < 0 || first.kind >= FRAME_REQUESTS)
        return 1;

    serve_frame(&s, &first);
    if (start_thread(&s) != 0)
        return 1;
    watch_requests(&s);
}

/* What others write to the old descriptors, such as a message of the C library, must not get into
 * the stream. */
static int take_descriptor(int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return -1;

    int null = file_open_null();
    if (null < 0 || dup2(null, fd) < 0)
        own = -1;
    if (null >= 0)
        close(null);
    return own;
}

int serve_own_stream(int in, int out)
{
    int own = take_descriptor(in);

    if (own < 0 || dup2(in, out) < 0)
        return -1;
    return own;
}

int serve(int in, int out, const host_form *form)
{
    int input = take_descriptor(in);
    int output = input;

    if (in != out)
        output = take_descriptor(out);
    if (input < 0 || output < 0) {
        perror("snug-worker: its standard input and output");
        return 1;
    }

    signal(SIGPIPE, SIG_IGN);
    return serve_streams(input, output, form);
}

int snug_worker_serve(int in, int out)
{
    return serve(in, out, &local_form);
}

/* The greeting: which host a worker has, and for which process. */

typedef struct hello_wish {
    snug_host_options options;
    snug_kind kind;
    seal seal;
    path_root folders[SESSION_MOUNTS + 1];
    const char *group; /* of processes, which the host has made for this one */
} hello_wish;

static void unpack_hello(unpacker *u, hello_wish *w)
{
    w->options = (snug_host_options)SNUG_HOST_OPTIONS_INIT;
    w->options.flags = SNUG_HOST_SIGNALS; /* the process is a worker's own; its filters trap */
    w->options.python_home = unpack_text(u);
    w->options.allowlist_dir = unpack_text(u);
    w->options.pool_sessions = (size_t)unpack_number(u);
    w->options.pool_idle_ms = unpack_number(u);
    w->options.awake_sessions = unpack_number(u);
    w->options.patience_ms = unpack_number(u);
    w->options.zone = unpack_text(u);
    w->options.hash_seed = unpack_number(u);
    w->seal.workdirs = unpack_text(u);
    w->kind = (snug_kind)unpack_small(u, SNUG_KIND_BASH);
    w->seal.packages = unpack_text(u);
    w->seal.root_count = (size_t)unpack_small(u, SESSION_MOUNTS + 1);
    for (size_t i = 0; i < w->seal.root_count; i++) {
        w->folders[i].path = unpack_name(u);
        w->folders[i].access = unpack_small(u, 1) ? PATH_WRITE : PATH_READ;
    }

    w->seal.roots = w->folders;
    w->seal.disk_bytes = unpack_number(u);
    w->seal.disk_files = unpack_number(u);
    w->group = unpack_name(u);
}

/* A command may have brought it to another machine, without this one's environment. */
static int take_zone(const char *zone)
{
    if (!zone)
        return SNUG_OK;
    if (setenv("TZ", zone, 1) != 0)
        return error_no_memory();
    tzset();
    return SNUG_OK;
}

/* The first request, on the only thread. */
int serve_hello(channel *c, unpacker *u, packer *out)
{
    hello_wish wish = { 0 };
    server *s = c->server;
    const char *protocol = unpack_name(u);
    if (strcmp(protocol, FRAME_PROTOCOL) != 0)
        return error_set(SNUG_EINVAL, "the worker speaks %s, and its host %.40s", FRAME_PROTOCOL,
                         protocol);

    unpack_hello(u, &wish);
    if (!unpack_ended(u))
        return serve_refuse();
    if (s->host)
        return error_set(SNUG_EBUSY, "the worker was greeted already");

    cgroup_enter(wish.group); /* the host sees whether it is in it */
    int error = take_zone(wish.options.zone);
    if (!error && wish.kind == SNUG_KIND_FULL)
        error = full_allow();
    if (error)
        return error;

    if (s->form == &local_form)
        error = seal_host_open(&s->host, &wish.options, &wish.seal);
    else
        error = host_open(&s->host, &wish.options, s->form, NULL);

    if (error)
        return error;

    pack_text(out, snug_host_report(s->host));
    return SNUG_OK;
}
