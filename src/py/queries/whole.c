#include "py/queries/whole.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "policy/source.h"
#include "py/cell/magic.h"
#include "py/core/raised.h"
#include "py/queries/source_place.h"

/* A filter that keeps the compiler's warnings away from the session's stderr. */
typedef struct muted {
    PyObject *filters, *ignore; /* NULL where the session has no such list any more */
} muted;

/* Puts ("ignore", None, Warning, None, 0) before the filters in force. */
static muted warnings_off(void)
{
    muted out = { 0 };
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed, as the next two */
    if (!PyDict_Check(modules))
        return out;

    PyObject *module = PyDict_GetItemString(modules, "warnings");
    if (!module)
        module = PyDict_GetItemString(modules, "_warnings");
    if (!module || !PyModule_Check(module))
        return out;

    PyObject *filters = PyDict_GetItemString(PyModule_GetDict(module), "filters");
    if (!filters || !PyList_CheckExact(filters))
        return out;

    out.filters = Py_NewRef(filters);
    out.ignore = Py_BuildValue("sOOOi", "ignore", Py_None, PyExc_Warning, Py_None, 0);
    if (!out.ignore || PyList_Insert(filters, 0, out.ignore) != 0)
        PyErr_Clear();
    return out;
}

/* A finalizer may have changed the list meanwhile: takes out what was put in. */
static void warnings_on(muted *warnings)
{
    for (Py_ssize_t i = 0; warnings->filters && i < PyList_GET_SIZE(warnings->filters); i++) {
        if (PyList_GET_ITEM(warnings->filters, i) != warnings->ignore)
            continue;
        if (PyList_SetSlice(warnings->filters, i, i + 1, NULL) != 0)
            PyErr_Clear();
        break;
    }

    Py_CLEAR(warnings->filters);
    Py_CLEAR(warnings->ignore);
}

/* Takes the exception off; whether it says that the source is not whole. */
static int wants_more(void)
{
    PyObject *exc = raised_take();
    int answer = 0;

    if (exc && PyErr_GivenExceptionMatches(exc, PyExc_SyntaxError)) {
        /* 3.13 has a type for it, 3.11 the message alone. */
        PyObject *message = ((PySyntaxErrorObject *)exc)->msg;
        answer = message && PyUnicode_Check(message) &&
                 PyUnicode_CompareWithASCIIString(message, "incomplete input") == 0;
    }

    Py_XDECREF(exc);
    PyErr_Clear();
    return answer;
}

static int last_line_is_blank(const char *s, size_t len)
{
    while (len && (is_blank(s[len - 1]) || s[len - 1] == '\f'))
        len--;
    return !len || ends_line(s[len - 1]);
}

/* Code, or NULL with an exception. */
static PyObject *compile_input(const char *text, int flags)
{
    enum {
        FLAGS = PyCF_ALLOW_INCOMPLETE_INPUT | PyCF_DONT_IMPLY_DEDENT | PyCF_ALLOW_TOP_LEVEL_AWAIT |
                PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE
    };
    PyCompilerFlags compiler = { .cf_flags = flags | FLAGS,
                                 .cf_feature_version = PY_MINOR_VERSION };
    PyObject *name = PyUnicode_FromString("<input>");
    if (!name)
        return NULL;

    PyObject *code = Py_CompileStringObject(text, name, Py_file_input, &compiler, -1);
    Py_DECREF(name);
    return code;
}

/* A line with such a mark is none of Python's, and may be right. */
static int may_be_magic(const source_text *text)
{
    return strpbrk(text->text, "%?!") != NULL;
}

static int judge_text(const source_text *text, int flags)
{
    muted warnings = warnings_off();
    PyObject *code = compile_input(text->text, flags);
    int ends_blank = last_line_is_blank(text->text, text->len), answer;

    if (magic_is_cell(text->text, text->len))
        answer = ends_blank;
    else if (code)
        answer = ends_blank || !source_place_at(text->text, text->len).block_is_open;
    else if (wants_more())
        answer = SNUG_COMPLETENESS_INCOMPLETE;
    else
        answer = may_be_magic(text) ? SNUG_COMPLETENESS_COMPLETE : SNUG_COMPLETENESS_INVALID;

    Py_XDECREF(code);
    warnings_on(&warnings);
    return answer;
}

int source_is_whole(const char *source, size_t len, int flags)
{
    source_text text;
    source_fault fault;
    int answer = SNUG_COMPLETENESS_INVALID;
    int prepared = source_prepare(&text, &fault, source, len, UINT64_MAX);

    if (prepared < 0)
        answer = error_no_memory();
    else if (prepared > 0)
        answer = judge_text(&text, flags);

    source_free(&text);
    return answer;
}
