#include "worker/client/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/process/cgroup.h"
#include "base/thread.h"
#include "base/u64.h"

/* A sanitizer's own memory is many times that of the program. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

struct bounds {
    cgroup *group;
    int is_held; /* by the group; else it is looked at */
    int facts;   /* /proc/PROCESS/status, open */
    pid_t process;
    int pidfd;
    uint64_t base_bytes; /* what it had before there was a session */
    bounds_share sum;    /* of its sessions, but for the memory of those without a limit */
    uint64_t unlimited;  /* the number of those; both are written under the watch's lock */
    int is_watched;
    uint64_t next_ns; /* look */
    _Atomic int was_passed;
    bounds *next; /* of those that are looked at */
};

/* What a process needs besides what its sessions may have. */
enum { BASE_BYTES = 20 << 20, BASE_TASKS = 64 };

static uint64_t most_bytes(const bounds *b)
{
    if (b->unlimited > 0)
        return UINT64_MAX;
    return b->base_bytes + b->sum.memory_bytes + BASE_BYTES;
}

static uint64_t most_tasks(const bounds *b)
{
    if (b->sum.threads > UINT32_MAX)
        return CGROUP_UNLIMITED;
    return BASE_TASKS + b->sum.threads;
}

/* ---- what a process has ---- */

static uint64_t number_in(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    if (!line)
        return 0;
    return strtoull(line + strlen(name), NULL, 10);
}

typedef struct use {
    uint64_t bytes, threads; /* 0: it is gone */
} use;

/* What is its own, in memory or swapped out, and the tables that say where. What it shares are
 * files of its folder and nothing else: the filters see to that. */
static use read_use(const bounds *b)
{
    static const char *const names[] = { "\nRssAnon:", "\nVmPTE:", "\nVmSwap:" };
    char text[4096];
    use now = { 0 };

    if (b->facts < 0)
        return now;

    ssize_t len = pread(b->facts, text, sizeof text - 1, 0);
    if (len <= 0)
        return now;

    text[len] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        now.bytes += number_in(text, names[i]) * 1024;
    now.threads = number_in(text, "\nThreads:");
    return now;
}

/* ---- the thread that looks ---- */

/* Not more often than LOOK_NS, and not more seldom than IDLE_NS; between these, before what is left
 * could be filled at two bytes in a nanosecond. */
#define LOOK_NS (10 * NS_PER_MS)
#define IDLE_NS (100 * NS_PER_MS)
enum { BYTES_PER_NS = 2 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bounds *first;
    int is_running, is_ending;
    thread thread;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* In a forked process, which has neither the thread nor the workers. */
static void forget_watch(void)
{
    pthread_mutex_init(&watch.lock, NULL);
    pthread_cond_init(&watch.changed, NULL);
    watch.first = NULL;
    watch.is_running = watch.is_ending = 0;
}

static void end_worker(bounds *b)
{
    atomic_store(&b->was_passed, 1);
    if (b->pidfd >= 0)
        syscall(SYS_pidfd_send_signal, b->pidfd, SIGKILL, NULL, 0);
    else
        kill(b->process, SIGKILL);
}

static uint64_t soon_ns(uint64_t left_bytes)
{
    uint64_t ns = left_bytes / BYTES_PER_NS;

    if (ns < LOOK_NS)
        return LOOK_NS;
    return u64_least(ns, IDLE_NS);
}

static void look_once(bounds *b, uint64_t now_ns)
{
    const use now = read_use(b);
    uint64_t most = most_bytes(b);
    int is_over = now.bytes > most || now.threads > most_tasks(b);
    if (is_over && !atomic_load(&b->was_passed))
        end_worker(b);
    b->next_ns = now_ns + soon_ns(is_over ? 0 : most - now.bytes);
}

/* The lock is held. Answers when to look again. */
static uint64_t look_at_all(void)
{
    uint64_t now_ns = clock_now_ns(), next_ns = now_ns + IDLE_NS;

    for (bounds *b = watch.first; b; b = b->next) {
        if (b->next_ns <= now_ns)
            look_once(b, now_ns);
        if (b->next_ns < next_ns)
            next_ns = b->next_ns;
    }

    return next_ns;
}

static void *watch_all(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&watch.lock);
    while (!watch.is_ending) {
        uint64_t next_ns = look_at_all();
        const struct timespec until = { (time_t)(next_ns / NS_PER_S), (long)(next_ns % NS_PER_S) };
        pthread_cond_clockwait(&watch.changed, &watch.lock, CLOCK_MONOTONIC, &until);
    }

    pthread_mutex_unlock(&watch.lock);
    return NULL;
}

enum { STACK_BYTES = 128 * 1024 };

/* The list changes only while the thread runs or there is none. */
static void lock_list(void)
{
    pthread_mutex_lock(&watch.lock);
    while (watch.is_ending)
        pthread_cond_wait(&watch.changed, &watch.lock);
}

/* A worker that cannot be looked at is bounded by the limits of its sessions alone. */
static void join_watch(bounds *b)
{
    lock_list();
    b->next = watch.first;
    watch.first = b;
    b->is_watched = 1;
    if (!watch.is_running)
        watch.is_running =
            thread_start(&watch.thread, "snug bounds", STACK_BYTES, watch_all, NULL) == SNUG_OK;
    pthread_mutex_unlock(&watch.lock);
}

/* The lock is held, but not while the thread ends. */
static void end_watch(void)
{
    thread ended = watch.thread;

    watch.is_ending = 1;
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.lock);
    thread_join(&ended);
    pthread_mutex_lock(&watch.lock);
    watch.is_running = watch.is_ending = 0;
    pthread_cond_broadcast(&watch.changed);
}

/* The last one ends the thread. */
static void leave_watch(const bounds *b)
{
    lock_list();
    bounds **at = &watch.first;
    while (*at && *at != b)
        at = &(*at)->next;

    if (*at) {
        *at = b->next;
        if (!watch.first && watch.is_running)
            end_watch();
    }

    pthread_mutex_unlock(&watch.lock);
}

/* ---- a worker's ---- */

bounds *bounds_open(void)
{
    if (IS_SANITIZED)
        return NULL;

    bounds *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;

    forked_renew(forget_watch);
    b->facts = b->pidfd = -1;
    /* Without one it is looked at. */
    cgroup_open(&b->group, CGROUP_UNLIMITED, CGROUP_UNLIMITED);
    return b;
}

const char *bounds_place(const bounds *b)
{
    if (!b)
        return "";
    return cgroup_place(b->group);
}

/* Where this fails, the worker is not looked at. */
static void open_facts(bounds *b, pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    b->facts = open(path, O_RDONLY | O_CLOEXEC);
}

/* A limit of more than any session can have is none. */
#define MOST_LIMIT (UINT64_C(1) << 50)

/* The kernel counts pages of files as memory. */
static void set_group(const bounds *b)
{
    uint64_t bytes = most_bytes(b);
    uint64_t limit = bytes > MOST_LIMIT ? CGROUP_UNLIMITED : bytes + b->sum.file_bytes;

    cgroup_limit(b->group, limit, most_tasks(b));
}

/* A group holds to memory and files together, and does not tell one from the other: then memory
 * is looked at besides. */
static int needs_watch(const bounds *b)
{
    return b->facts >= 0 && (!b->is_held || b->sum.file_bytes > 0);
}

/* After each change of what the worker may have, once there is a worker. */
static void enforce_bounds(bounds *b)
{
    if (b->process <= 0)
        return;

    set_group(b);
    if (!b->is_watched && needs_watch(b))
        join_watch(b);
}

void bounds_begin(bounds *b, pid_t process, int pidfd)
{
    cgroup_facts facts;

    if (!b)
        return;
    open_facts(b, process);
    cgroup_look(&facts, b->group);
    b->process = process;
    b->pidfd = pidfd;
    b->is_held = facts.bytes > 0;

    /* What it shares with its zygote the group does not count until it is written to. */
    b->base_bytes = read_use(b).bytes;
    enforce_bounds(b);
}

static int is_unlimited(const bounds_share *share)
{
    return share->memory_bytes > MOST_LIMIT;
}

/* So that a sum does not overflow. */
static uint64_t threads_in(const bounds_share *share)
{
    return u64_least(share->threads, UINT64_C(1) << 32);
}

void bounds_add(bounds *b, const bounds_share *share)
{
    if (!b)
        return;

    pthread_mutex_lock(&watch.lock);
    if (is_unlimited(share))
        b->unlimited++;
    else
        b->sum.memory_bytes += share->memory_bytes;
    b->sum.threads += threads_in(share);
    b->sum.file_bytes += share->file_bytes;
    pthread_mutex_unlock(&watch.lock);
    enforce_bounds(b);
}

void bounds_remove(bounds *b, const bounds_share *share)
{
    if (!b)
        return;

    pthread_mutex_lock(&watch.lock);
    if (is_unlimited(share))
        b->unlimited--;
    else
        b->sum.memory_bytes -= share->memory_bytes;
    b->sum.threads -= threads_in(share);
    b->sum.file_bytes -= share->file_bytes;
    pthread_mutex_unlock(&watch.lock);
    enforce_bounds(b);
}

int bounds_were_passed(bounds *b)
{
    cgroup_facts facts;
    if (!b)
        return 0;
    cgroup_look(&facts, b->group);
    return facts.kills > 0 || atomic_load(&b->was_passed);
}

void bounds_close(bounds *b)
{
    if (!b)
        return;
    leave_watch(b);
    cgroup_close(b->group);
    if (b->facts >= 0)
        close(b->facts);
    free(b);
}

int bounds_tell(const bounds *b, str *out)
{
    if (!b)
        return str_add(out, "bounds: none of the host's; what the command makes\n");
    if (b->is_held)
        return str_add(out, "bounds: a group of the kernel's (cgroup)\n");
    if (b->facts < 0)
        return str_add(out, "bounds: none; missing: cgroup, /proc\n");
    return str_printf(out, "bounds: looked at every %d ms; missing: cgroup\n",
                      (int)(LOOK_NS / NS_PER_MS));
}
