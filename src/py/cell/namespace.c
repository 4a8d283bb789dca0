/*
 * What the host does to the namespace without a cell: names bound to values, a checkpoint and
 * the way back to it.
 */
#include <string.h>

#include "base/error.h"
#include "py/core/changes.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/value/jsonvalue.h"

/* The exception that is set, as an error of the host's. */
static int take_change_fault(interp *in, const char *what)
{
    int is_memory = PyErr_ExceptionMatches(PyExc_MemoryError), is_value;

    if (interp_check_stop(in) != 0) {
        PyErr_Clear();
        return error_set(SNUG_ESTOPPED, "%s: the session was stopped before it was done", what);
    }

    is_value = PyErr_ExceptionMatches(PyExc_ValueError);
    PyErr_Clear();
    if (is_memory)
        return error_set(SNUG_ENOMEM, "%s: the session has no memory left for it", what);
    return error_set(is_value ? SNUG_EINVAL : SNUG_EPYTHON, "%s: the session could not do it",
                     what);
}

typedef struct change {
    interp *in;
    const char *name, *json;
    size_t len;
    int (*fn)(struct change *c);
    int error;
} change;

/* What was bound before may be the guest's, with a finalizer. */
static void make_change(void *arg)
{
    change *c = arg;
    c->error = c->fn(c);
    PyErr_Clear();
    changes_take(NULL, c->in, NULL); /* no cell has done it */
}

static int run_change(change *c)
{
    guard_end end;
    int number;
    int error = interp_guarded(c->in, make_change, c, &end, &number);
    if (error)
        return error;
    return c->error;
}

/* ---- set ---- */

/* No cell can give it to compile: py/guard/audit.c. */
static const char source_name[] = "<snug set>";

/* Whether Python binds a plain name by "name = 0": no keyword, no None. */
static int is_bindable(const char *name)
{
    PyCompilerFlags flags = { .cf_flags = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE,
                              .cf_feature_version = PY_MINOR_VERSION };
    PyObject *source = NULL, *filename = NULL, *code = NULL;
    PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), NULL);
    if (!text || !PyUnicode_IsIdentifier(text))
        goto done;

    source = PyUnicode_FromFormat("%U = 0", text);
    filename = PyUnicode_FromString(source_name);
    if (!source || !filename)
        goto done;

    interp_own.compiling = filename;
    code = Py_CompileStringObject(PyUnicode_AsUTF8(source), filename, Py_file_input, &flags, -1);
    interp_own.compiling = NULL;

done:
    PyErr_Clear();
    int is_one = code != NULL;
    Py_XDECREF(code);
    Py_XDECREF(filename);
    Py_XDECREF(source);
    Py_XDECREF(text);
    return is_one;
}

static int bind_value(change *c)
{
    if (!is_bindable(c->name))
        return error_set(SNUG_EINVAL,
                         "snug_session_set_variable: \"%.200s\" is not the name of a variable",
                         c->name);

    int error = SNUG_OK;
    PyObject *value = NULL, *name = PyUnicode_FromString(c->name);
    if (name) {
        PyUnicode_InternInPlace(&name);
        value = jsonvalue_read(c->json, c->len);
    }

    if (!value || PyDict_SetItem(c->in->main, name, value) != 0)
        error = take_change_fault(c->in, "snug_session_set_variable");
    Py_XDECREF(value);
    Py_XDECREF(name);
    return error;
}

int interp_set(interp *in, const char *name, const char *json, size_t len)
{
    change c = { in, name, json, len, bind_value, SNUG_OK };
    return run_change(&c);
}

/* ---- checkpoint ---- */

static int keep_checkpoint(change *c)
{
    PyObject *copy = PyDict_Copy(c->in->main);
    if (!copy)
        return take_change_fault(c->in, "snug_session_checkpoint");
    Py_XSETREF(c->in->checkpoint, copy);
    return SNUG_OK;
}

/* Names that are there now and were not then go. */
static int drop_new_names(PyObject *now, PyObject *then)
{
    PyObject *names = PyDict_Keys(now);
    int failed = !names;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(names); i++) {
        PyObject *name = PyList_GET_ITEM(names, i);
        if (changes_is_hidden(name))
            continue;
        int was = PyDict_Contains(then, name);
        failed = was < 0;
        /* A finalizer may have taken it away meanwhile. */
        if (was == 0 && PyDict_DelItem(now, name) != 0)
            PyErr_Clear();
    }

    Py_XDECREF(names);
    return failed ? -1 : 0;
}

static int restore_names(PyObject *now, PyObject *then)
{
    PyObject *items = PyDict_Items(then); /* finalizers run meanwhile */
    int failed = !items;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(items); i++) {
        PyObject *pair = PyList_GET_ITEM(items, i);
        if (!changes_is_hidden(PyTuple_GET_ITEM(pair, 0)))
            failed = PyDict_SetItem(now, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)) != 0;
    }

    Py_XDECREF(items);
    return failed ? -1 : 0;
}

static int roll_back(change *c)
{
    PyObject *then = c->in->checkpoint;
    if (!then)
        return error_set(SNUG_ENOTFOUND, "snug_session_rollback: there is no checkpoint");

    Py_INCREF(then);
    int failed = drop_new_names(c->in->main, then) != 0 || restore_names(c->in->main, then) != 0;
    Py_DECREF(then);
    if (failed)
        return take_change_fault(c->in, "snug_session_rollback");
    return SNUG_OK;
}

static int drop_checkpoint(change *c)
{
    Py_CLEAR(c->in->checkpoint);
    return SNUG_OK;
}

int interp_checkpoint(interp *in)
{
    change c = { .in = in, .fn = keep_checkpoint };
    return run_change(&c);
}

int interp_rollback(interp *in)
{
    change c = { .in = in, .fn = roll_back };
    return run_change(&c);
}

int interp_forget_checkpoint(interp *in)
{
    change c = { .in = in, .fn = drop_checkpoint };
    return run_change(&c);
}
