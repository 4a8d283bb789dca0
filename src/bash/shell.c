#include "bash/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "bash/prelude.h"

static const char bash[] = "/bin/bash";

/* As prelude.sh has them. */
enum { FD_STDOUT = 240, FD_STDERR, FD_STATUS, FD_LINES };

/* What a shell says of its names; more is not read, and the shell given up. */
enum { MOST_SAID = 64 << 20 };

/* ---- starting ---- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The shell's messages between cells go to it: bash asks it for its modes, and complains about
 * anything else. */
static int open_terminal(int *own, int *its)
{
    char name[64];

    *own = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (*own < 0 || grantpt(*own) != 0 || unlockpt(*own) != 0 ||
        ptsname_r(*own, name, sizeof name) != 0)
        return -1;

    *its = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*its < 0)
        return -1;
    return 0;
}

/* Its ends of the pipes, in the order of its descriptors. */
enum { END_CONTROL, END_TERMINAL, END_STDOUT, END_STDERR, END_STATUS, END_LINES, ENDS };
static const int numbers[ENDS] = { 0, 2, FD_STDOUT, FD_STDERR, FD_STATUS, FD_LINES };

static int open_pipe(int *reads, int *writes)
{
    int both[2];
    if (pipe2(both, O_CLOEXEC) != 0)
        return -1;

    *reads = both[0];
    *writes = both[1];
    return 0;
}

/* What is open where it fails is the caller's to close. */
static int open_pipes(shell *s, int ends[ENDS])
{
    if (open_pipe(&ends[END_CONTROL], &s->control) != 0 ||
        open_pipe(&s->streams[0], &ends[END_STDOUT]) != 0 ||
        open_pipe(&s->streams[1], &ends[END_STDERR]) != 0 ||
        open_pipe(&s->status, &ends[END_STATUS]) != 0 || open_pipe(&s->lines[0], &s->lines[1]) != 0)
        return -1;

    ends[END_LINES] = fcntl(s->lines[0], F_DUPFD_CLOEXEC, 3);
    if (ends[END_LINES] < 0)
        return -1;

    const int ours[] = { s->control, s->streams[0], s->streams[1], s->status, s->lines[1] };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        fcntl(ours[i], F_SETFL, O_NONBLOCK);
    return open_terminal(&s->terminal, &ends[END_TERMINAL]);
}

/* ---- the shell's process, before it is the shell ---- */

static void bound_resource(__rlimit_resource_t what, uint64_t most)
{
    const struct rlimit limit = { most, most };
    if (most != SNUG_UNLIMITED)
        setrlimit(what, &limit);
}

enum { NICE = 5 };

/* Each may have memory of the kernel's behind it, a pipe or a socket some 200 KiB. */
enum { OPEN_FILES = 256, SIGNALS = 1024 };
#define STACK_BYTES (UINT64_C(8) << 20)

/* A program may ask for more than it begins with; new threads are given what it begins with. */
static void set_stack_limit(uint64_t most)
{
    const struct rlimit limit = { STACK_BYTES, most > STACK_BYTES ? most : STACK_BYTES };
    if (most != SNUG_UNLIMITED)
        setrlimit(RLIMIT_STACK, &limit);
}

/* By itself: the filter lets nobody set what is another's. */
static void bound_resources(const shell_limits *limits)
{
    /* A crowd of its processes leaves room for the worker, which ends them. */
    setpriority(PRIO_PROCESS, 0, NICE);
    bound_resource(RLIMIT_DATA, limits->data_bytes);
    bound_resource(RLIMIT_FSIZE, limits->file_bytes);
    bound_resource(RLIMIT_CPU, limits->cpu_s);
    bound_resource(RLIMIT_NPROC, limits->processes);
    set_stack_limit(limits->data_bytes);
    bound_resource(RLIMIT_NOFILE, OPEN_FILES);
    bound_resource(RLIMIT_SIGPENDING, SIGNALS);
    bound_resource(RLIMIT_CORE, 0);
    bound_resource(RLIMIT_MSGQUEUE, 0);
    bound_resource(RLIMIT_MEMLOCK, 0);
}

/* What an exec keeps is made as a program expects it. */
static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child of a process with other threads: system calls, and nothing that takes a lock. */
static void become_shell(const int ends[ENDS], const shell_limits *limits)
{
    static const char *const arguments[] = { "/bin/bash",   "--noprofile", "--norc",
                                             "--noediting", "-i",          NULL };

    extern char **environ;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    setpgid(0, 0);
    if (null >= 0)
        dup2(null, 1);
    for (int i = 0; i < ENDS; i++)
        dup2(ends[i], numbers[i]);
    bound_resources(limits);
    reset_signals();
    execve(bash, (char *const *)(uintptr_t)arguments, environ);
    enum { NOT_FOUND = 127 };
    _exit(NOT_FOUND);
}

/* 0, or an errno. No handler of ours runs in the child. */
static int start_shell(pid_t *pid, const int ends[ENDS], const shell_limits *limits)
{
    sigset_t all, before;

    sigfillset(&all);
    if (access(bash, X_OK) != 0)
        return errno;

    pthread_sigmask(SIG_SETMASK, &all, &before);
    *pid = fork();
    int error = *pid < 0 ? errno : 0;
    if (*pid == 0)
        become_shell(ends, limits);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int start_with_pipes(shell *s, int ends[ENDS], const shell_limits *limits)
{
    if (open_pipes(s, ends) != 0)
        return error_system("the shell's pipes");

    errno = start_shell(&s->pid, ends, limits);
    if (errno == 0)
        return SNUG_OK;
    s->pid = 0;
    return error_system("%s", bash);
}

static void close_all(shell *s)
{
    int *const all[] = { &s->end,    &s->control,  &s->streams[0], &s->streams[1],
                         &s->status, &s->lines[0], &s->lines[1],   &s->terminal };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close_fd(all[i]);
}

int shell_open(shell *s, const shell_limits *limits, int has_input)
{
    int ends[ENDS] = { -1, -1, -1, -1, -1, -1 };

    *s = (shell){ .end = -1,
                  .control = -1,
                  .streams = { -1, -1 },
                  .status = -1,
                  .lines = { -1, -1 },
                  .terminal = -1 };
    int error = start_with_pipes(s, ends, limits);
    for (int i = 0; i < ENDS; i++)
        close_fd(&ends[i]);
    if (error)
        goto fail;

    s->end = (int)syscall(SYS_pidfd_open, s->pid, 0);
    if (s->end < 0) {
        error = error_system("pidfd_open");
        goto fail;
    }

    error = shell_tell(s, bash_prelude, strlen(bash_prelude));
    if (!error && has_input)
        error = shell_tell(s, bash_reading, strlen(bash_reading));
    if (!error)
        return SNUG_OK;

fail:
    shell_close(s);
    close_all(s); /* where no process was started */
    return error;
}

int shell_close(shell *s)
{
    int status = 0;

    if (s->pid > 0) {
        kill(s->pid, SIGKILL);
        while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
            ;
        close_all(s);
    }

    s->pid = 0;
    str_free(&s->unsent);
    str_free(&s->said);
    return status;
}

/* ---- what it reads ---- */

void shell_flush(shell *s)
{
    size_t sent = 0;

    while (sent < s->unsent.len) {
        ssize_t n = write(s->control, s->unsent.data + sent, s->unsent.len - sent);
        if (n <= 0)
            break;
        sent += (size_t)n;
    }

    if (sent == 0)
        return;
    memmove(s->unsent.data, s->unsent.data + sent, s->unsent.len - sent);
    s->unsent.len -= sent;
}

int shell_tell(shell *s, const char *text, size_t len)
{
    if (str_append(&s->unsent, text, len))
        return error_no_memory();
    shell_flush(s);
    return SNUG_OK;
}

void shell_answer(shell *s, const char *line, size_t len)
{
    str text = { 0 };

    int error = str_add(&text, line ? "1" : "0");
    if (!error && line)
        error = str_append(&text, line, strnlen(line, len));
    if (!error) {
        /* A line that is longer than the pipe has room for is cut. */
        ssize_t sent = write(s->lines[1], text.data, text.len);
        sent = write(s->lines[1], "", 1);
        (void)sent;
    }

    str_free(&text);
}

void shell_forget_answers(shell *s)
{
    char rest[4096];
    struct pollfd left = { .fd = s->lines[0], .events = POLLIN };
    while (poll(&left, 1, 0) > 0 && read(s->lines[0], rest, sizeof rest) > 0)
        ;
}

/* ---- what it tells ---- */

/* What was heard goes with the next call, so that its texts stay until then. */
static void forget_heard(shell *s)
{
    if (s->heard == 0)
        return;
    memmove(s->said.data, s->said.data + s->heard, s->said.len - s->heard);
    s->said.len -= s->heard;
    s->heard = 0;
}

void shell_listen(shell *s)
{
    char text[16384];
    ssize_t n;

    forget_heard(s);
    while ((n = read(s->status, text, sizeof text)) > 0)
        if (s->said.len > MOST_SAID || str_append(&s->said, text, (size_t)n) != SNUG_OK) {
            s->is_bad = 1;
            return;
        }

    while (read(s->terminal, text, sizeof text) > 0)
        ;
}

static size_t message_words(char kind)
{
    if (kind == 'E')
        return 3;
    return kind == 'X' ? 4 : 1;
}

static int is_message_head(const char *text)
{
    return strchr("EXI", text[0]) && text[0] && text[1] == ' ';
}

/* The texts of the first whole message, each with its NUL, and the bytes up to its end; 0: there is
 * none. An interrupt may have cut those before it short. */
static size_t split_message(const shell *s, const char *words[4])
{
    size_t at = 0, count = 0;

    do {
        const char *word = s->said.data + at;
        const char *end = memchr(word, '\0', s->said.len - at);
        if (!end)
            return 0;
        if (is_message_head(word))
            count = 0;
        if (count > 0 || is_message_head(word))
            words[count++] = word;
        at = (size_t)(end - s->said.data) + 1;
    } while (count == 0 || count < message_words(*words[0]));

    return at;
}

shell_message shell_hear(shell *s, shell_word *out)
{
    const char *words[4] = { NULL };

    forget_heard(s);
    if (s->said.len > 0)
        s->heard = split_message(s, words);
    *out = (shell_word){ .variables = words[1], .functions = words[2], .restore = words[3] };
    if (s->heard == 0)
        return SHELL_NOTHING;

    char *end;
    const char *head = words[0];
    out->cell = strtoull(head + 1, &end, 10);
    out->status = (int)(strtoul(end, NULL, 10) & 255);
    out->prompt = head + 2;
    if (*head == 'E')
        return SHELL_END;
    return *head == 'X' ? SHELL_EXIT : SHELL_INPUT;
}

/* ---- syntax ---- */

/* With time for what is long, and no more; and what is read of its complaints. */
enum { CHECK_MS = 5000, MOST_COMPLAINT = 64 << 10 };

/* Its stdin and stderr. */
static int spawn_checker(pid_t *pid, int in, int err)
{
    /* What a session may have turned on changes what can be read. */
    static const char *const arguments[] = { "/bin/bash", "--noprofile", "--norc", "-n",
                                             "-O",        "extglob",     NULL };
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, err, 2);

    int error =
        posix_spawn(pid, bash, &actions, &attributes, (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Writes what it takes now, and answers how much: all for one that takes no more. */
static size_t feed(int in, const char *source, size_t len)
{
    ssize_t n = write(in, source, len);

    if (n > 0)
        return (size_t)n;
    return n < 0 && errno == EAGAIN ? 0 : len;
}

/* Feeds it, closes *in where it has all, and reads what it says. */
static int feed_and_read(str *out, int *is_late, int *in, int err, const char *source, size_t len)
{
    uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), CHECK_MS);

    for (;;) {
        char text[4096];
        if (len == 0)
            close_fd(in);
        struct pollfd fds[2] = { { .fd = *in, .events = POLLOUT },
                                 { .fd = err, .events = POLLIN } };
        uint64_t now = clock_now_ns();
        *is_late = now >= deadline_ns;
        if (*is_late)
            return SNUG_OK;
        /* A signal does not end what is said. */
        if (poll(fds, 2, (int)((deadline_ns - now) / NS_PER_MS) + 1) < 0)
            continue;
        if (fds[0].revents) {
            size_t fed = feed(*in, source, len);
            source += fed;
            len -= fed;
        }
        if (!fds[1].revents)
            continue;

        ssize_t n = read(err, text, sizeof text);
        if (n == 0)
            return SNUG_OK;
        if (n > 0 && out->len < MOST_COMPLAINT && str_append(out, text, (size_t)n))
            return error_no_memory();
    }
}

/* One that could not start, or was killed, has judged nothing. */
static int end_checker(pid_t pid, const str *said)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return error_system("%s -n, which reads the source", bash);
    if (WIFSIGNALED(status))
        return error_set(SNUG_ESYSTEM, "%s -n, which reads the source, was ended by signal %d",
                         bash, WTERMSIG(status));
    if (WEXITSTATUS(status) > 2 || (WEXITSTATUS(status) != 0 && said->len == 0))
        return error_set(SNUG_ESYSTEM, "%s -n, which reads the source, ended with %d", bash,
                         WEXITSTATUS(status));
    return SNUG_OK;
}

int shell_check(str *out, const char *source, size_t len)
{
    int its_in = -1, in = -1, err = -1, its_err = -1, is_late = 0;
    int error = SNUG_OK, ended;
    pid_t pid;

    if (open_pipe(&its_in, &in) != 0 || open_pipe(&err, &its_err) != 0) {
        error = error_system("pipe");
        goto done;
    }

    fcntl(in, F_SETFL, O_NONBLOCK);
    errno = spawn_checker(&pid, its_in, its_err);
    if (errno) {
        error = error_system("%s", bash);
        goto done;
    }

    /* Its own ends alone keep the pipes open now. */
    close_fd(&its_in);
    close_fd(&its_err);
    error = feed_and_read(out, &is_late, &in, err, source, len);
    if (is_late)
        kill(pid, SIGKILL);

    /* One that still reads or writes does not wait for anybody. */
    close_fd(&in);
    close_fd(&err);
    ended = end_checker(pid, out);
    if (!error && !is_late)
        error = ended;

done:
    close_fd(&its_in);
    close_fd(&its_err);
    close_fd(&in);
    close_fd(&err);
    return error;
}
