/* snug run: the cells of files, texts and stdin, in one session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/command.h"
#include "cli/prompt/advice.h"
#include "cli/prompt/shown_session.h"
#include "cli/run/input.h"

static int collect_cells(cell_list *cells, const options *o)
{
    static const input from_stdin = { 0, "-" };

    if (o->input_count == 0)
        return input_read_cells(cells, &from_stdin);
    for (size_t i = 0; i < o->input_count; i++) {
        int error = input_read_cells(cells, &o->inputs[i]);
        if (error)
            return error;
    }

    return SNUG_OK;
}

/* Somebody sits there, and it is not where the cells come from. */
static int has_input(const options *o)
{
    int is_source = o->input_count == 0;
    for (size_t i = 0; i < o->input_count; i++)
        is_source = is_source || (!o->inputs[i].is_code && !strcmp(o->inputs[i].text, "-"));
    return !is_source && isatty(STDIN_FILENO);
}

static int show_one(shown_session *s, snug_result *result)
{
    size_t len = 0;

    if (!s->options->is_json) {
        char *advice = advice_on(s, result);
        show_result(&s->show, result, advice);
        free(advice);
        return EXIT_FINE;
    }

    const char *json = snug_result_json(result, &len);
    if (!json)
        return command_fail_memory();
    show_json(&s->show, json, len);
    return EXIT_FINE;
}

/* A reader that went away knows why. */
static int fail_output(const shown_session *s)
{
    if (s->show.why == EPIPE)
        return EXIT_FAILED;
    return command_fail(EXIT_FAILED, "stdout: %s", strerror(s->show.why));
}

/* Answers the cell's exit status; *is_last when no further cell can or shall run. */
static int run_one(shown_session *s, const cell *one, int *is_last)
{
    snug_result *result;

    *is_last = 1;
    if (!s->options->is_json)
        show_source(&s->show, snug_session_execution_count(s->session) + 1, one->source, one->len);
    if (s->show.is_broken)
        return fail_output(s);

    tools_renew(&s->tools, s->session);
    int taken = signals_watch(&s->signals, s->session);
    if (taken)
        return 128 + taken;

    int error = snug_session_run(&result, s->session, one->source, one->len, NULL);
    signals_watch(&s->signals, NULL);
    if (error)
        return command_fail_host();

    int status = command_exit(snug_result_status(result));
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    int failed = show_one(s, result);
    if (!failed)
        failed = session_files_add(&s->files, one->source, one->len, result);
    snug_result_free(result);
    if (failed)
        return failed;
    if (s->show.is_broken)
        return fail_output(s);

    taken = signals_taken(&s->signals);
    if (taken)
        return 128 + taken;
    *is_last = is_lost || (status && !s->options->goes_on);
    return status;
}

/* The status of the first cell that failed. */
static int run_all(shown_session *s, const cell_list *cells)
{
    int status = EXIT_FINE;
    int is_last = 0;

    for (size_t i = 0; i < cells->count && !is_last; i++) {
        int ended = run_one(s, &cells->items[i], &is_last);
        if (!status || (is_last && ended > 128))
            status = ended;
    }

    return status;
}

int command_run(const options *o)
{
    shown_session s;
    cell_list cells = { 0 };

    if (collect_cells(&cells, o)) {
        cell_list_free(&cells);
        return command_fail(EXIT_USAGE, "%s", error_message());
    }

    int status = shown_session_start(&s, o);
    int is_wanted = cells.count > 0 || o->restore_path || o->save_path || o->export_path;
    if (!status && is_wanted) {
        status = shown_session_open(&s, has_input(o));
        if (!status)
            status = shown_session_end(&s, run_all(&s, &cells));
    }

    shown_session_close(&s);
    cell_list_free(&cells);
    return status ? status : s.replayed;
}
