/*
 * python.h - Python.h as this layer includes it, and the differences between
 * the versions we build for.
 *
 * A file that wants CPython's internal headers too defines Py_BUILD_CORE before it includes
 * anything. Which of them there are depends on the version, and is written here only.
 */
#ifndef SNUG_PY_PYTHON_H
#define SNUG_PY_PYTHON_H

#define PY_SSIZE_T_CLEAN
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#include <Python.h>
#ifdef Py_BUILD_CORE
#include <internal/pycore_ast.h>
#include <internal/pycore_ceval.h>
#include <internal/pycore_code.h>
#include <internal/pycore_compile.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_gc.h>
#include <internal/pycore_hashtable.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_object.h>
#include <internal/pycore_parser.h>
#include <internal/pycore_pyarena.h>
#include <internal/pycore_pystate.h>
#include <internal/pycore_runtime.h>
#if PY_VERSION_HEX >= 0x030c0000
#include <internal/pycore_descrobject.h>
#include <internal/pycore_obmalloc.h>
#include <internal/pycore_setobject.h>
#endif
#if PY_VERSION_HEX >= 0x030f0000
#include <internal/pycore_lazyimportobject.h>
#endif
#endif
#pragma GCC diagnostic pop

/* Sessions have a GIL and an object allocator of their own. */
#define PYTHON_OWN_GIL (PY_VERSION_HEX >= 0x030c0000)

/*
 * What is otherwise from one version to the next. The version itself is asked in this room only
 * (tests/layers.py); elsewhere it is one of these.
 */

/* Reports are worded by traceback.py and no longer by the printer in C: suggestions are part of the
 * text, all lines of an instruction are shown, carets begin at operators. */
#define PYTHON_REPORTS_IN_PYTHON (PY_VERSION_HEX >= 0x030d0000)
/* traceback.py knows methods by their names in other languages, and attributes of attributes. */
#define PYTHON_KNOWS_OTHER_LANGUAGES (PY_VERSION_HEX >= 0x030f0000)
/* Under the line of a syntax error, spaces and carets are counted by the width of what is above. */
#define PYTHON_CARETS_BY_WIDTH (PY_VERSION_HEX >= 0x030f0000)
/* A line that is not known is None, before it was -1. */
#define PYTHON_LINE_CAN_BE_NONE (PY_VERSION_HEX >= 0x030c0000)
/* The replacement fields of f-strings are tokens of the program. */
#define PYTHON_FSTRINGS_ARE_TOKENS (PY_VERSION_HEX >= 0x030c0000)
#define PYTHON_HAS_TYPE_STATEMENT  (PY_VERSION_HEX >= 0x030c0000)
/* A frame's locals are a view of its variables, and no dict. */
#define PYTHON_FRAME_LOCALS_ARE_A_VIEW (PY_VERSION_HEX >= 0x030d0000)
/* threading starts and joins threads by handles of _thread's; before it kept locks of its own. */
#define PYTHON_THREAD_HANDLES (PY_VERSION_HEX >= 0x030d0000)
/* How long the text of an int may be is of the process, and set in each interpreter. */
#define PYTHON_SHARES_INT_DIGITS (PY_VERSION_HEX < 0x030c0000)
/* A class in Python can give a buffer, by __buffer__. */
#define PYTHON_BUFFERS_OF_CLASSES (PY_VERSION_HEX >= 0x030c0000)
/* json's encoder in C goes through items that only the dict owns. */
#define PYTHON_JSON_BORROWS_ITEMS (PY_VERSION_HEX >= 0x030c0000)
/* bdb, which doctest imports, has a table by the numbers of sys.monitoring's events. */
#define PYTHON_BDB_WANTS_EVENTS (PY_VERSION_HEX >= 0x030e0000)
/* print() and warnings use a stream of sys without a reference of their own. */
#define PYTHON_BORROWS_SYS_STREAMS (PY_VERSION_HEX < 0x030d0000)
/* TextIOWrapper.reconfigure() does not check that its names are str. */
#define PYTHON_RECONFIGURE_TRUSTS_TEXTS (PY_VERSION_HEX < 0x030d0000)
/* Of the list of a regular expression's instructions. */
#if PY_VERSION_HEX >= 0x030c0000
#define PYTHON_RE_MAGIC 20230612
#else
#define PYTHON_RE_MAGIC 20220615
#endif
/* Makes code of its parts. */
#if PY_VERSION_HEX >= 0x030c0000
#define PYTHON_NEW_CODE PyUnstable_Code_NewWithPosOnlyArgs
#else
#define PYTHON_NEW_CODE PyCode_NewWithPosOnlyArgs
#endif

/* Who may trace the process can have any script run in it otherwise. */
static inline void python_refuse_debugging(PyConfig *config)
{
#if PY_VERSION_HEX >= 0x030e0000
    config->remote_debug = 0;
#else
    (void)config;
#endif
}

/* Tells of the exception that ended a thread, and clears it. */
static inline void python_thread_unraisable(PyObject *function)
{
#if PY_VERSION_HEX >= 0x030d0000
    PyErr_FormatUnraisable("Exception ignored in thread started by %R", function);
#else
    _PyErr_WriteUnraisableMsg("in thread started by", function);
#endif
}

/* Ints of one digit come from a free list, so that a loop over them need not ask the allocator. */
#define PYTHON_KEEPS_FREED_INTS (PY_VERSION_HEX >= 0x030e0000)

/* Takes a value out of the dict: a new reference; the other one where the key is not in it, NULL
 * with an exception. */
static inline PyObject *python_take(PyObject *dict, PyObject *key, PyObject *other)
{
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *value = NULL;
    return PyDict_Pop(dict, key, &value) == 0 ? Py_NewRef(other) : value;
#else
    return _PyDict_Pop(dict, key, other);
#endif
}

/* The dict of the type's own names, without a getter of the guest's: a new reference, or NULL. */
static inline PyObject *python_type_dict(PyTypeObject *type)
{
#if PY_VERSION_HEX >= 0x030c0000
    return PyType_GetDict(type);
#else
    return Py_XNewRef(type->tp_dict);
#endif
}

/* Of the arguments of a PyCMethod. */
#if PY_VERSION_HEX >= 0x030e0000
typedef Py_ssize_t python_count;
#else
typedef size_t python_count;
#endif

/* How often an object is referred to that nothing ever frees. */
#if PY_VERSION_HEX >= 0x030e0000
#define PYTHON_IMMORTAL _Py_IMMORTAL_INITIAL_REFCNT
#else
#define PYTHON_IMMORTAL _Py_IMMORTAL_REFCNT
#endif

#ifdef Py_BUILD_CORE
/* For programs: libpython does not export the parser. */

/* CPython's parser for a module's source: a tree in the arena, or NULL with an exception. */
static inline mod_ty python_parse(const char *source, PyObject *filename, PyCompilerFlags *flags,
                                  PyArena *arena)
{
#if PY_VERSION_HEX >= 0x030f0000
    return _PyParser_ASTFromString(source, filename, Py_file_input, flags, arena, NULL);
#else
    return _PyParser_ASTFromString(source, filename, Py_file_input, flags, arena);
#endif
}

/* Its compiler: a new reference, or NULL with an exception. */
static inline PyObject *python_compile(mod_ty tree, PyObject *filename, PyCompilerFlags *flags,
                                       PyArena *arena)
{
#if PY_VERSION_HEX >= 0x030f0000
    return (PyObject *)_PyAST_Compile(tree, filename, flags, -1, arena, NULL);
#else
    return (PyObject *)_PyAST_Compile(tree, filename, flags, -1, arena);
#endif
}
#endif

/* As in the names of the library's folders. */
#define PYTHON_X_Y Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION)

#endif
