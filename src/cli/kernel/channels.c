#include "cli/kernel/channels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/program/command.h"

enum {
    LINGER_MS = 1000,
    MOST_FRAMES = 64,        /* of a message */
    MOST_BYTES = 64 << 20,   /* of a frame: who sends more is disconnected */
    QUEUED_MESSAGES = 10000, /* for a client that reads slowly: more are lost to it */
};

#define PROTOCOL_VERSION "5.3"

void kernel_log(const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    utf8_format(text, sizeof text, format, args);
    va_end(args);
    command_fail(EXIT_FINE, "kernel: %s", text);
}

/* ---- sockets ---- */

static int fail_zmq(const char *what)
{
    return error_set(SNUG_ESYSTEM, "%s: %s", what, libzmq.strerror(errno));
}

static int set_number(void *socket, int option, int value)
{
    return libzmq.setsockopt(socket, option, &value, sizeof value);
}

static int open_socket(channels *c, kernel_channel channel, const char *address)
{
    static const int types[CHANNELS] = {
        [CHANNEL_SHELL] = ZMQ_ROUTER,     [CHANNEL_CONTROL] = ZMQ_ROUTER,
        [CHANNEL_STDIN] = ZMQ_ROUTER,     [CHANNEL_IOPUB] = ZMQ_PUB,
        [CHANNEL_HEARTBEAT] = ZMQ_ROUTER,
    };
    const int64_t most = MOST_BYTES;

    void *socket = libzmq.socket(c->context, types[channel]);
    if (!socket)
        return fail_zmq("zmq_socket");
    c->sockets[channel] = socket;

    int failed = set_number(socket, ZMQ_LINGER, LINGER_MS) ||
                 set_number(socket, ZMQ_SNDHWM, QUEUED_MESSAGES) ||
                 libzmq.setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most);
    /* A client that comes again under its name takes its own place. */
    if (channel != CHANNEL_IOPUB)
        failed = failed || set_number(socket, ZMQ_ROUTER_HANDOVER, 1);
    if (failed)
        return fail_zmq("zmq_setsockopt");
    return libzmq.bind(socket, address) ? fail_zmq(address) : SNUG_OK;
}

static int name_session(channels *c)
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return error_system("getrandom");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(c->session + 2 * i, 3, "%02x", bytes[i]);
    return SNUG_OK;
}

int channels_open(channels *c, const connection *where)
{
    *c = (channels){ 0 };
    int error = name_session(c);
    if (!error && !(c->context = libzmq.ctx_new()))
        error = fail_zmq("zmq_ctx_new");
    for (int i = 0; i < CHANNELS && !error; i++)
        error = open_socket(c, (kernel_channel)i, str_text(&where->addresses[i]));
    return error;
}

void channels_close(channels *c)
{
    for (int i = 0; i < CHANNELS; i++)
        if (c->sockets[i])
            libzmq.close(c->sockets[i]);
    if (c->context)
        libzmq.ctx_term(c->context);
    *c = (channels){ 0 };
}

int channels_fd(const channels *c, kernel_channel channel)
{
    int fd = -1;
    size_t len = sizeof fd;

    return libzmq.getsockopt(c->sockets[channel], ZMQ_FD, &fd, &len) ? -1 : fd;
}

/* ---- in ---- */

void packet_free(packet *p)
{
    for (size_t i = 0; i < p->frame_count; i++)
        libzmq.msg_close(&p->frames[i]);
    kernel_message_free(&p->message);
    free(p->frames);
    free(p->parts);
    p->frames = NULL;
    p->parts = NULL;
    p->frame_count = 0;
}

/* The frames behind the most that a message may have. */
static void drop_rest(void *socket)
{
    zmq_msg_t frame;
    int is_more = 1;

    while (is_more) {
        libzmq.msg_init(&frame);
        is_more = libzmq.msg_recv(&frame, socket, 0) >= 0 && libzmq.msg_more(&frame);
        libzmq.msg_close(&frame);
    }
}

/* Room for the most: a frame of zmq's stays where it is. */
static int make_room(packet *p)
{
    p->frame_count = 0;
    p->frames = calloc(MOST_FRAMES, sizeof *p->frames);
    p->parts = calloc(MOST_FRAMES, sizeof *p->parts);
    return p->frames && p->parts ? SNUG_OK : error_no_memory();
}

/* 1; 0: there is no message; SNUG_EINVAL: it has too many frames. */
static int receive_frames(packet *p, void *socket)
{
    int is_more = 1;

    while (is_more) {
        if (p->frame_count == MOST_FRAMES) {
            drop_rest(socket);
            return error_set(SNUG_EINVAL, "it has more than %d frames", MOST_FRAMES);
        }

        zmq_msg_t *frame = &p->frames[p->frame_count];
        libzmq.msg_init(frame);
        if (libzmq.msg_recv(frame, socket, ZMQ_DONTWAIT) < 0) {
            libzmq.msg_close(frame);
            return 0;
        }

        p->parts[p->frame_count] = (kernel_part){ libzmq.msg_data(frame), libzmq.msg_size(frame) };
        is_more = libzmq.msg_more(frame);
        p->frame_count++;
    }

    return 1;
}

int packet_receive(packet *out, channels *c, kernel_channel from, signer *s)
{
    for (;;) {
        *out = (packet){ 0 };
        int received = make_room(out);
        if (!received)
            received = receive_frames(out, c->sockets[from]);
        if (received == 1 && !kernel_message_read(&out->message, s, out->parts, out->frame_count))
            return 1;

        packet_free(out);
        if (received == 0)
            return 0;
        if (received == SNUG_ENOMEM) {
            kernel_log("out of memory for a message on %s", channel_name(from));
            return 0;
        }
        kernel_log("a message on %s is left aside: %s", channel_name(from), error_message());
    }
}

/* ---- out ---- */

/* Made once a second. */
static const char *date_of(time_t second)
{
    static _Thread_local struct {
        time_t second;
        char text[24];
    } last;
    struct tm parts;

    if (*last.text && last.second == second)
        return last.text;
    gmtime_r(&second, &parts);
    strftime(last.text, sizeof last.text, "%Y-%m-%dT%H:%M:%S", &parts);
    last.second = second;
    return last.text;
}

static int write_header(const channels *c, uint64_t number, char *out, size_t size,
                        const char *type)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return snprintf(out, size,
                    "{\"msg_id\":\"%s_%" PRIu64 "\",\"session\":\"%s\",\"username\":\"kernel\","
                    "\"date\":\"%s.%06ldZ\",\"msg_type\":\"%s\",\"version\":\"" PROTOCOL_VERSION
                    "\"}",
                    c->session, number, c->session, date_of(now.tv_sec), now.tv_nsec / 1000, type);
}

static int send_frame(void *socket, const char *data, size_t len, int is_more)
{
    return libzmq.send(socket, data, len, ZMQ_DONTWAIT | (is_more ? ZMQ_SNDMORE : 0)) < 0;
}

/* What stands in front was sent. */
static int send_signed(const channels *c, uint64_t number, void *socket, signer *s,
                       const outgoing *o)
{
    char header[512], signature[SIGNATURE_BYTES];
    const char *metadata = o->metadata ? o->metadata : "{}";
    const kernel_part parts[SIGNED_PARTS] = {
        { header, (size_t)write_header(c, number, header, sizeof header, o->type) },
        o->parent ? (kernel_part){ o->parent->header.text, o->parent->header.len }
                  : (kernel_part){ "{}", 2 },
        { metadata, strlen(metadata) },
        { o->content, o->content_len },
    };
    size_t signature_len = signer_sign(s, signature, parts);

    int failed = send_frame(socket, MESSAGE_MARK, sizeof MESSAGE_MARK - 1, 1) ||
                 send_frame(socket, signature, signature_len, 1);
    for (int i = 0; i < SIGNED_PARTS && !failed; i++)
        failed = send_frame(socket, parts[i].data, parts[i].len, i + 1 < SIGNED_PARTS);
    return failed;
}

uint64_t channels_reply(channels *c, kernel_channel to, signer *s, const outgoing *o)
{
    void *socket = c->sockets[to];
    const uint64_t number = ++c->sent_count;
    int failed = 0;

    for (size_t i = 0; i < o->parent->identity_count && !failed; i++)
        failed = send_frame(socket, o->parent->identities[i].data, o->parent->identities[i].len, 1);
    if (failed || send_signed(c, number, socket, s, o))
        kernel_log("a message %s cannot be sent: %s", o->type, libzmq.strerror(errno));
    return number;
}

int channels_is_number(const channels *c, const char *id, uint64_t number)
{
    char own[64];
    snprintf(own, sizeof own, "%s_%" PRIu64, c->session, number);
    return strcmp(id, own) == 0;
}

void channels_publish(channels *c, signer *s, const outgoing *o)
{
    void *socket = c->sockets[CHANNEL_IOPUB];
    const char *topic = o->topic ? o->topic : o->type;

    if (send_frame(socket, topic, strlen(topic), 1) ||
        send_signed(c, ++c->sent_count, socket, s, o))
        kernel_log("a message %s cannot be sent: %s", o->type, libzmq.strerror(errno));
}
