#include "session/core/start.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/floats.h"
#include "base/u64.h"
#include "session/confine/kernel_support.h"
#include "session/core/full.h"
#include "session/core/host.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/core/stop.h"

/* ---- the interpreter ---- */

/* On a thread that was torn out, or on the session's for others. */
static void on_loss(void *payload)
{
    local_interrupt(payload);
}

static interp_options options_of(snug_session *session)
{
    const kernel *k = &session->host->kernel;
    return (interp_options){ .modules = session->modules,
                             .output = &session->output,
                             .roots = session->files.roots,
                             .root_count = session->files.root_count,
                             .workdir = session->files.workdir ? session->files.workdir : "/",
                             .has_folder = !session->thread.is_inline && !k->refused[KERNEL_FOLDER],
                             .memory = &session->memory,
                             .disk = &session->files.disk,
                             .packages = session->files.packages,
                             .is_inline = session->thread.is_inline,
                             .is_full = session->kind == SNUG_KIND_FULL,
                             .mounts = session->files.mount_rows,
                             .mount_count = session->files.mount_count,
                             .confines_libraries = !session->thread.is_inline &&
                                                   !k->refused[KERNEL_LANDLOCK] &&
                                                   !k->refused[KERNEL_SECCOMP],
                             .owns_descriptors =
                                 !session->thread.is_inline && !k->refused[KERNEL_DESCRIPTORS],
                             .threads = session->limits.threads,
                             .desk = session->desk,
                             .has_input = session->callbacks.on_input != NULL,
                             .fixed = session->fixed,
                             .on_loss = on_loss,
                             .payload = session };
}

/* Without its guard a fault of the guest's would end the process. The guard's own message is still
 * this thread's. */
static int enter_thread(snug_session *session)
{
    return session->thread.lacks_guard ? SNUG_ESYSTEM : kernel_enter(&session->host->kernel);
}

/* An interpreter on its thread, that is not a session's yet. */
static int make_interp(snug_session *session, void *unused)
{
    const interp_options options = options_of(session);
    int error = session->thread.is_inline ? SNUG_OK : enter_thread(session);

    (void)unused;
    if (error)
        return error;
    return interp_open(&session->interp, &options);
}

static seccomp_kind kind_of_filter(const snug_session *session)
{
    if (session->kind == SNUG_KIND_FULL)
        return SECCOMP_FULL;
    return session->limits.threads > 0 ? SECCOMP_THREADS : SECCOMP_ALONE;
}

static int seal_thread(snug_session *session)
{
    const kernel *k = &session->host->kernel;

    /* Machine code writes past the functions that ask. */
    session->files.disk.is_told = guard_is_interposed() && session->kind != SNUG_KIND_FULL;
    session->files.disk.sees_open_files =
        !session->thread.is_inline && !k->refused[KERNEL_DESCRIPTORS];
    session->thread.is_sealed = session->thread.is_inline;
    if (session->thread.is_inline)
        return SNUG_OK; /* the thread is the caller's */

    int error = kernel_seal(k, session->files.workdir, session->files.roots,
                            session->files.root_count, kind_of_filter(session));
    session->thread.is_sealed = !error;
    return error;
}

int session_move_in(snug_session *session, void *unused)
{
    int error = enter_thread(session);

    (void)unused;
    if (!error)
        error = seal_thread(session);
    if (!error)
        interp_move(session->interp);
    return error;
}

/* On 3.11, another session may have prepared a spare so that its own code runs as soon as any does
 * here: so the filters come first. */
static int give_interp(snug_session *session, void *unused)
{
    const interp_options options = options_of(session);
    int error = seal_thread(session);

    (void)unused;
    if (!error)
        error = interp_give(session->interp, &options);
    if (error)
        return error;
    return session_bind_all(session);
}

/* Of one that is ended before it was a session's: for the same reason. Without, nothing runs in it
 * any more. */
static int seal_for_end(snug_session *session, void *unused)
{
    (void)unused;
    session->thread.is_sealed =
        kernel_seal(&session->host->kernel, "/", NULL, 0, SECCOMP_ALONE) == SNUG_OK;
    return session->thread.is_sealed ? SNUG_OK : SNUG_EDEAD;
}

static int open_interp(snug_session *session, void *unused)
{
    int error = make_interp(session, unused);
    if (error)
        return error;
    return give_interp(session, unused);
}

/* The main interpreter, which nobody has had, or an earlier full session: then it is the guest's,
 * and nothing runs in it before the filters. */
static int open_main_interp(snug_session *session, void *unused)
{
    int error = make_interp(session, unused);
    if (error)
        return error;
    return seal_thread(session);
}

/* What an earlier session has left there may run now, and has limits. */
static int prepare_main_interp(snug_session *session, void *unused)
{
    int error = interp_prepare(session->interp);

    (void)unused;
    if (error)
        return error;
    return session_bind_all(session);
}

/* To one that has got its filters already. */
static int give_input(snug_session *session, void *unused)
{
    const interp_options options = options_of(session);

    (void)unused;
    return interp_give(session->interp, &options);
}

/* Nothing runs in an interpreter of which that has failed. */
static int run_step(snug_session *session, job_fn fn, uint64_t wall_ms, uint64_t cpu_ms)
{
    const job_limits limits = { wall_ms, cpu_ms, SNUG_UNLIMITED };
    int error = session_run_job(session, fn, NULL, &limits);
    if (error && session->interp)
        session_end(session);
    return error;
}

static int start_with(snug_session *session, job_fn fn)
{
    memory_init(&session->memory, session->limits.memory_bytes);
    session->memory.is_shared = session->limits.threads > 0;

    /* Of a full one the process has a limit, and packages have threads that nobody knows of. */
    session->memory.counts_libraries = session->kind != SNUG_KIND_FULL;
    session->is_lost = 0;
    session->cpu_used_ns = 0;
    for (size_t i = 0; i < session->files.root_count; i++)
        session->files.roots[i].is_met = 0;
    int error = session_start_thread(session);
    if (error)
        return error;
    session->thread.exists = 1;
    return run_step(session, fn, 0, SNUG_UNLIMITED);
}

static int start_kind(snug_session *session)
{
    if (session->kind != SNUG_KIND_FULL)
        return start_with(session, open_interp);

    int error = start_with(session, open_main_interp);
    if (!error)
        error =
            run_step(session, prepare_main_interp, session->limits.wall_ms, session->limits.cpu_ms);

    if (!error)
        full_limit_begin(session);
    return error;
}

int session_start(snug_session *session)
{
    int error = full_claim(session);
    if (error)
        return error;

    error = start_kind(session);
    if (error && !session->thread.exists)
        full_release(session);
    return error;
}

int session_start_half(snug_session *session)
{
    int error = full_claim(session);
    if (error)
        return error;

    error = start_with(session, make_interp);
    if (error && !session->thread.exists)
        full_release(session);
    return error;
}

/* It takes less than one; more is for a busy machine. */
enum { SET_UP_MS = 2000 };

int session_give(snug_session *session)
{
    int error = run_step(session, give_interp, SET_UP_MS, SNUG_UNLIMITED);
    if (!error && session->kind == SNUG_KIND_FULL)
        full_limit_begin(session);
    return error;
}

int session_give_input(snug_session *session)
{
    return run_step(session, give_input, SET_UP_MS, SNUG_UNLIMITED);
}

/* ---- the end ---- */

static int retire_interp(snug_session *session, void *unused)
{
    (void)unused;
    return interp_retire(session->interp);
}

/* Always the thread's last job: SNUG_EDEAD ends its service. */
static int close_interp(snug_session *session, void *unused)
{
    (void)unused;
    if (session->interp && interp_close(session->interp) == SNUG_OK) {
        stop_disarm(session);                     /* a stop must not meet what is freed */
        desk_set_wake(session->desk, NULL, NULL); /* nor an answer */
        interp_free(session->interp);
        session->interp = NULL;
    }

    return SNUG_EDEAD;
}

/* All of that in one job, of a session that nobody waits for any more. */
static int end_unattended(snug_session *session, void *unused)
{
    int error = SNUG_OK;

    if (session->interp && !session->thread.is_sealed)
        error = seal_for_end(session, unused);
    if (!error && session->interp)
        error = retire_interp(session, unused);
    if (error)
        return SNUG_EDEAD;
    if (session->interp)
        interp_ending(session->interp);
    return close_interp(session, unused);
}

/* What its code may take for its end. */
static job_limits closing_limits(const snug_session *session)
{
    job_limits limits = session_step_limits(session);
    uint64_t most_ms = session->closing_ms ? session->closing_ms : (uint64_t)SESSION_CLOSING_MS;

    limits.wall_ms = u64_least(limits.wall_ms, most_ms);
    return limits;
}

/* How it ends is nobody's error: the message stays that of what the caller closes it for. */
static void run_last(snug_session *session, job_fn fn)
{
    const job_limits limits = closing_limits(session);
    char message[ERROR_MESSAGE_BYTES];

    strcpy(message, error_message());
    session_run_job(session, fn, NULL, &limits);
    error_set(SNUG_OK, "%s", message);
}

/* Without a thread it cannot be ended: its interpreter stays, and takes memory. */
static int has_no_way_back(snug_session *session)
{
    if (!session->park.is_parked || park_wake(session) == SNUG_OK)
        return 0;
    park_forget(session);
    thread_discard(&session->thread.handle);
    session->thread.exists = session->park.is_parked = 0;
    session->interp = NULL;
    return 1;
}

/* It has ended, or is the caller's. */
static void join_session(snug_session *session)
{
    if (session->thread.is_inline)
        inline_end(session);
    else
        thread_join(&session->thread.handle);

    desk_abandon(session->desk);
    session_free_left(session);
    session->thread.exists = 0;
    session->interp = NULL;
    if (session->kind == SNUG_KIND_FULL) {
        full_limit_end(session);
        full_release(session);
    }
}

/* Whether its thread does nothing for it any more, or not now. */
static int is_out(const snug_session *session)
{
    return session->is_lost || mailbox_is_left(&session->thread.mailbox);
}

void session_end(snug_session *session)
{
    if (!session->thread.exists || has_no_way_back(session))
        return;
    if (session->thread.is_inline)
        inline_take_over(session);
    if (session->interp && !is_out(session) && !session->thread.is_sealed &&
        !session->thread.is_inline)
        run_last(session, seal_for_end);

    if (session->interp && !is_out(session))
        run_last(session, retire_interp);
    if (!is_out(session)) {
        if (session->interp)
            interp_ending(session->interp);
        run_last(session, close_interp);
    }

    /* Given up on, or left: the thread still runs, and what it runs on must stay. */
    int may_run = session->stop.is_given_up || session_is_left(session);
    if (!may_run || atomic_load(&session->thread.has_ended))
        join_session(session);
}

/* That end is nobody's to wait for either. */
void session_end_behind(snug_session *session)
{
    const job_limits limits = closing_limits(session);

    if (session->is_lost || mailbox_is_left(&session->thread.mailbox) ||
        atomic_load(&session->thread.has_ended) || session->job.fn == end_unattended)
        return;
    session->job.is_left = 0; /* the thread is back */
    session_free_left(session);
    if (session_post_job(session, end_unattended, NULL, &limits) == SNUG_OK) {
        mailbox *m = &session->thread.mailbox;
        session->job.is_left = mailbox_leave(m) && mailbox_attend(m, NULL, NULL, 0) == MAILBOX_LEFT;
    }
}
