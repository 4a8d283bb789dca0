/* snug on a terminal: a notebook-like prompt, one session. */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/state_folder.h"
#include "cli/prompt/edit.h"
#include "cli/prompt/shown_session.h"

typedef struct prompt {
    shown_session shown;
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
        snug_session_complete(&completion, p->shown.session, str_text(&source), source.len,
                              source.len);

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
    int answer = snug_session_is_complete(p->shown.session, str_text(&p->source), p->source.len);
    if (answer < 0)
        return 1; /* the run says why */
    return answer && (is_first || is_blank_source(last) || !strchr(" \t", *last));
}

/* "In [3]: ", or "   ...: " below it, between marks for what takes no room on the screen. */
static void format_prompt(char *out, size_t size, const prompt *p)
{
    const char *on = term_on(&p->shown.show.colors, stdout, TERM_IN);
    const char *off = term_on(&p->shown.show.colors, stdout, TERM_OFF);
    const char *mark = *on ? "\1" : "";
    char number[24];
    int width = snprintf(number, sizeof number, "%" PRIu64, p->number);

    if (p->source.len == 0)
        snprintf(out, size, "%s%s%sIn [%s]:%s%s%s ", mark, on, mark, number, mark, off, mark);
    else
        snprintf(out, size, "%s%s%s%*s...:%s%s%s ", mark, on, mark, width + 2, "", mark, off, mark);
}

/* EDIT_LINE: p->source is a cell. */
static edit_event read_prompt_cell(prompt *p)
{
    str line = { 0 };
    edit_event event;

    str_clear(&p->source);
    for (;;) {
        char text[128];
        format_prompt(text, sizeof text, p);
        event = edit_read(p->edit, text, &line);
        if (event != EDIT_LINE)
            break;

        edit_remember(p->edit, str_text(&line));
        if (str_append(&p->source, str_text(&line), line.len) || str_add(&p->source, "\n")) {
            event = EDIT_END;
            break;
        }

        if (is_blank_source(str_text(&p->source)) || is_whole_cell(p, str_text(&line)))
            break;
    }

    str_free(&line);
    return event;
}

/* The cell ran and its session is gone: never silently a new one. */
static int renew_session(prompt *p)
{
    fputs("snug: a new session takes its place\n", stderr);
    if (snug_session_reset(p->shown.session))
        return command_fail_host();
    p->number = 1;
    return EXIT_FINE;
}

static int run_prompt_cell(prompt *p)
{
    snug_result *result;

    signals_watch(&p->shown.signals, p->shown.session);
    int error = snug_session_run(&result, p->shown.session, p->source.data, p->source.len, NULL);
    signals_watch(&p->shown.signals, NULL);
    signals_forgive(&p->shown.signals);
    if (error == SNUG_EDEAD)
        return renew_session(p);
    if (error)
        return command_fail_host();

    if (snug_result_status(result) == SNUG_STATUS_INTERRUPTED)
        putchar('\n'); /* behind the terminal's ^C */
    show_result(&p->shown.show, result);
    session_files_add(&p->shown.files, p->source.data, p->source.len, result);
    p->number = snug_result_execution_count(result) + 1;
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    snug_result_free(result);
    if (is_lost)
        return renew_session(p);
    return EXIT_FINE;
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
           snug_session_workdir(p->shown.session));
}

static void print_banner(const prompt *p)
{
    static const char key[] = "\npython: "; /* a line of the report: "python: 3.11.2" */
    const char *python = strstr(snug_host_report(p->shown.host), key);

    printf("snug %s", snug_version());
    if (python) {
        python += strlen(key);
        printf(", Python %.*s", (int)strcspn(python, "\n"), python);
    }
    printf("; help says more, Ctrl-D leaves\n\n");
}

/* ---- where the history is ---- */

/* NULL: no history is kept. Free it. */
static char *history_path(void)
{
    str path = { 0 };
    if (state_find(&path, "history"))
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
    int status = shown_session_open(&p->shown, 1);
    if (status)
        return status;

    p->number = snug_session_execution_count(p->shown.session) + 1;
    edit_completer completer = { open_matches, match_at, close_matches, p };
    char *history = history_path();
    int error = edit_open(&p->edit, &p->shown.signals, &completer, history);
    free(history);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

static int serve_prompt(prompt *p)
{
    int status = EXIT_FINE;

    print_banner(p);
    while (!status && !p->shown.show.is_broken) {
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
    prompt p = { .number = 1 };

    set_utf8_locale();
    int status = shown_session_start(&p.shown, o);
    if (!status)
        status = open_prompt(&p);
    if (!status)
        status = shown_session_end(&p.shown, serve_prompt(&p));

    edit_close(p.edit);
    int taken = shown_session_close(&p.shown);
    str_free(&p.source);
    return taken ? 128 + taken : status;
}
