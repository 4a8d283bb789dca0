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
    PyObject *args = Py_TYPE(exc) == (PyTypeObject *)PyExc_SystemError
                         ? ((PyBaseExceptionObject *)exc)->args
                         : NULL;
    PyObject *text = args && PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    const char *utf8 = text && PyUnicode_CheckExact(text) ? PyUnicode_AsUTF8(text) : NULL;
    int answer = 0;

    PyErr_Clear();
    for (size_t i = 0; utf8 && !answer && i < sizeof texts / sizeof *texts; i++)
        answer = strstr(utf8, texts[i]) != NULL;
    return answer;
}

/* The MemoryError in its place, where it was raised. A new reference; none leaves the other. */
static PyObject *remember(PyObject *exc)
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
    int has_refused = account && account->refusals > 0;
    PyObject *forgotten = has_refused && was_forgotten(*exc) ? remember(*exc) : NULL;
    if (forgotten)
        Py_SETREF(*exc, forgotten);
    return account && (has_refused || is_of_extension(in, *exc)) &&
           PyErr_GivenExceptionMatches(*exc, PyExc_MemoryError);
}
