/*
 * savehooks.h - what frozen/save.py and frozen/restore.py call: functions that write pickles into
 * the save_work of the job, have them judged, and read those that are restored.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_SAVEHOOKS_H
#define SNUG_PY_SAVEHOOKS_H

#include "py/core/python.h"

/* A new module with the functions, or NULL with an exception. They work on interp.saving and
 * interp.save_ids of the thread's interpreter. */
PyObject *savehooks_make(void);

#endif
