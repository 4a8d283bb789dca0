/*
 * fast_start.c - parts of an interpreter's start that the first interpreter of the process has done
 * for all. Only in the programs, whose copy of libpython's archive has places for these functions
 * (archive.py).
 */
#include "py/core/internals.h"

#include <sys/resource.h>

extern PyStatus snug_python_init_import_config(PyConfig *config);
PyStatus _PyConfig_InitImportConfig(PyConfig *config);

static int is_first(void)
{
    return PyInterpreterState_Get() == PyInterpreterState_Main();
}

/* The configuration is a copy of the first interpreter's, with its paths. And there is no garbage
 * yet: interp_open puts the collector on when all is there. */
PyStatus _PyConfig_InitImportConfig(PyConfig *config)
{
    if (is_first())
        return snug_python_init_import_config(config);
    PyGC_Disable();
    return PyStatus_Ok();
}

#if PY_VERSION_HEX < 0x030c0000
extern PyStatus snug_python_import_zip_init(PyThreadState *tstate);
PyStatus _PyImportZip_Init(PyThreadState *tstate);

/* A session imports from no archive. */
PyStatus _PyImportZip_Init(PyThreadState *tstate)
{
    if (is_first())
        return snug_python_import_zip_init(tstate);
    return PyStatus_Ok();
}

extern int snug_python_intern_frozen(void);
int _Py_Deepfreeze_Init(void);

/* The code of the frozen modules and the interned strings are of the process, and it has done all
 * of them. */
int _Py_Deepfreeze_Init(void)
{
    if (is_first())
        return snug_python_intern_frozen();
    return 0;
}
#endif

#if PYTHON_OWN_GIL
extern PyStatus snug_python_import_external(PyThreadState *tstate);
PyStatus _PyImport_InitExternal(PyThreadState *tstate);

/* Without the hook for archives: a session imports from none. */
PyStatus _PyImport_InitExternal(PyThreadState *tstate)
{
    if (is_first())
        return snug_python_import_external(tstate);

    PyObject *importlib = PyImport_ImportModule("_frozen_importlib"), *answer = NULL;
    if (importlib)
        answer = PyObject_CallMethod(importlib, "_install_external_importers", NULL);
    Py_XDECREF(importlib);
    if (!answer)
        return PyStatus_Error("external importer setup failed");
    Py_DECREF(answer);
    return PyStatus_Ok();
}
#endif

#if PY_VERSION_HEX >= 0x030e0000
extern void snug_python_find_stack(PyThreadState *tstate);
void _Py_InitializeRecursionLimits(PyThreadState *tstate);

/* Of this thread's own stack, found before; and to where a main thread's may grow. */
static _Thread_local known_stack own_stack;
static _Thread_local rlim_t own_most;

/* Each thread state that is made asks, a dozen for an interpreter; and to answer for the process's
 * main thread the C library reads the map of its memory. */
void _Py_InitializeRecursionLimits(PyThreadState *tstate)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct rlimit limit = { 0 };

    getrlimit(RLIMIT_STACK, &limit);
    if (own_most == limit.rlim_cur && here > own_stack.soft && here < own_stack.top) {
        internals_put_stack(tstate, &own_stack);
        return;
    }

    snug_python_find_stack(tstate);
    own_stack = internals_stack(tstate);
    own_most = limit.rlim_cur;
}
#endif
