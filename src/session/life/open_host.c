#include "session/life/open_host.h"

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
#include "policy/allowlist.h"
#include "session/core/session.h"
#include "session/files/workdir.h"
#include "session/life/engine.h"
#include "session/life/process_seal.h"
#include "session/life/task.h"
#include "wire/json.h"

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
    free(host->report_json);
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

/* A line, "key: value", as a member. */
static int add_line(cJSON *root, char *line)
{
    char *colon = strstr(line, ": ");
    if (!colon)
        return SNUG_OK;
    *colon = '\0';
    return json_add_text(root, line, colon + strlen(": "));
}

static char *encode_report(const char *report)
{
    char *saved = NULL, *json = NULL, *lines = strdup(report);
    cJSON *root = cJSON_CreateObject();
    int error = SNUG_ENOMEM;

    if (lines && root)
        error = json_add_text(root, "schema", "snug.report/1");
    for (char *line = error ? NULL : strtok_r(lines, "\n", &saved); line && !error;
         line = strtok_r(NULL, "\n", &saved))
        error = add_line(root, line);
    if (!error)
        json = json_text(root);

    cJSON_Delete(root);
    free(lines);
    return json;
}

const char *snug_host_report_json(const snug_host *given, size_t *len)
{
    snug_host *host = (snug_host *)(uintptr_t)given;
    const char *json = NULL;

    if (forked_is_process(host->process)) {
        pthread_mutex_lock(&host->lock);
        if (!host->report_json)
            host->report_json = encode_report(host->report);
        json = host->report_json;
        pthread_mutex_unlock(&host->lock);
    }

    if (len)
        *len = json ? strlen(json) : 0;
    return json;
}
