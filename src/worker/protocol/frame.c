#include "worker/protocol/frame.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* So much more at a time. */
enum { STEP_BYTES = 1 << 20 };

void frame_free(frame *f)
{
    str_free(&f->body);
}

static void put_word(char *out, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        out[i] = (char)(unsigned char)(number >> (8 * i));
}

static uint32_t get_word(const char *in)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number |= (uint32_t)(unsigned char)in[i] << (8 * i);
    return number;
}

void frame_header(char out[FRAME_HEADER], const frame *f)
{
    put_word(out, (uint32_t)f->body.len);
    put_word(out + 4, (uint32_t)f->kind);
    put_word(out + 8, f->channel);
    put_word(out + 12, f->number);
}

void frame_wrote(struct iovec **pieces, size_t *count, size_t len)
{
    while (*count > 0 && len >= (*pieces)->iov_len) {
        len -= (*pieces)->iov_len;
        ++*pieces;
        --*count;
    }

    if (*count > 0) {
        (*pieces)->iov_base = (char *)(*pieces)->iov_base + len;
        (*pieces)->iov_len -= len;
    }
}

char *frame_room(frame_reader *r, size_t *len)
{
    if (r->header_len < FRAME_HEADER) {
        *len = FRAME_HEADER - r->header_len;
        return r->header + r->header_len;
    }

    uint64_t left = r->body_bytes - r->next.body.len;
    *len = left < STEP_BYTES ? (size_t)left : STEP_BYTES;
    if (str_reserve(&r->next.body, *len) != 0)
        return NULL;
    return r->next.body.data + r->next.body.len;
}

/* 1: it is one of this protocol. */
static int take_header(frame_reader *r)
{
    uint32_t kind = get_word(r->header + 4);
    r->body_bytes = get_word(r->header);
    r->next.kind = (frame_kind)kind;
    r->next.channel = get_word(r->header + 8);
    r->next.number = get_word(r->header + 12);
    return kind < FRAME_KINDS && r->body_bytes <= FRAME_MOST_BYTES;
}

int frame_took(frame *out, frame_reader *r, size_t len)
{
    if (r->header_len < FRAME_HEADER) {
        r->header_len += len;
        if (r->header_len < FRAME_HEADER)
            return 0;
        if (!take_header(r))
            return -1;
    } else {
        r->next.body.len += len;
        r->next.body.data[r->next.body.len] = '\0';
    }

    if (r->next.body.len < r->body_bytes)
        return 0;
    *out = r->next;
    *r = (frame_reader){ 0 };
    return 1;
}

void frame_reader_free(frame_reader *r)
{
    frame_free(&r->next);
}

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
