/*
 * disk_watch.c - what machine code writes to a work directory on the disk, seen from outside.
 *
 * A full session's code does not ask before it writes. So a thread of this process looks at the
 * folder while the session's worker runs, in cells and between them. Where it finds more than the
 * limits and still growing, it interrupts the cell, and ends the worker of one that goes on. What
 * is written between two looks is bounded by the machine alone.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/nameless.h"
#include "base/thread.h"
#include "base/u64.h"
#include "session/result/result.h"
#include "worker/client/client.h"
#include "worker/client/silence.h"

/* At least LOOK_NS apart and at most IDLE_NS; between these, before what is left could be written
 * at two bytes in a nanosecond, or made at a file in two microseconds. */
#define LOOK_NS (5 * NS_PER_MS)
#define IDLE_NS (100 * NS_PER_MS)
enum { BYTES_PER_NS = 2, NS_PER_FILE = 2000 };

/* A large folder takes a while to go through: it gets a tenth of the time. */
enum { REST = 10 };

/* A caller that has put more than a few files there since the last cell took longer for it. */
#define PAUSE_NS (5 * NS_PER_MS)

enum { STACK_BYTES = 256 * 1024 };

typedef struct disk_watch {
    snug_session *session;
    thread thread;
    _Atomic uint64_t bytes, files; /* the limits that hold now */
    uint64_t ended_ns;             /* the last cell; the caller's own */
    pthread_mutex_t lock;          /* of all that follows */
    pthread_cond_t changed;
    int is_ending;
    worker_link *link;  /* the session's, held; NULL: it has none. Its caller changes it */
    int is_dim;         /* some of what was there before cannot be seen */
    tree_usage before;  /* what is not the session's */
    tree_usage allowed; /* with that, at the last look */
    tree_usage last;    /* found by it */
    uint64_t cpu_ns;    /* what the worker had used then */
    uint64_t rest_ns;   /* no look before, as the last took long */
    int is_over;        /* was found over: */
    tree_usage first;   /* with so much at first */
    int was_told;       /* and a cell was interrupted for it, */
    uint32_t told;      /* of that number; 0: its end has been seen */
} disk_watch;

static tree_usage add_usages(tree_usage a, tree_usage b)
{
    return (tree_usage){ u64_sum(a.bytes, b.bytes), u64_sum(a.files, b.files) };
}

static void store_limits(disk_watch *w, const snug_limits *limits)
{
    atomic_store_explicit(&w->bytes, limits->disk_bytes, memory_order_relaxed);
    atomic_store_explicit(&w->files, limits->disk_files, memory_order_relaxed);
}

static tree_usage current_limit(disk_watch *w)
{
    return (tree_usage){ atomic_load_explicit(&w->bytes, memory_order_relaxed),
                         atomic_load_explicit(&w->files, memory_order_relaxed) };
}

/* ---- a look; the lock is held ---- */

/* 0: there is none. */
static pid_t worker_process_of(const disk_watch *w)
{
    if (!w->link)
        return 0;
    return link_process(w->link);
}

static int is_hidden_by(int error)
{
    return error == EACCES || error == EPERM || error == ELOOP;
}

/* Files of that file system which the worker has open and nobody finds in a folder. */
static tree_usage nameless_of(const disk_watch *w, pid_t process)
{
    struct stat facts;
    nameless n = { .count = 0 };

    if (stat(w->session->files.workdir, &facts) != 0)
        return n.sum;
    n.device = facts.st_dev;
    if (process > 0)
        nameless_add_process(&n, process);
    return n.sum;
}

/* 0: it could not be measured. What the session hides counts as full. */
static int measure_folder(tree_usage *now, disk_watch *w)
{
    uint64_t began_ns = clock_thread_cpu_ns();
    int error = tree_measure(now, w->session->files.workdir);
    int is_hidden = is_hidden_by(error);

    if (!error || (is_hidden && w->is_dim))
        *now = add_usages(*now, nameless_of(w, worker_process_of(w)));
    else if (is_hidden)
        *now = (tree_usage){ UINT64_MAX, UINT64_MAX };

    w->rest_ns = clock_now_ns() + REST * (clock_thread_cpu_ns() - began_ns);
    return !error || is_hidden;
}

static int is_over_limit(const tree_usage *now, const tree_usage *most)
{
    return now->bytes > most->bytes || now->files > most->files;
}

/* A session that has too much and tidies up is left alone. */
static int is_growing(const tree_usage *now, const tree_usage *last, const tree_usage *most)
{
    return now->bytes == UINT64_MAX || (now->bytes > most->bytes && now->bytes > last->bytes) ||
           (now->files > most->files && now->files > last->files);
}

/* What a cell may still write after it was interrupted: what it is doing takes a moment. */
static tree_usage a_little(tree_usage limit)
{
    enum { PART = 4, MOST_BYTES = 16 << 20, MOST_FILES = 256 };
    uint64_t bytes = limit.bytes / PART, files = limit.files / PART;
    return (tree_usage){ u64_least(bytes, MOST_BYTES), u64_least(files, MOST_FILES) };
}

/* This thread never waits for the worker. */
static void interrupt_writer(disk_watch *w, uint32_t number)
{
    remote *r = w->session->remote;
    w->was_told = 1;
    w->told = number;
    /* The answer may be there before this thread goes on. */
    atomic_store(&r->full, number);
    if (link_send_at_once(w->link, FRAME_INTERRUPT, r->line.channel, number))
        link_nudge(w->link, &r->line);
}

static void stop_writing(disk_watch *w, uint32_t running, const tree_usage *now,
                         const tree_usage *most)
{
    if (!w->is_over)
        w->first = now->bytes == UINT64_MAX ? *most : *now;
    w->is_over = 1;
    const tree_usage last_word = add_usages(w->first, a_little(current_limit(w)));
    if (is_over_limit(now, &last_word) && (w->was_told || running == 0))
        link_end_now(w->link, LINK_FULL);
    else if (running > 0)
        interrupt_writer(w, running);
}

/* running: before that was measured. */
static void judge_usage(disk_watch *w, uint32_t running, const tree_usage *now)
{
    const tree_usage most = add_usages(w->before, current_limit(w));
    /* What an earlier cell was allowed to make is not the fault of one that is allowed less; nor is
     * what a cell made after it was told to end. */
    int is_settled = is_over_limit(&w->allowed, &most) || (w->told != 0 && running != w->told);

    w->allowed = most;
    if (running != w->told)
        w->told = 0;
    if (!is_over_limit(now, &most))
        w->is_over = w->was_told = 0;
    else if (!is_settled && is_growing(now, &w->last, &most))
        stop_writing(w, running, now, &most);
}

static int is_unlimited(tree_usage limit)
{
    return limit.bytes == SNUG_UNLIMITED && limit.files == SNUG_UNLIMITED;
}

/* A worker that has not run has not written. */
static void look_at_folder(disk_watch *w)
{
    tree_usage now;

    if (is_unlimited(current_limit(w)))
        return;
    uint32_t running = atomic_load(&w->session->remote->running);
    pid_t process = worker_process_of(w);
    uint64_t cpu_ns = signs_cpu_ns(process);
    if (process == 0 || (cpu_ns > 0 && cpu_ns == w->cpu_ns) || !measure_folder(&now, w))
        return;

    judge_usage(w, running, &now);
    w->last = now;
    w->cpu_ns = cpu_ns;
}

static uint64_t difference(uint64_t now, uint64_t most)
{
    return most > now ? most - now : 0;
}

/* When to look again. */
static uint64_t next_ns(disk_watch *w)
{
    const tree_usage most = add_usages(w->before, current_limit(w));
    uint64_t files = u64_least(difference(w->last.files, most.files), IDLE_NS / NS_PER_FILE);
    uint64_t ns =
        u64_least(difference(w->last.bytes, most.bytes) / BYTES_PER_NS, files * NS_PER_FILE);

    if (ns < LOOK_NS)
        ns = LOOK_NS;

    uint64_t then_ns = clock_now_ns() + u64_least(ns, IDLE_NS);
    return then_ns > w->rest_ns ? then_ns : w->rest_ns;
}

static void *watch_folder(void *payload)
{
    disk_watch *w = payload;

    pthread_mutex_lock(&w->lock);
    while (!w->is_ending) {
        uint64_t then_ns = next_ns(w);
        const struct timespec until = { (time_t)(then_ns / NS_PER_S), (long)(then_ns % NS_PER_S) };
        if (pthread_cond_clockwait(&w->changed, &w->lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT)
            look_at_folder(w);
    }

    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- a session's ---- */

/* A folder in memory is bounded by its size, and one on another machine cannot be seen. */
static int needs_watch(const snug_session *session)
{
    return session->kind == SNUG_KIND_FULL && session->files.folder == 0 &&
           session->files.workdir && !session->host->remote->command;
}

static int start_watch(disk_watch *w, snug_session *session)
{
    w->session = session;
    w->link = link_hold(session->remote->link);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->is_dim = is_hidden_by(tree_measure(&w->before, session->files.workdir));
    w->last = w->before;
    int error = thread_start(&w->thread, "snug disk", STACK_BYTES, watch_folder, w);
    if (!error)
        return SNUG_OK;

    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    link_drop(w->link);
    return error;
}

/* Whether it has done nothing since it had used so much. */
static int has_rested(pid_t process, uint64_t cpu_ns)
{
    return signs_is_running(process) == 0 && cpu_ns > 0 && signs_cpu_ns(process) == cpu_ns;
}

static int has_more(const tree_usage *now, const tree_usage *last)
{
    return now->bytes > last->bytes || now->files > last->files;
}

/* Nothing is known of a new worker but what is there now; nor was it told. */
static void take_over_worker(disk_watch *w)
{
    tree_usage now;
    w->link = link_hold(w->session->remote->link);
    w->told = 0;
    w->was_told = 0;
    w->cpu_ns = signs_cpu_ns(worker_process_of(w));
    if (measure_folder(&now, w))
        w->last = now;
}

/* What was put there since the worker has run last is not the session's. */
static void give_to_caller(disk_watch *w)
{
    tree_usage now;
    pid_t process = worker_process_of(w);

    if (clock_now_ns() < w->rest_ns || signs_cpu_ns(process) != w->cpu_ns)
        return;
    if (!measure_folder(&now, w) || now.bytes == UINT64_MAX || !has_more(&now, &w->last))
        return;
    if (!has_rested(process, w->cpu_ns))
        return;

    const tree_usage more = { difference(w->last.bytes, now.bytes),
                              difference(w->last.files, now.files) };
    w->before = add_usages(w->before, more);
    w->last = now;
}

static void begin_again(disk_watch *w)
{
    pthread_mutex_lock(&w->lock);
    if (w->link)
        give_to_caller(w);
    else
        take_over_worker(w);
    pthread_mutex_unlock(&w->lock);
}

static void change_limits(disk_watch *w, const snug_limits *limits)
{
    const tree_usage before = current_limit(w);

    store_limits(w, limits);
    if (limits->disk_bytes >= before.bytes && limits->disk_files >= before.files)
        return;

    /* The thread sleeps for as long as the limits before left it: now that is less. */
    pthread_mutex_lock(&w->lock);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static int open_watch(snug_session *session, const snug_limits *limits)
{
    disk_watch *w = calloc(1, sizeof *w);
    if (!w)
        return error_no_memory();

    store_limits(w, limits);
    int error = start_watch(w, session);
    if (error) {
        free(w);
        return error;
    }

    session->remote->watch = w;
    return SNUG_OK;
}

int remote_disk_begin(snug_session *session, const snug_limits *limits)
{
    remote *r = session->remote;
    disk_watch *w = r->watch;
    if (!w && !needs_watch(session))
        return SNUG_OK;

    atomic_store_explicit(&r->full, 0, memory_order_relaxed);
    if (!w)
        return open_watch(session, limits);
    if (!w->link || clock_now_ns() - w->ended_ns >= PAUSE_NS)
        begin_again(w);
    change_limits(w, limits);
    return SNUG_OK;
}

void remote_disk_leave(snug_session *session)
{
    disk_watch *w = session->remote->watch;
    if (!w || !w->link)
        return;
    pthread_mutex_lock(&w->lock);
    link_drop(w->link);
    w->link = NULL;
    pthread_mutex_unlock(&w->lock);
}

void remote_disk_end(snug_session *session)
{
    disk_watch *w = session->remote->watch;
    if (!w)
        return;

    session->remote->watch = NULL;
    pthread_mutex_lock(&w->lock);
    w->is_ending = 1;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    thread_join(&w->thread);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ---- what is said of it ---- */

/* The frames stay, and the last line tells another name. */
static int tell_in_traceback(outcome *o, const char *was)
{
    size_t len = o->traceback.len;

    for (size_t i = len; i-- > 0;)
        if ((i == 0 || o->traceback.data[i - 1] == '\n') &&
            strncmp(o->traceback.data + i, was, strlen(was)) == 0) {
            o->traceback.data[o->traceback.len = i] = '\0';
            break;
        }

    return str_printf(&o->traceback, "%s: %s\n", str_text(&o->error_name),
                      str_text(&o->error_value));
}

int remote_disk_judge(snug_result *result, const snug_session *session)
{
    outcome *o = &result->outcome;
    disk_watch *w = session->remote->watch;
    if (!w)
        return SNUG_OK;

    w->ended_ns = clock_now_ns();
    if (o->status != SNUG_STATUS_INTERRUPTED ||
        atomic_load(&session->remote->full) != session->remote->line.number)
        return SNUG_OK;

    o->status = SNUG_STATUS_ERROR;
    o->category = "io";
    o->error_class = "environment";
    str_clear(&o->error_name);
    str_clear(&o->error_value);
    int error = str_add(&o->error_name, "DiskLimit");
    if (!error)
        error = str_printf(&o->error_value,
                           "the session's files had more than %llu bytes, or were too many",
                           (unsigned long long)atomic_load(&w->bytes));

    if (!error)
        error = tell_in_traceback(o, "KeyboardInterrupt");
    if (!error && result->state != SNUG_STATE_LOST) {
        str_clear(&o->hint);
        error = str_add(&o->hint, "Remove files that are not needed any more, and write less.");
    }

    if (error)
        return error_no_memory();
    return SNUG_OK;
}
