/*
 * module.h - _snug, the C half of what the frozen modules of a session use.
 *
 * Guest code may reach it: every function must be safe to call with anything.
 */
#ifndef SNUG_PY_MODULE_H
#define SNUG_PY_MODULE_H

#include <stdint.h>

#include "py/core/python.h"

struct interp;

/* Puts _snug into the table of built-in modules; once, before Python starts. */
int module_register(void);

#endif
