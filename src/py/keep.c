/*
 * keep.c - PyObject_RichCompare, PyObject_RichCompareBool and PyNumber_Add, as the program defines
 * them in libpython's place (py/archive.py renames the originals). Only in the static programs.
 *
 * Much of CPython calls them with an item that a list, deque, dict, element or context owns and
 * that nobody else does. __eq__ or __add__ of the guest's may take it out of there, and so free it
 * while it is still being compared. Here both stay until the call is over.
 */
#include "py/python.h"

extern PyObject *snug_python_rich_compare(PyObject *left, PyObject *right, int how);
extern int snug_python_rich_compare_bool(PyObject *left, PyObject *right, int how);
extern PyObject *snug_python_add(PyObject *left, PyObject *right);

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
