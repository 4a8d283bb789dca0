/*
 * whole.h - whether a source is whole. Decides nothing.
 *
 * The caller holds the session's interpreter.
 */
#ifndef SNUG_PY_WHOLE_H
#define SNUG_PY_WHOLE_H

#include <stddef.h>

#include "py/core/python.h"

/* A snug_completeness, or a snug_error. As codeop and IPython judge: a block wants an empty line to
 * end it. flags: compiler flags in force in the session. */
int source_is_whole(const char *source, size_t len, int flags);

#endif
