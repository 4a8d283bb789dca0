#include "cli/program/session_files.h"

#include <stdio.h>
#include <string.h>

#include "cli/program/command.h"

static void tell_skipped(const snug_saved *saved, const char *what)
{
    const snug_binding *entry;
    for (size_t i = 0; (entry = snug_saved_binding(saved, i)); i++)
        if (!entry->how)
            fprintf(stderr, "snug: %s is not %s: %s\n", entry->name, what, entry->reason);
}

static int restore_from(snug_session *session, const char *path)
{
    snug_saved *saved;
    if (snug_session_restore(&saved, session, path))
        return command_fail_host();
    tell_skipped(saved, "restored");
    snug_saved_free(saved);
    return EXIT_FINE;
}

static int save_to(snug_session *session, const char *path)
{
    snug_saved *saved;
    if (snug_session_save(&saved, session, path))
        return command_fail_host();
    tell_skipped(saved, "saved");
    snug_saved_free(saved);
    return EXIT_FINE;
}

int session_files_begin(session_files *f, const options *o, snug_session *session)
{
    f->options = o;
    if (o->export_path && snug_notebook_open(&f->notebook))
        return command_fail_host();
    if (o->restore_path)
        return restore_from(session, o->restore_path);
    return EXIT_FINE;
}

int session_files_add(session_files *f, const char *source, size_t len, snug_result *result)
{
    if (!f->notebook)
        return EXIT_FINE;

    /* Source that is not text is the result's error, and not a cell of a notebook. */
    int error = snug_notebook_add(f->notebook, source, len, result);
    if (error && error != SNUG_EINVAL)
        return command_fail_host();
    return EXIT_FINE;
}

int session_files_end(session_files *f, snug_session *session)
{
    int status = EXIT_FINE;

    if (f->notebook && snug_notebook_write(f->notebook, f->options->export_path))
        status = command_fail_host();
    snug_notebook_close(f->notebook);
    f->notebook = NULL;
    if (!session || !f->options || !f->options->save_path)
        return status;

    int saved = save_to(session, f->options->save_path);
    return status ? status : saved;
}
