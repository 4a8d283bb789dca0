#include "py/queries/parameters.h"

#include <string.h>

#include "base/ascii.h"

typedef struct taker {
    parameter_taken take;
    void *payload;
} taker;

/* ---- a function in Python ---- */

/* What is called in the end: a new reference, or NULL; *bound: how many of its parameters are
 * given. */
static PyObject *function_of(PyObject *callable, Py_ssize_t *bound)
{
    static const char *const makers[] = { "__init__", "__new__" };

    *bound = 1;
    if (PyMethod_Check(callable))
        return Py_NewRef(PyMethod_GET_FUNCTION(callable));
    for (size_t i = 0; PyType_Check(callable) && i < sizeof makers / sizeof *makers; i++) {
        PyObject *maker = PyObject_GetAttrString(callable, makers[i]);
        if (maker && PyFunction_Check(maker))
            return maker;
        Py_XDECREF(maker);
        PyErr_Clear();
    }

    *bound = 0;
    return Py_NewRef(callable);
}

static void take_of_code(PyObject *function, Py_ssize_t bound, const taker *t)
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    PyObject *names = PyCode_GetVarnames(code);
    Py_ssize_t count = code->co_argcount + code->co_kwonlyargcount;
    Py_ssize_t first = code->co_posonlyargcount > bound ? code->co_posonlyargcount : bound;

    for (Py_ssize_t i = first; names && i < count && i < PyTuple_GET_SIZE(names); i++) {
        Py_ssize_t len;
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, i), &len);
        if (name)
            t->take(t->payload, name, (size_t)len);
        PyErr_Clear();
    }
    Py_XDECREF(names);
    PyErr_Clear();
}

/* ---- one in C ---- */

/* The byte behind the quoted text at at. */
static size_t skip_quoted(const char *text, size_t at)
{
    const char quote = text[at++];

    while (text[at] && text[at] != quote)
        at += text[at] == '\\' && text[at + 1] ? 2 : 1;
    return text[at] ? at + 1 : at;
}

/* The end of the parameter at at: a comma, or the parenthesis that closes all. */
static size_t parameter_end(const char *text, size_t at)
{
    int depth = 0;

    while (text[at]) {
        if (text[at] == '\'' || text[at] == '"') {
            at = skip_quoted(text, at);
            continue;
        }
        if (depth == 0 && strchr(",)", text[at]))
            break;
        depth += (strchr("([{", text[at]) != NULL) - (strchr(")]}", text[at]) != NULL);
        at++;
    }
    return at;
}

/* The first byte of the parameter behind the parenthesis or the comma at at. */
static size_t parameter_begin(const char *text, size_t at)
{
    return at + 1 + strspn(text + at + 1, " ");
}

static int has_more(const char *text, size_t at)
{
    return text[at] && text[at] != ')';
}

/* "($module, iterable, /, *, key=None, reverse=False)": the names behind a slash, where there is
 * one. */
static void take_of_text(const char *text, const taker *t)
{
    size_t first = strcspn(text, "("), begin;

    for (size_t at = first; has_more(text, at); at = parameter_end(text, begin)) {
        begin = parameter_begin(text, at);
        if (text[begin] == '/')
            first = parameter_end(text, begin);
    }

    for (size_t at = first; has_more(text, at); at = parameter_end(text, begin)) {
        size_t len = 0;
        begin = parameter_begin(text, at);
        while (is_name(text[begin + len]))
            len++;
        if (len > 0)
            t->take(t->payload, text + begin, len);
    }
}

/* ---- any ---- */

void parameters_of(PyObject *callable, parameter_taken take, void *payload)
{
    const taker t = { take, payload };
    Py_ssize_t bound;
    PyObject *function = function_of(callable, &bound), *text = NULL;

    if (PyFunction_Check(function))
        take_of_code(function, bound, &t);
    else if (PyCFunction_Check(callable) || PyType_Check(callable))
        text = PyObject_GetAttrString(callable, "__text_signature__");
    if (text && PyUnicode_Check(text)) {
        const char *signature = PyUnicode_AsUTF8(text);
        if (signature)
            take_of_text(signature, &t);
    }
    Py_XDECREF(text);
    Py_DECREF(function);
    PyErr_Clear();
}
