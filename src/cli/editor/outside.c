#include "cli/editor/outside.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/file.h"
#include "base/process/spawn.h"
#include "cli/editor/buffer.h"
#include "cli/editor/pasted.h"

extern char **environ;

/* ---- the program ---- */

static const char *editor_command(void)
{
    const char *visual = getenv("VISUAL"), *other = getenv("EDITOR");

    if (visual && *visual)
        return visual;
    return other && *other ? other : "vi";
}

/* Its process group is that of the terminal meanwhile: Ctrl-C there is not for us. 0, or an errno.
 */
static int start_editor(pid_t *pid, const char *path)
{
    str command = { 0 };
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;

    if (str_printf(&command, "%s \"$1\"", editor_command()))
        return ENOMEM;
    char shell[] = "sh", flag[] = "-c";
    char *copy = strdup(path);
    char *arguments[] = { shell, flag, command.data, shell, copy, NULL };
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    spawn_set_attributes(&attributes);
    posix_spawn_file_actions_addtcsetpgrp_np(&actions, STDIN_FILENO);
    int error =
        copy ? posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ) : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(copy);
    str_free(&command);
    return error;
}

/* Nobody could have it go on, where it stops itself. */
static int wait_for_editor(pid_t pid)
{
    int status = 0;

    for (;;) {
        if (waitpid(pid, &status, WUNTRACED) < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        if (!WIFSTOPPED(status))
            return status;
        tcsetpgrp(STDIN_FILENO, pid);
        kill(-pid, SIGCONT);
    }
}

static const char *run_editor(const char *path)
{
    pid_t pid;
    sigset_t set, before;
    struct termios modes;

    /* Whoever gives the terminal to a group that is not his own would be stopped. */
    sigemptyset(&set);
    sigaddset(&set, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    const int has_modes = tcgetattr(STDIN_FILENO, &modes) == 0;
    int error = start_editor(&pid, path);
    int status = error ? -1 : wait_for_editor(pid);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    /* One that was killed has left its own: without ISIG no key would stop a cell any more. */
    if (has_modes)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return "The editor cannot be started.";
    if (status != 0)
        return "The editor has failed; the text is as it was. VISUAL or EDITOR names another one.";
    return NULL;
}

/* ---- the file ---- */

static int make_file(str *path, const str *text, code_language language)
{
    static const char *const suffixes[] = {
        [CODE_PYTHON] = ".py", [CODE_BASH] = ".sh", [CODE_TEXT] = ".txt"
    };
    const char *folder = getenv("TMPDIR"), *suffix = suffixes[language];

    if (str_printf(path, "%s/snug-cell-XXXXXX%s", folder && *folder == '/' ? folder : "/tmp",
                   suffix))
        return -1;
    int fd = mkstemps(path->data, (int)strlen(suffix));
    if (fd < 0)
        return -1;
    int failed = file_write_all(fd, str_text(text), text->len);
    if (!failed && text->len > 0 && text->data[text->len - 1] != '\n')
        failed = file_write_all(fd, "\n", 1);
    failed |= close(fd);
    if (failed)
        unlink(path->data);
    return failed ? -1 : 0;
}

static const char *take_file(str *text, const char *path)
{
    str all = { 0 }, clean = { 0 };
    const char *why = NULL;

    if (file_read(&all, path, BUFFER_MOST_BYTES) || pasted_clean(&clean, str_text(&all), all.len))
        why = "What the editor has saved cannot be read: a cell has at most 1 MiB.";
    while (clean.len > 0 && clean.data[clean.len - 1] == '\n')
        clean.data[--clean.len] = '\0';
    str_free(&all);
    if (why) {
        str_free(&clean);
        return why;
    }

    str_free(text);
    *text = clean;
    return NULL;
}

const char *outside_edit(str *text, code_language language)
{
    str path = { 0 };

    if (make_file(&path, text, language)) {
        str_free(&path);
        return "No file can be made for the editor.";
    }

    const char *why = run_editor(path.data);
    if (!why)
        why = take_file(text, path.data);
    unlink(path.data);
    str_free(&path);
    return why;
}
