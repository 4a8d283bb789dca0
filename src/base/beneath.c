#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int beneath(const char *root, const char *path, int follows)
{
    int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return 1; /* and what is in it is not there either */
    const struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | (follows ? 0u : (unsigned)O_NOFOLLOW),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, directory, *path ? path : ".", &how, sizeof how);
    int error = errno;
    close(directory);
    if (fd >= 0)
        close((int)fd);
    return fd >= 0 || (error != EXDEV && error != ELOOP);
}
