#include "bash/sockets.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One for the process, which serves one session: after the filter none can be opened. */
static int diagnosis = -1;

void sockets_open(void)
{
    diagnosis = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

/* As the kernel tells them, SK_MEMINFO_. */
static uint64_t sum_values(const void *data, size_t size)
{
    uint32_t values[SK_MEMINFO_VARS] = { 0 };
    memcpy(values, data, size < sizeof values ? size : sizeof values);

    /* Both count what waits to be sent: which has all of it depends on the protocol. */
    uint64_t sum = values[SK_MEMINFO_WMEM_ALLOC], queued = values[SK_MEMINFO_WMEM_QUEUED];
    if (sum < queued)
        sum = queued;

    sum += values[SK_MEMINFO_RMEM_ALLOC];
    sum += values[SK_MEMINFO_OPTMEM];
    sum += values[SK_MEMINFO_BACKLOG];
    return sum;
}

/* Of one socket's attributes behind the message's own part. */
static uint64_t socket_memory(const struct nlmsghdr *message, size_t own, int wanted)
{
    uint64_t sum = 0;
    int left = (int)NLMSG_PAYLOAD(message, own);
    const char *at = (const char *)NLMSG_DATA(message) + NLMSG_ALIGN(own);

    while (left >= (int)sizeof(struct rtattr)) {
        struct rtattr head;
        memcpy(&head, at, sizeof head);
        if (head.rta_len < sizeof head || head.rta_len > left)
            break;
        if (head.rta_type == wanted)
            sum += sum_values(at + RTA_LENGTH(0), head.rta_len - sizeof head);
        at += RTA_ALIGN(head.rta_len);
        left -= (int)RTA_ALIGN(head.rta_len);
    }

    return sum;
}

/* Those to one question. The kernel writes them while it is asked and read, so that nothing is
 * waited for: where there is nothing, there is no more. */
static uint64_t take_answers(size_t own, int wanted)
{
    enum { ANSWER_BYTES = 32768 };
    _Alignas(struct nlmsghdr) char buffer[ANSWER_BYTES];
    uint64_t sum = 0;
    ssize_t got;

    while ((got = recv(diagnosis, buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {
        unsigned left = (unsigned)got;
        const struct nlmsghdr *message = (const void *)buffer;
        for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
            if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR)
                return sum;
            sum += socket_memory(message, own, wanted);
        }
    }

    return sum;
}

static uint64_t ask_kernel(const void *body, size_t len, size_t own, int wanted)
{
    struct {
        struct nlmsghdr head;
        char body[128];
    } question = { .head = { .nlmsg_len = (uint32_t)NLMSG_LENGTH(len),
                             .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                             .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP } };
    memcpy(question.body, body, len);
    if (send(diagnosis, &question, question.head.nlmsg_len, 0) < 0)
        return 0;
    return take_answers(own, wanted);
}

uint64_t sockets_bytes(void)
{
    static const struct {
        uint8_t family, protocol;
    } kinds[] = { { AF_INET, IPPROTO_TCP },
                  { AF_INET6, IPPROTO_TCP },
                  { AF_INET, IPPROTO_UDP },
                  { AF_INET6, IPPROTO_UDP } };
    const struct unix_diag_req local = { .sdiag_family = AF_UNIX,
                                         .udiag_states = UINT32_MAX,
                                         .udiag_show = UDIAG_SHOW_MEMINFO };
    if (diagnosis < 0)
        return 0;

    uint64_t sum =
        ask_kernel(&local, sizeof local, sizeof(struct unix_diag_msg), UNIX_DIAG_MEMINFO);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct inet_diag_req_v2 question = { .sdiag_family = kinds[i].family,
                                                   .sdiag_protocol = kinds[i].protocol,
                                                   .idiag_ext = 1 << (INET_DIAG_SKMEMINFO - 1),
                                                   .idiag_states = UINT32_MAX };
        sum += ask_kernel(&question, sizeof question, sizeof(struct inet_diag_msg),
                          INET_DIAG_SKMEMINFO);
    }

    return sum;
}
