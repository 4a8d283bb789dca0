#include "py/report/shortage.h"

#include <string.h>

/* In a full session C code allocates past the account. The parser raises MemoryError too, where its
 * own stack ends: of a cell that has not run. */
static int is_of_extension(const interp *in, PyObject *exc)
{
    PyObject *traceback = in->options.is_full ? PyException_GetTraceback(exc) : NULL;
    Py_XDECREF(traceback);
    return traceback != NULL;
}

/* CPython forgets to set a MemoryError here and there (asyncio.Task, the compiler), and says so
 * itself where it notices. */
static int was_forgotten(PyObject *exc)
{
    static const char *const texts[] = { SHORTAGE_UNSET,
                                         "returned NULL without setting an exception" };

    if (Py_TYPE(exc) != (PyTypeObject *)PyExc_SystemError)
        return 0;
    PyObject *args = ((PyBaseExceptionObject *)exc)->args;
    if (!args || PyTuple_GET_SIZE(args) != 1 || !PyUnicode_CheckExact(PyTuple_GET_ITEM(args, 0)))
        return 0;

    const char *text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(args, 0));
    PyErr_Clear();
    for (size_t i = 0; text && i < sizeof texts / sizeof *texts; i++)
        if (strstr(text, texts[i]))
            return 1;

    return 0;
}

/* The MemoryError that exc stands for, with exc's traceback. A new reference, or NULL. */
static PyObject *make_forgotten(PyObject *exc)
{
    PyObject *error = PyObject_CallNoArgs(PyExc_MemoryError);
    PyObject *traceback = error ? PyException_GetTraceback(exc) : NULL;
    if (traceback)
        PyException_SetTraceback(error, traceback);
    Py_XDECREF(traceback);
    PyErr_Clear();
    return error;
}

int shortage_made(const interp *in, PyObject **exc)
{
    const memory_account *account = in->options.memory;
    if (!account)
        return 0;

    int has_refused = account->refusals > 0;
    if (has_refused && was_forgotten(*exc)) {
        PyObject *forgotten = make_forgotten(*exc);
        if (forgotten)
            Py_SETREF(*exc, forgotten);
    }

    if (!has_refused && !is_of_extension(in, *exc))
        return 0;
    return PyErr_GivenExceptionMatches(*exc, PyExc_MemoryError);
}
