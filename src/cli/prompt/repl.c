/* snug on a terminal: a notebook-like prompt, one session. */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/session_files.h"
#include "cli/program/signals.h"
#include "cli/prompt/edit.h"
#include "cli/prompt/read_line.h"
#include "cli/prompt/show_cell.h"
#include "cli/tools/user_tools.h"

typedef struct prompt {
    const options *options;
    snug_host *host;
    snug_session *session;
    signals signals;
    show show;
    keep keep;
    tools tools;
    edit *edit;
    str source; /* the lines of the cell so far, each with its end */
    uint64_t number;
} prompt;

/* ---- completion ---- */

static void *open_matches(void *payload, const char *line, size_t cursor, size_t *start)
{
    prompt *p = payload;
    snug_completion *completion = NULL;
    str source = { 0 };
    size_t before = p->source.len;

    if (!str_append(&source, str_text(&p->source), before) && !str_append(&source, line, cursor))
        snug_session_complete(&completion, p->session, str_text(&source), source.len, source.len);
    str_free(&source);
    if (completion && snug_completion_start(completion) < before) {
        snug_completion_free(completion);
        return NULL;
    }

    if (completion)
        *start = snug_completion_start(completion) - before;
    return completion;
}

static const char *match_at(void *completion, size_t index)
{
    return snug_completion_match(completion, index);
}

static void close_matches(void *completion)
{
    snug_completion_free(completion);
}

/* ---- a cell ---- */

static int is_blank_source(const char *text)
{
    return !text[strspn(text, " \t\r\n\f")];
}

/* 1: the lines so far are a cell. A line that is indented waits for an empty one,
 * so that a block can go on. What is pasted is one cell, and where the terminal does
 * not mark pastes an empty line within one ends nothing. */
static int is_whole_cell(prompt *p, const char *last)
{
    if (edit_has_pasted(p->edit) || (is_blank_source(last) && edit_has_input(p->edit)))
        return 0;
    int is_first = p->source.len == strlen(last) + 1;
    int answer = snug_session_is_complete(p->session, str_text(&p->source), p->source.len);
    if (answer < 0)
        return 1; /* the run says why */
    return answer && (is_first || is_blank_source(last) || !strchr(" \t", *last));
}

/* EDIT_LINE: p->source is a cell. */
static edit_event read_prompt_cell(prompt *p)
{
    char text[128];
    str line = { 0 };
    edit_event event;
    const char *on = term_on(&p->show.colors, stdout, TERM_IN);
    const char *off = term_on(&p->show.colors, stdout, TERM_OFF);
    const char *mark = *on ? "\1" : "";

    str_clear(&p->source);
    do {
        char number[24];
        int width = snprintf(number, sizeof number, "%" PRIu64, p->number);
        if (p->source.len == 0)
            snprintf(text, sizeof text, "%s%s%sIn [%s]:%s%s%s ", mark, on, mark, number, mark, off,
                     mark);
        else
            snprintf(text, sizeof text, "%s%s%s%*s...:%s%s%s ", mark, on, mark, width + 2, "", mark,
                     off, mark);
        event = edit_read(p->edit, text, &line);
        if (event == EDIT_LINE) {
            edit_remember(p->edit, str_text(&line));
            if (str_append(&p->source, str_text(&line), line.len) || str_add(&p->source, "\n"))
                event = EDIT_END;
        }
    } while (event == EDIT_LINE && !is_blank_source(str_text(&p->source)) &&
             !is_whole_cell(p, str_text(&line)));

    str_free(&line);
    return event;
}

/* The cell ran and its session is gone: never silently a new one. */
static int renew_session(prompt *p)
{
    fputs("snug: a new session takes its place\n", stderr);
    if (snug_session_reset(p->session))
        return command_fail_host();
    p->number = 1;
    return EXIT_FINE;
}

static int run_prompt_cell(prompt *p)
{
    snug_result *result;

    signals_watch(&p->signals, p->session);
    int error = snug_session_run(&result, p->session, p->source.data, p->source.len, NULL);
    signals_watch(&p->signals, NULL);
    signals_forgive(&p->signals);
    if (error == SNUG_EDEAD)
        return renew_session(p);
    if (error)
        return command_fail_host();

    if (snug_result_status(result) == SNUG_STATUS_INTERRUPTED)
        putchar('\n'); /* behind the terminal's ^C */
    show_result(&p->show, result);
    keep_add(&p->keep, p->source.data, p->source.len, result);
    p->number = snug_result_execution_count(result) + 1;
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    snug_result_free(result);
    return is_lost ? renew_session(p) : EXIT_FINE;
}

/* ---- the prompt's own words ---- */

static int is_one_of(const prompt *p, const char *const *words)
{
    const char *text = str_text(&p->source) + strspn(str_text(&p->source), " \t");
    size_t len = strlen(text);

    while (len > 0 && strchr(" \t\n;", text[len - 1]))
        len--;
    for (; *words; words++)
        if (strlen(*words) == len && !memcmp(*words, text, len))
            return 1;

    return 0;
}

static int is_exit(const prompt *p)
{
    static const char *const words[] = { "exit", "quit", "exit()", "quit()", NULL };
    return is_one_of(p, words);
}

static int is_help(const prompt *p)
{
    static const char *const words[] = { "help", "?", NULL };
    return is_one_of(p, words);
}

static void print_prompt_help(const prompt *p)
{
    printf("A cell is run when it is whole; an empty line ends a block.\n"
           "Tab completes, and indents at the start of a line. Up and down go through the\n"
           "history, Ctrl-R searches it. Ctrl-C clears the line or interrupts the cell.\n"
           "exit, quit or Ctrl-D leave. Names stay from cell to cell; _, __, Out[1] and In[1]\n"
           "are there as in a notebook. Files of the session: %s\n\n",
           snug_session_workdir(p->session));
}

static void print_banner(const prompt *p)
{
    /* "python: 3.11.2" is a line of the report. */
    const char *report = snug_host_report(p->host);
    const char *python = strstr(report, "\npython: ");
    int len = python ? (int)strcspn(python + 9, "\n") : 0;
    printf("snug %s%s%.*s; help says more, Ctrl-D leaves\n\n", snug_version(),
           len ? ", Python " : "", len, len ? python + 9 : "");
}

/* ---- where the history is ---- */

static int make_parents(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        int failed = mkdir(path, 0700) && errno != EEXIST;
        *at = '/';
        if (failed)
            return 0;
    }
    return 1;
}

/* NULL: no history is kept. Free it. */
static char *history_path(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    str path = { 0 };
    int error = SNUG_ENOTFOUND;

    /* The XDG base directory specification: relative paths are to be ignored. */
    if (state && *state == '/')
        error = str_printf(&path, "%s/snug/history", state);
    else if (home && *home == '/')
        error = str_printf(&path, "%s/.local/state/snug/history", home);

    if (error || !make_parents(path.data))
        str_free(&path);
    return path.data;
}

/* ---- the command ---- */

/* Cells are UTF-8, whatever the environment says. */
static void set_utf8_locale(void)
{
    if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setlocale(LC_CTYPE, "C.UTF-8");
}

static int open_prompt(prompt *p)
{
    snug_session_options session = p->options->session;

    session.on_output = show_output;
    session.on_display = show_display;
    session.payload = &p->show;
    session.on_input = ask_line;
    int status = tools_open(&p->tools, p->options);
    if (status || (status = command_open_host(&p->host, p->options)))
        return status;
    if (snug_session_open(&p->session, p->host, &session) || tools_bind(&p->tools, p->session))
        return command_fail_host();

    p->show.session = p->session;
    if ((status = keep_begin(&p->keep, p->options, p->session)))
        return status;

    p->number = snug_session_execution_count(p->session) + 1;

    edit_completer completer = { open_matches, match_at, close_matches, p };
    char *history = history_path();
    int error = edit_open(&p->edit, &p->signals, &completer, history);
    free(history);
    return error ? command_fail(EXIT_USAGE, "%s", error_message()) : EXIT_FINE;
}

static int serve_prompt(prompt *p)
{
    int status = EXIT_FINE;

    print_banner(p);
    while (!status && !p->show.is_broken) {
        edit_event event = read_prompt_cell(p);
        if (event == EDIT_CANCEL || (event == EDIT_LINE && is_blank_source(str_text(&p->source))))
            continue;
        if (event == EDIT_END || is_exit(p))
            break;
        if (is_help(p))
            print_prompt_help(p);
        else
            status = run_prompt_cell(p);
    }

    return status;
}

int command_prompt(const options *o)
{
    prompt p = { .options = o, .number = 1 };

    p.show.colors = term_open((term_mode)o->color);
    p.show.is_verbose = o->is_verbose;
    set_utf8_locale();
    int status = signals_start(&p.signals) ? command_fail(EXIT_USAGE, "%s", error_message())
                                           : open_prompt(&p);
    if (!status) {
        status = serve_prompt(&p);
        int kept = keep_end(&p.keep, p.session);
        status = status ? status : kept;
    }

    edit_close(p.edit);
    snug_session_close(p.session);
    tools_close(&p.tools);
    snug_host_close(p.host);
    int taken = signals_taken(&p.signals);
    signals_stop(&p.signals);
    str_free(&p.source);
    return taken ? 128 + taken : status;
}
