#include "worker/client/link.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include <snug/snug.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/spin.h"
#include "base/u64.h"
#include "worker/client/launch.h"
#include "worker/client/silence.h"
#include "worker/protocol/frame.h"

/* ---- link stream ---- */

/* The stream of a link: whole messages in and out, each in its time.
 *
 * It knows no sessions. One thread reads at a time, and others may write meanwhile; the link says
 * who, and whether the stream may still be used. */

/* After so long without a word whoever reads comes back, and asks whether the worker is there. */
#define LINK_STREAM_QUIET_NS NS_PER_S

/* Whether a message that begins may have a body of that many bytes, more than FRAME_SMALL_BYTES:
 * asked on the thread that reads, before any of it is taken in. */
typedef int link_stream_check(void *payload, const frame *begun, uint64_t body_bytes);

typedef struct link_stream {
    int fd;                  /* the worker_process's, which closes it */
    int nudges;              /* eventfd that wakes the thread which reads */
    uint64_t silent_ns;      /* how long the worker may take nothing of what is written */
    pthread_mutex_t writing; /* held by whoever writes, or closes fd */
    frame_reader reader;     /* of the thread that reads, as spin */
    spin spin;
    _Atomic uint64_t heard_ns; /* when something came last, or a thread began to listen */
    link_stream_check *is_expected;
    void *payload;
} link_stream;

/* s is zero but for is_expected and its payload. SNUG_OK, or SNUG_ESYSTEM with a message: then
 * there is nothing to free. */
static int link_stream_init(link_stream *s, int fd, uint64_t silent_ms)
{
    s->nudges = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->nudges < 0)
        return error_system("eventfd");

    s->fd = fd;
    s->silent_ns = silent_ms < UINT64_MAX / NS_PER_MS ? silent_ms * NS_PER_MS : UINT64_MAX;
    pthread_mutex_init(&s->writing, NULL);
    return SNUG_OK;
}

static void link_stream_free(link_stream *s)
{
    close(s->nudges);
    frame_reader_free(&s->reader);
    pthread_mutex_destroy(&s->writing);
}

/* ---- reading ---- */

/* A worker on the other processor answers a small cell sooner than this thread could sleep. */
static int is_readable(link_stream *s, uint64_t deadline_ns, int spins)
{
    struct pollfd streams[2] = { { .fd = s->fd, .events = POLLIN },
                                 { .fd = s->nudges, .events = POLLIN } };
    uint64_t now = clock_now_ns(), spin_end_ns = spins ? spin_until_ns(&s->spin, now) : 0;
    int has_come = 0, has_spun = spin_end_ns != 0;

    for (; !has_come && now < spin_end_ns; now = clock_now_ns())
        has_come = poll(streams, 2, 0) > 0;
    if (has_spun)
        spin_ended(&s->spin, has_come);
    if (has_come)
        return streams[0].revents != 0;

    uint64_t until = u64_least(now + LINK_STREAM_QUIET_NS, deadline_ns);
    int ms = until > now ? (int)((until - now) / NS_PER_MS) + 1 : 0;
    return poll(streams, 2, ms) > 0 && streams[0].revents;
}

/* Whether the message that begins may be as large as it says. */
static int is_welcome(const link_stream *s)
{
    const frame_reader *r = &s->reader;

    if (r->header_len < FRAME_HEADER || r->next.body.len > 0 || r->body_bytes <= FRAME_SMALL_BYTES)
        return 1;
    return s->is_expected(s->payload, &r->next, r->body_bytes);
}

/* As frame_took, -1 also where the stream has ended. */
static int read_piece(frame *out, link_stream *s, link_end *how)
{
    size_t room;
    char *at = frame_room(&s->reader, &room);

    *how = LINK_ENDED;
    if (!at)
        return -1;

    ssize_t n = recv(s->fd, at, room, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0)
        return -1;

    *how = LINK_LIED;
    atomic_store(&s->heard_ns, clock_now_ns());
    int took = frame_took(out, &s->reader, (size_t)n);
    if (took == 0 && !is_welcome(s))
        return -1;
    return took;
}

/* Whether part of a message has been read. */
static int link_stream_has_begun(const link_stream *s)
{
    return s->reader.header_len > 0;
}

/* What is there when nothing is waited for: a header, and what came with it. */
enum { PIECES_AT_ONCE = 8 };

static int read_pieces(frame *out, link_stream *s, uint64_t deadline_ns, link_end *how)
{
    int took, pieces = 0;

    do {
        if (!is_readable(s, deadline_ns, pieces == 0))
            return 0;
        took = read_piece(out, s, how);
        pieces++;
    } while (took == 0 && link_stream_has_begun(s) &&
             (pieces < PIECES_AT_ONCE || clock_now_ns() < deadline_ns));

    return took;
}

static void forget_nudges(const link_stream *s)
{
    uint64_t count;
    ssize_t had = read(s->nudges, &count, sizeof count);
    (void)had;
}

/* Reads until a message is whole: 1, and the caller frees it. 0: none was by the deadline, before
 * a nudge, or until nothing had come for LINK_STREAM_QUIET_NS. -1: none will be, and *how says
 * why. */
static int link_stream_read(frame *out, link_stream *s, uint64_t deadline_ns, link_end *how)
{
    int took = read_pieces(out, s, deadline_ns, how);
    forget_nudges(s);
    return took;
}

/* Wakes the thread that reads. Any thread. */
static void link_stream_nudge(const link_stream *s)
{
    uint64_t one = 1;

    /* A counter that is full wakes as well. */
    ssize_t written = write(s->nudges, &one, sizeof one);
    (void)written;
}

/* ---- writing ---- */

/* Locks writing: another thread may be writing much at the moment. 0, or an errno: it was not done
 * by the deadline. */
static int link_stream_lock(link_stream *s, uint64_t deadline_ns)
{
    const struct timespec until = { (time_t)(deadline_ns / NS_PER_S),
                                    (long)(deadline_ns % NS_PER_S) };
    if (deadline_ns == UINT64_MAX)
        return pthread_mutex_lock(&s->writing);
    return pthread_mutex_clocklock(&s->writing, CLOCK_MONOTONIC, &until);
}

/* 0, or -1: the stream has ended, or takes nothing. */
static int wait_for_room(const link_stream *s, uint64_t deadline_ns)
{
    enum { MOST_MS = 1000 };
    uint64_t now = clock_now_ns();
    struct pollfd stream = { .fd = s->fd, .events = POLLOUT };
    if (now >= deadline_ns)
        return -1;

    uint64_t ms = (deadline_ns - now) / NS_PER_MS + 1;
    if (ms > MOST_MS)
        ms = MOST_MS;
    if (poll(&stream, 1, (int)ms) < 0 && errno != EINTR)
        return -1;
    return 0;
}

static uint64_t silent_at_ns(const link_stream *s)
{
    return u64_sum(clock_now_ns(), s->silent_ns);
}

static link_end write_pieces(const link_stream *s, struct iovec *pieces, size_t count,
                             uint64_t most_ns)
{
    uint64_t deadline_ns = u64_least(most_ns, silent_at_ns(s));

    while (count > 0) {
        struct msghdr message = { .msg_iov = pieces, .msg_iovlen = count };
        ssize_t n = sendmsg(s->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            return LINK_LIVES; /* whoever reads sees the end, and what was said before it */
        if (n < 0) {
            if (wait_for_room(s, deadline_ns) < 0)
                return deadline_ns == most_ns ? LINK_LATE : LINK_SILENT;
            continue;
        }

        deadline_ns = u64_least(most_ns, silent_at_ns(s));
        frame_wrote(&pieces, &count, (size_t)n);
        if (count > 0 && clock_now_ns() >= most_ns)
            return LINK_LATE; /* it takes a little, again and again */
    }

    return LINK_LIVES;
}

/* Writing is locked. LINK_LIVES, also where the stream has ended, which whoever reads sees;
 * LINK_LATE or LINK_SILENT. */
static link_end link_stream_write(const link_stream *s, const frame *f, uint64_t deadline_ns)
{
    char header[FRAME_HEADER];
    struct iovec pieces[2] = { { header, sizeof header }, { f->body.data, f->body.len } };

    frame_header(header, f);
    return write_pieces(s, pieces, f->body.len > 0 ? 2 : 1, deadline_ns);
}

/* Writing is locked. A frame without a body, and without a wait: how many bytes of FRAME_HEADER
 * were written, or -1. */
static ssize_t link_stream_write_header(const link_stream *s, const frame *f)
{
    char header[FRAME_HEADER];

    frame_header(header, f);
    return send(s->fd, header, sizeof header, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* What waits in a channel besides a reply: calls of tools. The worker holds its output back long
 * before. */
#define MOST_WAITING_BYTES (UINT64_C(128) << 20)

struct worker_link {
    _Atomic int holders;
    worker_process process;
    link_stream stream;   /* used without the lock */
    pthread_mutex_t lock; /* of everything below */
    link_line *lines;
    int is_spoilt;  /* code was given up in it */
    int is_reading; /* a thread is at it, without the lock */
    int has_spoken; /* a worker that starts takes its time */
    silence silence;
    _Atomic int end; /* link_end; writers read it without the lock */
    str story;       /* how it ended */
    str words;       /* its last */
    int is_gone;
};

/* ---- what may come ---- */

/* The line that waits for such a message. The lock is held. */
static link_line *find_line(const worker_link *l, const frame *f)
{
    link_line *line = l->lines;
    while (line && line->channel != f->channel)
        line = line->next;

    if (!line || !line->is_asking || line->number != f->number)
        return NULL;
    return line;
}

static uint64_t most_bytes_of(const link_line *line, frame_kind kind)
{
    uint64_t most = 0;

    if (line)
        most = kind == FRAME_CALL ? SNUG_TOOL_BYTES : line->most_bytes;
    return u64_sum(most, FRAME_SMALL_BYTES);
}

/* The stream asks this while it reads: the lock is not held. */
static int is_expected(void *payload, const frame *begun, uint64_t body_bytes)
{
    worker_link *l = payload;

    pthread_mutex_lock(&l->lock);
    uint64_t most_bytes = most_bytes_of(find_line(l, begun), begun->kind);
    pthread_mutex_unlock(&l->lock);
    return body_bytes <= most_bytes;
}

/* ---- open and drop ---- */

int link_open(worker_link **out, worker_process *process, uint64_t silent_ms)
{
    worker_link *l = calloc(1, sizeof *l);
    if (!l) {
        launch_end(process, NULL, NULL);
        return error_no_memory();
    }

    l->stream.is_expected = is_expected;
    l->stream.payload = l;
    int error = link_stream_init(&l->stream, process->fd, silent_ms);
    if (error) {
        free(l);
        launch_end(process, NULL, NULL);
        return error;
    }

    atomic_store(&l->holders, 1);
    l->process = *process;
    l->silence = (silence){ .look_ns = LINK_STREAM_QUIET_NS, .most_ns = l->stream.silent_ns };
    l->has_spoken = process->zygote != NULL; /* one that was forked has nothing to start */
    pthread_mutex_init(&l->lock, NULL);
    *out = l;
    return SNUG_OK;
}

worker_link *link_hold(worker_link *l)
{
    atomic_fetch_add(&l->holders, 1);
    return l;
}

void link_drop(worker_link *l)
{
    if (!l || atomic_fetch_sub(&l->holders, 1) > 1)
        return;
    if (!l->is_gone)
        launch_end(&l->process, NULL, NULL);
    link_stream_free(&l->stream);
    str_free(&l->story);
    str_free(&l->words);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* ---- the end; the lock is held ---- */

/* Not while a thread reads: it uses the descriptor, and does this itself afterwards. */
static void bury_link(worker_link *l)
{
    if (l->end == LINK_LIVES || l->is_reading || l->is_gone)
        return;
    l->is_gone = 1;
    pthread_mutex_lock(&l->stream.writing);
    launch_end(&l->process, l->end == LINK_ENDED ? &l->story : NULL, &l->words);
    pthread_mutex_unlock(&l->stream.writing);
}

static void tell_line(link_line *line)
{
    pthread_cond_signal(&line->has_come);
    if (line->ring)
        line->ring(line->payload);
}

static void break_link(worker_link *l, link_end how)
{
    if (l->end != LINK_LIVES)
        return;
    l->end = how;
    shutdown(l->process.fd, SHUT_RDWR); /* which wakes whoever reads or writes */
    for (link_line *line = l->lines; line; line = line->next)
        tell_line(line);
}

/* A worker in which code was given up ends once all its sessions are lost, and the code with it. */
static void end_forsaken(worker_link *l)
{
    const link_line *line = l->lines;

    while (line && line->is_lost)
        line = line->next;
    if (!l->is_spoilt || line || l->end != LINK_LIVES)
        return;

    break_link(l, LINK_FORSAKEN);
    launch_kill(&l->process);
    bury_link(l);
}

void link_kill(worker_link *l, link_end how)
{
    pthread_mutex_lock(&l->lock);
    break_link(l, how);
    bury_link(l);
    pthread_mutex_unlock(&l->lock);
}

void link_end_now(worker_link *l, link_end how)
{
    pthread_mutex_lock(&l->lock);
    if (l->end == LINK_LIVES) {
        break_link(l, how);
        if (l->process.zygote)
            launch_kill(&l->process);
        else
            kill(l->process.pid, SIGKILL);
        bury_link(l);
    }
    pthread_mutex_unlock(&l->lock);
}

/* ---- lines ---- */

int link_add(worker_link *l, link_line *line)
{
    pthread_condattr_t monotonic;

    pthread_mutex_lock(&l->lock);
    int is_too_late = l->end == LINK_FORSAKEN;
    if (!is_too_late) {
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&line->has_come, &monotonic);
        pthread_condattr_destroy(&monotonic);
        line->next = l->lines;
        l->lines = line;
    }

    pthread_mutex_unlock(&l->lock);
    if (is_too_late)
        return SNUG_EDEAD;
    return SNUG_OK;
}

static int take_first(link_line *line, frame *out)
{
    link_frame *first = line->first;
    if (!first)
        return 0;

    *out = first->frame;
    line->bytes -= first->frame.body.len + sizeof *first;
    line->first = first->next;
    if (!line->first)
        line->last = NULL;
    free(first);
    return 1;
}

void link_remove(worker_link *l, link_line *line)
{
    frame left;

    pthread_mutex_lock(&l->lock);
    link_line **at = &l->lines;
    while (*at != line)
        at = &(*at)->next;
    *at = line->next;
    end_forsaken(l);
    pthread_mutex_unlock(&l->lock);
    while (take_first(line, &left))
        frame_free(&left);
    pthread_cond_destroy(&line->has_come);
}

void link_lose(worker_link *l, link_line *line)
{
    pthread_mutex_lock(&l->lock);
    line->is_lost = 1;
    l->is_spoilt = 1;
    end_forsaken(l);
    pthread_mutex_unlock(&l->lock);
}

int link_regain(worker_link *l, link_line *line)
{
    pthread_mutex_lock(&l->lock);
    int is_there = l->end == LINK_LIVES;
    line->is_lost = !is_there;
    pthread_mutex_unlock(&l->lock);
    if (!is_there)
        return SNUG_EDEAD;
    return SNUG_OK;
}

void link_spoil(worker_link *l)
{
    pthread_mutex_lock(&l->lock);
    l->is_spoilt = 1;
    end_forsaken(l);
    pthread_mutex_unlock(&l->lock);
}

link_end link_state(worker_link *l)
{
    return (link_end)atomic_load(&l->end);
}

int link_is_quiet(const worker_link *l)
{
    struct pollfd stream = { .fd = l->process.fd, .events = POLLIN };
    return l->end == LINK_LIVES && poll(&stream, 1, 0) == 0;
}

pid_t link_process(worker_link *l)
{
    pthread_mutex_lock(&l->lock);
    pid_t pid = l->end == LINK_LIVES ? l->process.pid : 0;
    pthread_mutex_unlock(&l->lock);
    return pid;
}

/* ---- bounds ---- */

const char *link_bounds_place(const worker_link *l)
{
    return bounds_place(l->process.bounds);
}

void link_begin_bounds(worker_link *l)
{
    pthread_mutex_lock(&l->lock);
    bounds_begin(l->process.bounds, l->process.pid, l->process.pidfd);
    pthread_mutex_unlock(&l->lock);
}

void link_allow(worker_link *l, const bounds_share *share)
{
    pthread_mutex_lock(&l->lock);
    bounds_add(l->process.bounds, share);
    pthread_mutex_unlock(&l->lock);
}

void link_disallow(worker_link *l, const bounds_share *share)
{
    pthread_mutex_lock(&l->lock);
    bounds_remove(l->process.bounds, share);
    pthread_mutex_unlock(&l->lock);
}

int link_tell_bounds(worker_link *l, str *out)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&l->lock);
    if (!l->is_gone)
        error = bounds_tell(l->process.bounds, out);
    pthread_mutex_unlock(&l->lock);
    return error;
}

int link_ran_out(worker_link *l)
{
    pthread_mutex_lock(&l->lock);
    int ran_out = l->process.ran_out;
    pthread_mutex_unlock(&l->lock);
    return ran_out;
}

/* ---- its end, told ---- */

void link_last_words(worker_link *l, str *out)
{
    pthread_mutex_lock(&l->lock);
    str_add(out, str_text(&l->words));
    pthread_mutex_unlock(&l->lock);
}

void link_explain(worker_link *l, str *out)
{
    pthread_mutex_lock(&l->lock);
    switch (link_state(l)) {
    case LINK_ENDED:
        str_printf(out, "its worker %s", l->story.len > 0 ? l->story.data : "has ended");
        if (l->process.ran_out)
            str_add(out, ": it had more memory, or more threads, than its sessions may have");
        break;
    case LINK_LATE:
        str_add(out, "its worker did not answer in time and was killed");
        break;
    case LINK_SILENT:
        str_printf(out, "its worker was not heard of for %llu ms and was killed",
                   (unsigned long long)(l->stream.silent_ns / NS_PER_MS));
        break;
    case LINK_LIED:
        str_add(out, "its worker sent something that is not an answer and was killed");
        break;
    case LINK_FORSAKEN:
        str_add(out, "its worker was ended with what went on there");
        break;
    case LINK_FULL:
        str_add(out, "its worker had more files in the work directory, or larger ones, than the "
                     "session may have, and was ended");
        break;
    case LINK_LIVES:
        break;
    }
    pthread_mutex_unlock(&l->lock);
}

/* ---- sending ---- */

int link_send(worker_link *l, frame_kind kind, uint32_t channel, uint32_t number, const str *body,
              uint64_t deadline_ns)
{
    static const str empty;
    const frame f = { kind, channel, number, body ? *body : empty };
    link_end how = LINK_LATE;

    if (link_stream_lock(&l->stream, deadline_ns) == 0) {
        how = link_state(l);
        if (how == LINK_LIVES)
            how = link_stream_write(&l->stream, &f, deadline_ns);
        pthread_mutex_unlock(&l->stream.writing);
    }

    if (how == LINK_LIVES)
        return SNUG_OK;
    link_kill(l, how);
    return SNUG_EDEAD;
}

int link_send_at_once(worker_link *l, frame_kind kind, uint32_t channel, uint32_t number)
{
    const frame f = { .kind = kind, .channel = channel, .number = number };
    ssize_t n = -1;

    if (pthread_mutex_trylock(&l->stream.writing) != 0)
        return 0;
    if (link_state(l) == LINK_LIVES)
        n = link_stream_write_header(&l->stream, &f);
    pthread_mutex_unlock(&l->stream.writing);

    if (n > 0 && n < FRAME_HEADER)
        link_kill(l, LINK_LATE);
    return n == FRAME_HEADER;
}

int link_ask(worker_link *l, link_line *line, frame_kind kind, const str *body, uint64_t most_bytes,
             uint64_t deadline_ns)
{
    pthread_mutex_lock(&l->lock);
    uint32_t number = ++line->number;
    line->is_asking = 1;
    line->most_bytes = most_bytes;
    pthread_mutex_unlock(&l->lock);
    return link_send(l, kind, line->channel, number, body, deadline_ns);
}

/* ---- reading ---- */

/* Whatever was not asked for is a breach of the protocol. The lock is held. */
static void deliver_frame(worker_link *l, frame *f, const link_line *own)
{
    link_line *line = NULL;
    link_frame *item = NULL;

    if (f->kind >= FRAME_REPLY)
        line = find_line(l, f);
    if (f->kind == FRAME_PONG && f->body.len == 0 && !line) { /* or its request has ended */
        frame_free(f);
        return;
    }

    if (line)
        item = calloc(1, sizeof *item);
    if (!item) {
        frame_free(f);
        break_link(l, LINK_LIED);
        return;
    }

    item->frame = *f;
    if (line->last)
        line->last->next = item;
    else
        line->first = item;

    line->last = item;
    line->bytes += f->body.len + sizeof *item;
    line->is_asking = f->kind != FRAME_REPLY;
    if (line->bytes > MOST_WAITING_BYTES && line->bytes - MOST_WAITING_BYTES > line->most_bytes)
        break_link(l, LINK_LIED);
    if (line != own)
        tell_line(line);
}

/* The lock is held, but released while it reads. 1: a message has come. */
static int read_one(worker_link *l, const link_line *own, uint64_t deadline_ns)
{
    frame f;
    link_end how = LINK_ENDED;

    l->is_reading = 1;
    pthread_mutex_unlock(&l->lock);
    int took = link_stream_read(&f, &l->stream, deadline_ns, &how);
    pthread_mutex_lock(&l->lock);
    l->is_reading = 0;
    l->has_spoken |= took > 0;
    if (took > 0)
        deliver_frame(l, &f, own);
    if (took < 0)
        break_link(l, how);
    return took > 0;
}

/* Whether it is, by what the kernel says of it, and nothing has come since the look: this thread
 * may have had no processor. */
static int is_gone(const worker_link *l, silence_state state)
{
    switch (state) {
    case SILENCE_SHORT:
    case SILENCE_ASK:
        return 0;
    case SILENCE_STARVED:
        return signs_is_running(l->process.pid) < 1 && link_is_quiet(l);
    case SILENCE_GONE:
        return link_is_quiet(l);
    }
    return 0;
}

/* Nothing has come for a while: is the worker there at all? Only a thread that has just read asks:
 * a process that stood still itself has not listened. The lock is held. */
static void ask_for_life(worker_link *l, uint64_t deadline_ns)
{
    uint64_t now = clock_now_ns(), heard_ns = atomic_load(&l->stream.heard_ns);
    if (l->end != LINK_LIVES || !l->has_spoken || now < heard_ns + LINK_STREAM_QUIET_NS)
        return;

    silence_state state = silence_look(&l->silence, now, heard_ns, signs_cpu_ns(l->process.pid));
    if (is_gone(l, state))
        break_link(l, LINK_SILENT);
    if (state != SILENCE_ASK)
        return;

    pthread_mutex_unlock(&l->lock);
    link_send(l, FRAME_PING, 0, 0, NULL, deadline_ns);
    pthread_mutex_lock(&l->lock);
}

static void sleep_until(worker_link *l, link_line *line, uint64_t deadline_ns)
{
    uint64_t now = clock_now_ns(), most = now + NS_PER_S;
    uint64_t until = u64_least(deadline_ns, most);
    struct timespec t = { (time_t)(until / NS_PER_S), (long)(until % NS_PER_S) };
    line->is_waiting = 1;
    pthread_cond_timedwait(&line->has_come, &l->lock, &t);
    line->is_waiting = 0;
}

/* Another thread that waits takes over the reading. */
static void wake_reader(worker_link *l, const link_line *own)
{
    for (link_line *line = l->lines; line && !l->is_reading; line = line->next)
        if (line != own && line->is_waiting) {
            pthread_cond_signal(&line->has_come);
            return;
        }
}

void link_nudge(worker_link *l, link_line *line)
{
    pthread_mutex_lock(&l->lock);
    line->is_nudged = 1;
    tell_line(line);
    if (l->is_reading)
        link_stream_nudge(&l->stream);
    pthread_mutex_unlock(&l->lock);
}

/* Past the deadline, what has come is read nevertheless: this process may have stood still itself.
 * How many times, and how far apart where another thread reads. */
enum { LATE_LOOKS = 100 };
#define LATE_NS (2 * NS_PER_MS)

/* The lock is held in these two. */
static void look_late(worker_link *l, link_line *line, uint64_t now, int *looks)
{
    if (++*looks > LATE_LOOKS)
        break_link(l, LINK_LATE);
    else if (l->is_reading)
        sleep_until(l, line, now + LATE_NS);
    else if (!read_one(l, line, now) && !link_stream_has_begun(&l->stream))
        break_link(l, LINK_LATE);
}

/* The time to wake the caller says nothing about what is sent to the worker meanwhile. */
static void wait_once(worker_link *l, link_line *line, uint64_t deadline_ns, uint64_t wake_ns)
{
    uint64_t until = u64_least(deadline_ns, wake_ns);

    if (l->is_reading) {
        sleep_until(l, line, until);
    } else {
        read_one(l, line, until);
        ask_for_life(l, deadline_ns);
    }
}

int link_wait(worker_link *l, link_line *line, frame *out, uint64_t deadline_ns, uint64_t wake_ns)
{
    int took, looks = 0;

    pthread_mutex_lock(&l->lock);

    /* What nobody listened for was not silence. */
    if (!l->is_reading)
        atomic_store(&l->stream.heard_ns, clock_now_ns());
    while (!(took = take_first(line, out)) && l->end == LINK_LIVES && !line->is_nudged) {
        uint64_t now = clock_now_ns();
        if (now >= deadline_ns)
            look_late(l, line, now, &looks);
        else if (now >= wake_ns)
            line->is_nudged = 1;
        else
            wait_once(l, line, deadline_ns, wake_ns);
    }

    int is_nudged = line->is_nudged;
    line->is_nudged = 0;
    bury_link(l);
    wake_reader(l, line);
    pthread_mutex_unlock(&l->lock);
    if (took)
        return SNUG_OK;
    return is_nudged ? 1 : SNUG_EDEAD;
}

/* ---- for who does not wait ---- */

void link_set_ring(worker_link *l, link_line *line, void (*ring)(void *payload), void *payload)
{
    pthread_mutex_lock(&l->lock);
    /* What nobody listened for was not silence. */
    if (ring && !l->is_reading)
        atomic_store(&l->stream.heard_ns, clock_now_ns());
    line->ring = ring;
    line->payload = payload;
    pthread_mutex_unlock(&l->lock);
}

int link_attend(worker_link *l)
{
    pthread_mutex_lock(&l->lock);
    int may_read = !l->is_reading;
    while (may_read && l->end == LINK_LIVES && read_one(l, NULL, clock_now_ns()))
        ;
    if (may_read)
        ask_for_life(l, clock_now_ns() + NS_PER_S);
    bury_link(l);
    wake_reader(l, NULL);
    pthread_mutex_unlock(&l->lock);
    return may_read;
}

int link_has_read(worker_link *l, const link_line *line)
{
    pthread_mutex_lock(&l->lock);
    const int has_read = line->first != NULL;
    pthread_mutex_unlock(&l->lock);
    return has_read;
}

int link_descriptor(const worker_link *l)
{
    return l->process.fd;
}
