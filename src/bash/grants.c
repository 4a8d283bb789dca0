#include "bash/grants.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/tree.h"
#include "policy/creations.h"
#include "session/session.h"

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

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Its own threads put files for the host, which counts them itself. */
static int is_ours(pid_t who)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)who);
    return access(path, F_OK) == 0;
}

/* How many more there may be: none where the limit of bytes is reached. */
static void look(const snug_session *session)
{
    enum { REST = 10 };
    tree_usage now;
    const disk_account *disk = &session->disk;
    uint64_t began_ns = clock_thread_cpu_ns();
    int error = tree_measure(&now, session->workdir);
    grants.look_ns = clock_now_ns() + LOOK_NS + REST * (clock_thread_cpu_ns() - began_ns);
    grants.left = 0;
    if (error || now.bytes >= sum(disk->limit.bytes, disk->before.bytes))
        return;
    uint64_t most = sum(disk->limit.files, disk->before.files);
    grants.left = now.files < most ? most - now.files : 0;
}

/* What is there already, or would be elsewhere. */
static int is_harmless(const snug_session *session, const creation *c)
{
    char path[PATH_MAX + 64];
    struct stat facts, work;
    int is_told = creation_path(path, sizeof path, c);
    /* The shell is told by files that are there: /dev/null. Who hides is ended. */
    if (is_told != 1)
        return is_told == 0;
    if (stat(path, &facts) == 0)
        return 1;
    char *slash = strrchr(path, '/');
    if (slash == path)
        return 1;
    *slash = '\0';
    return stat(path, &facts) != 0 || stat(session->workdir, &work) != 0 ||
           facts.st_dev != work.st_dev;
}

static int judge(void *payload, const creation *c)
{
    (void)payload;
    int error = 0;
    if (is_ours(c->who))
        return 0;
    pthread_mutex_lock(&grants.lock);
    if (grants.session && (grants.left == 0 || clock_now_ns() >= grants.look_ns))
        look(grants.session);
    if (grants.session && grants.left > 0)
        grants.left--;
    else if (grants.session)
        error = is_harmless(grants.session, c) ? 0 : EDQUOT;
    pthread_mutex_unlock(&grants.lock);
    return error;
}

static void *serve(void *payload)
{
    creations_serve(grants.fd, judge, payload);
    return NULL;
}

void grants_begin(void)
{
    enum { STACK_BYTES = 1 << 20 };
    grants.fd = creations_load();
    /* Without the thread nothing could ever be made. */
    if (grants.fd >= 0 &&
        thread_start(&grants.thread, "snug grants", STACK_BYTES, serve, NULL) != 0) {
        close(grants.fd);
        grants.fd = -1;
    }
}

void grants_set(snug_session *session)
{
    pthread_mutex_lock(&grants.lock);
    grants.session = session;
    grants.left = 0;
    pthread_mutex_unlock(&grants.lock);
}

void grants_forget(void)
{
    pthread_mutex_lock(&grants.lock);
    grants.left = 0;
    pthread_mutex_unlock(&grants.lock);
}
