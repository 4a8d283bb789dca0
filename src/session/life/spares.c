#include "session/life/spares.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limits/limits.h"
#include "py/life/runtime.h"
#include "session/core/full.h"
#include "session/core/pool.h"
#include "session/core/session.h"
#include "session/core/start.h"
#include "session/life/make.h"

/* ---- making ---- */

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

int spares_begin(snug_host *host, const snug_host_options *options, const char *packages)
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

void spares_end(snug_host *host)
{
    pool_close(host->pool);
    session_discard(host->full_spare);
    host->pool = NULL;
    host->full_spare = NULL;
}

int spares_are_kept(const snug_host *host)
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

int spares_open_session(snug_session **out, snug_host *host, const snug_session_options *options,
                        const session_place *place)
{
    if (!host->pool)
        return open_full_session(out, host, options, place);
    if (place)
        return session_open_cold(out, host, options, place, 0);
    return open_pooled(out, host, options);
}
