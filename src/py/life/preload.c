#include "py/life/preload.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/tree.h"
#include "py/core/cell_notes.h"
#include "py/core/home.h"
#include "py/core/state.h"
#include "py/guard/package_imports.h"
#include "py/life/runtime.h"
#include "py/surface/fullmain.h"

/* ---- threads ---- */

/* As the kernel has them. -1: that cannot be read. */
static int count_threads(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/task");

    for (const struct dirent *item; dir && (item = readdir(dir));)
        count += item->d_name[0] != '.';
    if (!dir)
        return -1;
    closedir(dir);
    return count;
}

/* One that has nothing left to do needs a moment to end, with the GIL. */
static int is_alone(void)
{
    enum { TRIES = 200, STEP_MS = 10 };
    int count = count_threads();
    for (int i = 0; i < TRIES && count > 1; i++) {
        _Atomic uint32_t never = 0;
        Py_BEGIN_ALLOW_THREADS
        futex_wait(&never, 0, clock_now_ns() + STEP_MS * NS_PER_MS);
        Py_END_ALLOW_THREADS
        count = count_threads();
    }

    return count == 1;
}

/* ---- importing ---- */

static int prepend_folder(const char *folder)
{
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    PyObject *text = PyUnicode_DecodeFSDefault(folder);
    int failed = !path || !text || PyList_Insert(path, 0, text) != 0;
    Py_XDECREF(text);
    return failed ? interp_python_error("sys.path") : SNUG_OK;
}

static int set_environ(const char *name, const char *value)
{
    PyObject *os = PyImport_ImportModule("os");
    PyObject *variables = os ? PyObject_GetAttrString(os, "environ") : NULL;
    PyObject *text = variables ? PyUnicode_DecodeFSDefault(value) : NULL;
    int failed = !text || PyMapping_SetItemString(variables, name, text) != 0;

    Py_XDECREF(text);
    Py_XDECREF(variables);
    Py_XDECREF(os);
    return failed ? interp_python_error("os.environ") : SNUG_OK;
}

/* matplotlib remembers where its user's settings are: nowhere. */
static int set_variables(char *folder)
{
    snprintf(folder, PATH_MAX, "%s/snug-preload-XXXXXX", tree_top());
    if (!mkdtemp(folder))
        return error_system("a folder for what packages keep, %s", folder);
    int error = set_environ("MPLCONFIGDIR", folder);
    return error ? error : set_environ("MPLBACKEND", "module://_snug_inline");
}

/* Each session puts its own there. */
static int drop_folder(const char *folder)
{
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    PyObject *text = PyUnicode_DecodeFSDefault(folder);
    Py_ssize_t at = path && text ? PySequence_Index(path, text) : -1;

    if (at >= 0)
        PySequence_DelItem(path, at);
    PyErr_Clear();
    Py_XDECREF(text);
    return SNUG_OK;
}

static int import_one(const char *name, const char *folder)
{
    size_t len = strlen(name);
    if (!home_has_module(name, len) && !packages_has(folder, name, len)) {
        str why = { 0 };
        int error = packages_explain(&why, folder, name, len);
        error = error ? error_no_memory() : error_set(SNUG_ENOTFOUND, "%s", str_text(&why));
        str_free(&why);
        return error;
    }

    PyObject *module = PyImport_ImportModule(name);
    if (!module)
        return interp_python_error(name);

    Py_DECREF(module);
    return is_alone() ? SNUG_OK
                      : error_set(SNUG_EPYTHON,
                                  "importing %s has started a thread: a process with threads can "
                                  "not be forked",
                                  name);
}

/* What is imported stays. Without this, a collection in a session walks through all of it, and
 * copies each page that has the head of an object. */
static int freeze_objects(void)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyGC_Collect();
    PyObject *answer = gc ? PyObject_CallMethod(gc, "freeze", NULL) : NULL;
    int failed = !answer;
    Py_XDECREF(answer);
    Py_XDECREF(gc);
    return failed ? interp_python_error("gc.freeze") : SNUG_OK;
}

int preload_import(const char *const *names, const char *packages)
{
    const char *folder = packages ? packages : home_packages();
    char kept[PATH_MAX] = "";
    int error = SNUG_OK;

    runtime_take_first();
    if (!is_alone())
        error = error_set(SNUG_EPYTHON, "packages are preloaded before there is a second thread");
    if (!error)
        error = set_variables(kept);
    if (!error && folder)
        error = prepend_folder(folder);
    for (size_t i = 0; !error && names && names[i]; i++)
        error = import_one(names[i], folder);
    if (!error && fullmain_warm() != 0)
        error = interp_python_error("what packages show could not be set up");
    if (folder)
        drop_folder(folder);
    if (!error)
        error = freeze_objects();
    runtime_give_first();
    if (*kept)
        tree_remove(kept);
    return error;
}

/* ---- forking ---- */

void preload_before_fork(void)
{
    runtime_take_first();
    PyOS_BeforeFork();
}

/* Of the next child: this process draws none. Python's random is seeded in the child, by a hook of
 * its own; hashes keep their seed, which dicts rest on. */
static void seed_numpy(void)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *random = PyDict_GetItemString(modules, "numpy.random");
    PyObject *answer = random ? PyObject_CallMethod(random, "seed", NULL) : NULL;
    Py_XDECREF(answer);
    PyErr_Clear();
}

void preload_after_fork_parent(void)
{
    PyOS_AfterFork_Parent();
    seed_numpy();
    runtime_give_first();
}

void preload_after_fork_child(void)
{
    PyOS_AfterFork_Child();
    runtime_give_first();
}
