#include "py/guard/relative.h"

#include "py/core/raised.h"
#include "py/guard/posix.h"

PyObject *relative_resolve(const interp *in, PyObject *path)
{
    const char *folder = in->options.workdir;
    if (in->options.has_folder || !folder)
        return Py_NewRef(path);

    if (PyUnicode_CheckExact(path)) {
        int is_absolute = PyUnicode_GET_LENGTH(path) > 0 && PyUnicode_READ_CHAR(path, 0) == '/';
        PyObject *start = is_absolute ? NULL : PyUnicode_DecodeFSDefault(folder);
        PyObject *joined = start ? PyUnicode_FromFormat("%U/%U", start, path) : NULL;
        Py_XDECREF(start);
        return is_absolute ? Py_NewRef(path) : joined;
    }

    if (PyBytes_CheckExact(path) && PyBytes_AS_STRING(path)[0] != '/') {
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

static PyObject *open_resolved(PyObject *original, PyObject *args, PyObject *keywords)
{
    interp *in = interp_current;
    int is_named = PyTuple_GET_SIZE(args) == 0;
    PyObject *file = !is_named  ? PyTuple_GET_ITEM(args, 0)
                     : keywords ? PyDict_GetItemString(keywords, "file")
                                : NULL; /* borrowed */
    if (!in || !file)
        return PyObject_Call(original, args, keywords);

    PyObject *plain = posix_plain_path(file);
    PyObject *path = plain ? relative_resolve(in, plain) : NULL;
    Py_XDECREF(plain);
    PyObject *own_keywords = keywords ? PyDict_Copy(keywords) : PyDict_New();
    PyObject *rest = is_named ? Py_NewRef(args) : PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
    PyObject *first = PyTuple_Pack(1, path ? path : Py_None);
    PyObject *own_args =
        rest && first && !is_named ? PySequence_Concat(first, rest) : Py_XNewRef(rest);
    int failed = !path || !own_keywords || !own_args ||
                 (is_named && PyDict_SetItemString(own_keywords, "file", path) != 0);
    PyObject *answer = failed ? NULL : PyObject_Call(original, own_args, own_keywords);
    if (!answer && path)
        relative_name_error(path, file);
    Py_XDECREF(own_args);
    Py_XDECREF(first);
    Py_XDECREF(rest);
    Py_XDECREF(own_keywords);
    Py_XDECREF(path);
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
    PyObject *original = Py_XNewRef(PyDict_GetItemString(in->builtins, "open"));
    PyObject *function = original ? PyCFunction_New(&method, original) : NULL;
    int failed = !function;
    for (size_t i = 0; !failed && i < sizeof modules / sizeof *modules; i++) {
        PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), modules[i]);
        failed = module && PyObject_SetAttrString(module, "open", function) != 0;
    }

    Py_XDECREF(function);
    Py_XDECREF(original);
    return failed ? -1 : 0;
}
