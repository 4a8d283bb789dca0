#include "worker/client/launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/utf8.h"
#include "worker/client/worker_bounds.h"
#include "worker/client/zygote_client.h"

/* ---- the program ---- */

/* The folder of the file that this code is in: the program, or libsnug. */
static int own_folder(char out[PATH_MAX])
{
    Dl_info info;

    if (!dladdr((void *)(uintptr_t)launch, &info) || !info.dli_fname || !*info.dli_fname)
        return 0;

    const char *file = strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe";
    if (!realpath(file, out))
        return 0;

    char *slash = strrchr(out, '/');
    if (!slash)
        return 0;
    *slash = '\0';
    return 1;
}

int launch_find(char *out, size_t size)
{
    static const char *const places[] = { "", "/../bin", "/../../bin" };
    char folder[PATH_MAX];

    if (own_folder(folder))
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(out, size, "%s%s/snug-worker", folder, places[i]);
            if (access(out, X_OK) == 0)
                return SNUG_OK;
        }

    snprintf(out, size, "%s", SNUG_WORKER_PATH);
    if (access(out, X_OK) == 0)
        return SNUG_OK;

    return error_set(SNUG_ENOTFOUND,
                     "the program snug-worker is neither beside this one nor at %s: name it by the "
                     "host's option worker_path",
                     SNUG_WORKER_PATH);
}

/* ---- starting ---- */

/* Only what the worker itself needs: keys and the like do not reach its process. */
static char **worker_environment(void)
{
    static const char *const names[] = { "PATH",     "HOME", "LANG",  "LC_ALL",
                                         "LC_CTYPE", "TZ",   "TMPDIR" };

    enum { NAMES = sizeof names / sizeof *names };
    size_t count = 0;
    char **environment = calloc(NAMES + 1, sizeof *environment);
    for (size_t i = 0; environment && i < NAMES; i++) {
        const char *value = getenv(names[i]);
        str text = { 0 };
        if (value && str_printf(&text, "%s=%s", names[i], value) == 0)
            environment[count++] = str_take(&text);
    }

    return environment;
}

static void free_environment(char **environment)
{
    for (char **at = environment; at && *at; at++)
        free(*at);
    free(environment);
}

/* environment NULL: a worker's own, or the caller's for a command of the caller's. */
static int spawn_process(pid_t *pid, const char *const *arguments, const char *const *environment,
                         int stream, int errors, int is_command)
{
    extern char **environ;
    char **own = NULL, **used = environ;

    if (environment) {
        used = (char **)(uintptr_t)environment;
    } else if (!is_command) {
        used = own = worker_environment();
        if (!own)
            return ENOMEM; /* the caller's is not for a worker */
    }

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, stream, 0);
    posix_spawn_file_actions_adddup2(&actions, stream, 1);
    posix_spawn_file_actions_adddup2(&actions, errors, 2);

    /* What the caller has open without O_CLOEXEC does not reach the sessions. */
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    spawn_set_attributes(&attributes);
    int error = posix_spawn(pid, arguments[0], &actions, &attributes,
                            (char *const *)(uintptr_t)arguments, used);
    free_environment(own);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static int start_process(worker_process *out, const char *const *arguments,
                         const char *const *environment, int type, const char *command)
{
    int stream[2] = { -1, -1 }, errors[2] = { -1, -1 };
    const char *name = command ? command : arguments[0];
    int error = SNUG_OK;

    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, stream) != 0 ||
        pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0) {
        error = error_system("a worker's stream");
        close_pair(stream);
        return error;
    }

    *out = (worker_process){ .fd = stream[0], .errors = errors[0], .pidfd = -1 };
    errno = spawn_process(&out->pid, arguments, environment, stream[1], errors[1], command != NULL);
    if (errno)
        error = error_system("%s", name);

    close(stream[1]);
    close(errors[1]);
    if (error) {
        close(out->fd);
        close(out->errors);
    }

    return error;
}

int launch(worker_process *out, const char *path, const char *command)
{
    const char *const shell[] = { "/bin/sh", "-c", command, NULL };
    const char *const worker[] = { path, NULL };

    if (command)
        return start_process(out, shell, NULL, SOCK_STREAM, command);
    return start_process(out, worker, NULL, SOCK_STREAM, NULL);
}

enum { WORDS_BESIDE_NAMES = 8 };

int launch_zygote(worker_process *out, const zygote_wish *wish)
{
    size_t names = 0, count = 0;

    while (wish->preload && wish->preload[names])
        names++;
    const char **words = calloc(names + WORDS_BESIDE_NAMES, sizeof *words);
    if (!words)
        return error_no_memory();

    words[count++] = wish->path;
    words[count++] = "--zygote";
    if (wish->python_home) {
        words[count++] = "--home";
        words[count++] = wish->python_home;
    }

    if (wish->is_full)
        words[count++] = "--full";
    if (wish->packages) {
        words[count++] = "--packages";
        words[count++] = wish->packages;
    }

    for (size_t i = 0; i < names; i++)
        words[count++] = wish->preload[i];
    int error = start_process(out, words, NULL, SOCK_SEQPACKET, NULL);
    free(words);
    return error;
}

int launch_program(worker_process *out, const char *const *arguments,
                   const char *const *environment)
{
    return start_process(out, arguments, environment, SOCK_STREAM, NULL);
}

const char *launch_library(void)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)launch, &info) || !info.dli_fname ||
        !strstr(info.dli_fname, ".so") || *info.dli_fname != '/')
        return NULL;
    return info.dli_fname;
}

/* ---- its end ---- */

/* A shell's status for one that has aborted is also that of a worker which cannot send itself
 * signals. */
static void tell_exit(str *out, int status)
{
    int number = 0;

    if (WIFSIGNALED(status))
        number = WTERMSIG(status);
    else if (WEXITSTATUS(status) == 128 + SIGABRT)
        number = SIGABRT;

    if (number)
        str_printf(out, "was killed by signal %d (%s)", number, strsignal(number));
    else
        str_printf(out, "ended with status %d", WEXITSTATUS(status));
}

/* A worker whose stream has ended is about to end, and removes its work directories before. */
enum { END_MS = 100 };

static int wait_for_child(pid_t pid, int *status, int ms)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd end = { .fd = pidfd, .events = POLLIN };

    if (pidfd >= 0) {
        poll(&end, 1, ms);
        close(pidfd);
    }

    pid_t ended = waitpid(pid, status, WNOHANG);
    /* A process that ignores SIGCHLD, or waits for any child, has taken it from us: its number may
     * be another's. */
    return ended == pid || (ended < 0 && errno == ECHILD);
}

static void tell_last_words(const worker_process *process, str *out)
{
    char text[4096];
    ssize_t len = read(process->errors, text, sizeof text - 1);

    while (len > 0 && text[len - 1] == '\n')
        len--;
    if (len <= 0)
        return;

    text[len] = '\0';
    utf8_mend(text, strlen(text));
    const char *line = strrchr(text, '\n');
    str_add(out, line ? line + 1 : text);
}

void launch_kill(const worker_process *process)
{
    if (process->pidfd >= 0)
        syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
}

/* A worker that a zygote has forked is not a child of ours. */
static int end_forked(worker_process *process, int *status)
{
    struct pollfd ended = { .fd = process->pidfd, .events = POLLIN };
    int is_over = poll(&ended, 1, END_MS) > 0;

    if (!is_over) {
        launch_kill(process);
        is_over = poll(&ended, 1, END_MS) > 0;
    }

    /* The kernel may take its time for the corpse, and nobody waits for that: neither who calls,
     * nor the zygote, which has others to fork. */
    *status = -1;
    if (is_over)
        *status = zygote_status(process->zygote, process->pid);
    close(process->pidfd);
    zygote_drop(process->zygote);
    return *status != -1;
}

static void end_child(worker_process *process, int *status, int ms)
{
    if (wait_for_child(process->pid, status, ms))
        return;
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, status, 0) < 0 && errno == EINTR)
        ;
}

void launch_end(worker_process *process, str *out, str *words)
{
    int status = 0, is_known = 1;

    close(process->fd);
    if (process->zygote)
        is_known = end_forked(process, &status);
    else
        end_child(process, &status, END_MS);

    process->ran_out = bounds_were_passed(process->bounds);
    bounds_close(process->bounds);
    process->bounds = NULL;
    if (out && is_known)
        tell_exit(out, status);
    else if (out)
        str_add(out, "has ended");

    if (process->errors < 0)
        return;
    if (words)
        tell_last_words(process, words);
    close(process->errors);
}
