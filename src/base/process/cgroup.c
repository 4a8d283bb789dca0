#include "base/process/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/process/cgroup_ground.h"

/* The sum is that of memory and swap, or swap alone; what sockets keep is version 1's only. */
enum { SUM, MEMORY, SOCKETS, TASKS, LIMIT_FILES };

struct cgroup {
    char name[CGROUP_NAME_BYTES];
    int fds[CGROUP_MOST_PLACES]; /* the group's folders, locked; -1 */
    int kept[LIMIT_FILES];       /* the files of its limits that stay open; -1 */
    unsigned changes;            /* of its limits so far */
    const cgroup_ground *ground;
    str place;
};

/* ---- what the dead have left ---- */

/* In version 1 new ones may come meanwhile: the caller does it again. */
static void kill_all(int folder)
{
    char text[8192];

    if (cgroup_write_file(folder, "cgroup.kill", "1") == 0)
        return;
    cgroup_read_file(folder, "cgroup.procs", text, sizeof text);
    char *saved = NULL;
    for (char *word = strtok_r(text, "\n", &saved); word; word = strtok_r(NULL, "\n", &saved)) {
        pid_t pid = (pid_t)atoi(word);
        if (pid > 1 && pid != getpid())
            kill(pid, SIGKILL);
    }
}

enum { REMOVE_MS = 1000 };

/* 0, or -1: it is still there. */
static int remove_group(const char *top, const char *name, int folder)
{
    char path[PATH_MAX + 64];
    uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), REMOVE_MS);

    snprintf(path, sizeof path, "%s/%s", top, name);
    for (;;) {
        if (rmdir(path) == 0 || errno == ENOENT)
            return 0;
        if (errno != EBUSY || clock_now_ns() >= deadline_ns)
            return -1;
        kill_all(folder);
        nanosleep(&(struct timespec){ 0, (long)NS_PER_MS }, NULL);
    }
}

static void remove_dead_groups(const char *top)
{
    DIR *dir = opendir(top);

    for (const struct dirent *item; dir && (item = readdir(dir));) {
        if (!cgroup_is_name(item->d_name))
            continue;
        int fd = openat(dirfd(dir), item->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_group(top, item->d_name, fd);
        if (fd >= 0)
            close(fd);
    }

    if (dir)
        closedir(dir);
}

/* Of the process, which does not change its place: looked for when the first group is wanted. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cgroup_ground own_ground;
static int is_known;
static _Atomic int has_left; /* a group that could not be removed */

/* In a forked process, whose group is its parent's still. */
static void renew_lock(void)
{
    pthread_mutex_init(&lock, NULL);
}

static const cgroup_ground *find_own_ground(void)
{
    forked_renew(renew_lock);
    pthread_mutex_lock(&lock);
    if (!is_known)
        cgroup_find_ground(&own_ground);
    if (!is_known || atomic_exchange(&has_left, 0))
        for (size_t i = 0; i < own_ground.count; i++)
            remove_dead_groups(own_ground.places[i].path);

    is_known = 1;
    pthread_mutex_unlock(&lock);
    return &own_ground;
}

/* ---- a group ---- */

/* Whether path still leads to the folder behind fd. */
static int leads_to(const char *path, int fd)
{
    struct stat own, there;
    return fstat(fd, &own) == 0 && stat(path, &there) == 0 && own.st_ino == there.st_ino;
}

/* A descriptor, or -1. Before it is locked, another process may take the folder for one that a dead
 * process has left, and lock or remove it: then this one is given up. */
static int make_locked_folder(const char *top, const char *name)
{
    char path[PATH_MAX + 64];

    snprintf(path, sizeof path, "%s/%s", top, name);
    if (mkdir(path, 0755) != 0)
        return -1;

    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && leads_to(path, fd))
        return fd;

    if (fd >= 0)
        close(fd);
    rmdir(path);
    return -1;
}

/* An open takes longer than the write: so files of a group that is changed again and again, by
 * sessions that come and go, stay open. One of a single session does not get there. */
enum { CHANGES_BEFORE_KEPT = 4 };

static int write_limit(cgroup *group, int folder, int which, int is_v2, uint64_t value)
{
    static const char *const names[][LIMIT_FILES] = {
        { "memory.memsw.limit_in_bytes", "memory.limit_in_bytes", "memory.kmem.tcp.limit_in_bytes",
          "pids.max" },
        { "memory.swap.max", "memory.max", NULL, "pids.max" },
    };
    char text[32];
    int error = 0, fd = group->kept[which];

    if (fd < 0)
        fd = openat(folder, names[is_v2][which], O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;

    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    if (value == CGROUP_UNLIMITED)
        snprintf(text, sizeof text, is_v2 || which == TASKS ? "max" : "-1");
    if (pwrite(fd, text, strlen(text), 0) < 0)
        error = errno;

    if (group->changes >= CHANGES_BEFORE_KEPT)
        group->kept[which] = fd;
    else
        close(fd);
    return error;
}

static int limit_memory(cgroup *group, int folder, int is_v2, uint64_t bytes)
{
    if (is_v2) {
        write_limit(group, folder, SUM, is_v2, 0);
        return write_limit(group, folder, MEMORY, is_v2, bytes);
    }

    /* The sum with swap is never below the memory alone: one of the two has to be set first. */
    write_limit(group, folder, SUM, is_v2, CGROUP_UNLIMITED);
    int error = write_limit(group, folder, MEMORY, is_v2, bytes);
    write_limit(group, folder, SUM, is_v2, bytes);

    /* Version 1 counts separately what TCP and UDP keep. */
    uint64_t sockets = bytes;
    if (bytes != CGROUP_UNLIMITED)
        sockets = bytes / 16 + (4 << 20);
    write_limit(group, folder, SOCKETS, is_v2, sockets);
    return error;
}

int cgroup_limit(cgroup *group, uint64_t memory_bytes, uint64_t tasks)
{
    int error = 0;

    for (size_t i = 0; group && !error && i < group->ground->count; i++) {
        const cgroup_hierarchy *p = &group->ground->places[i];
        if (p->has & CGROUP_MEMORY)
            error = limit_memory(group, group->fds[i], p->is_v2, memory_bytes);
        if (!error && p->has & CGROUP_PIDS)
            error = write_limit(group, group->fds[i], TASKS, p->is_v2, tasks);
    }

    if (group)
        group->changes++;
    return error;
}

static void close_kept(cgroup *group)
{
    for (int i = 0; i < LIMIT_FILES; i++) {
        if (group->kept[i] >= 0)
            close(group->kept[i]);
        group->kept[i] = -1;
    }
}

static void drop_folders(cgroup *group)
{
    close_kept(group);
    for (size_t i = 0; i < group->ground->count; i++) {
        if (group->fds[i] < 0)
            continue;
        if (remove_group(group->ground->places[i].path, group->name, group->fds[i]) != 0)
            atomic_store(&has_left, 1);
        close(group->fds[i]);
        group->fds[i] = -1;
    }
    str_clear(&group->place);
}

/* The file into which a process writes "0" to be in the group. For a process that moves itself by
 * version 1's own file the kernel need not stop every fork and exit of the machine, which takes
 * some 15 ms. */
static const char *door_of(const cgroup_hierarchy *p)
{
    return p->is_v2 ? "cgroup.procs" : "tasks";
}

/* 0, or -1: then drop_folders removes what was made of it. */
static int make_group(cgroup *group)
{
    const cgroup_ground *g = group->ground;

    if (cgroup_fill_name(group->name) != 0)
        return -1;
    for (size_t i = 0; i < g->count; i++) {
        const char *top = g->places[i].path;
        group->fds[i] = make_locked_folder(top, group->name);
        if (group->fds[i] < 0)
            return -1;
        if (str_printf(&group->place, "%s/%s/%s\n", top, group->name, door_of(&g->places[i])) != 0)
            return -1;
    }

    return 0;
}

int cgroup_open(cgroup **out, uint64_t memory_bytes, uint64_t tasks)
{
    enum { TRIES = 3 };
    const cgroup_ground *g = find_own_ground();
    *out = NULL;
    if (g->count == 0)
        return SNUG_OK;

    cgroup *group = calloc(1, sizeof *group);
    if (!group)
        return error_no_memory();

    *group = (cgroup){ .fds = { -1, -1 }, .kept = { -1, -1, -1, -1 }, .ground = g };
    for (int i = 0; i < TRIES; i++) {
        if (make_group(group) == 0 && cgroup_limit(group, memory_bytes, tasks) == 0) {
            *out = group;
            return SNUG_OK;
        }
        drop_folders(group);
    }

    cgroup_close(group);
    return SNUG_OK;
}

const char *cgroup_place(const cgroup *group)
{
    return group ? str_text(&group->place) : "";
}

int cgroup_enter(const char *where)
{
    while (*where) {
        char path[PATH_MAX + 128];
        size_t len = strcspn(where, "\n");
        if (len >= sizeof path)
            return ENAMETOOLONG;

        memcpy(path, where, len);
        path[len] = '\0';
        int error = cgroup_write_file(AT_FDCWD, path, "0");
        if (error)
            return error;
        where += len + (where[len] == '\n');
    }

    return 0;
}

/* ---- facts ---- */

/* The number that a file begins with, or, with a word, the one behind that word at the start of a
 * line; 0 where there is none. */
static uint64_t read_number_at(int folder, const char *name, const char *word)
{
    char text[1024];

    cgroup_read_file(folder, name, text, sizeof text);
    const char *at = text;
    size_t len = strlen(word);
    while (len > 0 && (strncmp(at, word, len) != 0 || at[len] != ' ')) {
        const char *end = strchr(at, '\n');
        if (!end)
            return 0;
        at = end + 1;
    }

    return strtoull(at + len, NULL, 10);
}

void cgroup_look(cgroup_facts *out, const cgroup *group)
{
    *out = (cgroup_facts){ 0 };

    for (size_t i = 0; group && i < group->ground->count; i++) {
        const cgroup_hierarchy *p = &group->ground->places[i];
        int fd = group->fds[i];
        if (p->has & CGROUP_PIDS) {
            out->tasks = read_number_at(fd, "pids.current", "");
            out->refused = read_number_at(fd, "pids.events", "max");
        }

        if ((p->has & CGROUP_MEMORY) && p->is_v2) {
            out->bytes = read_number_at(fd, "memory.current", "");
            out->peak_bytes = read_number_at(fd, "memory.peak", "");
            out->kills = read_number_at(fd, "memory.events", "oom_kill");
        } else if (p->has & CGROUP_MEMORY) {
            out->bytes = read_number_at(fd, "memory.usage_in_bytes", "");
            out->peak_bytes = read_number_at(fd, "memory.max_usage_in_bytes", "");
            out->kills = read_number_at(fd, "memory.oom_control", "oom_kill");
        }
    }
}

void cgroup_close(cgroup *group)
{
    if (!group)
        return;
    drop_folders(group);
    str_free(&group->place);
    free(group);
}

int cgroup_report(str *out)
{
    static const char *const names[] = { "", "memory", "pids", "memory, pids" };
    cgroup *group;
    int error = cgroup_open(&group, CGROUP_UNLIMITED, CGROUP_UNLIMITED);
    if (error)
        return error;

    const cgroup_ground *g = find_own_ground();
    const char *version = g->places[0].is_v2 ? "v2" : "v1";
    int failed;
    if (group)
        failed = str_printf(out, "%s (%s)", version, names[cgroup_controllers(g)]);
    else if (g->count > 0)
        failed = str_add(out, "none: the machine refuses to make a group");
    else
        failed = str_printf(out, "none: %s", g->why);

    cgroup_close(group);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}
