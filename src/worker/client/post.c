#include "worker/client/client.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/u64.h"

struct post {
    pthread_mutex_t lock; /* guards first and is_closing */
    remote *first;        /* those that listen */
    int is_closing;
    int changes; /* an eventfd: the list has changed */
    thread thread;
};

/* A worker that says nothing is asked whether it is there. */
#define QUIET_NS (100 * NS_PER_MS)

/* What one round looks at; the thread's. */
typedef struct round {
    worker_link **links; /* held */
    size_t link_count, link_cap;
    struct pollfd *fds; /* that of changes first, then the links' */
    size_t fd_cap;
    uint64_t due_ns;
} post_round;

/* ---- a round ---- */

static int has_link(const post_round *r, const worker_link *l)
{
    for (size_t i = 0; i < r->link_count; i++)
        if (r->links[i] == l)
            return 1;
    return 0;
}

static int add_link(post_round *r, worker_link *l)
{
    if (has_link(r, l) || link_state(l) != LINK_LIVES)
        return SNUG_OK;
    if (array_reserve(&r->links, &r->link_cap, r->link_count + 1, sizeof *r->links))
        return SNUG_ENOMEM;
    r->links[r->link_count++] = link_hold(l);
    return SNUG_OK;
}

/* What those who listen want. Answers whether to go on. */
static int begin_round(post *p, post_round *r)
{
    r->link_count = 0;
    r->due_ns = UINT64_MAX;
    pthread_mutex_lock(&p->lock);
    int is_closing = p->is_closing;
    for (remote *one = p->first; one; one = one->next_listener) {
        r->due_ns = u64_least(r->due_ns, atomic_load(&one->due_ns));
        add_link(r, one->link); /* without memory it is looked at in a round to come */
    }

    pthread_mutex_unlock(&p->lock);
    return !is_closing;
}

static void wait_for_some(const post *p, post_round *r)
{
    uint64_t now_ns = clock_now_ns(), until_ns = u64_least(r->due_ns, now_ns + QUIET_NS);
    int ms = until_ns > now_ns ? (int)((until_ns - now_ns) / NS_PER_MS) + 1 : 0;
    struct pollfd alone = { .fd = p->changes, .events = POLLIN };

    if (array_reserve(&r->fds, &r->fd_cap, r->link_count + 1, sizeof *r->fds)) {
        poll(&alone, 1, 1);
        return;
    }

    r->fds[0] = alone;
    for (size_t i = 0; i < r->link_count; i++)
        r->fds[i + 1] = (struct pollfd){ .fd = link_descriptor(r->links[i]), .events = POLLIN };
    poll(r->fds, r->link_count + 1, r->link_count > 0 || r->due_ns != UINT64_MAX ? ms : -1);

    uint64_t count;
    ssize_t had = read(p->changes, &count, sizeof count);
    (void)had;
}

/* Where another thread reads from the link, that delivers what comes. */
static void read_links(post_round *r)
{
    int is_read_by_others = 0;

    for (size_t i = 0; i < r->link_count; i++) {
        is_read_by_others |= !link_attend(r->links[i]);
        link_drop(r->links[i]);
    }

    _Atomic uint32_t never = 0;
    if (is_read_by_others)
        futex_wait(&never, 0, clock_now_ns() + NS_PER_MS);
}

/* Once for each deadline. */
static void ring_those_due(post *p)
{
    uint64_t now_ns = clock_now_ns();

    pthread_mutex_lock(&p->lock);
    for (remote *one = p->first; one; one = one->next_listener)
        if (atomic_load(&one->due_ns) <= now_ns) {
            atomic_store(&one->due_ns, u64_sum(now_ns, QUIET_NS));
            bell_ring(one->session->host->bell, &one->session->rings);
        }
    pthread_mutex_unlock(&p->lock);
}

static void *serve_post(void *arg)
{
    post *p = arg;
    post_round r = { 0 };

    while (begin_round(p, &r)) {
        wait_for_some(p, &r);
        read_links(&r);
        ring_those_due(p);
    }

    for (size_t i = 0; i < r.link_count; i++)
        link_drop(r.links[i]);
    free(r.links);
    free(r.fds);
    return NULL;
}

/* ---- life ---- */

enum { STACK_BYTES = 1 << 20 };

static int open_post(post **out)
{
    post *p = calloc(1, sizeof *p);
    if (!p)
        return error_no_memory();

    pthread_mutex_init(&p->lock, NULL);
    p->changes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = p->changes < 0 ? error_system("eventfd") : SNUG_OK;
    if (!error)
        error = thread_start(&p->thread, "snug post", STACK_BYTES, serve_post, p);
    if (error) {
        if (p->changes >= 0)
            close(p->changes);
        pthread_mutex_destroy(&p->lock);
        free(p);
        return error;
    }

    *out = p;
    return SNUG_OK;
}

static void tell_change(const post *p)
{
    uint64_t one = 1;
    ssize_t written = write(p->changes, &one, sizeof one);
    (void)written;
}

void post_close(post *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->is_closing = 1;
    pthread_mutex_unlock(&p->lock);
    tell_change(p);
    thread_join(&p->thread);
    close(p->changes);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* The host's, started with the first one that listens. */
static int find_post(post **out, remote_host *r)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&r->starting);
    if (!r->post)
        error = open_post(&r->post);
    *out = r->post;
    pthread_mutex_unlock(&r->starting);
    return error;
}

/* ---- listening ---- */

static void ring_for(void *arg)
{
    snug_session *session = arg;
    bell_ring(session->host->bell, &session->rings);
}

static void enlist(post *p, remote *r)
{
    atomic_store(&r->due_ns, UINT64_MAX);
    pthread_mutex_lock(&p->lock);
    r->next_listener = p->first;
    p->first = r;
    pthread_mutex_unlock(&p->lock);
    tell_change(p);
}

static void delist(post *p, const remote *r)
{
    pthread_mutex_lock(&p->lock);
    for (remote **at = &p->first; *at; at = &(*at)->next_listener)
        if (*at == r) {
            *at = r->next_listener;
            break;
        }
    pthread_mutex_unlock(&p->lock);
}

int post_listen(snug_session *session, int is_on)
{
    remote *r = session->remote;
    post *p;
    int error = find_post(&p, session->host->remote);
    if (error)
        return error;

    r->session = session;
    if (is_on) {
        link_set_ring(r->link, &r->line, ring_for, session);
        enlist(p, r);
        return SNUG_OK;
    }

    delist(p, r);
    link_set_ring(r->link, &r->line, NULL, NULL);
    return SNUG_OK;
}
