#include "session/confine/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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
