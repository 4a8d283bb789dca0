#include "cli/program/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cli/program/fixed_options.h"
#include "cli/program/parents.h"
#include "cli/program/secrets.h"
#include "cli/terminal/term.h"

/* A path may have the end of a line in it. */
static void put_sentence(const char *text, size_t len)
{
    for (const char *end = text + len; text < end; text++) {
        const size_t run = strcspn(text, "\r\n");
        term_put(stderr, text, run);
        text += run;
        if (text < end)
            fputs(*text == '\n' ? "\\n" : "\\r", stderr);
    }
}

int command_fail(int status, const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    utf8_format(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout);
    fputs("snug: ", stderr);
    put_sentence(text, secrets_hide(text, strlen(text)));
    fputc('\n', stderr);
    return status;
}

int command_fail_host(void)
{
    return command_fail(EXIT_USAGE, "%s", snug_error_message());
}

int command_exit(snug_status status)
{
    switch (status) {
    case SNUG_STATUS_OK:
        return EXIT_FINE;
    case SNUG_STATUS_ERROR:
    case SNUG_STATUS_DENIED:
        return EXIT_FAILED;
    case SNUG_STATUS_TIMEOUT:
    case SNUG_STATUS_STALLED:
        return EXIT_TIMEOUT;
    case SNUG_STATUS_INTERRUPTED:
        return EXIT_INTERRUPT;
    case SNUG_STATUS_MEMORY:
    case SNUG_STATUS_CRASHED:
        return EXIT_KILLED;
    }
    return EXIT_FAILED;
}

/* It may have words of the command's. */
static void tell_fallback(const char *why)
{
    if (why)
        command_fail(EXIT_FINE, "there is no worker, and cells run in this process: %s", why);
}

/* With the folders above it. */
int command_make_workdir(const options *o)
{
    const int is_elsewhere = o->worker_command && !o->docker_image;
    unsigned above;
    int status = EXIT_FINE;

    if (!o->workdir || is_elsewhere)
        return EXIT_FINE;
    char *path = strdup(o->workdir);
    if (!path)
        return command_fail_memory();
    for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
        path[len - 1] = '\0';
    int failed = mkdir(path, 0777) && errno != EEXIST;
    if (failed && errno == ENOENT)
        failed = parents_make(&above, path, 0777) || mkdir(path, 0777);
    if (failed)
        status = command_fail(EXIT_USAGE, "--workdir %s cannot be made: %s", path, strerror(errno));
    free(path);
    return status;
}

static int has_signal(void *payload)
{
    return signals_taken(payload) != 0;
}

int command_fail_open(signals *s)
{
    const int taken = s ? signals_taken(s) : 0;
    return taken ? 128 + taken : command_fail_host();
}

enum { START_MS = 60000 }; /* a server or a container may have to be fetched */

uint64_t command_start_ms(const char **limit, const options *o)
{
    const int is_short = o->budget.wall_ms > 0 && o->budget.wall_ms < START_MS;
    *limit = is_short ? " (--max-seconds)" : "";
    return is_short ? o->budget.wall_ms : START_MS;
}

static int fail_host(const snug_host_options *host, const char *limit, uint64_t begun_ns)
{
    const int is_late = clock_now_ns() - begun_ns >= host->worker_start_ms * NS_PER_MS;
    if (host->is_stopped && host->is_stopped(host->payload))
        return command_fail_open(host->payload);
    return command_fail(EXIT_USAGE, "%s%s", snug_error_message(), is_late ? limit : "");
}

void command_set_host(snug_host_options *host, const options *o, signals *s, const char **limit)
{
    const int is_worker = o->worker_command || o->isolation != IN_PROCESS;

    host->form = is_worker ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    host->worker_command = o->worker_command;
    host->pool_sessions = (size_t)o->pool;
    fixed_options_set_host(host, o);
    if (o->falls_back && o->session.kind == SNUG_KIND_RESTRICTED)
        host->flags = SNUG_HOST_FALLBACK;
    host->worker_start_ms = command_start_ms(limit, o);
    host->is_stopped = s ? has_signal : NULL;
    host->payload = s;
}

int command_make_host(snug_host **out, const options *o, signals *s)
{
    snug_host_options host = SNUG_HOST_OPTIONS_INIT;
    const char *limit;

    command_set_host(&host, o, s, &limit);
    return snug_host_open(out, &host);
}

int command_open_host(snug_host **out, const options *o, signals *s)
{
    snug_host_options host = SNUG_HOST_OPTIONS_INIT;
    const char *limit;
    struct stat in;

    /* Python does not start then, and says it in words of its own. */
    if (!fstat(STDIN_FILENO, &in) && S_ISDIR(in.st_mode))
        return command_fail(EXIT_USAGE, "<stdin>: %s", strerror(EISDIR));

    int status = command_make_workdir(o);
    if (status)
        return status;

    command_set_host(&host, o, s, &limit);
    const uint64_t begun_ns = clock_now_ns();
    if (snug_host_open(out, &host))
        return fail_host(&host, limit, begun_ns);
    tell_fallback(snug_host_fallback(*out));
    return EXIT_FINE;
}
