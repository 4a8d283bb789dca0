/*
 * refuse - runs a program on a machine that lacks what snug asks of the kernel.
 *
 *     refuse all PROGRAM [ARGUMENT...]     unshare, close_range and Landlock answer EPERM
 *     refuse seccomp PROGRAM ...           so do seccomp and memfd_create
 *     refuse everything PROGRAM ...        all of these
 *     refuse ABI PROGRAM ...               Landlock's ABI is this number; newer kernels only
 *
 * An ABI is an answer that a filter cannot make up: the child's filter asks this
 * process, its supervisor. Structures larger than that ABI's are refused, as are rights
 * that it does not know, by the kernel of that day; here by the size alone.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL                  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ARGUMENT(n)           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define IF(value, skip)       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define IF_ABOVE(value, skip) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (value), 0, (skip))
#define ANSWER(action)        BPF_STMT(BPF_RET | BPF_K, (action))
#define REFUSE(call)          IF(call, 1), ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define COUNT(array)          (unsigned short)(sizeof(array) / sizeof *(array))

static int fail(const char *what)
{
    perror(what);
    return 125;
}

static int install(struct sock_filter *code, unsigned short count, unsigned flags)
{
    struct sock_fprog program = { count, code };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Two filters: the first of them must not refuse the second. */
static int refuse_all(void)
{
    struct sock_filter code[] = {
        CALL,
        REFUSE(SYS_unshare),
        REFUSE(SYS_close_range),
        REFUSE(SYS_landlock_create_ruleset),
        REFUSE(SYS_landlock_add_rule),
        REFUSE(SYS_landlock_restrict_self),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return install(code, COUNT(code), 0);
}

static int refuse_seccomp(void)
{
    struct sock_filter code[] = {
        CALL,
        REFUSE(SYS_seccomp),
        REFUSE(SYS_memfd_create),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return install(code, COUNT(code), 0);
}

/* ---- an older Landlock ---- */

static unsigned ruleset_bytes(int abi)
{
    return abi < 4 ? 8 : abi < 6 ? 16 : 24;
}

/* Answers the descriptor on which the supervisor is asked. */
static int install_abi(int abi)
{
    struct sock_filter code[] = {
        CALL,
        IF(SYS_landlock_create_ruleset, 6),
        ARGUMENT(2),
        IF(LANDLOCK_CREATE_RULESET_VERSION, 1),
        ANSWER(SECCOMP_RET_USER_NOTIF),
        ARGUMENT(1),
        IF_ABOVE(ruleset_bytes(abi), 1),
        ANSWER(SECCOMP_RET_ERRNO | E2BIG),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return install(code, COUNT(code), SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

static union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
} control;
static char byte;
static struct iovec part = { &byte, 1 };

static int pass(int to, int fd)
{
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    control.header = (struct cmsghdr){ CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS };
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    return sendmsg(to, &message, 0) == 1 ? 0 : -1;
}

static int receive(int from)
{
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    int fd = -1;
    if (recvmsg(from, &message, 0) == 1 && message.msg_controllen >= CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
    return fd;
}

/* Until no process has the filter any more. */
static void supervise(int listener, int abi)
{
    for (;;) {
        struct seccomp_notif asked = { 0 };
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) {
            if (errno == EINTR)
                continue;
            return;
        }
        struct seccomp_notif_resp answer = { .id = asked.id, .val = abi };
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}

static int run_with_abi(int abi, char **program)
{
    int ends[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail("socketpair");
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int listener = install_abi(abi);
        if (listener < 0 || pass(ends[1], listener) != 0)
            _exit(fail("a filter that asks"));
        close(listener);
        execvp(program[0], program);
        _exit(fail(program[0]));
    }
    close(ends[1]);
    int listener = child > 0 ? receive(ends[0]) : -1;
    /* RECV does not end when the child does, on kernels before 6.6. */
    pid_t helper = listener >= 0 ? fork() : -1;
    if (helper == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        supervise(listener, abi);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child)
        return fail("waitpid");
    if (helper > 0)
        kill(helper, SIGKILL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **words)
{
    int abi = count > 2 ? atoi(words[1]) : 0;
    if (count < 3)
        return fputs("usage: refuse all|seccomp|everything|ABI PROGRAM...\n", stderr), 125;
    if (abi > 0)
        return run_with_abi(abi, words + 2);
    int is_everything = strcmp(words[1], "everything") == 0;
    if ((is_everything || strcmp(words[1], "all") == 0) && refuse_all() != 0)
        return fail("a filter that refuses");
    if ((is_everything || strcmp(words[1], "seccomp") == 0) && refuse_seccomp() != 0)
        return fail("a filter that refuses");
    execvp(words[2], words + 2);
    return fail(words[2]);
}
