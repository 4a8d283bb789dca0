#include "worker/client/zygote_client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "wire/pack.h"
#include "worker/protocol/zygote_words.h"

struct zygote {
    size_t holders;
    str wish; /* packed, to compare */
    worker_process process;
    pthread_mutex_t asking;
    _Atomic int is_dead; /* read by who looks for one to share */
    zygote *next;
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static zygote *all;

/* ---- messages ---- */

/* pandas from a cold disk takes its time. */
enum { START_MS = 120000, ANSWER_MS = 10000, STATUS_MS = 100 };

static int receive_message(zygote_message *out, int *fd, const zygote *z, int ms)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } room;
    struct iovec piece = { out, sizeof *out };
    struct msghdr message = { .msg_iov = &piece,
                              .msg_iovlen = 1,
                              .msg_control = room.bytes,
                              .msg_controllen = sizeof room.bytes };
    struct pollfd stream = { .fd = z->process.fd, .events = POLLIN };
    if (poll(&stream, 1, ms) <= 0 ||
        recvmsg(z->process.fd, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *out)
        return -1;

    const struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (fd)
        *fd = -1;
    if (fd && rights && rights->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(rights), sizeof *fd);
    return 0;
}

static int send_order(const zygote *z, const zygote_message *order, int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } room = { { 0 } };
    struct iovec piece = { (void *)(uintptr_t)order, sizeof *order };
    struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
    if (fd >= 0) {
        message.msg_control = room.bytes;
        message.msg_controllen = sizeof room.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        *rights = (struct cmsghdr){ CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS };
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }

    return sendmsg(z->process.fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *order ? 0 : -1;
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
    int failed = z->is_dead || send_order(z, order, fd);
    do
        failed = failed || receive_message(answer, pidfd, z, is_fork ? ANSWER_MS : STATUS_MS);
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
}

/* Its first message says whether it has what was wished. */
static int await_start(zygote *z)
{
    zygote_message first;

    if (receive_message(&first, NULL, z, START_MS) == 0) {
        if (first.status)
            return error_set(first.status, "%.1000s", first.text);
        return SNUG_OK;
    }

    str story = { 0 }, words = { 0 };
    launch_end(&z->process, &story, &words);
    error_set(SNUG_ESYSTEM, "snug-worker did not start: it %s%s%s", str_text(&story),
              words.len > 0 ? ": " : "", str_text(&words));
    str_free(&story);
    str_free(&words);
    z->process.pid = 0;
    return SNUG_ESYSTEM;
}

static void end_zygote(zygote *z)
{
    if (z->process.pid > 0)
        launch_end(&z->process, NULL, NULL);
    pthread_mutex_destroy(&z->asking);
    str_free(&z->wish);
    free(z);
}

static int start_zygote(zygote **out, const zygote_wish *wish, packer *packed)
{
    zygote *z = packed->is_short ? NULL : calloc(1, sizeof *z);
    if (!z)
        return error_no_memory();

    int error = launch_zygote(&z->process, wish);
    if (error) {
        free(z);
        return error;
    }

    pthread_mutex_init(&z->asking, NULL);
    z->holders = 1;
    z->wish = packed->text;
    packed->text = (str){ 0 };
    error = await_start(z);
    if (error) {
        end_zygote(z);
        return error;
    }

    *out = z;
    return SNUG_OK;
}

static int has_wish(const zygote *z, const packer *p)
{
    return !z->is_dead && z->wish.len == p->text.len &&
           memcmp(z->wish.data, p->text.data, p->text.len) == 0;
}

int zygote_hold(zygote **out, const zygote_wish *wish)
{
    packer packed = { 0 };
    int error = SNUG_OK;

    pack_wish(&packed, wish);
    pthread_mutex_lock(&all_lock);
    zygote *z = all;
    while (z && !has_wish(z, &packed))
        z = z->next;
    if (z) {
        z->holders++;
    } else {
        error = start_zygote(&z, wish, &packed);
        if (!error) {
            z->next = all;
            all = z;
        }
    }

    pthread_mutex_unlock(&all_lock);
    str_free(&packed.text);
    if (!error)
        *out = z;
    return error;
}

void zygote_keep(zygote *z)
{
    pthread_mutex_lock(&all_lock);
    z->holders++;
    pthread_mutex_unlock(&all_lock);
}

void zygote_drop(zygote *z)
{
    if (!z)
        return;
    pthread_mutex_lock(&all_lock);
    int is_last = --z->holders == 0;
    zygote **at = &all;
    while (is_last && *at != z)
        at = &(*at)->next;
    if (is_last)
        *at = z->next;
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

    if (ask_zygote(&answer, NULL, z, &order, -1) != 0)
        return -1;
    return answer.status;
}
