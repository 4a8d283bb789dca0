#include "base/process/procself.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* Of the process, as what it names is. */
static int kept = -1;

void procself_set(int folder)
{
    kept = folder;
}

int procself_folder(void)
{
    return kept;
}

int procself_open(const char *name, int flags)
{
    char path[64];

    if (kept >= 0)
        return openat(kept, name, flags | O_CLOEXEC);
    if (snprintf(path, sizeof path, "/proc/self/%s", name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }

    return open(path, flags | O_CLOEXEC);
}
