#include "worker/client/link_stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/u64.h"

int link_stream_init(link_stream *s, int fd, uint64_t silent_ms)
{
    s->nudges = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->nudges < 0)
        return error_system("eventfd");

    s->fd = fd;
    s->silent_ns = silent_ms < UINT64_MAX / NS_PER_MS ? silent_ms * NS_PER_MS : UINT64_MAX;
    pthread_mutex_init(&s->writing, NULL);
    return SNUG_OK;
}

void link_stream_free(link_stream *s)
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

int link_stream_has_begun(const link_stream *s)
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

int link_stream_read(frame *out, link_stream *s, uint64_t deadline_ns, link_end *how)
{
    int took = read_pieces(out, s, deadline_ns, how);
    forget_nudges(s);
    return took;
}

void link_stream_nudge(const link_stream *s)
{
    uint64_t one = 1;

    /* A counter that is full wakes as well. */
    ssize_t written = write(s->nudges, &one, sizeof one);
    (void)written;
}

/* ---- writing ---- */

int link_stream_lock(link_stream *s, uint64_t deadline_ns)
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

link_end link_stream_write(const link_stream *s, const frame *f, uint64_t deadline_ns)
{
    char header[FRAME_HEADER];
    struct iovec pieces[2] = { { header, sizeof header }, { f->body.data, f->body.len } };

    frame_header(header, f);
    return write_pieces(s, pieces, f->body.len > 0 ? 2 : 1, deadline_ns);
}

ssize_t link_stream_write_header(const link_stream *s, const frame *f)
{
    char header[FRAME_HEADER];

    frame_header(header, f);
    return send(s->fd, header, sizeof header, MSG_DONTWAIT | MSG_NOSIGNAL);
}
