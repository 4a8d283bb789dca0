#include "bash/grants.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/tree.h"
#include "base/u64.h"
#include "bash/leads.h"
#include "bash/locks.h"
#include "policy/creations.h"
#include "session/core/session.h"

/* The process's, which serves one session: the kernel asks a process and no session. */
static struct {
    pthread_mutex_t lock;
    int fd;
    thread thread;
    snug_session *session;
    uint64_t left;    /* since the last look */
    uint64_t look_ns; /* the next, for who has filled those that were granted meanwhile */
} grants = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

#define LOOK_NS (5 * NS_PER_MS)

void grants_hold(void)
{
    pthread_mutex_lock(&grants.lock);
}

void grants_release(void)
{
    pthread_mutex_unlock(&grants.lock);
}

/* Its own threads put files for the host, which counts them itself. */
static int is_own_thread(pid_t who)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)who);
    return access(path, F_OK) == 0;
}

/* How many more there may be: none where the limit of bytes is reached. */
static void count_room(const snug_session *session)
{
    enum { REST = 10 };
    tree_usage now;
    const disk_account *disk = &session->files.disk;
    uint64_t began_ns = clock_thread_cpu_ns();
    int error = tree_measure(&now, session->files.workdir);
    grants.look_ns = clock_now_ns() + LOOK_NS + REST * (clock_thread_cpu_ns() - began_ns);
    grants.left = 0;
    if (error || now.bytes >= u64_sum(disk->limit.bytes, disk->before.bytes))
        return;
    uint64_t most = u64_sum(disk->limit.files, disk->before.files);
    grants.left = now.files < most ? most - now.files : 0;
}

/* What is there already, or would be elsewhere. */
static int is_harmless(const snug_session *session, const creation *c)
{
    char path[PATH_MAX + 1];
    struct stat folder, work;
    int is_told = creation_path(path, sizeof path, c);

    /* The shell learns it by files that are there: /dev/null. Who hides is ended. */
    if (is_told != 1)
        return is_told == 0;

    lead end = leads_to(&folder, c->who, c->folder, path);
    if (end != LEAD_NEW)
        return end != LEAD_UNKNOWN;
    return stat(session->files.workdir, &work) == 0 && folder.st_dev != work.st_dev;
}

static int judge_file(const creation *c)
{
    if (grants.session && (grants.left == 0 || clock_now_ns() >= grants.look_ns))
        count_room(grants.session);
    if (grants.session && grants.left > 0)
        grants.left--;
    else if (grants.session)
        return is_harmless(grants.session, c) ? 0 : EDQUOT;
    return 0;
}

static int judge_creation(void *payload, const creation *c)
{
    (void)payload;
    int error = 0;
    if (is_own_thread(c->who))
        return 0;

    grants_hold();
    /* A move waits for whoever looks, and that is all. */
    if (c->kind == CREATION_OF_LOCK)
        error = locks_ask();
    else if (c->kind != CREATION_BY_MOVE)
        error = judge_file(c);

    grants_release();
    return error;
}

static void *serve_creations(void *payload)
{
    creations_serve(grants.fd, judge_creation, payload);
    return NULL;
}

void grants_begin(void)
{
    enum { STACK_BYTES = 1 << 20 };
    grants.fd = creations_load();

    /* Without the thread nothing could ever be made. */
    if (grants.fd >= 0 &&
        thread_start(&grants.thread, "snug grants", STACK_BYTES, serve_creations, NULL) != 0) {
        close(grants.fd);
        grants.fd = -1;
    }
}

void grants_set(snug_session *session)
{
    grants_hold();
    grants.session = session;
    grants.left = 0;
    grants_release();
}

void grants_forget(void)
{
    grants_hold();
    grants.left = 0;
    locks_forget();
    grants_release();
}
