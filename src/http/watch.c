/* Connections that rest are not looked at by the library: who has gone away is noticed here, and
 * who is too slow. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/connections.h"

enum { LOOK_MS = 250, EVENTS = 64 };

void request_suspend(http_request *r)
{
    struct epoll_event event = { .events = EPOLLRDHUP | EPOLLONESHOT, .data = { .ptr = r } };

    r->is_suspended = 1;
    mhd.suspend_connection(r->connection);
    epoll_ctl(r->server->epoll, EPOLL_CTL_ADD, r->of->fd, &event);
}

void request_resume(http_request *r)
{
    if (!r->is_suspended || !r->connection)
        return;
    r->is_suspended = 0;
    epoll_ctl(r->server->epoll, EPOLL_CTL_DEL, r->of->fd, NULL);
    mhd.resume_connection(r->connection);
}

void request_hang_up(http_request *r)
{
    void (*hung_up)(void *payload) = r->is_held ? r->hung_up : NULL;

    r->hung_up = NULL;
    if (!hung_up)
        return;
    r->calling++;
    pthread_mutex_unlock(&r->server->lock);
    hung_up(r->payload);
    pthread_mutex_lock(&r->server->lock);
    r->calling--;
}

/* Whether it is there still: an event may be older than its end. */
static http_request *find_request(const http_server *s, const void *wanted)
{
    http_request *r = s->requests;
    while (r && r != wanted)
        r = r->next;
    return r;
}

static void note_hang_up(http_server *s, const void *wanted)
{
    pthread_mutex_lock(&s->lock);
    http_request *r = find_request(s, wanted);
    if (r && r->is_suspended) {
        r->is_gone = 1;
        request_hang_up(r);
        request_resume(r);
        request_tidy(r);
    }
    pthread_mutex_unlock(&s->lock);
}

/* With the lock. A connection that is shut down ends by the library's own way. */
static void look_at_time(http_server *s, uint64_t now)
{
    for (const connection *c = s->connections; c; c = c->next)
        if (now >= c->deadline_ns)
            shutdown(c->fd, SHUT_RDWR);

    const uint64_t beat_ns = s->options.limits.beat_ms * NS_PER_MS;
    for (http_request *r = s->requests; r; r = r->next) {
        if (r->state != REQUEST_STREAMS || r->is_over || !beat_ns || now - r->beat_ns < beat_ns)
            continue;
        r->beat_ns = now;
        if (r->answer.len == 0 && str_add(&r->answer, ":\n\n") == 0)
            request_resume(r);
    }
}

void *watch_connections(void *payload)
{
    http_server *s = payload;
    struct epoll_event events[EVENTS];

    for (;;) {
        const int count = epoll_wait(s->epoll, events, EVENTS, LOOK_MS);
        for (int i = 0; i < count; i++)
            if (events[i].data.ptr != s)
                note_hang_up(s, events[i].data.ptr);

        pthread_mutex_lock(&s->lock);
        const int is_closing = s->is_closing == 2;
        look_at_time(s, clock_now_ns());
        pthread_mutex_unlock(&s->lock);
        if (is_closing)
            return NULL;
    }
}
