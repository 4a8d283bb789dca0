#include "session/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"

/* Those that the zygote enters for all; the last two are each worker's own. */
static const struct {
    const char *name;
    int flag;
} rows[] = {
    { "net", CLONE_NEWNET }, { "ipc", CLONE_NEWIPC }, { "uts", CLONE_NEWUTS },
    { "pid", CLONE_NEWPID }, { "mnt", CLONE_NEWNS },
};
enum { UTS = 2, OF_ZYGOTE = 3, PID = 3, MNT = 4, ROWS = sizeof rows / sizeof *rows };

static struct {
    unsigned granted; /* a bit for each row */
    int own_pids;     /* the zygote's own namespace of them; a descriptor */
    int may_return;   /* to that, after another was made for a child */
    int has_own_root; /* this worker */
} state = { .own_pids = -1 };

/* ---- users --------------------------------------------------------------- */

/* One line into a file of /proc/self. */
static int write_map(const char *path, const char *line)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t written = fd >= 0 ? write(fd, line, strlen(line)) : -1;
    if (fd >= 0)
        close(fd);
    return written < 0 ? -1 : 0;
}

/* Who is not root has the right to the others in a user namespace only, where it is itself. Root
 * stays where it is: there it would lose the right to folders of other users. */
static int enter_user(void)
{
    char uid[32], gid[32];
    snprintf(uid, sizeof uid, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(gid, sizeof gid, "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    return unshare(CLONE_NEWUSER) || write_map("/proc/self/setgroups", "deny") ||
                   write_map("/proc/self/uid_map", uid) || write_map("/proc/self/gid_map", gid)
               ? -1
               : 0;
}

/* In a child, as what it does can not be undone. */
static int is_granted(int (*step)(void))
{
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(step() != 0);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && status == 0;
}

/* ---- a root of its own --------------------------------------------------- */

/* Any folder that there always is: the old root is mounted below it for a moment. */
#define BASE     "/tmp"
#define OLD_NAME "/.snug-old"

static int make_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return fd < 0 ? -1 : close(fd);
}

/* All folders on the way to path, and path itself as a folder or an empty file. */
static int make_place(const char *path, int is_folder)
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
    return (is_folder ? mkdir(part, 0755) : make_file(part)) != 0 && errno != EEXIST ? -1 : 0;
}

static int is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* It comes with another one, which can be written to as well. */
static int is_covered(const path_root *roots, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        if ((roots[i].access == PATH_WRITE || roots[at].access == PATH_READ) &&
            (is_below(roots[at].path, roots[i].path) ||
             (i < at && strcmp(roots[at].path, roots[i].path) == 0)))
            return 1;
    return 0;
}

/* The one that shows this worker's numbers; in the zygote's, /proc/self is another's. */
static int mount_proc(void)
{
    if (mkdir("/proc", 0755) != 0 && errno != EEXIST)
        return -1;
    return getpid() == 1 ? mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)
                         : mount(OLD_NAME "/proc", "/proc", NULL, MS_BIND | MS_REC, NULL);
}

/* What it is without links, in the old root: there is no other way to it from the new one. NULL:
 * it does not exist, and is left out, as by Landlock; or it comes with what is mounted anyway. */
static char *source_of(const path_root *roots, size_t count, size_t at)
{
    return is_below(roots[at].path, "/proc") || is_covered(roots, count, at)
               ? NULL
               : realpath(roots[at].path, NULL);
}

/* Landlock does not judge modes and times of a file that was opened to read. Kernels before 5.12
 * have no such call. */
static int forbid_writing(const char *path)
{
    struct mount_attr wanted = { .attr_set = MOUNT_ATTR_RDONLY };
    return mount_setattr(AT_FDCWD, path, AT_RECURSIVE, &wanted, sizeof wanted) && errno != ENOSYS
               ? -1
               : 0;
}

static int bind_root(const path_root *root, const char *source)
{
    char from[PATH_MAX];
    struct stat facts;
    return snprintf(from, sizeof from, OLD_NAME "%s", source) >= (int)sizeof from ||
                   stat(from, &facts) || make_place(root->path, S_ISDIR(facts.st_mode)) ||
                   mount(from, root->path, NULL, MS_BIND | MS_REC, NULL) ||
                   (root->access == PATH_READ && forbid_writing(root->path))
               ? -1
               : 0;
}

/* What can be written to is in what can not, where one is in the other. */
static int fill_root(const path_root *roots, size_t count, char *const *sources)
{
    static const path_access order[] = { PATH_READ, PATH_WRITE };
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < count; i++)
            if (sources[i] && roots[i].access == order[k] && bind_root(&roots[i], sources[i]) != 0)
                return -1;
    return mount_proc();
}

/* Empty, but for the old one. */
static int change_root(void)
{
    return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
                   mount("snug", BASE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") ||
                   mkdir(BASE OLD_NAME, 0700) || syscall(SYS_pivot_root, BASE, BASE OLD_NAME) ||
                   chdir("/")
               ? -1
               : 0;
}

static int leave_old_root(void)
{
    return umount2(OLD_NAME, MNT_DETACH) || rmdir(OLD_NAME) ||
                   mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
                         NULL)
               ? -1
               : 0;
}

static int has_all(const path_root *roots, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(roots[i].path, "/") != 0)
        i++;
    return i < count;
}

static int own_root(const path_root *roots, size_t count)
{
    char **sources = calloc(count + 1, sizeof *sources);
    if (!sources)
        return -1;
    for (size_t i = 0; i < count; i++)
        sources[i] = source_of(roots, count, i);
    int failed = change_root() || fill_root(roots, count, sources) || leave_old_root();
    int why = errno;
    for (size_t i = 0; i < count; i++)
        free(sources[i]);
    free(sources);
    errno = why;
    return failed ? -1 : 0;
}

int namespaces_enter(const path_root *roots, size_t count)
{
    if (!(state.granted & 1U << MNT) || has_all(roots, count))
        return 0;
    state.has_own_root = 1;
    return own_root(roots, count);
}

/* ---- the zygote ---------------------------------------------------------- */

/* The one in between, which ends: the worker is this process's child then, as its subreaper. */
__attribute__((noreturn)) static void tell_pid(int fd, pid_t pid)
{
    _exit(write(fd, &pid, sizeof pid) != sizeof pid);
}

static pid_t fork_between(void)
{
    int told[2];
    pid_t worker = -1, between = pipe2(told, O_CLOEXEC) == 0 ? fork() : -1;
    if (between < 0)
        return -1;
    if (between == 0) {
        unshare(CLONE_NEWPID);
        if ((worker = fork()) != 0)
            tell_pid(told[1], worker);
    }
    close(told[1]);
    if (between > 0 && read(told[0], &worker, sizeof worker) != sizeof worker)
        worker = -1;
    close(told[0]);
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = EAGAIN;
    return worker;
}

pid_t namespaces_fork(void)
{
    int has_pids = (state.granted & 1U << PID) != 0;
    if (has_pids && !state.may_return)
        return fork_between();
    if (has_pids && setns(state.own_pids, CLONE_NEWPID) == 0)
        unshare(CLONE_NEWPID);
    return fork();
}

void namespaces_after_fork(void)
{
    if (state.own_pids >= 0)
        close(state.own_pids);
    state.own_pids = -1;
}

/* As a worker does, with what it needs. */
static int try_root(void)
{
    static const path_root least[] = { { "/usr/lib", PATH_READ, 0 },
                                       { "/dev/null", PATH_WRITE, 0 } };
    return own_root(least, sizeof least / sizeof *least) || access("/proc/self/stat", R_OK) ||
           access("/dev/null", W_OK);
}

static int try_pids(void)
{
    return unshare(CLONE_NEWPID) || !is_granted(try_root);
}

void namespaces_begin(void)
{
    if (geteuid() != 0 && (!is_granted(enter_user) || enter_user() != 0))
        return;
    for (int i = 0; i < OF_ZYGOTE; i++)
        if (unshare(rows[i].flag) == 0)
            state.granted |= 1U << i;
    if (state.granted & 1U << UTS && sethostname("snug", strlen("snug")) != 0)
        state.granted &= ~(1U << UTS);
    state.own_pids = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    /* Not where it is another user namespace's. */
    state.may_return = state.own_pids >= 0 && setns(state.own_pids, CLONE_NEWPID) == 0;
    if ((state.may_return || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0) &&
        is_granted(try_pids))
        state.granted |= 1U << PID | 1U << MNT;
    else if (is_granted(try_root))
        state.granted |= 1U << MNT;
}

/* What the zygote was granted, a worker may have been refused. */
static int is_in_force(int row)
{
    return row == PID   ? getpid() == 1
           : row == MNT ? state.has_own_root
                        : (state.granted & 1U << row) != 0;
}

int namespaces_report(str *out)
{
    int error = SNUG_OK;
    for (int i = 0; i < ROWS && !error; i++)
        if (is_in_force(i))
            error = str_printf(out, ", %s namespace", rows[i].name);
    return error;
}
