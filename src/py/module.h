/*
 * module.h - _snug, the C half of what the frozen modules of a session use.
 *
 * Guest code may reach it: every function must be safe to call with anything.
 */
#ifndef SNUG_PY_MODULE_H
#define SNUG_PY_MODULE_H

#include "py/python.h"

/* Puts _snug into the table of built-in modules; once, before Python starts. */
int module_register(void);
/* A new reference to the function that takes the place of time.sleep: the
 * original can not be stopped on any thread but the process's main one. */
PyObject *module_sleep(void);

#endif
