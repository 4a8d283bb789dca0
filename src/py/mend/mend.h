/*
 * mend.h - functions of CPython's that write or read where they should not, when code of a guest's
 * runs in their midst, are replaced. docs/cpython-bugs.md lists them.
 *
 * Most look at an object's size or keep a pointer into it, call __index__, __eq__ or a method of
 * the guest's, and go on with what they had. There are three ways to mend one: what the guest's
 * code would be asked for is asked before (array, bytearray, list); the object is held by an
 * exported buffer, so that it cannot be resized meanwhile; or it is in use until the function
 * returns, and what would take it apart is refused.
 *
 * The replacements stand in CPython's own tables of methods and slots, which all interpreters of
 * the process have in common.
 */
#ifndef SNUG_PY_MEND_H
#define SNUG_PY_MEND_H

#include "py/core/state.h"

/* Of the module with that definition, for patch_c.c; the caller holds the interpreter. 0, or -1
 * with an exception. */
int mend_array(interp *in, PyObject *module);
int mend_builtins(interp *in, PyObject *module);
int mend_collections(interp *in, PyObject *module);
int mend_decimal(interp *in, PyObject *module);
int mend_elementtree(interp *in, PyObject *module);
int mend_functools(interp *in, PyObject *module);
int mend_init(interp *in, PyObject *module);
int mend_io(interp *in, PyObject *module);
int mend_itertools(interp *in, PyObject *module);
int mend_json(interp *in, PyObject *module);
int mend_pickle(interp *in, PyObject *module);
int mend_re(interp *in, PyObject *module);
int mend_struct(interp *in, PyObject *module);
int mend_sqlite(PyObject *module);

/* Parts of the above, each in a file of its own. */
int mend_bytesio(PyObject *module);
int mend_exceptions(void);
int mend_unicode_errors(void);
int mend_parts_of_builtins(void);
int mend_sequence_iterator(void);
void mend_compile(PyObject *module);
void mend_defaultdict(PyObject *module);
void mend_iterator_states(PyObject *module);
void mend_partial_state(PyTypeObject *type);

/* ---- for the files of mend*.c ---- */

/* A type of the module by its name there, borrowed; NULL where it has none yet, or a cell has put
 * something else there. */
PyTypeObject *mend_type(PyObject *module, const char *name, const char *full_name);

/* The method's function becomes ours, which has to be called like the original one. */
typedef struct mend_method {
    const char *name;
    PyCFunction ours;
    _Atomic(PyCFunction) original;
} mend_method;

void mend_methods(PyTypeObject *type, mend_method *methods, size_t count);

/* Of the type, its subclasses, and the wrappers by which Python code calls the slot. A slot is a
 * function, whose kind the caller knows. */
typedef void (*mend_function)(void);
/* Where the slot lies in a type; NULL where it has none. */
typedef mend_function *(*mend_place)(PyTypeObject *type);
/* -1 with an exception. */
int mend_slots(PyTypeObject *type, mend_place place, mend_function ours,
               _Atomic(mend_function) *original);

/* While a call goes on in the object; in the stack of the caller, who holds the interpreter. The
 * object stays alive until mend_end. */
typedef struct mend_use {
    PyObject *object;
    struct mend_use *before, *behind;
} mend_use;

void mend_begin(mend_use *use, PyObject *object);
void mend_end(mend_use *use);
/* -1 with a RuntimeError where a call goes on in the object, else 0. */
int mend_refuse(PyObject *object);

/* All that a function of a method's gets, whatever its flags say: these five are in registers, on
 * every machine that snug is built for, and what it does not get is passed on and not looked at. */
#define MEND_PARAMETERS PyObject *self, void *a, void *b, void *c, void *d
#define MEND_ARGUMENTS  self, a, b, c, d
typedef PyObject *(*mend_call)(MEND_PARAMETERS);
#define MEND_ORIGINAL(method) \
    ((mend_call)(mend_function)atomic_load_explicit(&(method)->original, memory_order_relaxed))

#endif
