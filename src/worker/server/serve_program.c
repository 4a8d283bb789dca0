/*
 * serve_program.c - a program of the host's, called in a session of the worker.
 *
 * Each request has the whole program, of which the worker keeps what it has made: so nothing has to
 * be said when either side forgets one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "session/cells/program.h"
#include "session/result/result.h"
#include "worker/server/serve.h"

typedef struct compute_wish {
    uint64_t id;
    snug_program_options options;
    snug_input inputs[PROGRAM_INPUTS];
    const char *source;
    size_t len;
    snug_limits limits;
    int is_map;
    uint64_t row_count;
    snug_value values[PROGRAM_INPUTS];
    program_column columns[PROGRAM_INPUTS];
} compute_wish;

static void unpack_program(unpacker *u, compute_wish *w)
{
    w->options = (snug_program_options)SNUG_PROGRAM_OPTIONS_INIT;
    w->id = unpack_number(u);
    w->options.name = unpack_name(u);
    w->source = unpack_bytes(u, &w->len);
    w->options.output = (snug_type)unpack_small(u, SNUG_TYPE_BOOLS);
    w->options.input_count = (size_t)unpack_small(u, PROGRAM_INPUTS);
    for (size_t i = 0; i < w->options.input_count; i++) {
        w->inputs[i].name = unpack_name(u);
        w->inputs[i].type = (snug_type)unpack_small(u, SNUG_TYPE_BOOLS);
    }

    w->options.inputs = w->inputs;
}

static void unpack_compute(unpacker *u, compute_wish *w)
{
    unpack_program(u, w);
    limits_unpack(u, &w->limits);
    w->is_map = (int)unpack_small(u, 1);
    if (w->is_map)
        w->row_count = unpack_number(u);
    for (size_t i = 0; i < w->options.input_count && !u->is_bad; i++) {
        if (!w->is_map)
            program_unpack_value(u, &w->values[i]);
        else
            program_unpack_column(u, &w->columns[i]);
        if (w->is_map && w->columns[i].rows != w->row_count)
            u->is_bad = 1;
    }
}

void serve_free_programs(channel *c)
{
    for (size_t i = 0; c->programs && i < SERVE_PROGRAMS; i++)
        snug_program_free(c->programs[i].made);
    free(c->programs);
    c->programs = NULL;
}

/* Made of the request, where the channel has it not. */
static int find_program(snug_program **out, channel *c, const compute_wish *w)
{
    if (!c->programs)
        c->programs = calloc(SERVE_PROGRAMS, sizeof *c->programs);
    if (!c->programs)
        return error_no_memory();

    serve_program *kept = &c->programs[w->id % SERVE_PROGRAMS];
    if (kept->made && kept->id != w->id) {
        snug_program_free(kept->made);
        kept->made = NULL;
    }

    int error = SNUG_OK;
    if (!kept->made)
        error = program_make(&kept->made, c->server->host, w->source, w->len, &w->options);
    if (error)
        return error;

    kept->id = w->id;
    *out = kept->made;
    return SNUG_OK;
}

static void pack_result(packer *out, const snug_result *result)
{
    pack_number(out, result != NULL);
    if (result)
        result_pack(out, result);
}

static int call_there(channel *c, snug_program *program, const compute_wish *w, packer *out)
{
    snug_answer answer = SNUG_ANSWER_INIT;
    int error = snug_program_call(&answer, c->session, program, w->values, w->options.input_count,
                                  &w->limits);
    if (error)
        return error;

    pack_number(out, (uint64_t)answer.status);
    program_pack_value(out, &answer.value);
    pack_result(out, answer.result);
    snug_answer_free(&answer);
    return SNUG_OK;
}

static int map_there(channel *c, snug_program *program, const compute_wish *w, packer *out)
{
    snug_mapped mapped = SNUG_MAPPED_INIT;
    snug_column columns[PROGRAM_INPUTS];

    for (size_t i = 0; i < w->options.input_count; i++)
        columns[i] = program_show_column(&w->columns[i]);

    int error = snug_program_map(&mapped, c->session, program, columns, w->options.input_count,
                                 w->row_count, &w->limits);
    if (error)
        return error;

    pack_number(out, (uint64_t)mapped.status);
    program_pack_column(out, &mapped.column, mapped.row_count);
    pack_result(out, mapped.result);
    snug_mapped_free(&mapped);
    return SNUG_OK;
}

static int carry_out(channel *c, const compute_wish *w, packer *out)
{
    snug_program *program;

    int error = find_program(&program, c, w);
    if (!error)
        error = w->is_map ? map_there(c, program, w, out) : call_there(c, program, w, out);
    if (!error && out->text.len > FRAME_MOST_BYTES)
        error = error_set(SNUG_ENOMEM, "what the program answers is larger than a message can be");
    return error;
}

int serve_compute(channel *c, unpacker *u, packer *out)
{
    compute_wish *w = calloc(1, sizeof *w);
    if (!w)
        return error_no_memory();

    unpack_compute(u, w);
    int error = unpack_ended(u) ? carry_out(c, w, out) : serve_refuse();
    for (size_t i = 0; i < PROGRAM_INPUTS; i++)
        program_column_free(&w->columns[i]);
    free(w);
    return error;
}
