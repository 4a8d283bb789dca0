#include "cli/program/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/term.h"

int command_fail(int status, const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout);
    fputs("snug: ", stderr);
    term_put(stderr, text, strlen(text));
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
    if (!why)
        return;
    fputs("snug: there is no worker, and cells run in this process: ", stderr);
    term_put(stderr, why, strlen(why));
    fputc('\n', stderr);
}

int command_open_host(snug_host **out, const options *o)
{
    snug_host_options host = SNUG_HOST_OPTIONS_INIT;
    struct stat in;

    /* Python does not start then, and says it in words of its own. */
    if (!fstat(STDIN_FILENO, &in) && S_ISDIR(in.st_mode))
        return command_fail(EXIT_USAGE, "<stdin>: %s", strerror(EISDIR));

    int is_worker = o->worker_command || o->isolation != IN_PROCESS;
    host.form = is_worker ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    host.worker_command = o->worker_command;
    host.pool_sessions = (size_t)o->pool;
    if (o->falls_back && o->session.kind == SNUG_KIND_RESTRICTED)
        host.flags = SNUG_HOST_FALLBACK;
    if (snug_host_open(out, &host))
        return command_fail_host();
    tell_fallback(snug_host_fallback(*out));
    return EXIT_FINE;
}
