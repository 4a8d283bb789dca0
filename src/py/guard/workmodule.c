#include "py/guard/workmodule.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"

static int has_type(const char *path, mode_t type)
{
    struct stat facts;
    return lstat(path, &facts) == 0 && (facts.st_mode & S_IFMT) == type;
}

static int is_module_name(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_name(text[i]))
            return 0;
    return len > 0;
}

int workmodule_exists(const char *workdir, const char *name, size_t len)
{
    char path[PATH_MAX];

    if (!workdir || !is_module_name(name, len))
        return 0;
    int end = snprintf(path, sizeof path, "%s/%.*s", workdir, (int)len, name);
    if (end < 0 || (size_t)end + sizeof ".py" > sizeof path)
        return 0;
    if (has_type(path, S_IFDIR))
        return 1;
    memcpy(path + end, ".py", sizeof ".py");
    return has_type(path, S_IFREG);
}

int workmodule_is_code(const char *filename)
{
    return filename[0] != '/' && filename[0] != '<';
}

PyObject *workmodule_absolute_name(PyObject *globals, PyObject *name, int level)
{
    PyObject *package = NULL; /* borrowed */
    if (globals && PyDict_Check(globals))
        package = PyDict_GetItemString(globals, "__package__");

    Py_ssize_t len = 0;
    const char *text = "";
    if (package && PyUnicode_CheckExact(package))
        text = PyUnicode_AsUTF8AndSize(package, &len);
    if (!text)
        return NULL;
    if (len == 0) {
        PyErr_SetString(PyExc_ImportError,
                        "attempted relative import with no known parent package");
        return NULL;
    }

    for (; level > 1; level--) {
        const char *dot = memrchr(text, '.', (size_t)len);
        if (!dot) {
            PyErr_SetString(PyExc_ImportError,
                            "attempted relative import beyond top-level package");
            return NULL;
        }
        len = dot - text;
    }

    PyObject *start = PyUnicode_DecodeUTF8(text, len, NULL), *answer = start;
    if (start && PyUnicode_GET_LENGTH(name) > 0) {
        answer = PyUnicode_FromFormat("%U.%U", start, name);
        Py_DECREF(start);
    }
    return answer;
}
