#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/str.h"
#include "policy/allowlist.h"
#include "py/runtime.h"
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
    if (options->size != sizeof *options)
        return error_set(SNUG_EINVAL,
                         "snug_host_options is %zu bytes for the caller, %zu here: start "
                         "from SNUG_HOST_OPTIONS_INIT",
                         options->size, sizeof *options);
    if (options->form == SNUG_WORKER)
        return error_set(SNUG_EINVAL, "worker hosts come with a later version");
    if (options->form != SNUG_LOCAL)
        return error_set(SNUG_EINVAL, "form %d is none of snug_form", (int)options->form);
    if (options->flags & ~SNUG_HOST_SIGNALS)
        return error_set(SNUG_EINVAL, "flags 0x%x: this version knows only SNUG_HOST_SIGNALS",
                         options->flags);
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

static int make_report(snug_host *host)
{
    str text = { 0 };
    int error;
    if ((error = str_printf(&text, "snug: %s\nform: local\n", snug_version())) ||
        (error = runtime_report(&text)) || (error = kernel_report(&text, &host->kernel)) ||
        (error = str_printf(
             &text,
             "profiles: %s\n"
             "guards: import gate, audit hook\n"
             "ladder: %s\n",
             host->allowlist_dir ? host->allowlist_dir : "built in",
             guard_is_full()        ? "full: interrupt, starve, jump, give up; faults contained"
             : guard_is_installed() ? "short: interrupt, starve, give up; faults contained"
                                    : "short: interrupt, starve, give up")))
        str_free(&text);
    else
        host->report = str_take(&text);
    return host->report ? SNUG_OK : error_no_memory();
}

/* The programs carry the full ladder; the library installs nothing unless asked. */
static int install_guard(const snug_host_options *options)
{
    if (!guard_is_full() && !(options->flags & SNUG_HOST_SIGNALS))
        return SNUG_OK;
    return guard_install(options->kick_signal ? options->kick_signal : SIGURG);
}

int snug_host_open(snug_host **out, const snug_host_options *options)
{
    static const snug_host_options defaults = SNUG_HOST_OPTIONS_INIT;
    int error;
    if (!out)
        return error_set(SNUG_EINVAL, "snug_host_open: out is NULL");
    options = options ? options : &defaults;
    if ((error = check(options)) || (error = claim()))
        return error;
    snug_host *host = calloc(1, sizeof *host);
    if (!host) {
        unclaim();
        return error_no_memory();
    }
    pthread_mutex_init(&host->lock, NULL);
    pthread_mutex_init(&host->scan_lock, NULL);
    if (options->allowlist_dir && !(host->allowlist_dir = strdup(options->allowlist_dir)))
        error = error_no_memory();
    if (error || (error = check_profile(host)) || (error = runtime_start(options->python_home)) ||
        (error = watchdog_open(&host->watchdog)) || (error = install_guard(options)) ||
        (error = kernel_probe(&host->kernel)) || (error = make_report(host))) {
        snug_host_close(host);
        return error;
    }
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
    session_discard(host->scanner);
    host->scanner = NULL;
    /* The ladder goes on for threads that have not ended: they keep the host. */
    if (host->watchdog && host_reap(host) > 0) {
        unclaim();
        return SNUG_OK;
    }
    watchdog_close(host->watchdog);
    workdir_close_host(host);
    pthread_mutex_destroy(&host->lock);
    pthread_mutex_destroy(&host->scan_lock);
    kernel_free(&host->kernel);
    free(host->allowlist_dir);
    free(host->report);
    free(host);
    unclaim();
    return SNUG_OK;
}

snug_health snug_host_health(const snug_host *host)
{
    return (snug_health){ .hung_threads = atomic_load(&host->hung),
                          .torn_locks = atomic_load(&host->torn) };
}

const char *snug_host_report(const snug_host *host)
{
    return host->report;
}
