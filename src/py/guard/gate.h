/*
 * gate.h - which modules an import gets: the __import__ of a session.
 *
 * Takes the place of builtins.__import__, and of the first finder on
 * sys.meta_path. Cells get the public modules of their profile, whether loaded
 * already or not; the standard library gets the internal ones too.
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_GATE_H
#define SNUG_PY_GATE_H

#include "py/core/state.h"

/* 0, or -1 with an exception. */
int gate_install(interp *in);
/* Imports a module of the standard library or of ours by name, for C code; a new reference
 * or NULL. Finders of the guest may run, under guard. */
PyObject *gate_load(interp *in, const char *name);
/* The same of a module in C, which packages cannot bring along. */
int gate_judge_extension(interp *in, PyObject *name);
/* Whether cells get a module of ours in the place of that one, where their profile lacks it. */
int gate_has_stand_in(const char *module);
/* Whether that is a module, or in a package, of the work directory, whose name nobody else has. */
int gate_is_work_module(const interp *in, const char *module, size_t len);
/* Judges the audit event "import" of a module that is about to be loaded. */
int gate_audit_load(interp *in, PyObject *name);

/* What an __import__ was called with. */
typedef struct gate_import {
    PyObject *name;                     /* owned; of the exact type */
    PyObject *globals, *locals, *names; /* borrowed; NULL where not given */
    int level;
} gate_import;
/* -1 with an exception. */
int gate_read_import(gate_import *out, PyObject *args, PyObject *keywords, const char *format);

/* Whose code asks now for an import: the frame's that runs. */
typedef enum gate_caller {
    GATE_CELL,
    GATE_LIBRARY,   /* it is trusted, and calls something: what, a cell may have told it */
    GATE_STATEMENT, /* an import statement of trusted code, with these globals */
    GATE_IMPORTER   /* importlib, or no code at all */
} gate_caller;
gate_caller gate_find_caller(interp *in, const PyObject *globals);
/* In a full session: whether it is a cell's, or of what it gives to exec. Packages import as they
 * like. */
int gate_is_of_cell(const interp *in, const PyObject *globals);
/* Whether a cell may import that, with these names. No exception. */
int gate_is_public(interp *in, PyObject *name, PyObject *names);
/* What is done to modules as they come: the room above, which knows them, fills it in
 * (py/surface/patch_c.c). */
typedef struct module_hook_table {
    int (*on_extension)(interp *in, PyObject *module, PyObject *made_as); /* surface_adopt */
    int (*on_import)(interp *in);                                         /* adopt_imported */
} module_hook_table;
extern const module_hook_table module_hooks;

#endif
