/*
 * shell_cell.c - the way of a cell in bash: told to the shell, its output taken while it runs, its
 * end told by the shell or found by its process.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/shellword.h"
#include "base/utf8.h"
#include "bash/bash.h"
#include "bash/shell_stop.h"
#include "limits/limits.h"
#include "session/cells/run_cell.h"
#include "session/core/job.h"
#include "session/files/workdir.h"
#include "session/result/result.h"

/* ---- shell ending ---- */

/* What the result of a cell in bash says: that it was refused, with which status
 * it ended, which limit stopped it, or how it lost its shell. */

typedef enum cell_end {
    CELL_RUNS,
    CELL_ENDED, /* told by the shell */
    CELL_LEFT,  /* the shell went with it, in order: another one is as it was */
    CELL_DIED,  /* the shell is gone */
    CELL_GIVEN_UP
} cell_end;

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

/* Source that is too long, not text, or not bash: o says so, and nothing is to be run. SNUG_OK, or
 * why that could not be found out. */
static int ending_refuse(int *is_refused, outcome *o, const char *source, size_t len,
                         uint64_t most_bytes)
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

/* The sentence of a limit. SNUG_OK or SNUG_ENOMEM without a message. */
static int ending_say_limit(str *out, bash_reason reason, const snug_session *session,
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

/* status: of the cell, where it has ended or left; shell_status: of a shell that is lost, as
 * waitpid has it. SNUG_OK or SNUG_ENOMEM with a message, as below. */
static int ending_tell(snug_result *result, bash_stop *stop, cell_end end, int status,
                       int shell_status)
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

/* After the output was taken, the end of which it quotes. */
/* What a model reads: the error and the end of what the commands said. */
static int ending_tell_traceback(snug_result *result)
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

typedef struct bash_cell {
    snug_session *session;
    uint64_t number; /* that the shell tells with its end */
    bash_stop stop;
    snug_call *call; /* a line that was asked for */
    int status;
    int is_late; /* the shell went before the cell had begun */
    str restore;
} bash_cell;

/* ---- output ---- */

/* which: 0 for stdout, 1 for stderr. */
static void pass_text(snug_session *session, int which, const char *text, size_t len)
{
    static const snug_stream streams[] = { SNUG_STREAM_STDOUT, SNUG_STREAM_STDERR };
    const session_callbacks *callbacks = &session->callbacks;

    if (len == 0)
        return;
    capture_write(&session->output, which ? CAPTURE_STDERR : CAPTURE_STDOUT, text, len);
    if (callbacks->on_output)
        callbacks->on_output(callbacks->payload, streams[which], text, len);
}

/* Bytes that are not UTF-8 become U+FFFD. */
static void pass_bytes(snug_session *session, int which, const char *text, size_t len)
{
    str clean = { 0 };
    size_t fault;

    if (utf8_check(text, len, &fault) == UTF8_FINE) {
        pass_text(session, which, text, len);
        return;
    }

    while (utf8_check(text, len, &fault) != UTF8_FINE) {
        str_append(&clean, text, fault);
        str_add(&clean, "\xef\xbf\xbd");
        text += fault + 1;
        len -= fault + 1;
    }

    str_append(&clean, text, len);
    pass_text(session, which, str_text(&clean), clean.len);
    str_free(&clean);
}

enum { READ_BYTES = 65536 };

/* What there is now; 0: nothing. */
static size_t read_output(snug_session *session, int which)
{
    bash_session *b = session->shell;
    char bytes[READ_BYTES];
    str *piece = &b->pieces[which];
    ssize_t n = read(b->shell.streams[which], bytes, sizeof bytes);
    if (n <= 0 || str_append(piece, bytes, (size_t)n))
        return 0;

    /* A character that is not all there yet waits for the next read. */
    size_t whole = utf8_whole(piece->data, piece->len);
    pass_bytes(session, which, piece->data, whole);
    memmove(piece->data, piece->data + whole, piece->len - whole);
    piece->len -= whole;
    return (size_t)n;
}

/* Takes all that was written before the end. What background processes write on and on is left to
 * the next cell, after a number of reads. */
static void drain_output(snug_session *session)
{
    enum { MOST_READS = 64 };
    bash_session *b = session->shell;
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < MOST_READS && read_output(session, which) > 0; i++)
            ;
        pass_bytes(session, which, str_text(&b->pieces[which]), b->pieces[which].len);
        str_clear(&b->pieces[which]);
    }
}

/* ---- lines ---- */

static void pass_no_output(snug_session *session)
{
    (void)session; /* it was passed on already */
}

void bash_wake(const bash_session *b)
{
    const uint64_t one = 1;
    ssize_t written = write(b->wake, &one, sizeof one);
    (void)written; /* a counter that is full wakes as well */
}

/* 0, or -1: there is no counter any more. */
static int forget_wakes(const bash_session *b)
{
    uint64_t count;
    return read(b->wake, &count, sizeof count) < 0 && errno != EAGAIN ? -1 : 0;
}

static void wake_cell(void *payload)
{
    bash_wake(payload);
}

static void ask_for_line(bash_cell *cell, const char *prompt)
{
    snug_session *session = cell->session;
    str text = { 0 };
    size_t len = strlen(prompt), fault;

    if (utf8_check(prompt, len, &fault) != UTF8_FINE)
        len = fault;
    if (cell->call || !session->callbacks.on_input || str_append(&text, prompt, len) ||
        call_prepare(&cell->call, session->desk, NULL, &text) != DESK_FINE) {
        shell_answer(&session->shell->shell, NULL, 0);
        return;
    }

    call_make(cell->call, 0);
    session_make_calls(session, DESK_ALL, pass_no_output);
}

static void pass_line(bash_cell *cell)
{
    str text = { 0 };

    if (cell->call && clock_now_ns() >= call_deadline_ns(cell->call))
        call_end(cell->call, CALL_TIMEOUT);
    if (!cell->call || !call_is_over(cell->call))
        return;
    call_state how = call_take(&text, cell->call);
    shell_answer(&cell->session->shell->shell, how == CALL_OK ? str_text(&text) : NULL, text.len);
    str_free(&text);
    call_drop(cell->call);
    cell->call = NULL;
}

/* ---- waiting ---- */

/* Without memory they are as they were, or fewer: nothing rests on them. */
static void take_names(bash_session *b, const shell_word *word)
{
    str_clear(&b->names);
    if (word->variables && str_add(&b->names, word->variables) == SNUG_OK && word->functions)
        str_add(&b->names, word->functions);
}

static cell_end hear_shell(bash_cell *cell)
{
    shell *s = &cell->session->shell->shell;
    shell_word word;

    shell_listen(s);
    for (shell_message said; (said = shell_hear(s, &word)) != SHELL_NOTHING;) {
        if (said == SHELL_INPUT) {
            ask_for_line(cell, word.prompt);
        } else if (said == SHELL_EXIT || word.cell == cell->number) {
            cell->is_late = word.cell != cell->number;
            cell->status = word.status;
            take_names(cell->session->shell, &word);
            if (said != SHELL_EXIT)
                return CELL_ENDED;
            if (str_add(&cell->restore, word.restore))
                return CELL_DIED;
            return CELL_LEFT;
        }
    }

    if (s->is_bad)
        return CELL_GIVEN_UP;
    return CELL_RUNS;
}

static int ms_until(uint64_t ns)
{
    uint64_t now = clock_now_ns();
    return ns > now ? (int)((ns - now) / NS_PER_MS) + 1 : 0;
}

/* What may come for the thread of a cell. */
enum { AT_STDOUT, AT_STDERR, AT_STATUS, AT_END, AT_WAKE, AT_CONTROL, AT_TERMINAL, PLACES };

static void wait_for_event(const bash_session *b, uint64_t until_ns, short revents[PLACES])
{
    const shell *s = &b->shell;
    struct pollfd fds[PLACES] = {
        [AT_STDOUT] = { s->streams[0], POLLIN, 0 },
        [AT_STDERR] = { s->streams[1], POLLIN, 0 },
        [AT_STATUS] = { s->status, POLLIN, 0 },
        [AT_END] = { s->end, POLLIN, 0 },
        [AT_WAKE] = { b->wake, POLLIN, 0 },
        [AT_TERMINAL] = { s->terminal, POLLIN, 0 },
        [AT_CONTROL] = { s->unsent.len > 0 ? s->control : -1, POLLOUT, 0 },
    };
    int count = poll(fds, PLACES, ms_until(until_ns));

    for (int i = 0; i < PLACES; i++)
        revents[i] = count > 0 ? fds[i].revents : 0;
}

static cell_end wait_for_end(bash_cell *cell)
{
    bash_session *b = cell->session->shell;
    cell_end end = CELL_RUNS;

    while (end == CELL_RUNS) {
        short came[PLACES];
        wait_for_event(b, stop_next_ns(&cell->stop), came);
        for (int which = 0; which < 2; which++)
            if (came[which])
                read_output(cell->session, which);

        if (came[AT_WAKE] && forget_wakes(b) != 0)
            return CELL_GIVEN_UP;
        if (came[AT_CONTROL])
            shell_flush(&b->shell);
        pass_line(cell);

        if (came[AT_STATUS] || came[AT_TERMINAL] || came[AT_END])
            end = hear_shell(cell);
        if (end == CELL_RUNS && came[AT_END])
            end = CELL_DIED;
        if (end == CELL_RUNS && stop_look(&cell->stop))
            end = CELL_GIVEN_UP;
    }

    return end;
}

/* ---- a shell's life ---- */

/* On a machine that is short of processors a shell gets none for seconds. */
enum { SETTLE_MS = 10000, SETTLE_STEP_MS = 50, MOST_STEP_MS = 200 };

/* Numbers that no cell has, of what the shell is asked between cells, and of cells aside. */
#define SYNC_BASE  (UINT64_C(1) << 62)
#define ASIDE_BASE (UINT64_C(1) << 61)

static cell_end wait_for_sync(bash_cell *cell, uint64_t until_ns)
{
    bash_session *b = cell->session->shell;
    cell_end end = CELL_RUNS;

    /* What has come is heard even where this thread was late itself. */
    do {
        short came[PLACES];
        wait_for_event(b, until_ns, came);
        shell_flush(&b->shell);
        drain_output(cell->session);
        if (came[AT_WAKE])
            forget_wakes(b);
        end = hear_shell(cell);
        if (came[AT_END] && end == CELL_RUNS)
            end = CELL_DIED;
    } while (end == CELL_RUNS && clock_now_ns() < until_ns);

    return end;
}

/* An interrupt that comes late may take along what the shell is asked, so it is asked again: less
 * often after a while, because a slow one has to answer each time. */
static cell_end ask_to_settle(bash_cell *cell, int *error)
{
    bash_session *b = cell->session->shell;
    cell_end end = CELL_RUNS;
    unsigned long long number = cell->number;
    uint64_t step_ms = SETTLE_STEP_MS;
    char ask[128];

    int len = snprintf(ask, sizeof ask, "\n__snug_end %llu 0\n", number);
    const uint64_t until_ns = clock_deadline_ns(clock_now_ns(), SETTLE_MS);
    while (end == CELL_RUNS) {
        *error = shell_tell(&b->shell, ask, (size_t)len);
        if (*error)
            break;
        end = wait_for_sync(cell, clock_deadline_ns(clock_now_ns(), step_ms));
        if (end == CELL_RUNS && clock_now_ns() >= until_ns)
            end = CELL_GIVEN_UP;
        if (step_ms < MOST_STEP_MS)
            step_ms *= 2;
    }

    return end;
}

int bash_settle(snug_session *session, const char *line)
{
    bash_session *b = session->shell;
    bash_cell cell = { .session = session, .number = SYNC_BASE + ++b->syncs };
    int error = SNUG_OK;

    if (line)
        error = shell_tell(&b->shell, line, strlen(line));
    if (!error && ask_to_settle(&cell, &error) != CELL_ENDED && !error)
        error = error_set(SNUG_ESTOPPED, "the shell of session %s does not answer", session->name);

    str_free(&cell.restore);
    return error;
}

static shell_limits limits_of(const snug_session *session)
{
    const snug_limits *l = &session->limits;
    uint64_t cpu_ms = l->session_cpu_ms;

    return (shell_limits){
        .data_bytes = l->memory_bytes,
        .file_bytes = l->disk_bytes,
        .cpu_s = cpu_ms == SNUG_UNLIMITED ? SNUG_UNLIMITED : cpu_ms / 1000 + 1,
        .processes = BASH_PROCESSES + l->threads + 8, /* the worker's threads count too */
    };
}

/* Whole, at once: what fails of it (a constant of bash's own) is left out. */
static int restore_shell(snug_session *session, const char *restore)
{
    str line = { 0 };
    int error;

    if (str_add(&line, "builtin eval ") || shellword_append(&line, restore, strlen(restore)) ||
        str_add(&line, " 0</dev/null >/dev/null 2>&1\n"))
        error = error_no_memory();
    else
        error = bash_settle(session, str_text(&line));

    str_free(&line);
    return error;
}

int bash_start(snug_session *session, const char *restore)
{
    bash_session *b = session->shell;
    const shell_limits limits = limits_of(session);

    shell_close(&b->shell);
    session->is_lost = 1;
    int error = shell_open(&b->shell, &limits, session->callbacks.on_input != NULL);
    if (!error)
        error = bash_settle(session, NULL);
    if (!error && !restore) {
        str_free(&b->first);
        b->first = b->names;
        b->names = (str){ 0 };
        error = bash_settle(session, NULL);
    }

    if (!error && restore)
        error = restore_shell(session, restore);
    session->is_lost = error != 0;
    return error;
}

/* ---- a cell ---- */

static uint64_t room_for_output(void *disk)
{
    return disk_left(disk);
}

/* Aside: in a subshell, of which nothing stays. */
static int send_cell(bash_cell *cell, const char *source, size_t len, int is_aside)
{
    const int is_apart = is_aside == CELL_ASIDE;
    const char *begin = is_apart ? "if ( builtin eval " : "builtin eval ";
    const char *after = is_apart ? " )" : "";
    const char *end = is_apart ? "; then __snug_left=0; else __snug_left=$?; fi" : "";

    unsigned long long number = cell->number;
    str line = { 0 };

    int error = str_printf(&line, "__snug_cell=%llu __snug_line=$LINENO; %s", number, begin);
    if (!error)
        error = shellword_append(&line, source, len);
    if (!error)
        error = str_printf(&line, "%s 0</dev/null 1>&240 2>&241%s\n__snug_end %llu \"$?\"\n", after,
                           end, number);

    if (error)
        error = error_no_memory();
    else
        error = shell_tell(&cell->session->shell->shell, line.data, line.len);

    str_free(&line);
    return error;
}

static cell_end run_source(bash_cell *cell, const char *source, size_t len, int is_aside,
                           int *error)
{
    snug_session *session = cell->session;

    desk_set_wake(session->desk, wake_cell, session->shell);
    desk_begin(session->desk, UINT64_MAX, cell->stop.limits.input_ms);
    cell_end end = CELL_RUNS;
    *error = send_cell(cell, source, len, is_aside);
    if (!*error)
        end = wait_for_end(cell);
    if (end == CELL_LEFT && cell->is_late && bash_start(session, str_text(&cell->restore)) == 0) {
        str_clear(&cell->restore);
        *error = send_cell(cell, source, len, is_aside);
        if (!*error)
            end = wait_for_end(cell);
    }

    desk_end(session->desk);
    desk_set_wake(session->desk, NULL, NULL);
    if (cell->call)
        call_drop(cell->call);
    shell_forget_answers(&session->shell->shell);
    drain_output(session);
    return end;
}

/* Sees to it that there is a shell for the next cell, or that the session is lost. *shell_status is
 * then how the shell ended, as waitpid has it. */
static void follow_shell(bash_cell *cell, cell_end end, int *shell_status)
{
    snug_session *session = cell->session;
    bash_session *b = session->shell;

    if (end == CELL_ENDED && cell->stop.reason != BASH_RUNS && bash_settle(session, NULL))
        end = CELL_GIVEN_UP;
    if (end == CELL_ENDED)
        return;
    if (end == CELL_LEFT && bash_start(session, str_text(&cell->restore)) == SNUG_OK)
        return;

    *shell_status = shell_close(&b->shell);
    procs_end_all();
    session->is_lost = 1;
}

static int take_result(snug_result *result, snug_session *session)
{
    capture_finish(&session->output);
    int error = result_take_output(result, &session->output);
    disk_touch(&session->files.disk);
    if (error)
        return error;
    return artifacts_take(result, session);
}

/* What the watch had to do meanwhile. */
static void tell_of_watch(snug_session *session, const snug_limits *limits)
{
    bash_watch *w = &session->shell->watch;
    str text = { 0 };

    if (w->reason != BASH_RUNS &&
        str_add(&text, "snug: what earlier cells had left running was ended: ") == SNUG_OK &&
        ending_say_limit(&text, (bash_reason)w->reason, session, limits) == SNUG_OK &&
        str_add(&text, "\n") == SNUG_OK)
        pass_text(session, 1, text.data, text.len);

    w->reason = BASH_RUNS;
    str_free(&text);
}

static int run_and_tell(snug_result *result, snug_session *session, const char *source, size_t len,
                        const snug_limits *limits, int is_aside)
{
    bash_session *b = session->shell;
    bash_cell cell = { .session = session, .number = session->cells };
    int is_refused, shell_status = 0;

    if (is_aside)
        cell.number = ASIDE_BASE + ++b->syncs;
    atomic_store(&b->is_wanted, 0);
    int error = ending_refuse(&is_refused, &result->outcome, source, len, limits->source_bytes);
    if (error || is_refused)
        return error;

    tell_of_watch(session, limits);
    stop_begin(&cell.stop, session, cell.number, limits);
    cell_end end = run_source(&cell, source, len, is_aside, &error);
    stop_end(&cell.stop);

    if (!error)
        follow_shell(&cell, end, &shell_status);
    if (!error)
        error = ending_tell(result, &cell.stop, end, cell.status, shell_status);
    str_free(&cell.restore);

    result->cpu_ns = cell.stop.cpu_ns;
    result->peak_bytes = cell.stop.peak_bytes;
    result->state = session->is_lost ? SNUG_STATE_LOST : SNUG_STATE_KEPT;
    return error;
}

static int run_cell_whole(snug_result **out, snug_session *session, const char *source, size_t len,
                          const snug_limits *limits, int is_aside)
{
    snug_result *result = result_new(session->name);
    const snug_limits all = limits_resolve(limits, &session->limits);

    if (!result)
        return error_no_memory();

    uint64_t start_ns = clock_now_ns();
    if (!is_aside)
        result->execution_count = ++session->cells;
    artifacts_begin(session);
    capture_reset(&session->output, all.output_bytes, all.display_bytes);
    disk_begin(&session->files.disk, all.disk_bytes, all.disk_files);
    capture_allow_spill(&session->output, session->cells + (is_aside != CELL_RECORDED),
                        room_for_output, &session->files.disk);

    int error = run_and_tell(result, session, source ? source : "", len, &all, is_aside);
    if (!error)
        error = take_result(result, session);
    if (!error)
        error = ending_tell_traceback(result);
    if (error) {
        snug_result_free(result);
        return error;
    }

    result->wall_ns = clock_now_ns() - start_ns;
    *out = result;
    return SNUG_OK;
}

int bash_run(snug_result **out, snug_session *session, const char *source, size_t len,
             const snug_limits *limits, int is_aside)
{
    watch_enter(session);
    int error = run_cell_whole(out, session, source, len, limits, is_aside);
    watch_leave(session);
    return error;
}
