/*
 * zygote_server.c - the zygote: one thread, one interpreter, no session. What it has is shared by
 * its children until they write to it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/worker.h>

#include "base/error.h"
#include "base/file.h"
#include "session/confine/namespaces.h"
#include "session/core/form.h"
#include "session/life/warm.h"
#include "worker/protocol/frame.h"
#include "worker/server/serve.h"

/* ---- a process whose program has no path ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static int is_unnamed(void)
{
    static const char prefix[] = "/memfd:";
    char path[sizeof prefix] = "";
    return readlink("/proc/self/exe", path, sizeof prefix - 1) < 0 || strcmp(path, prefix) == 0;
}

/* Up to the last byte that is loaded: symbols and the like stand behind it. 0: unknown. */
static size_t loaded_bytes(int program)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    size_t end = 0;
    if (pread(program, &head, sizeof head, 0) != (ssize_t)sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof part)
        return 0;

    for (int i = 0; i < head.e_phnum; i++) {
        off_t at = (off_t)(head.e_phoff + (size_t)i * sizeof part);
        if (pread(program, &part, sizeof part, at) != (ssize_t)sizeof part)
            return 0;
        if (part.p_offset + part.p_filesz > end)
            end = part.p_offset + part.p_filesz;
    }

    return end;
}

static int copy_program(int to, int from, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = sendfile(to, from, NULL, bytes);
        if (n <= 0)
            return -1;
        bytes -= (size_t)n;
    }

    return 0;
}

/* Older kernels do not know MFD_EXEC; newer ones may refuse it. */
static int make_memfd(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    if (fd < 0)
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd;
}

static int copy_sealed(int fd, int program)
{
    size_t bytes = loaded_bytes(program);

    if (bytes == 0 || copy_program(fd, program, bytes) != 0 || fchmod(fd, 0500) != 0)
        return -1;
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

/* Starts this program again, from a sealed copy in memory and under the name in arguments[0], so
 * that neither /proc/self/exe nor the maps nor the command line tell its children where it is in
 * the host's file system. Returns where the machine has no such files, where that has been done,
 * and in builds with a sanitizer, which look for their symbols there. The process has no other
 * thread; descriptors with FD_CLOEXEC are closed. */
static void unnamed_begin(char *const *arguments)
{
    extern char **environ;
    if (IS_SANITIZED || is_unnamed())
        return;

    int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int fd = make_memfd(arguments[0]);
    if (program >= 0 && fd >= 0 && copy_sealed(fd, program) == 0)
        fexecve(fd, arguments, environ);

    if (fd >= 0)
        close(fd);
    if (program >= 0)
        close(program);
}

/* ---- the zygote ---- */

/* How many ended workers it remembers until the host asks for their status. */
enum { ENDED = 1024 };

typedef struct nursery {
    int control, children; /* children: a signalfd */
    struct {
        pid_t pid;
        int status;
    } ended[ENDED];
    size_t ended_count; /* ever */
} nursery;

/* ---- children ---- */

static void reap_children(nursery *n)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        n->ended[n->ended_count % ENDED].pid = pid;
        n->ended[n->ended_count++ % ENDED].status = status;
    }
}

/* The zygote's standard error is a pipe, and its workers would all have the same. */
static void leave_errors(void)
{
    int null = file_open_null();
    if (null < 0 || dup2(null, 2) < 0)
        close(2);
    if (null >= 0)
        close(null);
}

__attribute__((noreturn)) static void be_worker(const nursery *n, int stream)
{
    sigset_t none;

    close(n->control);
    close(n->children);
    leave_errors();
    namespaces_after_fork();
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    warm_after_fork(1);
    _exit(serve(stream, stream, &local_form));
}

static int fork_worker(nursery *n, int stream)
{
    zygote_message message = { .order = ZYGOTE_FORK };

    warm_before_fork();
    pid_t pid = namespaces_fork();
    if (pid == 0)
        be_worker(n, stream);

    int pidfd = -1;
    if (pid > 0)
        pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd >= 0)
        message.pid = pid;
    else
        snprintf(message.text, sizeof message.text, "%s", strerror(errno));
    if (pid > 0 && pidfd < 0)
        kill(pid, SIGKILL);

    int gone = zygote_message_send(n->control, &message, pidfd);
    if (pidfd >= 0)
        close(pidfd);
    warm_after_fork(0); /* the next one waits for that, and not this one's host */
    return gone;
}

/* The host has seen that it has ended. One that takes its time is not waited for. */
static int send_status(nursery *n, pid_t pid)
{
    zygote_message message = { .order = ZYGOTE_STATUS, .pid = pid, .status = -1 };
    int status;

    reap_children(n);
    size_t first = n->ended_count > ENDED ? n->ended_count - ENDED : 0;
    for (size_t i = first; i < n->ended_count; i++)
        if (n->ended[i % ENDED].pid == pid)
            message.status = n->ended[i % ENDED].status;

    if (message.status == -1 && waitpid(pid, &status, WNOHANG) == pid)
        message.status = status;
    return zygote_message_send(n->control, &message, -1);
}

/* ---- the process ---- */

static int serve_event(nursery *n)
{
    struct signalfd_siginfo info;
    zygote_message order;
    int stream;
    struct pollfd streams[2] = { { .fd = n->control, .events = POLLIN },
                                 { .fd = n->children, .events = POLLIN } };
    if (poll(streams, 2, -1) < 0)
        return errno == EINTR ? 0 : -1;

    if (streams[1].revents && read(n->children, &info, sizeof info) > 0)
        reap_children(n);
    if (!streams[0].revents)
        return 0;
    if (zygote_message_receive(&order, &stream, n->control) != 0)
        return -1;
    if (order.order == ZYGOTE_STATUS)
        return send_status(n, order.pid);

    if (stream < 0)
        return -1;

    int gone = fork_worker(n, stream);
    close(stream);
    return gone;
}

static warm_wish wish_of(char *const *words)
{
    warm_wish wish = { 0 };

    for (; *words && strncmp(*words, "--", 2) == 0; words++) {
        if (strcmp(*words, "--full") == 0)
            wish.is_full = 1;
        else if (strcmp(*words, "--home") == 0 && words[1])
            wish.python_home = *++words;
        else if (strcmp(*words, "--hash-seed") == 0 && words[1])
            wish.hash_seed = strtoull(*++words, NULL, 10);
        else if (strcmp(*words, "--packages") == 0 && words[1])
            wish.packages = *++words;
    }

    wish.preload = (const char *const *)words;
    return wish;
}

/* In place of a path, for whoever looks at processes. */
static const char program[] = "snug-worker";

static int begin_unnamed(char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    const char **arguments = calloc(count + 3, sizeof *arguments);
    if (!arguments)
        return 1;

    arguments[0] = program;
    arguments[1] = "--zygote";
    memcpy(arguments + 2, words, count * sizeof *words);
    unnamed_begin((char *const *)(uintptr_t)arguments);
    free(arguments);
    prctl(PR_SET_NAME, program); /* it is that of a descriptor */
    return 0;
}

/* Without what a process does at its exit. The leak checker's tracer would be a child, which begins
 * in the namespace of process numbers that is meant for workers: it does not see its parent there,
 * gives up, and the parent waits for it with all of a processor and without an end. */
__attribute__((noreturn)) static void leave_process(void)
{
    _exit(0);
}

int snug_worker_zygote(char *const *words)
{
    static nursery n;

    if (begin_unnamed(words))
        return 1;
    const warm_wish wish = wish_of(words);
    int control = serve_own_stream(0, 1);
    if (control < 0)
        return 1;

    sigset_t chld;
    zygote_message first = { 0 };
    n.control = control;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    n.children = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    namespaces_begin();
    if (n.children < 0)
        first.status = error_system("signalfd");
    else
        first.status = warm_start(&wish);

    if (first.status)
        snprintf(first.text, sizeof first.text, "%s", error_message());
    int gone = zygote_message_send(control, &first, -1) || first.status;
    while (!gone)
        gone = serve_event(&n) != 0;
    leave_process();
}
