/*
 * publish.h - the C side of frozen/display.py: functions of module _snug.
 */
#ifndef SNUG_PY_PUBLISH_H
#define SNUG_PY_PUBLISH_H

#include "py/core/python.h"

/* publish(parts, metadata, id, is_update): shows a bundle. */
PyObject *publish_display(PyObject *module, PyObject *args);
/* clear(wait) */
PyObject *publish_clear(PyObject *module, PyObject *wait);
/* text(value): as the notebook shows it. */
PyObject *publish_text(PyObject *module, PyObject *value);

/* Puts display() into the builtins. 0, or -1 with an exception. */
struct interp;
int publish_install(struct interp *in);

#endif
