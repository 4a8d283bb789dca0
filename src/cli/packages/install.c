#include "cli/packages/install.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nettle/sha2.h>

#include "base/error.h"
#include "base/file.h"
#include "base/tree.h"
#include "cli/program/command.h"
#include "cli/program/state_folder.h"

enum { MOST_FILE_BYTES = 4 << 20, HASH_BYTES = 8, LOOK_NS = 20000000, TARGET_WORD = 6 };

/* -I: no module of the current folder or of the user. */
static const char *const first_words[] = { SNUG_PYTHON_PROGRAM,
                                           "-I",
                                           "-m",
                                           "pip",
                                           "install",
                                           "--target",
                                           "",
                                           "--no-input",
                                           "--disable-pip-version-check",
                                           "--root-user-action=ignore" };
enum { FIRST_WORDS = sizeof first_words / sizeof *first_words, MORE_WORDS = 8 };

/* ---- what is asked for ---- */

typedef struct pip_call {
    const char **words; /* with a NULL after them; none of them is its own */
    size_t count;
    char *wheels; /* an absolute path, or NULL */
} pip_call;

static void add_word(pip_call *c, const char *word)
{
    c->words[c->count++] = word;
}

static int make_call(pip_call *c, const options *o, const char *const *names, size_t count)
{
    const packages_options *wanted = &o->packages;
    const size_t most = FIRST_WORDS + MORE_WORDS + 2 * wanted->files.count + count;

    c->words = calloc(most, sizeof *c->words);
    if (!c->words)
        return command_fail_memory();
    if (wanted->wheels && !(c->wheels = realpath(wanted->wheels, NULL)))
        return command_fail(EXIT_USAGE, "--wheels %s: %s", wanted->wheels, strerror(errno));

    for (size_t i = 0; i < FIRST_WORDS; i++)
        add_word(c, first_words[i]);
    if (!wanted->builds)
        add_word(c, "--only-binary=:all:");
    if (wanted->requires_hashes)
        add_word(c, "--require-hashes");
    if (c->wheels) {
        add_word(c, "--no-index");
        add_word(c, "--find-links");
        add_word(c, c->wheels);
    }
    for (size_t i = 0; i < wanted->files.count; i++) {
        add_word(c, "--requirement");
        add_word(c, wanted->files.items[i]);
    }
    add_word(c, "--"); /* a name is not an option */
    for (size_t i = 0; i < count; i++)
        add_word(c, names[i]);
    return EXIT_FINE;
}

/* Appends the folder that is named by the words and what the files of requirements have. */
static int name_by_hash(str *folder, const pip_call *c, const options *o)
{
    struct sha256_ctx hash;
    uint8_t digest[HASH_BYTES];
    char name[16 + 2 * HASH_BYTES + 1];
    int at = snprintf(name, sizeof name, "packages/");

    sha256_init(&hash);
    for (size_t i = 0; i < c->count; i++)
        sha256_update(&hash, strlen(c->words[i]) + 1, (const uint8_t *)c->words[i]);
    for (size_t i = 0; i < o->packages.files.count; i++) {
        str text = { 0 };
        const int error = file_read(&text, o->packages.files.items[i], MOST_FILE_BYTES);
        if (!error)
            sha256_update(&hash, text.len + 1, (const uint8_t *)str_text(&text));
        str_free(&text);
        if (error)
            return command_fail(EXIT_USAGE, "%s", error_message());
    }

    sha256_digest(&hash, sizeof digest, digest);
    for (size_t i = 0; i < HASH_BYTES; i++)
        at += snprintf(name + at, sizeof name - (size_t)at, "%02x", digest[i]);
    return state_path(folder, name);
}

/* ---- pip ---- */

/* Its stdout is stderr: ours may be for an answer. */
static int start_pip(pid_t *pid, const pip_call *c, const sigset_t *mask)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;

    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, mask);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    const int error =
        posix_spawn(pid, c->words[0], &files, &how, (char *const *)(uintptr_t)c->words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* The signals in ends are blocked. */
static int run_pip(const pip_call *c, const sigset_t *ends, const sigset_t *mask)
{
    const struct timespec look = { 0, LOOK_NS };
    int status = 0, taken = 0;
    pid_t pid;

    const int error = start_pip(&pid, c, mask);
    if (error)
        return command_fail(EXIT_USAGE, "%s: %s", c->words[0], strerror(error));
    while (waitpid(pid, &status, WNOHANG) == 0) {
        const int signal = sigtimedwait(ends, NULL, &look);
        if (signal > 0) {
            taken = signal;
            kill(pid, SIGTERM);
        }
    }

    if (taken)
        return 128 + taken;
    if (status)
        return command_fail(EXIT_FAILED, "nothing was installed: pip (on Debian the package "
                                         "python3-pip) has failed");
    return EXIT_FINE;
}

/* In a folder beside it, which is renamed. */
static int fill_folder(const char *folder, pip_call *c)
{
    sigset_t ends, mask;
    str fresh = { 0 };

    if (str_printf(&fresh, "%s.XXXXXX", folder))
        return command_fail_memory();
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ends, &mask);

    int status = EXIT_FINE;
    if (!mkdtemp(fresh.data) || chmod(fresh.data, 0755)) {
        status = command_fail(EXIT_USAGE, "%s: %s", folder, strerror(errno));
    } else {
        c->words[TARGET_WORD] = fresh.data;
        status = run_pip(c, &ends, &mask);
        if (!status && rename(fresh.data, folder) && access(folder, F_OK))
            status = command_fail(EXIT_USAGE, "%s: %s", folder, strerror(errno));
        tree_remove(fresh.data); /* not there any more, where it was renamed */
    }

    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    str_free(&fresh);
    return status;
}

int packages_install(str *folder, const options *o, const char *const *names, size_t count)
{
    pip_call c = { 0 };
    int status = make_call(&c, o, names, count);

    if (!status && o->packages.into)
        status = str_add(folder, o->packages.into) ? command_fail_memory() : EXIT_FINE;
    else if (!status)
        status = name_by_hash(folder, &c, o);

    const int is_there = !status && access(folder->data, F_OK) == 0;
    if (is_there && o->packages.into)
        status = command_fail(EXIT_USAGE, "--into %s: it is there already; name a new folder",
                              folder->data);
    else if (!status && !is_there)
        status = fill_folder(folder->data, &c);

    free(c.words);
    free(c.wheels);
    return status;
}
