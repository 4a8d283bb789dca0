/*
 * local.c - the form SNUG_LOCAL: sessions whose interpreters are in this process.
 */

#include "base/error.h"
#include "base/floats.h"
#include "base/forked.h"
#include "base/str.h"
#include "limits/limits.h"
#include "py/guard/extensions.h"
#include "py/life/runtime.h"
#include "session/cells/inquiries.h"
#include "session/cells/program.h"
#include "session/cells/run_cell.h"
#include "session/cells/save_session.h"
#include "session/core/claim.h"
#include "session/core/full.h"
#include "session/core/host.h"
#include "session/core/pool.h"
#include "session/core/session.h"
#include "session/core/start.h"
#include "session/core/stop.h"
#include "session/files/workdir.h"
#include "session/life/make.h"

#include <snug/snug.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- spares ---- */

/* The sessions that a local host has ready before they are asked for: those of a pool,
 * or in a process for full sessions the one that there can be. */

/* The interpreter of a half on its thread. */
static int start_half(snug_session *session, const snug_session_options *options)
{
    int error;

    session->kind = options->kind;
    if (session->kind == SNUG_KIND_FULL)
        session->limits.threads = FULL_THREADS;
    if ((error = session_set_name(session, options->name)) ||
        (error = session_open_modules(session, options)) ||
        (error = session_find_packages(session, options)))
        return error;

    return session_start_half(session);
}

static int open_half(snug_session **out, snug_host *host, const snug_session_options *options)
{
    snug_session *session = NULL;
    int error;

    if ((error = session_new(&session, host)) || (error = start_half(session, options))) {
        session_discard(session);
        return error;
    }

    *out = session;
    return SNUG_OK;
}

static int make_spare_session(pool_item **out, void *payload, spare_kind kind)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session;
    int error;

    options.name = "spare";
    if (kind == SPARE_WHOLE)
        error = session_open_cold(&session, payload, &options, NULL, 0);
    else
        error = open_half(&session, payload, &options);

    if (!error)
        *out = &session->as_spare;
    return error;
}

/* Who cleans TMPDIR may have taken its work directory. */
static int is_sound(const pool_item *item)
{
    const snug_session *spare = (const snug_session *)(const void *)item;
    return !spare->is_lost && spare->interp && !atomic_load(&spare->thread.has_ended) &&
           (!spare->files.workdir || access(spare->files.workdir, W_OK) == 0);
}

static void discard_spare(pool_item *item)
{
    session_discard((snug_session *)(void *)item);
}

static const pool_source sessions = { make_spare_session, is_sound, discard_spare };

/* What the options ask for. packages: of the full session; NULL: the system's.
 * SNUG_OK, or an error with a message. */
static int spares_begin(snug_host *host, const snug_host_options *options, const char *packages)
{
    snug_session_options full = SNUG_SESSION_OPTIONS_INIT;

    if (options->pool_sessions == 0)
        return SNUG_OK;
    if (!runtime_is_full())
        return pool_open(&host->pool, &sessions, host, options->pool_sessions,
                         options->pool_idle_ms);

    full.name = "spare";
    full.kind = SNUG_KIND_FULL;
    full.packages = packages;
    return open_half(&host->full_spare, host, &full);
}

/* While no session is open or being opened. */
static void spares_end(snug_host *host)
{
    pool_close(host->pool);
    session_discard(host->full_spare);
    host->pool = NULL;
    host->full_spare = NULL;
}

static int spares_are_kept(const snug_host *host)
{
    return host->pool || runtime_is_full();
}

/* ---- taking ---- */

/* The thread's stack and the account are made for that memory, the filter for that many
 * threads. All other limits are looked at by cells. */
static int has_usual_limits(const snug_session_options *options)
{
    snug_limits wanted = limits_resolve(options->limits, NULL), usual = limits_resolve(NULL, NULL);
    return wanted.memory_bytes == usual.memory_bytes && wanted.threads == usual.threads;
}

static spare_kind kind_for(const snug_session_options *options)
{
    if (options->kind != SNUG_KIND_RESTRICTED || options->packages || !has_usual_limits(options))
        return SPARE_NONE;
    int is_plain = !options->clock_ms && !options->has_seed &&
                   (!options->profile || strcmp(options->profile, "core") == 0) &&
                   (!options->allow || !options->allow[0]) && !options->workdir &&
                   options->mount_count == 0;
    return is_plain ? SPARE_WHOLE : SPARE_HALF;
}

static int adopt_whole(snug_session *spare, const snug_session_options *options)
{
    int error = session_hand_over(spare, options);
    if (!error && spare->callbacks.on_input)
        error = session_give_input(spare);
    return error;
}

/* What fails before its thread is asked is the caller's; after that it is a cold open. */
static int adopt_half(spare_kind *served, snug_session *spare, const snug_session_options *options)
{
    allowlist *usual = spare->modules; /* looked at until it is given others */

    spare->modules = NULL;
    int error = session_hand_over(spare, options);
    if (!error)
        error = session_furnish(spare, options);
    if (error) {
        allowlist_close(spare->modules);
        spare->modules = usual;
        return error;
    }

    error = session_give(spare);
    if (error && spare->thread.exists) /* which does not come back, and may look at anything */
        return error;

    allowlist_close(usual);
    if (!error)
        return SNUG_OK;
    *served = SPARE_NONE;
    return session_start(spare);
}

static int open_pooled(snug_session **out, snug_host *host, const snug_session_options *options)
{
    spare_kind asked = kind_for(options), served = asked;
    snug_session *spare = (snug_session *)(void *)pool_take(host->pool, &served);
    int error = SNUG_OK;

    if (served == SPARE_WHOLE)
        error = adopt_whole(spare, options);
    else if (served == SPARE_HALF)
        error = adopt_half(&served, spare, options);

    if (spare && error)
        pool_lose(host->pool, &spare->as_spare);
    if (!spare || (error && served == SPARE_WHOLE)) {
        served = SPARE_NONE;
        error = session_open_cold(&spare, host, options, NULL, 0);
    }

    pool_opened(host->pool, asked, served, error != SNUG_OK);
    if (!error)
        *out = spare;
    return error;
}

/* ---- the full one ---- */

static snug_session *take_full(snug_host *host)
{
    pthread_mutex_lock(&host->lock);
    snug_session *spare = host->full_spare;
    host->full_spare = NULL;
    pthread_mutex_unlock(&host->lock);
    return spare;
}

static int is_same_folder(const char *own, const char *wanted)
{
    if (!own || !wanted)
        return !own && !wanted;

    char *path = realpath(wanted, NULL);
    int answer = path && strcmp(own, path) == 0;
    free(path);
    return answer;
}

static int fits_full(const snug_session *spare, const snug_session_options *options)
{
    return options->kind == SNUG_KIND_FULL && has_usual_limits(options) &&
           is_sound(&spare->as_spare) &&
           is_same_folder(spare->files.own_packages, options->packages);
}

/* It has the interpreter, so that one which does not fit goes first. A spare has a folder of its
 * own already. */
static int open_full_session(snug_session **out, snug_host *host,
                             const snug_session_options *options, const session_place *place)
{
    spare_kind served = SPARE_HALF;
    snug_session *spare = take_full(host);
    if (!spare || place || !fits_full(spare, options)) {
        session_discard(spare);
        return session_open_cold(out, host, options, place, 0);
    }

    int error = adopt_half(&served, spare, options);
    if (error)
        session_discard(spare);
    else
        *out = spare;

    return error;
}

/* As snug_session_open, of options that were checked: a spare, or what is opened cold instead. */
static int spares_open_session(snug_session **out, snug_host *host,
                               const snug_session_options *options, const session_place *place)
{
    if (!host->pool)
        return open_full_session(out, host, options, place);
    if (place)
        return session_open_cold(out, host, options, place, 0);
    return open_pooled(out, host, options);
}

/* ---- another one ---- */

/* What its options said. */
static int copy_options(snug_session *to, const snug_session *from)
{
    to->kind = from->kind;
    to->limits = from->limits;
    to->fixed = from->fixed;
    to->callbacks = from->callbacks;
    to->modules = allowlist_share(from->modules);
    to->files.packages = from->files.packages;
    session_hear_output(to);

    if (from->files.own_packages) {
        to->files.own_packages = strdup(from->files.own_packages);
        if (!to->files.own_packages)
            return error_no_memory();
        to->files.packages = to->files.own_packages;
    }

    if (desk_put_tools(to->desk, from->desk))
        return error_no_memory();
    return session_set_name(to, from->name);
}

static int begin(snug_session *session)
{
    session->cells = 0;
    int error = session_start(session);
    if (!error)
        park_admit(session);
    return error;
}

static int make_successor(snug_session **out, const snug_session *from)
{
    snug_session *made;
    int error = session_new(&made, from->host);
    if (error)
        return error;

    atomic_store(&made->is_busy, SESSION_CALLED);
    error = copy_options(made, from);
    if (!error)
        error = workdir_lend(made, from);
    if (!error)
        error = session_open_files(made);
    if (!error)
        error = begin(made);

    if (error)
        session_discard(made);
    else
        *out = made;
    return error;
}

/* The task that has ended last goes along. */
static void move_in(snug_session *to, snug_session *from)
{
    workdir_hand_on(to, from);
    to->front = session_front(from);
    pthread_mutex_lock(&from->host->task_lock);
    to->ended = from->ended;
    from->ended = NULL;
    pthread_mutex_unlock(&from->host->task_lock);
}

/* The one before is never claimed again: a front stays until it is closed, and others until their
 * threads have ended. */
static int succeed(snug_session **session)
{
    snug_session *from = *session, *to;
    int error = make_successor(&to, from);
    if (error)
        return error;

    move_in(to, from);
    session_set_successor(to->front, to);
    park_leave(from);
    session_leave_bell(from);
    if (from != to->front)
        host_adopt_orphan(from->host, from);
    host_reap(from->host);
    *session = to;
    return SNUG_OK;
}

/* ---- again ---- */

/* One that was only left may be back. */
static int end_for_renewal(snug_session *session)
{
    int error = SNUG_OK;

    if (session->park.is_parked)
        error = park_wake(session);
    if (error)
        return error_set(error, "session %s could not be woken: %s", session->name,
                         error_message());

    if (!session->is_lost && session_is_left(session))
        error = session_await_thread(session, session->host->patience_ns);
    if (!error)
        session_end(session);
    return error;
}

/* As snug_session_reset, for who has claimed the session: a row of session_form. Where the thread
 * of a lost one goes on, another session stands for it from then on, which is *session. */
static int local_renew(snug_session **session)
{
    int error = end_for_renewal(*session);
    if (error)
        return error;
    if (!(*session)->thread.exists)
        return begin(*session);
    if ((*session)->kind != SNUG_KIND_FULL)
        return succeed(session);
    return error_set(
        SNUG_EDEAD,
        "session %s has the process's only main interpreter, and cannot be reset while "
        "the code of an earlier cell has not ended: close it",
        (*session)->name);
}

/* A process has one Python, and so one host. */
static pthread_mutex_t only_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_open;
/* The one in which a host has started Python, which none that is forked from it can go on with. */
static _Atomic uint64_t python_process;

static int check_process(void)
{
    uint64_t process = atomic_load(&python_process);
    if (process == 0 || process == forked_process())
        return SNUG_OK;
    return error_set(SNUG_EPYTHON,
                     "this process was forked from one in which Python ran, whose threads are not "
                     "here: open a host of form SNUG_FORM_WORKER, or exec");
}

static int claim_process(void)
{
    int error = check_process();
    if (error)
        return error;

    pthread_mutex_lock(&only_lock);
    int was_open = is_open;
    is_open = 1;
    pthread_mutex_unlock(&only_lock);
    if (was_open)
        return error_set(SNUG_EBUSY, "a host is open in this process already");
    return SNUG_OK;
}

static void release_process(void)
{
    pthread_mutex_lock(&only_lock);
    is_open = 0;
    pthread_mutex_unlock(&only_lock);
}

static int report_pool(str *text, const snug_host_options *options)
{
    size_t count = options->pool_sessions;
    if (count == 0 || runtime_is_full())
        return str_add(text, "pool: none\n");
    return str_printf(text, "pool: %zu spare session%s\n", count, count == 1 ? "" : "s");
}

static const char *name_ladder(void)
{
    if (guard_is_full())
        return "full: interrupt, starve, jump, give up; faults contained";
    if (guard_forgoes_jumps())
        return "short: interrupt, starve, give up; faults end the process";
    if (guard_is_installed())
        return "short: interrupt, starve, give up; faults contained";
    return "short: interrupt, starve, give up";
}

/* Which form is for clients who distrust each other: by where the sessions are, and what they
 * share. */
static const char *advise_form(const snug_host *host)
{
    static const char *const advice[2][2] = {
        { "local sessions run side by side; a client who is not trusted takes a worker",
          "sessions of this worker run side by side; a client who is not trusted takes a host" },
        { "clients who distrust each other take a worker each, for sessions here share one GIL",
          "clients who distrust each other take a host each, for sessions of a worker share one "
          "GIL" },
    };

    return advice[runtime_gil_is_shared() != 0][host->seal != 0];
}

static int write_report(str *text, const snug_host *host, const snug_host_options *options)
{
    const char *form = host->seal ? "worker" : "local";
    const char *profiles = host->allowlist_dir ? host->allowlist_dir : "built in";

    str_printf(text, "snug: %s\nform: %s\n", snug_version(), form);
    int error = runtime_report(text);
    if (!error)
        error = kernel_report(text, &host->kernel);
    if (!error)
        error = seal_report(text);
    report_pool(text, options);
    str_printf(text,
               "profiles: %s\n"
               "guards: import gate, audit hook\n"
               "ladder: %s\n"
               "forms: %s\n",
               profiles, name_ladder(), advise_form(host));
    return error ? error : str_error(text);
}

static int make_report(snug_host *host, const snug_host_options *options)
{
    str text = { 0 };

    if (write_report(&text, host, options) == SNUG_OK)
        host->report = str_take(&text);
    str_free(&text);
    if (!host->report)
        return error_no_memory();
    return SNUG_OK;
}

/* Thirty to a hundred KiB each, and some limits of the machine's are not far above. */
enum { AWAKE_SESSIONS = 1024 };

/* As park.most has it: 0 for all. */
static uint64_t most_awake(const snug_host_options *options)
{
    if (options->awake_sessions == 0)
        return AWAKE_SESSIONS;
    return options->awake_sessions == SNUG_UNLIMITED ? 0 : options->awake_sessions;
}

/* The programs carry the full ladder; the library installs nothing unless asked. */
static int install_guard(const snug_host_options *options)
{
    if (!guard_is_interposed() && !(options->flags & SNUG_HOST_SIGNALS))
        return SNUG_OK;
    return guard_install(options->kick_signal);
}

static int start_python(snug_host *host, const snug_host_options *options)
{
    int error;
    floats before;

    atomic_store(&python_process, forked_process());
    floats_begin(&before);
    error = runtime_start(options->python_home, options->hash_seed);
    if (!error && host->seal)
        error = seal_process(host, host->seal);
    if (!error)
        error = runtime_begin();
    if (!error && !runtime_is_full() && !host->seal)
        error = extensions_serve();
    floats_end(&before);
    return error;
}

static int open_local(snug_host *host, const snug_host_options *options)
{
    int error = claim_process();
    if (error)
        return error;

    host->is_only = 1;
    host->park.most = most_awake(options);
    if ((error = start_python(host, options)) || (error = watchdog_open(&host->watchdog)) ||
        (error = install_guard(options)) || (error = kernel_probe(&host->kernel)) ||
        (error = make_report(host, options)))
        return error;

    return spares_begin(host, options, host->seal ? host->seal->packages : NULL);
}

static int close_local(snug_host *host)
{
    spares_end(host);
    session_discard(host->scanner);
    host->scanner = NULL;

    /* The ladder goes on for threads that have not ended: they keep the host. */
    int is_used = host->watchdog && host_reap(host) > 0;
    if (!is_used)
        watchdog_close(host->watchdog);
    if (!is_used && host->is_only)
        extensions_end();
    if (host->is_only)
        release_process();
    return is_used;
}

static snug_health local_health(const snug_host *host)
{
    return (snug_health){ .hung_threads = atomic_load(&host->hung),
                          .torn_locks = atomic_load(&host->torn) };
}

static int has_interp(const snug_session *session)
{
    return session->interp != NULL;
}

static const session_form local_sessions = {
    .open = session_open_local,
    .end = session_end_local,
    .end_behind = session_end_behind,
    .is_alive = has_interp,
    .renew = local_renew,
    .interrupt = local_interrupt,
    .interrupt_gently = local_interrupt_gently,
    .start = local_start,
    .attend = local_attend,
    .finish = local_finish,
    .listen = local_listen,
    .compute = local_compute,
    .set = local_set,
    .checkpoint = local_checkpoint,
    .is_complete = local_is_complete,
    .complete = local_complete,
    .variables = local_variables,
    .inspect = local_inspect,
    .save = local_save,
    .restore = local_restore,
    .save_text = local_save_text,
    .restore_text = local_restore_text,
    .put = local_put,
    .get = local_get,
    .list = local_list,
    .remove = local_remove,
    .bind = local_bind,
};

static snug_pool local_pool(const snug_host *host)
{
    return pool_tell(host->pool);
}

static int open_local_session(snug_session **out, snug_host *host,
                              const snug_session_options *options, const session_place *place)
{
    int error;

    if (options->kind == SNUG_KIND_BASH)
        return error_set(SNUG_EINVAL,
                         "a session of kind SNUG_KIND_BASH is in a process of its own: it "
                         "needs a host of form SNUG_FORM_WORKER");

    if (!options->on_caller_thread && spares_are_kept(host))
        error = spares_open_session(out, host, options, place);
    else
        error = session_open_cold(out, host, options, place, 0);

    if (!error)
        park_admit(*out);
    return error;
}

const host_form local_form = {
    .name = SNUG_FORM_LOCAL,
    .sessions = &local_sessions,
    .open = open_local,
    .close = close_local,
    .open_session = open_local_session,
    .scan = local_scan,
    .health = local_health,
    .pool = local_pool,
};
