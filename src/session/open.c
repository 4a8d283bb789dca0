/*
 * open.c - what a session gets, in order.
 */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "limits/limits.h"
#include "py/runtime.h"
#include "session/session.h"
#include "session/stop.h"
#include "session/tree.h"

/* ---- the thread ---------------------------------------------------------- */

enum { MAX_STACK_BYTES = 1 << 30 };

/* Twice the memory limit, so that a deep recursion in C meets that first. Only
 * what is touched is committed. */
static size_t stack_bytes(const snug_session *session)
{
    uint64_t wanted = session->limits.memory_bytes;
    return wanted < MAX_STACK_BYTES / 2 ? (size_t)wanted * 2 : MAX_STACK_BYTES;
}

/* A private working directory and umask for this thread. Where a container forbids
 * it, relative paths are judged against the work directory all the same, and only
 * absolute ones open. */
static void enter_workdir(const snug_session *session)
{
    if (unshare(CLONE_FS) == 0 && chdir(session->workdir) != 0 && chdir("/") != 0)
        return; /* the directory went away since it was checked; its files do not open */
}

static void *serve(void *arg)
{
    snug_session *session = arg;
    enter_workdir(session);
    mailbox_serve(&session->mailbox);
    return NULL;
}

static void open_interp(session_job *job)
{
    snug_session *session = job->session;
    interp_options options = { session->modules, &session->output, session->roots,
                               session->root_count, session->workdir };
    job->error = interp_open(&session->interp, &options);
}

int session_start(snug_session *session)
{
    session->mailbox = (mailbox){ 0 };
    int error = thread_start(&session->thread, "snug session", stack_bytes(session), serve, session);
    if (error)
        return error;
    session->has_thread = 1;
    session_job job = { .session = session, .fn = open_interp };
    return session_run_job(&job);
}

/* ---- the end ------------------------------------------------------------- */

static void retire(session_job *job)
{
    interp_retire(job->session->interp);
}

static int close_interp(void *arg)
{
    snug_session *session = arg;
    interp_close(session->interp);
    session->interp = NULL;
    return 1;
}

void session_end(snug_session *session)
{
    if (!session->has_thread)
        return;
    if (session->interp) {
        session_job job = { .session = session, .fn = retire, .wall_ms = session->limits.wall_ms };
        session_run_job(&job);
    }
    mailbox_run(&session->mailbox, close_interp, session, NULL, NULL);
    thread_join(&session->thread);
    session->has_thread = 0;
}

/* ---- options ------------------------------------------------------------- */

static int check(const snug_session_options *options)
{
    if (options->size != sizeof *options)
        return error_set(SNUG_EINVAL, "snug_session_options is %zu bytes for the caller, %zu here: "
                         "start from SNUG_SESSION_OPTIONS_INIT", options->size, sizeof *options);
    if (options->kind == SNUG_FULL)
        return error_set(SNUG_EINVAL, "full sessions come with a later version");
    if (options->kind != SNUG_RESTRICTED)
        return error_set(SNUG_EINVAL, "kind %d is none of snug_kind", (int)options->kind);
    return SNUG_OK;
}

static int set_name(snug_session *session, const char *name)
{
    char number[32];
    pthread_mutex_lock(&session->host->lock);
    unsigned long long count = ++session->host->opened;
    pthread_mutex_unlock(&session->host->lock);
    snprintf(number, sizeof number, "s%llu", count);
    session->name = strdup(name ? name : number);
    return session->name ? SNUG_OK : error_no_memory();
}

static int make_workdir(snug_session *session)
{
    const char *top = getenv("TMPDIR");
    char path[PATH_MAX];
    top = top && *top == '/' ? top : "/tmp";
    if (snprintf(path, sizeof path, "%s/snug-XXXXXX", top) >= (int)sizeof path)
        return error_set(SNUG_EINVAL, "TMPDIR is too long for a path");
    if (!mkdtemp(path))
        return error_system("a work directory in %s", top);
    session->workdir = strdup(path);
    session->owns_workdir = session->workdir != NULL;
    if (!session->workdir)
        rmdir(path);
    return session->workdir ? SNUG_OK : error_no_memory();
}

static int set_workdir(snug_session *session, const char *named)
{
    struct stat facts;
    if (!named)
        return make_workdir(session);
    if (!(session->workdir = realpath(named, NULL)))
        return error_system("work directory %s", named);
    if (stat(session->workdir, &facts) != 0)
        return error_system("work directory %s", named);
    if (!S_ISDIR(facts.st_mode))
        return error_set(SNUG_EINVAL, "work directory %s: it is no directory", named);
    return SNUG_OK;
}

static void set_roots(snug_session *session)
{
    const path_root roots[SESSION_ROOTS] = {
        { runtime_stdlib(), PATH_READ },
        { runtime_dynload(), PATH_READ },
        { "/usr/share/zoneinfo", PATH_READ },
        { "/etc/localtime", PATH_READ },
        { session->workdir, PATH_WRITE },
    };
    memcpy(session->roots, roots, sizeof roots);
    session->root_count = SESSION_ROOTS;
}

static void on_text(void *payload)
{
    mailbox_notify(&((snug_session *)payload)->mailbox);
}

static void count_session(snug_host *host, int difference)
{
    pthread_mutex_lock(&host->lock);
    host->sessions += (size_t)difference;
    pthread_mutex_unlock(&host->lock);
}

int snug_session_open(snug_session **out, snug_host *host, const snug_session_options *options)
{
    static const snug_session_options defaults = SNUG_SESSION_OPTIONS_INIT;
    int error;
    if (!out || !host)
        return error_set(SNUG_EINVAL, "snug_session_open: %s is NULL", out ? "host" : "out");
    options = options ? options : &defaults;
    if ((error = check(options)))
        return error;
    snug_session *session = calloc(1, sizeof *session);
    if (!session)
        return error_no_memory();
    session->host = host;
    session->limits = limits_resolve(&options->limits, NULL);
    session->on_output = options->on_output;
    session->payload = options->payload;
    capture_init(&session->output, options->on_output ? on_text : NULL, session);
    count_session(host, 1);
    if ((error = set_name(session, options->name)) ||
        (error = allowlist_open(&session->modules, options->profile ? options->profile : "core",
                                host->allowlist_dir, options->allow)) ||
        (error = set_workdir(session, options->workdir)))
        goto fail;
    set_roots(session);
    if ((error = session_start(session)))
        goto fail;
    *out = session;
    return SNUG_OK;
fail:
    snug_session_close(session);
    return error;
}

void snug_session_close(snug_session *session)
{
    if (!session)
        return;
    session_end(session);
    if (session->owns_workdir)
        tree_remove(session->workdir);
    count_session(session->host, -1);
    capture_free(&session->output);
    allowlist_close(session->modules);
    free(session->workdir);
    free(session->name);
    free(session);
}

int snug_session_reset(snug_session *session)
{
    int error = session_claim(session, "snug_session_reset");
    if (error)
        return error;
    session_end(session);
    session->cells = 0;
    error = session_start(session);
    session_release(session);
    return error;
}
