#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/forked.h"
#include "base/options.h"
#include "base/str.h"
#include "base/utf8.h"
#include "limits/limits.h"
#include "policy/allowlist.h"
#include "session/core/claim.h"
#include "session/core/host.h"
#include "session/core/session.h"
#include "session/files/workdir.h"
#include "session/life/engine.h"
#include "session/life/make.h"
#include "session/life/task.h"

/* Whether the file is there, the C library sees itself where Python runs: that may be another
 * machine. */
static int is_zone_name(const char *zone)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-_/";
    size_t len = strlen(zone);

    return len > 0 && len < FIXED_ZONE_BYTES && strchr(letters, *zone) &&
           strspn(zone, more) == len && !strstr(zone, "//") && zone[len - 1] != '/';
}

/* A zone that is not there would be UTC, without a word. */
static int find_zone(const char *zone)
{
    char path[sizeof "/usr/share/zoneinfo/" + FIXED_ZONE_BYTES];

    if (strcmp(zone, "UTC") == 0)
        return SNUG_OK;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", zone);
    struct stat file;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode))
        return SNUG_OK;
    return error_set(SNUG_EINVAL, "zone %s: there is no file %s", zone, path);
}

static int check_zone(const snug_host_options *options)
{
    const char *zone = options->zone, *own = getenv("TZ");

    if (!zone)
        return SNUG_OK;
    if (!is_zone_name(zone))
        return error_set(SNUG_EINVAL,
                         "zone \"%.80s\" is not the name of a zone, as Europe/Madrid is", zone);
    if (options->form == SNUG_FORM_LOCAL && (!own || strcmp(own, zone) != 0))
        return error_set(SNUG_EINVAL,
                         "zone %s: local sessions have the zone of their process, whose TZ is %s",
                         zone, own ? own : "not set");
    return options->worker_command ? SNUG_OK : find_zone(zone);
}

static fixed_values fixed_of(const snug_host_options *options)
{
    fixed_values fixed = { .hash_seed = options->hash_seed };

    if (options->zone)
        snprintf(fixed.zone, sizeof fixed.zone, "%s", options->zone);
    return fixed;
}

static int check_host_options(const snug_host_options *options)
{
    if (options->form != SNUG_FORM_LOCAL && options->form != SNUG_FORM_WORKER)
        return error_set(SNUG_EINVAL, "form %d is none of snug_form", (int)options->form);
    if (options->flags & ~(SNUG_HOST_SIGNALS | SNUG_HOST_FALLBACK))
        return error_set(SNUG_EINVAL,
                         "flags 0x%x: this version knows SNUG_HOST_SIGNALS and SNUG_HOST_FALLBACK",
                         options->flags);

    int error = check_zone(options);
    if (error)
        return error;
    if (options->hash_seed > UINT32_MAX)
        return error_set(SNUG_EINVAL, "hash_seed is %llu: 4,294,967,295 at most",
                         (unsigned long long)options->hash_seed);

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

static int copy_profile_file(const char *folder, const char *file)
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
            error = copy_profile_file(folder, file);

    allowlist_close(list);
    return error;
}

int snug_host_open(snug_host **out, const snug_host_options *options)
{
    return seal_host_open(out, options, NULL);
}

static int open_here(snug_host **out, const snug_host_options *options, const seal *wish)
{
    const host_form *form;
    int error = engine_find(&form, options->python);
    if (error)
        return error;
    return host_open(out, options, form, wish);
}

static int fall_back(snug_host **out, const snug_host_options *options)
{
    char why[ERROR_MESSAGE_BYTES];

    strcpy(why, error_message());
    int error = open_here(out, options, NULL);
    if (error || ((*out)->fallback = strdup(why)))
        return error;

    snug_host_close(*out);
    *out = NULL;
    return error_no_memory();
}

static int open_in_form(snug_host **out, const snug_host_options *options, const seal *wish)
{
    int error = check_host_options(options);
    if (error)
        return error;
    if (options->form != SNUG_FORM_WORKER)
        return open_here(out, options, wish);

    error = host_open(out, options, &remote_form, wish);
    int can_fall = error && error != SNUG_EINVAL && error != SNUG_ENOMEM && error != SNUG_ESTOPPED;
    if (can_fall && options->flags & SNUG_HOST_FALLBACK)
        return fall_back(out, options);
    return error;
}

int seal_host_open(snug_host **out, const snug_host_options *given, const seal *wish)
{
    snug_host_options options;

    if (!out)
        return error_set(SNUG_EINVAL, "snug_host_open: out is NULL");
    int error = options_take(&options, sizeof options, given, "snug_host_options");
    if (error)
        return error;

    error = open_in_form(out, &options, wish);
    if (error)
        message_copy(options.error, options.error_bytes, error_message());
    return error;
}

enum { DEFAULT_PATIENCE_MS = 5000 };

static uint64_t patience_of(const snug_host_options *options)
{
    uint64_t ms = options->patience_ms ? options->patience_ms : DEFAULT_PATIENCE_MS;
    return ms > UINT64_MAX / NS_PER_MS ? UINT64_MAX : ms * NS_PER_MS;
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
    host->process = forked_process();
    last_error_init(&host->last_error);
    host->fixed = fixed_of(options);
    host->patience_ns = patience_of(options);
    pthread_mutex_init(&host->lock, NULL);
    pthread_mutex_init(&host->scan_lock, NULL);
    pthread_mutex_init(&host->task_lock, NULL);
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

int snug_host_close(snug_host *host)
{
    if (!host || !forked_is_process(host->process))
        return SNUG_OK;
    pthread_mutex_lock(&host->lock);
    size_t sessions = host->sessions;
    pthread_mutex_unlock(&host->lock);
    if (sessions > 0)
        return host_fail(host, error_set(SNUG_EBUSY, "the host has %zu open session%s", sessions,
                                         sessions == 1 ? "" : "s"));

    pthread_mutex_lock(&host->task_lock);
    size_t tasks = host->tasks;
    pthread_mutex_unlock(&host->task_lock);
    if (tasks > 0)
        return host_fail(host,
                         error_set(SNUG_EBUSY, "%zu task%s of the host %s not over, or not told",
                                   tasks, tasks == 1 ? "" : "s", tasks == 1 ? "is" : "are"));

    clerks_close(host->clerks);
    host->clerks = NULL;
    if (host->form->close(host))
        return SNUG_OK;
    tasks_close(host);
    workdir_close_host(host);
    pthread_mutex_destroy(&host->task_lock);
    pthread_mutex_destroy(&host->lock);
    pthread_mutex_destroy(&host->scan_lock);
    kernel_free(&host->kernel);
    free(host->allowlist_dir);
    free(host->fallback);
    free(host->report);
    last_error_free(&host->last_error);
    free(host);
    return SNUG_OK;
}

int snug_host_health(snug_health *out, const snug_host *host)
{
    int error = host_check(host, "snug_host_health");
    if (error)
        return error;

    const snug_health facts = host->form->health(host);
    return host_fail(host, options_give(out, &facts, sizeof facts, "snug_health"));
}

int snug_host_pool(snug_pool *out, const snug_host *host)
{
    int error = host_check(host, "snug_host_pool");
    if (error)
        return error;

    const snug_pool facts = host->form->pool(host);
    return host_fail(host, options_give(out, &facts, sizeof facts, "snug_pool"));
}

const char *snug_host_fallback(const snug_host *host)
{
    return host->fallback;
}

snug_form snug_host_form(const snug_host *host)
{
    return host->form->name;
}

const char *snug_host_report(const snug_host *host)
{
    return host->report;
}

/* ---- options ---- */

enum {
    MAX_NAME_BYTES = 256,
    /* The interpreter and a few modules take some of that, and the stack is measured by it. */
    LEAST_MEMORY_BYTES = 16 << 20
};

/* It stands in messages and in results, which are JSON. */
static int check_session_name(const char *name)
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

static int check_session_options(const snug_session_options *options)
{
    uint64_t memory_bytes = options->limits->memory_bytes;
    if (memory_bytes && memory_bytes < LEAST_MEMORY_BYTES)
        return error_set(SNUG_EINVAL, "memory_bytes is %llu: a session needs 16 MiB at least",
                         (unsigned long long)memory_bytes);
    return check_session_name(options->name);
}

/* Of 2261-12-31T23:59:59.999Z: nanoseconds since 1970 have 63 bits in Python. */
#define LAST_CLOCK_MS UINT64_C(9214646399999)

static int check_fixed(const snug_session_options *options)
{
    if (options->clock_ms > LAST_CLOCK_MS)
        return error_set(SNUG_EINVAL, "clock_ms is %llu, past the year 2261",
                         (unsigned long long)options->clock_ms);
    if (options->kind == SNUG_KIND_BASH && (options->clock_ms || options->has_seed))
        return error_set(SNUG_EINVAL, "%s: programs of a bash session have the machine's",
                         options->clock_ms ? "clock_ms" : "has_seed");
    return SNUG_OK;
}

static int check_inline(const snug_host *host, const snug_session_options *options)
{
    if (!options->on_caller_thread ||
        (host->form->name == SNUG_FORM_LOCAL && options->kind == SNUG_KIND_RESTRICTED &&
         !options->on_input &&
         (options->limits->threads == 0 || options->limits->threads == SNUG_NONE)))
        return SNUG_OK;
    return error_set(SNUG_EINVAL,
                     "on_caller_thread: a session on its caller's thread is of kind "
                     "SNUG_KIND_RESTRICTED, in a host of form SNUG_FORM_LOCAL, without threads "
                     "and on_input");
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

int snug_session_open(snug_session **out, snug_host *host, const snug_session_options *options)
{
    return session_open_in(out, host, options, NULL);
}

/* limits is where those of the options are kept. */
static int take_session_options(snug_session_options *out, snug_limits *limits,
                                const snug_session_options *given)
{
    int error = options_take(out, sizeof *out, given, "snug_session_options");
    if (!error)
        error = limits_take(limits, out->limits);
    out->limits = limits;
    return error;
}

static int check_opening(const snug_host *host, const snug_session_options *options)
{
    int error = check_session_options(options);

    if (!error)
        error = check_inline(host, options);
    if (!error)
        error = check_fixed(options);
    return error;
}

static int open_checked(snug_session **out, snug_host *host, const snug_session_options *options,
                        const session_place *place)
{
    int error = check_opening(host, options);
    if (error)
        return error;

    /* Before, so that the host is not closed meanwhile. */
    count_session(host, 1);
    error = host->form->open_session(out, host, options, place);
    if (error)
        count_session(host, -1);
    return error;
}

int session_open_in(snug_session **out, snug_host *host, const snug_session_options *given,
                    const session_place *place)
{
    snug_session_options options;
    snug_limits limits;

    if (!out)
        return host_fail(host, error_set(SNUG_EINVAL, "snug_session_open: out is NULL"));
    int error = host_check(host, "snug_session_open");
    if (!error)
        error = take_session_options(&options, &limits, given);
    if (error)
        return host_fail(host, error);

    error = open_checked(out, host, &options, place);
    if (error)
        message_copy(options.error, options.error_bytes, error_message());
    return host_fail(host, error);
}

void session_close_claimed(snug_session *session)
{
    snug_host *host = session->host;
    snug_session *front = session->front;

    park_leave(session);
    session_discard(session);
    if (front) { /* its thread has ended, or goes on without anybody */
        host_adopt_orphan(host, front);
        host_reap(host);
    }
    count_session(host, -1);
}

int snug_session_close(snug_session *session)
{
    if (!session || !forked_is_process(session->host->process))
        return SNUG_OK;
    int error = session_claim_to_end(&session, "snug_session_close", 0);
    if (error)
        return session_fail(session, error);
    session_close_claimed(session);
    return SNUG_OK;
}

int snug_session_close_within(snug_session *session, uint64_t ms)
{
    if (!session || !forked_is_process(session->host->process))
        return SNUG_OK;
    uint64_t patience_ns = ms == 0 ? session->host->patience_ns : 0;
    int error = session_claim_to_end(&session, "snug_session_close_within", patience_ns);
    if (error)
        return session_fail(session, error);

    session->closing_ms = ms > 0 ? ms : 1;
    session_close_claimed(session);
    return SNUG_OK;
}

int snug_session_reset(snug_session *session)
{
    int error = session_claim(&session, "snug_session_reset");
    if (error)
        return session_fail(session, error);
    error = session->form->renew(&session);
    return session_return(session, error);
}
