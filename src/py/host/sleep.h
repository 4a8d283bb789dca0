/*
 * sleep.h - time.sleep of a session, which a stop ends.
 */
#ifndef SNUG_PY_SLEEP_H
#define SNUG_PY_SLEEP_H

#include "py/core/python.h"
#include <stdint.h>

/* A new reference to the function that takes the place of time.sleep: the
 * original cannot be stopped on any thread but the process's main one. */
PyObject *sleep_function(void);
/* A time in seconds as CPython's time.sleep takes it. 0, or -1 with an exception. */
int sleep_parse_seconds(PyObject *arg, uint64_t *ns);
/* So long from now. */
uint64_t sleep_deadline_ns(uint64_t ns);

#endif
