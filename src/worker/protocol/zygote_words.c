#include "worker/protocol/zygote_words.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Room for one descriptor, aligned for its header. */
typedef union descriptor_room {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
} descriptor_room;

int zygote_message_send(int control, const zygote_message *message, int fd)
{
    descriptor_room room = { { 0 } };
    struct iovec piece = { (void *)(uintptr_t)message, sizeof *message };
    struct msghdr out = { .msg_iov = &piece, .msg_iovlen = 1 };

    if (fd >= 0) {
        out.msg_control = room.bytes;
        out.msg_controllen = sizeof room.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&out);
        *rights = (struct cmsghdr){ CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS };
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }

    if (sendmsg(control, &out, MSG_NOSIGNAL) != (ssize_t)sizeof *message)
        return -1;
    return 0;
}

int zygote_message_receive(zygote_message *out, int *fd, int control)
{
    descriptor_room room;
    struct iovec piece = { out, sizeof *out };
    struct msghdr in = { .msg_iov = &piece,
                         .msg_iovlen = 1,
                         .msg_control = room.bytes,
                         .msg_controllen = sizeof room.bytes };
    if (recvmsg(control, &in, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *out)
        return -1;

    const struct cmsghdr *rights = CMSG_FIRSTHDR(&in);
    *fd = -1;
    if (rights && rights->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(rights), sizeof *fd);
    return 0;
}
