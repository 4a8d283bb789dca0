#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/floats.h"
#include "base/options.h"
#include "base/str.h"
#include "policy/allowlist.h"
#include "py/life/runtime.h"
#include "session/seal.h"
#include "session/spares.h"
#include "session/workdir.h"

/* One host a process: Python is one a process. */
static pthread_mutex_t only_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_open;

static int claim(void)
{
    pthread_mutex_lock(&only_lock);
    int was_open = is_open;
    is_open = 1;
    pthread_mutex_unlock(&only_lock);
    return was_open ? error_set(SNUG_EBUSY, "a host is open in this process already") : SNUG_OK;
}

static void unclaim(void)
{
    pthread_mutex_lock(&only_lock);
    is_open = 0;
    pthread_mutex_unlock(&only_lock);
}

static int check(const snug_host_options *options)
{
    if (options->form != SNUG_FORM_LOCAL && options->form != SNUG_FORM_WORKER)
        return error_set(SNUG_EINVAL, "form %d is none of snug_form", (int)options->form);
    if (options->flags & ~(SNUG_HOST_SIGNALS | SNUG_HOST_FALLBACK))
        return error_set(SNUG_EINVAL,
                         "flags 0x%x: this version knows SNUG_HOST_SIGNALS and SNUG_HOST_FALLBACK",
                         options->flags);
    if (options->pool_sessions > POOL_MOST)
        return error_set(SNUG_EINVAL, "pool_sessions is %zu: %d at most", options->pool_sessions,
                         POOL_MOST);
    return SNUG_OK;
}

/* The default profile must be readable: better said now than at the first session. */
static int check_profile(const snug_host *host)
{
    allowlist *list = NULL;
    int error = allowlist_open(&list, "core", host->allowlist_dir, NULL);
    allowlist_close(list);
    return error;
}

enum { MOST_PROFILE_BYTES = 16 << 20 };

static int copy_file(const char *folder, const char *file)
{
    str text = { 0 }, path = { 0 };
    int error = file_read(&text, file, MOST_PROFILE_BYTES);
    if (!error && str_printf(&path, "%s%s", folder, strrchr(file, '/')) != SNUG_OK)
        error = error_no_memory();
    const struct iovec piece = { text.data, text.len };
    if (!error)
        error = file_replace(path.data, &piece, 1);
    str_free(&path);
    str_free(&text);
    return error;
}

int host_copy_profile(const snug_host *host, const char *profile, const char *folder)
{
    allowlist *list = NULL;
    const char *file;
    int error = allowlist_open(&list, profile, host->allowlist_dir, NULL);
    if (!error && mkdir(folder, 0700) != 0)
        error = error_system("%s", folder);
    for (size_t i = 0; !error && (file = allowlist_file(list, i)); i++)
        if (strchr(file, '/'))
            error = copy_file(folder, file);
    allowlist_close(list);
    return error;
}

static int report_pool(str *text, const snug_host_options *options)
{
    return options->pool_sessions == 0 || runtime_is_full()
               ? str_add(text, "pool: none\n")
               : str_printf(text, "pool: %zu spare session%s\n", options->pool_sessions,
                            options->pool_sessions == 1 ? "" : "s");
}

static int make_report(snug_host *host, const snug_host_options *options)
{
    str text = { 0 };
    int error;
    if ((error = str_printf(&text, "snug: %s\nform: %s\n", snug_version(),
                            host->seal ? "worker" : "local")) ||
        (error = runtime_report(&text)) || (error = kernel_report(&text, &host->kernel)) ||
        (error = seal_report(&text)) || (error = report_pool(&text, options)) ||
        (error = str_printf(
             &text,
             "profiles: %s\n"
             "guards: import gate, audit hook\n"
             "ladder: %s\n",
             host->allowlist_dir ? host->allowlist_dir : "built in",
             guard_is_full()         ? "full: interrupt, starve, jump, give up; faults contained"
             : guard_forgoes_jumps() ? "short: interrupt, starve, give up; faults end the process"
             : guard_is_installed()  ? "short: interrupt, starve, give up; faults contained"
                                     : "short: interrupt, starve, give up")))
        str_free(&text);
    else
        host->report = str_take(&text);
    return host->report ? SNUG_OK : error_no_memory();
}

/* Thirty to a hundred KiB each, and some limits of the machine's are not far above. */
enum { AWAKE_SESSIONS = 1024 };

/* The programs carry the full ladder; the library installs nothing unless asked. */
static int install_guard(const snug_host_options *options)
{
    if (!guard_is_interposed() && !(options->flags & SNUG_HOST_SIGNALS))
        return SNUG_OK;
    return guard_install(options->kick_signal ? options->kick_signal : SIGURG);
}

static int start_python(snug_host *host, const snug_host_options *options)
{
    int error;
    floats before;
    floats_begin(&before);
    if ((error = runtime_start(options->python_home)) == SNUG_OK &&
        (!host->seal || (error = seal_process(host, host->seal)) == SNUG_OK))
        error = runtime_begin();
    floats_end(&before);
    return error;
}

static int open_local(snug_host *host, const snug_host_options *options)
{
    int error = claim();
    if (error)
        return error;
    host->is_only = 1;
    host->park.most = options->awake_sessions == 0                ? AWAKE_SESSIONS
                      : options->awake_sessions == SNUG_UNLIMITED ? 0
                                                                  : options->awake_sessions;
    if ((error = start_python(host, options)) || (error = watchdog_open(&host->watchdog)) ||
        (error = install_guard(options)) || (error = kernel_probe(&host->kernel)))
        return error;
    return (error = make_report(host, options))
               ? error
               : spares_begin(host, options, host->seal ? host->seal->packages : NULL);
}

int snug_host_open(snug_host **out, const snug_host_options *options)
{
    return seal_host_open(out, options, NULL);
}

static int fall_back(snug_host **out, const snug_host_options *options)
{
    char why[ERROR_MESSAGE_BYTES];
    strcpy(why, error_message());
    int error = host_open(out, options, &local_form, NULL);
    if (error || ((*out)->fallback = strdup(why)))
        return error;
    snug_host_close(*out);
    *out = NULL;
    return error_no_memory();
}

int seal_host_open(snug_host **out, const snug_host_options *given, const seal *wish)
{
    snug_host_options options;
    int error;
    if (!out)
        return error_set(SNUG_EINVAL, "snug_host_open: out is NULL");
    if ((error = options_take(&options, sizeof options, given, "snug_host_options")) ||
        (error = check(&options)))
        return error;
    if (options.form != SNUG_FORM_WORKER)
        return host_open(out, &options, &local_form, wish);

    error = host_open(out, &options, &remote_form, wish);
    int can_fall = error && error != SNUG_EINVAL && error != SNUG_ENOMEM;
    return can_fall && options.flags & SNUG_HOST_FALLBACK ? fall_back(out, &options) : error;
}

int host_open(snug_host **out, const snug_host_options *options, const host_form *form,
              const seal *wish)
{
    int error = SNUG_OK;
    snug_host *host = calloc(1, sizeof *host);
    if (!host)
        return error_no_memory();
    host->seal = wish;
    host->form = form;
    pthread_mutex_init(&host->lock, NULL);
    pthread_mutex_init(&host->scan_lock, NULL);
    if (options->allowlist_dir && !(host->allowlist_dir = strdup(options->allowlist_dir)))
        error = error_no_memory();
    if (error || (error = check_profile(host)) || (error = host->form->open(host, options))) {
        snug_host_close(host);
        return error;
    }
    host->seal = NULL;
    *out = host;
    return SNUG_OK;
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
        if (!atomic_load(&orphan->has_ended)) {
            left++;
            at = &orphan->next_orphan;
            continue;
        }
        *at = orphan->next_orphan;
        thread_join(&orphan->thread);
        session_free(orphan);
    }
    pthread_mutex_unlock(&host->lock);
    return left;
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
    if (host->is_only)
        unclaim();
    return is_used;
}

int snug_host_close(snug_host *host)
{
    if (!host)
        return SNUG_OK;
    pthread_mutex_lock(&host->lock);
    size_t sessions = host->sessions;
    pthread_mutex_unlock(&host->lock);
    if (sessions > 0)
        return error_set(SNUG_EBUSY, "the host has %zu open session%s", sessions,
                         sessions == 1 ? "" : "s");
    if (host->form->close(host))
        return SNUG_OK;
    workdir_close_host(host);
    pthread_mutex_destroy(&host->lock);
    pthread_mutex_destroy(&host->scan_lock);
    kernel_free(&host->kernel);
    free(host->allowlist_dir);
    free(host->fallback);
    free(host->report);
    free(host);
    return SNUG_OK;
}

static snug_health health(const snug_host *host)
{
    return (snug_health){ .hung_threads = atomic_load(&host->hung),
                          .torn_locks = atomic_load(&host->torn) };
}

static const session_form local_sessions = {
    .open = session_open_local,
    .end = session_end_local,
    .renew = session_renew,
    .interrupt = local_interrupt,
    .run = local_run,
    .set = local_set,
    .checkpoint = local_checkpoint,
    .is_complete = local_is_complete,
    .complete = local_complete,
    .variables = local_variables,
    .inspect = local_inspect,
    .save = local_save,
    .restore = local_restore,
    .put = local_put,
    .get = local_get,
    .list = local_list,
    .remove = local_remove,
    .bind = local_bind,
};

static snug_pool pool_facts_of(const snug_host *host)
{
    return pool_tell(host->pool);
}

const host_form local_form = {
    &local_sessions, open_local, close_local, local_scan, health, pool_facts_of,
};

int snug_host_health(snug_health *out, const snug_host *host)
{
    if (!host)
        return error_set(SNUG_EINVAL, "snug_host_health: host is NULL");
    const snug_health facts = host->form->health(host);
    return options_give(out, &facts, sizeof facts, "snug_health");
}

int snug_host_pool(snug_pool *out, const snug_host *host)
{
    if (!host)
        return error_set(SNUG_EINVAL, "snug_host_pool: host is NULL");
    const snug_pool facts = host->form->pool(host);
    return options_give(out, &facts, sizeof facts, "snug_pool");
}

const char *snug_host_fallback(const snug_host *host)
{
    return host->fallback;
}

const char *snug_host_report(const snug_host *host)
{
    return host->report;
}
