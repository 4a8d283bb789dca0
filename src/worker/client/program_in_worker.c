/*
 * program_in_worker.c - compute of the worker form: what a program is called with goes to the
 * worker, and what it answers is judged.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/u64.h"
#include "session/cells/program.h"
#include "session/result/result.h"
#include "worker/client/client.h"

static void pack_program(packer *p, const program_text *text)
{
    pack_number(p, text->id);
    pack_text(p, text->name);
    pack_bytes(p, text->source, text->len);
    pack_number(p, (uint64_t)text->output);
    pack_number(p, text->input_count);
    for (size_t i = 0; i < text->input_count; i++) {
        pack_text(p, text->inputs[i].name);
        pack_number(p, (uint64_t)text->inputs[i].type);
    }
}

static void pack_wish(packer *p, const program_wish *wish)
{
    const program_text *text = &wish->program->text;
    const int is_map = !wish->arguments;

    pack_program(p, text);
    limits_pack_resolved(p, &wish->limits);
    pack_number(p, (uint64_t)is_map);
    if (is_map)
        pack_number(p, wish->row_count);
    for (size_t i = 0; i < text->input_count; i++) {
        if (is_map)
            program_pack_column(p, &wish->columns[i], wish->row_count);
        else
            program_pack_value(p, &wish->arguments[i]);
    }
}

static int is_of_output(snug_type type, snug_type output)
{
    return type == SNUG_TYPE_NONE || output == SNUG_TYPE_ANY || type == output;
}

/* Whether what the worker says of a call can be: the value is of the output, and there is none
 * where it went wrong. */
static int is_possible_value(const program_outcome *out, const program_wish *wish)
{
    if (out->status != SNUG_STATUS_OK)
        return out->value.type == SNUG_TYPE_NONE;
    return is_of_output(out->value.type, wish->program->text.output) &&
           out->data.len <= program_most_bytes(&wish->limits);
}

static int is_possible_column(const program_outcome *out, const program_wish *wish)
{
    const program_column *column = &out->column;

    if (column->type != wish->program->text.output || column->rows > wish->row_count)
        return 0;
    if (out->status == SNUG_STATUS_OK && column->rows != wish->row_count)
        return 0;
    return column->data.len <= program_most_bytes(&wish->limits);
}

static void unpack_value(unpacker *u, program_outcome *out)
{
    program_unpack_value(u, &out->value);
    if (u->is_bad || !out->value.data)
        return;

    const size_t bytes = out->value.len * program_element_bytes(out->value.type);
    if (str_append(&out->data, out->value.data, bytes) != SNUG_OK)
        u->is_bad = 1;
    out->value.data = NULL;
}

/* SNUG_EINVAL for what no worker that is honest says. */
static int unpack_outcome(program_outcome *out, unpacker *u, const snug_session *session,
                          const program_wish *wish)
{
    out->status = (snug_status)unpack_small(u, SNUG_STATUS_CRASHED);
    if (wish->arguments)
        unpack_value(u, out);
    else
        program_unpack_column(u, &out->column);

    const int has_result = (int)unpack_small(u, 1);
    if (u->is_bad)
        return SNUG_EINVAL;
    if (wish->arguments ? !is_possible_value(out, wish) : !is_possible_column(out, wish))
        return SNUG_EINVAL;
    if (!has_result)
        return out->status == SNUG_STATUS_OK ? SNUG_OK : SNUG_EINVAL;

    int error = result_unpack(&out->result, u, session->name, &wish->limits);
    if (!error && snug_result_status(out->result) != out->status)
        error = SNUG_EINVAL;
    return error;
}

static uint64_t most_reply_bytes(const program_wish *wish)
{
    uint64_t value = program_most_bytes(&wish->limits);
    uint64_t column = u64_sum(u64_sum(value, value), value); /* data, ends, missing */
    return u64_sum(column, result_most_bytes(&wish->limits));
}

static void forget_outcome(program_outcome *out)
{
    snug_result_free(out->result);
    str_free(&out->data);
    program_column_free(&out->column);
    *out = (program_outcome){ .value = { .type = SNUG_TYPE_NONE } };
}

/* The worker has ended with it. */
static int take_loss(program_outcome *out, snug_session *session, const program_wish *wish,
                     uint64_t started_ns)
{
    int error = remote_lost_result(&out->result, session, wish->limits.wall_ms, started_ns, 1);
    if (!error)
        out->status = snug_result_status(out->result);
    return error;
}

static int ask_to_compute(program_outcome *out, snug_session *session, const program_wish *wish)
{
    const uint64_t started_ns = clock_now_ns();
    remote_question q = { .kind = FRAME_COMPUTE,
                          .deadline_ns = remote_deadline_ns(session->host, wish->limits.wall_ms),
                          .is_cell = 1,
                          .most_calls = wish->limits.tool_calls,
                          .input_ms = wish->limits.input_ms,
                          .most_bytes = most_reply_bytes(wish),
                          .display_bytes = wish->limits.display_bytes };

    pack_wish(&q.body, wish);
    if (q.body.text.len > FRAME_MOST_BYTES) {
        str_free(&q.body.text);
        return error_set(SNUG_EINVAL, "program %s: its arguments are larger than a message can be",
                         wish->program->text.name);
    }

    /* It would be the worker's memory, and all its sessions end where it has more than they may. */
    if (q.body.text.len > wish->limits.memory_bytes) {
        const size_t given = q.body.text.len;
        str_free(&q.body.text);
        return error_set(SNUG_ENOMEM,
                         "what is given to program %s has %zu bytes, and session %s may have %llu",
                         wish->program->text.name, given, session->name,
                         (unsigned long long)wish->limits.memory_bytes);
    }

    int error = remote_ask(session, &q);
    if (!error)
        error = remote_checked(session, &q, unpack_outcome(out, &q.answer, session, wish));
    if (error)
        forget_outcome(out);
    if (error == SNUG_EDEAD && remote_has_lost_worker(session))
        return take_loss(out, session, wish, started_ns);
    if (!error && out->result && snug_result_state(out->result) == SNUG_STATE_LOST)
        return remote_tell_given_up(session, out->result);
    return error;
}

int remote_compute(program_outcome *out, snug_session *session, const program_wish *wish)
{
    int error = remote_disk_begin(session, &wish->limits);
    if (!error)
        error = ask_to_compute(out, session, wish);
    remote_unmark_files(session);
    if (!error && out->result)
        error = remote_disk_judge(out->result, session);
    if (error)
        forget_outcome(out);
    else if (out->result)
        out->status = snug_result_status(out->result);
    return error;
}
