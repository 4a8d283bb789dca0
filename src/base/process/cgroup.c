#include "base/process/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"

/* ---- cgroup ground ---- */

/* Where this process may make groups (cgroup.h), and their files.
 *
 * Source: proc(5), proc_pid_mountinfo(5), cgroups(7), and the kernel's admin-guide/cgroup-v1 and
 * admin-guide/cgroup-v2. */

enum { CGROUP_MEMORY = 1, CGROUP_PIDS = 2, CGROUP_ALL = 3 };

/* Version 1 has a hierarchy for each controller, version 2 one for all; both may be mounted. */
enum { CGROUP_MOST_PLACES = 2 };

typedef struct cgroup_hierarchy {
    char path[PATH_MAX]; /* where groups are made */
    int is_v2, has;      /* which controllers */
} cgroup_hierarchy;

/* What there is for this process. */
typedef struct cgroup_ground {
    cgroup_hierarchy places[CGROUP_MOST_PLACES];
    size_t count;
    char why[256]; /* there is nothing */
} cgroup_ground;

/* "snug-group-" and a random number: no other folder is taken for one of ours. */
enum { CGROUP_NAME_BYTES = 40 };

/* ---- names ---- */

static const char prefix[] = "snug-group-";
enum { NAME_DIGITS = 16 };

static int cgroup_is_name(const char *name)
{
    size_t len = sizeof prefix - 1;
    return strncmp(name, prefix, len) == 0 &&
           strspn(name + len, "0123456789abcdef") == NAME_DIGITS && !name[len + NAME_DIGITS];
}

/* 0, or -1. */
static int cgroup_fill_name(char out[CGROUP_NAME_BYTES])
{
    unsigned char bytes[NAME_DIGITS / 2];
    size_t len = strlen(strcpy(out, prefix));
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + len + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* ---- files ---- */

/* A file in a group's folder: its first size - 1 bytes and a zero. Answers their number. */
static size_t cgroup_read_file(int folder, const char *name, char *out, size_t size)
{
    ssize_t got = 0;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        got = read(fd, out, size - 1);
        close(fd);
    }

    if (got < 0)
        got = 0;

    out[got] = '\0';
    return (size_t)got;
}

/* 0, or an errno. */
static int cgroup_write_file(int folder, const char *name, const char *text)
{
    int error = 0;
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;

    if (write(fd, text, strlen(text)) < 0)
        error = errno;
    close(fd);
    return error;
}

/* ---- controllers ---- */

static int has_controller(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += len)
        if ((at == text || strchr(" ,\n", at[-1])) && (!at[len] || strchr(" ,\n", at[len])))
            return 1;
    return 0;
}

static int parse_controllers(const char *text)
{
    int has = 0;
    if (has_controller(text, "memory"))
        has |= CGROUP_MEMORY;
    if (has_controller(text, "pids"))
        has |= CGROUP_PIDS;
    return has;
}

/* ---- where groups can be made ---- */

/* In place: \040 and the like of mountinfo. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] && at[3]) {
            *to++ = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 3;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* A group's folder, where the hierarchy is mounted from root on. */
static int join_mounted(char out[PATH_MAX], const char *mounted, const char *root, const char *path)
{
    struct stat facts;
    const char *rest = "", *slash = "";
    size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (strncmp(path, root, len) == 0)
        rest = path + len;
    if (strstr(rest, "/.."))
        return 0;

    if (*rest && *rest != '/')
        slash = "/";

    int written = snprintf(out, PATH_MAX, "%s%s%s", mounted, slash, rest);
    return written > 0 && written < PATH_MAX && stat(out, &facts) == 0;
}

/* A line of /proc/self/mountinfo, of which it is a part. */
typedef struct mount_line {
    char *root, *mounted, *kind, *options;
} mount_line;

static int parse_mount(mount_line *out, char *line)
{
    char *saved = NULL;
    char *rest = strstr(line, " - ");
    if (!rest)
        return 0;

    *rest = '\0';
    strtok_r(line, " ", &saved); /* the mount's number, its parent's, the device's */
    strtok_r(NULL, " ", &saved);
    strtok_r(NULL, " ", &saved);
    out->root = strtok_r(NULL, " ", &saved);
    out->mounted = strtok_r(NULL, " ", &saved);
    out->kind = strtok_r(rest + strlen(" - "), " \n", &saved);
    strtok_r(NULL, " \n", &saved); /* the device */
    out->options = strtok_r(NULL, " \n", &saved);
    return out->root && out->mounted && out->kind;
}

/* Whether it is the hierarchy of version 1 that has the controller, or for NULL that of version 2.
 */
static int has_hierarchy(const mount_line *m, const char *controller)
{
    if (!controller)
        return strcmp(m->kind, "cgroup2") == 0;
    return strcmp(m->kind, "cgroup") == 0 && m->options && has_controller(m->options, controller);
}

/* The folder of a group in the hierarchy that has a controller, or for NULL in version 2's. */
static int find_folder(char out[PATH_MAX], const char *controller, const char *path)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t size = 0;
    int found = 0;

    while (mounts && !found && getline(&line, &size, mounts) > 0) {
        mount_line m;
        if (!parse_mount(&m, line) || !has_hierarchy(&m, controller))
            continue;
        unescape(m.root);
        unescape(m.mounted);
        found = join_mounted(out, m.mounted, m.root, path);
    }

    free(line);
    if (mounts)
        fclose(mounts);
    return found;
}

static int is_delegated(const char *path)
{
    static const char *const names[] = { "user.delegate", "trusted.delegate" };
    char value[4];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getxattr(path, names[i], value, sizeof value) > 0 && *value == '1')
            return 1;
    /* To others than root nothing is open that was not given to them. */
    return geteuid() != 0 && access(path, W_OK) == 0;
}

/* Version 2 lets no group have both processes and groups with controllers: where this process is
 * alone in its group, it goes into one below. */
static int step_down(int folder)
{
    char procs[256], own[32], name[CGROUP_NAME_BYTES];

    snprintf(own, sizeof own, "%d\n", (int)getpid());
    cgroup_read_file(folder, "cgroup.procs", procs, sizeof procs);
    if (strcmp(procs, own) != 0 || cgroup_fill_name(name) != 0 || mkdirat(folder, name, 0755) != 0)
        return -1;

    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || cgroup_write_file(fd, "cgroup.procs", "0") != 0) {
        unlinkat(folder, name, AT_REMOVEDIR);
        if (fd >= 0)
            close(fd);
        return -1;
    }

    /* Stays open, so that nobody takes it for a dead one's. */
    flock(fd, LOCK_SH | LOCK_NB);
    return 0;
}

/* What a group made in that folder would have. */
static int controllers_below(const char *path, int may_step)
{
    char text[512];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;

    cgroup_read_file(folder, "cgroup.subtree_control", text, sizeof text);
    if (parse_controllers(text) != CGROUP_ALL) {
        int error = cgroup_write_file(folder, "cgroup.subtree_control", "+memory +pids");
        if (error == EBUSY && may_step && step_down(folder) == 0)
            cgroup_write_file(folder, "cgroup.subtree_control", "+memory +pids");
        cgroup_read_file(folder, "cgroup.subtree_control", text, sizeof text);
    }

    close(folder);
    return parse_controllers(text);
}

static void find_v2(cgroup_ground *g, int missing, const char *path)
{
    char own[PATH_MAX];
    cgroup_hierarchy *p = &g->places[g->count];

    if (!find_folder(own, NULL, path)) {
        snprintf(g->why, sizeof g->why, "cgroups are not mounted");
        return;
    }

    const int is_top = strcmp(path, "/") == 0;
    char *slash = strrchr(own, '/');
    int has = 0;
    if (is_top || is_delegated(own))
        has = controllers_below(own, 1) & missing;
    if (!has && !is_top && slash) {
        *slash = '\0'; /* systemd's DelegateSubgroup= */
        if (is_delegated(own))
            has = controllers_below(own, 0) & missing;
    }

    if (!has) {
        snprintf(g->why, sizeof g->why,
                 "the group of this process (cgroup v2, %.100s) is not delegated: run it by "
                 "\"systemd-run --scope -p Delegate=yes\"",
                 path);
        return;
    }

    snprintf(p->path, sizeof p->path, "%s", own);
    p->is_v2 = 1;
    p->has = has;
    g->count++;
}

static void find_v1(cgroup_ground *g, const char *controllers, const char *path)
{
    int has = parse_controllers(controllers);
    if (!has || g->count == CGROUP_MOST_PLACES)
        return;

    cgroup_hierarchy *p = &g->places[g->count];
    if (!find_folder(p->path, has & CGROUP_MEMORY ? "memory" : "pids", path))
        return;

    p->is_v2 = 0;
    p->has = has;
    if (access(p->path, W_OK) == 0)
        g->count++;
    else
        snprintf(g->why, sizeof g->why, "the group of this process (cgroup v1) is not its own");
}

/* Of all places together. */
static int cgroup_controllers(const cgroup_ground *g)
{
    int has = 0;
    for (size_t i = 0; i < g->count; i++)
        has |= g->places[i].has;
    return has;
}

/* Zeroed before. In version 2 the process may be in another group afterwards, below its own. */
static void cgroup_find_ground(cgroup_ground *g)
{
    FILE *own = fopen("/proc/self/cgroup", "re");
    char *line = NULL, *v2 = NULL;
    size_t size = 0;

    snprintf(g->why, sizeof g->why, "this kernel has no cgroups, or /proc does not tell");
    while (own && getline(&line, &size, own) > 0) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (controllers[1])
            find_v1(g, controllers + 1, path);
        else if (!v2)
            v2 = strdup(path);
    }

    if (v2 && g->count < CGROUP_MOST_PLACES && cgroup_controllers(g) != CGROUP_ALL)
        find_v2(g, CGROUP_ALL & ~cgroup_controllers(g), v2);
    free(v2);
    free(line);
    if (own)
        fclose(own);
}

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
