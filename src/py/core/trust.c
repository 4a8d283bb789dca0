#include "py/core/trust.h"

#include <limits.h>
#include <string.h>

#include "policy/paths.h"
#include "py/core/home.h"

static int begins_with_prefix(const char *text, size_t len, const char *prefix, size_t prefix_len)
{
    return len > prefix_len && memcmp(text, prefix, prefix_len) == 0;
}

static int is_of_package(const interp *in, const char *path, size_t len)
{
    const char *packages = in->options.packages;
    return packages && begins_with_prefix(path, len, packages, strlen(packages)) &&
           path[strlen(packages)] == '/';
}

int interp_trusts(const interp *in, PyObject *filename)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(filename, &len);
    if (!text) {
        PyErr_Clear();
        return 0;
    }

    const char *stdlib = home_stdlib();
    size_t stdlib_len = strlen(stdlib);
    return begins_with_prefix(text, (size_t)len, "<frozen ", 8) ||
           begins_with_prefix(text, (size_t)len, "<snug ", 6) ||
           (begins_with_prefix(text, (size_t)len, stdlib, stdlib_len) && text[stdlib_len] == '/') ||
           is_of_package(in, text, (size_t)len);
}

int interp_is_library(const interp *in, const char *path)
{
    char normal[PATH_MAX];
    const char *stdlib = home_stdlib();
    size_t len = strlen(path), stdlib_len = strlen(stdlib);
    return paths_normalise(normal, sizeof normal, NULL, path, len) && strcmp(normal, path) == 0 &&
           ((begins_with_prefix(path, len, stdlib, stdlib_len) && path[stdlib_len] == '/') ||
            is_of_package(in, path, len));
}
