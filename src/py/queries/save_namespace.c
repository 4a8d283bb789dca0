#include "py/queries/save_namespace.h"

#include <stdlib.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/error.h"
#include "py/core/changes.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/guard/gate.h"
#include "py/host/stdstream.h"
#include "py/queries/savehooks.h"
#include "py/running/threads.h"
#include "py/surface/patch_py.h"

/* ---- the work ---- */

save_work *save_work_new(void)
{
    save_work *work = calloc(1, sizeof *work);
    if (work)
        pthread_mutex_init(&work->whole, NULL);
    return work;
}

void save_work_free(save_work *work)
{
    if (!work)
        return;
    for (size_t i = 0; i < work->source_count; i++)
        str_free(&work->sources[i]);
    free(work->sources);
    save_list_free(&work->items);
    save_list_free(&work->skipped);
    save_list_free(&work->restored);
    str_free(&work->values);
    pthread_mutex_destroy(&work->whole);
    free(work);
}

/* ---- Python's lists and ours ---- */

/* Texts of the guest may have lone surrogates, and NULs. */
static PyObject *plain_utf8(PyObject *text)
{
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    char *at = bytes ? PyBytes_AS_STRING(bytes) : NULL;
    for (Py_ssize_t i = 0; bytes && i < PyBytes_GET_SIZE(bytes); i++)
        if (!at[i])
            at[i] = ' ';
    return bytes;
}

static int wrong_shape(void)
{
    PyErr_SetString(PyExc_TypeError, "the session's own code has replaced what saves it");
    return -1;
}

static int add_row(save_work *work, save_list *list, save_kind kind, uint64_t number,
                   PyObject *name, PyObject *what)
{
    PyObject *first = name ? plain_utf8(name) : PyBytes_FromString("");
    PyObject *second = what ? plain_utf8(what) : PyBytes_FromString("");
    int error = SNUG_ENOMEM;

    if (first && second) {
        pthread_mutex_lock(&work->whole);
        error = save_list_add(list, kind, number, PyBytes_AS_STRING(first),
                              (size_t)PyBytes_GET_SIZE(first), PyBytes_AS_STRING(second),
                              (size_t)PyBytes_GET_SIZE(second));
        pthread_mutex_unlock(&work->whole);
    }

    Py_XDECREF(first);
    Py_XDECREF(second);
    if (error && !PyErr_Occurred())
        PyErr_NoMemory();
    return error ? -1 : 0;
}

/* [(name, what), ...] */
static int take_pairs(save_work *work, save_list *list, save_kind kind, PyObject *pairs)
{
    if (!PyList_CheckExact(pairs))
        return wrong_shape();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs); i++) {
        PyObject *pair = PyList_GET_ITEM(pairs, i);
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2)
            return wrong_shape();
        PyObject *name = PyTuple_GET_ITEM(pair, 0), *what = PyTuple_GET_ITEM(pair, 1);
        if (!PyUnicode_CheckExact(name) || !PyUnicode_CheckExact(what))
            return wrong_shape();
        if (add_row(work, list, kind, 0, name, what) != 0)
            return -1;
    }

    return 0;
}

static const char *const kinds[] = { "name", "out", "setting" }; /* save_kind, as Python has it */
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A number of a cell, 0 for anything else. */
static uint64_t known_cell_number(PyObject *number, uint64_t cells)
{
    unsigned long long n = PyLong_CheckExact(number) ? PyLong_AsUnsignedLongLong(number) : 0;
    int is_fine = !PyErr_Occurred() && n <= cells;
    PyErr_Clear();
    return is_fine ? n : 0;
}

/* KINDS if it is none of them. */
static size_t kind_number(PyObject *kind)
{
    size_t number = 0;
    while (number < KINDS && PyUnicode_CompareWithASCIIString(kind, kinds[number]) != 0)
        number++;
    return number;
}

/* ("name", name, how), ("out", number, None), ("setting", name, None) */
static int take_item(save_work *work, PyObject *item)
{
    save_list *items = &work->items;
    uint64_t number;

    if (!PyTuple_CheckExact(item) || PyTuple_GET_SIZE(item) != 3 ||
        !PyUnicode_CheckExact(PyTuple_GET_ITEM(item, 0)))
        return wrong_shape();

    PyObject *name = PyTuple_GET_ITEM(item, 1), *how = PyTuple_GET_ITEM(item, 2);
    switch (kind_number(PyTuple_GET_ITEM(item, 0))) {
    case SAVE_NAME:
        if (!PyUnicode_CheckExact(name) || !PyUnicode_CheckExact(how))
            break;
        return add_row(work, items, SAVE_NAME, 0, name, how);
    case SAVE_OUT:
        number = known_cell_number(name, work->cells);
        if (number == 0)
            break;
        return add_row(work, items, SAVE_OUT, number, NULL, NULL);
    case SAVE_SETTING:
        if (!PyUnicode_CheckExact(name))
            break;
        return add_row(work, items, SAVE_SETTING, 0, name, NULL);
    }

    return wrong_shape();
}

static int take_saved(save_work *work, PyObject *answer)
{
    PyObject *items, *skipped, *last;

    if (!PyTuple_CheckExact(answer) || !PyArg_ParseTuple(answer, "OOO", &items, &skipped, &last))
        return wrong_shape();
    if (!PyList_CheckExact(items) || !PyList_CheckExact(last) || PyList_GET_SIZE(last) != 3)
        return wrong_shape();

    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++)
        if (take_item(work, PyList_GET_ITEM(items, i)) != 0)
            return -1;

    for (int i = 0; i < 3; i++)
        work->last[i] = known_cell_number(PyList_GET_ITEM(last, i), work->cells);
    return take_pairs(work, &work->skipped, SAVE_SKIPPED, skipped);
}

static PyObject *decode_text(const str *text)
{
    return PyUnicode_DecodeUTF8(str_text(text), (Py_ssize_t)text->len, NULL);
}

static PyObject *row_tuple(const save_row *row)
{
    PyObject *name = NULL, *what = decode_text(&row->what), *tuple = NULL;

    if (row->kind == SAVE_OUT)
        name = PyLong_FromUnsignedLongLong(row->number);
    else
        name = decode_text(&row->name);

    if (name && what && row->kind == SAVE_SKIPPED)
        tuple = PyTuple_Pack(2, name, what);
    else if (name && what)
        tuple = Py_BuildValue("(sOO)", kinds[row->kind], name, what);

    Py_XDECREF(name);
    Py_XDECREF(what);
    return tuple;
}

static PyObject *tuple_list(const save_list *rows)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < rows->count; i++) {
        PyObject *tuple = row_tuple(&rows->rows[i]);
        if (!tuple || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }

    return list;
}

/* ---- sources ---- */

/* Of all cells, None where there is none. As C keeps them: no cell can have changed them. */
static PyObject *source_list(const interp *in)
{
    PyObject *list = PyList_New((Py_ssize_t)in->number);
    for (size_t i = 0; list && i < in->number; i++) {
        PyObject *source = i < in->source_count ? in->sources[i] : NULL;
        PyList_SET_ITEM(list, (Py_ssize_t)i, Py_NewRef(source ? source : Py_None));
    }
    return list;
}

/* A cell without one has None there. */
static int copy_source(str *out, PyObject *source)
{
    Py_ssize_t len;

    if (!PyUnicode_CheckExact(source))
        return 0;
    const char *text = PyUnicode_AsUTF8AndSize(source, &len);
    return text && str_append(out, text, (size_t)len) == SNUG_OK ? 0 : -1;
}

static int copy_sources(save_work *work, PyObject *list)
{
    size_t count = (size_t)PyList_GET_SIZE(list);

    pthread_mutex_lock(&work->whole);
    work->sources = calloc(count + 1, sizeof *work->sources);
    work->source_count = work->sources ? count : 0;
    int failed = !work->sources;
    for (size_t i = 0; !failed && i < count; i++)
        failed = copy_source(&work->sources[i], PyList_GET_ITEM(list, (Py_ssize_t)i)) != 0;
    pthread_mutex_unlock(&work->whole);
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    return failed ? -1 : 0;
}

static int put_source(interp *in, size_t i, const str *text)
{
    PyObject *source = in->sources[i] = decode_text(text);
    PyObject *filename = source ? adopt_filename(i + 1) : NULL;
    if (!filename)
        return -1;

    int failed = adopt_cell(in, filename, source) != 0 || PyList_Append(in->in_list, source) != 0;
    Py_DECREF(filename);
    return failed ? -1 : 0;
}

/* Sources, In and the numbers, before anything is compiled. */
static int put_sources(interp *in, const save_work *work)
{
    size_t count = work->source_count;

    in->sources = calloc(count + 1, sizeof *in->sources);
    if (!in->sources) {
        PyErr_NoMemory();
        return -1;
    }

    in->source_cap = count + 1;
    in->source_count = count;
    in->number = work->cells;
    in->forgotten = work->forgotten;
    in->compiler_flags = work->future_flags & PyCF_MASK;
    for (size_t i = 0; i < count; i++) {
        const str *text = &work->sources[i];
        if (text->data && put_source(in, i, text) != 0)
            return -1;
    }

    return 0;
}

/* ---- saving and restoring ---- */

/* What is in _, __ and ___; None where nothing is. */
static PyObject *last_values(const interp *in)
{
    PyObject *values[3];
    for (int i = 0; i < 3; i++)
        values[i] = in->last[i] ? in->last[i] : Py_None;
    return PyTuple_Pack(3, values[0], values[1], values[2]);
}

/* For savehooks.c: {id of a function that pickles call: its name}. */
static PyObject *ids_of(PyObject *module)
{
    PyObject *ids = PyObject_GetAttrString(module, "ids");
    if (ids && !PyDict_CheckExact(ids)) {
        Py_CLEAR(ids);
        wrong_shape();
    }
    return ids;
}

static int save_values(interp *in, save_work *work, PyObject *module, PyObject *functions)
{
    PyObject *sources = NULL, *last = NULL, *answer = NULL;
    int error = -1;

    work->cells = in->number;
    work->forgotten = in->forgotten;
    work->future_flags = in->compiler_flags & PyCF_MASK;
    if (!(in->save_ids = ids_of(module)) || !(sources = source_list(in)) ||
        !(last = last_values(in)) || copy_sources(work, sources) != 0)
        goto done;

    answer = PyObject_CallMethod(module, "save", "OOiOOO", in->main, sources, in->compiler_flags,
                                 in->out_dict, last, functions);
    if (answer)
        error = take_saved(work, answer);

done:
    Py_CLEAR(in->save_ids);
    Py_XDECREF(answer);
    Py_XDECREF(last);
    Py_XDECREF(sources);
    return error;
}

static int put_last_values(interp *in, const save_work *work)
{
    for (int i = 0; i < 3; i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(work->last[i]);
        PyObject *value = number ? PyDict_GetItemWithError(in->out_dict, number) : NULL;
        Py_XDECREF(number);
        if (!value && PyErr_Occurred())
            return -1;
        if (!value)
            continue;
        Py_XSETREF(in->last[i], Py_NewRef(value));
        if (PyDict_SetItem(in->main, in->last_names[i], value) != 0)
            return -1;
    }
    return 0;
}

static int take_restored(save_work *work, PyObject *answer)
{
    PyObject *restored, *skipped; /* borrowed */

    if (!PyTuple_CheckExact(answer) || !PyArg_ParseTuple(answer, "OO", &restored, &skipped))
        return wrong_shape();

    save_list_free(&work->skipped);
    if (take_pairs(work, &work->restored, SAVE_NAME, restored) != 0)
        return -1;
    return take_pairs(work, &work->skipped, SAVE_SKIPPED, skipped);
}

static int restore_values(interp *in, save_work *work, PyObject *module, PyObject *functions)
{
    PyObject *items = NULL, *skipped = NULL, *sources = NULL, *answer = NULL;
    int error = -1;

    if (!(items = tuple_list(&work->items)) || !(skipped = tuple_list(&work->skipped)) ||
        put_sources(in, work) != 0 || !(sources = source_list(in)))
        goto done;

    answer = PyObject_CallMethod(module, "restore", "OOiOOOO", in->main, sources,
                                 in->compiler_flags, in->out_dict, items, skipped, functions);
    if (answer && take_restored(work, answer) == 0)
        error = put_last_values(in, work);

done:
    Py_XDECREF(answer);
    Py_XDECREF(sources);
    Py_XDECREF(skipped);
    Py_XDECREF(items);
    changes_take(NULL, in, NULL); /* no cell has made them */
    return error;
}

/* ---- the job ---- */

/* A function, and the frozen module that it calls. */
typedef struct task {
    const char *module;
    int (*fn)(interp *in, save_work *work, PyObject *module, PyObject *functions);
} task;

typedef struct job {
    interp *in;
    save_work *work;
    const task *task;
    int error;
} job;

/* With an exception set where it answers -1. */
static int run_task(job *j)
{
    interp *in = j->in;
    /* A collection goes through all that the session has, stops for nobody, and finds nothing. */
    const int collected = PyGC_Disable();
    PyObject *module = gate_load(in, j->task->module);
    PyObject *functions = module ? savehooks_make() : NULL;
    int failed = -1;

    if (functions) {
        in->saving = j->work;
        failed = j->task->fn(in, j->work, module, functions);
        in->saving = NULL;
    }

    Py_XDECREF(functions);
    Py_XDECREF(module);
    if (collected)
        PyGC_Enable();
    return failed;
}

/* Takes the exception that is set. Its text may be the guest's: only the type is shown. */
static int tell_why_failed(interp *in)
{
    PyObject *type, *exc, *traceback;

    interp_settle(in);
    PyErr_Fetch(&type, &exc, &traceback);
    int error = interp_tell_stop(in);
    if (!error && type && PyErr_GivenExceptionMatches(type, PyExc_MemoryError))
        error = error_set(SNUG_ESTOPPED, "needs more memory than the session's limit");
    if (!error)
        error = error_set(SNUG_ESTOPPED, "failed by the session's own code: %s",
                          type && PyType_Check(type) ? ((PyTypeObject *)type)->tp_name : "unknown");

    PyErr_Clear();
    interp_unsettle(in);
    Py_XDECREF(traceback);
    Py_XDECREF(exc);
    Py_XDECREF(type);
    PyErr_Clear();
    return error;
}

static void call_job(void *arg)
{
    job *j = arg;
    interp *in = j->in;

    in->notes.denial_count = 0;
    threads_begin(in);
    int failed = interp_check_stop(in) != 0 || run_task(j) != 0;
    if (threads_wait(in) != 0)
        failed = 1;
    threads_end(in);
    j->error = failed ? tell_why_failed(in) : SNUG_OK;
    if (stdstream_finish(in) != SNUG_OK && !j->error)
        j->error = error_no_memory();
}

static int run_guarded(interp *in, save_work *work, const task *what)
{
    job j = { in, work, what, SNUG_OK };
    guard_end end;
    int number;
    if (in->options.memory)
        memory_begin_copy(in->options.memory);
    int error = interp_guarded(in, call_job, &j, &end, &number);
    return error ? error : j.error;
}

void interp_python(unsigned *major, unsigned *minor)
{
    *major = PY_MAJOR_VERSION;
    *minor = PY_MINOR_VERSION;
}

int interp_save(interp *in, save_work *work)
{
    static const task saving = { "_snug_save", save_values };
    return run_guarded(in, work, &saving);
}

int interp_restore(interp *in, save_work *work)
{
    static const task restoring = { "_snug_restore", restore_values };
    int error = run_guarded(in, work, &restoring);
    if (in->options.memory)
        memory_end_copy(in->options.memory);
    return error;
}
