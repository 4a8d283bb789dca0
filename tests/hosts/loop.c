/*
 * loop.c - one thread with an event loop, and many sessions: no thread waits for a call.
 *
 *     loop FORM SESSIONS CELLS CANCELS      FORM: local, signals, worker
 *
 * First the blocking call: CELLS / 10 small cells, one after the other. Then the same cells from
 * the loop, one at a time, for the two latencies in one run; and then CELLS of all sessions at
 * once, while CANCELS further ones that do not end are begun and cancelled at random moments. Every
 * cell has one answer, and every session counts all of its cells. Prints the figures in
 * microseconds.
 */
#include <poll.h>
#include <snug/snug.h>
#include <snug/task.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEMORY_BYTES (32u << 20)
#define WALL_MS      60000 /* that a cell is late is seen below, not by its limit */
#define SMALL        "n += 1\nn"
#define ENDLESS      "while True: pass"

struct client {
    snug_session *session;
    snug_task *task;
    double begin;
    double cancel_at; /* 0: it is a small cell */
    long turns;
    int is_busy;
};

static snug_host *host;
static struct client *clients;
static size_t client_count, open_count;
static double *latencies;
static size_t latency_count;
static long cells_left, cancels_left, cancelled, running, faults;

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void fault(const char *what, const char *detail)
{
    if (faults++ < 5)
        printf("FAULT: %s: %s\n", what, detail);
}

/* ---- the loop ---- */

/* Waits for the host as a loop does for all that it has. */
static void turn_loop(double until_us)
{
    struct pollfd fd = { .fd = snug_host_fd(host), .events = POLLIN };
    double left = (until_us - now_us()) / 1e3;

    if (poll(&fd, 1, left < 0 ? 0 : (int)left + 1) > 0 && snug_host_dispatch(host, 0) < 0)
        fault("dispatch", snug_error_message());
}

static void on_open(void *payload, snug_task *task)
{
    struct client *client = payload;

    if (snug_task_error(task))
        fault("open", snug_task_message(task));
    client->session = snug_task_take_session(task);
    open_count++;
}

static void on_cell(void *payload, snug_task *task)
{
    struct client *client = payload;
    snug_result *result = snug_task_take_result(task);
    const char *value = result ? snug_result_text(result, SNUG_STREAM_VALUE, NULL) : "";

    running--;
    client->is_busy = 0;
    if (!result) {
        fault("cell", snug_task_message(task));
        return;
    }
    if (client->cancel_at) {
        if (snug_result_status(result) != SNUG_STATUS_INTERRUPTED ||
            snug_result_state(result) != SNUG_STATE_KEPT)
            fault("cancelled cell", snug_status_name(snug_result_status(result)));
        cancelled++;
        snug_task_free(client->task);
        client->task = NULL;
    } else {
        latencies[latency_count++] = now_us() - client->begin;
        if (strtol(value, NULL, 10) != ++client->turns)
            fault("small cell", snug_result_json(result, NULL));
    }
    snug_result_free(result);
}

static void start_cell(struct client *client, int is_endless)
{
    const char *source = is_endless ? ENDLESS : SMALL;

    client->begin = now_us();
    client->cancel_at = is_endless ? client->begin + rand() % 30000 : 0;
    client->is_busy = 1;
    running++;
    if (snug_session_start(is_endless ? &client->task : NULL, client->session, source,
                           strlen(source), NULL, on_cell, client)) {
        fault("start", snug_error_message());
        client->is_busy = 0;
        running--;
    }
}

/* ---- figures ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_latencies(const char *what)
{
    qsort(latencies, latency_count, sizeof *latencies, compare);
    printf("%-24s %6zu cells  p50 %9.1f  p99 %9.1f  max %9.1f us\n", what, latency_count,
           latencies[latency_count / 2], latencies[latency_count * 99 / 100],
           latencies[latency_count - 1]);
    latency_count = 0;
}

/* ---- phases ---- */

static void open_clients(void)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    double begin = now_us();

    limits.memory_bytes = MEMORY_BYTES;
    limits.wall_ms = WALL_MS;
    options.limits = &limits;
    for (size_t i = 0; i < client_count; i++)
        if (snug_session_start_open(NULL, host, &options, on_open, &clients[i])) {
            fault("start of an open", snug_error_message());
            open_count++;
        }
    while (open_count < client_count)
        turn_loop(now_us() + 1e6);
    printf("%zu sessions opened in %.0f ms\n", client_count, (now_us() - begin) / 1e3);
}

static void run_blocking(long count)
{
    for (long i = 0; i < count; i++) {
        struct client *client = &clients[(size_t)i % client_count];
        double begin = now_us();
        snug_result *result;

        if (snug_session_run(&result, client->session, SMALL, strlen(SMALL), NULL)) {
            fault("run", snug_error_message());
            return;
        }
        latencies[latency_count++] = now_us() - begin;
        client->turns++;
        snug_result_free(result);
    }
    print_latencies("blocking, one at a time");
}

static void run_one_by_one(long count)
{
    for (long i = 0; i < count && !faults; i++) {
        start_cell(&clients[(size_t)i % client_count], 0);
        while (running)
            turn_loop(now_us() + 1e6);
    }
    print_latencies("loop, one at a time");
}

/* Begins what there is to begin, and cancels what is to be; when the next one is. */
static double start_and_cancel(void)
{
    double next = now_us() + 1e6;

    for (size_t i = 0; i < client_count; i++) {
        struct client *client = &clients[i];

        if (!client->is_busy && cells_left + cancels_left > 0) {
            int is_endless = rand() % (cells_left + cancels_left) < cancels_left;

            if (is_endless)
                cancels_left--;
            else
                cells_left--;
            start_cell(client, is_endless);
        }
        if (!client->is_busy || !client->task)
            continue;
        if (client->cancel_at <= now_us())
            snug_task_cancel(client->task);
        else if (client->cancel_at < next)
            next = client->cancel_at;
    }
    return next;
}

static void run_at_once(long cells, long cancels)
{
    double begin = now_us();

    cells_left = cells;
    cancels_left = cancels;
    do {
        turn_loop(start_and_cancel());
    } while ((running || cells_left + cancels_left > 0) && !faults);
    printf("%.0f cells a second, %ld cancelled\n", (double)cells / (now_us() - begin) * 1e6,
           cancelled);
    print_latencies("loop, all at once");
}

static void close_clients(void)
{
    for (size_t i = 0; i < client_count; i++)
        if (snug_session_close(clients[i].session))
            fault("close", snug_error_message());
    if (snug_host_close(host))
        fault("host close", snug_error_message());
}

int main(int argc, char **argv)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    long cells = argc == 5 ? strtol(argv[3], NULL, 10) : 0;

    if (cells < 10)
        return fprintf(stderr, "usage: loop FORM SESSIONS CELLS CANCELS\n"), 2;
    client_count = strtoul(argv[2], NULL, 10);
    clients = calloc(client_count, sizeof *clients);
    latencies = calloc((size_t)cells, sizeof *latencies);
    if (!clients || !latencies)
        return 1;
    if (!strcmp(argv[1], "worker"))
        options.form = SNUG_FORM_WORKER;
    if (!strcmp(argv[1], "signals"))
        options.flags = SNUG_HOST_SIGNALS;
    if (snug_host_open(&host, &options))
        return fprintf(stderr, "%s\n", snug_error_message()), 1;
    srand(1);
    setvbuf(stdout, NULL, _IOLBF, 0);

    open_clients();
    for (size_t i = 0; i < client_count && !faults; i++) {
        snug_result *result;
        if (snug_session_run(&result, clients[i].session, "n = 0", 5, NULL))
            fault("run", snug_error_message());
        else
            snug_result_free(result);
    }
    if (!faults)
        run_blocking(cells / 10);
    if (!faults)
        run_one_by_one(cells / 10);
    if (!faults)
        run_at_once(cells, strtol(argv[4], NULL, 10));
    if (!faults)
        close_clients();
    printf("%ld faults\n", faults);
    fflush(stdout);
    _Exit(faults > 0);
}
