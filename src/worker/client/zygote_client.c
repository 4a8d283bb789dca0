#include "worker/client/launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/process/await.h"
#include "wire/pack.h"
#include "worker/protocol/frame.h"

struct zygote {
    size_t holders;
    str wish;               /* packed, to compare */
    pthread_mutex_t asking; /* of process and was_started; held while it starts, too */
    worker_process process;
    int was_started;     /* by who held it first, in vain where it is dead */
    _Atomic int is_dead; /* read by who looks for one to share */
    zygote *next;
};

/* Of the list and of holders. Nobody starts a zygote, or ends one, under it: that takes a while,
 * and every worker that begins or ends anywhere in the process needs it. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static zygote *all;

/* In a forked process: those of the list are its parent's, who talks to them. */
static void forget_all(void)
{
    pthread_mutex_init(&all_lock, NULL);
    all = NULL;
}

/* ---- messages ---- */

/* pandas from a cold disk takes its time. */
enum { START_MS = 120000, ANSWER_MS = 10000, STATUS_MS = 100, LOOK_MS = 50 };

static int await_message(zygote_message *out, int *fd, const zygote *z, uint64_t ms)
{
    if (!await_readable(z->process.fd, ms))
        return -1;
    return zygote_message_receive(out, fd, z->process.fd);
}

static int is_answer(const zygote_message *answer, const zygote_message *order)
{
    return answer->order == order->order &&
           (order->order == ZYGOTE_FORK || answer->pid == order->pid);
}

/* One that does not fork is dead; one that does not tell a status in time may be at something else,
 * and what it tells later is passed over. */
static int ask_zygote(zygote_message *answer, int *pidfd, zygote *z, const zygote_message *order,
                      int fd)
{
    pthread_mutex_lock(&z->asking);
    int is_fork = order->order == ZYGOTE_FORK;
    int failed = z->is_dead || zygote_message_send(z->process.fd, order, fd) != 0;
    do
        failed = failed || await_message(answer, pidfd, z, is_fork ? ANSWER_MS : STATUS_MS) != 0;
    while (!failed && !is_answer(answer, order));

    z->is_dead |= failed && is_fork;
    pthread_mutex_unlock(&z->asking);
    return failed;
}

/* ---- one ---- */

static void pack_wish(packer *p, const zygote_wish *wish)
{
    pack_text(p, wish->path);
    pack_text(p, wish->python_home);
    pack_number(p, (uint64_t)wish->is_full);
    pack_text(p, wish->packages);
    pack_list(p, wish->preload);
    pack_text(p, wish->fixed->zone);
    pack_number(p, wish->fixed->hash_seed);
}

static int is_stopped(const zygote_patience *p)
{
    return p->is_stopped && p->is_stopped(p->payload);
}

static int fail_stopped(void)
{
    return error_set(SNUG_ESTOPPED, "snug-worker was stopped before it was ready");
}

static int has_first_message(const zygote *z, const zygote_patience *p)
{
    const uint64_t until_ns = clock_deadline_ns(clock_now_ns(), START_MS);

    while (!is_stopped(p) && clock_now_ns() < until_ns)
        if (await_readable(z->process.fd, LOOK_MS))
            return 1;
    return 0;
}

/* Its first message says whether it has what was wished. */
static int await_start(zygote *z, const zygote_patience *p)
{
    zygote_message first;
    int none;

    if (has_first_message(z, p) && await_message(&first, &none, z, 0) == 0) {
        if (first.status)
            return error_set(first.status, "%.1000s", first.text);
        return SNUG_OK;
    }

    str story = { 0 }, words = { 0 };
    launch_end(&z->process, &story, &words);
    int error = is_stopped(p)
                    ? fail_stopped()
                    : error_set(SNUG_ESYSTEM, "snug-worker did not start: it %s%s%s",
                                str_text(&story), words.len > 0 ? ": " : "", str_text(&words));
    str_free(&story);
    str_free(&words);
    z->process.pid = 0;
    return error;
}

static void end_zygote(zygote *z)
{
    if (z->process.pid > 0)
        launch_end(&z->process, NULL, NULL);
    pthread_mutex_destroy(&z->asking);
    str_free(&z->wish);
    free(z);
}

/* While another thread starts it that takes as long as the start. */
static int lock_asking(zygote *z, const zygote_patience *p)
{
    for (;;) {
        const uint64_t until_ns = clock_deadline_ns(clock_now_ns(), LOOK_MS);
        const struct timespec until = { (time_t)(until_ns / NS_PER_S),
                                        (long)(until_ns % NS_PER_S) };
        if (pthread_mutex_clocklock(&z->asking, CLOCK_MONOTONIC, &until) == 0)
            return SNUG_OK;
        if (is_stopped(p))
            return fail_stopped();
    }
}

/* Whoever holds it first starts it, and others wait for that. */
static int start_zygote(zygote *z, const zygote_wish *wish, const zygote_patience *p)
{
    int error = lock_asking(z, p);
    if (error)
        return error;

    if (!z->was_started) {
        z->was_started = 1;
        error = launch_zygote(&z->process, wish);
        if (error)
            z->process.pid = 0;
        else
            error = await_start(z, p);
        z->is_dead = error != SNUG_OK;
    }

    pthread_mutex_unlock(&z->asking);
    return error;
}

static int has_wish(const zygote *z, const packer *p)
{
    return !z->is_dead && z->wish.len == p->text.len &&
           memcmp(z->wish.data, p->text.data, p->text.len) == 0;
}

/* The lock of all is held. Takes the text of packed. NULL: no memory. */
static zygote *add_zygote(packer *packed)
{
    zygote *z = packed->is_short ? NULL : calloc(1, sizeof *z);
    if (!z)
        return NULL;

    pthread_mutex_init(&z->asking, NULL);
    z->wish = packed->text;
    packed->text = (str){ 0 };
    z->next = all;
    all = z;
    return z;
}

/* One that has it, or is to be started with it, which the caller holds. NULL: no memory. */
static zygote *find_zygote(const zygote_wish *wish)
{
    packer packed = { 0 };

    pack_wish(&packed, wish);
    forked_renew(forget_all);
    pthread_mutex_lock(&all_lock);
    zygote *z = all;
    while (z && !has_wish(z, &packed))
        z = z->next;
    if (!z)
        z = add_zygote(&packed);
    if (z)
        z->holders++;
    pthread_mutex_unlock(&all_lock);
    str_free(&packed.text);
    return z;
}

int zygote_hold(zygote **out, const zygote_wish *wish, const zygote_patience *patience)
{
    for (;;) {
        zygote *z = find_zygote(wish);
        if (!z)
            return error_no_memory();

        int error = start_zygote(z, wish, patience);
        if (!error && !z->is_dead) {
            *out = z;
            return SNUG_OK;
        }

        /* Without an error another thread has started it in vain. */
        zygote_drop(z);
        if (error)
            return error;
    }
}

void zygote_keep(zygote *z)
{
    pthread_mutex_lock(&all_lock);
    z->holders++;
    pthread_mutex_unlock(&all_lock);
}

/* The lock of all is held. */
static void remove_zygote(const zygote *z)
{
    zygote **at = &all;
    while (*at != z)
        at = &(*at)->next;
    *at = z->next;
}

void zygote_drop(zygote *z)
{
    if (!z)
        return;

    pthread_mutex_lock(&all_lock);
    int is_last = --z->holders == 0;
    if (is_last)
        remove_zygote(z);
    pthread_mutex_unlock(&all_lock);
    if (is_last)
        end_zygote(z);
}

/* ---- workers ---- */

int zygote_fork(worker_process *out, zygote *z)
{
    int stream[2], pidfd = -1;
    const zygote_message order = { .order = ZYGOTE_FORK };
    zygote_message answer;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) != 0)
        return error_system("a worker's stream");
    int failed = ask_zygote(&answer, &pidfd, z, &order, stream[1]);
    close(stream[1]);
    if (failed || answer.pid <= 0 || pidfd < 0) {
        close(stream[0]);
        if (pidfd >= 0)
            close(pidfd);
        if (failed)
            return error_set(SNUG_ESYSTEM, "a worker could not be forked");
        return error_set(SNUG_ESYSTEM, "a worker could not be forked: %.200s", answer.text);
    }

    zygote_keep(z);
    *out = (worker_process){
        .pid = answer.pid, .fd = stream[0], .errors = -1, .pidfd = pidfd, .zygote = z
    };
    return SNUG_OK;
}

int zygote_status(zygote *z, pid_t pid)
{
    const zygote_message order = { .order = ZYGOTE_STATUS, .pid = pid };
    zygote_message answer;
    int none;

    if (ask_zygote(&answer, &none, z, &order, -1) != 0)
        return -1;
    return answer.status;
}
