#include "bash/grants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/tree.h"
#include "base/u64.h"
#include "bash/creations.h"
#include "session/core/session.h"

/* ---- leads ---- */

/* Where a path leads that another process uses, each name looked up by itself: a link in /proc
 * leads elsewhere for each process, and where is not known. */

typedef enum lead {
    LEAD_THERE,   /* to something that is there */
    LEAD_NEW,     /* to nothing yet, in a folder that is there */
    LEAD_NOWHERE, /* such a folder is missing: whoever asks for it hears so */
    LEAD_UNKNOWN  /* it cannot be said where */
} lead;

/* As many as the kernel follows. */
enum { MOST_LINKS = 40, TEXT_BYTES = 2 * PATH_MAX };

typedef struct walk {
    int at; /* a folder; O_PATH */
    int links;
    char rest[TEXT_BYTES]; /* of the path, from there on */
} walk;

static int open_path(int folder, const char *name, int flags)
{
    return openat(folder, name, O_PATH | O_CLOEXEC | flags);
}

static void move_to(walk *w, int fd)
{
    close(w->at);
    w->at = fd;
}

static int open_start(pid_t tid, int start, const char *path)
{
    char name[64];

    if (*path == '/')
        return open_path(AT_FDCWD, "/", O_DIRECTORY);
    if (start == AT_FDCWD)
        snprintf(name, sizeof name, "/proc/%d/cwd", (int)tid);
    else
        snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)tid, start);

    return open_path(AT_FDCWD, name, O_DIRECTORY);
}

/* ---- links ---- */

/* There a link leads elsewhere for each process that follows it. */
static int is_in_proc(int folder)
{
    struct statfs system;
    return fstatfs(folder, &system) != 0 || system.f_type == PROC_SUPER_MAGIC;
}

/* /dev/stdout, /dev/fd/3: what a process has open is not made. */
static int is_open_file(const char *path)
{
    static const char folder[] = "/dev/fd/";

    if (strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0)
        return 1;
    if (strncmp(path, folder, sizeof folder - 1) != 0)
        return 0;
    path += sizeof folder - 1;
    return *path && path[strspn(path, "0123456789")] == '\0';
}

/* Puts its text before the rest. */
static int follow_text(walk *w, const char *name)
{
    char text[TEXT_BYTES];
    size_t rest = strlen(w->rest) + 1;
    ssize_t len = readlinkat(w->at, name, text, sizeof text);

    if (len < 0 || (size_t)len + 1 + rest > sizeof w->rest)
        return -1;
    memmove(w->rest + len + 1, w->rest, rest);
    memcpy(w->rest, text, (size_t)len);
    w->rest[len] = '/';
    if (*w->rest != '/')
        return 0;

    int root = open_path(AT_FDCWD, "/", O_DIRECTORY);
    if (root < 0)
        return -1;
    move_to(w, root);
    return 0;
}

/* ---- names ---- */

/* The next name, off the rest. 0: there is none; -1: no file has such a name. */
static int take_name(char name[NAME_MAX + 1], walk *w)
{
    size_t slashes = strspn(w->rest, "/"), len = strcspn(w->rest + slashes, "/");
    if (len > NAME_MAX)
        return -1;
    memcpy(name, w->rest + slashes, len);
    name[len] = '\0';
    memmove(w->rest, w->rest + slashes + len, strlen(w->rest + slashes + len) + 1);
    return len > 0;
}

static int is_at_end(const walk *w)
{
    return w->rest[strspn(w->rest, "/")] == '\0';
}

static lead judge_missing(struct stat *folder, const walk *w)
{
    if (errno == ENOTDIR || (errno == ENOENT && !is_at_end(w)))
        return LEAD_NOWHERE;
    if (errno == ENOENT && fstat(w->at, folder) == 0)
        return LEAD_NEW;
    return LEAD_UNKNOWN;
}

/* 1: on with the rest; 0: *end is where it leads. */
static int follow_name(walk *w, const char *name, lead *end, struct stat *folder)
{
    struct stat facts;
    int fd = open_path(w->at, name, O_NOFOLLOW);
    if (fd < 0) {
        *end = judge_missing(folder, w);
        return 0;
    }

    *end = LEAD_UNKNOWN;
    if (fstat(fd, &facts) != 0) {
        close(fd);
        return 0;
    }

    if (S_ISLNK(facts.st_mode)) {
        close(fd);
        if (w->links++ == MOST_LINKS || is_in_proc(w->at))
            return 0;
        return follow_text(w, name) == 0;
    }

    move_to(w, fd);
    return 1;
}

/* tid: the thread whose path it is, in the process namespace of this process's /proc. start: what a
 * path begins at that is not from the root, a descriptor of the thread's or AT_FDCWD. *folder is
 * set for LEAD_NEW. A link at the end is followed. */
static lead leads_to(struct stat *folder, pid_t tid, int start, const char *path)
{
    char name[NAME_MAX + 1];
    walk w = { .at = open_start(tid, start, path) };
    lead end = LEAD_UNKNOWN;

    if (w.at >= 0 && is_open_file(path)) {
        close(w.at);
        return LEAD_THERE;
    }
    if (w.at < 0 && (errno == ENOENT || errno == ENOTDIR))
        return LEAD_NOWHERE;
    if (w.at < 0)
        return LEAD_UNKNOWN;

    int has_more = snprintf(w.rest, sizeof w.rest, "%s", path) < (int)sizeof w.rest;
    while (has_more) {
        int taken = take_name(name, &w);
        if (taken == 0)
            end = LEAD_THERE;
        has_more = taken > 0 && follow_name(&w, name, &end, folder);
    }

    close(w.at);
    return end;
}

/* ---- locks ---- */

/* How many locks of records in files the processes of a session may have. The kernel
 * keeps each in memory that no account counts, and does not bound them. */

/* Some 4 MiB of the kernel's. Programs have one, or a few for each database. */
enum { MOST_LOCKS = 16384 };

/* A call makes two at most: in the midst of another it leaves three. */
enum { BY_ONE_CALL = 2 };

/* They are counted again for that many at least, and not more than a tenth of the time. */
enum { LEAST_LOCKS = MOST_LOCKS / 16, REST = 10 };

static struct {
    uint64_t left; /* calls, since they were counted */
    uint64_t look_ns;
} locks;

static uint64_t count_file(const char *path)
{
    char line[256];
    uint64_t count = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;

    while (fgets(line, sizeof line, file))
        count += strncmp(line, "lock:", 5) == 0;
    fclose(file);
    return count;
}

/* A lock goes when its process closes the file, so each is at an open one. */
static uint64_t count_process(const char *process)
{
    char path[300];
    uint64_t count = 0;
    const struct dirent *item;

    snprintf(path, sizeof path, "/proc/%.20s/fdinfo", process);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;

    while ((item = readdir(dir))) {
        if (!is_digit(*item->d_name))
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/fdinfo/%.20s", process, item->d_name);
        count += count_file(path);
    }

    closedir(dir);
    return count;
}

static uint64_t count_all(void)
{
    uint64_t count = 0;
    const struct dirent *item;
    DIR *dir = opendir("/proc");
    if (!dir)
        return 0;

    while ((item = readdir(dir)))
        if (is_digit(*item->d_name))
            count += count_process(item->d_name);
    closedir(dir);
    return count;
}

static void look_at_locks(void)
{
    uint64_t began_ns = clock_thread_cpu_ns(), count = count_all();
    locks.left = count < MOST_LOCKS ? (MOST_LOCKS - count) / BY_ONE_CALL : 0;
    if (locks.left < LEAST_LOCKS)
        locks.left = 0;
    locks.look_ns = clock_now_ns() + REST * (clock_thread_cpu_ns() - began_ns);
}

/* Both with grants_hold. One process sets a lock or takes one off: 0, or ENOLCK. */
static int locks_ask(void)
{
    if (locks.left == 0 && clock_now_ns() >= locks.look_ns)
        look_at_locks();
    if (locks.left == 0)
        return ENOLCK;
    locks.left--;
    return 0;
}

/* There may be fewer now. */
static void locks_forget(void)
{
    locks.left = locks.look_ns = 0;
}

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
