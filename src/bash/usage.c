#include "bash/usage.h"

#include <dirent.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/nameless.h"

/* ---- sockets ---- */

/* How much memory the sockets of a session's network namespace have, which counts for
 * no process. */

/* One for the process, which serves one session: after the filter none can be opened. */
static int diagnosis = -1;

void usage_open_sockets(void)
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

/* What waits in all of them to be sent or read. 0 where the kernel does not tell. */
static uint64_t sockets_bytes(void)
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

/* Where files are in memory. */
static const char *const places[] = { "/tmp", "/dev/shm" };
enum { PLACES = sizeof places / sizeof *places };

/* What the kernel keeps of a file in memory, as a slab: inode, name and their tables. */
enum { INODE_BYTES = 1280 };

uint64_t usage_of_memory_files(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < PLACES; i++) {
        struct statvfs facts;
        if (statvfs(places[i], &facts) != 0)
            continue;
        sum += (facts.f_blocks - facts.f_bfree) * facts.f_frsize;
        sum += (facts.f_files - facts.f_ffree) * INODE_BYTES;
    }

    return sum;
}

static int is_own_entry(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *item;
    if (!dir)
        return;

    while ((item = readdir(dir)))
        if (!is_own_entry(item->d_name))
            tree_remove_at(dirfd(dir), item->d_name);
    closedir(dir);
}

void usage_empty_memory_files(void)
{
    for (int i = 0; i < PLACES; i++)
        empty_folder(places[i]);
}

/* ---- processes ---- */

static FILE *open_proc_file(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return fopen(path, "re");
}

/* Below that, a process's tables are too small to matter. */
#define LARGE_MAPS (UINT64_C(1) << 30)

/* Page tables, which are nobody's resident pages. */
static uint64_t read_table_bytes(const proc *p)
{
    char line[256];
    unsigned long long kib = 0;
    if (p->mapped < LARGE_MAPS)
        return 0;

    FILE *status = open_proc_file(p->thread, "status");
    if (!status)
        return 0;

    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmPTE: %llu", &kib) == 1)
            break;
    fclose(status);
    return kib * 1024;
}

static uint64_t beside_pages(const procs *p)
{
    uint64_t sum = usage_of_memory_files() + sockets_bytes();
    for (size_t i = 0; i < p->count; i++)
        sum += read_table_bytes(&p->items[i]);
    return sum;
}

uint64_t usage_at_most(const procs *p)
{
    return p->bytes + beside_pages(p);
}

/* The head of a mapping in smaps: "7f..-7f.. r--p 00000000 08:01 1234   /path". */
static int is_mapping_head(const char *line)
{
    size_t len = strspn(line, "0123456789abcdef");
    return len > 0 && line[len] == '-';
}

/* Files in memory have been counted where they are. */
static int is_memory_file(const char *line)
{
    const char *path = strchr(line, '/');
    for (int i = 0; path && i < PLACES; i++) {
        size_t len = strlen(places[i]);
        if (strncmp(path, places[i], len) == 0 && path[len] == '/')
            return 1;
    }
    return 0;
}

/* Its share of the pages that it has with others; all that are resident where it cannot be looked
 * into. */
static uint64_t read_share_bytes(const proc *p)
{
    char line[512];
    uint64_t kib = 0;
    int is_counted = 1, is_told = 0;
    FILE *maps = open_proc_file(p->thread, "smaps");
    if (!maps)
        return p->bytes;

    while (fgets(line, sizeof line, maps)) {
        unsigned long long value;
        if (is_mapping_head(line)) {
            is_counted = !is_memory_file(line);
        } else if (sscanf(line, "Pss: %llu", &value) == 1) {
            is_told = 1;
            if (is_counted)
                kib += value;
        }
    }

    fclose(maps);
    return is_told ? kib * 1024 : p->bytes;
}

uint64_t usage_of_memory(const procs *p)
{
    uint64_t sum = beside_pages(p);
    for (size_t i = 0; i < p->count; i++)
        sum += read_share_bytes(&p->items[i]);
    return sum;
}

/* ---- files without a name ---- */

static int is_hidden(int error)
{
    return error == EACCES || error == EPERM;
}

/* What cannot be looked into may hide files, and is ended. A thread that has given up its memory
 * on its way out is root's, however, as that of a process that hides: another one is asked then.
 * Where one after the other ends, the next look comes back. */
static void add_process(nameless *n, const proc *p)
{
    enum { TRIES = 8 };
    pid_t thread = p->thread;
    for (int i = 0; i < TRIES && thread; i++) {
        int error = nameless_add(n, thread);
        int is_ending = error && procs_is_ending(thread);
        if (is_hidden(error) && !is_ending)
            kill(p->pid, SIGKILL);
        if (!is_ending)
            return;
        thread = procs_thread(p->pid);
    }
}

tree_usage usage_of_nameless(const procs *p, const char *workdir)
{
    struct stat facts;
    nameless n = { .count = 0 };

    if (stat(workdir, &facts) != 0)
        return n.sum;
    n.device = facts.st_dev;
    for (size_t i = 0; i < p->count; i++)
        add_process(&n, &p->items[i]);
    return n.sum;
}
