/*
 * tenant_hosts.c - the hosts of the tenants: started at a tenant's first session, watched, ended
 * when none has been there for a while.
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "supervise/supervise.h"

/* ---- starting ---- */

static int start_host(snug_supervisor *s, tenant *t)
{
    snug_host *host = NULL;
    int error = snug_host_open(&host, &s->host_options);

    pthread_mutex_lock(&s->lock);
    t->is_starting = 0;
    t->host = host;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (!error)
        notes_tell(s, SNUG_SUPERVISOR_EVENT_WORKER_STARTED, t->name, NULL, NULL);
    return error;
}

int hosts_get(snug_host **out, snug_supervisor *s, tenant *t)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&s->lock);
    while (t->is_starting)
        pthread_cond_wait(&s->changed, &s->lock);
    int starts = !t->host;
    t->is_starting = starts;
    pthread_mutex_unlock(&s->lock);
    if (starts)
        error = start_host(s, t);
    *out = t->host;
    return error;
}

int hosts_replace(snug_supervisor *s, tenant *t)
{
    snug_host *host = NULL;

    pthread_mutex_lock(&s->lock);
    int is_alone = !s->host && t->open == 1;
    if (is_alone) {
        host = t->host;
        t->host = NULL;
    }

    pthread_mutex_unlock(&s->lock);
    if (!is_alone)
        return SNUG_OK;

    snug_host_close(host);
    return hosts_get(&host, s, t);
}

/* ---- its worker ---- */

/* The tenant's worker of that process, noted now if it is a new one. NULL: none, or no memory. With
 * the lock. */
static worker *find_or_add_worker(tenant *t, int64_t process)
{
    worker *w = t->workers;

    while (w && (w->is_dead || w->process != process))
        w = w->next;
    if (w || process == 0)
        return w;

    w = calloc(1, sizeof *w);
    if (!w)
        return NULL;

    w->process = process;
    w->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)process, 0);
    w->next = t->workers;
    t->workers = w;
    return w;
}

void hosts_forget(seat *one)
{
    if (one->worker)
        one->worker->sessions--;
    one->worker = NULL;
}

void hosts_note(snug_supervisor *s, seat *one)
{
    int64_t process = snug_session_process(one->session);

    pthread_mutex_lock(&s->lock);
    hosts_forget(one);
    one->is_lost = 0;
    one->worker = find_or_add_worker(one->tenant, process);
    if (one->worker)
        one->worker->sessions++;
    pthread_mutex_unlock(&s->lock);
}

static void drop_workers(tenant *t, int only_dead)
{
    for (worker **at = &t->workers, *w; (w = *at);) {
        if (only_dead && !(w->is_dead && w->sessions == 0)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        if (w->pidfd >= 0)
            close(w->pidfd);
        free(w);
    }
}

void hosts_forget_workers(tenant *t)
{
    drop_workers(t, 0);
}

/* Its sessions end with the worker. Answers how many that were not lost before. */
static int mark_lost(tenant *t, const worker *w)
{
    int lost = 0;

    for (seat *one = t->seats; one; one = one->next) {
        if (!one->session || one->worker != w || one->is_lost)
            continue;
        one->is_lost = 1;
        lost++;
    }

    return lost;
}

/* With the lock. How many sessions are lost with one that is found dead; -1: all live. That one
 * without sessions ends is nobody's loss. */
static int bury_worker(snug_supervisor *s, tenant *t)
{
    int lost = -1;

    drop_workers(t, 1);
    for (worker *w = t->workers; w && lost < 0; w = w->next) {
        struct pollfd end = { .fd = w->pidfd, .events = POLLIN };
        if (w->is_dead || w->pidfd < 0 || poll(&end, 1, 0) <= 0)
            continue;

        w->is_dead = 1;
        if (w->sessions == 0)
            continue;
        s->counts.workers_died++;
        lost = mark_lost(t, w);
    }

    return lost;
}

static void tell_worker_death(snug_supervisor *s, const char *name, int lost)
{
    char message[ERROR_MESSAGE_BYTES];
    snprintf(message, sizeof message, "the worker of tenant %.200s has died with %d sessions", name,
             lost);
    notes_tell(s, SNUG_SUPERVISOR_EVENT_WORKER_DIED, name, NULL, message);
}

void hosts_check(snug_supervisor *s, tenant *t)
{
    int lost;
    do {
        pthread_mutex_lock(&s->lock);
        lost = bury_worker(s, t);
        pthread_mutex_unlock(&s->lock);
        if (lost >= 0)
            tell_worker_death(s, t->name, lost);
    } while (lost >= 0);
}

void hosts_check_all(snug_supervisor *s)
{
    int lost;
    do {
        char *name = NULL; /* a copy: without the lock the tenant may go */
        lost = -1;

        pthread_mutex_lock(&s->lock);
        for (tenant *t = s->tenants; t && lost < 0; t = t->next) {
            lost = bury_worker(s, t);
            if (lost >= 0)
                name = strdup(t->name);
        }
        pthread_mutex_unlock(&s->lock);

        if (name)
            tell_worker_death(s, name, lost);
        free(name);
    } while (lost >= 0);
}

/* ---- the end ---- */

static int has_idle_host(const tenant *t, uint64_t now, uint64_t idle_ns)
{
    return t->has_place && !t->is_starting && t->open == 0 && now - t->used_ns >= idle_ns;
}

int hosts_end_one(snug_supervisor *s, uint64_t idle_ns)
{
    snug_host *host = NULL;
    char *name = NULL;
    uint64_t now = notes_now(s);

    pthread_mutex_lock(&s->lock);
    tenant *t = s->tenants;
    while (t && !has_idle_host(t, now, idle_ns))
        t = t->next;
    int is_found = t != NULL;
    if (is_found) {
        s->saving++; /* who drains, or wants its place, waits until it has ended */
        host = t->host;
        t->host = NULL;
        t->has_place = 0;
        s->hosts--;
        hosts_forget_workers(t);
        name = strdup(t->name);
        queue_tidy_tenant(s, t);
    }

    pthread_mutex_unlock(&s->lock);
    if (host)
        snug_host_close(host);
    if (host && name)
        notes_tell(s, SNUG_SUPERVISOR_EVENT_WORKER_ENDED, name, NULL, NULL);
    free(name);

    pthread_mutex_lock(&s->lock);
    if (is_found)
        s->saving--;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return is_found;
}

void hosts_kill(snug_supervisor *s)
{
    for (tenant *t = s->tenants; t; t = t->next)
        for (worker *w = t->workers; w; w = w->next) {
            if (w->pidfd >= 0 && !w->is_dead)
                syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
            w->is_dead = 1;
        }
}

/* ---- memory ---- */

static uint64_t read_resident(int64_t process)
{
    char path[64];

    unsigned long long pages = 0;

    snprintf(path, sizeof path, "/proc/%lld/statm", (long long)process);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;

    if (fscanf(file, "%*u %llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Its share of what workers have in common with the zygote that has forked them; where the kernel
 * does not tell that (before 4.14, or to us), all that is resident. */
static uint64_t read_share(int64_t process)
{
    char path[64], line[256];

    unsigned long long kib = 0;

    snprintf(path, sizeof path, "/proc/%lld/smaps_rollup", (long long)process);
    FILE *file = fopen(path, "re");
    if (!file)
        return read_resident(process);

    while (kib == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %llu", &kib) != 1)
            kib = 0;

    fclose(file);

    if (kib == 0)
        return read_resident(process);
    return kib * 1024;
}

/* Behind a worker_command the worker is a child's child. */
enum { MOST_DEPTH = 8 };

/* Bytes of the process and of all below it. */
static uint64_t sum_tree_shares(int64_t process, int depth)
{
    char path[96];

    long long id = process, child;
    uint64_t bytes = read_share(process);

    if (depth == MOST_DEPTH)
        return bytes;

    snprintf(path, sizeof path, "/proc/%lld/task/%lld/children", id, id);
    FILE *file = fopen(path, "re");
    if (!file)
        return bytes;

    while (fscanf(file, "%lld", &child) == 1)
        bytes += sum_tree_shares(child, depth + 1);
    fclose(file);
    return bytes;
}

/* Malloc'ed; to be asked without the lock, because that takes its time. */
static int64_t *list_processes(snug_supervisor *s, size_t *count)
{
    *count = 0;
    pthread_mutex_lock(&s->lock);
    int64_t *list = malloc((s->hosts + s->open + 1) * sizeof *list);
    for (const tenant *t = s->tenants; list && t; t = t->next)
        for (const worker *w = t->workers; w && *count < s->hosts + s->open; w = w->next)
            if (!w->is_dead)
                list[(*count)++] = w->process;

    pthread_mutex_unlock(&s->lock);
    return list;
}

uint64_t hosts_memory(snug_supervisor *s)
{
    size_t count;
    uint64_t bytes = 0;

    if (s->world.memory_bytes)
        return s->world.memory_bytes(s->world.payload);
    if (s->host)
        return read_resident(getpid());

    int64_t *list = list_processes(s, &count);
    for (size_t i = 0; i < count; i++)
        bytes += sum_tree_shares(list[i], 0);
    free(list);
    return bytes;
}
