/*
 * echo_kernel.c - a kernel of Jupyter's that answers each request at once and runs nothing: what is
 * left of a turn is its client's time, and that of the sockets.
 *
 *     echo_kernel CONNECTION_FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/hmac.h>
#include <zmq.h>

enum { PARTS = 4, MOST_FRAMES = 16, FRAME_BYTES = 65536 };

static char key[256];
static unsigned sent;

__attribute__((noreturn)) static void fail(const char *what)
{
    fprintf(stderr, "echo_kernel: %s\n", what);
    exit(1);
}

/* ---- the connection file, as jupyter_client and kernel_turns write it ---- */

static const char *find_value(const char *text, const char *name)
{
    char quoted[64];

    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    const char *at = strstr(text, quoted);
    if (!at)
        fail(name);
    at += strlen(quoted);
    return at + strspn(at, ": \"");
}

static void *bind_port(void *context, int type, const char *file, const char *name)
{
    char address[64];
    int linger = 0;
    void *socket = zmq_socket(context, type);

    snprintf(address, sizeof address, "tcp://127.0.0.1:%d", atoi(find_value(file, name)));
    if (!socket || zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) ||
        zmq_bind(socket, address))
        fail(address);
    return socket;
}

/* ---- messages ---- */

typedef struct frame {
    char bytes[FRAME_BYTES];
    size_t len;
} frame;

/* How many frames came; more than there may be, and longer ones, are cut. */
static int receive(void *socket, frame frames[MOST_FRAMES])
{
    int count = 0, more = 1;
    size_t size = sizeof more;

    while (more) {
        frame *f = &frames[count < MOST_FRAMES ? count++ : MOST_FRAMES - 1];
        int len = zmq_recv(socket, f->bytes, sizeof f->bytes - 1, 0);
        if (len < 0)
            fail("zmq_recv");
        f->len = (size_t)len < sizeof f->bytes ? (size_t)len : sizeof f->bytes - 1;
        f->bytes[f->len] = '\0';
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
    }
    return count;
}

/* What stands in front was sent. */
static void send_message(void *socket, const char *type, const frame *parent, const char *content)
{
    char header[512], signature[2 * SHA256_DIGEST_SIZE + 1];
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct hmac_sha256_ctx mac;

    snprintf(header, sizeof header,
             "{\"msg_id\":\"echo-%u\",\"session\":\"echo\",\"username\":\"kernel\",\"date\":"
             "\"2026-01-01T00:00:00.000000Z\",\"msg_type\":\"%s\",\"version\":\"5.3\"}",
             ++sent, type);
    const char *parts[PARTS] = { header, parent->bytes, "{}", content };
    hmac_sha256_set_key(&mac, strlen(key), (const uint8_t *)key);
    for (int i = 0; i < PARTS; i++)
        hmac_sha256_update(&mac, strlen(parts[i]), (const uint8_t *)parts[i]);
    hmac_sha256_digest(&mac, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(signature + 2 * i, 3, "%02x", digest[i]);

    zmq_send(socket, "<IDS|MSG>", 9, ZMQ_SNDMORE);
    zmq_send(socket, signature, strlen(signature), ZMQ_SNDMORE);
    for (int i = 0; i < PARTS; i++)
        zmq_send(socket, parts[i], strlen(parts[i]), i + 1 < PARTS ? ZMQ_SNDMORE : 0);
}

static void tell(void *iopub, const char *type, const frame *parent, const char *content)
{
    zmq_send(iopub, type, strlen(type), ZMQ_SNDMORE);
    send_message(iopub, type, parent, content);
}

static const char info[] =
    "{\"status\":\"ok\",\"protocol_version\":\"5.3\",\"implementation\":\"echo\","
    "\"implementation_version\":\"1\",\"banner\":\"\",\"help_links\":[],\"language_info\":{"
    "\"name\":"
    "\"none\",\"version\":\"1\",\"mimetype\":\"text/plain\",\"file_extension\":\".txt\"}}";
static const char done[] =
    "{\"status\":\"ok\",\"execution_count\":1,\"payload\":[],\"user_expressions\":{}}";

/* 1: it is a shutdown_request. */
static int answer(void *socket, void *iopub)
{
    static frame frames[MOST_FRAMES];
    int count = receive(socket, frames), mark = 0;

    while (mark < count && strcmp(frames[mark].bytes, "<IDS|MSG>") != 0)
        mark++;
    if (count - mark < 2 + PARTS)
        fail("a message without its parts");
    const frame *parent = &frames[mark + 2];
    const int is_info = strstr(parent->bytes, "kernel_info_request") != NULL;
    const int is_end = strstr(parent->bytes, "shutdown_request") != NULL;

    tell(iopub, "status", parent, "{\"execution_state\":\"busy\"}");
    for (int i = 0; i < mark; i++)
        zmq_send(socket, frames[i].bytes, frames[i].len, ZMQ_SNDMORE);
    if (is_end)
        send_message(socket, "shutdown_reply", parent, "{\"status\":\"ok\",\"restart\":false}");
    else
        send_message(socket, is_info ? "kernel_info_reply" : "execute_reply", parent,
                     is_info ? info : done);
    tell(iopub, "status", parent, "{\"execution_state\":\"idle\"}");
    return is_end;
}

static void beat(void *heart)
{
    char byte[256];
    int len = zmq_recv(heart, byte, sizeof byte, 0);
    if (len >= 0)
        zmq_send(heart, byte, (size_t)len, 0);
}

int main(int argc, char **argv)
{
    static char file[4096];
    FILE *in = argc == 2 ? fopen(argv[1], "re") : NULL;
    if (!in)
        fail("usage: echo_kernel CONNECTION_FILE");
    file[fread(file, 1, sizeof file - 1, in)] = '\0';
    fclose(in);
    const char *text = find_value(file, "key");
    snprintf(key, sizeof key, "%.*s", (int)strcspn(text, "\""), text);

    void *context = zmq_ctx_new();
    void *iopub = bind_port(context, ZMQ_PUB, file, "iopub_port");
    void *heart = bind_port(context, ZMQ_REP, file, "hb_port");
    void *shell = bind_port(context, ZMQ_ROUTER, file, "shell_port");
    void *control = bind_port(context, ZMQ_ROUTER, file, "control_port");
    zmq_pollitem_t items[] = { { shell, -1, ZMQ_POLLIN, 0 },
                               { control, -1, ZMQ_POLLIN, 0 },
                               { heart, -1, ZMQ_POLLIN, 0 } };
    for (int is_over = 0; !is_over && zmq_poll(items, 3, -1) >= 0;) {
        if (items[2].revents)
            beat(heart);
        for (int i = 0; i < 2 && !is_over; i++)
            if (items[i].revents)
                is_over = answer(items[i].socket, iopub);
    }

    zmq_close(shell);
    zmq_close(control);
    zmq_close(heart);
    zmq_close(iopub);
    zmq_ctx_term(context);
    return 0;
}
