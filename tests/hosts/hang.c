/*
 * hang.c - what each call answers, and when, while a cell keeps the GIL for good.
 *
 *     hang FORM LIMIT_MS PATIENCE_MS SLACK_MS      FORM: local, signals, worker
 *
 * The cell is a regular expression without an end, which on Python 3.11 no exception reaches. A
 * line is printed for each call, and the program fails where one comes later than its deadline: the
 * limit of the session and the host's patience together, with SLACK_MS for a busy machine.
 */
#include <pthread.h>
#include <snug/snug.h>
#include <snug/task.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MEMORY_BYTES (64u << 20)
#define SESSIONS     5

static const char *const endless =
    "import re\n"
    "re.match(r'^(\\w+\\s?)*$', 'lorem ipsum dolor sit amet consectetur "
    "adipiscing elit sed do eiusmod!')";

static snug_host *host;
static snug_session *sessions[SESSIONS];
static snug_session_options session_options = SNUG_SESSION_OPTIONS_INIT;
static snug_limits limits = SNUG_LIMITS_INIT;
static double patience_ms, slack_ms;

struct call {
    const char *what;
    void (*make)(struct call *call);
    int session;
    int phase; /* 0: beside the endless cell; 1: when it was answered; above: one behind the other
                */
    int has_waited;
    pthread_t thread;
    double begin, end;
    char said[300];
};

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double deadline_ms(void)
{
    return (double)limits.wall_ms + patience_ms + slack_ms;
}

/* ---- the calls ---- */

static void say_error(struct call *call, int error)
{
    if (error < 0)
        snprintf(call->said, sizeof call->said, "%s: %s", snug_error_name(error),
                 snug_error_message());
    else
        snprintf(call->said, sizeof call->said, "ok");
}

static void run_source(struct call *call, const char *source)
{
    snug_result *result;
    int error = snug_session_run(&result, sessions[call->session], source, strlen(source), NULL);

    if (error) {
        say_error(call, error);
        return;
    }
    snprintf(call->said, sizeof call->said, "%s %s %s%s",
             snug_status_name(snug_result_status(result)),
             snug_state_name(snug_result_state(result)),
             snug_result_text(result, SNUG_STREAM_VALUE, NULL), snug_result_error_value(result));
    snug_result_free(result);
}

static void run_endless(struct call *call)
{
    run_source(call, endless);
}

static void run_small(struct call *call)
{
    run_source(call, "x = 1\nx");
}

/* A start does not wait, unlike who waits for what was started, unless that is cancelled. */
static void start_cell(struct call *call, int is_cancelled)
{
    snug_task *task = NULL;
    double begin = now_ms();
    int error = snug_session_start(&task, sessions[call->session], "x = 1", 5, NULL, NULL, NULL);

    call->has_waited = now_ms() - begin > patience_ms / 2;
    if (!error && is_cancelled)
        snug_task_cancel(task);
    if (!error && !(error = snug_task_wait(task, (uint64_t)deadline_ms())))
        error = snug_task_error(task);
    if (is_cancelled && now_ms() - begin > patience_ms / 2)
        call->has_waited = 1;
    say_error(call, error);
    if (error && task && *snug_task_message(task))
        snprintf(call->said, sizeof call->said, "%s: %s", snug_error_name(error),
                 snug_task_message(task));
    snug_task_free(task);
}

static void start_small(struct call *call)
{
    start_cell(call, 0);
}

static void start_and_cancel(struct call *call)
{
    start_cell(call, 1);
}

static void save_and_cancel(struct call *call)
{
    char path[] = "/tmp/snug-hang-XXXXXX";
    int fd = mkstemp(path), error = fd < 0 ? SNUG_ESYSTEM : SNUG_OK;
    snug_task *task = NULL;

    if (!error)
        error = snug_session_start_save(&task, sessions[call->session], path, NULL, NULL);
    if (!error) {
        snug_task_cancel(task);
        error = snug_task_wait(task, (uint64_t)deadline_ms());
    }
    if (!error)
        error = snug_task_error(task);
    say_error(call, error);
    snug_task_free(task);
    close(fd);
    unlink(path);
}

static void open_session(struct call *call)
{
    snug_session *session;

    say_error(call, snug_session_open(&session, host, &session_options));
}

static void reset_session(struct call *call)
{
    say_error(call, snug_session_reset(sessions[call->session]));
}

static void close_session(struct call *call)
{
    say_error(call, snug_session_close(sessions[call->session]));
}

static void interrupt_session(struct call *call)
{
    snug_session_interrupt(sessions[call->session]);
    say_error(call, SNUG_OK);
}

static void scan_source(struct call *call)
{
    snug_scan *scan;
    int error = snug_host_scan(&scan, host, "1", 1, NULL);

    say_error(call, error);
    if (!error)
        snug_scan_free(scan);
}

static void complete_name(struct call *call)
{
    snug_completion *completion;
    int error = snug_session_complete(&completion, sessions[call->session], "pri", 3, 3);

    say_error(call, error);
    if (!error)
        snug_completion_free(completion);
}

static void inspect_name(struct call *call)
{
    snug_description *description;
    int error = snug_session_inspect(&description, sessions[call->session], "print", 5, 5);

    say_error(call, error);
    if (!error)
        snug_description_free(description);
}

static void ask_health(struct call *call)
{
    snug_health health = SNUG_HEALTH_INIT;

    say_error(call, snug_host_health(&health, host));
}

static void close_host(struct call *call)
{
    say_error(call, snug_host_close(host));
}

static struct call calls[] = {
    { .what = "endless run", .make = run_endless },
    { .what = "neighbour's run", .make = run_small, .session = 1 },
    { .what = "open", .make = open_session },
    { .what = "interrupt of the neighbour", .make = interrupt_session, .session = 1, .phase = 1 },
    { .what = "close of an idle one", .make = close_session, .session = 2, .phase = 1 },
    { .what = "scan", .make = scan_source, .phase = 1 },
    { .what = "reset of the endless one", .make = reset_session, .phase = 1 },
    { .what = "complete", .make = complete_name, .session = 3, .phase = 1 },
    { .what = "inspect", .make = inspect_name, .session = 4, .phase = 1 },
    { .what = "health", .make = ask_health, .phase = 1 },
    { .what = "host close", .make = close_host, .phase = 1 },
    { .what = "later run", .make = run_small, .session = 3, .phase = 2 },
    { .what = "later start", .make = start_small, .session = 3, .phase = 3 },
    { .what = "later start, cancelled", .make = start_and_cancel, .session = 3, .phase = 4 },
    { .what = "later save, cancelled", .make = save_and_cancel, .session = 3, .phase = 5 },
};
#define CALLS (sizeof calls / sizeof *calls)

/* ---- all of them ---- */

static void *make_call(void *of)
{
    struct call *call = of;

    call->make(call);
    call->end = now_ms();
    return NULL;
}

static int start_call(struct call *call)
{
    call->begin = now_ms();
    return pthread_create(&call->thread, NULL, make_call, call);
}

/* Waits until the call's deadline, and tells what came of it: 0 if it was answered in time. */
static int await_call(struct call *call)
{
    double end = call->begin + deadline_ms(), left = end - now_ms();
    struct timespec until;
    int late;

    if (left < 0)
        left = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(left / 1e3);
    until.tv_nsec += (long)(left * 1e6) % 1000000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }

    if (pthread_timedjoin_np(call->thread, NULL, &until)) {
        printf("%-28s NOT ANSWERED after %.0f ms\n", call->what, now_ms() - call->begin);
        return 1;
    }
    late = call->end > end || call->has_waited;
    printf("%-28s %6.0f ms  %s%s\n", call->what, call->end - call->begin, call->said,
           late ? "  LATE" : "");
    return late;
}

static int open_all(const char *form)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    int error;

    if (!strcmp(form, "worker"))
        options.form = SNUG_FORM_WORKER;
    if (!strcmp(form, "signals"))
        options.flags = SNUG_HOST_SIGNALS;
    options.patience_ms = (uint64_t)patience_ms;
    session_options.limits = &limits;
    limits.memory_bytes = MEMORY_BYTES;
    error = snug_host_open(&host, &options);
    for (int i = 0; i < SESSIONS && !error; i++)
        error = snug_session_open(&sessions[i], host, &session_options);
    return error;
}

int main(int argc, char **argv)
{
    struct timespec begun = { 0, 200 * 1000 * 1000 };
    int late = 0;

    if (argc != 5)
        return fprintf(stderr, "usage: hang FORM LIMIT_MS PATIENCE_MS SLACK_MS\n"), 2;
    limits.wall_ms = strtoull(argv[2], NULL, 10);
    patience_ms = strtod(argv[3], NULL);
    slack_ms = strtod(argv[4], NULL);
    if (open_all(argv[1]))
        return fprintf(stderr, "%s\n", snug_error_message()), 1;
    setvbuf(stdout, NULL, _IOLBF, 0);

    for (int phase = 0; phase < 6; phase++) {
        for (size_t i = 0; i < CALLS; i++) {
            if (calls[i].phase != phase)
                continue;
            if (start_call(&calls[i]))
                return 1;
            if (!i) /* so that it has the GIL when the others come */
                nanosleep(&begun, NULL);
        }
        for (size_t i = 0; i < CALLS; i++)
            if (calls[i].phase == phase)
                late += await_call(&calls[i]);
    }

    /* Not return: threads may still hold what the end of a process wants to free. */
    fflush(stdout);
    _Exit(late > 0);
}
