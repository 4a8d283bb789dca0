/*
 * open.c - what a session gets, in order.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/tree.h"
#include "base/utf8.h"
#include "limits/limits.h"
#include "py/extensions.h"
#include "py/runtime.h"
#include "session/kernel.h"
#include "session/session.h"
#include "session/stop.h"
#include "session/workdir.h"

/* ---- the thread ---------------------------------------------------------- */

/* Twice the memory limit, so that a deep recursion in C meets that first. Only
 * what is touched is committed. */
static size_t stack_bytes(const snug_session *session)
{
    uint64_t wanted = session->limits.memory_bytes;
    return wanted < INTERP_MOST_STACK_BYTES / 2 ? (size_t)wanted * 2 : INTERP_MOST_STACK_BYTES;
}

static void *serve(void *arg)
{
    snug_session *session = arg;
    char *stack_low = thread_stack_low(&session->thread);
    size_t bytes =
        (size_t)((char *)session->thread.stack + session->thread.stack_bytes - stack_low);
    session->tid = (pid_t)syscall(SYS_gettid);
    pthread_getcpuclockid(pthread_self(), &session->stop.cpu_clock);
    int is_guarded = guard_is_installed() && guard_attach(&session->guard, stack_low, bytes) == 0;
    if (mailbox_serve(&session->mailbox))
        atomic_fetch_sub(&session->host->hung, 1);
    int is_torn = session->interp != NULL;
    atomic_store(&session->has_ended, 1); /* who sees it joins first */
    if (is_guarded && is_torn)
        guard_vanish(&session->guard);
    if (is_guarded)
        guard_detach(&session->guard);
    return NULL;
}

/* On a thread that was torn out, or on the session's for others. */
static void on_loss(void *payload)
{
    snug_session_interrupt(payload);
}

static void open_interp(snug_session *session)
{
    const kernel *k = &session->host->kernel;
    interp_options options = { .modules = session->modules,
                               .output = &session->output,
                               .roots = session->roots,
                               .root_count = session->root_count,
                               .workdir = session->workdir,
                               .has_folder = !k->refused[KERNEL_FOLDER],
                               .memory = &session->memory,
                               .disk = &session->disk,
                               .packages = session->packages,
                               .mounts = session->mount_rows,
                               .mount_count = session->mount_count,
                               .confines_libraries =
                                   !k->refused[KERNEL_LANDLOCK] && !k->refused[KERNEL_SECCOMP],
                               .owns_descriptors = !k->refused[KERNEL_DESCRIPTORS],
                               .threads = session->limits.threads,
                               .desk = session->desk,
                               .has_input = session->on_input != NULL,
                               .on_loss = on_loss,
                               .payload = session };
    int error;
    session->disk.is_told = guard_is_full();
    session->disk.sees_open_files = !k->refused[KERNEL_DESCRIPTORS];
    if ((error = kernel_enter(k, session->workdir)) ||
        (error = interp_open(&session->interp, &options)) || (error = session_bind_all(session)))
        session->job.error = error;
    else
        session->job.error =
            kernel_seal(k, session->roots, session->root_count, session->limits.threads > 0);
}

int session_start(snug_session *session)
{
    session->mailbox = (mailbox){ 0 };
    session->guard = (guard){ .owner = session, .disk = &session->disk };
    interp_set_guard(&session->guard);
    memory_init(&session->memory, session->limits.memory_bytes);
    session->memory.is_shared = session->limits.threads > 0;
    atomic_store(&session->has_ended, 0);
    session->is_lost = 0;
    session->cpu_used_ns = 0;
    int error =
        thread_start(&session->thread, "snug session", stack_bytes(session), serve, session);
    if (error)
        return error;
    session->has_thread = 1;
    session->job.fn = open_interp;
    session->job.wall_ms = 0;
    if ((error = session_run_job(session)) && session->interp)
        session_end(session); /* nothing runs in it that is not sealed */
    return error;
}

/* ---- the end ------------------------------------------------------------- */

static void retire(snug_session *session)
{
    session->job.error = interp_retire(session->interp);
}

/* Always the thread's last job: SNUG_EDEAD ends its service. */
static void close_interp(snug_session *session)
{
    if (session->interp && interp_close(session->interp) == SNUG_OK) {
        stop_disarm(session);                     /* a stop must not meet what is freed */
        desk_set_wake(session->desk, NULL, NULL); /* nor an answer */
        interp_free(session->interp);
        session->interp = NULL;
    }
    session->job.error = SNUG_EDEAD;
}

/* How it ends is nobody's error: the message stays that of what the caller closes it for. */
static void run_last(snug_session *session, void (*fn)(snug_session *session))
{
    char message[ERROR_MESSAGE_BYTES];
    strcpy(message, error_message());
    session->job.fn = fn;
    session->job.wall_ms = session->limits.wall_ms;
    session->job.cpu_ms = session->limits.cpu_ms;
    session->job.session_cpu_ms = SNUG_UNLIMITED;
    session_run_job(session);
    error_set(SNUG_OK, "%s", message);
}

void session_end(snug_session *session)
{
    if (!session->has_thread)
        return;
    if (session->interp && !session->is_lost)
        run_last(session, retire);
    if (!session->is_lost) {
        if (session->interp)
            interp_ending(session->interp);
        run_last(session, close_interp);
    }
    /* Given up on: the thread still runs, and what it runs on must stay. */
    if (!session->stop.is_given_up || atomic_load(&session->has_ended)) {
        thread_join(&session->thread);
        desk_abandon(session->desk);
        session->has_thread = 0;
        session->interp = NULL;
    }
}

/* ---- options ------------------------------------------------------------- */

enum {
    MAX_NAME_BYTES = 256,
    /* The interpreter and a few modules take some of that, and the stack is measured by it. */
    LEAST_MEMORY_BYTES = 16 << 20
};

/* It stands in messages and in results, which are JSON. */
static int check_name(const char *name)
{
    size_t fault, len = name ? strlen(name) : 1;
    if (len == 0 || len > MAX_NAME_BYTES)
        return error_set(SNUG_EINVAL, "a session's name must have 1 to %d bytes, and has %zu",
                         MAX_NAME_BYTES, len);
    if (name && utf8_check(name, len, &fault) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "a session's name must be UTF-8, and is not at byte %zu",
                         fault + 1);
    return SNUG_OK;
}

static int check(const snug_session_options *options)
{
    if (options->size != sizeof *options)
        return error_set(SNUG_EINVAL,
                         "snug_session_options is %zu bytes for the caller, %zu here: "
                         "start from SNUG_SESSION_OPTIONS_INIT",
                         options->size, sizeof *options);
    if (options->kind == SNUG_FULL)
        return error_set(SNUG_EINVAL, "full sessions come with a later version");
    if (options->kind != SNUG_RESTRICTED)
        return error_set(SNUG_EINVAL, "kind %d is none of snug_kind", (int)options->kind);
    if (options->limits.memory_bytes && options->limits.memory_bytes < LEAST_MEMORY_BYTES)
        return error_set(SNUG_EINVAL, "memory_bytes is %llu: a session needs 16 MiB at least",
                         (unsigned long long)options->limits.memory_bytes);
    return check_name(options->name);
}

static int set_name(snug_session *session, const char *name)
{
    char number[32] = "";
    if (!name) {
        pthread_mutex_lock(&session->host->lock);
        unsigned long long count = ++session->host->opened;
        pthread_mutex_unlock(&session->host->lock);
        snprintf(number, sizeof number, "s%llu", count);
    }
    session->name = strdup(name ? name : number);
    return session->name ? SNUG_OK : error_no_memory();
}

static void add_root(snug_session *session, const char *path, path_access access)
{
    session->roots[session->root_count++] = (path_root){ path, access, access == PATH_READ };
}

static void set_roots(snug_session *session, int has_workdir)
{
    session->root_count = 0;
    add_root(session, runtime_stdlib(), PATH_READ);
    add_root(session, runtime_dynload(), PATH_READ);
    add_root(session, "/usr/share/zoneinfo", PATH_READ);
    add_root(session, "/etc/localtime", PATH_READ);
    if (session->packages)
        add_root(session, session->packages, PATH_READ);
    if (has_workdir)
        add_root(session, session->workdir, PATH_WRITE);
    for (size_t i = 0; i < session->mount_count; i++) {
        session_mount *mount = &session->mounts[i];
        path_root *root = &session->roots[session->root_count++];
        *root = (path_root){ mount->path, mount->access, 0 };
        session->mount_rows[i] = (path_mount){ mount->name, root };
    }
}

/* Whether one of the names is of a package, and not of a module that Python brings along. */
static const char *packages_for(const char *const *allow)
{
    for (; allow && *allow; allow++)
        if (!runtime_has_module(*allow, strlen(*allow)))
            return runtime_packages();
    return NULL;
}

/* What starts threads is in no profile; a session that may have some has it. */
static int open_modules(snug_session *session, const snug_session_options *options)
{
    static const char *const threaded[] = { "threading", "concurrent", "queue" };
    size_t count = 0, more = session->limits.threads > 0 ? sizeof threaded / sizeof *threaded : 0;
    while (options->allow && options->allow[count])
        count++;
    const char **allow = calloc(count + more + 1, sizeof *allow);
    if (!allow)
        return error_no_memory();
    for (size_t i = 0; i < count + more; i++)
        allow[i] = i < count ? options->allow[i] : threaded[i - count];
    int error = allowlist_open(&session->modules, options->profile ? options->profile : "core",
                               session->host->allowlist_dir, allow);
    free(allow);
    return error;
}

static void on_text(void *payload)
{
    mailbox_notify(&((snug_session *)payload)->mailbox);
}

static void on_call(void *payload)
{
    mailbox_notify(&((snug_session *)payload)->mailbox);
}

/* Below this many, what they leave in the C library's heap is not worth the walk. */
enum { MANY_SESSIONS = 16 };

static void count_session(snug_host *host, int difference)
{
    pthread_mutex_lock(&host->lock);
    host->sessions += (size_t)difference;
    if (host->sessions > host->most_sessions)
        host->most_sessions = host->sessions;
    int is_over = host->sessions == 0 && host->most_sessions >= MANY_SESSIONS;
    if (is_over)
        host->most_sessions = 0;
    pthread_mutex_unlock(&host->lock);
    if (is_over)
        malloc_trim(0);
}

static int open_disk(snug_session *session)
{
    int has_files = !session->owns_workdir || session->mount_count > 0;
    if ((errno = disk_open(&session->disk, session->workdir, has_files)))
        return error_system("work directory %s", session->workdir);
    return SNUG_OK;
}

static int open_session(snug_session **out, snug_host *host, const snug_session_options *options,
                        int is_scanner)
{
    int error;
    snug_session *session = calloc(1, sizeof *session);
    if (!session)
        return error_no_memory();
    session->host = host;
    session->limits = limits_resolve(&options->limits, NULL);
    session->on_output = options->on_output;
    session->on_input = options->on_input;
    session->payload = options->payload;
    session->on_display = options->on_display;
    capture_init(&session->output, options->on_output || options->on_display ? on_text : NULL,
                 session);
    if (!(session->desk = desk_open(on_call, session))) {
        error = error_no_memory();
        goto fail;
    }
    if ((error = set_name(session, options->name)) || (error = open_modules(session, options)) ||
        (error = workdir_open(session, options->workdir)) ||
        (error = workdir_mount(session, options->mounts, options->mount_count)))
        goto fail;
    extensions_load(session->modules);
    session->packages = packages_for(options->allow);
    set_roots(session, !is_scanner);
    if (!is_scanner && (error = open_disk(session)))
        goto fail;
    if (!is_scanner)
        capture_spill_to(&session->output, session->workdir, &session->guard.stage);
    if ((error = session_start(session)))
        goto fail;
    *out = session;
    return SNUG_OK;
fail:
    session_discard(session);
    return error;
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
    /* Before, so that the host is not closed meanwhile. */
    count_session(host, 1);
    if ((error = open_session(out, host, options, 0)))
        count_session(host, -1);
    return error;
}

enum { SCANNER_MEMORY_BYTES = 1 << 30 };

int session_open_scanner(snug_session **out, snug_host *host)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.name = "scan";
    options.workdir = "/";
    options.limits.memory_bytes = SCANNER_MEMORY_BYTES;
    return open_session(out, host, &options, 1);
}

void session_free(snug_session *session)
{
    workdir_unmount(session);
    if (session->owns_workdir)
        tree_remove(session->workdir);
    capture_free(&session->output);
    artifacts_free(&session->seen);
    desk_close(session->desk);
    allowlist_close(session->modules);
    outcome_free(&session->job.outcome);
    str_free(&session->job.source);
    scan_free_work(session->job.scan);
    save_work_free(session->job.save);
    free(session->workdir);
    free(session->name);
    free(session);
}

void session_discard(snug_session *session)
{
    if (!session)
        return;
    snug_host *host = session->host;
    session_end(session);
    if (session->has_thread)
        host_adopt_orphan(host, session);
    else
        session_free(session);
    host_reap(host);
}

void snug_session_close(snug_session *session)
{
    if (!session)
        return;
    snug_host *host = session->host;
    session_discard(session);
    count_session(host, -1);
}

int session_renew(snug_session *session)
{
    session_end(session);
    if (session->has_thread)
        return error_set(SNUG_EDEAD,
                         "session %s can not be reset while the code of an earlier cell "
                         "has not ended: close it",
                         session->name);
    session->cells = 0;
    return session_start(session);
}

int snug_session_reset(snug_session *session)
{
    int error = session_claim(session, "snug_session_reset");
    if (error)
        return error;
    error = session_renew(session);
    session_release(session);
    return error;
}
