#include "cli/ask/installing.h"

#include <stdlib.h>

#include "cli/packages/install.h"
#include "cli/program/command.h"
#include "cli/terminal/term.h"

/* All of them where one is not there, for a session has one folder. */
static int install_modules(str *folder, const options *o, const missing *m)
{
    int is_complete = 1;
    const char **names = calloc(m->count + 1, sizeof *names);
    if (!names)
        return command_fail_memory();

    for (size_t i = 0; i < m->count; i++) {
        names[i] = m->items[i].package;
        is_complete &= m->items[i].is_installed;
    }

    int status = EXIT_FINE;
    if (!is_complete && o->package_folder)
        status = command_fail(EXIT_FAILED, "nothing is installed into the folder of --packages");
    else if (!is_complete)
        status = packages_install(folder, o, names, m->count);
    free(names);
    return status;
}

int installing_do(seats *s, const missing *m)
{
    str folder = { 0 };
    int status = install_modules(&folder, s->options, m);

    if (!status && folder.len > 0)
        term_printf(stderr, "installed into %s\n", folder.data);
    if (!status)
        status = seats_allow(s, m, folder.data);
    str_free(&folder);
    return status;
}
