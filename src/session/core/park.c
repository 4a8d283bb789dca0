#include "session/core/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "base/process/procself.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/core/start.h"

/* ---- the list, under the host's lock ---- */

static void enlist_awake(snug_session *session)
{
    park *p = &session->host->park;

    session->park.state = PARK_AWAKE;
    session->park.next = p->first;
    session->park.previous = NULL;
    if (p->first)
        p->first->park.previous = session;
    p->first = session;
    p->awake++;
}

static void delist_awake(snug_session *session)
{
    park *p = &session->host->park;

    if (session->park.previous)
        session->park.previous->park.next = session->park.next;
    else
        p->first = session->park.next;

    if (session->park.next)
        session->park.next->park.previous = session->park.previous;
    session->park.next = session->park.previous = NULL;
    p->awake--;
}

/* Out of what is counted. */
static void leave_list(snug_session *session)
{
    if (session->park.state == PARK_AWAKE)
        delist_awake(session);
    else if (session->park.state == PARK_PARKED)
        session->host->park.parked--;
    session->park.state = PARK_NONE;
}

/* The one that was used least lately, of those in which nothing runs; claimed. */
static snug_session *claim_least(park *p)
{
    uint32_t idle = SESSION_IDLE;
    snug_session *least = NULL;

    for (snug_session *s = p->first; s; s = s->park.next)
        if (atomic_load(&s->is_busy) == SESSION_IDLE &&
            (!least || atomic_load(&s->park.used_ns) < atomic_load(&least->park.used_ns)))
            least = s;

    if (!least || !atomic_compare_exchange_strong(&least->is_busy, &idle, SESSION_PARKING))
        return NULL;
    return least;
}

/* ---- parking ---- */

/* One of the first three, and what confine_descriptors made of it. */
static int is_standard(int folder, const char *name)
{
    char target[16] = "";
    return strchr("012", name[0]) && !name[1] &&
           readlinkat(folder, name, target, sizeof target - 1) > 0 &&
           (strcmp(target, "/dev/null") == 0 || strncmp(target, "pipe:", 5) == 0);
}

/* Without /proc it is not known, and as if there were some. */
static int has_descriptors(const snug_session *session)
{
    char path[64];
    int others = 0;

    if (!session->files.disk.sees_open_files) /* they are the process's, and stay */
        return 0;
    snprintf(path, sizeof path, "task/%d/fd", (int)session->thread.tid);
    int fd = procself_open(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return 1;

    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return 1;
    }

    for (struct dirent *entry; (entry = readdir(dir));)
        others += entry->d_name[0] != '.' && !is_standard(dirfd(dir), entry->d_name);
    closedir(dir);
    return others > 0;
}

static int can_park(const snug_session *session)
{
    return session->thread.exists && session->interp && !session->is_lost &&
           session->thread.is_sealed && !has_descriptors(session);
}

/* The thread's last job, unless it holds what it would have to give back itself. */
static int part_from_thread(snug_session *session, void *unused)
{
    (void)unused;
    session->park.is_parked =
        session->thread.guard.locks == 0 && session->thread.guard.in_malloc == 0;
    return SNUG_OK;
}

/* That of one which has no filters, and has run nothing. */
static int end_thread(snug_session *session, void *unused)
{
    (void)unused;
    session->park.is_parked = 1;
    return SNUG_OK;
}

/* No stop reaches what a thread does for its session. */
static const job_limits without_stop = { 0, SNUG_UNLIMITED, SNUG_UNLIMITED };

/* The message stays what it was: it is of what the session is parked for. */
static int park_thread(snug_session *session, job_fn last)
{
    char message[ERROR_MESSAGE_BYTES];

    strcpy(message, error_message());
    int error = session_run_job(session, last, NULL, &without_stop);
    int is_parked = !error && session->park.is_parked;
    if (is_parked)
        thread_rest(&session->thread.handle);
    error_set(SNUG_OK, "%s", message);
    return is_parked;
}

/* Its owner may wait for it. */
static void release_parked(snug_session *session)
{
    atomic_store(&session->is_busy, SESSION_IDLE);
    futex_wake_all(&session->is_busy);
}

/* What cannot be parked now counts as used now. */
static void park_one(snug_host *host, snug_session *session)
{
    int is_parked = can_park(session) && park_thread(session, part_from_thread);

    atomic_store(&session->park.used_ns, clock_now_ns());
    pthread_mutex_lock(&host->lock);
    if (is_parked) {
        delist_awake(session);
        session->park.state = PARK_PARKED;
        host->park.parked++;
        host->park.parks++;
    }

    pthread_mutex_unlock(&host->lock);
    release_parked(session);
}

/* Of those that cannot be parked, this many are passed over before there is one thread more. */
enum { TRIES = 8 };

static void make_room_for_one(snug_host *host)
{
    for (int i = 0; i < TRIES; i++) {
        pthread_mutex_lock(&host->lock);
        int is_full = host->park.most > 0 && host->park.awake >= host->park.most;
        snug_session *least = is_full ? claim_least(&host->park) : NULL;
        pthread_mutex_unlock(&host->lock);
        if (!is_full)
            return;
        if (least)
            park_one(host, least);
    }
}

void park_admit(snug_session *session)
{
    snug_host *host = session->host;
    if (session->kind != SNUG_KIND_RESTRICTED || session->thread.is_inline ||
        session->limits.threads > 0 || session->park.state != PARK_NONE)
        return;

    make_room_for_one(host);
    atomic_store(&session->park.used_ns, clock_now_ns());
    pthread_mutex_lock(&host->lock);
    enlist_awake(session);
    pthread_mutex_unlock(&host->lock);
}

void park_forget(snug_session *session)
{
    pthread_mutex_lock(&session->host->lock);
    leave_list(session);
    pthread_mutex_unlock(&session->host->lock);
}

void park_await(snug_session *session)
{
    while (atomic_load(&session->is_busy) == SESSION_PARKING)
        futex_wait(&session->is_busy, SESSION_PARKING, UINT64_MAX);
}

void park_leave(snug_session *session)
{
    pthread_mutex_t *lock = &session->host->lock;

    pthread_mutex_lock(lock);
    while (atomic_load(&session->is_busy) == SESSION_PARKING) {
        pthread_mutex_unlock(lock);
        park_await(session);
        pthread_mutex_lock(lock);
    }

    leave_list(session);
    pthread_mutex_unlock(lock);
}

/* ---- waking ---- */

static int wake_thread(snug_session *session)
{
    int error = session_start_thread(session);
    if (error)
        return error;

    session->park.is_parked = 0;
    error = session_run_job(session, session_move_in, NULL, &without_stop);
    if (error)
        park_thread(session, end_thread);
    return error;
}

/* Others make room only where there is a thread to make it for. */
int park_wake(snug_session *session)
{
    snug_host *host = session->host;
    int error = wake_thread(session);
    if (error || session->park.state != PARK_PARKED) /* it is on its way out */
        return error;

    make_room_for_one(host);
    pthread_mutex_lock(&host->lock);
    host->park.parked--;
    host->park.wakes++;
    enlist_awake(session);
    pthread_mutex_unlock(&host->lock);
    return SNUG_OK;
}

int snug_host_parking(snug_parking *out, const snug_host *host)
{
    int error = host_check(host, "snug_host_parking");
    if (error)
        return error;

    snug_host *h = (snug_host *)(uintptr_t)host;
    pthread_mutex_lock(&h->lock);
    const snug_parking facts = { sizeof facts, h->park.awake, h->park.parked, h->park.parks,
                                 h->park.wakes };
    pthread_mutex_unlock(&h->lock);
    return host_fail(host, options_give(out, &facts, sizeof facts, "snug_parking"));
}
