/*
 * fixed_random.h - generators of random numbers that nobody has given a seed, in sessions that have
 * one of their own. As fixed_functions.h.
 */
#ifndef SNUG_PY_FIXED_RANDOM_H
#define SNUG_PY_FIXED_RANDOM_H

#include "py/core/python.h"

/* The module _random is there. Any number of times. 0, or -1 with an exception. */
int fixed_random_adopt(PyObject *module);

#endif
