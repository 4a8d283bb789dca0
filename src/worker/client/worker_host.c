/*
 * worker_host.c - a host whose sessions live in workers.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/tree.h"
#include "session/core/pool.h"
#include "session/files/workdir.h"
#include "session/life/make.h"
#include "session/result/result.h"
#include "worker/client/client.h"

/* Python starts in some 20 ms, and on a loaded machine over a network later. */
enum { GRACE_MS = 5000, START_MS = 60000 };

static int are_copied(char ***out, const char *const *texts)
{
    size_t count = 0;

    while (texts && texts[count])
        count++;
    *out = NULL;
    if (count == 0)
        return 1;

    *out = calloc(count + 1, sizeof **out);
    for (size_t i = 0; *out && i < count; i++)
        if (!remote_is_copied(&(*out)[i], texts[i]))
            return 0;

    return *out != NULL;
}

/* ---- the host ---- */

/* Who names packages wants full sessions. */
static int expect_full(snug_host *host)
{
    worker_need need;
    const snug_limits limits = session_default_limits();
    const snug_limits *in_memory = NULL;

    if (!host->remote->command && remote_fits_memory(&limits))
        in_memory = &limits;
    int error = remote_set_need(&need, SNUG_KIND_FULL, NULL, NULL, 0, in_memory);
    if (!error)
        error = remote_expect(host, &need);
    remote_free_need(&need);
    return error;
}

/* Its texts. Without a path or a command the worker is looked for. */
static int copy_options(remote_host *r, const char *allowlist_dir, const snug_host_options *options)
{
    char found[PATH_MAX];
    int is_here = options->worker_command == NULL;
    const char *path = options->worker_path;

    if (!path && is_here) {
        int error = launch_find(found, sizeof found);
        if (error)
            return error;
        path = found;
    }

    if (!remote_is_whole(&r->path, path, 1) ||
        !remote_is_copied(&r->command, options->worker_command) ||
        !remote_is_whole(&r->python_home, options->python_home, is_here) ||
        !remote_is_whole(&r->allowlist_dir, allowlist_dir, is_here) ||
        !are_copied(&r->preload, options->preload))
        return error_no_memory();

    return SNUG_OK;
}

static int open_remote_host(snug_host *host, const snug_host_options *options)
{
    worker_link *l;
    remote_host *r = host->remote = calloc(1, sizeof *r);
    if (!r)
        return error_no_memory();

    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->starting, NULL);
    r->grace_ms = options->worker_grace_ms ? options->worker_grace_ms : GRACE_MS;
    r->start_ms = options->worker_start_ms ? options->worker_start_ms : START_MS;
    r->is_stopped = options->is_stopped;
    r->payload = options->payload;
    r->pool_sessions = options->pool_sessions;
    r->pool_idle_ms = options->pool_idle_ms;
    r->awake_sessions = options->awake_sessions;
    r->fixed = host->fixed;
    int error = copy_options(r, host->allowlist_dir, options);

    if (!error)
        error = remote_check_path(r->python_home);
    if (!error)
        error = remote_check_path(r->allowlist_dir);
    if (!error)
        error = remote_link(&l, host, NULL);
    if (error)
        return error;

    link_drop(l);
    if (r->preload && r->pool_sessions > 0 && !r->command)
        return expect_full(host);
    return SNUG_OK;
}

static int close_remote_host(snug_host *host)
{
    remote_host *r = host->remote;
    if (!r)
        return 0;

    post_close(r->post);
    pool_close(r->spares);
    link_drop(r->link);
    zygote_drop(r->zygote);
    zygote_drop(r->full_zygote);
    for (size_t i = 0; r->preload && r->preload[i]; i++)
        free(r->preload[i]);
    free(r->preload);
    remote_free_need(&r->spare_need);
    pthread_mutex_destroy(&r->starting);
    pthread_mutex_destroy(&r->lock);
    free(r->path);
    free(r->command);
    free(r->python_home);
    free(r->allowlist_dir);
    free(r);
    return 0;
}

/* ---- profiles ---- */

static int copy_profile(char **out, snug_host *host, const char *profile)
{
    str folder = { 0 }, path = { 0 };
    int error = workdir_open_host(host, NULL); /* somebody may have cleaned TMPDIR */

    if (error)
        return error;

    unsigned number = atomic_fetch_add(&host->remote->profiles, 1);
    if (str_printf(&folder, "%s/profile-%u", host->workdirs, number) != SNUG_OK ||
        str_printf(&path, "%s%s", folder.data, strrchr(profile, '/')) != SNUG_OK) {
        error = error_no_memory();
        goto done;
    }

    error = host_copy_profile(host, profile, folder.data);
    if (error)
        tree_remove(folder.data);
    else
        *out = str_take(&path);

done:
    str_free(&path);
    str_free(&folder);
    return error;
}

int remote_hand_profile(char **out, snug_host *host, const char *profile)
{
    if (profile && strchr(profile, '/') && !host->remote->command)
        return copy_profile(out, host, profile);
    if (!remote_is_copied(out, profile))
        return error_no_memory();
    return SNUG_OK;
}

void remote_drop_profile(const snug_host *host, char *profile)
{
    if (profile && strchr(profile, '/') && !host->remote->command) {
        *strrchr(profile, '/') = '\0';
        tree_remove(profile);
    }
    free(profile);
}

/* Where the worker is at fault, the error says what became of it. */
static int explain_scan(worker_link *l, int error)
{
    str why = { 0 };

    link_explain(l, &why);
    if (why.len > 0)
        error = error_set(SNUG_ESYSTEM, "the source was not judged: %s", why.data);
    str_free(&why);
    return error;
}

enum { SCAN_MS = 5000 };

static int scan_source(snug_scan **out, snug_host *host, const char *source, size_t len,
                       const snug_scan_options *options)
{
    worker_link *l;
    char *profile = NULL;
    uint64_t wall_ms = options->wall_ms ? options->wall_ms : SCAN_MS;
    int error = remote_hand_profile(&profile, host, options->profile);

    if (!error)
        error = remote_link(&l, host, NULL);
    if (error) {
        remote_drop_profile(host, profile);
        return error;
    }

    remote_question q = { .kind = FRAME_SCAN,
                          .deadline_ns = remote_deadline_ns(host, wall_ms),
                          .most_bytes = 4 * (uint64_t)len }; /* findings quote the source */
    pack_text(&q.body, profile);
    pack_list(&q.body, options->allow);
    pack_number(&q.body, options->max_source_bytes);
    pack_number(&q.body, options->wall_ms);
    pack_list(&q.body, options->forbid);
    pack_list(&q.body, options->tools);
    pack_number(&q.body, options->kind == SNUG_KIND_BASH);
    pack_bytes(&q.body, source ? source : "", len);
    error = remote_ask_host(l, atomic_fetch_add(&host->remote->channels, 1) + 1, &q);
    if (!error) {
        error = scan_unpack(out, &q.answer);
        remote_answered(&q);
        if (error == SNUG_EINVAL)
            link_kill(l, LINK_LIED);
    }

    if (error == SNUG_EDEAD || error == SNUG_EINVAL)
        error = explain_scan(l, error);

    link_drop(l);
    remote_drop_profile(host, profile);
    return error;
}

/* Of the worker that sessions share; one that does not answer is not ill but dead, and has no
 * spares. */
static void ask_health(const snug_host *host, snug_health *facts, snug_pool *spares)
{
    remote_host *r = host->remote;
    remote_question q = { .kind = FRAME_HEALTH, .deadline_ns = remote_deadline_ns(host, 0) };
    worker_link *l = NULL;

    pthread_mutex_lock(&r->lock);
    if (r->link && link_state(r->link) == LINK_LIVES)
        l = link_hold(r->link);
    pthread_mutex_unlock(&r->lock);
    if (l && remote_ask_host(l, atomic_fetch_add(&r->channels, 1) + 1, &q) == SNUG_OK) {
        facts->hung_threads = unpack_number(&q.answer);
        facts->torn_locks = unpack_number(&q.answer);
        pool_unpack(&q.answer, spares);
        remote_answered(&q);
    }

    link_drop(l);
}

static snug_health worker_health(const snug_host *host)
{
    snug_health facts = { 0 };
    snug_pool spares = { 0 };
    ask_health(host, &facts, &spares);
    return facts;
}

static void add_pool(snug_pool *sum, const snug_pool *more)
{
    sum->wanted += more->wanted;
    sum->ready += more->ready;
    sum->ready_half += more->ready_half;
    sum->hits += more->hits;
    sum->half_warm += more->half_warm;
    sum->misses += more->misses;
    sum->given_back += more->given_back;
}

/* A spare worker has an interpreter that gets its rules at the open. */
static snug_pool tell_workers(remote_host *r)
{
    pthread_mutex_lock(&r->starting);
    pool *p = r->spares;
    pthread_mutex_unlock(&r->starting);
    snug_pool told = pool_tell(p);
    told.ready_half = told.ready;
    told.half_warm = told.hits;
    told.hits = 0;
    return told;
}

static snug_pool worker_pool(const snug_host *host)
{
    snug_health facts = { 0 };
    snug_pool spares = { .wanted = host->remote->pool_sessions };
    if (spares.wanted == 0)
        return spares;

    ask_health(host, &facts, &spares);
    const snug_pool workers = tell_workers(host->remote);
    add_pool(&spares, &workers);
    return spares;
}

const host_form remote_form = {
    .name = SNUG_FORM_WORKER,
    .sessions = &remote_sessions,
    .open = open_remote_host,
    .close = close_remote_host,
    .open_session = session_open_new,
    .scan = scan_source,
    .health = worker_health,
    .pool = worker_pool,
};
