/*
 * program_calls.c - snug_program_call and snug_program_map: what they are given, and what they hand
 * out.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "limits/limits.h"
#include "session/cells/program.h"
#include "session/cells/program_values.h"
#include "session/cells/run_cell.h"
#include "session/core/claim.h"
#include "session/core/session.h"
#include "session/result/result.h"

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

static int give_column(snug_mapped *mapped, program_outcome *out)
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
        error = give_column(mapped, &out);
    program_column_free(&out.column);
    snug_result_free(out.result);
    str_free(&out.data);
    return error;
}
