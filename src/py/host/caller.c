#include "py/host/caller.h"

#include "py/core/python.h"

#include <opcode.h>

static int is_comprehension(const PyCodeObject *code)
{
    static const char *const names[] = { "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (PyUnicode_CompareWithASCIIString(code->co_name, names[i]) == 0)
            return 1;
    return 0;
}

/* A call that is a statement of its own: an awaitable would be lost, and nothing called. */
static int drops_answer(PyFrameObject *frame, PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code);
    int drops = 0;

    if (bytes) {
        const char *text = PyBytes_AS_STRING(bytes);
        Py_ssize_t at = PyFrame_GetLasti(frame) + 2;
        while (at < PyBytes_GET_SIZE(bytes) && text[at] == CACHE)
            at += 2;
        drops = at < PyBytes_GET_SIZE(bytes) && (unsigned char)text[at] == POP_TOP;
    }
    PyErr_Clear();
    Py_XDECREF(bytes);
    return drops;
}

int caller_awaits(void)
{
    enum { CAN_AWAIT = CO_COROUTINE | CO_ASYNC_GENERATOR };
    PyFrameObject *own = PyEval_GetFrame(); /* borrowed */
    PyFrameObject *frame = own ? PyFrame_GetBack(own) : NULL;
    int awaits = 0;

    /* Comprehensions belong to what they stand in. */
    for (int is_caller = 1; frame; is_caller = 0) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        const int can_await = (code->co_flags & CAN_AWAIT) != 0;
        const int goes_on = !can_await && is_comprehension(code);
        awaits = can_await && !(is_caller && drops_answer(frame, code));
        Py_DECREF(code);
        PyFrameObject *back = goes_on ? PyFrame_GetBack(frame) : NULL;
        Py_DECREF(frame);
        frame = back;
    }
    return awaits;
}
