#include "py/host/print.h"

#include <string.h>

#include "py/core/raised.h"
#include "py/host/stdstream.h"

/* What a call is to print. NULL: None, or not given. */
typedef struct arguments {
    PyObject *sep, *end, *file; /* borrowed */
} arguments;

/* Text on its way to a stream, so that a print is mostly one write. */
typedef struct line {
    PyObject *stream; /* borrowed from the caller */
    size_t len;
    char text[1000];
} line;

static int flush_line(line *l)
{
    size_t len = l->len;
    l->len = 0;
    if (len == 0)
        return 0;
    return stdstream_emit(l->stream, l->text, len);
}

static int append_bytes(line *l, const char *text, size_t len)
{
    if (len > sizeof l->text - l->len && flush_line(l) != 0)
        return -1;
    if (len > sizeof l->text)
        return stdstream_emit(l->stream, text, len);
    memcpy(l->text + l->len, text, len);
    l->len += len;
    return 0;
}

/* An exact str. Lone surrogates, which have no UTF-8, go the stream's way. */
static int append_text(line *l, PyObject *text)
{
    Py_ssize_t len;

    if (PyUnicode_IS_COMPACT_ASCII(text))
        return append_bytes(l, PyUnicode_DATA(text), (size_t)PyUnicode_GET_LENGTH(text));
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &len);
    if (utf8)
        return append_bytes(l, utf8, (size_t)len);
    if (flush_line(l) != 0)
        return -1;
    return stdstream_emit_str(l->stream, text);
}

static int append_object(line *l, PyObject *object)
{
    if (PyUnicode_CheckExact(object))
        return append_text(l, object);

    /* Code of the guest's may print as well: what was before comes before. */
    if (!PyLong_CheckExact(object) && !PyFloat_CheckExact(object) && flush_line(l) != 0)
        return -1;

    PyObject *text = PyObject_Str(object);
    if (!text)
        return -1;

    PyObject *exact = PyUnicode_CheckExact(text) ? Py_NewRef(text) : PyUnicode_FromObject(text);
    int failed = !exact || append_text(l, exact) != 0;
    Py_XDECREF(exact);
    Py_DECREF(text);
    return failed ? -1 : 0;
}

/* What is between or after the values: given, or the one character it is otherwise. */
static int append_given(line *l, PyObject *given, const char *otherwise)
{
    if (given)
        return append_text(l, given);
    return append_bytes(l, otherwise, 1);
}

static int append_arguments(line *l, PyObject *const *args, Py_ssize_t count,
                            const arguments *named)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (i > 0 && append_given(l, named->sep, " ") != 0)
            return -1;
        if (append_object(l, args[i]) != 0)
            return -1;
    }
    return append_given(l, named->end, "\n");
}

/* 1: all of it is ours to do; 0: the original print answers. */
static int read_print_arguments(arguments *named, PyObject *const *values, PyObject *names)
{
    Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;

    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i), *value = values[i];
        PyObject **place = NULL;
        if (PyUnicode_CompareWithASCIIString(name, "sep") == 0)
            place = &named->sep;
        else if (PyUnicode_CompareWithASCIIString(name, "end") == 0)
            place = &named->end;
        else if (PyUnicode_CompareWithASCIIString(name, "file") == 0)
            place = &named->file;
        else if (PyUnicode_CompareWithASCIIString(name, "flush") == 0 && PyBool_Check(value))
            continue; /* our streams have nothing to flush */
        if (!place)
            return 0;
        if (value == Py_None)
            continue;
        if (place != &named->file && !PyUnicode_CheckExact(value))
            return 0;
        *place = value;
    }

    if (!named->file)
        named->file = PySys_GetObject("stdout");
    return named->file && stdstream_is_output(named->file);
}

static PyObject *session_print(PyObject *self, PyObject *const *args, Py_ssize_t count,
                               PyObject *names)
{
    arguments named = { 0 };
    interp *in = interp_current;

    (void)self;
    if (!in || !in->print)
        Py_RETURN_NONE;
    if (!read_print_arguments(&named, args + count, names))
        return PyObject_Vectorcall(in->print, args, (size_t)count, names);

    line l;
    l.stream = Py_NewRef(named.file);
    l.len = 0;
    int failed = append_arguments(&l, args, count, &named);
    if (failed) {
        raised_exception aside = raised_set_aside();
        flush_line(&l);
        raised_put_back(aside);
    } else {
        failed = flush_line(&l);
    }

    Py_DECREF(l.stream);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef method = {
    "print", (PyCFunction)(void (*)(void))session_print, METH_FASTCALL | METH_KEYWORDS,
    "print($module, /, *args, sep=' ', end='\\n', file=None, flush=False)\n--\n\n"
    "Prints the values to a stream, or to sys.stdout by default.\n\n"
    "  sep\n    string inserted between values, default a space.\n"
    "  end\n    string appended after the last value, default a newline.\n"
    "  file\n    a file-like object (stream); defaults to the current sys.stdout.\n"
    "  flush\n    whether to forcibly flush the stream."
};

int print_install(interp *in)
{
    PyObject *owner = PyUnicode_FromString("builtins");
    PyObject *module = owner ? PyImport_GetModule(owner) : NULL;
    PyObject *function = module ? PyCFunction_NewEx(&method, module, owner) : NULL;

    in->print = Py_XNewRef(PyDict_GetItemString(in->builtins, "print"));
    int failed =
        !function || !in->print || PyDict_SetItemString(in->builtins, "print", function) != 0;
    Py_XDECREF(function);
    Py_XDECREF(module);
    Py_XDECREF(owner);
    return failed ? -1 : 0;
}
