#include "session/core/full.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/procself.h"
#include "py/core/home.h"
#include "py/guard/package_imports.h"
#include "py/life/preload.h"
#include "py/life/runtime.h"
#include "session/core/session.h"

/* ---- the process ---- */

/* The first process of a namespace ignores what it sends itself, and the C library would make a
 * segmentation fault of that. */
static void abort_by_status(int number)
{
    raise(number); /* unblocked, and as it was before */
    _exit(128 + number);
}

int full_allow(void)
{
    const struct sigaction on_abort = { .sa_handler = abort_by_status,
                                        .sa_flags = SA_NODEFER | (int)SA_RESETHAND };
    int error = runtime_be_full();
    if (error)
        return error;

    guard_forgo_jumps();
    /* The process is one session's. In a heap of its thread's own, a hole below the last block
     * stays the process's, and RLIMIT_DATA counts it: half of the limit was gone for good. */
    mallopt(M_ARENA_MAX, 1);
    sigaction(SIGABRT, &on_abort, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write past RLIMIT_FSIZE fails, and that is all */
    return SNUG_OK;
}

int full_preload(const char *const *names, const char *packages)
{
    int error = full_allow();
    if (!error)
        error = runtime_start(NULL, 0);
    if (error)
        return error;
    return preload_import(names, packages);
}

/* ---- the session's place ---- */

int full_claim(snug_session *session)
{
    snug_host *host = session->host;
    int error = SNUG_OK;

    if (session->kind != SNUG_KIND_FULL)
        return SNUG_OK;
    pthread_mutex_lock(&host->lock);
    if (host->is_full_lost)
        error = error_set(SNUG_EDEAD, "this worker's interpreter is lost: end the process");
    else if (host->has_full)
        error =
            error_set(SNUG_EBUSY, "a full session is open in this process: it has one at a time");
    else
        host->has_full = session->full.has_place = 1;

    pthread_mutex_unlock(&host->lock);
    return error;
}

int full_check_kind(snug_kind kind)
{
    if (kind != SNUG_KIND_FULL && kind != SNUG_KIND_RESTRICTED)
        return error_set(SNUG_EINVAL, "kind %d is none of snug_kind", (int)kind);
    if (kind == SNUG_KIND_FULL && !runtime_is_full())
        return error_set(SNUG_EINVAL, "full sessions live in a worker, not in this process");
    if (kind == SNUG_KIND_RESTRICTED && runtime_is_full())
        return error_set(SNUG_EINVAL,
                         "this process is for full sessions: restricted ones live in another");

    return SNUG_OK;
}

void full_release(snug_session *session)
{
    if (!session->full.has_place)
        return;

    session->full.has_place = 0;
    pthread_mutex_lock(&session->host->lock);
    session->host->has_full = 0;
    pthread_mutex_unlock(&session->host->lock);
}

int full_check_packages(const char *const *allow, const char *folder)
{
    for (; allow && *allow; allow++) {
        str why = { 0 };
        size_t len = strlen(*allow);
        if (home_has_module(*allow, len) || packages_has(folder, *allow, len))
            continue;

        int error;
        if (packages_explain(&why, folder, *allow, len) != SNUG_OK)
            error = error_no_memory();
        else
            error = error_set(SNUG_ENOTFOUND, "%s", str_text(&why));
        str_free(&why);
        return error;
    }
    return SNUG_OK;
}

/* ---- files ---- */

/* What packages read of the machine: libraries, fonts, data, how many processors it has. */
static const path_root roots[] = {
    { "/usr/lib", PATH_READ, 1 },
    { "/usr/local/lib", PATH_READ, 1 },
    { "/lib", PATH_READ, 1 },
    { "/lib64", PATH_READ, 1 },
    { "/etc/ld.so.cache", PATH_READ, 1 },
    { "/usr/share/fonts", PATH_READ, 1 },
    { "/usr/local/share/fonts", PATH_READ, 1 },
    { "/usr/share/fontconfig", PATH_READ, 1 },
    { "/etc/fonts", PATH_READ, 1 },
    { "/usr/share/matplotlib", PATH_READ, 1 },
    { "/usr/share/python3-matplotlib", PATH_READ, 1 },
    { "/etc/matplotlibrc", PATH_READ, 1 },
    { "/etc/mime.types", PATH_READ, 1 },
    { "/usr/share/mime", PATH_READ, 1 },
    { "/proc/cpuinfo", PATH_READ, 1 },
    { "/proc/meminfo", PATH_READ, 1 },
    { "/sys/devices/system/cpu", PATH_READ, 1 },
    { "/dev/null", PATH_WRITE, 1 },
};
_Static_assert(sizeof roots / sizeof *roots <= SESSION_FULL_ROOTS, "SESSION_FULL_ROOTS");

const path_root *full_roots(size_t *count)
{
    *count = sizeof roots / sizeof *roots;
    return roots;
}

void full_add_roots(snug_session *session)
{
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        session->files.roots[session->files.root_count++] = roots[i];
}

/* ---- memory ---- */

/* What extensions in C allocate, no account of ours sees. The kernel counts it by process: as the
 * process is the session's, what it has now and the session's limit is what it may have. */

/* For the host's own threads: while a job runs, and to take its result. */
enum { SLACK_BYTES = 8 << 20, REST_BYTES = 16 << 20 };

/* Private and writable, as RLIMIT_DATA counts; 0: that cannot be read here. */
static uint64_t data_bytes(void)
{
    char text[256];

    unsigned long long pages = 0;

    int fd = procself_open("statm", O_RDONLY);
    if (fd < 0)
        return 0;

    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
        return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t soft_limit(int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return RLIM_INFINITY;
    return limit.rlim_cur;
}

static void set_soft(int resource, uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return;
    limit.rlim_cur = bytes < limit.rlim_max ? (rlim_t)bytes : limit.rlim_max;
    setrlimit((__rlimit_resource_t)resource, &limit);
}

void full_limit_begin(snug_session *session)
{
    session->full.data_before = soft_limit(RLIMIT_DATA);
    session->full.data_base = data_bytes();
}

/* With a reserve for the cell after one that has filled it, as memory_begin. */
static void limit_data(const snug_session *session, uint64_t slack_bytes)
{
    uint64_t limit = session->limits.memory_bytes, now = data_bytes(),
             base = session->full.data_base;
    if (base == 0 || now == 0 || limit >= INT64_MAX - base)
        return;

    uint64_t reserve = limit / 8;
    if (reserve < (uint64_t)MEMORY_RESERVE_BYTES)
        reserve = (uint64_t)MEMORY_RESERVE_BYTES;

    uint64_t least = base + limit, wanted = now + reserve, most = base + limit + 2 * reserve;
    if (wanted < least)
        wanted = least;
    if (wanted > most)
        wanted = most;
    if (session->full.is_copied)
        wanted = now + 4 * limit; /* values, pickles and messages of them */
    set_soft(RLIMIT_DATA, wanted + slack_bytes);
}

void full_limit_end(snug_session *session)
{
    if (session->full.data_base != 0)
        set_soft(RLIMIT_DATA, session->full.data_before);
    session->full.data_base = 0;
}

/* What numpy and others write by the C library's streams, no function of ours sees. A mount's files
 * may be longer. */
static int limits_files(const snug_session *session)
{
    int answer = session->limits.disk_bytes < INT64_MAX;
    for (size_t i = 0; i < session->files.mount_count; i++)
        answer &= session->files.mounts[i].access == PATH_READ;
    return answer;
}

void full_limit_job(snug_session *session)
{
    limit_data(session, SLACK_BYTES);
    session->full.file_before = soft_limit(RLIMIT_FSIZE);
    if (limits_files(session))
        set_soft(RLIMIT_FSIZE, session->limits.disk_bytes);
}

void full_limit_rest(snug_session *session)
{
    limit_data(session, SLACK_BYTES + REST_BYTES);
    if (limits_files(session))
        set_soft(RLIMIT_FSIZE, session->full.file_before);
}
