#include "session/life/open_session.h"

#include <malloc.h>
#include <string.h>

#include "base/error.h"
#include "base/forked.h"
#include "base/options.h"
#include "base/utf8.h"
#include "limits/limits.h"
#include "session/core/claim.h"
#include "session/core/park.h"
#include "session/core/session.h"
#include "session/life/make.h"
#include "session/life/orphans.h"

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
