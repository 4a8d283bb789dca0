#include "server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Waits for fd; 0 where the server is stopped first. */
static int ready(server *s, int fd)
{
    struct pollfd fds[] = { { fd, POLLIN, 0 }, { s->gate[0], POLLIN, 0 } };
    while (poll(fds, 2, -1) < 0)
        ;
    return !fds[1].revents;
}

/* Reads one request: 1; 0 where there is none. */
static int read_request(server *s, str *out, int fd)
{
    char bytes[4096];
    for (;;) {
        const char *end = out->len ? strstr(out->data, "\r\n\r\n") : NULL;
        if (end) {
            const char *length = strcasestr(out->data, "content-length:");
            size_t body = length && length < end ? strtoul(length + 15, NULL, 10) : 0;
            if (out->len >= (size_t)(end + 4 - out->data) + body)
                return 1;
        }
        if (!ready(s, fd))
            return 0;
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got <= 0 || str_append(out, bytes, (size_t)got))
            return 0;
    }
}

static void write_bytes(int fd, const char *at, size_t piece)
{
    size_t left = strlen(at);
    if (piece == 0)
        piece = left;
    while (left > 0) {
        ssize_t sent = send(fd, at, piece < left ? piece : left, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        at += sent;
        left -= (size_t)sent;
    }
}

static void write_answer(int fd, const server_answer *answer)
{
    write_bytes(fd, answer->bytes, answer->piece);
    if (!answer->then)
        return;
    const struct timespec pause = { answer->pause_ms / 1000, answer->pause_ms % 1000 * 1000000 };
    nanosleep(&pause, NULL);
    write_bytes(fd, answer->then, 0);
}

/* Keeps the request; NULL where the script has no answer to it. */
static const server_answer *next_answer(server *s, str *request)
{
    const server_answer *answer = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->request_count < s->answer_count)
        answer = &s->answers[s->request_count];
    if (s->request_count < SERVER_MOST)
        s->requests[s->request_count] = *request;
    else
        str_free(request);
    *request = (str){ 0 };
    s->request_count++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return answer;
}

static void serve(server *s, int fd)
{
    const server_answer *answer;
    str request = { 0 };
    int is_open = 1;
    while (is_open && read_request(s, &request, fd)) {
        is_open = (answer = next_answer(s, &request)) != NULL;
        if (!answer)
            break;
        write_answer(fd, answer);
        if (answer->holds)
            is_open = ready(s, s->gate[0]);
        is_open = is_open && answer->keeps;
    }
    str_free(&request);
}

static void *run(void *arg)
{
    server *s = arg;
    int on = 1;
    while (ready(s, s->listener)) {
        int fd = accept(s->listener, NULL, NULL);
        if (fd < 0)
            break;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        pthread_mutex_lock(&s->lock);
        s->connection_count++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        serve(s, fd);
        close(fd);
    }
    return NULL;
}

void server_start(server *s, const server_answer *answers, size_t count)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof address;
    *s = (server){ .answers = answers, .answer_count = count };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, len) ||
        listen(s->listener, 8) || getsockname(s->listener, (struct sockaddr *)&address, &len) ||
        pipe(s->gate))
        abort();
    s->port = ntohs(address.sin_port);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (pthread_create(&s->thread, NULL, run, s))
        abort();
}

void server_await(server *s, size_t count)
{
    pthread_mutex_lock(&s->lock);
    while (s->request_count < count)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

void server_stop(server *s)
{
    if (write(s->gate[1], "", 1) != 1)
        abort();
    pthread_join(s->thread, NULL);
    close(s->listener);
}

void server_free(server *s)
{
    for (size_t i = 0; i < SERVER_MOST; i++)
        str_free(&s->requests[i]);
    close(s->gate[0]);
    close(s->gate[1]);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
}
