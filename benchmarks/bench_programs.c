/*
 * bench_programs.c - programs: a call with two doubles, and a map over a million rows of them.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/program.h>

enum { CALLS = 100, ROWS = 1000000 };

/* As in peers/floors.py. */
static const char source[] = "x * y + 1.0";

static snug_program *prepare_program(const bench *b)
{
    static const snug_input inputs[] = { { "x", SNUG_TYPE_DOUBLE }, { "y", SNUG_TYPE_DOUBLE } };
    snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;
    snug_program *program;

    options.inputs = inputs;
    options.input_count = 2;
    options.output = SNUG_TYPE_DOUBLE;
    if (snug_program_prepare(&program, NULL, b->host, source, strlen(source), &options))
        die("%s", snug_error_message());
    return program;
}

/* ---- calls ---- */

typedef struct calling {
    snug_session *session;
    snug_program *program;
    snug_answer answer;
} calling;

static uint64_t sample_program(void *payload, uint64_t *none)
{
    calling *c = payload;
    snug_value arguments[2] = { { .type = SNUG_TYPE_DOUBLE, .number = 0.5 },
                                { .type = SNUG_TYPE_DOUBLE } };
    double sum = 0;
    uint64_t start_ns = now_ns();

    for (int i = 0; i < CALLS; i++) {
        arguments[1].number = i;
        if (snug_program_call(&c->answer, c->session, c->program, arguments, 2, NULL))
            die("%s", snug_error_message());
        sum += c->answer.value.number;
    }

    uint64_t took_ns = now_ns() - start_ns;
    if (sum != 0.5 * CALLS * (CALLS - 1) / 2 + CALLS)
        die("a program answered something else");
    *none = 0;
    return took_ns / CALLS;
}

void bench_call(bench *b, char **words)
{
    calling c = { bench_open_for(b, NULL), prepare_program(b), SNUG_ANSWER_INIT };

    bench_repeat(strtod(words[0], NULL), "none", sample_program, &c);
    snug_answer_free(&c.answer);
    snug_program_free(c.program);
    bench_close(b, c.session);
}

/* ---- maps ---- */

typedef struct mapping {
    snug_session *session;
    snug_program *program;
    double *x, *y;
} mapping;

static uint64_t sample_map(void *payload, uint64_t *none)
{
    const mapping *m = payload;
    const snug_column columns[] = { { SNUG_TYPE_DOUBLE, m->x, NULL, NULL },
                                    { SNUG_TYPE_DOUBLE, m->y, NULL, NULL } };
    snug_mapped mapped = SNUG_MAPPED_INIT;
    uint64_t start_ns = now_ns();

    if (snug_program_map(&mapped, m->session, m->program, columns, 2, ROWS, NULL))
        die("%s", snug_error_message());
    uint64_t took_ns = now_ns() - start_ns;
    if (mapped.row_count != ROWS || ((const double *)mapped.column.data)[ROWS - 1] != ROWS)
        die("a map answered something else");
    snug_mapped_free(&mapped);
    *none = 0;
    return took_ns;
}

void bench_map(bench *b, char **words)
{
    mapping m = { bench_open_for(b, NULL), prepare_program(b), calloc(ROWS, sizeof(double)),
                  calloc(ROWS, sizeof(double)) };

    if (!m.x || !m.y)
        die("out of memory");
    for (int i = 0; i < ROWS; i++) {
        m.x[i] = i;
        m.y[i] = 1;
    }

    bench_repeat(strtod(words[0], NULL), "none", sample_map, &m);
    free(m.x);
    free(m.y);
    snug_program_free(m.program);
    bench_close(b, m.session);
}
