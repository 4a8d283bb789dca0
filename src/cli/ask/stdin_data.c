#include "cli/ask/stdin_data.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/program/command.h"
#include "cli/program/quantity.h"

enum { READ_BYTES = 65536, TOLD_AFTER_MS = 1000 };

int stdin_is_meant(const char *path)
{
    static const char *const names[] = { "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], path) == 0)
            return 1;
    return 0;
}

int stdin_may_be_data(void)
{
    struct stat facts;

    if (fstat(STDIN_FILENO, &facts))
        return 0;
    if (S_ISREG(facts.st_mode))
        return facts.st_size > 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
    return S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode);
}

/* ---- waiting ---- */

typedef struct waiting {
    const stdin_limits *limits;
    signals *signals;
    uint64_t begun_ns;  /* of all */
    uint64_t silent_ns; /* since when nothing has come */
    int is_told;
} waiting;

typedef enum wait_end { WAIT_READABLE, WAIT_SIGNAL, WAIT_SILENT, WAIT_TOO_LONG } wait_end;

static int is_over(uint64_t since_ns, uint64_t most_ms, uint64_t now_ns)
{
    return most_ms != SNUG_UNLIMITED && now_ns >= clock_deadline_ns(since_ns, most_ms);
}

/* Up to the next thing to do; -1: nothing is to be done but to wait. */
static int wait_ms(const waiting *w, uint64_t now_ns)
{
    const uint64_t told_ms = w->is_told ? SNUG_UNLIMITED : TOLD_AFTER_MS;
    const struct {
        uint64_t since_ns, most_ms;
    } ends[] = { { w->silent_ns, w->limits->wait_ms },
                 { w->begun_ns, w->limits->most_ms },
                 { w->begun_ns, told_ms } };
    uint64_t next_ns = UINT64_MAX;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends[i].most_ms == SNUG_UNLIMITED)
            continue;
        const uint64_t end_ns = clock_deadline_ns(ends[i].since_ns, ends[i].most_ms);
        if (end_ns < next_ns)
            next_ns = end_ns;
    }

    if (next_ns == UINT64_MAX)
        return -1;
    if (next_ns <= now_ns)
        return 0;

    const uint64_t left_ms = (next_ns - now_ns) / NS_PER_MS + 1;
    return left_ms < 3600000 ? (int)left_ms : 3600000;
}

static void tell_waiting(waiting *w, uint64_t now_ns)
{
    if (w->is_told || !is_over(w->begun_ns, TOLD_AFTER_MS, now_ns))
        return;
    w->is_told = 1;
    if (!w->limits->is_quiet)
        command_fail(EXIT_FINE, w->limits->is_asked_for
                                    ? "reading stdin, which has not ended yet"
                                    : "reading data from stdin, which has not ended yet; "
                                      "--no-auto-input, or </dev/null, does without");
}

static wait_end wait_for_bytes(waiting *w)
{
    struct pollfd waited[] = { { STDIN_FILENO, POLLIN, 0 }, { signals_fd(w->signals), POLLIN, 0 } };

    for (;;) {
        if (signals_taken(w->signals))
            return WAIT_SIGNAL;

        const uint64_t now_ns = clock_now_ns();
        const int ready = poll(waited, 2, wait_ms(w, now_ns));
        while (ready > 0 && waited[1].revents && signals_next(w->signals))
            ;
        if (ready > 0 && waited[0].revents)
            return WAIT_READABLE;

        const uint64_t then_ns = clock_now_ns();
        tell_waiting(w, then_ns);
        if (is_over(w->silent_ns, w->limits->wait_ms, then_ns))
            return WAIT_SILENT;
        if (is_over(w->begun_ns, w->limits->most_ms, then_ns))
            return WAIT_TOO_LONG;
    }
}

/* ---- reading ---- */

static int fail_size(const stdin_limits *limits)
{
    char amount[32];
    return command_fail(EXIT_USAGE,
                        "stdin has more than %s: put it into a file and give that by --mount, or "
                        "raise --input-size",
                        quantity_text(amount, sizeof amount, limits->most_bytes, "bytes"));
}

static int fail_silent(const stdin_limits *limits)
{
    char amount[32];
    return command_fail(EXIT_USAGE,
                        "stdin began, and has not ended: nothing more has come for %s "
                        "(--stdin-wait)",
                        quantity_text(amount, sizeof amount, limits->wait_ms, "ms"));
}

static int fail_late(const stdin_limits *limits)
{
    char amount[32];
    return command_fail(EXIT_USAGE, "stdin has not ended within %s (--max-seconds)",
                        quantity_text(amount, sizeof amount, limits->most_ms, "ms"));
}

/* *is_whole: there is no more. */
static int take_bytes(str *out, int *is_whole, const stdin_limits *limits)
{
    char bytes[READ_BYTES];
    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return EXIT_FINE;
    if (got < 0)
        return command_fail(EXIT_USAGE, "stdin: %s", strerror(errno));
    if (got == 0) {
        *is_whole = 1;
        return EXIT_FINE;
    }

    if (out->len + (size_t)got > limits->most_bytes)
        return fail_size(limits);
    if (str_append(out, bytes, (size_t)got))
        return command_fail_memory();
    return EXIT_FINE;
}

int stdin_read(str *out, int *is_silent, const stdin_limits *limits, signals *s)
{
    const uint64_t now_ns = clock_now_ns();
    waiting w = { .limits = limits, .signals = s, .begun_ns = now_ns, .silent_ns = now_ns };
    int is_whole = 0, status = EXIT_FINE;

    *is_silent = 0;
    while (!status && !is_whole) {
        switch (wait_for_bytes(&w)) {
        case WAIT_READABLE:
            w.silent_ns = clock_now_ns();
            status = take_bytes(out, &is_whole, limits);
            break;
        case WAIT_SIGNAL:
            return 128 + signals_taken(s);
        case WAIT_TOO_LONG:
            return fail_late(limits);
        case WAIT_SILENT:
            if (out->len > 0)
                return fail_silent(limits);
            *is_silent = 1;
            return EXIT_FINE;
        }
    }

    return status;
}
