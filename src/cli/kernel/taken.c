#include "cli/kernel/taken.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"

/* Who listens with a full queue would make a call that waits wait. */
static int has_listener(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return 0;

    int failed = connect(fd, (const struct sockaddr *)address, sizeof *address);
    int listens = !failed || errno == EAGAIN;
    close(fd);
    return listens;
}

int taken_check(const connection *where)
{
    static const char transport[] = "ipc://";

    for (int i = 0; i < CHANNELS; i++) {
        const char *path = str_text(&where->addresses[i]);
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        if (strncmp(path, transport, sizeof transport - 1) != 0)
            continue;
        path += sizeof transport - 1;
        if (strlen(path) >= sizeof address.sun_path) /* which libzmq says of it */
            continue;
        strcpy(address.sun_path, path);
        if (has_listener(&address))
            return error_set(SNUG_EINVAL, "%s: another kernel listens there", path);
    }

    return SNUG_OK;
}
