/* What becomes of a worker whose sessions are lost, and of what went on in it. */
#include "../pace.h"
#include "../unit/test.h"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <snug/snug.h>
#include <snug/task.h>

#include "moment.h"
#include "running.h"

/* Its hash is a call in C that neither allocates nor polls, and takes ages. A tuple keeps its own
 * since 3.14; a slice has one since 3.12. */
#define NEST                                                  \
    "def nest():\n"                                           \
    "    t = ()\n"                                            \
    "    for _ in range(100):\n"                              \
    "        t = slice(t, t) if slice.__hash__ else (t, t)\n" \
    "    return t\n"
#define ENDLESS NEST "hash(nest())"

enum { WALL_MS = 100, SOON_MS = 600000 };

static snug_host *host;

static snug_host *open_host(size_t pool_sessions)
{
    snug_host *opened = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    /* A busy machine lets the ladder of a worker, or who has 3.11's GIL, stand still for longer
     * than its host would wait. */
    options.worker_grace_ms = 60000;
    options.patience_ms = 60000;
    options.pool_sessions = pool_sessions;
    if (snug_host_open(&opened, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return opened;
}

static int set_up(void **state)
{
    host = open_host(0);
    return 0;
}

static int tear_down(void **state)
{
    return snug_host_close(host);
}

static snug_session *open_in(snug_host *where, snug_kind kind, const char *workdir)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.kind = kind;
    options.profile = "data";
    options.workdir = workdir;
    if (snug_session_open(&session, where, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static snug_session *open_session(snug_kind kind)
{
    return open_in(host, kind, NULL);
}

static void expect(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        fail_msg("%s\nis %s, not %s\n%s", source, snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                 value, snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snug_result_free(result);
}

static snug_result *expect_loss(snug_session *session, const char *source)
{
    snug_result *result = run(session, source, WALL_MS);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    return result;
}

static void lose(snug_session *session)
{
    snug_result_free(expect_loss(session, ENDLESS));
}

static void reset(snug_session *session)
{
    if (snug_session_reset(session) != SNUG_OK)
        fail_msg("%s", snug_error_message());
}

/* ---- the process, by a descriptor that no other one gets ---- */

static int watch(const snug_session *session)
{
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)snug_session_process(session), 0);
    assert_true(fd >= 0);
    return fd;
}

static int has_ended(int process, int within_ms)
{
    struct pollfd end = { .fd = process, .events = POLLIN };
    return poll(&end, 1, within_ms) == 1;
}

static void expect_end(int process)
{
    assert_true(has_ended(process, SOON_MS));
    close(process);
}

/* ---- one session ---- */

TEST(a_full_session_that_is_lost_ends_its_worker)
{
    snug_session *session = open_session(SNUG_KIND_FULL);
    int process = watch(session);
    expect(session, "open('kept', 'w').write('before')", "6");
    snug_result *result = expect_loss(session, ENDLESS);
    expect_end(process);
    assert_int_equal(snug_session_process(session), 0);
    assert_non_null(strstr(snug_result_error_hint(result), "What it was doing was ended."));
    snug_result_free(result);
    snug_result *none = NULL;
    assert_int_equal(snug_session_run(&none, session, "1", 1, NULL), SNUG_EDEAD);
    reset(session);
    assert_true(snug_session_process(session) > 0);
    expect(session, "open('kept').read()", "'before'");
    snug_session_close(session);
}

TEST(a_plain_session_that_is_lost_alone_ends_its_worker)
{
    char folder[] = "/tmp/snug-lost-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    const char *const places[] = { NULL, folder };
    for (size_t i = 0; i < 2; i++) {
        snug_session *session = open_in(host, SNUG_KIND_RESTRICTED, places[i]);
        int process = watch(session);
        expect(session, "open('kept', 'w').write('before')", "6");
        lose(session);
        expect_end(process);
        reset(session);
        expect(session, "open('kept').read()", "'before'");
        snug_session_close(session);
    }
    snprintf(path, sizeof path, "%s/kept", folder);
    assert_int_equal(unlink(path) || rmdir(folder), 0);
}

/* Asks for names run the session's code too. */
TEST(a_session_that_is_lost_outside_of_a_cell_ends_its_worker)
{
    static const snug_kind kinds[] = { SNUG_KIND_FULL, SNUG_KIND_RESTRICTED };
    static const char shown[] = NEST "class Endless:\n"
                                     "    def __getstate__(self): hash(nest())\n"
                                     "endless = Endless()";
    for (size_t i = 0; i < 2; i++) {
        snug_saved *saved = NULL;
        snug_session *session = NULL;
        snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
        snug_limits limits = SNUG_LIMITS_INIT;
        options.kind = kinds[i];
        options.limits = &limits;
        limits.wall_ms = 500;
        assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
        int process = watch(session);
        expect(session, shown, "");
        int error = snug_session_save(&saved, session, "/tmp/snug-lost-test.snug");
        if (error == SNUG_EINVAL) { /* full sessions are not saved */
            close(process);
            snug_session_close(session);
            continue;
        }
        assert_int_equal(error, SNUG_EDEAD);
        expect_end(process);
        reset(session);
        expect(session, "6 * 7", "42");
        snug_session_close(session);
    }
}

/* The code that a reset ends is the session's last, and may not let itself be ended. */
TEST(a_reset_that_loses_the_session_is_made_in_another_worker)
{
    static const snug_kind kinds[] = { SNUG_KIND_FULL, SNUG_KIND_RESTRICTED };
    for (size_t i = 0; i < 2; i++) {
        snug_session *session = NULL;
        snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
        snug_limits limits = SNUG_LIMITS_INIT;
        options.kind = kinds[i];
        options.limits = &limits;
        limits.wall_ms = WALL_MS;
        assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
        expect(session,
               NEST "class Endless:\n"
                    "    def __del__(self, hash=hash, t=nest()): hash(t)\n"
                    "endless = Endless()",
               "");
        reset(session);
        expect(session, "6 * 7", "42");
        snug_session_close(session);
    }
}

/* ---- several ---- */

TEST(a_worker_goes_on_for_its_other_sessions)
{
    snug_session *lost = open_session(SNUG_KIND_RESTRICTED),
                 *other = open_session(SNUG_KIND_RESTRICTED);
    int process = watch(other);
    assert_int_equal(snug_session_process(lost), snug_session_process(other));
    expect(other, "x = 42", "");
    lose(lost);
    expect(other, "x", "42");
    reset(lost);
    expect(lost, "y = 43", "");
    lose(other);
    expect(lost, "y", "43");
    assert_false(has_ended(process, 0));
    lose(lost);
    expect_end(process);
    reset(lost);
    reset(other);
    expect(lost, "6 * 7", "42");
    expect(other, "6 * 7", "42");
    snug_session_close(lost);
    snug_session_close(other);
}

TEST(a_worker_ends_when_nobody_lives_beside_what_was_lost)
{
    snug_session *lost = open_session(SNUG_KIND_RESTRICTED),
                 *other = open_session(SNUG_KIND_RESTRICTED);
    int process = watch(other);
    lose(lost);
    snug_session_close(lost);
    expect(other, "6 * 7", "42");
    assert_false(has_ended(process, 0));
    snug_session_close(other);
    expect_end(process);
}

/* A worker may be ended while others are about to open a session there. */
enum { THREADS = 4, ROUNDS = 3, ROUNDS_OF_ALL = 6 };

typedef struct opener {
    pthread_t thread;
    char why[256]; /* it went wrong; a test fails on its own thread */
} opener;

/* An endless cell that waits for 3.11's GIL behind another one is ended without a loss. */
static int is_run(opener *o, snug_session *session, const char *source, snug_status status)
{
    snug_result *result = NULL;
    const snug_limits limits = { .size = sizeof(snug_limits),
                                 .wall_ms = status == SNUG_STATUS_TIMEOUT ? WALL_MS : 0 };
    int error = snug_session_run(&result, session, source, strlen(source), &limits);
    int is_right = !error && snug_result_status(result) == status;
    if (!is_right)
        snprintf(o->why, sizeof o->why, "%s: %s", source,
                 error ? snug_error_message() : snug_result_error_value(result));
    snug_result_free(result);
    return is_right;
}

static void *open_and_lose(void *arg)
{
    opener *o = arg;
    const int rounds = getenv("SNUG_WHOLE") ? ROUNDS_OF_ALL : ROUNDS; /* scripts/test --long */
    for (int i = 0; i < rounds && !o->why[0]; i++) {
        snug_session *session = NULL;
        int is_right = snug_session_open(&session, host, NULL) == SNUG_OK;
        if (!is_right)
            snprintf(o->why, sizeof o->why, "open: %s", snug_error_message());
        is_right = is_right && is_run(o, session, "6 * 7", SNUG_STATUS_OK) &&
                   is_run(o, session, ENDLESS, SNUG_STATUS_TIMEOUT);
        if (is_right && i % 2 && snug_session_reset(session) != SNUG_OK)
            snprintf(o->why, sizeof o->why, "reset: %s", snug_error_message());
        else if (is_right && i % 2)
            is_run(o, session, "6 * 7", SNUG_STATUS_OK);
        snug_session_close(session);
    }
    return NULL;
}

TEST(sessions_are_opened_while_others_are_lost)
{
    opener openers[THREADS] = { 0 };
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&openers[i].thread, NULL, open_and_lose, &openers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(openers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_string_equal(openers[i].why, "");
}

int main(void)
{
    return run_all_tests(set_up, tear_down);
}
