#include "py/queries/save_namespace.h"

#include <stdlib.h>

#include <snug/snug.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "py/cell/magic.h"
#include "py/core/changes.h"
#include "py/core/internals.h"
#include "py/core/python.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/guard/gate.h"
#include "py/host/stdstream.h"
#include "py/running/threads.h"
#include "py/surface/patch_py.h"

/* ---- savehooks ---- */

/* What frozen/save.py and frozen/restore.py call: functions that write pickles into
 * the save_work of the job, have them judged, and read those that are restored.
 *
 * The caller holds the interpreter. */

/* Of the job that runs on this thread. The guest finds these functions in frames, and may have
 * kept them: without a job they do nothing. */
static save_work *work_here(void)
{
    interp *in = interp_current;
    if (!in || !in->saving)
        PyErr_SetString(PyExc_ValueError, "no session is being saved");
    return in ? in->saving : NULL;
}

static void truncate_values(save_work *work, size_t len)
{
    if (len < work->values.len) {
        work->values.len = len;
        work->values.data[len] = '\0';
    }
}

static PyObject *write_values(PyObject *self, PyObject *data)
{
    (void)self;
    save_work *work = work_here();
    Py_buffer bytes;
    if (!work || PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE) != 0)
        return NULL;

    size_t len = (size_t)bytes.len;
    int is_too_large = len > work->most_bytes || work->values.len > work->most_bytes - len;
    int error = SNUG_OK;
    if (!is_too_large) {
        pthread_mutex_lock(&work->whole);
        error = str_append(&work->values, bytes.buf, len);
        pthread_mutex_unlock(&work->whole);
    }

    PyBuffer_Release(&bytes);
    if (is_too_large)
        return PyErr_Format(PyExc_ValueError, "the values take more than %llu bytes together",
                            (unsigned long long)work->most_bytes);
    return error ? PyErr_NoMemory() : PyLong_FromSize_t(len);
}

static PyObject *tell_mark(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    const save_work *work = work_here();
    return work ? PyLong_FromSize_t(work->values.len) : NULL;
}

/* A mark that the guest made up is no more than a wrong place. */
static int read_mark(const save_work *work, PyObject *arg, size_t *mark)
{
    *mark = PyLong_AsSize_t(arg);
    if (PyErr_Occurred())
        return 0;
    if (*mark > work->values.len)
        *mark = work->values.len;
    return 1;
}

static PyObject *drop_values(PyObject *self, PyObject *arg)
{
    (void)self;
    save_work *work = work_here();
    size_t from;
    if (!work || !read_mark(work, arg, &from))
        return NULL;
    truncate_values(work, from);
    Py_RETURN_NONE;
}

/* A pickler in C asks nobody for as long as it goes on: so here a stop is noticed, and on 3.11
 * those that share the GIL have it at times. */
static int look_around(interp *in)
{
    enum { OBJECTS = 1024 };

    if (interp_check_stop(in) != 0)
        return -1;
    if (in->saving && ++in->saving->looks % OBJECTS == 0) {
        Py_BEGIN_ALLOW_THREADS
        Py_END_ALLOW_THREADS
    }
    return 0;
}

static PyObject *read_pickles(PyObject *self, PyObject *arg)
{
    (void)self;
    save_work *work = work_here();
    Py_ssize_t wanted = work ? PyLong_AsSsize_t(arg) : -1;
    if (!work || (wanted == -1 && PyErr_Occurred()) || look_around(interp_current) != 0)
        return NULL;

    size_t left = work->pickle_bytes - work->at;
    size_t len = wanted < 0 || (size_t)wanted > left ? left : (size_t)wanted;
    PyObject *bytes = PyBytes_FromStringAndSize(work->pickles + work->at, (Py_ssize_t)len);
    if (bytes)
        work->at += len;
    return bytes;
}

/* Only operations of old protocols want lines, and no saved session has these. */
static PyObject *read_no_line(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return PyBytes_FromStringAndSize("", 0);
}

static PyObject *rewind_pickles(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    save_work *work = work_here();
    if (!work)
        return NULL;
    work->at = 0;
    Py_RETURN_NONE;
}

/* Asked at every object that is pickled, so it is in C: the name of a function of ours that
 * pickles call, or None. */
static PyObject *persistent_id(PyObject *self, PyObject *object)
{
    (void)self;
    interp *in = interp_current;
    PyObject *name = NULL;
    if (in && look_around(in) != 0)
        return NULL;
    if (in && in->save_ids && PyFunction_Check(object)) {
        PyObject *id = PyLong_FromVoidPtr(object);
        name = id ? PyDict_GetItemWithError(in->save_ids, id) : NULL; /* borrowed */
        Py_XDECREF(id);
        if (!name && PyErr_Occurred())
            return NULL;
    }

    return Py_NewRef(name ? name : Py_None);
}

/* ---- lazy imports ---- */

/* What an object refers to, borrowed, as it shows it to the collector. */
typedef struct referents {
    PyObject *items[4];
    size_t count;
} referents;

static int note_referent(PyObject *object, void *arg)
{
    referents *r = arg;
    if (r->count < sizeof r->items / sizeof *r->items)
        r->items[r->count++] = object;
    return 0;
}

/* The first that is text: the name of the module, or that of the attribute. */
static PyObject *first_text(const referents *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (PyUnicode_CheckExact(r->items[i]))
            return r->items[i];
    return NULL;
}

static int has_names(const referents *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (PyTuple_CheckExact(r->items[i]))
            return 1;
    return 0;
}

/* What an import binds is of the whole; what it takes of that, the name of a from or the parts of a
 * dotted name behind the first, is a lazy import whose first referent is what it is taken of. */
static PyObject *lazy_import_parts(PyObject *import)
{
    PyObject *path = PyList_New(0), *answer = NULL;
    referents r;
    int failed = !path;
    for (;;) {
        r.count = 0;
        Py_TYPE(import)->tp_traverse(import, note_referent, &r);
        if (failed || r.count == 0 || !internals_is_lazy_import(r.items[0]))
            break;
        PyObject *name = first_text(&r);
        failed = !name || PyList_Insert(path, 0, name) != 0;
        import = r.items[0];
    }

    PyObject *module = first_text(&r);
    PyObject *tuple = !failed && module ? PyList_AsTuple(path) : NULL;
    if (tuple)
        answer = Py_BuildValue("(OON)", module, has_names(&r) ? Py_True : Py_False, tuple);
    Py_XDECREF(path);
    if (!answer && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "a lazy import of an unknown kind");
    return answer;
}

static PyObject *read_lazy_import(PyObject *self, PyObject *object)
{
    (void)self;
    if (!work_here())
        return NULL;
    if (!internals_is_lazy_import(object))
        return PyErr_Format(PyExc_TypeError, "no lazy import");
    return lazy_import_parts(object);
}

/* The Python that a cell with magics is. */
static PyObject *translate_magics(PyObject *self, PyObject *source)
{
    (void)self;
    enum { FLAGS = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE | PyCF_ALLOW_TOP_LEVEL_AWAIT };
    interp *in = interp_current;
    Py_ssize_t len;
    str text = { 0 };
    PyObject *python = NULL;

    if (!PyUnicode_Check(source))
        return PyErr_Format(PyExc_TypeError, "the source of a cell must be a string");

    const char *utf8 = PyUnicode_AsUTF8AndSize(source, &len);
    if (!utf8 || !work_here())
        return NULL;

    PyObject *filename = PyUnicode_FromString("<cell>");
    if (!filename)
        return NULL;

    int flags = FLAGS | in->compiler_flags;
    if (magic_python(&text, in, utf8, (size_t)len, filename, flags) == 0)
        python = PyUnicode_DecodeUTF8(str_text(&text), (Py_ssize_t)text.len, NULL);
    Py_DECREF(filename);
    str_free(&text);
    return python;
}

static PyMethodDef hooks[] = {
    { "lazy_import", read_lazy_import, METH_O,
      "(module, whether names of it are imported, the way to what is bound)." },
    { "python", translate_magics, METH_O, "The Python that a cell with magics is." },
    { "write", write_values, METH_O, "Append to the pickles." },
    { "mark", tell_mark, METH_NOARGS, "How many bytes there are." },
    { "drop", drop_values, METH_O, "drop(mark): forget what was written from there on." },
    { "read", read_pickles, METH_O, "Read pickles." },
    { "readline", read_no_line, METH_NOARGS, "Empty." },
    { "rewind", rewind_pickles, METH_NOARGS, "Read from the first pickle again." },
    { "persistent_id", persistent_id, METH_O, "The name of a function that pickles call." },
    { NULL },
};

/* A new module with the functions, or NULL with an exception. They work on interp.saving and
 * interp.save_ids of the thread's interpreter. */
static PyObject *savehooks_make(void)
{
    PyObject *module = PyModule_New("_snug_save_hooks");
    if (module && PyModule_AddFunctions(module, hooks) != 0)
        Py_CLEAR(module);
    return module;
}

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

/* {id of a function that pickles call: its name}. */
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
