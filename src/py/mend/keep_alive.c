/*
 * keep_alive.c - PyObject_RichCompare, PyObject_RichCompareBool, PyNumber_Add, PyObject_Repr,
 * PyObject_Str and PyObject_Call, as the program defines them in libpython's place
 * (py/life/archive.py renames the originals). Only in the static programs.
 *
 * Much of CPython calls them with an item that a list, deque, dict, element or context owns and
 * that nobody else does. __eq__, __add__ or __repr__ of the guest's may take it out of there, and
 * so free it while it is still being compared, shown or called. Here it stays until the call is
 * over.
 */
#include "py/core/python.h"

extern PyObject *snug_python_rich_compare(PyObject *left, PyObject *right, int how);
extern int snug_python_rich_compare_bool(PyObject *left, PyObject *right, int how);
extern PyObject *snug_python_add(PyObject *left, PyObject *right);
extern PyObject *snug_python_call(PyObject *callable, PyObject *args, PyObject *keywords);
extern PyObject *snug_python_repr(PyObject *object);
extern PyObject *snug_python_str(PyObject *object);

PyObject *PyObject_RichCompare(PyObject *left, PyObject *right, int how)
{
    Py_XINCREF(left);
    Py_XINCREF(right);
    PyObject *answer = snug_python_rich_compare(left, right, how);
    Py_XDECREF(right);
    Py_XDECREF(left);
    return answer;
}

int PyObject_RichCompareBool(PyObject *left, PyObject *right, int how)
{
    /* As the original begins: most that is looked for is found so. */
    if (left == right && how == Py_EQ)
        return 1;
    Py_XINCREF(left);
    Py_XINCREF(right);
    int answer = snug_python_rich_compare_bool(left, right, how);
    Py_XDECREF(right);
    Py_XDECREF(left);
    return answer;
}

PyObject *PyNumber_Add(PyObject *left, PyObject *right)
{
    Py_XINCREF(left);
    Py_XINCREF(right);
    PyObject *answer = snug_python_add(left, right);
    Py_XDECREF(right);
    Py_XDECREF(left);
    return answer;
}

PyObject *PyObject_Repr(PyObject *object)
{
    Py_XINCREF(object);
    PyObject *text = snug_python_repr(object);
    Py_XDECREF(object);
    return text;
}

PyObject *PyObject_Str(PyObject *object)
{
    if (object && PyUnicode_CheckExact(object))
        return snug_python_str(object);
    Py_XINCREF(object);
    PyObject *text = snug_python_str(object);
    Py_XDECREF(object);
    return text;
}

/* A handler that may be set to another while it is called: a method in C does not keep its own
 * self. */
PyObject *PyObject_Call(PyObject *callable, PyObject *args, PyObject *keywords)
{
    Py_XINCREF(callable);
    PyObject *answer = snug_python_call(callable, args, keywords);
    Py_XDECREF(callable);
    return answer;
}
