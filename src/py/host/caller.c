#include "py/host/caller.h"

#include <stdio.h>

#include "py/core/python.h"
#include "py/guard/gate.h"

#include <opcode.h>

static int is_comprehension(const PyCodeObject *code)
{
    static const char *const names[] = { "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (PyUnicode_CompareWithASCIIString(code->co_name, names[i]) == 0)
            return 1;
    return 0;
}

/* The instruction behind the call; -1: there is none. */
static int next_opcode(PyFrameObject *frame, PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code);
    int opcode = -1;

    if (bytes) {
        const char *text = PyBytes_AS_STRING(bytes);
        Py_ssize_t at = PyFrame_GetLasti(frame) + 2;
        while (at < PyBytes_GET_SIZE(bytes) && text[at] == CACHE)
            at += 2;
        if (at < PyBytes_GET_SIZE(bytes))
            opcode = (unsigned char)text[at];
    }
    PyErr_Clear();
    Py_XDECREF(bytes);
    return opcode;
}

/* The source of a cell, borrowed; NULL: it is another file's code. */
static PyObject *find_source(const interp *in, PyObject *filename)
{
    unsigned long long number = 0;
    const char *text = PyUnicode_AsUTF8(filename);

    if (!text || sscanf(text, "<cell %llu>", &number) != 1 || number == 0 ||
        number > in->source_count)
        return NULL;
    return in->sources[number - 1];
}

/* Of frozen/awaited.py, borrowed; NULL: not known, as of a cell with magics. */
static PyObject *find_awaited(interp *in, PyObject *source)
{
    PyCompilerFlags flags = { .cf_flags = PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT |
                                          PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE,
                              .cf_feature_version = PY_MINOR_VERSION };
    if (in->awaited_of == source)
        return in->awaited;

    const char *text = PyUnicode_AsUTF8(source);
    PyObject *tree = text ? Py_CompileStringFlags(text, "<awaited>", Py_file_input, &flags) : NULL;
    PyObject *module = tree ? gate_load(in, "_snug_awaited") : NULL;
    PyObject *found = module ? PyObject_CallMethod(module, "find", "O", tree) : NULL;

    Py_XDECREF(module);
    Py_XDECREF(tree);
    Py_XSETREF(in->awaited, found);
    Py_XSETREF(in->awaited_of, Py_NewRef(source));
    return found;
}

static int is_awaited(interp *in, PyFrameObject *frame, PyCodeObject *code)
{
    const int next = next_opcode(frame, code);
    int from, from_column, line = 0, column = 0, is_found = 1;

    /* As a statement of its own an awaitable would be lost, and nothing called. */
    if (next == GET_AWAITABLE || next == POP_TOP)
        return next == GET_AWAITABLE;
    PyObject *source = find_source(in, code->co_filename);
    PyObject *awaited = source ? find_awaited(in, source) : NULL;
    PyObject *end = NULL;
    if (awaited && PyAnySet_Check(awaited) &&
        PyCode_Addr2Location(code, PyFrame_GetLasti(frame), &from, &from_column, &line, &column))
        end = Py_BuildValue("(ii)", line, column);
    if (end)
        is_found = PySet_Contains(awaited, end) != 0;
    Py_XDECREF(end);
    PyErr_Clear();
    return is_found;
}

int caller_awaits(interp *in)
{
    enum { CAN_AWAIT = CO_COROUTINE | CO_ASYNC_GENERATOR };
    PyFrameObject *own = PyEval_GetFrame(); /* borrowed */
    PyFrameObject *frame = own ? PyFrame_GetBack(own) : NULL;
    int awaits = 0;

    if (!frame)
        return 0;
    /* Comprehensions belong to what they stand in. */
    PyCodeObject *caller = PyFrame_GetCode(frame), *code = (PyCodeObject *)Py_NewRef(caller);
    PyFrameObject *outer = (PyFrameObject *)Py_NewRef(frame);
    while (outer && !(code->co_flags & CAN_AWAIT) && is_comprehension(code)) {
        Py_SETREF(outer, PyFrame_GetBack(outer));
        if (outer)
            Py_SETREF(code, PyFrame_GetCode(outer));
    }
    awaits = outer && (code->co_flags & CAN_AWAIT) && is_awaited(in, frame, caller);
    Py_XDECREF(outer);
    Py_DECREF(code);
    Py_DECREF(caller);
    Py_DECREF(frame);
    return awaits;
}
