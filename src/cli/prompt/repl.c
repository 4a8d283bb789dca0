/* snug on a terminal: a notebook-like prompt, one session. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/limit_magic.h"
#include "cli/program/state_folder.h"
#include "cli/prompt/advice.h"
#include "cli/prompt/prompt.h"
#include "cli/prompt/session_hooks.h"

/* ---- a cell ---- */

static int is_blank_source(const char *text)
{
    return !text[strspn(text, " \t\r\n\f")];
}

/* READER_TEXT: p->source is a cell. */
static reader_event read_prompt_cell(prompt *p)
{
    char label[40], more[40];
    int width = snprintf(label, sizeof label, "In [%" PRIu64 "]: ", p->number);

    snprintf(more, sizeof more, "%*s...: ", width - 5, "");
    reader_event event = reader_read(p->reader, label, more, &p->source);
    if (event == READER_TEXT)
        reader_remember(p->reader, str_text(&p->source), p->source.len);
    return event;
}

/* The cell ran and its session is gone: never silently a new one. */
static int renew_session(prompt *p)
{
    fputs("snug: a new session takes its place\n", stderr);
    if (snug_session_reset(p->shown.session))
        return command_fail_host();
    p->number = 1;
    prompt_forget_cells(p);
    return EXIT_FINE;
}

/* Takes lines "%limit" off the front of the code. 0: there is nothing left to run. */
static int take_limits(prompt *p, str *code)
{
    str text = { 0 };
    int error = limit_magic_take(code, &text, &p->limits, &p->shown.options->limits);

    if (error)
        fprintf(stderr, "snug: %s\n\n", error_message());
    else if (text.len > 0)
        printf("%s\n", text.data);
    str_free(&text);
    return !error && !is_blank_source(str_text(code));
}

static uint64_t memory_limit(const options *o)
{
    const snug_limit_description *limit;

    if (o->limits.memory_bytes)
        return o->limits.memory_bytes;
    for (size_t i = 0; (limit = snug_limit_info(i)); i++)
        if (strcmp(limit->name, "memory_bytes") == 0)
            return limit->default_value;
    return UINT64_MAX;
}

/* What %undo goes back to. It takes a tenth of a millisecond for 10,000 names, but keeps what the
 * cell replaces in memory until the next one: there must be room for both. */
static int keep_way_back(prompt *p)
{
    if (p->language != CODE_PYTHON)
        return 0;
    if (!p->is_heavy)
        return !snug_session_checkpoint(p->shown.session);
    snug_session_forget_checkpoint(p->shown.session);
    return 0;
}

/* Ctrl-C, or a signal that ends the prompt, has come before the cell began. */
static int is_called_off(prompt *p)
{
    if (!signals_watch(&p->shown.signals, p->shown.session))
        return 0;
    signals_watch(&p->shown.signals, NULL);
    ticker_end(&p->ticker);
    if (signals_forgive(&p->shown.signals))
        fputs("\nKeyboardInterrupt\n\n", stdout); /* behind the terminal's ^C */
    return 1;
}

static int run_prompt_cell(prompt *p, const str *code)
{
    snug_result *result;

    tools_renew(&p->shown.tools, p->shown.session);
    int is_undoable = keep_way_back(p);
    pictures_note_sixel(&p->pictures, reader_has_sixel(p->reader));
    fflush(stdout);
    ticker_begin(&p->ticker, "");
    if (is_called_off(p))
        return EXIT_FINE;
    int error = snug_session_run(&result, p->shown.session, code->data, code->len, &p->limits);
    signals_watch(&p->shown.signals, NULL);
    signals_forgive(&p->shown.signals);
    int was_ticking = ticker_end(&p->ticker);
    if (error == SNUG_EDEAD)
        return renew_session(p);
    if (error)
        return command_fail_host();

    if (snug_result_status(result) == SNUG_STATUS_INTERRUPTED && !was_ticking)
        putchar('\n'); /* behind the terminal's ^C */
    char *advice = advice_on(&p->shown, result);
    show_result(&p->shown.show, result, advice);
    free(advice);
    session_files_add(&p->shown.files, p->source.data, p->source.len, result);
    p->number = snug_result_execution_count(result) + 1;
    prompt_keep_cell(p, p->number - 1, p->source.data);
    p->undoable = is_undoable ? p->number - 1 : 0;
    p->is_heavy = snug_result_peak_bytes(result) > memory_limit(p->shown.options) / 2;
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    snug_result_free(result);
    if (is_lost)
        return renew_session(p);
    return EXIT_FINE;
}

/* ---- what is said at first ---- */

static void print_banner(const prompt *p)
{
    static const char mark[] = "\npython: "; /* a line of the report: "python: 3.11.2" */
    const char *python = strstr(snug_host_report(p->shown.host), mark);

    printf("snug %s", snug_version());
    if (python) {
        python += strlen(mark);
        printf(", Python %.*s", (int)strcspn(python, "\n"), python);
    }
    printf("; help says more, Ctrl-D leaves\n\n");
}

/* ---- the command ---- */

/* The terminal is asked, unless an option says what it has. */
static theme theme_of(const options *o)
{
    return o->background ? (theme)o->background : THEME_ANY;
}

static int open_prompt(prompt *p, const options *o)
{
    int status = shown_session_open(&p->shown, 1);
    if (status)
        return status;

    p->number = snug_session_execution_count(p->shown.session) + 1;
    pictures_open(&p->pictures, (picture_mode)o->pictures);
    char *path = state_history(o, "SNUG_PROMPT_HISTORY", "history");
    p->language = o->isolation == AS_BASH ? CODE_BASH : CODE_PYTHON;
    const reader_options wanted = {
        .hooks = session_hooks(&p->shown),
        .language = p->language,
        .history_path = path,
        .theme = p->shown.show.colors.out ? theme_of(o) : THEME_NONE,
        .asks_sixel = p->pictures.is_asked,
    };
    int error = reader_open(&p->reader, &p->shown.signals, &wanted);
    free(path);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    const term *colors = &p->shown.show.colors;
    ticker_open(&p->ticker, STDOUT_FILENO, term_on(colors, stdout, TERM_HINT),
                term_on(colors, stdout, TERM_OFF));
    p->shown.show.typed = p->reader;
    p->shown.show.ticker = &p->ticker;
    p->shown.show.pictures = &p->pictures;
    return EXIT_FINE;
}

static int take_prompt_cell(prompt *p)
{
    str code = { 0 };
    int status = EXIT_FINE;

    if (str_add_str(&code, &p->source))
        return command_fail_memory();
    if (take_limits(p, &code))
        status = run_prompt_cell(p, &code);
    str_free(&code);
    return status;
}

static int serve_prompt(prompt *p)
{
    int status = EXIT_FINE;

    print_banner(p);
    while (!status && !p->shown.show.is_broken) {
        str_clear(&p->source);
        str_add_str(&p->source, &p->next);
        str_clear(&p->next);
        reader_event event = read_prompt_cell(p);
        if (event == READER_CANCEL ||
            (event == READER_TEXT && is_blank_source(str_text(&p->source))))
            continue;
        word_answer word = event == READER_TEXT ? prompt_take_word(p) : WORD_LEAVES;
        if (word == WORD_LEAVES)
            break;
        if (word == WORD_NONE)
            status = take_prompt_cell(p);
    }

    return status;
}

int command_prompt(const options *o)
{
    prompt p = { .number = 1, .limits = SNUG_LIMITS_INIT };

    term_set_utf8();
    int status = shown_session_start(&p.shown, o);
    if (!status)
        status = open_prompt(&p, o);
    if (!status)
        status = shown_session_end(&p.shown, serve_prompt(&p));

    ticker_close(&p.ticker);
    pictures_close(&p.pictures);
    reader_close(p.reader);
    prompt_forget_cells(&p);
    str_free(&p.next);
    int taken = shown_session_close(&p.shown);
    str_free(&p.source);
    if (taken)
        return 128 + taken;
    return status ? status : p.shown.replayed;
}
