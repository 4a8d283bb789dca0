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
/* Judges the audit event "import" of a module that is about to be loaded. */
int gate_audit_load(interp *in, PyObject *name);

/* What is done to modules as they come: the room above, which knows them, fills it in
 * (py/surface/patch_c.c). */
typedef struct module_hook_table {
    int (*on_extension)(interp *in, PyObject *module, PyObject *made_as); /* surface_adopt */
    int (*on_import)(interp *in);                                         /* adopt_loaded */
} module_hook_table;
extern const module_hook_table module_hooks;

#endif
