#include "py/queries/savehooks.h"

#include <string.h>

#include <snug/snug.h>

#include "py/cell/magic.h"
#include "py/core/internals.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/queries/save_namespace.h"

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

PyObject *savehooks_make(void)
{
    PyObject *module = PyModule_New("_snug_save_hooks");
    if (module && PyModule_AddFunctions(module, hooks) != 0)
        Py_CLEAR(module);
    return module;
}
