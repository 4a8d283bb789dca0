#include "session/confine/thread_filters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "policy/landlock.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

int confine_folder(void)
{
    if (unshare(CLONE_FS) != 0 || chdir("/") != 0)
        return errno;
    return 0;
}

int confine_stand(const char *dir)
{
    if (chdir(dir) != 0 && chdir("/") != 0)
        return errno;
    return 0;
}

/* ---- descriptors ---- */

/* In one call, which containers permit that refuse unshare. The host's record locks stay:
 * their owner is the host's table. */
int confine_descriptors(void)
{
    if (IS_SANITIZED)
        return ENOTSUP;
    if (close_range(3, ~0U, CLOSE_RANGE_UNSHARE) != 0)
        return errno;

    int null = file_open_null();
    if (null < 0)
        return errno;

    for (int fd = 0; fd < 3; fd++)
        if (dup2(null, fd) < 0)
            return errno;

    if (null > 2)
        close(null);
    return 0;
}

/* ---- Landlock ---- */

int confine_landlock_abi(void)
{
    if (IS_SANITIZED) {
        errno = ENOTSUP;
        return 0;
    }

    long abi =
        syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    return abi > 0 ? (int)abi : 0;
}

/* Notes which file or folder the root is, for the session's first thread; for a later one, answers
 * whether it still is that one. */
static int meet_root(path_root *root, const struct stat *facts)
{
    if (!root->is_met) {
        root->is_met = 1;
        root->device = facts->st_dev;
        root->inode = facts->st_ino;
    }

    return root->device == facts->st_dev && root->inode == facts->st_ino;
}

/* A root that may be read may be missing from the start, and so may /dev/null. One that the first
 * thread has met may be gone by now, or be another's. Where the machine has run out of something,
 * neither is the case. */
static int may_be_missing(const path_root *root, int error)
{
    int is_needed = root->access == PATH_WRITE && strcmp(root->path, "/dev/null") != 0;
    return (error == ENOENT && !is_needed) ||
           (root->is_met &&
            (error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP));
}

static int allow_root(int rules, int abi, path_root *root)
{
    struct stat facts;
    int fd, error = 0;

    if (root->opened)
        fd = fcntl(root->opened, F_DUPFD_CLOEXEC, 3);
    else
        fd = open(root->path, O_PATH | O_CLOEXEC);

    if (fd < 0)
        return may_be_missing(root, errno) ? 0 : errno;

    if (fstat(fd, &facts) != 0) {
        error = errno;
        goto done;
    }

    if (!meet_root(root, &facts))
        goto done;

    struct landlock_path_beneath_attr rule = {
        .allowed_access = landlock_granted(abi, root->access, S_ISDIR(facts.st_mode)),
        .parent_fd = fd,
    };
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
        error = errno;

done:
    close(fd);
    return error;
}

static int forgo_privileges(void)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    return 0;
}

int confine_paths(int abi, path_root *roots, size_t count)
{
    if (IS_SANITIZED)
        return ENOTSUP;

    landlock_ruleset handled = landlock_handled(abi);
    int error = forgo_privileges();
    if (error)
        return error;

    int rules =
        (int)syscall(SYS_landlock_create_ruleset, &handled, (size_t)landlock_ruleset_bytes(abi), 0);
    if (rules < 0)
        return errno;

    for (size_t i = 0; !error && i < count; i++)
        error = allow_root(rules, abi, &roots[i]);
    if (!error && syscall(SYS_landlock_restrict_self, rules, landlock_restrict_flags(abi)) != 0)
        error = errno;
    close(rules);
    return error;
}

/* ---- seccomp ---- */

int confine_calls(const seccomp_program *program)
{
    if (IS_SANITIZED)
        return ENOTSUP;
    struct sock_fprog code = { program->count, program->code };
    int error = forgo_privileges();
    if (!error && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code) != 0)
        error = errno;
    return error;
}
