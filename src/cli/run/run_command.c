/* snug run: a script, or the cells of files, texts and stdin, in one session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "cli/program/command.h"
#include "cli/prompt/advice.h"
#include "cli/prompt/shown_session.h"
#include "cli/run/input.h"
#include "cli/run/ipynb.h"
#include "wire/json.h"

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

/* ---- a script ---- */

static int is_script(const options *o, const cell_list *cells)
{
    return o->arguments && !cells->is_divided && o->isolation != AS_BASH;
}

/* Python that sets sys.argv and __file__; each string of JSON is one of Python too. */
static int write_beginning(str *out, const options *o)
{
    cJSON *words = cJSON_CreateArray();
    int failed = !words || json_add_text(words, NULL, o->inputs[0].text);
    for (size_t i = 0; i < o->argument_count && !failed; i++)
        failed = json_add_text(words, NULL, o->arguments[i]);

    char *text = failed ? NULL : json_text(words);
    failed =
        !text || str_printf(out, "__import__('sys').argv[:] = %s\n__file__ = %s[0]", text, text);
    free(text);
    cJSON_Delete(words);
    return failed;
}

/* Before the first cell. */
static int begin_script(shown_session *s)
{
    const options *o = s->options;
    str source = { 0 };
    snug_result *result;
    size_t fault;

    for (size_t i = 0; i < o->argument_count; i++)
        if (utf8_check(o->arguments[i], strlen(o->arguments[i]), &fault) != UTF8_FINE)
            return command_fail(EXIT_USAGE, "argument %zu of the script is not UTF-8", i + 1);

    int failed = write_beginning(&source, o);
    if (!failed && snug_session_run_unrecorded(&result, s->session, str_text(&source), source.len,
                                               NULL) == SNUG_OK)
        snug_result_free(result);
    str_free(&source);
    return failed ? command_fail_memory() : EXIT_FINE;
}

static int end_script(shown_session *s, const snug_result *result)
{
    char *advice = advice_on(s, result);
    const char *exit_value = show_script_end(&s->show, result, advice);
    free(advice);
    if (!exit_value)
        return command_exit(snug_result_status(result));

    char *end;
    const long number = strtol(exit_value, &end, 10);
    return *exit_value && !*end ? (int)(number & 0xff) : EXIT_FAILED;
}

/* ---- cells ---- */

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
static int run_one(shown_session *s, const cell *one, int is_in_script, int *is_last)
{
    snug_result *result;

    *is_last = 1;
    if (!s->options->is_json && !is_in_script)
        show_source(&s->show, snug_session_execution_count(s->session) + 1, one->source, one->len);
    if (s->show.is_broken)
        return fail_output(s);

    int taken = signals_watch(&s->signals, s->session);
    if (taken)
        return 128 + taken;

    int error = snug_session_run(&result, s->session, one->source, one->len, NULL);
    signals_watch(&s->signals, NULL);
    if (error)
        return command_fail_host();

    int status = is_in_script ? end_script(s, result) : command_exit(snug_result_status(result));
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    int failed = is_in_script ? EXIT_FINE : show_one(s, result);
    if (one->may_raise && status == EXIT_FAILED)
        status = EXIT_FINE;
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
    const int is_in_script = is_script(s->options, cells);
    int status = s->options->arguments ? begin_script(s) : EXIT_FINE;
    int is_last = status != EXIT_FINE;

    for (size_t i = 0; i < cells->count && !is_last; i++) {
        int ended = run_one(s, &cells->items[i], is_in_script, &is_last);
        if (!status || (is_last && ended > 128))
            status = ended;
    }

    return status;
}

/* A notebook that was run is exported with all that it has, and its new outputs. */
static int export_onto_input(shown_session *s)
{
    const options *o = s->options;
    const char *path = o->export_path;
    const input *in = o->inputs;
    str original = { 0 }, whole = { 0 };
    size_t len;

    if (!path || strcmp(strrchr(path, '.'), ".ipynb") != 0 || o->input_count != 1 ||
        !input_is_notebook(in))
        return EXIT_FINE;

    const char *run = snug_notebook_text(s->files.notebook, SNUG_NOTEBOOK_IPYNB, &len);
    int error = run ? input_read(&original, in) : error_no_memory();
    if (!error)
        error = ipynb_with_outputs(&whole, &original, run, len);
    if (!error)
        error = file_replace(path, &(struct iovec){ whole.data, whole.len }, 1);

    str_free(&original);
    str_free(&whole);
    snug_notebook_close(s->files.notebook);
    s->files.notebook = NULL;
    return error ? command_fail(EXIT_USAGE, "%s", error_message()) : EXIT_FINE;
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
        status = shown_session_open(&s, has_input(o) || is_script(o, &cells));
        if (!status) {
            int ran = run_all(&s, &cells), exported = export_onto_input(&s);
            status = shown_session_end(&s, ran ? ran : exported);
        }
    }

    shown_session_close(&s);
    cell_list_free(&cells);
    return status ? status : s.replayed;
}
