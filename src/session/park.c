#include "session/park.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "session/session.h"

/* ---- the list, under the host's lock --------------------------------------- */

static void enlist(snug_session *session)
{
    park *p = &session->host->park;
    session->next_awake = p->first;
    session->prev_awake = NULL;
    if (p->first)
        p->first->prev_awake = session;
    p->first = session;
    p->awake++;
}

static void delist(snug_session *session)
{
    park *p = &session->host->park;
    if (session->prev_awake)
        session->prev_awake->next_awake = session->next_awake;
    else
        p->first = session->next_awake;
    if (session->next_awake)
        session->next_awake->prev_awake = session->prev_awake;
    p->awake--;
}

/* The one that was used least lately, of those in which nothing runs; claimed. */
static snug_session *claim_least(park *p)
{
    uint32_t idle = SESSION_IDLE;
    snug_session *least = NULL;
    for (snug_session *s = p->first; s; s = s->next_awake)
        if (atomic_load(&s->is_busy) == SESSION_IDLE &&
            (!least || atomic_load(&s->used_ns) < atomic_load(&least->used_ns)))
            least = s;
    return least && atomic_compare_exchange_strong(&least->is_busy, &idle, SESSION_PARKING) ? least
                                                                                            : NULL;
}

/* ---- parking --------------------------------------------------------------- */

/* Standard ones are open always. Without /proc it is not known, and as if there were more. */
static int has_more_descriptors(const snug_session *session)
{
    char path[64];
    int count = 0;
    if (!session->disk.sees_open_files) /* they are the process's, and stay */
        return 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/fd", (int)session->tid);
    DIR *dir = opendir(path);
    if (!dir)
        return 1;
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count != 3;
}

static int can_park(const snug_session *session)
{
    return session->has_thread && session->interp && !session->is_lost && session->is_sealed &&
           !has_more_descriptors(session);
}

/* The thread's last job, unless it holds what it would have to give back itself. */
static void leave_thread(snug_session *session)
{
    session->is_parked = session->guard.locks == 0 && session->guard.in_malloc == 0;
}

/* The message stays what it was: it is of what the session is parked for. */
static int park_thread(snug_session *session)
{
    char message[ERROR_MESSAGE_BYTES];
    strcpy(message, error_message());
    session->job.fn = leave_thread;
    session->job.wall_ms = 0;
    int is_parked = session_run_job(session) == SNUG_OK && session->is_parked;
    if (is_parked)
        thread_rest(&session->thread);
    error_set(SNUG_OK, "%s", message);
    return is_parked;
}

/* Its owner may wait for it. */
static void release_parked(snug_session *session)
{
    atomic_store(&session->is_busy, SESSION_IDLE);
    futex_wake_all(&session->is_busy);
}

/* What can not be parked now counts as used now. */
static void park_one(snug_host *host, snug_session *session)
{
    int is_parked = can_park(session) && park_thread(session);
    atomic_store(&session->used_ns, clock_now_ns());
    pthread_mutex_lock(&host->lock);
    if (is_parked) {
        delist(session);
        host->park.parked++;
        host->park.parks++;
    }
    pthread_mutex_unlock(&host->lock);
    release_parked(session);
}

/* Of those that can not be parked, so many are passed over before there is one thread more. */
enum { TRIES = 8 };

static void make_room(snug_host *host)
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
    session->can_park = host->form == &local_form && session->kind == SNUG_RESTRICTED &&
                        !session->is_inline && session->limits.threads == 0;
    if (!session->can_park)
        return;
    make_room(host);
    atomic_store(&session->used_ns, clock_now_ns());
    pthread_mutex_lock(&host->lock);
    enlist(session);
    pthread_mutex_unlock(&host->lock);
}

void park_await(snug_session *session)
{
    while (atomic_load(&session->is_busy) == SESSION_PARKING)
        futex_wait(&session->is_busy, SESSION_PARKING, UINT64_MAX);
}

void park_leave(snug_session *session)
{
    snug_host *host = session->host;
    if (!session->can_park)
        return;
    pthread_mutex_lock(&host->lock);
    while (atomic_load(&session->is_busy) == SESSION_PARKING) {
        pthread_mutex_unlock(&host->lock);
        park_await(session);
        pthread_mutex_lock(&host->lock);
    }
    session->can_park = 0;
    if (session->is_parked)
        host->park.parked--;
    else
        delist(session);
    pthread_mutex_unlock(&host->lock);
}

/* ---- waking ---------------------------------------------------------------- */

static int wake_thread(snug_session *session)
{
    session_job *job = &session->job;
    void (*fn)(snug_session *) = job->fn;
    uint64_t wall_ms = job->wall_ms;
    int error = session_start_thread(session);
    if (error)
        return error;
    session->is_parked = 0;
    job->fn = session_move_in;
    job->wall_ms = 0;
    if ((error = session_run_job(session)))
        park_thread(session); /* without its filters nothing runs there */
    job->fn = fn;
    job->wall_ms = wall_ms;
    return error;
}

int park_wake(snug_session *session)
{
    snug_host *host = session->host;
    if (session->can_park)
        make_room(host);
    int error = wake_thread(session);
    if (error || !session->can_park) /* or it is on its way out */
        return error;
    pthread_mutex_lock(&host->lock);
    host->park.parked--;
    host->park.wakes++;
    enlist(session);
    pthread_mutex_unlock(&host->lock);
    return SNUG_OK;
}

snug_parking snug_host_parking(const snug_host *host)
{
    snug_host *h = (snug_host *)(uintptr_t)host;
    pthread_mutex_lock(&h->lock);
    const snug_parking facts = { h->park.awake, h->park.parked, h->park.parks, h->park.wakes };
    pthread_mutex_unlock(&h->lock);
    return facts;
}
