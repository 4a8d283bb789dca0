/*
 * keep_alive.c - PyObject_RichCompare, PyObject_RichCompareBool, PyNumber_Add and the other binary
 * operations, PyObject_Repr, PyObject_Str and PyObject_Call, as the program defines them in
 * libpython's place (py/life/archive.py renames the originals). Only in the static programs.
 *
 * Much of CPython calls them with an item that a list, deque, dict, element or context owns and
 * that nobody else does. __eq__, __add__ or __repr__ of the guest's may take it out of there, and
 * so free it while it is still being compared, shown or called. Here it stays until the call is
 * over.
 */
#include <stdarg.h>
#include <string.h>

#include "py/core/python.h"

extern PyObject *snug_python_rich_compare(PyObject *left, PyObject *right, int how);
extern int snug_python_rich_compare_bool(PyObject *left, PyObject *right, int how);
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

/* Two ints run no code of the guest's. */
#define OPERATION(name)                                                            \
    extern PyObject *snug_python_PyNumber_##name(PyObject *left, PyObject *right); \
    PyObject *PyNumber_##name(PyObject *left, PyObject *right)                     \
    {                                                                              \
        if (left && right && PyLong_CheckExact(left) && PyLong_CheckExact(right))  \
            return snug_python_PyNumber_##name(left, right);                       \
        Py_XINCREF(left);                                                          \
        Py_XINCREF(right);                                                         \
        PyObject *answer = snug_python_PyNumber_##name(left, right);               \
        Py_XDECREF(right);                                                         \
        Py_XDECREF(left);                                                          \
        return answer;                                                             \
    }
#define OPERATIONS(X) \
    X(Add)            \
    X(And)            \
    X(FloorDivide)    \
    X(Lshift)         \
    X(MatrixMultiply) X(Multiply) X(Or) X(Remainder) X(Rshift) X(Subtract) X(TrueDivide) X(Xor)
#define IN_PLACE(name) OPERATION(InPlace##name)
OPERATIONS(OPERATION)
OPERATIONS(IN_PLACE)
OPERATION(Divmod)

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

/* ceval.o's own PyObject_CallMethod, which calls split() of a class of the guest's for except*, and
 * uses whatever it answers as a pair of exceptions. */
static int is_exception_or_none(PyObject *object)
{
    return object == Py_None || PyExceptionInstance_Check(object);
}

extern PyObject *snug_python_eval_call_method(PyObject *object, const char *name,
                                              const char *format, ...);
PyObject *snug_python_eval_call_method(PyObject *object, const char *name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    PyObject *args = Py_VaBuildValue(format, list), *answer = NULL;
    va_end(list);

    PyObject *method = args ? PyObject_GetAttrString(object, name) : NULL;
    if (method)
        answer = PyObject_CallObject(method, args);
    Py_XDECREF(method);
    Py_XDECREF(args);

    if (answer && strcmp(name, "split") == 0 &&
        (!PyTuple_CheckExact(answer) || PyTuple_GET_SIZE(answer) < 2 ||
         !is_exception_or_none(PyTuple_GET_ITEM(answer, 0)) ||
         !is_exception_or_none(PyTuple_GET_ITEM(answer, 1)))) {
        Py_CLEAR(answer);
        PyErr_Format(PyExc_TypeError, "split() of a %.100s returned no pair of exceptions",
                     Py_TYPE(object)->tp_name);
    }
    return answer;
}
