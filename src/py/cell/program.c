/*
 * program.c - interp_compute: a program as a function of the session's, called with typed values.
 *
 * What a cell has and a program has not: number, history, value as text, displays of it.
 */
#include "py/cell/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "policy/source.h"
#include "py/cell/compile.h"
#include "py/cell/failure.h"
#include "py/core/cell_notes.h"
#include "py/core/stopping.h"
#include "py/host/stdstream.h"
#include "py/running/threads.h"
#include "py/value/typed.h"

/* ---- functions ---- */

typedef struct program_slot {
    uint64_t id; /* 0: free */
    PyObject *function, *filename, *source;
} program_slot;

struct program_slots {
    program_slot at[PROGRAM_SLOTS];
};

static void empty_slot(program_slot *slot)
{
    slot->id = 0;
    Py_CLEAR(slot->function);
    Py_CLEAR(slot->filename);
    Py_CLEAR(slot->source);
}

void interp_forget_programs(interp *in)
{
    for (size_t i = 0; in->programs && i < PROGRAM_SLOTS; i++)
        empty_slot(&in->programs->at[i]);
    free(in->programs);
    in->programs = NULL;
}

const char *program_source(interp *in, PyObject *filename, size_t *len)
{
    for (size_t i = 0; in->programs && i < PROGRAM_SLOTS; i++) {
        const program_slot *slot = &in->programs->at[i];
        if (!slot->filename || PyUnicode_Compare(slot->filename, filename) != 0)
            continue;
        Py_ssize_t size = 0;
        const char *text = PyUnicode_AsUTF8AndSize(slot->source, &size);
        PyErr_Clear();
        *len = (size_t)size;
        return text;
    }

    return NULL;
}

/* "def program(net, rate): return None" */
static int write_frame(str *out, const program_text *text)
{
    int error = str_add(out, "def program(");
    for (size_t i = 0; !error && i < text->input_count; i++)
        error = str_printf(out, "%s%s", i > 0 ? ", " : "", text->inputs[i].name);
    if (!error)
        error = str_add(out, "):\n return None\n");
    return error;
}

/* Code that compiles becomes a function of the session's: its globals are the session's names. */
static int fill_slot(program_slot *slot, interp *in, const program_text *program,
                     const source_text *text)
{
    str frame = { 0 };
    PyObject *code = NULL;

    slot->filename = PyUnicode_FromFormat("<program %s>", program->name);
    slot->source = PyUnicode_DecodeUTF8(text->text, (Py_ssize_t)text->len, NULL);
    if (!slot->filename || !slot->source)
        return -1;
    if (write_frame(&frame, program) != SNUG_OK) {
        str_free(&frame);
        PyErr_NoMemory();
        return -1;
    }

    code = compile_function(in, str_text(&frame), text->text, text->len, slot->filename);
    str_free(&frame);
    if (!code) {
        compile_explain(in, text->text, text->len, slot->filename);
        return -1;
    }

    slot->function = PyFunction_New(code, in->main);
    Py_DECREF(code);
    if (!slot->function)
        return -1;
    slot->id = program->id;
    return 0;
}

static int raise_fault(const source_fault *fault)
{
    PyErr_SetString(PyExc_SyntaxError, fault->message);
    return -1;
}

static int compile_program(program_slot *slot, interp *in, const program_call *call)
{
    source_text text;
    source_fault fault;
    int failed;

    empty_slot(slot);
    int answer =
        source_prepare(&text, &fault, call->text->source, call->text->len, call->source_bytes);
    if (answer < 0) {
        PyErr_NoMemory();
        failed = -1;
    } else if (answer == 0) {
        failed = raise_fault(&fault);
    } else {
        failed = fill_slot(slot, in, call->text, &text);
    }

    source_free(&text);
    return failed;
}

/* Borrowed from the slot; NULL with an exception. */
static PyObject *find_function(interp *in, const program_call *call)
{
    if (!in->programs)
        in->programs = calloc(1, sizeof *in->programs);
    if (!in->programs)
        return PyErr_NoMemory();

    program_slot *slot = &in->programs->at[call->text->id % PROGRAM_SLOTS];
    if (slot->id != call->text->id && compile_program(slot, in, call) != 0)
        return NULL;
    return slot->function;
}

/* ---- calls ---- */

/* What is called with what; the arguments are owned. */
typedef struct frame_call {
    interp *in;
    PyObject *function;
    PyObject *arguments[PROGRAM_INPUTS];
    size_t count;
} frame_call;

static void drop_arguments(frame_call *f)
{
    while (f->count > 0)
        Py_DECREF(f->arguments[--f->count]);
}

/* The value, a new reference; NULL with an exception. The arguments are gone. */
static PyObject *call_function(frame_call *f)
{
    PyObject *value = PyObject_Vectorcall(f->function, f->arguments, f->count, NULL);
    drop_arguments(f);

    /* A handler that swallowed the stop may have been the last to run. */
    if (value && interp_check_stop(f->in) != 0)
        Py_CLEAR(value);
    return value;
}

static int call_single(frame_call *f, program_call *call)
{
    const program_text *text = call->text;

    for (; f->count < text->input_count; f->count++) {
        const snug_value *argument = &call->arguments[f->count];
        f->arguments[f->count] = typed_read(argument, text->inputs[f->count].type);
        if (!f->arguments[f->count]) {
            drop_arguments(f);
            return -1;
        }
    }

    PyObject *value = call_function(f);
    if (!value)
        return -1;
    int failed = typed_write(&call->value, &call->data, value, text->output, call->most_bytes);
    Py_DECREF(value);
    return failed;
}

static int call_row(frame_call *f, program_call *call, uint64_t row)
{
    const program_text *text = call->text;

    for (; f->count < text->input_count; f->count++) {
        const snug_column *column = &call->columns[f->count];
        f->arguments[f->count] = typed_read_row(column, row, text->inputs[f->count].type);
        if (!f->arguments[f->count]) {
            drop_arguments(f);
            return -1;
        }
    }

    PyObject *value = call_function(f);
    if (!value)
        return -1;
    int failed = typed_write_row(&call->column, value, call->most_bytes);
    Py_DECREF(value);
    return failed;
}

static int call_rows(frame_call *f, program_call *call)
{
    int failed = 0;

    call->column.type = call->text->output;
    for (uint64_t row = 0; !failed && row < call->row_count; row++)
        failed = call_row(f, call, row);
    return failed;
}

/* -1 with an exception. */
static int carry_out(interp *in, program_call *call)
{
    frame_call f; /* to clear all of it would show in the time of a small call */
    PyObject *function;

    if (interp_check_stop(in) != 0 || !(function = find_function(in, call)))
        return -1;

    /* A finalizer may call the guest, and the guest have a collection forget the slot. */
    f.in = in;
    f.count = 0;
    f.function = Py_NewRef(function);
    int failed = call->is_map ? call_rows(&f, call) : call_single(&f, call);
    Py_DECREF(f.function);
    return failed;
}

typedef struct program_run {
    outcome *out;
    interp *in;
    program_call *call;
    int error;
} program_run;

/* What a failed call would have answered. */
static void drop_value(program_call *call)
{
    call->value = (snug_value){ .type = SNUG_TYPE_NONE };
    str_clear(&call->data);
}

/* (guarded) */
static void compute(void *arg)
{
    program_run *run = arg;
    interp *in = run->in;
    const uint64_t names = internals_dict_version(in->main);

    notes_begin(in);
    if (in->options.threads > 0)
        threads_begin(in);
    int has_failed = carry_out(in, run->call) != 0;

    /* What they still do belongs to the value. */
    if (threads_wait(in) != 0)
        has_failed = 1;
    threads_end(in);
    if (has_failed)
        run->error = failure_take(run->out, in);

    /* One that only a finalizer saw, or a handler that swallowed it. */
    if (run->error == SNUG_OK)
        run->error = failure_of_late_stop(run->out, in);
    if (stdstream_finish(in) != SNUG_OK && run->error == SNUG_OK)
        run->error = error_no_memory();
    if (has_failed || run->out->status != SNUG_STATUS_OK)
        drop_value(run->call);

    /* Not the next cell's. */
    if (names == 0 || internals_dict_version(in->main) != names)
        changes_take(NULL, in, NULL);
    notes_hand_over(run->out, in);
}

int interp_compute(outcome *out, interp *in, program_call *call)
{
    program_run run = { .out = out, .in = in, .call = call };
    guard_end end;
    int signal_or_status = 0;

    if (in->options.memory)
        memory_begin(in->options.memory);
    int error = interp_guarded(in, compute, &run, &end, &signal_or_status);
    if (error) {
        /* Torn while they were being written: what they hold is lost with the rest. */
        *out = (outcome){ 0 };
        call->value = (snug_value){ .type = SNUG_TYPE_NONE };
        call->data = (str){ 0 };
        call->column = (program_column){ 0 };
        failure_of_loss(out, in, end, signal_or_status);
        return error;
    }

    return run.error;
}
