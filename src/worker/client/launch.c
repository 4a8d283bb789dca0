#include "worker/client/launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "base/process/await.h"
#include "base/process/spawn.h"
#include "base/utf8.h"

/* ---- the program ---- */

/* What the linker calls the file that this code is in, the program or libsnug; "" where it does not
 * say. */
static const char *own_file(void)
{
    Dl_info info;

    if (!dladdr((void *)(uintptr_t)launch_find, &info) || !info.dli_fname)
        return "";
    return info.dli_fname;
}

/* A program's name may be without a path. */
static int own_folder(char out[PATH_MAX])
{
    const char *file = own_file();

    if (!*file)
        return 0;
    if (!strchr(file, '/'))
        file = "/proc/self/exe";
    if (!realpath(file, out))
        return 0;

    char *slash = strrchr(out, '/');
    if (!slash)
        return 0;
    *slash = '\0';
    return 1;
}

/* Beside this file, or in the bin of a prefix in whose lib, or a folder of that, this file is. */
static const char *const places[] = { "", "/../bin", "/../../bin" };
enum { PLACES = sizeof places / sizeof *places };

static int no_program(const char *folder)
{
    str looked = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; *folder && i < PLACES && !error; i++)
        error = str_printf(&looked, "%s%s/snug-worker, ", folder, places[i]);
    if (error)
        error = error_no_memory();
    else
        error = error_set(SNUG_ENOTFOUND,
                          "the program snug-worker was not found at %s%s: build or install it "
                          "there, or name it by the host's option worker_path",
                          str_text(&looked), SNUG_WORKER_PATH);

    str_free(&looked);
    return error;
}

int launch_find(char *out, size_t size)
{
    char folder[PATH_MAX] = "";

    if (!own_folder(folder))
        *folder = '\0';

    for (size_t i = 0; *folder && i < PLACES; i++) {
        snprintf(out, size, "%s%s/snug-worker", folder, places[i]);
        if (access(out, X_OK) == 0)
            return SNUG_OK;
    }

    snprintf(out, size, "%s", SNUG_WORKER_PATH);
    if (access(out, X_OK) == 0)
        return SNUG_OK;

    return no_program(folder);
}

const char *launch_library(void)
{
    const char *file = own_file();

    if (*file != '/' || !strstr(file, ".so"))
        return NULL;
    return file;
}

/* ---- starting ---- */

/* Only what the worker itself needs: keys and the like do not reach its process. */
static char **worker_environment(const char *zone)
{
    static const char *const names[] = { "PATH",     "HOME", "LANG",  "LC_ALL",
                                         "LC_CTYPE", "TZ",   "TMPDIR" };

    enum { NAMES = sizeof names / sizeof *names };
    size_t count = 0;
    char **environment = calloc(NAMES + 1, sizeof *environment);
    for (size_t i = 0; environment && i < NAMES; i++) {
        const char *value = getenv(names[i]);
        if (zone && *zone && strcmp(names[i], "TZ") == 0)
            value = zone;
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

/* 0, or an errno. */
static int spawn_process(pid_t *pid, const char *const *arguments, const char *const *environment,
                         int stream, int errors)
{
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
    int error =
        posix_spawn(pid, arguments[0], &actions, &attributes, (char *const *)(uintptr_t)arguments,
                    (char *const *)(uintptr_t)environment);
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

/* name: of what is started, for messages. type: of the socket. */
static int start_process(worker_process *out, const char *name, const char *const *arguments,
                         const char *const *environment, int type)
{
    int stream[2] = { -1, -1 }, errors[2] = { -1, -1 };
    int error = SNUG_OK;

    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, stream) != 0 ||
        pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0) {
        error = error_system("a worker's stream");
        close_pair(stream);
        return error;
    }

    *out = (worker_process){ .fd = stream[0], .errors = errors[0], .pidfd = -1 };
    errno = spawn_process(&out->pid, arguments, environment, stream[1], errors[1]);
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

/* The program snug-worker, in the environment that is meant for it. */
static int start_worker(worker_process *out, const char *const *arguments, int type,
                        const char *zone)
{
    char **environment = worker_environment(zone);
    if (!environment)
        return error_no_memory();

    int error = start_process(out, arguments[0], arguments, (const char *const *)environment, type);
    free_environment(environment);
    return error;
}

int launch_worker(worker_process *out, const char *path, const char *zone)
{
    const char *const arguments[] = { path, NULL };
    return start_worker(out, arguments, SOCK_STREAM, zone);
}

int launch_command(worker_process *out, const char *command)
{
    const char *const arguments[] = { "/bin/sh", "-c", command, NULL };
    return start_process(out, command, arguments, (const char *const *)environ, SOCK_STREAM);
}

enum { WORDS_BESIDE_NAMES = 10 };

int launch_zygote(worker_process *out, const zygote_wish *wish)
{
    size_t names = 0, count = 0;
    char number[32];

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

    if (wish->fixed->hash_seed) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)wish->fixed->hash_seed);
        words[count++] = "--hash-seed";
        words[count++] = number;
    }

    if (wish->is_full)
        words[count++] = "--full";
    if (wish->packages) {
        words[count++] = "--packages";
        words[count++] = wish->packages;
    }

    for (size_t i = 0; i < names; i++)
        words[count++] = wish->preload[i];
    int error = start_worker(out, words, SOCK_SEQPACKET, wish->fixed->zone);
    free(words);
    return error;
}

int launch_program(worker_process *out, const char *const *arguments,
                   const char *const *environment)
{
    return start_process(out, arguments[0], arguments, environment, SOCK_STREAM);
}

/* ---- its end ---- */

/* Of a process that somebody else has reaped, or that nobody has seen end. */
enum { UNKNOWN_STATUS = -1 };

/* A shell's status for one that has aborted is also that of a worker which cannot send itself
 * signals. */
static void tell_exit(str *out, int status)
{
    int number = 0;

    if (status == UNKNOWN_STATUS) {
        str_add(out, "has ended");
        return;
    }

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

/* Whether it ends by itself. */
static int await_child(pid_t pid, int *status)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

    if (pidfd >= 0) {
        await_readable(pidfd, END_MS);
        close(pidfd);
    }

    pid_t ended = waitpid(pid, status, WNOHANG);
    if (ended == pid)
        return 1;

    /* A process that ignores SIGCHLD, or waits for any child, has taken it from us: its number may
     * be another's. */
    *status = UNKNOWN_STATUS;
    return ended < 0 && errno == ECHILD;
}

/* Cuts the last line off, and empty ones before it; answers where it begins. */
static const char *take_last_line(char *text, size_t *len)
{
    while (*len > 0 && text[*len - 1] == '\n')
        (*len)--;
    text[*len] = '\0';

    const char *before = memrchr(text, '\n', *len);
    const char *line = before ? before + 1 : text;
    *len = (size_t)(line - text);
    return line;
}

static void tell_last_words(const worker_process *process, str *out)
{
    char text[4096];
    ssize_t got = read(process->errors, text, sizeof text - 1);
    if (got <= 0)
        return;

    size_t len = (size_t)got;
    const char *line = take_last_line(text, &len);
    /* docker ends with where its help is. */
    if (len > 0 && strncmp(line, "Run '", strlen("Run '")) == 0)
        line = take_last_line(text, &len);

    str words = { 0 };
    if (!str_add(&words, line)) {
        utf8_mend(words.data, words.len);
        str_add(out, words.data);
    }
    str_free(&words);
}

void launch_kill(const worker_process *process)
{
    if (process->pidfd >= 0)
        syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
}

/* A worker that a zygote has forked is not a child of ours. Answers its status. */
static int end_forked(const worker_process *process)
{
    int status = UNKNOWN_STATUS;
    int is_over = await_readable(process->pidfd, END_MS);

    if (!is_over) {
        launch_kill(process);
        is_over = await_readable(process->pidfd, END_MS);
    }

    /* The kernel may take its time for the corpse, and nobody waits for that: neither who calls,
     * nor the zygote, which has others to fork. */
    if (is_over)
        status = zygote_status(process->zygote, process->pid);
    close(process->pidfd);
    zygote_drop(process->zygote);
    return status;
}

/* With the processes of its group, which a command may have. Answers its status. */
static int end_child(pid_t pid)
{
    int status;

    if (await_child(pid, &status))
        return status;

    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

void launch_end(worker_process *process, str *out, str *words)
{
    int status;

    close(process->fd);
    if (process->zygote)
        status = end_forked(process);
    else
        status = end_child(process->pid);

    process->ran_out = bounds_were_passed(process->bounds);
    bounds_close(process->bounds);
    process->bounds = NULL;
    if (out)
        tell_exit(out, status);
    if (process->errors < 0)
        return;
    if (words)
        tell_last_words(process, words);
    close(process->errors);
}
