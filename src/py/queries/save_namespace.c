#include "py/queries/save_namespace.h"
#include "py/core/stopping.h"
#include "py/running/threads.h"

#include <stdlib.h>

#include <snug/snug.h>

#include "base/error.h"
#include "py/core/changes.h"
#include "py/core/state.h"
#include "py/guard/gate.h"
#include "py/host/stdstream.h"
#include "py/queries/savehooks.h"
#include "py/surface/patch_py.h"

/* ---- the work ---- */

save_work *save_work_new(void)
{
    save_work *work = calloc(1, sizeof *work);
    if (work)
        pthread_mutex_init(&work->whole, NULL);
    return work;
}

void save_list_free(save_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        str_free(&list->rows[i].name);
        str_free(&list->rows[i].what);
    }
    free(list->rows);
    *list = (save_list){ 0 };
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

int save_list_add(save_list *list, save_kind kind, uint64_t number, const char *name,
                  size_t name_len, const char *what, size_t what_len)
{
    if (list->count == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 32;
        save_row *rows = realloc(list->rows, cap * sizeof *rows);
        if (!rows)
            return SNUG_ENOMEM;
        list->rows = rows;
        list->cap = cap;
    }

    save_row row = { .kind = kind, .number = number };
    if (str_append(&row.name, name, name_len) || str_append(&row.what, what, what_len)) {
        str_free(&row.name);
        str_free(&row.what);
        return SNUG_ENOMEM;
    }

    list->rows[list->count++] = row;
    return SNUG_OK;
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
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2 ||
            !PyUnicode_CheckExact(PyTuple_GET_ITEM(pair, 0)) ||
            !PyUnicode_CheckExact(PyTuple_GET_ITEM(pair, 1)))
            return wrong_shape();
        if (add_row(work, list, kind, 0, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)) != 0)
            return -1;
    }

    return 0;
}

static const char *const kinds[] = { "name", "out", "setting" };

/* A number of a cell, 0 for anything else. */
static uint64_t cell_number(PyObject *number, uint64_t cells)
{
    unsigned long long n = PyLong_CheckExact(number) ? PyLong_AsUnsignedLongLong(number) : 0;
    int is_fine = !PyErr_Occurred() && n <= cells;
    PyErr_Clear();
    return is_fine ? n : 0;
}

/* ("name", name, how), ("out", number, None), ("setting", name, None) */
static int take_item(save_work *work, PyObject *item)
{
    if (!PyTuple_CheckExact(item) || PyTuple_GET_SIZE(item) != 3 ||
        !PyUnicode_CheckExact(PyTuple_GET_ITEM(item, 0)))
        return wrong_shape();

    PyObject *name = PyTuple_GET_ITEM(item, 1), *how = PyTuple_GET_ITEM(item, 2);
    size_t kind = 0;
    while (kind < 3 &&
           PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(item, 0), kinds[kind]) != 0)
        kind++;

    uint64_t number = kind == SAVE_OUT ? cell_number(name, work->cells) : 0;
    int is_fine = kind == SAVE_OUT ? number > 0 : kind < 3 && PyUnicode_CheckExact(name);
    if (!is_fine || (kind == SAVE_NAME && !PyUnicode_CheckExact(how)))
        return wrong_shape();
    return add_row(work, &work->items, (save_kind)kind, number, kind == SAVE_OUT ? NULL : name,
                   kind == SAVE_NAME ? how : NULL);
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
        work->last[i] = cell_number(PyList_GET_ITEM(last, i), work->cells);
    return take_pairs(work, &work->skipped, SAVE_SKIPPED, skipped);
}

static PyObject *row_tuple(const save_row *row)
{
    PyObject *name = row->kind == SAVE_OUT ? PyLong_FromUnsignedLongLong(row->number)
                                           : PyUnicode_DecodeUTF8(str_text(&row->name),
                                                                  (Py_ssize_t)row->name.len, NULL);
    PyObject *what = PyUnicode_DecodeUTF8(str_text(&row->what), (Py_ssize_t)row->what.len, NULL);
    PyObject *tuple = NULL;

    if (name && what)
        tuple = row->kind == SAVE_SKIPPED ? PyTuple_Pack(2, name, what)
                                          : Py_BuildValue("(sOO)", kinds[row->kind], name, what);

    Py_XDECREF(name);
    Py_XDECREF(what);
    return tuple;
}

static PyObject *list_of(const save_list *rows)
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

static int take_sources(save_work *work, PyObject *list)
{
    size_t count = (size_t)PyList_GET_SIZE(list);

    pthread_mutex_lock(&work->whole);
    work->sources = calloc(count + 1, sizeof *work->sources);
    work->source_count = work->sources ? count : 0;
    int failed = !work->sources;
    for (size_t i = 0; !failed && i < count; i++) {
        PyObject *source = PyList_GET_ITEM(list, (Py_ssize_t)i);
        Py_ssize_t len;
        const char *text =
            PyUnicode_CheckExact(source) ? PyUnicode_AsUTF8AndSize(source, &len) : NULL;
        if (text)
            failed = str_append(&work->sources[i], text, (size_t)len) != SNUG_OK;
        else
            failed = PyErr_Occurred() != NULL;
    }

    pthread_mutex_unlock(&work->whole);
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    return failed ? -1 : 0;
}

/* Sources, In and the numbers, before anything is compiled. */
static int put_sources(interp *in, const save_work *work)
{
    size_t count = work->source_count;
    if (!(in->sources = calloc(count + 1, sizeof *in->sources)))
        return PyErr_NoMemory(), -1;

    in->source_cap = count + 1;
    in->source_count = count;
    in->number = work->cells;
    in->forgotten = work->forgotten;
    in->compiler_flags = work->future_flags & PyCF_MASK;
    for (size_t i = 0; i < count; i++) {
        const str *text = &work->sources[i];
        if (!text->data)
            continue;
        PyObject *source = PyUnicode_DecodeUTF8(text->data, (Py_ssize_t)text->len, NULL);
        PyObject *filename = source ? adopt_filename(i + 1) : NULL;
        in->sources[i] = source;
        int failed = !filename || adopt_cell(in, filename, source) != 0 ||
                     PyList_Append(in->in_list, source) != 0;
        Py_XDECREF(filename);
        if (failed)
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

static int save(interp *in, save_work *work, PyObject *module, PyObject *functions)
{
    PyObject *ids = ids_of(module), *sources = ids ? source_list(in) : NULL;
    PyObject *last = sources ? last_values(in) : NULL, *answer = NULL;

    in->save_ids = ids;
    work->cells = in->number;
    work->forgotten = in->forgotten;
    work->future_flags = in->compiler_flags & PyCF_MASK;
    if (last && take_sources(work, sources) == 0)
        answer = PyObject_CallMethod(module, "save", "OOiOOO", in->main, sources,
                                     in->compiler_flags, in->out_dict, last, functions);

    int failed = !answer || take_saved(work, answer) != 0;
    in->save_ids = NULL;
    Py_XDECREF(answer);
    Py_XDECREF(last);
    Py_XDECREF(sources);
    Py_XDECREF(ids);
    return failed ? -1 : 0;
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
    PyObject *restored, *skipped;
    if (!PyTuple_CheckExact(answer) || !PyArg_ParseTuple(answer, "OO", &restored, &skipped))
        return wrong_shape();
    save_list_free(&work->skipped);
    return take_pairs(work, &work->restored, SAVE_NAME, restored) != 0
               ? -1
               : take_pairs(work, &work->skipped, SAVE_SKIPPED, skipped);
}

static int restore(interp *in, save_work *work, PyObject *module, PyObject *functions)
{
    PyObject *items = list_of(&work->items), *skipped = list_of(&work->skipped), *answer = NULL;
    PyObject *sources = put_sources(in, work) == 0 ? source_list(in) : NULL;

    if (items && skipped && sources)
        answer = PyObject_CallMethod(module, "restore", "OOiOOOO", in->main, sources,
                                     in->compiler_flags, in->out_dict, items, skipped, functions);

    int failed = !answer || take_restored(work, answer) != 0 || put_last_values(in, work) != 0;
    Py_XDECREF(answer);
    Py_XDECREF(sources);
    Py_XDECREF(skipped);
    Py_XDECREF(items);
    changes_take(NULL, in, NULL); /* no cell has made them */
    return failed ? -1 : 0;
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
static int run_job(job *j)
{
    interp *in = j->in;
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
    return failed;
}

/* Takes the exception that is set. Its text may be the guest's: only the type is shown. */
static int tell_failure(interp *in)
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
    int failed = interp_check_stop(in) != 0 || run_job(j) != 0;
    if (threads_wait(in) != 0)
        failed = 1;
    threads_end(in);
    j->error = failed ? tell_failure(in) : SNUG_OK;
    if (stdstream_finish(in) != SNUG_OK && !j->error)
        j->error = error_no_memory();
}

static int guarded(interp *in, save_work *work, const task *what)
{
    job j = { in, work, what, SNUG_OK };
    guard_end end;
    int number;
    if (in->options.memory)
        memory_begin(in->options.memory);
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
    static const task saving = { "_snug_save", save };
    return guarded(in, work, &saving);
}

int interp_restore(interp *in, save_work *work)
{
    static const task restoring = { "_snug_restore", restore };
    return guarded(in, work, &restoring);
}
