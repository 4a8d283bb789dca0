#include "session/core/session.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"

struct bell {
    bell_item *_Atomic rung;   /* the last one first */
    _Atomic uint32_t moves;    /* futex word: moves with each ring */
    _Atomic uint32_t sleepers; /* on it */
    pthread_mutex_t lock;      /* guards what follows */
    bell_item *taken;          /* out of rung, the first one first */
    int fd;                    /* -1: nobody has asked for it */
    _Atomic int is_closing;
    thread writer;
};

int bell_open(bell **out)
{
    bell *b = calloc(1, sizeof *b);
    if (!b)
        return error_no_memory();

    pthread_mutex_init(&b->lock, NULL);
    b->fd = -1;
    *out = b;
    return SNUG_OK;
}

static void wake_sleepers(bell *b)
{
    atomic_fetch_add(&b->moves, 1);
    if (atomic_load(&b->sleepers) > 0)
        futex_wake_all(&b->moves);
}

void bell_close(bell *b)
{
    if (!b)
        return;
    atomic_store(&b->is_closing, 1);
    wake_sleepers(b);
    if (b->fd >= 0) {
        thread_join(&b->writer);
        close(b->fd);
    }

    pthread_mutex_destroy(&b->lock);
    free(b);
}

void bell_ring(bell *b, bell_item *item)
{
    if (atomic_exchange(&item->has_rung, 1))
        return;

    bell_item *first = atomic_load(&b->rung);
    do
        item->next = first;
    while (!atomic_compare_exchange_weak(&b->rung, &first, item));
    wake_sleepers(b);
}

/* Out of those that have rung, in their order; the lock is held. */
static void gather(bell *b)
{
    bell_item **end = &b->taken;
    bell_item *list = atomic_exchange(&b->rung, NULL), *turned = NULL;

    while (list) {
        bell_item *next = list->next;
        list->next = turned;
        turned = list;
        list = next;
    }

    while (*end)
        end = &(*end)->next;
    *end = turned;
}

bell_item *bell_take(bell *b)
{
    pthread_mutex_lock(&b->lock);
    if (!b->taken)
        gather(b);
    bell_item *item = b->taken;
    if (item) {
        b->taken = item->next;
        atomic_store(&item->has_rung, 0);
    }

    pthread_mutex_unlock(&b->lock);
    return item;
}

void bell_forget(bell *b, bell_item *item)
{
    pthread_mutex_lock(&b->lock);
    gather(b);
    for (bell_item **at = &b->taken; *at; at = &(*at)->next)
        if (*at == item) {
            *at = item->next;
            break;
        }
    pthread_mutex_unlock(&b->lock);
}

/* ---- the descriptor ---- */

static int has_some(bell *b)
{
    pthread_mutex_lock(&b->lock);
    int answer = b->taken || atomic_load(&b->rung);
    pthread_mutex_unlock(&b->lock);
    return answer;
}

static void make_readable(const bell *b)
{
    uint64_t one = 1;
    /* A counter that is full is readable as well. */
    ssize_t written = write(b->fd, &one, sizeof one);
    (void)written;
}

static void sleep_on(bell *b, uint32_t seen, uint64_t until_ns)
{
    atomic_fetch_add(&b->sleepers, 1);
    futex_wait(&b->moves, seen, until_ns);
    atomic_fetch_sub(&b->sleepers, 1);
}

static void *serve_as_writer(void *arg)
{
    bell *b = arg;

    while (!atomic_load(&b->is_closing)) {
        uint32_t seen = atomic_load(&b->moves);
        if (atomic_load(&b->rung))
            make_readable(b);
        sleep_on(b, seen, UINT64_MAX);
    }

    return NULL;
}

enum { WRITER_STACK_BYTES = 1 << 20 };

/* The lock is held. */
static int start_writer(bell *b)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return error_system("eventfd");

    b->fd = fd;
    int error = thread_start(&b->writer, "snug bell", WRITER_STACK_BYTES, serve_as_writer, b);
    if (error) {
        b->fd = -1;
        close(fd);
    }

    return error;
}

int bell_fd(bell *b)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&b->lock);
    if (b->fd < 0)
        error = start_writer(b);
    int fd = b->fd;
    pthread_mutex_unlock(&b->lock);
    return error ? error : fd;
}

void bell_wait(bell *b, uint64_t until_ns)
{
    uint32_t seen = atomic_load(&b->moves);
    while (!has_some(b) && clock_now_ns() < until_ns) {
        sleep_on(b, seen, until_ns);
        seen = atomic_load(&b->moves);
    }
}

void bell_hush(bell *b)
{
    uint64_t count;

    pthread_mutex_lock(&b->lock);
    int fd = b->fd;
    pthread_mutex_unlock(&b->lock);
    if (fd < 0)
        return;

    ssize_t had = read(fd, &count, sizeof count);
    (void)had;
    if (has_some(b))
        make_readable(b);
}
