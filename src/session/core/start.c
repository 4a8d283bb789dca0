#include "session/core/start.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/floats.h"
#include "session/confine/kernel_support.h"
#include "session/core/full.h"
#include "session/core/host_calls.h"
#include "session/core/inline.h"
#include "session/core/job.h"
#include "session/core/park.h"
#include "session/core/session.h"
#include "session/core/stop.h"

/* ---- the thread ---- */

static const char thread_name[] = "snug session";

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

    floats_reset();
    session->tid = (pid_t)syscall(SYS_gettid);
    pthread_getcpuclockid(pthread_self(), &session->stop.cpu_clock);
    session->stop.read_ns = 0;
    int is_guarded = guard_is_installed() && guard_attach(&session->guard, stack_low, bytes) == 0;
    if (mailbox_serve(&session->mailbox))
        atomic_fetch_sub(&session->host->hung, 1);
    int is_torn = session->interp && !session->is_parked;
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

static interp_options options_of(snug_session *session)
{
    const kernel *k = &session->host->kernel;
    return (interp_options){ .modules = session->modules,
                             .output = &session->output,
                             .roots = session->roots,
                             .root_count = session->root_count,
                             .workdir = session->workdir ? session->workdir : "/",
                             .has_folder = !session->is_inline && !k->refused[KERNEL_FOLDER],
                             .memory = &session->memory,
                             .disk = &session->disk,
                             .packages = session->packages,
                             .is_full = session->kind == SNUG_KIND_FULL,
                             .mounts = session->mount_rows,
                             .mount_count = session->mount_count,
                             .confines_libraries = !session->is_inline &&
                                                   !k->refused[KERNEL_LANDLOCK] &&
                                                   !k->refused[KERNEL_SECCOMP],
                             .owns_descriptors =
                                 !session->is_inline && !k->refused[KERNEL_DESCRIPTORS],
                             .threads = session->limits.threads,
                             .desk = session->desk,
                             .has_input = session->on_input != NULL,
                             .on_loss = on_loss,
                             .payload = session };
}

/* An interpreter on its thread, that is not a session's yet. */
static void make_interp(snug_session *session)
{
    const interp_options options = options_of(session);
    int error = session->is_inline ? SNUG_OK : kernel_enter(&session->host->kernel);
    session->job.error = error ? error : interp_open(&session->interp, &options);
}

static int seal_thread(snug_session *session)
{
    const kernel *k = &session->host->kernel;
    seccomp_kind kind = session->kind == SNUG_KIND_FULL ? SECCOMP_FULL
                        : session->limits.threads > 0   ? SECCOMP_THREADS
                                                        : SECCOMP_ALONE;

    /* Machine code writes past the functions that ask. */
    session->disk.is_told = guard_is_interposed() && session->kind != SNUG_KIND_FULL;
    session->disk.sees_open_files = !session->is_inline && !k->refused[KERNEL_DESCRIPTORS];
    if ((session->is_sealed = session->is_inline))
        return SNUG_OK; /* the thread is the caller's */

    int error = kernel_seal(k, session->workdir, session->roots, session->root_count, kind);
    session->is_sealed = !error;
    return error;
}

void session_move_in(snug_session *session)
{
    int error = kernel_enter(&session->host->kernel);
    session->job.error = error ? error : seal_thread(session);
    if (!session->job.error)
        interp_move(session->interp);
}

/* On 3.11, another session may have prepared a spare so that its own code runs as soon as any does
 * here: so the filters come first. */
static void give_interp(snug_session *session)
{
    const interp_options options = options_of(session);
    if ((session->job.error = seal_thread(session)))
        return;
    int error = interp_give(session->interp, &options);
    session->job.error = error ? error : session_bind_all(session);
}

/* Of one that is ended before it was a session's: for the same reason. Without, nothing runs in it
 * any more. */
static void seal_for_end(snug_session *session)
{
    session->job.error =
        kernel_seal(&session->host->kernel, "/", NULL, 0, SECCOMP_ALONE) ? SNUG_EDEAD : SNUG_OK;
    session->is_sealed = !session->job.error;
}

static void open_interp(snug_session *session)
{
    make_interp(session);
    if (!session->job.error)
        give_interp(session);
}

/* The main interpreter, which nobody has had, or an earlier full session: then it is the guest's,
 * and nothing runs in it before the filters. */
static void open_full(snug_session *session)
{
    make_interp(session);
    if (!session->job.error)
        session->job.error = seal_thread(session);
}

/* What an earlier session has left there may run now, and has limits. */
static void prepare_full(snug_session *session)
{
    int error = interp_prepare(session->interp);
    session->job.error = error ? error : session_bind_all(session);
}

/* To one that has got its filters already. */
static void give_input(snug_session *session)
{
    const interp_options options = options_of(session);
    session->job.error = interp_give(session->interp, &options);
}

/* Nothing runs in an interpreter of which that has failed. */
static int set_up(snug_session *session, void (*fn)(snug_session *session), uint64_t wall_ms,
                  uint64_t cpu_ms)
{
    session->job.fn = fn;
    session->job.wall_ms = wall_ms;
    session->job.cpu_ms = cpu_ms;
    session->job.session_cpu_ms = SNUG_UNLIMITED;
    int error = session_run_job(session);
    if (error && session->interp)
        session_end(session);
    return error;
}

int session_start_thread(snug_session *session)
{
    session->mailbox = (mailbox){ 0 };
    session->guard = (guard){ .owner = session, .disk = &session->disk };
    interp_set_guard(&session->guard);
    atomic_store(&session->has_ended, 0);
    session->is_sealed = 0;
    if (session->is_inline)
        return inline_begin(session);

    return session->is_parked
               ? thread_again(&session->thread, thread_name, serve, session)
               : thread_start(&session->thread, thread_name, stack_bytes(session), serve, session);
}

static int start(snug_session *session, void (*fn)(snug_session *session))
{
    memory_init(&session->memory, session->limits.memory_bytes);
    session->memory.is_shared = session->limits.threads > 0;

    /* Of a full one the process has a limit, and packages have threads that nobody knows of. */
    session->memory.counts_libraries = session->kind != SNUG_KIND_FULL;
    session->is_lost = 0;
    session->cpu_used_ns = 0;
    for (size_t i = 0; i < session->root_count; i++)
        session->roots[i].is_met = 0;
    int error = session_start_thread(session);
    if (error)
        return error;
    session->has_thread = 1;
    return set_up(session, fn, 0, SNUG_UNLIMITED);
}

static int start_kind(snug_session *session)
{
    int error = start(session, session->kind == SNUG_KIND_FULL ? open_full : open_interp);
    if (error || session->kind != SNUG_KIND_FULL)
        return error;
    if (!(error = set_up(session, prepare_full, session->limits.wall_ms, session->limits.cpu_ms)))
        full_limit_begin(session);
    return error;
}

int session_start(snug_session *session)
{
    int error = full_claim(session);
    if (error)
        return error;
    if ((error = start_kind(session)) && !session->has_thread)
        full_release(session);
    return error;
}

int session_start_half(snug_session *session)
{
    int error = full_claim(session);
    if (error)
        return error;
    if ((error = start(session, make_interp)) && !session->has_thread)
        full_release(session);
    return error;
}

/* It takes less than one; more is for a busy machine. */
enum { SET_UP_MS = 2000 };

int session_give(snug_session *session)
{
    int error = set_up(session, give_interp, SET_UP_MS, SNUG_UNLIMITED);
    if (!error && session->kind == SNUG_KIND_FULL)
        full_limit_begin(session);
    return error;
}

int session_give_input(snug_session *session)
{
    return set_up(session, give_input, SET_UP_MS, SNUG_UNLIMITED);
}

/* ---- the end ---- */

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

/* Without a thread it cannot be ended: its interpreter stays, and takes memory. */
static int has_no_way_back(snug_session *session)
{
    if (!session->is_parked || park_wake(session) == SNUG_OK)
        return 0;
    park_forget(session);
    thread_discard(&session->thread);
    session->has_thread = session->is_parked = 0;
    session->interp = NULL;
    return 1;
}

void session_end(snug_session *session)
{
    if (!session->has_thread || has_no_way_back(session))
        return;
    if (session->is_inline)
        inline_take_over(session);
    if (session->interp && !session->is_lost && !session->is_sealed && !session->is_inline)
        run_last(session, seal_for_end);
    if (session->interp && !session->is_lost)
        run_last(session, retire);
    if (!session->is_lost) {
        if (session->interp)
            interp_ending(session->interp);
        run_last(session, close_interp);
    }

    /* Given up on: the thread still runs, and what it runs on must stay. */
    if (!session->stop.is_given_up || atomic_load(&session->has_ended)) {
        if (session->is_inline)
            inline_end(session);
        else
            thread_join(&session->thread);
        desk_abandon(session->desk);
        session->has_thread = 0;
        session->interp = NULL;
        if (session->kind == SNUG_KIND_FULL) {
            full_limit_end(session);
            full_release(session);
        }
    }
}

/* ---- again ---- */

int session_renew(snug_session *session)
{
    int error = session->is_parked ? park_wake(session) : SNUG_OK;
    if (error)
        return error_set(error, "session %s could not be woken: %s", session->name,
                         error_message());

    session_end(session);
    if (session->has_thread)
        return error_set(SNUG_EDEAD,
                         "session %s cannot be reset while the code of an earlier cell "
                         "has not ended: close it",
                         session->name);

    session->cells = 0;
    error = session_start(session);
    if (!error)
        park_admit(session);
    return error;
}
