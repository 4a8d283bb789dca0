#include "session/confine/namespaces.h"

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
#include "session/confine/privileges.h"

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
    int has_memory;   /* and a folder in it */
    /* Whether root may have a user namespace: as a stranger, and as itself. */
    int names_strangers, names_root;
    int has_strangers; /* root may be another user at all */
} state = { .own_pids = -1 };

/* ---- users ---- */

/* Who is not root has the right to the others in a user namespace only, where it is itself. */
static int enter_user(void)
{
    return privileges_enter_names(geteuid(), getegid());
}

/* What a worker of root does at last. */
static int try_stranger(void)
{
    uid_t user = privileges_stranger();
    return user == 0 || privileges_drop(user, 1);
}

static int try_nameless_stranger(void)
{
    uid_t user = privileges_stranger();
    return user == 0 || privileges_drop(user, 0);
}

static int try_own_names(void)
{
    return privileges_drop(0, 1);
}

/* In a child, as what it does cannot be undone. */
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

/* ---- a worker ---- */

static int has_all(const root_rows *wanted)
{
    size_t i = 0;
    while (i < wanted->count && strcmp(wanted->items[i].path, "/") != 0)
        i++;
    return i < wanted->count;
}

int namespaces_enter(const root_rows *wanted)
{
    uid_t user = 0;
    int is_root = geteuid() == 0;

    if (state.granted & 1U << MNT && !has_all(wanted)) {
        state.has_own_root = 1;
        if (rootfolder_enter(wanted, state.has_strangers ? &user : NULL) != 0)
            return -1;
        state.has_memory = wanted->memory_folder != NULL;
    }

    return privileges_drop(user, is_root && (user ? state.names_strangers : state.names_root));
}

/* ---- the zygote ---- */

/* The one in between, which ends: the worker is this process's child then, as its subreaper. */
__attribute__((noreturn)) static void tell_pid(int fd, pid_t pid)
{
    _exit(write(fd, &pid, sizeof pid) != sizeof pid);
}

static pid_t fork_between(void)
{
    int told[2];
    pid_t worker = -1;

    if (pipe2(told, O_CLOEXEC) != 0)
        return -1;

    pid_t between = fork();
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
    static const root_rows wanted = { least, sizeof least / sizeof *least, 0 };
    int has_null = access("/dev/null", W_OK) == 0;
    return rootfolder_enter(&wanted, NULL) || access("/proc/self/stat", R_OK) ||
           (has_null && access("/dev/null", W_OK));
}

static int try_pids(void)
{
    return unshare(CLONE_NEWPID) || !is_granted(try_root);
}

void namespaces_begin(void)
{
    if (geteuid() != 0 && (!is_granted(enter_user) || enter_user() != 0))
        return;
    if (geteuid() == 0) {
        state.names_strangers = is_granted(try_stranger);
        state.has_strangers = state.names_strangers || is_granted(try_nameless_stranger);
        state.names_root = is_granted(try_own_names);
    }

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

int namespaces_have_memory_folder(void)
{
    return state.has_memory;
}

/* What the zygote was granted, a worker may have been refused. */
static int is_in_force(int row)
{
    if (row == PID)
        return getpid() == 1;
    if (row == MNT)
        return state.has_own_root;
    return (state.granted & 1U << row) != 0;
}

int namespaces_report(str *out)
{
    int error = SNUG_OK;
    for (int i = 0; i < ROWS && !error; i++)
        if (is_in_force(i))
            error = str_printf(out, ", %s namespace", rows[i].name);
    return error;
}
