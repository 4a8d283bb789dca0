/*
 * local.c - the form SNUG_LOCAL: sessions whose interpreters are in this process.
 */

#include "base/error.h"
#include "base/floats.h"
#include "base/forked.h"
#include "base/str.h"
#include "py/guard/extensions.h"
#include "py/life/runtime.h"
#include "session/cells/bind_tools.h"
#include "session/cells/inquiries.h"
#include "session/cells/local_program.h"
#include "session/cells/run_cell.h"
#include "session/cells/save_session.h"
#include "session/cells/variables.h"
#include "session/core/pool.h"
#include "session/core/session.h"
#include "session/core/start.h"
#include "session/core/stop.h"
#include "session/files/list_files.h"
#include "session/files/workdir_files.h"
#include "session/life/make.h"
#include "session/life/orphans.h"
#include "session/life/process_seal.h"
#include "session/life/renew.h"
#include "session/life/scan.h"
#include "session/life/spares.h"

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
        return error_set(SNUG_EBUSY, "a host is open in this process already; those who share one "
                                     "open it by snug_host_acquire");
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
    int error = str_printf(text, "snug: %s\nform: %s\n", snug_version(), form);

    if (!error)
        error = runtime_report(text);
    if (!error)
        error = kernel_report(text, &host->kernel);
    if (!error)
        error = seal_report(text);
    if (!error)
        error = report_pool(text, options);
    if (!error)
        error = str_printf(text,
                           "profiles: %s\n"
                           "guards: import gate, audit hook\n"
                           "ladder: %s\n"
                           "forms: %s\n",
                           profiles, name_ladder(), advise_form(host));

    return error;
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
