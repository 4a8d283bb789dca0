#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/procself.h"
#include "session/confine/namespaces.h"
#include "session/confine/privileges.h"

/* Any folder that there always is: the old root is mounted below it for a moment. */
#define BASE     "/tmp"
#define OLD_NAME "/.snug-old"

static int make_empty_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return fd < 0 ? -1 : close(fd);
}

/* All folders on the way to path, and path itself as a folder or an empty file. */
static int make_mount_point(const char *path, int is_folder)
{
    char part[PATH_MAX];

    if (access(path, F_OK) == 0)
        return 0;
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return -1;

    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }

    int failed = is_folder ? mkdir(part, 0755) : make_empty_file(part);
    return failed && errno != EEXIST ? -1 : 0;
}

static int is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* It comes with another one, which can be written to as well. */
static int is_covered(const root_rows *rows, size_t at)
{
    const path_root *roots = rows->items;
    for (size_t i = 0; i < rows->count; i++)
        if ((roots[i].access == PATH_WRITE || roots[at].access == PATH_READ) &&
            (is_below(roots[at].path, roots[i].path) ||
             (i < at && strcmp(roots[at].path, roots[i].path) == 0)))
            return 1;
    return 0;
}

/* ---- /proc ---- */

/* Whole, for this code, and then for nobody by a path. */
#define WHOLE_PROC "/.snug-proc"

/* The one that shows this worker's numbers; in the zygote's, self is another's. */
static int mount_proc(void)
{
    if (mkdir(WHOLE_PROC, 0755) != 0)
        return -1;
    if (getpid() == 1)
        return mount("proc", WHOLE_PROC, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    return mount(OLD_NAME "/proc", WHOLE_PROC, NULL, MS_BIND | MS_REC, NULL);
}

/* None leads anywhere: with fd/, a pipe of another process's could be opened again. */
static const char *const proc_files[] = { "self/maps",   "self/stat", "self/statm",
                                          "self/status", "cpuinfo",   "meminfo" };

/* A kernel may be built without one. */
static int bind_proc_file(const char *name)
{
    char from[64], to[64];

    snprintf(from, sizeof from, WHOLE_PROC "/%s", name);
    snprintf(to, sizeof to, "/proc/%s", name);
    if (access(from, F_OK) != 0)
        return 0;
    if (make_mount_point(to, 0) != 0)
        return -1;
    return mount(from, to, NULL, MS_BIND, NULL);
}

/* What threads there are, and what they do, the host's own threads look up. */
static int keep_own_folder(void)
{
    int folder = open(WHOLE_PROC "/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    procself_set(folder);
    return 0;
}

static int narrow_proc(void)
{
    for (size_t i = 0; i < sizeof proc_files / sizeof *proc_files; i++)
        if (bind_proc_file(proc_files[i]) != 0)
            return -1;
    if (keep_own_folder() != 0 || umount2(WHOLE_PROC, MNT_DETACH) != 0)
        return -1;
    return rmdir(WHOLE_PROC);
}

/* ---- the others ---- */

/* What it is without links, in the old root: there is no other way to it from the new one. NULL:
 * it does not exist, and is left out, as by Landlock; or it comes with what is mounted anyway. */
static char *find_source(const root_rows *rows, size_t at)
{
    const char *path = rows->items[at].path;
    if (rows->memory_folder && strcmp(path, rows->memory_folder) == 0)
        return NULL;
    if (strcmp(path, "/proc") == 0 || is_below(path, "/proc") || is_covered(rows, at))
        return NULL;
    return realpath(path, NULL);
}

/* Landlock does not judge modes and times of a file that was opened to read. Kernels before 5.12
 * have no such call. */
static int forbid_writing(const char *path)
{
    struct mount_attr wanted = { .attr_set = MOUNT_ATTR_RDONLY };
    int failed = mount_setattr(AT_FDCWD, path, AT_RECURSIVE, &wanted, sizeof wanted);
    return failed && errno != ENOSYS ? -1 : 0;
}

static int bind_root(const path_root *root, const char *source, int tree)
{
    char from[PATH_MAX];
    struct stat facts;

    if (snprintf(from, sizeof from, OLD_NAME "%s", source) >= (int)sizeof from)
        return -1;
    if (stat(from, &facts) != 0 || make_mount_point(root->path, S_ISDIR(facts.st_mode)) != 0)
        return -1;

    int failed;
    if (tree >= 0)
        failed = idmap_attach(tree, root->path);
    else
        failed = mount(from, root->path, NULL, MS_BIND | MS_REC, NULL);

    if (!failed && root->access == PATH_READ)
        failed = forbid_writing(root->path);
    return failed;
}

/* What root was given as another user's: all of it, or nothing. */
static uid_t open_trees(int *trees, const root_rows *rows, char *const *sources)
{
    uid_t user = rows->own_count > 0 ? privileges_stranger() : 0;

    for (size_t i = 0; user != 0 && i < rows->own_count; i++) {
        char from[PATH_MAX];
        if (!sources[i])
            continue;
        if (snprintf(from, sizeof from, OLD_NAME "%s", sources[i]) >= (int)sizeof from ||
            (trees[i] = idmap_open(from, user, WHOLE_PROC)) < 0)
            user = 0;
    }

    for (size_t i = 0; user == 0 && i < rows->own_count; i++) {
        if (trees[i] >= 0)
            close(trees[i]);
        trees[i] = -1;
    }

    return user;
}

/* What can be written to is in what cannot, where one is in the other. */
static int bind_rows(const root_rows *rows, char *const *sources, const int *trees)
{
    static const path_access order[] = { PATH_READ, PATH_WRITE };
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < rows->count; i++)
            if (sources[i] && rows->items[i].access == order[k] &&
                bind_root(&rows->items[i], sources[i], i < rows->own_count ? trees[i] : -1) != 0)
                return -1;
    return 0;
}

/* The kernel counts whole pages, and an inode for the folder itself. */
enum { PAGE_BYTES = 4096, FILES_BESIDE = 2 };

static int mount_memory(const root_rows *rows, uid_t user)
{
    char options[160];
    const char *path = rows->memory_folder;
    uint64_t bytes = rows->memory_bytes + (rows->memory_files + FILES_BESIDE) * PAGE_BYTES;
    int len = snprintf(options, sizeof options, "mode=0700,size=%llu,nr_inodes=%llu",
                       (unsigned long long)bytes,
                       (unsigned long long)(rows->memory_files + FILES_BESIDE));

    if (user != 0)
        snprintf(options + len, sizeof options - (size_t)len, ",uid=%u,gid=%u", (unsigned)user,
                 (unsigned)user);

    if (make_mount_point(path, 1) != 0)
        return -1;
    return mount("snug", path, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

static int fill_root(const root_rows *rows, char *const *sources, uid_t *user)
{
    int *trees = malloc((rows->own_count + 1) * sizeof *trees);
    if (!trees)
        return -1;

    for (size_t i = 0; i < rows->own_count; i++)
        trees[i] = -1;
    if (user)
        *user = open_trees(trees, rows, sources);
    int failed = bind_rows(rows, sources, trees) ||
                 (rows->memory_folder && mount_memory(rows, user ? *user : 0));
    free(trees);
    return failed;
}

/* Empty, but for the old one. */
static int change_root(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return -1;
    if (mount("snug", BASE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") != 0)
        return -1;
    if (mkdir(BASE OLD_NAME, 0700) != 0 || syscall(SYS_pivot_root, BASE, BASE OLD_NAME) != 0)
        return -1;
    return chdir("/");
}

static int leave_old_root(void)
{
    const unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
    if (umount2(OLD_NAME, MNT_DETACH) != 0 || rmdir(OLD_NAME) != 0)
        return -1;
    return mount(NULL, "/", NULL, flags, NULL);
}

int rootfolder_enter(const root_rows *rows, uid_t *user)
{
    char **sources = calloc(rows->count + 1, sizeof *sources);
    if (!sources)
        return -1;

    for (size_t i = 0; i < rows->count; i++)
        sources[i] = find_source(rows, i);
    mode_t before = umask(022); /* another user shall find its way */
    int failed = change_root() || mount_proc() || fill_root(rows, sources, user) || narrow_proc() ||
                 leave_old_root();
    int why = errno;
    umask(before);
    for (size_t i = 0; i < rows->count; i++)
        free(sources[i]);
    free(sources);
    errno = why;
    return failed ? -1 : 0;
}

/* ---- a user namespace to name the users by ---- */

/* All it is for is to be in the namespace. It shares the caller's memory, so it does nothing that
 * would show there. */
__attribute__((noreturn)) static int wait_for_end(void *unused)
{
    (void)unused;
    for (;;)
        syscall(SYS_pause);
}

/* In one write, as the kernel wants it: it takes all of a map or refuses it. user_namespaces(7) */
static int write_map_file(int folder, const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;

    ssize_t written = write(fd, text, strlen(text));
    close(fd);
    return written < 0 ? -1 : 0;
}

/* In it, files of owner are user's, and those of all others below user stay theirs. From user on,
 * files have no owner there. */
static int map_users(int folder, const char *name, unsigned owner, unsigned user)
{
    char text[128];
    size_t len = 0;

    if (owner > 0)
        len = (size_t)snprintf(text, sizeof text, "0 0 %u\n", owner);
    len += (size_t)snprintf(text + len, sizeof text - len, "%u %u 1\n", owner, user);
    if (user > owner + 1)
        snprintf(text + len, sizeof text - len, "%u %u %u\n", owner + 1, owner + 1,
                 user - owner - 1);

    return write_map_file(folder, name, text);
}

/* The user namespace as a descriptor, once its users are mapped; -1 with errno. folder: that of the
 * process in it, below /proc. */
static int name_users(int folder, const struct stat *facts, uid_t user)
{
    if (facts->st_uid >= user || facts->st_gid >= user) {
        errno = EINVAL;
        return -1;
    }

    if (map_users(folder, "uid_map", facts->st_uid, user) != 0 ||
        map_users(folder, "gid_map", facts->st_gid, user) != 0)
        return -1;
    return openat(folder, "ns/user", O_RDONLY | O_CLOEXEC);
}

static int open_process(const char *proc, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%d", proc, (int)pid);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The same, of a process that is made for it and is gone again afterwards. */
static int open_namespace(const struct stat *facts, uid_t user, const char *proc)
{
    static _Alignas(16) char stack[4096];
    pid_t pid = clone(wait_for_end, stack + sizeof stack, CLONE_NEWUSER | CLONE_VM | SIGCHLD, NULL);
    if (pid < 0)
        return -1;

    int userns = -1;
    int folder = open_process(proc, pid);
    if (folder >= 0)
        userns = name_users(folder, facts, user);

    int why = errno;
    if (folder >= 0)
        close(folder);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = why;
    return userns;
}

/* ---- the mount ---- */

static int copy_mount(const char *path, int userns)
{
    struct mount_attr wanted = { .attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (unsigned)userns };
    int tree = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (tree >= 0 &&
        mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted)) {
        int why = errno;
        close(tree);
        errno = why;
        return -1;
    }

    return tree;
}

int idmap_open(const char *path, uid_t user, const char *proc)
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return -1;
    int userns = open_namespace(&facts, user, proc);
    if (userns < 0)
        return -1;

    int tree = copy_mount(path, userns), why = errno;
    close(userns);
    errno = why;
    return tree;
}

int idmap_attach(int tree, const char *place)
{
    int failed = move_mount(tree, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH), why = errno;
    close(tree);
    errno = why;
    return failed;
}

#define TOP "/tmp"

/* What bubblewrap would be given anyway; what is mounted below comes along. */
static int open_plain(const char *path)
{
    return open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

static int make_stage_place(const char *place, int tree)
{
    struct stat facts;
    if (fstat(tree, &facts) != 0)
        return -1;
    if (S_ISDIR(facts.st_mode))
        return mkdir(place, 0755);
    int fd = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return fd < 0 ? -1 : close(fd);
}

static int attach_at(size_t number, int tree)
{
    char place[32];
    snprintf(place, sizeof place, STAGE_PLACE_FORMAT, number);
    if (make_stage_place(place, tree) != 0)
        return -1;
    return idmap_attach(tree, place);
}

/* All are opened before /tmp is covered, which they may be in. */
static int fill_stage(const int *trees, size_t count)
{
    if (mount("snug", TOP, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k"))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (attach_at(i, trees[i]) != 0)
            return -1;
    return 0;
}

int stage_enter(uid_t user, const char *const *paths, size_t count, size_t own_count)
{
    int *trees = calloc(count + 1, sizeof *trees);
    if (!trees || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return -1;

    mode_t before = umask(022);
    for (size_t i = 0; i < count; i++) {
        if (i < own_count)
            trees[i] = idmap_open(paths[i], user, "/proc");
        else
            trees[i] = open_plain(paths[i]);
        if (trees[i] < 0)
            return -1;
    }

    int failed = fill_stage(trees, count);
    umask(before);
    free(trees);

    /* The folder that it stands in may be one that the user cannot enter. */
    if (failed || chdir("/") != 0)
        return -1;
    return privileges_drop(user, 0);
}
