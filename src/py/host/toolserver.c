#include "py/host/toolserver.h"

#include <stddef.h>
#include <stdint.h>

#include "py/core/python.h"

#include <structmember.h> /* PyMemberDef, before 3.12 */

/* Its attributes are what guests see and may change. */
typedef struct toolserver {
    PyObject_HEAD
    PyObject *attributes, *name;
} toolserver;

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    toolserver *t = (toolserver *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(t->attributes);
    return 0;
}

static int clear(PyObject *self)
{
    Py_CLEAR(((toolserver *)self)->attributes);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    clear(self);
    Py_CLEAR(((toolserver *)self)->name);
    type->tp_free(self);
    Py_DECREF(type);
}

/* "<tools of github: create_issue, search_issues>". */
static PyObject *make_repr(PyObject *self)
{
    const toolserver *t = (const toolserver *)self;
    PyObject *names = PyDict_Keys(t->attributes), *comma = PyUnicode_FromString(", ");
    PyObject *joined = NULL, *text = NULL;

    if (names && comma && PyList_Sort(names) == 0)
        joined = PyUnicode_Join(comma, names);
    if (joined)
        text = PyUnicode_FromFormat("<tools of %U: %U>", t->name, joined);
    Py_XDECREF(joined);
    Py_XDECREF(comma);
    Py_XDECREF(names);
    return text;
}

static PyObject *refuse_reduce(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    PyErr_SetString(PyExc_TypeError, "tools of the host are bound by it, and not saved");
    return NULL;
}

static PyObject *list_names(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyDict_Keys(((const toolserver *)self)->attributes);
}

static PyMethodDef methods[] = {
    { "__dir__", list_names, METH_NOARGS, NULL },
    { "__reduce__", refuse_reduce, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMemberDef members[] = {
    { "__dictoffset__", T_PYSSIZET, offsetof(toolserver, attributes), READONLY, NULL },
    { NULL, 0, 0, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, (void *)(uintptr_t) "Tools of one server of the host's: dir() lists them." },
    { Py_tp_dealloc, dealloc },
    { Py_tp_traverse, traverse },
    { Py_tp_clear, clear },
    { Py_tp_repr, make_repr },
    { Py_tp_methods, methods },
    { Py_tp_members, members },
    { 0, NULL },
};

static PyType_Spec spec = { "snug.ToolServer", sizeof(toolserver), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                            slots };

int toolserver_is_one(PyObject *value)
{
    return Py_TYPE(value)->tp_dealloc == dealloc;
}

static PyObject *make_server(interp *in, PyObject *name)
{
    if (!in->server_type)
        in->server_type = PyType_FromSpec(&spec);
    if (!in->server_type)
        return NULL;

    toolserver *made = PyObject_GC_New(toolserver, (PyTypeObject *)in->server_type);
    if (!made)
        return NULL;
    made->name = Py_NewRef(name);
    made->attributes = PyDict_New();
    PyObject_GC_Track((PyObject *)made);
    if (!made->attributes)
        Py_CLEAR(made);
    return (PyObject *)made;
}

PyObject *toolserver_get(interp *in, PyObject *name)
{
    PyObject *found = PyDict_GetItemWithError(in->main, name); /* borrowed */

    if (found && toolserver_is_one(found))
        return Py_NewRef(found);
    if (!found && PyErr_Occurred())
        return NULL;
    PyObject *made = make_server(in, name);
    if (made && PyDict_SetItem(in->main, name, made) != 0)
        Py_CLEAR(made);
    return made;
}
