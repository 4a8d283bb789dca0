/* Workers that lie, in every way that the protocol allows: liar.py. The caller gets a lost result,
 * or an error, within its limit. */
#include "../unit/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <snug/program.h>

#include "../pace.h"

/* A worker that says nothing is waited for so much longer than its cell may take; and the machine
 * may have other things to do. */
enum { LIMIT_MS = 300, GRACE_MS = 2000, MACHINE_MS = 5000, MOST_CALLS = 20 };

typedef struct liar {
    const char *lie;
    const char *says; /* in the error's value; NULL: the first cell is answered */
    snug_host *host;
    snug_session *session, *idle;
    _Atomic int calls;
    char why[400]; /* empty: as it should be */
} liar;

static const char lied[] = "sent something that is not an answer";
static const char late[] = "did not answer in time";

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int open_liar_host(snug_host **out, const char *lie, uint64_t grace_ms)
{
    char command[1000];
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snprintf(command, sizeof command, "exec %s %s %s 7", getenv("SNUG_PYTHON"), LIAR, lie);
    options.form = SNUG_FORM_WORKER;
    options.worker_command = command;
    options.worker_grace_ms = grace_ms;
    return snug_host_open(out, &options);
}

static void on_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)payload, (void)stream, (void)text, (void)len;
}

static void on_display(void *payload, snug_display_event event, const snug_display *d)
{
    (void)payload, (void)event, (void)d;
}

static void on_call(void *payload, snug_call *call, const char *arguments)
{
    liar *l = payload;
    atomic_fetch_add(&l->calls, 1);
    snug_call_return(call, "1", 1);
}

/* Who lies at once does so among others, for whom the machine may have two processors. */
static uint64_t limit_of(const liar *l)
{
    return l->says == late ? LIMIT_MS : 20000;
}

/* The same goes for a megabyte that is sent while others send without end. */
static uint64_t grace_of(const liar *l)
{
    return l->says == lied ? 20000 : GRACE_MS;
}

static int open_liar(liar *l)
{
    snug_tool tool = SNUG_TOOL_INIT;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    tool.name = "tool";
    tool.fn = on_call;
    tool.payload = l;
    options.limits = &limits;
    limits.wall_ms = limit_of(l);
    limits.tool_calls = MOST_CALLS;
    options.on_output = on_output;
    options.on_display = on_display;
    if (open_liar_host(&l->host, l->lie, grace_of(l)) ||
        snug_session_open(&l->idle, l->host, NULL) ||
        snug_session_open(&l->session, l->host, &options) ||
        snug_session_bind_tool(l->session, &tool)) {
        snprintf(l->why, sizeof l->why, "not opened: %s", snug_error_message());
        return -1;
    }
    return 0;
}

static void close_liar(liar *l)
{
    snug_session_close(l->session);
    snug_session_close(l->idle);
    if (snug_host_close(l->host))
        snprintf(l->why, sizeof l->why, "%s", snug_error_message());
}

static char large_cell[1000001];

static void judge(liar *l, snug_result *result)
{
    const char *value = snug_result_error_value(result);
    if (!l->says && strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "42") != 0)
        snprintf(l->why, sizeof l->why, "the cell has no answer: %.200s", value);
    if (l->says && (snug_result_state(result) != SNUG_STATE_LOST || !strstr(value, l->says)))
        snprintf(l->why, sizeof l->why, "%s, %s: %.200s",
                 snug_status_name(snug_result_status(result)),
                 snug_state_name(snug_result_state(result)), value);
}

static void *meet(void *arg)
{
    liar *l = arg;
    snug_result *result = NULL;
    int is_large = strcmp(l->lie, "reader") == 0;
    const char *source = is_large ? large_cell : "1";
    if (open_liar(l)) {
        close_liar(l);
        return NULL;
    }
    double begin = seconds();
    int error = snug_session_run(&result, l->session, source, strlen(source), NULL);
    double took_ms = (seconds() - begin) * 1000;
    if (error)
        snprintf(l->why, sizeof l->why, "no result: %s", snug_error_message());
    else
        judge(l, result);
    if (is_late(took_ms, (double)limit_of(l) + GRACE_MS + MACHINE_MS))
        snprintf(l->why, sizeof l->why, "it took %.0f ms", took_ms);
    snug_result_free(result);
    result = NULL;
    if (l->says && !error && snug_session_run(&result, l->session, "1", 1, NULL) != SNUG_EDEAD)
        snprintf(l->why, sizeof l->why, "the lost session runs cells");
    snug_result_free(result);
    if (l->calls > MOST_CALLS)
        snprintf(l->why, sizeof l->why, "%d calls were made", l->calls);
    close_liar(l);
    return NULL;
}

/* Each is a Python that starts: all at once they would keep one another from answering. */
enum { AT_A_TIME = 8 };

typedef struct crowd {
    liar *liars;
    size_t count;
    _Atomic size_t next;
} crowd;

static void *meet_some(void *arg)
{
    crowd *c = arg;
    size_t at;
    while ((at = atomic_fetch_add(&c->next, 1)) < c->count)
        meet(&c->liars[at]);
    return NULL;
}

static size_t peak_kib(void)
{
    char line[200];
    size_t kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoul(line + 6, NULL, 10);
    fclose(file);
    return kib;
}

enum { MOST_KIB = 200 * 1024 };

TEST(every_lie_ends_within_the_limit)
{
    static liar liars[] = {
        { "honest", NULL },   { "twice", NULL },   { "nothing", late }, { "drip", late },
        { "large", lied },    { "pongs", late },   { "output", late },  { "reader", late },
        { "end", "ended" },   { "cut", "ended" },  { "mess", lied },    { "kind", lied },
        { "request", lied },  { "channel", lied }, { "other", lied },   { "number", lied },
        { "length", lied },   { "pong", lied },    { "stream", lied },  { "bytes", lied },
        { "display", lied },  { "error", lied },   { "message", lied }, { "empty", lied },
        { "more", lied },     { "value", lied },   { "json", lied },    { "nested", lied },
        { "count", lied },    { "frames", lied },  { "changes", lied }, { "path", lied },
        { "root", lied },     { "tool", lied },    { "input", lied },   { "arguments", lied },
        { "list", lied },     { "calls", lied },   { "rich", lied },    { "parts", lied },
        { "controls", lied }, { "crumbs", lied },  { "shown", lied },   { "empties", lied },
        { "which", lied },    { "long", lied },    { "names", lied },   { "heavy", lied },
        { "event", lied },    { "told", lied },    { "asked", lied },
    };
    enum { LIARS = sizeof liars / sizeof *liars };
    crowd c = { liars, LIARS, 0 };
    pthread_t threads[AT_A_TIME];
    int failed = 0;
    for (size_t i = 0; i < AT_A_TIME; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, meet_some, &c), 0);
    for (size_t i = 0; i < AT_A_TIME; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < LIARS; i++) {
        if (liars[i].why[0])
            failed = 1, print_error("%s: %s\n", liars[i].lie, liars[i].why);
    }
    assert_false(failed);
    if (peak_kib() > MOST_KIB && !getenv("ASAN_OPTIONS"))
        fail_msg("memory was %zu KiB", peak_kib());
}

TEST(an_answer_that_nobody_asked_for_is_none_for_the_next_cell)
{
    liar l = { "twice", NULL };
    snug_result *result = NULL;
    assert_int_equal(open_liar(&l), 0);
    assert_int_equal(snug_session_run(&result, l.session, "1", 1, NULL), SNUG_OK);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    assert_int_equal(snug_session_run(&result, l.session, "1", 1, NULL), SNUG_OK);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    close_liar(&l);
}

TEST(nothing_but_a_cell_calls_the_host)
{
    liar l = { "honest", NULL };
    assert_int_equal(open_liar(&l), 0);
    assert_int_equal(snug_session_is_complete(l.session, "1", 1), SNUG_EDEAD);
    assert_int_equal(l.calls, 0);
    close_liar(&l);
}

/* One call, or a map of two rows. */
static snug_status ask_for_program(liar *l, snug_type output, int is_map)
{
    static const int64_t numbers[] = { 1, 2 };
    const snug_column column = { SNUG_TYPE_INT, numbers, NULL, NULL };
    const snug_input input = { "x", SNUG_TYPE_INT };
    const snug_value argument = { .type = SNUG_TYPE_INT };
    snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;
    snug_answer answer = SNUG_ANSWER_INIT;
    snug_mapped mapped = SNUG_MAPPED_INIT;
    snug_program *program;

    options.inputs = &input;
    options.input_count = 1;
    options.output = output;
    options.is_unscanned = 1;
    assert_int_equal(snug_program_prepare(&program, NULL, l->host, "x", 1, &options), SNUG_OK);
    if (is_map)
        assert_int_equal(snug_program_map(&mapped, l->session, program, &column, 1, 2, NULL), 0);
    else
        assert_int_equal(snug_program_call(&answer, l->session, program, &argument, 1, NULL), 0);

    snug_status status = is_map ? mapped.status : answer.status;
    const snug_result *result = is_map ? mapped.result : answer.result;
    if (status != SNUG_STATUS_OK) {
        assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
        assert_non_null(strstr(snug_result_error_value(result), lied));
        assert_int_equal(answer.value.type == SNUG_TYPE_INT, 0);
        assert_int_equal(mapped.row_count, 0);
    }

    snug_answer_free(&answer);
    snug_mapped_free(&mapped);
    snug_program_free(program);
    return status;
}

TEST(a_lie_about_a_program_loses_the_session)
{
    static const struct {
        const char *lie;
        snug_type output;
        int is_map;
    } rows[] = {
        { "type", SNUG_TYPE_INT, 0 },   { "any", SNUG_TYPE_ANY, 0 },
        { "bool", SNUG_TYPE_BOOL, 0 },  { "utf8", SNUG_TYPE_TEXT, 0 },
        { "part", SNUG_TYPE_INTS, 0 },  { "failed", SNUG_TYPE_INT, 0 },
        { "status", SNUG_TYPE_INT, 0 }, { "behind", SNUG_TYPE_INT, 0 },
        { "rows", SNUG_TYPE_INT, 1 },   { "few", SNUG_TYPE_INT, 1 },
        { "short", SNUG_TYPE_INT, 1 },  { "many", SNUG_TYPE_INT, 1 },
        { "ends", SNUG_TYPE_TEXT, 1 },  { "beyond", SNUG_TYPE_TEXT, 1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        liar l = { rows[i].lie, lied };
        assert_int_equal(open_liar(&l), 0);
        assert_int_equal(ask_for_program(&l, rows[i].output, rows[i].is_map), SNUG_STATUS_CRASHED);
        close_liar(&l);
    }

    liar l = { "true", NULL };
    assert_int_equal(open_liar(&l), 0);
    assert_int_equal(ask_for_program(&l, SNUG_TYPE_INT, 0), SNUG_STATUS_OK);
    close_liar(&l);
}

static void *interrupt_soon(void *arg)
{
    const struct timespec soon = { 0, 100000000 }; /* the cell says nothing to go by */
    nanosleep(&soon, NULL);
    snug_session_interrupt(arg);
    return NULL;
}

TEST(an_interrupt_ends_the_wait_for_a_worker_that_says_nothing)
{
    pthread_t thread;
    liar l = { "nothing", NULL };
    snug_result *result = NULL;
    const snug_limits none = { .size = sizeof(snug_limits), .wall_ms = SNUG_UNLIMITED };
    assert_int_equal(open_liar(&l), 0);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, l.session), 0);
    assert_int_equal(snug_session_run(&result, l.session, "1", 1, &none), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    pthread_join(thread, NULL);
    close_liar(&l);
}

static void save_any(const char *path)
{
    snug_host *host = NULL;
    snug_session *session = NULL;
    snug_saved *saved = NULL;
    assert_int_equal(snug_host_open(&host, NULL), SNUG_OK);
    assert_int_equal(snug_session_open(&session, host, NULL), SNUG_OK);
    assert_int_equal(snug_session_save(&saved, session, path), SNUG_OK);
    snug_saved_free(saved);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* Of a worker whose end nobody has seen yet, and which cannot be started again. */
TEST(a_session_without_a_worker_is_refused_and_not_a_fault)
{
    char path[] = "/tmp/snug-liar-XXXXXX", command[1000];
    snug_host *host = NULL;
    snug_session *session = NULL;
    snug_result *result = NULL;
    snug_saved *saved = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    save_any(path);
    snprintf(command, sizeof command, "test -e %s && exec %s %s end", path, getenv("SNUG_PYTHON"),
             LIAR);
    options.form = SNUG_FORM_WORKER;
    options.worker_command = command;
    assert_int_equal(snug_host_open(&host, &options), SNUG_OK);
    assert_int_equal(snug_session_open(&session, host, NULL), SNUG_OK);
    char saved_as[] = "/tmp/snug-liar-XXXXXX";
    close(mkstemp(saved_as));
    assert_int_equal(rename(path, saved_as), 0);
    assert_int_equal(snug_session_run(&result, session, "1", 1, NULL), SNUG_OK);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(snug_session_reset(session), SNUG_ESYSTEM);
        assert_int_equal(snug_session_run(&result, session, "1", 1, NULL), SNUG_EDEAD);
    }
    assert_int_equal(snug_session_restore(&saved, session, saved_as), SNUG_ESYSTEM);
    unlink(saved_as);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

int main(void)
{
    memset(large_cell, '#', sizeof large_cell - 1);
    return run_all_tests(NULL, NULL);
}
