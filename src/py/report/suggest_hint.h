/*
 * suggest_hint.h - what a method is called here that other languages call otherwise.
 */
#ifndef SNUG_PY_SUGGEST_HINT_H
#define SNUG_PY_SUGGEST_HINT_H

#include "py/core/python.h"

/* A sentence for an object without that attribute, as traceback.py has it since 3.15; NULL: there
 * is none, as for all before. Runs no code of the guest's. */
const char *suggest_hint(PyObject *object, const char *wrong);

#endif
