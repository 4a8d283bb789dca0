/*
 * make.c - what a session gets, in order, and how it goes.
 */
#include "session/life/make.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/tree.h"
#include "limits/limits.h"
#include "py/core/home.h"
#include "py/guard/extensions.h"
#include "session/cells/run_cell.h"
#include "session/confine/namespaces.h"
#include "session/core/full.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/core/start.h"
#include "session/files/workdir.h"
#include "session/life/task.h"

snug_limits session_default_limits(void)
{
    return limits_resolve(NULL, NULL);
}

int session_set_name(snug_session *session, const char *name)
{
    char number[32] = "";

    if (!name) {
        pthread_mutex_lock(&session->host->lock);
        unsigned long long count = ++session->host->opened;
        pthread_mutex_unlock(&session->host->lock);
        snprintf(number, sizeof number, "s%llu", count);
    }

    char *copy = strdup(name ? name : number);
    if (!copy)
        return error_no_memory();

    free(session->name);
    session->name = copy;
    return SNUG_OK;
}

static void add_session_root(snug_session *session, const char *path, path_access access)
{
    session->files.roots[session->files.root_count++] =
        (path_root){ path, access, access == PATH_READ };
}

static void add_mount_roots(snug_session *session)
{
    for (size_t i = 0; i < session->files.mount_count; i++) {
        session_mount *mount = &session->files.mounts[i];
        path_root *root = &session->files.roots[session->files.root_count++];
        *root = (path_root){ mount->path, mount->access, 0 };
        session->files.mount_rows[i] = (path_mount){ mount->name, root };
    }
}

static void set_roots(snug_session *session, int has_workdir)
{
    session->files.root_count = 0;
    add_session_root(session, home_stdlib(), PATH_READ);
    add_session_root(session, home_dynload(), PATH_READ);
    add_session_root(session, "/usr/share/zoneinfo", PATH_READ);
    add_session_root(session, "/etc/localtime", PATH_READ);
    if (session->files.packages)
        add_session_root(session, session->files.packages, PATH_READ);
    if (session->kind == SNUG_KIND_FULL)
        full_add_roots(session);
    if (has_workdir)
        add_session_root(session, session->files.workdir, PATH_WRITE);
    add_mount_roots(session);
}

/* Where packages are, if one of the names is a package's and not that of a module that Python
 * brings along; else NULL. */
static const char *packages_for(const char *const *allow)
{
    for (; allow && *allow; allow++)
        if (!home_has_module(*allow, strlen(*allow)))
            return home_packages();
    return NULL;
}

int session_find_packages(snug_session *session, const snug_session_options *options)
{
    free(session->files.own_packages); /* a spare's */
    session->files.own_packages = NULL;
    if (options->packages && !(session->files.own_packages = realpath(options->packages, NULL)))
        return error_system("packages %s", options->packages);

    if (session->files.own_packages)
        session->files.packages = session->files.own_packages;
    else if (session->kind == SNUG_KIND_FULL)
        session->files.packages = home_packages();
    else
        session->files.packages = packages_for(options->allow);

    if (session->kind != SNUG_KIND_FULL)
        return SNUG_OK;
    return full_check_packages(options->allow, session->files.packages);
}

/* What starts threads is in no profile; a session that may have some has it. */
int session_open_modules(snug_session *session, const snug_session_options *options)
{
    static const char *const threaded[] = { "threading", "concurrent", "queue" };
    size_t count = 0, more = session->limits.threads > 0 ? sizeof threaded / sizeof *threaded : 0;

    while (options->allow && options->allow[count])
        count++;
    const char **allow = calloc(count + more + 1, sizeof *allow);
    if (!allow)
        return error_no_memory();

    for (size_t i = 0; i < count; i++)
        allow[i] = options->allow[i];
    for (size_t i = 0; i < more; i++)
        allow[count + i] = threaded[i];
    const char *usual = session->kind == SNUG_KIND_FULL ? "data" : "core";
    int error = allowlist_open(&session->modules, options->profile ? options->profile : usual,
                               session->host->allowlist_dir, allow);
    free(allow);
    return error;
}

/* Text was printed, or a call waits: the caller looks. */
static void notify_caller(void *payload)
{
    snug_session *session = payload;
    mailbox_notify(&session->thread.mailbox);
}

void session_hear_output(snug_session *session)
{
    const session_callbacks *call = &session->callbacks;
    session->output.on_text = call->on_output || call->on_display ? notify_caller : NULL;
}

static int open_disk(snug_session *session)
{
    int has_files = !session->files.owns_workdir || session->files.mount_count > 0;
    if ((errno = disk_open(&session->files.disk, session->files.workdir, has_files)))
        return error_system("work directory %s", session->files.workdir);
    return SNUG_OK;
}

int session_new(snug_session **out, snug_host *host)
{
    snug_session *session = calloc(1, sizeof *session);
    if (!session)
        return error_no_memory();

    last_error_init(&session->last_error);
    session->host = host;
    session->form = host->form->sessions;
    session->limits = limits_resolve(NULL, NULL);
    capture_init(&session->output, NULL, session);
    session->cell = cell_job_new();
    session->desk = desk_open(notify_caller, session);
    if (!session->cell || !session->desk) {
        session_free(session);
        return error_no_memory();
    }

    *out = session;
    return SNUG_OK;
}

int session_hand_over(snug_session *session, const snug_session_options *options)
{
    session->limits = limits_resolve(options->limits, NULL);
    if (options->kind == SNUG_KIND_FULL && (!options->limits || options->limits->threads == 0))
        session->limits.threads = FULL_THREADS;
    session->fixed = session->host->fixed;
    session->fixed.clock_ms = options->clock_ms;
    session->fixed.has_seed = options->has_seed != 0;
    session->fixed.seed = options->seed;
    session->callbacks.on_output = options->on_output;
    session->callbacks.on_input = options->on_input;
    session->callbacks.on_tool_call = options->on_tool_call;
    session->callbacks.on_approval = options->on_approval;
    session->callbacks.payload = options->payload;
    session->callbacks.on_display = options->on_display;
    session_hear_output(session);
    int error = desk_set_rules(session->desk, options->tool_rules, options->tool_rule_count);
    if (error)
        return error;
    desk_set_approval_ms(session->desk,
                         options->approval_ms ? options->approval_ms : SNUG_APPROVAL_MS);
    if ((error = session_set_name(session, options->name)))
        return error;
    if (options->journal &&
        desk_set_journal(session->desk, options->journal, session->name) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}

int session_open_files(snug_session *session)
{
    set_roots(session, 1);
    int error = open_disk(session);
    if (!error)
        capture_spill_to(&session->output, session->files.workdir, &session->thread.guard.stage);
    return error;
}

int session_furnish(snug_session *session, const snug_session_options *options)
{
    int error = full_check_kind(options->kind);
    if (error)
        return error;

    session->kind = options->kind;
    session->thread.is_inline = options->on_caller_thread != 0;
    session->output.is_told_at_end = session->thread.is_inline;
    if ((error = session_open_modules(session, options)))
        return error;
    if (!session->files.workdir && (error = workdir_open(session, options->workdir)))
        return error;

    if ((error = workdir_mount(session, options->mounts, options->mount_count)) ||
        (error = session_find_packages(session, options)))
        return error;

    error = extensions_are_served() ? SNUG_OK : extensions_load(session->modules);
    if (error && session->kind == SNUG_KIND_RESTRICTED)
        return error;

    if (!session->is_scanner)
        return session_open_files(session);
    set_roots(session, 0);
    return SNUG_OK;
}

int session_open_local(snug_session *session, const snug_session_options *options)
{
    int error = session_furnish(session, options);
    if (error)
        return error;
    return session_start(session);
}

static int take_given_place(snug_session *session, const session_place *place)
{
    if (!place)
        return SNUG_OK;
    session->files.is_private = place->is_private;
    session->files.has_links = 1;
    session->files.workdir = strdup(place->workdir);
    if (!session->files.workdir)
        return error_no_memory();

    /* In memory it went with the worker before this one; its host fills it. */
    if (place->is_private && namespaces_have_memory_folder() && mkdir(place->workdir, 0700) != 0 &&
        errno != EEXIST)
        return error_system("work directory %s", place->workdir);
    return SNUG_OK;
}

int session_open_cold(snug_session **out, snug_host *host, const snug_session_options *options,
                      const session_place *place, int is_scanner)
{
    snug_session *session = NULL;
    int error = session_new(&session, host);
    if (error)
        return error;

    session->is_scanner = is_scanner;
    if (options->kind == SNUG_KIND_BASH)
        session->kind = options->kind;
    if ((error = take_given_place(session, place)) ||
        (error = session_hand_over(session, options)) ||
        (error = session->form->open(session, options)))
        session_discard(session);
    else
        *out = session;

    return error;
}

void session_leave_bell(snug_session *session)
{
    if (session->host->bell)
        bell_forget(session->host->bell, &session->rings);
    task_drop(session->ended);
    session->ended = NULL;
}

int session_open_new(snug_session **out, snug_host *host, const snug_session_options *options,
                     const session_place *place)
{
    return session_open_cold(out, host, options, place, 0);
}

void session_free(snug_session *session)
{
    session_leave_bell(session);
    workdir_unmount(session);
    if (session->files.owns_workdir)
        tree_remove(session->files.workdir);
    if (session->files.folder > 0)
        close(session->files.folder);
    capture_free(&session->output);
    seen_files_free(&session->files.seen);
    desk_close(session->desk);
    allowlist_close(session->modules);
    cell_job_free(session->cell);
    session_free_left(session);
    free(session->files.workdir);
    free(session->files.own_packages);
    free(session->name);
    last_error_free(&session->last_error);
    free(session);
}

int session_end_local(snug_session *session)
{
    session_end(session);
    return session->thread.exists;
}

void session_discard(snug_session *session)
{
    if (!session)
        return;
    snug_host *host = session->host;
    if (session->form->end(session)) {
        session_leave_bell(session);
        host_adopt_orphan(host, session);
    } else {
        session_free(session);
    }

    host_reap(host);
}

void host_adopt_orphan(snug_host *host, snug_session *session)
{
    pthread_mutex_lock(&host->lock);
    session->next_orphan = host->orphans;
    host->orphans = session;
    pthread_mutex_unlock(&host->lock);
}

size_t host_reap(snug_host *host)
{
    size_t left = 0;

    pthread_mutex_lock(&host->lock);
    for (snug_session **at = &host->orphans; *at;) {
        snug_session *orphan = *at;
        if (!atomic_load(&orphan->thread.has_ended)) {
            if (orphan->form->end_behind)
                orphan->form->end_behind(orphan);
            left++;
            at = &orphan->next_orphan;
            continue;
        }
        *at = orphan->next_orphan;
        thread_join(&orphan->thread.handle);
        session_free(orphan);
    }

    pthread_mutex_unlock(&host->lock);
    return left;
}
