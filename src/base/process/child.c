#include "base/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/spawn.h"

/* TURN_BYTES: no pipe holds more, unless root made it so. */
enum { CHUNK_BYTES = 64 * 1024, TURN_BYTES = 1 << 20, LOOK_MS = 5, START_MS = 1000 };

static void close_pipe_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- those that run ---- */

/* Of the process, because so is its end, which may come on any thread. One for which there is no
 * place is not in it. */
enum { LISTED = 256 };
static _Atomic pid_t listed[LISTED];
/* One that is being started may run before its number is listed. */
static _Atomic int starting, is_over;

static void replace_listed(pid_t before, pid_t after)
{
    for (int i = 0; i < LISTED; i++) {
        pid_t found = before;
        if (atomic_compare_exchange_strong(&listed[i], &found, after))
            return;
    }
}

void child_end_all(void)
{
    atomic_store(&is_over, 1);
    for (int i = 0; i < START_MS && atomic_load(&starting) > 0; i++)
        nanosleep(&(struct timespec){ .tv_nsec = NS_PER_MS }, NULL);
    for (int i = 0; i < LISTED; i++) {
        const pid_t pid = atomic_load(&listed[i]);
        if (pid > 0)
            kill(-pid, SIGTERM);
    }
}

/* ---- starting ---- */

/* pipes: of stdin, stdout, stderr. Answers an errno. */
static int spawn_shell(pid_t *pid, char *const *arguments, int pipes[3][2])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_adddup2(&actions, pipes[fd][fd > 0], fd);
    spawn_set_attributes(&attributes);

    atomic_fetch_add(&starting, 1);
    int error = ECANCELED;
    if (!atomic_load(&is_over))
        error = posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ);
    if (!error)
        replace_listed(0, *pid);
    atomic_fetch_sub(&starting, 1);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int child_start(child *c, const char *command)
{
    char name[] = "sh", option[] = "-c";
    char *const arguments[] = { name, option, strdup(command), NULL };
    int pipes[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
    int error = 0;

    *c = (child){ .in = -1, .out = -1, .err = -1 };
    if (!arguments[2])
        return error_no_memory();
    for (int i = 0; i < 3 && !error; i++)
        if (pipe2(pipes[i], O_CLOEXEC))
            error = errno;

    if (!error)
        error = spawn_shell(&c->pid, arguments, pipes);
    free(arguments[2]);

    /* Its ends: it reads its stdin, and writes the others. */
    for (int i = 0; i < 3; i++)
        close_pipe_end(&pipes[i][i > 0]);
    if (error)
        goto fail;

    c->in = pipes[0][1];
    c->out = pipes[1][0];
    c->err = pipes[2][0];
    const int ours[] = { c->in, c->out, c->err };
    for (int i = 0; i < 3; i++)
        fcntl(ours[i], F_SETFL, O_NONBLOCK);
    return SNUG_OK;

fail:
    for (int i = 0; i < 3; i++)
        close_pipe_end(&pipes[i][i == 0]);
    c->pid = 0;
    errno = error;
    return error_system("%s", command);
}

/* ---- its streams ---- */

void child_write(child *c, const char *text, size_t len, size_t *at, int closes)
{
    while (c->in >= 0 && *at < len) {
        ssize_t written = write(c->in, text + *at, len - *at);
        if (written > 0)
            *at += (size_t)written;
        else if (written < 0 && errno == EAGAIN)
            return;
        else if (written < 0 && errno != EINTR)
            close_pipe_end(&c->in);
    }
    if (closes && *at >= len)
        close_pipe_end(&c->in);
}

void child_read(int *fd, str *out, size_t most)
{
    size_t turn = 0;

    while (*fd >= 0 && turn < TURN_BYTES) {
        if (out->len > most + CHUNK_BYTES) {
            memmove(out->data, out->data + out->len - most, most);
            out->len = most;
        }

        /* What there is no memory for is not read any more. */
        if (str_reserve(out, CHUNK_BYTES)) {
            close_pipe_end(fd);
            return;
        }

        ssize_t got = read(*fd, out->data + out->len, CHUNK_BYTES);
        if (got > 0) {
            turn += (size_t)got;
            out->len += (size_t)got;
            out->data[out->len] = '\0';
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_pipe_end(fd);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

/* ---- its end ---- */

int child_has_ended(child *c)
{
    siginfo_t info = { 0 };
    /* Left as it is, so that its number stays its own. */
    return c->pid == 0 || waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == c->pid;
}

void child_wait(child *c)
{
    siginfo_t info;

    while (c->pid > 0 && waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR)
        ;
    if (c->pid > 0)
        replace_listed(c->pid, 0); /* while its number is its own */
    while (c->pid > 0 && waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
        ;
    c->pid = 0;
}

void child_kill(child *c)
{
    if (c->pid > 0)
        kill(-c->pid, SIGKILL);
    child_wait(c);
}

static int ends_within(child *c, int ms)
{
    uint64_t until_ns = clock_deadline_ns(clock_now_ns(), (uint64_t)ms);
    while (!child_has_ended(c) && clock_now_ns() < until_ns)
        poll(NULL, 0, LOOK_MS);
    return child_has_ended(c);
}

void child_end(child *c, int patience_ms)
{
    close_pipe_end(&c->in);
    if (!ends_within(c, patience_ms) && c->pid > 0) {
        kill(-c->pid, SIGTERM);
        ends_within(c, patience_ms);
    }
    child_kill(c);
}

void child_free(child *c)
{
    close_pipe_end(&c->in);
    close_pipe_end(&c->out);
    close_pipe_end(&c->err);
}

size_t child_last_line(const char **line, const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    size_t start = len;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    *line = text + start;
    return len - start;
}
