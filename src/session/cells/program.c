#include "session/cells/program.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/utf8.h"
#include "session/core/host.h"

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
