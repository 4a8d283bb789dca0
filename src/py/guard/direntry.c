#include "py/guard/direntry.h"

#include <string.h>
#include <sys/stat.h>

#include "py/guard/audit.h"
#include "py/guard/posix.h"

enum method { STAT, IS_DIR, IS_FILE, IS_SYMLINK, METHODS };

static const char *const names[METHODS] = { "stat", "is_dir", "is_file", "is_symlink" };

/* CPython's definitions, which are static there: a module that is made again has a type of its
 * own, with the same. */
struct direntry_originals {
    PyMethodDef *of[METHODS];
};

/* ---- CPython's ---- */

/* Never with follow_symlinks=True. */
static PyObject *call_own_method(interp *in, PyObject *entry, enum method which)
{
    PyObject *method = PyDescr_NewMethod(Py_TYPE(entry), in->entries->of[which]);
    PyObject *args = PyTuple_Pack(1, entry), *keywords, *answer = NULL;

    if (which == IS_SYMLINK)
        keywords = PyDict_New();
    else
        keywords = Py_BuildValue("{s:O}", "follow_symlinks", Py_False);

    if (method && args && keywords)
        answer = PyObject_Call(method, args, keywords);

    Py_XDECREF(keywords);
    Py_XDECREF(args);
    Py_XDECREF(method);
    return answer;
}

/* -1 with an exception. */
static int is_symlink(interp *in, PyObject *entry)
{
    PyObject *answer = call_own_method(in, entry, IS_SYMLINK);
    if (!answer)
        return -1;
    int is_true = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return is_true;
}

/* ---- ours ---- */

/* An entry of a folder that was given as a descriptor has only its name for a path. */
static int is_path_with_folder(PyObject *path)
{
    if (PyUnicode_CheckExact(path))
        return PyUnicode_FindChar(path, '/', 0, PyUnicode_GET_LENGTH(path), 1) >= 0;
    return PyBytes_CheckExact(path) && strchr(PyBytes_AS_STRING(path), '/') != NULL;
}

static PyObject *stat_target(interp *in, PyObject *entry)
{
    PyObject *path = PyObject_GetAttrString(entry, "path"), *facts = NULL;
    if (path && is_path_with_folder(path))
        facts = posix_stat(in, path);
    else if (path)
        audit_deny(in, "dir_fd");
    Py_XDECREF(path);
    return facts;
}

/* A link that leads nowhere is neither. Nor is one that leads out, as os.path.isdir has it:
 * pathlib's rglob on 3.11 ends at an error. */
static PyObject *is_target(interp *in, PyObject *entry, mode_t kind)
{
    PyObject *facts = stat_target(in, entry);
    PyObject *refused = in->policy_error ? in->policy_error : PyExc_PermissionError;

    if (!facts) {
        if (!PyErr_ExceptionMatches(PyExc_FileNotFoundError) && !PyErr_ExceptionMatches(refused))
            return NULL;
        PyErr_Clear();
        Py_RETURN_FALSE;
    }

    PyObject *mode = PyObject_GetAttrString(facts, "st_mode");
    Py_DECREF(facts);
    if (!mode)
        return NULL;

    long bits = PyLong_AsLong(mode);
    Py_DECREF(mode);
    if (PyErr_Occurred())
        return NULL;
    return PyBool_FromLong(((mode_t)bits & S_IFMT) == kind);
}

/* What is not a link is asked with follow_symlinks=False: the answer is the same, and stays so
 * when a link takes the file's place meanwhile. */
static PyObject *answer_method(PyObject *entry, PyObject *args, PyObject *keywords,
                               enum method which)
{
    static char name[] = "follow_symlinks", *parameters[] = { name, NULL };
    interp *in = interp_current;
    int follows = 1, is_link = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$p", parameters, &follows))
        return NULL;

    if (!in || !in->entries) {
        PyErr_SetString(PyExc_SystemError, "no such method");
        return NULL;
    }

    if (follows)
        is_link = is_symlink(in, entry);
    if (is_link < 0)
        return NULL;
    if (!is_link)
        return call_own_method(in, entry, which);
    if (which == STAT)
        return stat_target(in, entry);
    return is_target(in, entry, which == IS_DIR ? S_IFDIR : S_IFREG);
}

static PyObject *entry_stat(PyObject *entry, PyObject *args, PyObject *keywords)
{
    return answer_method(entry, args, keywords, STAT);
}

static PyObject *entry_is_dir(PyObject *entry, PyObject *args, PyObject *keywords)
{
    return answer_method(entry, args, keywords, IS_DIR);
}

static PyObject *entry_is_file(PyObject *entry, PyObject *args, PyObject *keywords)
{
    return answer_method(entry, args, keywords, IS_FILE);
}

#define FUNCTION(name) ((PyCFunction)(void (*)(void))(name))

static PyMethodDef ours[] = {
    [STAT] = { "stat", FUNCTION(entry_stat), METH_VARARGS | METH_KEYWORDS,
               "As in Python, for paths that the session has." },
    [IS_DIR] = { "is_dir", FUNCTION(entry_is_dir), METH_VARARGS | METH_KEYWORDS,
                 "As in Python, for paths that the session has." },
    [IS_FILE] = { "is_file", FUNCTION(entry_is_file), METH_VARARGS | METH_KEYWORDS,
                  "As in Python, for paths that the session has." },
};

/* ---- adopting ---- */

/* NULL where a cell has put something else there: until 3.15 the type could be changed. */
static PyMethodDef *find_definition(PyObject *type, const char *name)
{
    PyObject *method = PyDict_GetItemString(((PyTypeObject *)type)->tp_dict, name); /* borrowed */
    if (!method || !Py_IS_TYPE(method, &PyMethodDescr_Type))
        return NULL;
    return ((PyMethodDescrObject *)method)->d_method;
}

/* From the first type, which no cell has seen. */
static int take_own_methods(interp *in, PyObject *type)
{
    struct direntry_originals *originals = PyMem_RawCalloc(1, sizeof *originals);
    if (!originals)
        return PyErr_NoMemory(), -1;

    for (size_t i = 0; i < METHODS; i++) {
        originals->of[i] = find_definition(type, names[i]);
        if (!originals->of[i]) {
            PyMem_RawFree(originals);
            PyErr_Format(PyExc_SystemError, "os.DirEntry has no %s of its own", names[i]);
            return -1;
        }
    }

    in->entries = originals;
    return 0;
}

/* Into its dict: since 3.15 the type is immutable. It is this interpreter's own. */
static int put_ours(PyTypeObject *type, size_t which)
{
    PyObject *method = PyDescr_NewMethod(type, &ours[which]);
    int failed = !method || PyDict_SetItemString(type->tp_dict, names[which], method) != 0;

    PyType_Modified(type);
    Py_XDECREF(method);
    return failed ? -1 : 0;
}

int direntry_adopt(interp *in, PyObject *type)
{
    if (!type || !PyType_Check(type))
        return PyErr_Occurred() ? -1 : 0;
    if (!in->entries && take_own_methods(in, type) != 0)
        return -1;

    for (size_t i = 0; i < IS_SYMLINK; i++) {
        if (find_definition(type, names[i]) != in->entries->of[i])
            continue;
        if (put_ours((PyTypeObject *)type, i) != 0)
            return -1;
    }

    return 0;
}

void direntry_release(interp *in)
{
    PyMem_RawFree(in->entries);
    in->entries = NULL;
}
