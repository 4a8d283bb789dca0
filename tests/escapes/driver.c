/*
 * driver.c - runs the files of tests/escapes one after the other in one process,
 * each in a session of its own, beside live neighbours, and prints what became of
 * session, host and neighbours. README.md beside it says what the columns mean.
 *
 * The process that is started only supervises: the files run in a child of it. When
 * the child dies or a file takes too long, that file has failed, and another child
 * goes on behind it.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/snug.h>

#include "../counters.h"
#include "../pace.h"
#include "breach.h"
#include "bystander.h"
#include "measure.h"
#include "recipe.h"
#include "settings.h"
#include "tools.h"

enum { WORK_MS = 60000, SETTLE_MS = 60000, MAX_FILES = 2000 };

static struct {
    uint64_t bound_ms, limit_ms, stall_ms, guard_s, restarts, pool, memory_mib;
    unsigned neighbours;
    int is_verbose, is_each, is_direct, is_short, is_gentle, is_exact, is_wide, is_list;
    int is_worker, is_full, is_inline;
    const char *kinds, *profile, *worker;
} option = { .profile = "data",
             .bound_ms = 5000,
             .limit_ms = 300,
             .memory_mib = 200,
             .guard_s = 600,
             .restarts = 20,
             .neighbours = 2 };

/* What became of a file; crosses the pipe to the supervisor as it is. */
typedef struct record {
    int index; /* of the file; < 0: the child has begun with file -1 - index */
    int is_skipped;
    int is_contained; /* the calls returned and the host went on */
    int is_alive;     /* a new session opened and ran a cell */
    int is_in_time;
    int is_as_expected;
    int is_mended; /* not as without the distribution's fix */
    int runs;      /* until it was as expected */
    int is_higher; /* rung 2 where 1 was expected: kept all the same, and a matter of time */
    int is_lost;
    int has_reached_host, has_reached_neighbour, is_known;
    int has_ended_worker; /* with all sessions of its host */
    int rung;             /* 0 without one */
    int64_t late_ns;      /* the return, past the limit, less the machine's lateness */
    int64_t stall_ns;     /* of a neighbour, less the machine's */
    int64_t rss_kib;
    uint64_t wall_ns;
    char got[200]; /* "timeout, lost, rung 3" */
    char why[500]; /* the first thing that was wrong; empty: nothing */
} record;

static recipe files[MAX_FILES];
static record records[MAX_FILES];
static size_t file_count, left_out;
static char python[16];

/* ---- one file ---- */

typedef struct attempt {
    const recipe *file;
    record *out;
    snug_host *host;
    snug_session *session;
    bystanders *others;
    breach *breach; /* NULL: the file is of another kind */
    uint64_t limit_ms;
    unsigned got; /* one EXPECT_ bit */
    int is_empty; /* a restore was ended, or was of another session: the names are gone */
} attempt;

__attribute__((format(printf, 2, 3))) static void wrong(attempt *a, const char *format, ...)
{
    va_list args;
    if (a->out->why[0])
        return;
    va_start(args, format);
    vsnprintf(a->out->why, sizeof a->out->why, format, args);
    va_end(args);
}

/* What is worse than anything that was wrong before it. */
__attribute__((format(printf, 2, 3))) static void wrong_first(attempt *a, const char *format, ...)
{
    char before[sizeof a->out->why];
    va_list args;
    memcpy(before, a->out->why, sizeof before);
    va_start(args, format);
    int len = vsnprintf(a->out->why, sizeof a->out->why, format, args);
    va_end(args);
    if (before[0] && (size_t)len < sizeof a->out->why)
        snprintf(a->out->why + len, sizeof a->out->why - (size_t)len, "; %.400s", before);
}

static unsigned timeout_bit(const snug_result *result)
{
    switch (snug_result_rung(result)) {
    case 1:
        return EXPECT_RUNG_1;
    case 2:
        return EXPECT_RUNG_2;
    case 3:
        return EXPECT_RUNG_3;
    case 4:
        return EXPECT_RUNG_4;
    }
    return 0; /* stopped by none */
}

static unsigned outcome_bit(const snug_result *result)
{
    const char *name = snug_result_error_name(result);
    switch (snug_result_status(result)) {
    case SNUG_STATUS_OK:
        return EXPECT_OK;
    case SNUG_STATUS_ERROR:
        return strcmp(name, "RecursionError") == 0 ? EXPECT_RECURSION
               : strcmp(name, "MemoryError") == 0  ? EXPECT_MEMORY
                                                   : EXPECT_ERROR;
    case SNUG_STATUS_DENIED:
        return EXPECT_DENIED;
    case SNUG_STATUS_MEMORY:
        return EXPECT_MEMORY;
    case SNUG_STATUS_CRASHED:
        return EXPECT_CRASH;
    case SNUG_STATUS_TIMEOUT:
    case SNUG_STATUS_INTERRUPTED:
    case SNUG_STATUS_STALLED:
        return timeout_bit(result);
    }
    return 0;
}

static void describe(char *out, size_t size, const snug_result *result)
{
    char rung[24] = "", error[160] = "";
    const char *name = snug_result_error_name(result);
    if (snug_result_rung(result) > 0)
        snprintf(rung, sizeof rung, ", rung %d", snug_result_rung(result));
    if (*name)
        snprintf(error, sizeof error, " (%.40s: %.100s)", name, snug_result_error_value(result));
    snprintf(out, size, "%s%s, %s%s", snug_status_name(snug_result_status(result)), error,
             snug_state_name(snug_result_state(result)), rung);
}

static snug_result *run(attempt *a, const char *source, const snug_limits *limits)
{
    snug_result *result = NULL;
    if (snug_session_run(&result, a->session, source, strlen(source), limits))
        return NULL;
    if (a->breach)
        breach_read(a->breach, result);
    return result;
}

static void check_consistency(attempt *a, const snug_result *result)
{
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    if (!is_lost &&
        (snug_result_rung(result) >= 3 || snug_result_status(result) == SNUG_STATUS_CRASHED))
        wrong(a, "the state is said to be kept after %s", a->out->got);
    if (is_lost && (snug_result_rung(result) == 1 || snug_result_rung(result) == 2))
        wrong(a, "the state is said to be lost after %s", a->out->got);
}

/* On a machine that others use, the ladder may come too late for a lower rung. */
static int is_late_rung(const attempt *a)
{
    return option.is_wide && (a->got & EXPECT_RUNGS) && (a->file->expect & EXPECT_RUNGS);
}

static void judge(attempt *a, const snug_result *result)
{
    record *out = a->out;
    describe(out->got, sizeof out->got, result);
    out->rung = snug_result_rung(result);
    out->is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    a->got = outcome_bit(result);
    out->is_higher = a->got == EXPECT_RUNG_2 && !(a->file->expect & EXPECT_RUNG_2) &&
                     (a->file->expect & EXPECT_RUNG_1);
    out->is_as_expected =
        (a->got & a->file->expect) || (out->is_higher && !option.is_exact) || is_late_rung(a);
    out->is_mended = !out->is_as_expected && (a->got & a->file->mended);
    out->is_as_expected |= out->is_mended;
    if (option.is_full) {
        out->is_as_expected = 1;
        return;
    }
    if (!out->is_as_expected)
        wrong(a, "not as expected");
    check_consistency(a, result);
    if (out->is_lost && a->file->state == RECIPE_KEPT && !is_late_rung(a)) {
        out->is_as_expected = 0;
        wrong(a, "the state is lost");
    }
}

/* ---- the ways to set it off ---- */

typedef struct later_interrupt {
    snug_session *session;
    uint64_t ms;
} later_interrupt;

static void *interrupt_later(void *arg)
{
    later_interrupt *later = arg;
    measure_sleep_ns(later->ms * NS_PER_MS);
    snug_session_interrupt(later->session);
    return NULL;
}

static snug_result *trigger_run(attempt *a, const char *source, const char *when)
{
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = a->limit_ms };
    if (strcmp(when, "cpu") == 0)
        limits = (snug_limits){ .size = sizeof(snug_limits),
                                .wall_ms = 4 * WORK_MS,
                                .cpu_ms = a->limit_ms };
    if (strcmp(when, "interrupt") != 0)
        return run(a, source, &limits);

    later_interrupt later = { a->session, a->limit_ms };
    pthread_t thread;
    limits.wall_ms = 4 * WORK_MS;
    if (pthread_create(&thread, NULL, interrupt_later, &later) != 0)
        abort();
    snug_result *result = run(a, source, &limits);
    pthread_join(thread, NULL);
    return result;
}

static void trigger_complete(attempt *a, const char *source)
{
    snug_completion *names = NULL;
    size_t len = strlen(source);
    while (len > 0 && source[len - 1] == '\n')
        len--;
    int error = snug_session_complete(&names, a->session, source, len, len);
    snprintf(a->out->got, sizeof a->out->got, "completion: %s",
             error ? snug_error_message() : "answered");
    snug_completion_free(names);
    a->out->is_lost = error == SNUG_EDEAD;
    a->out->is_as_expected = !a->out->is_lost || a->file->state != RECIPE_KEPT;
    if (!a->out->is_as_expected)
        wrong(a, "the state is lost");
}

static void trigger_scan(attempt *a, const char *source)
{
    snug_scan *report = NULL;
    int error = snug_host_scan(&report, a->host, source, strlen(source), NULL);
    snprintf(a->out->got, sizeof a->out->got, "scan: %s",
             error ? snug_error_message() : "answered");
    snug_scan_free(report);
    a->out->is_as_expected = 1;
}

static void trigger_close(attempt *a)
{
    snug_session_close(a->session);
    a->session = NULL;
    snprintf(a->out->got, sizeof a->out->got, "closed");
    a->out->is_as_expected = 1;
}

static void trigger_reset(attempt *a)
{
    int error = snug_session_reset(a->session);
    snprintf(a->out->got, sizeof a->out->got, "reset: %s", error ? snug_error_message() : "done");
    if (!(a->out->is_as_expected = !error))
        wrong(a, "the reset failed");
}

static int is_of(const recipe *file, const char *when)
{
    return strcmp(file->when, when) == 0;
}

/* The cells up to the escape's run before. */
static int is_saved(const recipe *file)
{
    return is_of(file, "save") || is_of(file, "restore");
}

/* What the cells made; the work directory of a full session is not the host's to look into. */
static int take_crafted(const attempt *a, const char *path)
{
    snug_file *file = NULL;
    size_t len;
    int error = snug_session_get_file(&file, a->session, "crafted", 64 << 20);
    if (error)
        return error;

    const char *data = snug_file_data(file, &len);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, len, out) != len)
        error = SNUG_ESYSTEM;
    if (out)
        fclose(out);
    snug_file_free(file);
    return error;
}

/* Of the session into a file and back, or of what the cells made in the work directory. */
static int save_and_restore(attempt *a, int *is_saving)
{
    snug_saved *saved = NULL;
    char path[64] = "";
    int error = SNUG_OK;
    snprintf(path, sizeof path, "/tmp/escapes-%ld.saved", (long)getpid());
    if (is_of(a->file, "restore")) {
        error = take_crafted(a, path);
    } else {
        error = snug_session_save(&saved, a->session, path);
        snug_saved_free(saved);
        saved = NULL;
    }
    *is_saving = error != SNUG_OK && !is_of(a->file, "restore");
    if (!error)
        error = snug_session_restore(&saved, a->session, path);
    snug_saved_free(saved);
    unlink(path);
    return error;
}

static unsigned saved_bits(int error)
{
    return error == SNUG_OK         ? EXPECT_OK
           : error == SNUG_ESTOPPED ? EXPECT_RUNG_1 | EXPECT_MEMORY | EXPECT_RECURSION
           : error == SNUG_EINVAL   ? EXPECT_ERROR
                                    : 0;
}

static void trigger_save(attempt *a)
{
    int is_saving, error = save_and_restore(a, &is_saving);
    snprintf(a->out->got, sizeof a->out->got, "%s: %.150s", is_saving ? "save" : "restore",
             error ? snug_error_message() : "done");
    a->got = saved_bits(error);
    a->is_empty = !is_saving && (error == SNUG_ESTOPPED || (!error && is_of(a->file, "restore")));
    a->out->is_lost = error == SNUG_EDEAD;
    a->out->is_as_expected =
        a->out->is_lost ? a->file->state != RECIPE_KEPT : (a->got & a->file->expect) != 0;
    if (!a->out->is_as_expected)
        wrong(a, "not as expected");
}

/* All but run end the names or have none. */
static int ends_names(const recipe *file)
{
    return is_of(file, "close") || is_of(file, "atexit") || is_of(file, "reset");
}

static void trigger(attempt *a, const char *source)
{
    snug_result *result = NULL;
    if (is_of(a->file, "close") || is_of(a->file, "atexit"))
        trigger_close(a);
    else if (is_of(a->file, "reset"))
        trigger_reset(a);
    else if (is_of(a->file, "complete"))
        trigger_complete(a, source);
    else if (is_of(a->file, "scan"))
        trigger_scan(a, source);
    else if (is_saved(a->file))
        trigger_save(a);
    else if ((result = trigger_run(a, source, a->file->when)))
        judge(a, result);
    else
        wrong(a, "no result: %s", snug_error_message());
    snug_result_free(result);
}

/* ---- before and after ---- */

/* A spare that is being made would be taken for a thread of the session's. */
static void await_pool(snug_host *host)
{
    uint64_t end_ns = measure_now_ns() + (uint64_t)SETTLE_MS * NS_PER_MS;
    for (snug_pool p = pool_of(host); p.ready < p.wanted && measure_now_ns() < end_ns;
         p = pool_of(host))
        measure_sleep_ns(NS_PER_MS);
}

static int open_session(attempt *a)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    /* No spare has another than the default. */
    options.limits = &limits;
    limits.memory_bytes = option.pool ? 0 : option.memory_mib << 20;
    limits.wall_ms = a->limit_ms;
    limits.cpu_ms = SNUG_UNLIMITED;
    limits.threads = a->file->threads;
    if (option.is_full)
        options.kind = SNUG_KIND_FULL;
    options.on_caller_thread = option.is_inline;
    if (a->file->has_tools) {
        limits.tool_calls = SNUG_UNLIMITED;
        limits.input_ms = 50;
        options.on_input = tools_keep_input;
    }
    snug_mount data = breach_mount();
    if (a->file->profile[0])
        options.profile = a->file->profile;
    else if (a->file->breach[0])
        options.profile = option.profile;
    if (strcmp(a->file->kind, "leak") == 0) {
        options.mounts = &data;
        options.mount_count = 1;
    }
    if (snug_session_open(&a->session, a->host, &options)) {
        a->session = NULL;
        wrong(a, "no session: %s", snug_error_message());
        return -1;
    }
    if (a->file->has_tools && tools_bind(a->session))
        wrong(a, "no tools: %s", snug_error_message());
    await_pool(a->host);
    return 0;
}

static void run_expecting(attempt *a, const char *source, unsigned expect, const char *what)
{
    static const snug_limits wide = { .size = sizeof(snug_limits), .wall_ms = WORK_MS };
    char got[200];
    snug_result *result = run(a, source, &wide);
    if (!result) {
        wrong(a, "%s: %s", what, snug_error_message());
        return;
    }
    describe(got, sizeof got, result);
    if (!(outcome_bit(result) & expect))
        wrong(a, "%s: %s", what, got);
    snug_result_free(result);
}

static void run_asking(attempt *a, const char *source, const char *value, const char *what)
{
    static const snug_limits wide = { .size = sizeof(snug_limits), .wall_ms = WORK_MS };
    char got[200];
    snug_result *result = run(a, source, &wide);
    if (!result) {
        wrong(a, "%s: %s", what, snug_error_message());
        return;
    }
    describe(got, sizeof got, result);
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        wrong(a, "%s: %s, value %.100s", what, got,
              snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
}

/* Names that have to be there afterwards: not all through the builtins, which a noisy file
 * may have replaced. */
static const char mark[] =
    "escape_mark = {'n': 12345, 'text': 'before ' * 3, 'list': [1, [2, 3]]}\n"
    "def escape_double(n):\n"
    "    return n * 2\n";
static const char ask_mark[] = "(escape_double(escape_mark['n']), escape_mark['text'], "
                               "escape_mark['list'])";
static const char mark_value[] = "(24690, 'before before before ', [1, [2, 3]])";

static void check_kept(attempt *a)
{
    const recipe *file = a->file;
    int is_over = is_of(file, "complete") || a->is_empty;
    for (size_t i = file->cell + 1; i < file->cell_count && !is_over; i++)
        run_expecting(a, file->cells[i].source, file->cells[i].expect, "a cell afterwards");
    if (is_of(file, "reset") || a->is_empty)
        run_asking(a, "6 * 7", "42", "after the reset");
    else
        run_asking(a, ask_mark, mark_value, "names from before");
}

static void check_lost(attempt *a)
{
    snug_result *result = NULL;
    int error = snug_session_run(&result, a->session, "1", 1, NULL);
    if (error != SNUG_EDEAD)
        wrong(a, "a lost session answers a run with %s",
              error ? snug_error_name(error) : "a result");
    snug_result_free(result);
    error = snug_session_reset(a->session);
    if ((error == SNUG_EDEAD || error == SNUG_ETIMEOUT) && a->out->rung == 4)
        return; /* its thread still runs, and has the main interpreter, or on 3.11 the GIL */
    if (error)
        wrong(a, "a lost session cannot be reset: %s", snug_error_message());
    else
        run_asking(a, "6 * 7", "42", "after the reset of a lost session");
}

/* The host goes on: a new session opens and runs a cell. */
static void check_host(attempt *a)
{
    attempt fresh = { .file = a->file, .out = a->out, .host = a->host, .limit_ms = WORK_MS };
    char why[sizeof a->out->why];
    memcpy(why, a->out->why, sizeof why);
    a->out->why[0] = '\0';
    if (open_session(&fresh) == 0)
        run_asking(&fresh, "6 * 7", "42", "a new session");
    snug_session_close(fresh.session);
    a->out->is_alive = !a->out->why[0];
    if (why[0])
        memcpy(a->out->why, why, sizeof why);
}

/* What a session keeps must not keep others: on 3.11 the lock of imports is the process's. Two
 * new ones, each with a thread of its own, import what they have not yet. */
enum { IMPORTS_MS = 5000 }; /* opening takes some, and only a lock that is kept takes that */

static void check_imports(attempt *a)
{
    static const char *const names[] = { "colorsys", "graphlib",   "ipaddress", "tomllib",
                                         "shlex",    "statistics", "calendar",  "timeit" };
    static size_t next;
    attempt fresh[2];
    uint64_t start_ns = measure_now_ns();
    for (size_t i = 0; i < 2; i++) {
        fresh[i] =
            (attempt){ .file = a->file, .out = a->out, .host = a->host, .limit_ms = WORK_MS };
        open_session(&fresh[i]);
    }
    for (size_t i = 0; i < 2 && fresh[i].session; i++) {
        char source[60];
        snprintf(source, sizeof source, "import %s\n6 * 7", names[next++ % 8]);
        run_asking(&fresh[i], source, "42", "an import elsewhere");
    }
    for (size_t i = 0; i < 2; i++)
        snug_session_close(fresh[i].session);
    if (is_late((double)(measure_now_ns() - start_ns) / NS_PER_MS, IMPORTS_MS))
        wrong(a, "imports elsewhere took longer than %d ms", IMPORTS_MS);
}

/* A thread that was left keeps its session's. */
static void check_folder_is_gone(attempt *a, const char *workdir)
{
    if (workdir[0] && access(workdir, F_OK) == 0 && health_of(a->host).hung_threads == 0)
        wrong_first(a, "its work directory is still there after the close");
}

/* ---- the order of it ---- */

static void check_time(attempt *a, uint64_t took_ns, uint64_t machine_ns, const char *what)
{
    int64_t late_ns = (int64_t)took_ns - (int64_t)(a->limit_ms * NS_PER_MS);
    late_ns -= late_ns > 0 && (int64_t)machine_ns < late_ns ? (int64_t)machine_ns : 0;
    if (late_ns > a->out->late_ns)
        a->out->late_ns = late_ns;
    if (late_ns > (int64_t)(option.bound_ms * NS_PER_MS)) {
        a->out->is_in_time = 0;
        wrong(a, "%s returned %.0f ms past the limit", what, (double)late_ns / NS_PER_MS);
    }
}

static void attempt_escape(attempt *a)
{
    const recipe *file = a->file;
    record *out = a->out;
    char workdir[4096];
    size_t before = ends_names(file) ? file->cell_count : file->cell;
    if (is_of(file, "complete"))
        before = file->cell_count - 1;
    if (is_saved(file))
        before = file->cell + 1;
    if (open_session(a) != 0)
        return;
    snprintf(workdir, sizeof workdir, "%s", snug_session_workdir(a->session));
    run_expecting(a, mark, EXPECT_OK, "the first cell");
    if (a->breach)
        run_expecting(a, breach_prelude(a->breach), EXPECT_OK, "the prelude");
    for (size_t i = 0; i < before; i++)
        run_expecting(a, file->cells[i].source, file->cells[i].expect, "a cell before");

    bystanders_watch(a->others);
    uint64_t start_ns = measure_now_ns();
    trigger(a, before < file->cell_count ? file->cells[before].source : "");
    out->wall_ns = measure_now_ns() - start_ns;
    uint64_t machine_ns = bystanders_machine_ns(a->others);
    check_time(a, out->wall_ns, machine_ns, "the call");
    int is_stuck = bystanders_settle(a->others, SETTLE_MS * (uint64_t)NS_PER_MS);
    out->stall_ns =
        (int64_t)bystanders_stall_ns(a->others) - (int64_t)bystanders_machine_ns(a->others);
    if (is_stuck)
        wrong(a, "a neighbour makes no turn any more");
    if (option.stall_ms && out->stall_ns > (int64_t)(option.stall_ms * NS_PER_MS))
        wrong(a, "a neighbour stood still for %.0f ms", (double)out->stall_ns / NS_PER_MS);

    if (a->session && out->is_lost)
        check_lost(a);
    else if (a->session && !is_of(file, "scan"))
        check_kept(a);
    if (a->got & EXPECT_OK)
        check_imports(a);
    if (a->breach && a->session)
        breach_look_into(a->breach, workdir);
    bystanders_watch(a->others);
    start_ns = measure_now_ns();
    snug_session_close(a->session);
    check_time(a, measure_now_ns() - start_ns, bystanders_machine_ns(a->others), "the close");
    check_host(a);
    check_folder_is_gone(a, workdir);
    if (bystanders_complaint(a->others))
        wrong(a, "%s", bystanders_complaint(a->others));
    out->is_contained = out->is_alive && !is_stuck && !bystanders_complaint(a->others);
}

enum { ORPHANS_MS = 10000 };

/* A thread that an earlier file has left running may end in the midst of this one, and would be
 * a setting that differs. */
static void await_orphans(snug_host *host)
{
    for (int ms = 0; ms < ORPHANS_MS && health_of(host).hung_threads > 0; ms += 10)
        measure_sleep_ns(10 * UINT64_C(1000000));
}

/* Watches what the file gets at, from before its session opens until after it is closed. */
static void attempt_breach(attempt *a)
{
    const char *of_host, *of_neighbour;
    const char *setting = strncmp(a->file->breach, "setting ", 8) == 0 ? a->file->breach + 8 : "";
    await_orphans(a->host);
    await_pool(a->host);
    breach_watch(a->breach, setting);
    attempt_escape(a);
    breach_compare(a->breach);
    of_neighbour = breach_of_neighbour(a->breach);
    /* What is known is known of sessions in one process. */
    int is_known = a->file->is_known && !option.is_worker;
    if (!of_neighbour && is_known)
        wrong(a, "it is known to get at a neighbour, and did not");
    if (of_neighbour && !is_known)
        wrong_first(a, "BREACH of a neighbour, %s", of_neighbour);
    of_host = breach_of_host(a->breach);
    if (of_host)
        wrong_first(a, "BREACH of the host, %s", of_host);
    a->out->is_known = of_neighbour && is_known;
    a->out->has_reached_host = of_host != NULL;
    a->out->has_reached_neighbour = of_neighbour != NULL;
}

static int others_worker; /* 0: none */

/* That of the files' host; 0: none. */
static int worker_now(void)
{
    int pids[16];
    size_t i = 0, count = option.is_worker ? measure_workers(pids, 16) : 0;
    while (i < count && pids[i] == others_worker)
        i++;
    return i < count ? pids[i] : 0;
}

static void try_file(record *out, size_t index, snug_host *host, bystanders *others, breach *watch)
{
    const recipe *file = &files[index];
    attempt a = { .file = file, .out = out, .host = host, .others = others };
    a.breach = file->breach[0] ? watch : NULL;
    *out = (record){ .index = (int)index, .is_in_time = 1, .runs = out->runs + 1 };
    a.limit_ms = file->limit_ms                ? file->limit_ms
                 : file->expect & EXPECT_RUNGS ? option.limit_ms
                                               : WORK_MS;
    uint64_t rss_kib = measure_rss_kib();
    int worker = worker_now();
    settings_are_of_worker(worker, option.worker);
    if (file->is_elsewhere || (option.is_inline && (file->threads > 0 || file->has_tools)))
        out->is_skipped = 1;
    else if (a.breach)
        attempt_breach(&a);
    else
        attempt_escape(&a);
    tools_settle();
    out->has_ended_worker = worker_now() != worker;
    out->rss_kib = (int64_t)measure_rss_kib() - (int64_t)rss_kib;
}

/* On which rung a cell ends, and when, is the machine's doing too: what was not as expected is run
 * again, and told. What got out or ended the host never is. */
enum { MOST_RUNS = 3 };

static void run_file(record *out, size_t index, snug_host *host, bystanders *others, breach *watch)
{
    out->runs = 0;
    do
        try_file(out, index, host, others, watch);
    while (out->why[0] && out->is_contained && !files[index].breach[0] && out->runs < MOST_RUNS);
}

/* ---- the child ---- */

static void tell(int pipe, const record *r)
{
    if (pipe >= 0 && write(pipe, r, sizeof *r) != (ssize_t)sizeof *r)
        _exit(3);
}

static int is_after_anything(void)
{
    size_t i = 0;
    while (i < file_count && !files[i].breach[0])
        i++;
    return i < file_count;
}

static void tell_pool(const snug_host *host)
{
    snug_pool p = pool_of(host);
    if (p.wanted)
        printf("pool: %llu hits, %llu half-warm, %llu misses\n", (unsigned long long)p.hits,
               (unsigned long long)p.half_warm, (unsigned long long)p.misses);
    fflush(stdout);
}

static snug_host *open_host(void)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;
    options.form = option.is_worker ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    options.worker_path = option.worker;
    options.pool_sessions = (size_t)option.pool;
    options.pool_idle_ms = SNUG_UNLIMITED;
    if (snug_host_open(&host, &options)) {
        fprintf(stderr, "no host: %s\n", snug_error_message());
        _exit(2);
    }
    return host;
}

/* Files from `from` on, all of them or one; or up to a breach, for then the process is no
 * longer what it was. Neighbours in workers have one of their own. */
static void run_files(size_t from, int pipe)
{
    snug_host *beside = open_host();
    others_worker = worker_now();
    snug_host *host = option.is_worker ? open_host() : beside;
    /* Where it is not judged how long they stand still, they need not look as often. */
    uint64_t pause_ns = option.is_wide && !option.stall_ms ? 5 * NS_PER_MS : NS_PER_MS;
    bystanders *others = bystanders_open(beside, option.neighbours, pause_ns);
    if (!others)
        _exit(2);
    breach *watch = is_after_anything() ? breach_open(beside, option.profile) : NULL;
    if (!watch && is_after_anything())
        _exit(2);
    await_pool(host);
    measure_sleep_ns(100 * NS_PER_MS); /* the neighbours' turns have their length now */
    size_t end = option.is_each ? from + 1 : file_count;
    for (size_t i = from; i < end; i++) {
        record begun = { .index = -1 - (int)i };
        tell(pipe, &begun);
        run_file(&records[i], i, host, others, watch);
        tell(pipe, &records[i]);
        if (pipe >= 0 && (records[i].has_reached_host || records[i].has_reached_neighbour))
            _exit(0);
    }
    breach_close(watch);
    bystanders_close(others);
    tell_pool(host);
    if (snug_host_close(host) || (beside != host && snug_host_close(beside)))
        fprintf(stderr, "the host does not close: %s\n", snug_error_message());
}

/* ---- the supervisor ---- */

static void show(const record *r)
{
    const recipe *file = &files[r->index];
    int has_failed = r->why[0] != '\0';
    if (!has_failed && r->runs > 1)
        printf("%s: as expected in run %d\n", file->path, r->runs);
    if (r->is_skipped || (!has_failed && !option.is_verbose))
        return;
    printf("%s %s\n     expected: %s; got: %s", has_failed ? "FAIL" : "ok  ", file->path,
           file->expected, r->got[0] ? r->got : "nothing");
    if (r->wall_ns)
        printf("; %.0f ms", (double)r->wall_ns / NS_PER_MS);
    printf("; stall %.1f ms; %+.1f MiB\n", (double)r->stall_ns / NS_PER_MS,
           (double)r->rss_kib / 1024);
    if (has_failed)
        printf("     %s\n", r->why);
    fflush(stdout);
}

/* The child ended in the midst of a file: by itself, or because it took too long. */
static void lose(size_t index, const char *got, int is_expected)
{
    record *r = &records[index];
    *r = (record){ .index = (int)index, .is_as_expected = is_expected };
    snprintf(r->got, sizeof r->got, "%s", got);
    if (!is_expected)
        snprintf(r->why, sizeof r->why, "%s", got);
    show(r);
}

typedef struct watch_state {
    size_t next; /* the first file without a record */
    int is_in_file;
    int has_hung;
} watch_state;

/* Takes records until the child ends or a file takes too long. */
static void watch_child(watch_state *w, int pipe)
{
    record r;
    for (;;) {
        struct pollfd ready = { .fd = pipe, .events = POLLIN };
        int count = poll(&ready, 1, (int)(option.guard_s * 1000));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            w->has_hung = 1;
            return;
        }
        if (read(pipe, &r, sizeof r) != (ssize_t)sizeof r)
            return;
        w->is_in_file = r.index < 0;
        if (r.index < 0)
            continue;
        records[r.index] = r;
        w->next = (size_t)r.index + 1;
        show(&r);
    }
}

static int supervise_child(watch_state *w, const char **got, char *text, size_t size)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        abort();
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        close(ends[0]);
        run_files(w->next, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    w->is_in_file = w->has_hung = 0;
    watch_child(w, ends[0]);
    if (w->has_hung)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    if (w->has_hung)
        snprintf(text, size, "HANG: longer than %llu s", (unsigned long long)option.guard_s);
    else if (WIFSIGNALED(status))
        snprintf(text, size, "the host died of signal %d", WTERMSIG(status));
    else
        snprintf(text, size, "the host ended with status %d", WEXITSTATUS(status));
    *got = text;
    return !w->has_hung && !w->is_in_file && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Answers 99 if a file hung, 2 if nothing could run, else 0. */
static int supervise(void)
{
    watch_state w = { 0 };
    uint64_t restarts = 0;
    int answer = 0;
    char text[100];
    const char *got;
    while (w.next < file_count) {
        size_t before = w.next;
        int status = supervise_child(&w, &got, text, sizeof text);
        if (status == 0 && w.next > before)
            continue;
        if (!w.is_in_file) {
            fprintf(stderr, "between files: %s\n", got);
            if (w.next == before)
                return 2;
            continue;
        }
        unsigned bit = w.has_hung ? EXPECT_HANG : EXPECT_DIED;
        int is_expected = (files[w.next].expect & bit) != 0;
        if (w.has_hung && !is_expected)
            answer = 99;
        lose(w.next++, got, is_expected);
        if (!option.is_each && restarts++ == option.restarts) {
            fprintf(stderr, "the host was lost too often; %zu files did not run\n",
                    file_count - w.next);
            return answer ? answer : 1;
        }
    }
    return answer;
}

/* ---- the table ---- */

typedef struct sum {
    unsigned files, passed, contained, alive, in_time;
    unsigned low, low_kept; /* expected at rung 1 or 2; of these kept */
    unsigned higher, mended, again;
    unsigned kept, lost;                   /* of those that returned */
    unsigned of_host, of_neighbour, known; /* breaches */
    unsigned workers;                      /* that were ended */
    int is_breach;
    int64_t late_ns, stall_ns, rss_kib;
} sum;

static void count(sum *s, const record *r)
{
    const recipe *file = &files[r->index];
    int is_low = (file->expect & EXPECT_RUNGS) && !(file->expect & EXPECT_RUNG_3);
    s->files++;
    s->passed += !r->why[0];
    s->contained += (unsigned)r->is_contained;
    s->alive += (unsigned)r->is_alive;
    s->in_time += (unsigned)(r->is_in_time && r->is_contained);
    s->low += (unsigned)is_low;
    s->low_kept += (unsigned)(is_low && r->is_contained && !r->is_lost);
    s->higher += (unsigned)r->is_higher;
    s->mended += (unsigned)r->is_mended;
    s->again += (unsigned)(!r->why[0] && r->runs > 1);
    s->kept += (unsigned)(r->is_contained && !r->is_lost);
    s->lost += (unsigned)(r->is_contained && r->is_lost);
    s->workers += (unsigned)r->has_ended_worker;
    s->of_host += (unsigned)r->has_reached_host;
    s->of_neighbour += (unsigned)r->has_reached_neighbour;
    s->known += (unsigned)r->is_known;
    s->is_breach |= file->breach[0] != '\0';
    s->late_ns = r->late_ns > s->late_ns ? r->late_ns : s->late_ns;
    s->stall_ns = r->stall_ns > s->stall_ns ? r->stall_ns : s->stall_ns;
    s->rss_kib += r->rss_kib;
}

static void print_row(const char *name, const sum *s)
{
    printf("%-8s %5u %6u %9u %5u %7u   %4u/%-4u %5u %5u %8.1f %8.1f %8.1f\n", name, s->files,
           s->passed, s->contained, s->alive, s->in_time, s->low_kept, s->low, s->kept, s->lost,
           (double)s->late_ns / NS_PER_MS, (double)s->stall_ns / NS_PER_MS,
           (double)s->rss_kib / 1024);
    if (s->workers)
        printf("         workers ended: %u\n", s->workers);
    if (s->is_breach)
        printf("         breaches: %u against the host, %u against neighbours; %u of them known\n",
               s->of_host, s->of_neighbour, s->known);
}

static int print_table(void)
{
    sum all = { 0 };
    printf("\n%s%s, limit %llu ms, %u neighbours\n", python,
           option.is_full     ? ", full sessions in workers"
           : option.is_worker ? ", worker"
                              : "",
           (unsigned long long)option.limit_ms, option.neighbours);
    puts("                                            rung 1, 2               late max stall max   "
         "RSS");
    puts("kind     files passed contained alive in time    kept     kept  lost       ms       ms   "
         "   MiB");
    for (size_t first = 0; first < file_count;) {
        sum kind = { 0 };
        size_t end = first;
        for (; end < file_count && strcmp(files[end].kind, files[first].kind) == 0; end++) {
            if (records[end].is_skipped)
                continue;
            records[end].index = (int)end;
            if (!records[end].got[0] && !records[end].why[0])
                snprintf(records[end].why, sizeof records[end].why, "did not run");
            count(&kind, &records[end]);
            count(&all, &records[end]);
        }
        print_row(files[first].kind, &kind);
        first = end;
    }
    print_row("all", &all);
    if (all.mended)
        printf("%u files do what the distribution has mended\n", all.mended);
    if (all.higher)
        printf("%u files took rung 2 where rung 1 was expected\n", all.higher);
    if (all.again)
        printf("%u files were as expected only when they were run again\n", all.again);
    if (left_out)
        printf("%zu files left out: they need a jump, or a limit of memory or stack\n", left_out);
    printf("%u passed, %u failed\n", all.passed, all.files - all.passed);
    return all.files > all.passed || !all.files;
}

/* ---- arguments ---- */

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const recipe *)a)->path, ((const recipe *)b)->path);
}

/* As tests/share.py says: a part of them, which is another one for another Python. */
static void take_share(void)
{
    const char *given = getenv("SNUG_SHARE");
    unsigned of = given && !getenv("SNUG_WHOLE") ? (unsigned)strtoul(given, NULL, 10) : 1;
    unsigned minor = 0;
    if (of < 2 || sscanf(python, "%*u.%u", &minor) != 1)
        return;
    size_t kept = 0;
    for (size_t i = minor / 2 % of; i < file_count; i += of)
        files[kept++] = files[i];
    file_count = kept;
}

static int is_wanted(const char *kind)
{
    size_t len = strlen(kind);
    for (const char *at = option.kinds; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == len && strncmp(at, kind, len) == 0)
            return 1;
    return !option.kinds && strcmp(kind, "beyond") != 0;
}

/* Needs neither a jump nor a limit of memory or stack. */
static int is_gentle(const recipe *file)
{
    const unsigned gentle =
        EXPECT_RUNG_1 | EXPECT_RUNG_2 | EXPECT_OK | EXPECT_ERROR | EXPECT_DENIED;
    return (file->expect & ~gentle) == 0;
}

static int add_file(const char *path)
{
    recipe *file = &files[file_count];
    if (file_count == MAX_FILES || recipe_read(file, path, python, option.is_short) != 0)
        return -1;
    if (!is_wanted(file->kind)) {
        recipe_free(file);
    } else if (option.is_gentle && !is_gentle(file)) {
        left_out++;
        recipe_free(file);
    } else {
        file_count++;
    }
    return 0;
}

/* What runs the files, or makes something of them, and is none of them. */
static int is_tool_name(const char *name)
{
    static const char *const tools[] = { "batches.py", "check.py", "plain.py", "short_ladder.py" };
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strcmp(name, tools[i]) == 0)
            return 1;
    return 0;
}

/* A file, or a folder with its folders. */
static int add(const char *path)
{
    struct stat facts;
    char inner[4096];
    if (stat(path, &facts) != 0) {
        perror(path);
        return -1;
    }
    if (!S_ISDIR(facts.st_mode))
        return add_file(path);
    DIR *dir = opendir(path);
    int failed = !dir;
    for (struct dirent *entry; !failed && (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        int is_tool = is_tool_name(entry->d_name);
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || stat(inner, &facts) != 0)
            continue;
        if (S_ISDIR(facts.st_mode) || (dot && strcmp(dot, ".py") == 0 && !is_tool))
            failed = add(inner);
    }
    if (dir)
        closedir(dir);
    return failed;
}

/* "3.11" of the runtime, asked in a child: a host that was open here would not survive
 * the fork. */
static int ask_version(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        snug_host *host = NULL;
        if (snug_host_open(&host, NULL)) {
            fprintf(stderr, "no host: %s\n", snug_error_message());
            _exit(2);
        }
        const char *line = strstr(snug_host_report(host), "python: ");
        unsigned major = 0, minor = 0;
        if (line && sscanf(line, "python: %u.%u", &major, &minor) == 2)
            dprintf(ends[1], "%u.%u", major, minor);
        _exit(0);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], python, sizeof python - 1);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return len > 0 ? 0 : -1;
}

static int usage(void)
{
    fputs("usage: escapes [options] FOLDER|FILE...\n"
          "  --bound-ms N     how late past the limit a call may return (5000)\n"
          "  --stall-ms N     how long a neighbour may stand still (not judged)\n"
          "  --limit-ms N     wall limit of cells that a rung has to end (300)\n"
          "  --memory-mib N   memory limit of the sessions (200)\n"
          "  --neighbours N   live sessions beside (2)\n"
          "  --kinds A,B      only these folders (all but beyond)\n"
          "  --form NAME      of the hosts: local or worker (local)\n"
          "  --worker PATH    of snug-worker, where it is not beside this program\n"
          "  --profile NAME   of the sessions of escape, leak, tamper (data)\n"
          "  --pool N         sessions come from a pool of so many, with the default memory (0)\n"
          "  --guard-s N      a file that takes longer hangs (600)\n"
          "  --restarts N     go on in a new process so often (20)\n"
          "  --each           a process for each file\n"
          "  --direct         no supervisor, for a debugger\n"
          "  --short          headers for a shorter ladder count\n"
          "  --gentle         only files that need no jump and no limit of memory\n"
          "  --exact          rung 2 where 1 was expected is a failure\n"
          "  --wide           any rung is fine where one was expected: only hangs fail\n"
          "  --full           full sessions, in workers: only breaches, the host and time are "
          "judged\n"
          "  --inline         sessions on their caller's thread, which the kernel does not hold\n"
          "  --list           print the files and what they expect\n"
          "  -v               a line for files that pass too\n",
          stderr);
    return 2;
}

static int take_number(const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = { { "--bound-ms", &option.bound_ms },
                    { "--stall-ms", &option.stall_ms },
                    { "--limit-ms", &option.limit_ms },
                    { "--guard-s", &option.guard_s },
                    { "--pool", &option.pool },
                    { "--restarts", &option.restarts },
                    { "--memory-mib", &option.memory_mib } };
    char *end;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].number = strtoull(value, &end, 10);
            return *value && !*end ? 0 : -1;
        }
    if (strcmp(name, "--neighbours") == 0)
        option.neighbours = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "--kinds") == 0)
        option.kinds = value;
    else if (strcmp(name, "--profile") == 0)
        option.profile = value;
    else if (strcmp(name, "--worker") == 0)
        option.worker = value;
    else if (strcmp(name, "--form") == 0 &&
             (strcmp(value, "local") == 0 || strcmp(value, "worker") == 0))
        option.is_worker = *value == 'w';
    else
        return -1;
    return 0;
}

/* Answers the index of the first path, or -1. */
static int take_options(int argc, char **argv)
{
    const struct {
        const char *name;
        int *flag;
    } flags[] = { { "-v", &option.is_verbose },      { "--each", &option.is_each },
                  { "--direct", &option.is_direct }, { "--short", &option.is_short },
                  { "--gentle", &option.is_gentle }, { "--exact", &option.is_exact },
                  { "--wide", &option.is_wide },     { "--list", &option.is_list },
                  { "--full", &option.is_full },     { "--inline", &option.is_inline } };
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        size_t flag = 0;
        while (flag < sizeof flags / sizeof *flags && strcmp(argv[i], flags[flag].name) != 0)
            flag++;
        if (flag < sizeof flags / sizeof *flags)
            *flags[flag].flag = 1;
        else if (strncmp(argv[i], "--secret=", 9) == 0)
            continue; /* there for the files to find */
        else if (i + 1 == argc || take_number(argv[i], argv[i + 1]) != 0)
            return -1;
        else
            i++;
    }
    return i < argc ? i : -1;
}

int main(int argc, char **argv)
{
    int first = take_options(argc, argv), answer = 0;
    if (first < 0)
        return usage();
    option.is_worker |= option.is_full;
    if (ask_version() != 0)
        return 2;
    for (int i = first; i < argc; i++)
        if (add(argv[i]) != 0)
            return 2;
    qsort(files, file_count, sizeof *files, compare_paths);
    take_share();
    if (option.is_list) {
        for (size_t i = 0; i < file_count; i++)
            printf("%-50s %-10s %-40s %s\n", files[i].path, files[i].when, files[i].expected,
                   files[i].title);
        return 0;
    }
    if (is_after_anything() && (breach_restart(argv) != 0 || breach_make_folder() != 0))
        return 2;
    if (option.is_direct) {
        for (size_t i = 0; i < (option.is_each ? file_count : 1); i++)
            run_files(i, -1);
        for (size_t i = 0; i < file_count; i++)
            show(&records[i]);
    } else {
        answer = supervise();
    }
    int has_failed = print_table();
    breach_remove_folder();
    return answer ? answer : has_failed;
}
