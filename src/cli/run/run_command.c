/* snug run: the cells of files, texts and stdin, in one session. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/session_files.h"
#include "cli/program/signals.h"
#include "cli/prompt/read_line.h"
#include "cli/prompt/show_cell.h"
#include "cli/run/input.h"
#include "cli/tools/user_tools.h"

typedef struct runner {
    const options *options;
    snug_host *host;
    snug_session *session;
    signals signals;
    show show;
    keep keep;
    tools tools;
} runner;

static int collect_cells(cell_list *cells, const options *o)
{
    static const input from_stdin = { 0, "-" };

    if (o->input_count == 0)
        return input_cells(cells, &from_stdin);
    for (size_t i = 0; i < o->input_count; i++) {
        int error = input_cells(cells, &o->inputs[i]);
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

static int open_runner(runner *r)
{
    snug_session_options session = r->options->session;

    if (!r->options->is_json) {
        session.on_output = show_output;
        session.on_display = show_display;
        session.payload = &r->show;
        session.on_input = has_input(r->options) ? ask_line : NULL;
    }

    int status = command_open_host(&r->host, r->options);
    if (status)
        return status;
    if (snug_session_open(&r->session, r->host, &session) || tools_bind(&r->tools, r->session))
        return command_fail_host();
    r->show.session = r->session;
    return keep_begin(&r->keep, r->options, r->session);
}

static int show_one(runner *r, snug_result *result)
{
    size_t len = 0;

    if (!r->options->is_json) {
        show_result(&r->show, result);
        return EXIT_FINE;
    }

    const char *json = snug_result_json(result, &len);
    if (!json)
        return command_fail(EXIT_USAGE, "out of memory");
    show_json(&r->show, json, len);
    return EXIT_FINE;
}

/* A reader that went away knows why. */
static int fail_output(const runner *r)
{
    if (r->show.why == EPIPE)
        return EXIT_FAILED;
    return command_fail(EXIT_FAILED, "stdout: %s", strerror(r->show.why));
}

/* Answers the cell's exit status; *is_last when no further cell can or shall run. */
static int run_one(runner *r, const cell *one, int *is_last)
{
    snug_result *result;

    *is_last = 1;
    if (!r->options->is_json)
        show_source(&r->show, snug_session_execution_count(r->session) + 1, one->source, one->len);
    if (r->show.is_broken)
        return fail_output(r);

    int taken = signals_watch(&r->signals, r->session);
    if (taken)
        return 128 + taken;

    int error = snug_session_run(&result, r->session, one->source, one->len, NULL);
    signals_watch(&r->signals, NULL);
    if (error)
        return command_fail_host();

    int status = command_exit(snug_result_status(result));
    int failed = show_one(r, result);
    failed = failed ? failed : keep_add(&r->keep, one->source, one->len, result);
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    snug_result_free(result);
    taken = signals_taken(&r->signals);
    if (failed || r->show.is_broken)
        return failed ? failed : fail_output(r);
    *is_last = taken || is_lost || (status && !r->options->goes_on);
    return taken ? 128 + taken : status;
}

/* The status of the first cell that failed. */
static int run_all(runner *r, const cell_list *cells)
{
    int status = EXIT_FINE;
    int is_last = 0;

    for (size_t i = 0; i < cells->count && !is_last; i++) {
        int ended = run_one(r, &cells->items[i], &is_last);
        if (!status || (is_last && ended > 128))
            status = ended;
    }

    return status;
}

int command_run(const options *o)
{
    runner r = { .options = o };

    r.show.colors = term_open((term_mode)o->color);
    r.show.is_verbose = o->is_verbose;
    cell_list cells = { 0 };
    if (collect_cells(&cells, o)) {
        cell_list_free(&cells);
        return command_fail(EXIT_USAGE, "%s", error_message());
    }

    int status = EXIT_FINE;
    int is_open = 0;
    if (signals_start(&r.signals))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else if (!(status = tools_open(&r.tools, o)) &&
             (cells.count > 0 || o->restore_path || o->save_path || o->export_path) &&
             !(status = open_runner(&r)))
        status = run_all(&r, &cells), is_open = 1;

    int kept = is_open ? keep_end(&r.keep, r.session) : EXIT_FINE;
    status = status ? status : kept;
    snug_session_close(r.session);
    tools_close(&r.tools);
    snug_host_close(r.host);
    signals_stop(&r.signals);
    cell_list_free(&cells);
    return status;
}
