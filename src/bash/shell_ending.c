#include "bash/shell_ending.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/utf8.h"
#include "bash/bash.h"
#include "session/result/result.h"

static int set_outcome(outcome *o, snug_status status, const char *category, const char *class,
                       const char *name, const char *value, const char *hint)
{
    o->status = status;
    o->category = category;
    o->error_class = class;
    if (str_add(&o->error_name, name) || str_add(&o->error_value, value) || str_add(&o->hint, hint))
        return error_no_memory();
    return SNUG_OK;
}

/* ---- source that is refused ---- */

static unsigned read_line_number(const char *message)
{
    const char *at = strstr(message, "line ");
    if (!at)
        return 0;
    return (unsigned)strtoul(at + 5, NULL, 10);
}

/* "/bin/bash: line 2: syntax error near unexpected token `fi'" */
static int tell_syntax(outcome *o, const str *said)
{
    const char *text = str_text(said), *colon = strstr(text, ": ");
    const char *value = colon ? colon + 2 : text;
    size_t len = strcspn(value, "\n");

    o->status = SNUG_STATUS_ERROR;
    o->category = o->error_class = "syntax";
    if (str_add(&o->error_name, "SyntaxError") || str_append(&o->error_value, value, len))
        return error_no_memory();
    if (str_append(&o->traceback, text, said->len) ||
        str_add(&o->hint, "bash cannot read the cell, and has run nothing of it."))
        return error_no_memory();

    o->frames = calloc(1, sizeof *o->frames);
    if (!o->frames || str_add(&o->frames->file, "<cell>"))
        return error_no_memory();

    o->frame_count = 1;
    o->frames->line = read_line_number(value);
    return SNUG_OK;
}

/* Why bash cannot be given this text; empty: it can. */
static void judge_text(char *out, size_t size, const char *source, size_t len, uint64_t most_bytes)
{
    size_t at;

    *out = '\0';
    if (len > most_bytes)
        snprintf(out, size, "the source has %zu bytes, more than the %llu of its limit", len,
                 (unsigned long long)most_bytes);
    else if (memchr(source, '\0', len))
        snprintf(out, size, "the source has a NUL byte");
    else if (utf8_check(source, len, &at) != UTF8_FINE)
        snprintf(out, size, "the source is not UTF-8 at byte %zu", at + 1);
}

int ending_refuse(int *is_refused, outcome *o, const char *source, size_t len, uint64_t most_bytes)
{
    char value[120];
    str said = { 0 };

    judge_text(value, sizeof value, source, len, most_bytes);
    *is_refused = *value != '\0';
    if (*is_refused)
        return set_outcome(o, SNUG_STATUS_ERROR, "syntax", "syntax", "SyntaxError", value, "");

    int error = shell_check(&said, source, len);
    *is_refused = strstr(str_text(&said), "syntax error") != NULL ||
                  strstr(str_text(&said), "unexpected EOF") != NULL;
    if (!error && *is_refused) {
        utf8_mend(said.data, said.len);
        error = tell_syntax(o, &said);
    }

    str_free(&said);
    return error;
}

/* ---- which limit stopped it ---- */

static const struct {
    snug_status status;
    const char *category, *class, *name;
    const char *before, *after; /* the limit, in the sentence; NULL: it has none */
    const char *hint;
} rows[] = {
    [BASH_TIME] = { SNUG_STATUS_TIMEOUT, "timeout", "environment", "TimeoutError",
                    "the cell took longer than ", " ms",
                    "Do less in one cell, or give it more time." },
    [BASH_CPU] = { SNUG_STATUS_TIMEOUT, "timeout", "environment", "TimeoutError",
                   "the cell used more than ", " ms of processor time",
                   "Do less in one cell, or give it more processor time." },
    [BASH_SESSION_CPU] = { SNUG_STATUS_TIMEOUT, "timeout", "environment", "TimeoutError",
                           "the session has used its ", " ms of processor time",
                           "The session can run nothing more that takes time." },
    [BASH_MEMORY] = { SNUG_STATUS_MEMORY, "memory", "environment", "MemoryError",
                      "the session's processes had more than ", " bytes in memory",
                      "Work in pieces: read lines and not files, and keep data in files." },
    [BASH_PROCESS_COUNT] = { SNUG_STATUS_ERROR, "runtime", "environment", "ProcessLimit",
                             "the session had more than ", " processes and threads",
                             "Start fewer at a time, and wait for them." },
    [BASH_DISK] = { SNUG_STATUS_ERROR, "io", "environment", "DiskLimit",
                    "the session's files had more than ", " bytes, or were too many",
                    "Remove files that are not needed any more, and write less." },
    [BASH_INTERRUPT] = { SNUG_STATUS_INTERRUPTED, "runtime", "runtime", "KeyboardInterrupt",
                         "the cell was interrupted", NULL, "" },
};

static uint64_t limit_for(bash_reason reason, const snug_session *session,
                          const snug_limits *limits)
{
    switch (reason) {
    case BASH_TIME:
        return limits->wall_ms;
    case BASH_CPU:
        return limits->cpu_ms;
    case BASH_SESSION_CPU:
        return limits->session_cpu_ms;
    case BASH_MEMORY:
        return session->limits.memory_bytes;
    case BASH_PROCESS_COUNT:
        return bounds_of_processes(session);
    case BASH_DISK:
        return limits->disk_bytes;
    case BASH_RUNS:
    case BASH_INTERRUPT:
        break;
    }
    return 0;
}

int ending_say_limit(str *out, bash_reason reason, const snug_session *session,
                     const snug_limits *limits)
{
    if (!rows[reason].after)
        return str_add(out, rows[reason].before);

    unsigned long long limit = limit_for(reason, session, limits);
    return str_printf(out, "%s%llu%s", rows[reason].before, limit, rows[reason].after);
}

static int tell_stop(outcome *o, const bash_stop *stop)
{
    o->status = rows[stop->reason].status;
    o->category = rows[stop->reason].category;
    o->error_class = rows[stop->reason].class;
    int error = str_add(&o->error_name, rows[stop->reason].name);
    if (!error)
        error = ending_say_limit(&o->error_value, stop->reason, stop->session, &stop->limits);
    if (!error)
        error = str_add(&o->hint, rows[stop->reason].hint);
    return error;
}

/* ---- how it ended ---- */

static const char *hint_for(int status)
{
    if (status == 127)
        return "A command was not found: what is there is in /usr/bin, and nothing can be "
               "installed.";

    if (status == 126)
        return "What was called exists, but is not a program that can be run.";
    if (status > 128)
        return "A process of the cell was ended by a signal.";
    return "stderr tells which command failed; its exit status is that of the cell.";
}

static int tell_exit_status(outcome *o, int status)
{
    char value[80];

    if (status == 0)
        return SNUG_OK;
    if (status > 128 && strsignal(status - 128) && status - 128 < NSIG)
        snprintf(value, sizeof value, "exit status %d (%.40s)", status, strsignal(status - 128));
    else
        snprintf(value, sizeof value, "exit status %d", status);

    return set_outcome(o, SNUG_STATUS_ERROR, "runtime", "runtime", "ExitStatus", value,
                       hint_for(status));
}

static const char lost_hint[] =
    "The shell is gone with its variables and functions: reset the session, or open a new one.";

static int tell_death(outcome *o, int shell_status)
{
    char value[120];

    if (WIFSIGNALED(shell_status)) {
        snprintf(value, sizeof value, "the shell was killed by signal %d (%.40s)",
                 WTERMSIG(shell_status), strsignal(WTERMSIG(shell_status)));
        return set_outcome(o, SNUG_STATUS_CRASHED, "internal", "runtime", "SystemError", value,
                           lost_hint);
    }

    if (WEXITSTATUS(shell_status) == 0)
        return SNUG_OK;
    snprintf(value, sizeof value, "the shell has ended with exit status %d, as exec has it",
             WEXITSTATUS(shell_status));
    return set_outcome(o, SNUG_STATUS_ERROR, "runtime", "runtime", "ExitStatus", value, lost_hint);
}

/* bash complains about it, and ends. */
static int is_out_of_memory(const snug_session *session)
{
    str text = { 0 };
    int found = stream_text(&session->output.streams[CAPTURE_STDERR], &text) == SNUG_OK &&
                strstr(str_text(&text), ": cannot allocate ") != NULL;
    str_free(&text);
    return found;
}

int ending_tell(snug_result *result, bash_stop *stop, cell_end end, int status, int shell_status)
{
    const snug_session *session = stop->session;
    outcome *o = &result->outcome;

    if (stop->reason == BASH_RUNS && end == CELL_DIED && is_out_of_memory(session))
        stop->reason = BASH_MEMORY;
    if (stop->reason == BASH_RUNS) {
        if (end == CELL_DIED || end == CELL_GIVEN_UP)
            return tell_death(o, shell_status);
        return tell_exit_status(o, status);
    }

    result->rung = stop->rung;
    int error = tell_stop(o, stop);
    if (!error && session->is_lost) {
        str_clear(&o->hint);
        error = str_add(&o->hint, lost_hint);
    }

    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* What a model reads: the error and the end of what the commands said. */
int ending_tell_traceback(snug_result *result)
{
    enum { MOST_BYTES = 4000 };
    outcome *o = &result->outcome;
    const str *said = &result->streams[1];
    size_t at = said->len > MOST_BYTES ? said->len - MOST_BYTES : 0;
    if (!o->category)
        return SNUG_OK;

    at = utf8_ceil(str_text(said), said->len, at);
    int error = str_append(&o->traceback, str_text(said) + at, said->len - at);
    if (!error && o->traceback.len > 0 && o->traceback.data[o->traceback.len - 1] != '\n')
        error = str_add(&o->traceback, "\n");
    if (!error)
        error = str_printf(&o->traceback, "%s: %s\n", str_text(&o->error_name),
                           str_text(&o->error_value));

    if (error)
        return error_no_memory();
    return SNUG_OK;
}
