#include "py/guard/relative.h"

#include "py/core/raised.h"
#include "py/guard/posix.h"

/* "" names nothing: behind the work directory and a slash it would name that. */
PyObject *relative_resolve(const interp *in, PyObject *path)
{
    const char *folder = in->options.workdir;
    if (in->options.has_folder || !folder)
        return Py_NewRef(path);

    if (PyUnicode_CheckExact(path)) {
        if (PyUnicode_GET_LENGTH(path) == 0 || PyUnicode_READ_CHAR(path, 0) == '/')
            return Py_NewRef(path);
        PyObject *start = PyUnicode_DecodeFSDefault(folder);
        if (!start)
            return NULL;
        PyObject *joined = PyUnicode_FromFormat("%U/%U", start, path);
        Py_DECREF(start);
        return joined;
    }

    if (PyBytes_CheckExact(path) && PyBytes_GET_SIZE(path) > 0 &&
        PyBytes_AS_STRING(path)[0] != '/') {
        PyObject *joined = PyBytes_FromFormat("%s/", folder);
        PyBytes_Concat(&joined, path);
        return joined;
    }

    return Py_NewRef(path);
}

void relative_name_error(PyObject *resolved, PyObject *given)
{
    if (resolved == given || !PyErr_ExceptionMatches(PyExc_OSError))
        return;

    PyObject *exc = raised_take();
    PyObject *name = PyObject_GetAttrString(exc, "filename");
    if (name == resolved)
        PyObject_SetAttrString(exc, "filename", given);
    Py_XDECREF(name);
    raised_set(exc);
}

/* open(file, ...) with another file. */
static PyObject *call_with_first(PyObject *original, PyObject *path, PyObject *args,
                                 PyObject *keywords)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject *own_args = PyTuple_New(count);
    if (!own_args)
        return NULL;

    PyTuple_SET_ITEM(own_args, 0, Py_NewRef(path));
    for (Py_ssize_t i = 1; i < count; i++)
        PyTuple_SET_ITEM(own_args, i, Py_NewRef(PyTuple_GET_ITEM(args, i)));

    PyObject *answer = PyObject_Call(original, own_args, keywords);
    Py_DECREF(own_args);
    return answer;
}

/* open(file=file, ...) with another file. */
static PyObject *call_with_named(PyObject *original, PyObject *path, PyObject *args,
                                 PyObject *keywords)
{
    PyObject *own_keywords = PyDict_Copy(keywords), *answer = NULL;
    if (!own_keywords)
        return NULL;

    if (PyDict_SetItemString(own_keywords, "file", path) == 0)
        answer = PyObject_Call(original, args, own_keywords);
    Py_DECREF(own_keywords);
    return answer;
}

static PyObject *open_resolved(PyObject *original, PyObject *args, PyObject *keywords)
{
    interp *in = interp_current;
    int is_named = PyTuple_GET_SIZE(args) == 0;
    PyObject *file = NULL, *answer; /* file: borrowed */

    if (!is_named)
        file = PyTuple_GET_ITEM(args, 0);
    else if (keywords)
        file = PyDict_GetItemString(keywords, "file");

    if (!in || !file)
        return PyObject_Call(original, args, keywords);

    PyObject *plain = posix_plain_path(file);
    if (!plain)
        return NULL;

    PyObject *path = relative_resolve(in, plain);
    Py_DECREF(plain);
    if (!path)
        return NULL;

    if (is_named)
        answer = call_with_named(original, path, args, keywords);
    else
        answer = call_with_first(original, path, args, keywords);

    if (!answer)
        relative_name_error(path, file);
    Py_DECREF(path);
    return answer;
}

int relative_install(interp *in)
{
    static const char *const modules[] = { "builtins", "_io", "io" };
    static PyMethodDef method = { "open", (PyCFunction)(void (*)(void))open_resolved,
                                  METH_VARARGS | METH_KEYWORDS,
                                  "Open a file; a relative path starts in the work directory." };

    if (in->options.has_folder)
        return 0;
    PyObject *original = PyDict_GetItemString(in->builtins, "open"),
             *function = NULL; /* borrowed */
    if (original)
        function = PyCFunction_New(&method, original);

    int failed = !function;
    for (size_t i = 0; !failed && i < sizeof modules / sizeof *modules; i++) {
        PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), modules[i]);
        failed = module && PyObject_SetAttrString(module, "open", function) != 0;
    }

    Py_XDECREF(function);
    return failed ? -1 : 0;
}
