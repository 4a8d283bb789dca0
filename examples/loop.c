/*
 * loop.c - one thread, one poll, and cells in three sessions at once: no call of snug holds the
 * thread.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <snug/snug.h>
#include <snug/task.h>

enum { SESSIONS = 3 };

static const char *const cells[] = {
    "import time\ntime.sleep(0.3)\n'slow'",
    "sum(range(100))",
    "while True:\n    pass",
};

static int left = SESSIONS; /* cells that have not ended */

/* In the loop, when the cell of a session has ended. */
static void on_done(void *payload, snug_task *task)
{
    snug_result *result = snug_task_take_result(task);

    left--;
    if (!result) {
        printf("%s: %s\n", (const char *)payload, snug_task_message(task));
        return;
    }

    printf("%s: %s %s\n", (const char *)payload, snug_status_name(snug_result_status(result)),
           snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
}

static int start(snug_session **sessions, snug_host *host)
{
    static char names[SESSIONS][8];

    for (int i = 0; i < SESSIONS; i++) {
        const snug_limits limits = { .size = sizeof limits, .wall_ms = 1000 };
        snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
        snprintf(names[i], sizeof names[i], "s%d", i + 1);
        options.name = names[i];
        int error = snug_session_open(&sessions[i], host, &options);
        if (!error)
            error = snug_session_start(NULL, sessions[i], cells[i], strlen(cells[i]), &limits,
                                       on_done, names[i]);
        if (error)
            return error;
    }

    return SNUG_OK;
}

/* A program with a loop of its own has further descriptors here. */
static int loop(snug_host *host)
{
    struct pollfd fd = { .fd = snug_host_fd(host), .events = POLLIN };

    while (left > 0) {
        poll(&fd, 1, -1);
        int told = snug_host_dispatch(host, 0);
        if (told < 0)
            return told;
    }

    return SNUG_OK;
}

int main(void)
{
    snug_session *sessions[SESSIONS] = { NULL };
    snug_host *host = NULL;
    int error;

    if (!(error = snug_host_open(&host, NULL)) && !(error = start(sessions, host)))
        error = loop(host);
    if (error)
        fprintf(stderr, "%s\n", snug_error_message());
    for (int i = 0; i < SESSIONS; i++)
        snug_session_close(sessions[i]);
    snug_host_close(host);
    return error != SNUG_OK;
}
