/*
 * module.h - _snug, the C half of what the frozen modules of a session use.
 *
 * Guest code may reach it: every function must be safe to call with anything.
 */
#ifndef SNUG_PY_MODULE_H
#define SNUG_PY_MODULE_H

#include <stdint.h>

#include "py/python.h"

struct interp;

/* Puts _snug into the table of built-in modules; once, before Python starts. */
int module_register(void);
/* A new reference to the function that takes the place of time.sleep: the
 * original cannot be stopped on any thread but the process's main one. */
PyObject *module_sleep(void);
/* Without the GIL until the session's bell is another number than seen (1), or the
 * deadline has passed (0); -1: a stop came, and is raised. The caller holds the
 * interpreter. */
int module_wait(struct interp *in, uint32_t seen, uint64_t deadline_ns);
/* Until what the cell has written was taken, as far as it has to be: 0; -1 as above. */
int module_wait_for_listener(struct interp *in);

#endif
