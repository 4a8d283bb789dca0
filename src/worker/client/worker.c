/*
 * worker.c - the workers of a host: one that sessions share, started with the host, and again for
 * the next session that is opened or reset after it has died; one each for sessions that want
 * folders or packages; and some of these ahead, of a pool.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/cgroup.h"
#include "base/u64.h"
#include "base/utf8.h"
#include "session/core/pool.h"
#include "session/files/workdir.h"
#include "worker/client/client.h"
#include "worker/client/launch.h"

/* Of a spare session that nobody has opened yet. */
#define SPARE_BYTES (UINT64_C(16) << 20)

/* ---- what it is for ---- */

int remote_is_copied(char **out, const char *text)
{
    *out = NULL;
    if (!text)
        return 1;
    *out = strdup(text);
    return *out != NULL;
}

/* A session that may have more has its files on the disk. */
#define MOST_IN_MEMORY (UINT64_C(1) << 30)

int remote_fits_memory(const snug_limits *limits)
{
    return limits->disk_bytes <= MOST_IN_MEMORY && limits->disk_files <= MOST_IN_MEMORY / 4096;
}

void remote_pack_need(packer *p, snug_kind kind, const char *packages, const session_mount *folders,
                      size_t count, const snug_limits *in_memory)
{
    pack_number(p, (uint64_t)kind);
    pack_text(p, packages);
    pack_number(p, count);
    for (size_t i = 0; i < count; i++) {
        pack_text(p, folders[i].path);
        pack_number(p, folders[i].access == PATH_WRITE);
    }

    pack_number(p, in_memory ? in_memory->disk_bytes : 0);
    pack_number(p, in_memory ? in_memory->disk_files : 0);
}

int remote_check_path(const char *path)
{
    size_t fault;
    if (!path || utf8_check(path, strlen(path), &fault) == UTF8_FINE)
        return SNUG_OK;
    return error_set(SNUG_EINVAL, "%s: a path for a worker must be UTF-8", path);
}

int remote_set_need(worker_need *out, snug_kind kind, const char *packages,
                    const session_mount *folders, size_t count, const snug_limits *in_memory)
{
    packer p = { 0 };

    *out =
        (worker_need){ .is_own = 1, .is_full = kind == SNUG_KIND_FULL, .has_folders = count > 0 };
    remote_pack_need(&p, kind, packages, folders, count, in_memory);
    out->has_memory = in_memory != NULL;
    out->hello = p.text;
    int error = remote_check_path(packages);
    for (size_t i = 0; i < count && !error; i++)
        error = remote_check_path(folders[i].path);
    if (error)
        return error;
    if (p.is_short || !remote_is_copied(&out->packages, packages))
        return error_no_memory();
    return SNUG_OK;
}

void remote_free_need(worker_need *need)
{
    free(need->packages);
    str_free(&need->hello);
}

int remote_is_whole(char **out, const char *path, int is_here)
{
    str whole = { 0 };
    char *here = NULL;

    if (path && is_here && *path != '/')
        here = getcwd(NULL, 0);
    if (!here)
        return remote_is_copied(out, path);

    *out = NULL;
    if (str_printf(&whole, "%s/%s", here, path) == SNUG_OK)
        *out = str_take(&whole);
    free(here);
    str_free(&whole);
    return *out != NULL;
}

/* ---- starting one ---- */

int remote_refuse_worker(worker_link *l, const char *name, int error)
{
    char why[ERROR_MESSAGE_BYTES];
    str story = { 0 }, words = { 0 };

    snprintf(why, sizeof why, "%s", error_message());
    link_kill(l, LINK_ENDED);
    link_last_words(l, &words);
    link_explain(l, &story);
    if (error != SNUG_EDEAD)
        error_set(error, "%s: %s", name, why);
    else
        error = error_set(SNUG_ESYSTEM, "%s did not start: %s%s%s", name, str_text(&story),
                          words.len > 0 ? ": " : "", str_text(&words));

    str_free(&words);
    str_free(&story);
    return error;
}

/* What the worker says of itself, and what this process can do for it. */
static int keep_report(snug_host *host, worker_link *l, const char *report)
{
    str text = { 0 };
    int error = str_printf(&text, "%scgroup: ", report);

    if (!error && host->remote->command)
        error = str_add(&text, "none: the command brings its own, or has none");
    else if (!error)
        error = cgroup_report(&text);

    if (!error)
        error = str_add(&text, "\n");
    if (!error)
        error = link_tell_bounds(l, &text);
    if (!error)
        host->report = str_take(&text);

    str_free(&text);
    if (!host->report)
        return error_no_memory();
    return SNUG_OK;
}

/* A worker of one session makes no spares, but may be one. */
static int greet_worker(worker_link *l, snug_host *host, const worker_need *need, int is_spare)
{
    remote_host *r = host->remote;
    const char *name = r->command ? r->command : "snug-worker";
    remote_question q = { .kind = FRAME_HELLO,
                          .deadline_ns = clock_deadline_ns(clock_now_ns(), r->start_ms),
                          .waiting = is_spare ? NULL : r };

    pack_text(&q.body, FRAME_PROTOCOL);
    pack_text(&q.body, r->python_home);
    pack_text(&q.body, r->allowlist_dir);
    pack_number(&q.body, need ? (uint64_t)is_spare : r->pool_sessions);
    pack_number(&q.body, r->pool_idle_ms);
    pack_number(&q.body, r->awake_sessions);
    pack_number(&q.body, host->patience_ns / NS_PER_MS);
    pack_text(&q.body, *r->fixed.zone ? r->fixed.zone : NULL);
    pack_number(&q.body, r->fixed.hash_seed);
    pack_text(&q.body, r->command ? NULL : host->workdirs);
    if (need)
        q.body.is_short |= str_append(&q.body.text, need->hello.data, need->hello.len) != 0;
    else
        remote_pack_need(&q.body, SNUG_KIND_RESTRICTED, NULL, NULL, 0, NULL);

    pack_text(&q.body, link_bounds_place(l));
    int error = remote_ask_host(l, 0, &q);
    if (error)
        return remote_refuse_worker(l, name, error);

    const char *report = unpack_name(&q.answer);
    link_begin_bounds(l);
    if (!unpack_ended(&q.answer))
        error = remote_refuse_worker(l, name, SNUG_EDEAD);
    else if (!host->report)
        error = keep_report(host, l, report);

    remote_answered(&q);
    return error;
}

/* The host's, or another in its place: one that has died is replaced. The caller holds it. */
static int hold_zygote(zygote **out, remote_host *r, const worker_need *need,
                       const zygote_patience *patience)
{
    int is_full = need && need->is_full;
    zygote **own = is_full ? &r->full_zygote : &r->zygote;
    zygote_wish wish = {
        .path = r->path, .python_home = r->python_home, .fixed = &r->fixed, .is_full = is_full
    };

    if (is_full) {
        wish.packages = need->packages;
        wish.preload = (const char *const *)r->preload;
    }

    int error = zygote_hold(out, &wish, patience);
    if (error)
        return error;

    zygote_keep(*out);
    pthread_mutex_lock(&r->starting);
    zygote *before = *own;
    *own = *out;
    pthread_mutex_unlock(&r->starting);
    zygote_drop(before);
    return SNUG_OK;
}

static int fork_or_launch(worker_process *out, remote_host *r, const worker_need *need,
                          const zygote_patience *patience)
{
    if (r->command)
        return launch_command(out, r->command);
    for (int tries = 0; tries < 2; tries++) {
        zygote *z;
        int error = hold_zygote(&z, r, need, patience);
        if (error)
            return error;
        error = zygote_fork(out, z);
        zygote_drop(z);
        if (!error)
            return SNUG_OK;
    }

    return launch_worker(out, r->path, r->fixed.zone);
}

/* Finds the host's folder of work directories. A worker can use only the one that was there when it
 * started. */
static int look_for_folder(uint64_t *number, snug_host *host)
{
    int error = SNUG_OK;

    *number = 0;
    if (!host->remote->command)
        error = workdir_open_host(host, number);
    atomic_store(&host->remote->folder, *number);
    if (error)
        return error;
    return remote_check_path(host->workdirs);
}

/* folder: the number of that of its work directories. */
static int start_worker(worker_link **out, uint64_t *folder, snug_host *host,
                        const worker_need *need, int is_spare)
{
    remote_host *r = host->remote;
    const zygote_patience patience = { is_spare ? NULL : r->is_stopped, r->payload };
    worker_process process;
    worker_link *l;
    int error = look_for_folder(folder, host);

    if (!error)
        error = fork_or_launch(&process, r, need, &patience);
    if (error)
        return error;

    uint64_t silent_ms = r->grace_ms < SNUG_UNLIMITED / 2 ? 2 * r->grace_ms : SNUG_UNLIMITED;
    process.bounds = NULL;
    if (!r->command)
        process.bounds = bounds_open();
    error = link_open(&l, &process, silent_ms);
    if (error)
        return error;

    error = greet_worker(l, host, need, is_spare);
    if (error) {
        link_drop(l);
        return error;
    }

    if (!need)
        link_allow(l, &(bounds_share){ .memory_bytes = r->pool_sessions * SPARE_BYTES,
                                       .threads = r->pool_sessions });

    *out = l;
    return SNUG_OK;
}

/* ---- spares ---- */

typedef struct spare_worker {
    pool_item item;
    worker_link *link;
    remote_host *host;
    unsigned generation;
    uint64_t folder;
} spare_worker;

/* A copy of what the next spare is for. */
static int copy_need(worker_need *out, unsigned *generation, remote_host *r)
{
    const worker_need *kept = &r->spare_need;

    pthread_mutex_lock(&r->starting);
    *generation = atomic_load(&r->spare_generation);
    *out = (worker_need){ .is_own = 1, .is_full = kept->is_full };
    int failed = !remote_is_copied(&out->packages, kept->packages) ||
                 str_append(&out->hello, kept->hello.data, kept->hello.len) != 0;
    pthread_mutex_unlock(&r->starting);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

static int start_spare(spare_worker *spare, snug_host *host)
{
    worker_need need;
    int error = copy_need(&need, &spare->generation, host->remote);

    if (!error)
        error = start_worker(&spare->link, &spare->folder, host, &need, 1);
    remote_free_need(&need);
    return error;
}

static int is_spare_wanted(const spare_worker *spare)
{
    return spare->generation == atomic_load(&spare->host->spare_generation);
}

static int make_spare(pool_item **out, void *payload, spare_kind kind)
{
    snug_host *host = payload;

    (void)kind;
    spare_worker *spare = calloc(1, sizeof *spare);
    if (!spare)
        return error_no_memory();

    spare->host = host->remote;
    int error = start_spare(spare, host);
    while (!error && !is_spare_wanted(spare)) {
        link_drop(spare->link);
        error = start_spare(spare, host);
    }

    if (error)
        free(spare);
    else
        *out = &spare->item;
    return error;
}

/* It is for what is wanted now, has nothing to say, its stream has not ended, and nobody has
 * removed its folder. */
static int is_sound_spare(const pool_item *item)
{
    const spare_worker *spare = (const spare_worker *)(const void *)item;
    return is_spare_wanted(spare) && link_is_quiet(spare->link) &&
           spare->folder == atomic_load(&spare->host->folder);
}

static void end_spare(pool_item *item)
{
    spare_worker *spare = (spare_worker *)(void *)item;
    link_drop(spare->link);
    free(spare);
}

static const pool_source workers = { make_spare, is_sound_spare, end_spare };

static int are_alike(const worker_need *a, const worker_need *b)
{
    return a->hello.len == b->hello.len && memcmp(a->hello.data, b->hello.data, a->hello.len) == 0;
}

/* The lock of what is starting is held. */
static int keep_spares_for(snug_host *host, const worker_need *need)
{
    remote_host *r = host->remote;
    worker_need own = { .is_own = 1, .is_full = need->is_full };
    if (!remote_is_copied(&own.packages, need->packages) ||
        str_append(&own.hello, need->hello.data, need->hello.len) != 0) {
        remote_free_need(&own);
        return error_no_memory();
    }

    remote_free_need(&r->spare_need);
    r->spare_need = own;
    r->strangers = 0;
    atomic_fetch_add(&r->spare_generation, 1);
    if (!r->spares)
        return pool_open(&r->spares, &workers, host, r->pool_sessions, r->pool_idle_ms);
    pool_lose_all(r->spares);
    return SNUG_OK;
}

/* After that many opens in a row that wanted another worker than the spares are, the next spares
 * are as that one. */
enum { MOST_STRANGERS = 4 };

int remote_expect(snug_host *host, const worker_need *need)
{
    remote_host *r = host->remote;
    pthread_mutex_lock(&r->starting);
    int error = keep_spares_for(host, need);
    r->strangers = MOST_STRANGERS; /* a guess, until the first is taken */
    pthread_mutex_unlock(&r->starting);
    return error;
}

/* The pool of such workers; NULL: there is none. A worker is greeted with the folders that its
 * cells may use besides the host's work directories: of those with folders none are made ahead. */
static pool *pool_for(snug_host *host, const worker_need *need)
{
    remote_host *r = host->remote;
    if (r->pool_sessions == 0 || r->command || need->has_folders)
        return NULL;

    pthread_mutex_lock(&r->starting);
    if (r->spares && are_alike(need, &r->spare_need))
        r->strangers = 0;
    else if (!r->spares || ++r->strangers > MOST_STRANGERS)
        keep_spares_for(host, need); /* without, workers are started as they are wanted */

    pool *p = are_alike(need, &r->spare_need) ? r->spares : NULL;
    pthread_mutex_unlock(&r->starting);
    return p;
}

static int take_spare(worker_link **out, snug_host *host, const worker_need *need, pool *p)
{
    spare_kind served = SPARE_WHOLE;
    uint64_t folder;
    int error = look_for_folder(&folder, host);
    if (error)
        return error;

    spare_worker *spare = (spare_worker *)(void *)pool_take(p, &served);
    if (spare)
        *out = spare->link;
    else
        error = start_worker(out, &folder, host, need, 0);

    free(spare);
    pool_opened(p, SPARE_WHOLE, served, error != SNUG_OK);
    return error;
}

/* ---- one that lives ---- */

/* The lock of the link is held. */
static int share_worker(worker_link **out, snug_host *host)
{
    remote_host *r = host->remote;
    uint64_t folder;
    int error = look_for_folder(&folder, host);

    if (r->link && (link_state(r->link) != LINK_LIVES || r->link_folder != folder)) {
        link_drop(r->link);
        r->link = NULL;
    }

    if (!error && !r->link)
        error = start_worker(&r->link, &r->link_folder, host, NULL, 0);
    if (!error)
        *out = link_hold(r->link);
    return error;
}

static int get_own_worker(worker_link **out, snug_host *host, const worker_need *need)
{
    uint64_t folder;
    pool *p = pool_for(host, need);

    if (p)
        return take_spare(out, host, need, p);
    return start_worker(out, &folder, host, need, 0);
}

int remote_link(worker_link **out, snug_host *host, const worker_need *need)
{
    if (need && need->is_own)
        return get_own_worker(out, host, need);
    pthread_mutex_lock(&host->remote->lock);
    int error = share_worker(out, host);
    pthread_mutex_unlock(&host->remote->lock);
    return error;
}
