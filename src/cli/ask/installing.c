#include "cli/ask/installing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/program/command.h"
#include "cli/program/state_folder.h"

/* The answer of a question is all that stdout has. Answers what stdout was; -1 with errno. */
static int stdout_to_stderr(void)
{
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    if (kept >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

static void stdout_back(int kept)
{
    fflush(stdout);
    if (kept < 0)
        return;
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static int has_uninstalled(const missing *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (!m->items[i].is_installed)
            return 1;
    return 0;
}

/* "install" and the packages: all of them, for a session has one folder. NULL if memory ran out. */
static input *list_packages(const missing *m)
{
    input *words = calloc(m->count + 1, sizeof *words);
    if (!words)
        return NULL;

    words[0].text = "install";
    for (size_t i = 0; i < m->count; i++)
        words[i + 1].text = m->items[i].package;
    return words;
}

static int install_packages(const options *o, const missing *m, const char *folder)
{
    options how = *o; /* what it points to stays its own */
    input *words = list_packages(m);
    if (!words)
        return command_fail_memory();

    how.inputs = words;
    how.input_count = m->count + 1;
    how.is_json = 0;
    how.packages = (packages_options){ .into = folder,
                                       .wheels = o->packages.wheels,
                                       .is_agreed = o->install == INSTALL_YES };
    const int kept = stdout_to_stderr();
    const int status = command_packages(&how);
    stdout_back(kept);
    free(words);
    return status;
}

/* The folder of --packages, else one of the state folder. */
static int find_folder(str *out, const options *o)
{
    if (!o->package_folder)
        return state_path(out, "packages-" SNUG_PYTHON_NUMBER);
    if (str_add(out, o->package_folder))
        return command_fail_memory();
    return EXIT_FINE;
}

int installing_do(seats *s, const missing *m)
{
    str folder = { 0 };
    int status = EXIT_FINE;

    if (has_uninstalled(m)) {
        status = find_folder(&folder, s->options);
        if (!status)
            status = install_packages(s->options, m, folder.data);
    }

    if (!status)
        status = seats_allow(s, m, folder.data);
    str_free(&folder);
    return status;
}
