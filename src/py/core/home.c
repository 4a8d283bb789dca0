/*
 * home.c - where Python and its library are, and the main interpreter, for all that is below
 * runtime.c.
 */
#include "py/core/home.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"
#include "py/core/internals.h"

/* Written by runtime_start, under its lock, before the first session; read by all. */
static struct {
    char stdlib[PATH_MAX], dynload[PATH_MAX], packages[PATH_MAX];
    char **modules; /* sys.stdlib_module_names, sorted */
    size_t module_count;
    PyInterpreterState *main;
} home;

static int find_stdlib(const char *given)
{
    char probe[PATH_MAX + 8];
    int stdlib_len, dynload_len;

    if (given) {
        stdlib_len = snprintf(home.stdlib, sizeof home.stdlib, "%s/lib/python" PYTHON_X_Y, given);
        dynload_len = snprintf(home.dynload, sizeof home.dynload,
                               "%s/lib/python" PYTHON_X_Y "/lib-dynload", given);
    } else {
        stdlib_len = snprintf(home.stdlib, sizeof home.stdlib, "%s", SNUG_PYTHON_STDLIB);
        dynload_len = snprintf(home.dynload, sizeof home.dynload, "%s", SNUG_PYTHON_DYNLOAD);
    }

    if (stdlib_len >= PATH_MAX || dynload_len >= PATH_MAX)
        return error_set(SNUG_EINVAL, "python_home is %zu bytes long, a path has at most %d",
                         given ? strlen(given) : (size_t)0, PATH_MAX);

    snprintf(probe, sizeof probe, "%s/os.py", home.stdlib);
    if (access(probe, R_OK) != 0)
        return error_set(SNUG_EPYTHON,
                         "no standard library of Python " PYTHON_X_Y " in %s: there is "
                         "no os.py that can be read",
                         home.stdlib);

    return SNUG_OK;
}

/* Beside /usr/lib/python3.11: /usr/lib/python3/dist-packages. */
static void find_packages(void)
{
    size_t parent = (size_t)(strrchr(home.stdlib, '/') - home.stdlib);

    snprintf(home.packages, sizeof home.packages, "%.*s/python3/dist-packages", (int)parent,
             home.stdlib);
    if (access(home.packages, R_OK) != 0)
        snprintf(home.packages, sizeof home.packages, "%.*s/site-packages", PATH_MAX - 20,
                 home.stdlib);

    if (access(home.packages, R_OK) != 0)
        home.packages[0] = '\0';
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Kept apart from Python, because a session may rebind its sys.stdlib_module_names. */
int home_remember(void)
{
    home.main = PyInterpreterState_Get();
    PyObject *names = PySys_GetObject("stdlib_module_names"), *list = NULL; /* borrowed */
    if (names)
        list = PySequence_List(names);
    if (!list)
        return error_set(SNUG_EPYTHON, "sys.stdlib_module_names is missing");

    size_t count = (size_t)PyList_GET_SIZE(list);
    home.modules = calloc(count + 1, sizeof *home.modules);
    for (size_t i = 0; home.modules && i < count; i++) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(list, (Py_ssize_t)i));
        if (name && (home.modules[home.module_count] = strdup(name)))
            home.module_count++;
    }

    Py_DECREF(list);
    if (home.module_count < count)
        return error_no_memory();
    qsort(home.modules, home.module_count, sizeof *home.modules, compare_names);
    return SNUG_OK;
}

const char *home_stdlib(void)
{
    return home.stdlib;
}

const char *home_dynload(void)
{
    return home.dynload;
}

const char *home_packages(void)
{
    if (!*home.packages)
        return NULL;
    return home.packages;
}

int home_has_module(const char *name, size_t len)
{
    char key[128];

    if (len >= sizeof key)
        len = sizeof key - 1;
    memcpy(key, name, len);
    key[len] = '\0';
    key[strcspn(key, ".")] = '\0';
    const char *wanted = key;
    return bsearch(&wanted, home.modules, home.module_count, sizeof *home.modules, compare_names) !=
           NULL;
}

void *home_new_state(void)
{
    return internals_new_state(home.main);
}

int home_enter_main(void **saved)
{
    PyThreadState *tstate = home_new_state();
    if (!tstate)
        return error_no_memory();
    PyEval_AcquireThread(tstate);
    *saved = tstate;
    return SNUG_OK;
}

void home_leave_main(void *saved)
{
    PyThreadState_Clear(saved);
    PyThreadState_DeleteCurrent();
}

int home_find(const char *given)
{
    int error = find_stdlib(given);
    if (!error)
        find_packages();
    return error;
}

int home_is(const char *given)
{
    char stdlib[PATH_MAX];
    snprintf(stdlib, sizeof stdlib, "%s/lib/python" PYTHON_X_Y, given);
    return strcmp(stdlib, home.stdlib) == 0;
}
