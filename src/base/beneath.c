#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where nothing is, nothing can be looked at either. All other errors mean that nobody knows. */
static int is_nothing(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ENAMETOOLONG;
}

/* ---- without openat2 ----------------------------------------------------- */

/* The next part of path into name; answers how much was taken, 0 at the end or for one that is
 * too long. */
static size_t next_part(char *name, const char *path)
{
    size_t skipped = strspn(path, "/"), len = strcspn(path + skipped, "/");
    if (len == 0 || len > NAME_MAX)
        return 0;
    memcpy(name, path + skipped, len);
    name[len] = '\0';
    return skipped + len;
}

static int is_link(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) != 0 || S_ISLNK(facts.st_mode);
}

/* Part by part. Links and ".." are refused, for where they lead nobody can say without races. */
int beneath_by_parts(int directory, const char *path, int follows)
{
    char name[NAME_MAX + 1];
    int at = dup(directory), is_in = at >= 0;
    for (size_t len; is_in && (len = next_part(name, path)) > 0; path += len) {
        int next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error = errno;
        close(at);
        at = next;
        if (next < 0)
            return is_nothing(error);
        int is_last = path[len + strspn(path + len, "/")] == '\0';
        is_in = strcmp(name, "..") != 0 && !(is_link(next) && (follows || !is_last));
    }
    if (at >= 0)
        close(at);
    return is_in;
}

/* ---- with it -------------------------------------------------------------- */

static int is_beneath(int directory, const char *path, int follows)
{
    const struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | (follows ? 0u : (unsigned)O_NOFOLLOW),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, directory, *path ? path : ".", &how, sizeof how);
    if (fd >= 0) {
        close((int)fd);
        return 1;
    }
    return errno == ENOSYS || errno == EPERM ? beneath_by_parts(directory, path, follows)
                                             : is_nothing(errno);
}

int beneath(const char *root, const char *path, int follows)
{
    int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return is_nothing(errno);
    int answer = is_beneath(directory, path, follows);
    close(directory);
    return answer;
}
