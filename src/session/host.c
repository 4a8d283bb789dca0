#include "session/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/str.h"
#include "policy/allowlist.h"
#include "py/runtime.h"

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
        return error_set(SNUG_EINVAL, "snug_host_options is %zu bytes for the caller, %zu here: start "
                         "from SNUG_HOST_OPTIONS_INIT", options->size, sizeof *options);
    if (options->form == SNUG_WORKER)
        return error_set(SNUG_EINVAL, "worker hosts come with a later version");
    if (options->form != SNUG_LOCAL)
        return error_set(SNUG_EINVAL, "form %d is none of snug_form", (int)options->form);
    if (options->flags != 0)
        return error_set(SNUG_EINVAL, "flags 0x%x: this version knows none", options->flags);
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
        (error = runtime_report(&text)) ||
        (error = str_printf(&text,
                            "profiles: %s\n"
                            "guards: import gate, audit hook\n"
                            "stop: interrupt that handlers do not keep; no kernel filters, no memory "
                            "limit, no protection from crashes in this version\n",
                            host->allowlist_dir ? host->allowlist_dir : "built in")))
        str_free(&text);
    else
        host->report = str_take(&text);
    return host->report ? SNUG_OK : error_no_memory();
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
        (error = watchdog_open(&host->watchdog)) || (error = make_report(host))) {
        snug_host_close(host);
        return error;
    }
    *out = host;
    return SNUG_OK;
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
    scan_service_close(host->service);
    watchdog_close(host->watchdog);
    pthread_mutex_destroy(&host->lock);
    pthread_mutex_destroy(&host->scan_lock);
    free(host->allowlist_dir);
    free(host->report);
    free(host);
    unclaim();
    return SNUG_OK;
}

const char *snug_host_report(const snug_host *host)
{
    return host->report;
}
