/*
 * engine_linked.c - the local form of a program that has Python within it.
 */
#include "session/life/engine.h"

#include <string.h>

#include "base/error.h"

int engine_find(const host_form **out, const char *python)
{
    if (python && strcmp(python, SNUG_PYTHON_NUMBER) != 0)
        return error_set(SNUG_EPYTHON,
                         "python is \"%s\": this program has Python " SNUG_PYTHON_NUMBER
                         " within it, and loads no other",
                         python);
    *out = &local_form;
    return SNUG_OK;
}
