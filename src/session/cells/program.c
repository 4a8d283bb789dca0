#include "session/cells/program.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "base/utf8.h"
#include "limits/limits.h"
#include "session/cells/run_cell.h"
#include "session/core/claim.h"
#include "session/core/host.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/result/result.h"

enum { MOST_NAME_BYTES = 256 };

const char *snug_type_name(snug_type type)
{
    static const char *const names[] = {
        [SNUG_TYPE_ANY] = "any",         [SNUG_TYPE_NONE] = "none",   [SNUG_TYPE_INT] = "int",
        [SNUG_TYPE_DOUBLE] = "double",   [SNUG_TYPE_BOOL] = "bool",   [SNUG_TYPE_TEXT] = "text",
        [SNUG_TYPE_BYTES] = "bytes",     [SNUG_TYPE_JSON] = "json",   [SNUG_TYPE_INTS] = "ints",
        [SNUG_TYPE_DOUBLES] = "doubles", [SNUG_TYPE_BOOLS] = "bools",
    };

    if ((unsigned)type >= sizeof names / sizeof *names)
        return "unknown";
    return names[type];
}

/* ---- options ---- */

/* As far as it matters here: nothing else can stand in it. Whether it is a word of Python's, the
 * compiler finds. */
static int is_identifier(const char *name)
{
    size_t fault, len = strlen(name);

    if (len == 0 || len > MOST_NAME_BYTES || utf8_check(name, len, &fault) != UTF8_FINE)
        return 0;
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)name[i];
        const int is_digit = c >= '0' && c <= '9';
        const int is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && c < 0x80 && (!is_digit || i == 0))
            return 0;
    }

    return 1;
}

static int check_inputs(const snug_program_options *options)
{
    if (options->input_count > PROGRAM_INPUTS)
        return error_set(SNUG_EINVAL, "snug_program_prepare: %zu inputs, and %d are possible",
                         options->input_count, PROGRAM_INPUTS);
    if (options->input_count > 0 && !options->inputs)
        return error_set(SNUG_EINVAL, "snug_program_prepare: inputs is NULL");

    for (size_t i = 0; i < options->input_count; i++) {
        const snug_input *input = &options->inputs[i];
        if (!input->name || !is_identifier(input->name))
            return error_set(SNUG_EINVAL,
                             "snug_program_prepare: the name of input %zu is not an identifier",
                             i + 1);
        if ((unsigned)input->type > SNUG_TYPE_BOOLS)
            return error_set(SNUG_EINVAL, "snug_program_prepare: input %s has no type of snug_type",
                             input->name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(options->inputs[k].name, input->name) == 0)
                return error_set(SNUG_EINVAL, "snug_program_prepare: two inputs are called %s",
                                 input->name);
    }

    return SNUG_OK;
}

static int check_program_options(const snug_program_options *options)
{
    size_t fault;
    const char *name = options->name ? options->name : "program";
    const size_t len = strlen(name);

    if (len == 0 || len > MOST_NAME_BYTES || utf8_check(name, len, &fault) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "snug_program_prepare: a name is UTF-8 of 1 to %d bytes",
                         MOST_NAME_BYTES);
    if ((unsigned)options->output > SNUG_TYPE_BOOLS)
        return error_set(SNUG_EINVAL, "snug_program_prepare: the output has no type of snug_type");
    return check_inputs(options);
}

/* ---- making ---- */

static void free_text(program_text *text)
{
    for (size_t i = 0; i < text->input_count; i++)
        free((void *)(uintptr_t)text->inputs[i].name);
    free((void *)(uintptr_t)text->inputs);
    free((void *)(uintptr_t)text->source);
    free((void *)(uintptr_t)text->name);
}

static int copy_inputs(program_text *out, const snug_program_options *options)
{
    snug_input *inputs = calloc(options->input_count + 1, sizeof *inputs);
    if (!inputs)
        return error_no_memory();

    out->inputs = inputs;
    for (size_t i = 0; i < options->input_count; i++) {
        inputs[i] = (snug_input){ strdup(options->inputs[i].name), options->inputs[i].type };
        out->input_count = i + 1;
        if (!inputs[i].name)
            return error_no_memory();
    }

    return SNUG_OK;
}

static int copy_text(program_text *out, const char *source, size_t len,
                     const snug_program_options *options)
{
    static _Atomic uint64_t made;
    char *copy = malloc(len + 1);
    if (!copy)
        return error_no_memory();

    if (len > 0)
        memcpy(copy, source, len);
    copy[len] = '\0';
    out->source = copy;
    out->len = len;
    out->id = atomic_fetch_add(&made, 1) + 1;
    out->output = options->output;
    out->name = strdup(options->name ? options->name : "program");
    if (!out->name)
        return error_no_memory();
    return copy_inputs(out, options);
}

int program_make(snug_program **out, const snug_host *host, const char *source, size_t len,
                 const snug_program_options *options)
{
    int error = check_program_options(options);
    if (error)
        return error;

    snug_program *program = calloc(1, sizeof *program);
    if (!program)
        return error_no_memory();

    program->holders = 1;
    program->host = host;
    error = copy_text(&program->text, source, len, options);
    if (error)
        program_drop(program);
    else
        *out = program;
    return error;
}

snug_program *program_hold(snug_program *program)
{
    atomic_fetch_add(&program->holders, 1);
    return program;
}

void program_drop(snug_program *program)
{
    if (!program || atomic_fetch_sub(&program->holders, 1) > 1)
        return;
    free_text(&program->text);
    free(program);
}

void snug_program_free(snug_program *program)
{
    program_drop(program);
}

/* ---- scanning ---- */

static int tell_finding(const snug_scan *report, const char *name)
{
    const snug_finding *first = snug_scan_finding(report, 0);

    if (first->line == 0)
        return error_set(SNUG_EINVAL, "program %s: %s", name, first->message);
    return error_set(SNUG_EINVAL, "program %s, line %u: %s", name, first->line, first->message);
}

static int scan_program(snug_scan **findings, snug_host *host, const char *source, size_t len,
                        const snug_program_options *options)
{
    snug_scan_options how = SNUG_SCAN_OPTIONS_INIT;
    snug_scan *report;

    how.profile = options->profile;
    how.allow = options->allow;
    how.forbid = options->forbid;
    how.wall_ms = options->scan_wall_ms;
    how.max_source_bytes = options->max_source_bytes;
    int error = snug_host_scan(&report, host, source, len, &how);
    if (error)
        return error;

    if (snug_scan_finding_count(report) > 0)
        error = tell_finding(report, options->name ? options->name : "program");
    if (error && findings)
        *findings = report;
    else
        snug_scan_free(report);
    return error;
}

static int prepare_program(snug_program **out, snug_scan **findings, snug_host *host,
                           const char *source, size_t len, const snug_program_options *given)
{
    snug_program_options options;
    snug_program *program;

    int error = options_take(&options, sizeof options, given, "snug_program_options");
    if (!error)
        error = program_make(&program, host, source, len, &options);
    if (error)
        return error;

    if (!options.is_unscanned)
        error = scan_program(findings, host, source, len, &options);
    if (error)
        program_drop(program);
    else
        *out = program;
    return error;
}

int snug_program_prepare(snug_program **out, snug_scan **findings, snug_host *host,
                         const char *source, size_t len, const snug_program_options *options)
{
    if (!out || (!source && len > 0))
        return host_fail(host, error_set(SNUG_EINVAL, "snug_program_prepare: %s is NULL",
                                         out ? "source" : "out"));

    int error = host_check(host, "snug_program_prepare");
    if (!error)
        error = prepare_program(out, findings, host, source, len, options);
    return host_fail(host, error);
}

/* Snug_program_call and snug_program_map: what they are given, and what they hand
 * out. */

/* ---- both ---- */

/* Older callers have no smaller one yet. What a newer one has behind ours stays as it is. */
static int check_struct(const void *given, size_t size, const char *what, const char *type)
{
    if (!given)
        return error_set(SNUG_EINVAL, "%s: the %s is NULL", what, type);
    if (*(const size_t *)given < size)
        return error_set(SNUG_EINVAL, "%s: the size of %s is wrong: start from its _INIT value",
                         what, type);
    return SNUG_OK;
}

static int check_program(const snug_session *session, const snug_program *program, size_t count,
                         const void *arguments, const char *what)
{
    if (!session || !program)
        return error_set(SNUG_EINVAL, "%s: %s is NULL", what, session ? "program" : "session");
    if (program->host != session->host)
        return error_set(SNUG_EINVAL, "%s: program %s belongs to another host than session %s",
                         what, program->text.name, session->name);
    if (!session->form->compute || session->kind == SNUG_KIND_BASH)
        return error_set(SNUG_EINVAL, "%s: session %s is a shell, which has no programs", what,
                         session->name);
    if (count != program->text.input_count)
        return error_set(SNUG_EINVAL, "%s: program %s has %zu inputs, and %zu are given", what,
                         program->text.name, program->text.input_count, count);
    if (count > 0 && !arguments)
        return error_set(SNUG_EINVAL, "%s: what it is called with is NULL", what);
    return SNUG_OK;
}

static int carry_out_wish(program_outcome *out, snug_session *session, program_wish *wish,
                          const snug_limits *limits, const char *what)
{
    snug_limits taken;
    int error = SNUG_OK;

    if (limits)
        error = limits_take(&taken, limits);
    if (!error)
        error = session_claim_alive(&session, what);
    if (error)
        return session_fail(session, error);

    wish->limits = session_cell_limits(session, limits ? &taken : NULL);
    error = session->form->compute(out, session, wish);
    if (!error && out->result)
        out->result->fixed = session->fixed;
    return session_return(session, error);
}

/* ---- calls ---- */

void snug_answer_free(snug_answer *answer)
{
    if (!answer)
        return;
    if (answer->result)
        snug_result_free(answer->result);
    if (answer->memory)
        free(answer->memory);
    answer->status = SNUG_STATUS_OK;
    answer->value = (snug_value){ .type = SNUG_TYPE_NONE };
    answer->result = NULL;
    answer->memory = NULL;
}

static void give_answer(snug_answer *answer, program_outcome *out)
{
    answer->status = out->status;
    answer->value = out->value;
    answer->result = out->result;
    if (!out->data.data)
        return;

    answer->memory = out->data.data;
    if (out->value.type >= SNUG_TYPE_TEXT)
        answer->value.data = out->data.data;
}

int snug_program_call(snug_answer *answer, snug_session *session, snug_program *program,
                      const snug_value *arguments, size_t count, const snug_limits *limits)
{
    static const char what[] = "snug_program_call";
    static const snug_value none;
    program_wish wish = { .program = program, .arguments = count > 0 ? arguments : &none };
    program_outcome out;
    int error;

    if ((error = check_struct(answer, sizeof *answer, what, "snug_answer")) ||
        (error = check_program(session, program, count, arguments, what)) ||
        (error = program_check_values(&program->text, wish.arguments, what)))
        return session_fail(session, error);

    snug_answer_free(answer);
    out = (program_outcome){ .value = { .type = SNUG_TYPE_NONE } };
    error = carry_out_wish(&out, session, &wish, limits, what);
    if (error)
        str_free(&out.data);
    else
        give_answer(answer, &out);
    return error;
}

/* ---- maps ---- */

void snug_mapped_free(snug_mapped *mapped)
{
    if (!mapped)
        return;
    snug_result_free(mapped->result);
    if (mapped->memory)
        program_column_free(mapped->memory);
    free(mapped->memory);
    mapped->status = SNUG_STATUS_OK;
    mapped->row_count = 0;
    mapped->column = (snug_column){ .type = SNUG_TYPE_ANY };
    mapped->result = NULL;
    mapped->memory = NULL;
}

static int store_column(snug_mapped *mapped, program_outcome *out)
{
    program_column *kept = malloc(sizeof *kept);
    if (!kept)
        return error_no_memory();

    *kept = out->column;
    out->column = (program_column){ 0 };
    mapped->memory = kept;
    mapped->status = out->status;
    mapped->result = out->result;
    out->result = NULL;
    mapped->row_count = kept->rows;
    mapped->column = program_show_column(kept);
    return SNUG_OK;
}

static int check_output(const snug_program *program, const char *what)
{
    if (program_is_of_column(program->text.output))
        return SNUG_OK;
    return error_set(SNUG_EINVAL, "%s: the output of program %s is %s, which no column has", what,
                     program->text.name, snug_type_name(program->text.output));
}

int snug_program_map(snug_mapped *mapped, snug_session *session, snug_program *program,
                     const snug_column *columns, size_t count, uint64_t row_count,
                     const snug_limits *limits)
{
    static const char what[] = "snug_program_map";
    program_wish wish = { .program = program, .columns = columns, .row_count = row_count };
    int error;

    if ((error = check_struct(mapped, sizeof *mapped, what, "snug_mapped")) ||
        (error = check_program(session, program, count, columns, what)) ||
        (error = check_output(program, what)) ||
        (error = program_check_columns(&program->text, columns, row_count, what)))
        return session_fail(session, error);

    snug_mapped_free(mapped);
    program_outcome out = { .value = { .type = SNUG_TYPE_NONE } };
    error = carry_out_wish(&out, session, &wish, limits, what);
    out.column.type = program->text.output;
    if (!error)
        error = store_column(mapped, &out);
    program_column_free(&out.column);
    snug_result_free(out.result);
    str_free(&out.data);
    return error;
}

struct program_work {
    program_call call;
    snug_program *held; /* whose text the call has; NULL before the first */
    program_copies copies;
};

void program_work_free(program_work *work)
{
    if (!work)
        return;
    str_free(&work->call.data);
    program_column_free(&work->call.column);
    program_copies_free(&work->copies);
    program_drop(work->held);
    free(work);
}

static int has_shown(const snug_session *session)
{
    const capture *output = &session->output;
    return output->streams[CAPTURE_STDOUT].total_bytes > 0 ||
           output->streams[CAPTURE_STDERR].total_bytes > 0 || output->displays.count > 0 ||
           output->displays.left_out > 0;
}

/* Whether somebody will ask how long it took and what it has shown. To read the clock and to close
 * the streams after each small call would show in its time. */
static int is_eventful(const snug_session *session)
{
    return session->limits.session_cpu_ms != SNUG_UNLIMITED ||
           session->cell->outcome.status != SNUG_STATUS_OK || has_shown(session);
}

/* On the session's thread. */
static int compute_there(snug_session *session, void *arg)
{
    cell_job *cell = arg;

    cell_job_begin(session, cell, session->cells + 1);
    int error = interp_compute(&cell->outcome, session->interp, &cell->program->call);
    if (error || is_eventful(session))
        cell_job_end(session, cell);
    else if (cell_job_may_call(session))
        desk_end(session->desk);
    return error;
}

static int find_work(program_work **out, snug_session *session)
{
    cell_job *cell = session->cell;

    if (!cell->program)
        cell->program = calloc(1, sizeof *cell->program);
    if (!cell->program)
        return error_no_memory();
    *out = cell->program;
    return SNUG_OK;
}

static void hold_program(program_work *work, snug_program *program)
{
    if (work->held == program)
        return;
    program_drop(work->held);
    work->held = program_hold(program);
}

/* Another thread may be at its arguments for longer than the caller waits. */
static int set_call(program_work *work, const snug_session *session, const program_wish *wish)
{
    program_call *call = &work->call;
    const size_t count = wish->program->text.input_count;

    hold_program(work, wish->program);
    call->text = &wish->program->text;
    call->is_map = !wish->arguments;
    call->arguments = wish->arguments;
    call->columns = wish->columns;
    call->row_count = wish->row_count;
    call->source_bytes = wish->limits.source_bytes;
    call->most_bytes = program_most_bytes(&wish->limits);
    if (session->thread.is_inline)
        return SNUG_OK;
    if (call->is_map)
        return program_copy_columns(&call->columns, &work->copies, wish->columns, count,
                                    wish->row_count);
    return program_copy_values(&call->arguments, &work->copies, wish->arguments, count);
}

static int take_end(snug_result *result, snug_session *session, int ended)
{
    switch (ended) {
    case SNUG_EDEAD:
        return result_take_loss(result, session);
    case SNUG_ETIMEOUT:
        session->job.settle = cell_job_settle;
        return result_take_stall(result, session);
    default:
        return result_take_end(result, session);
    }
}

/* Of a call that went wrong, with that error, or has shown something. */
static int take_whole_result(program_outcome *out, snug_session *session, int ended)
{
    snug_result *result = result_new(session->name);
    if (!result)
        return error_no_memory();

    int error = take_end(result, session, ended);
    if (error) {
        snug_result_free(result);
        outcome_free(&session->cell->outcome);
        return error;
    }

    result->wall_ns = clock_now_ns() - session->job.asked_ns;
    out->status = result->outcome.status;
    out->result = result;
    return SNUG_OK;
}

static void take_value(program_outcome *out, program_call *call)
{
    out->value = call->value;
    out->data = call->data;
    call->data = (str){ 0 };
    if (!call->is_map)
        return;

    out->column = call->column;
    call->column = (program_column){ 0 };
}

static int take_answer(program_outcome *out, snug_session *session, program_work *work, int error)
{
    cell_job *cell = session->cell;

    if (error && error != SNUG_EDEAD && error != SNUG_ETIMEOUT)
        return error;
    if (error)
        return take_whole_result(out, session, error);

    session->cpu_used_ns += cell->cpu_ns;
    take_value(out, &work->call);
    out->status = cell->outcome.status;
    if (out->status == SNUG_STATUS_OK && !has_shown(session)) {
        if (cell->outcome.denials) /* all that there may be */
            outcome_free(&cell->outcome);
        return SNUG_OK;
    }

    return take_whole_result(out, session, SNUG_OK);
}

int local_compute(program_outcome *out, snug_session *session, const program_wish *wish)
{
    const job_limits limits = { wish->limits.wall_ms, wish->limits.cpu_ms,
                                session->limits.session_cpu_ms };
    program_work *work;

    int error = session_await_thread(session, session->host->patience_ns);
    if (!error)
        error = find_work(&work, session);
    if (!error)
        error = set_call(work, session, wish);
    if (error)
        return error;

    session->cell->limits = wish->limits;
    session->cell->is_aside = 1;
    session->cell->cpu_ns = 0;
    error = session_run_job(session, compute_there, session->cell, &limits);
    return take_answer(out, session, work, error);
}
