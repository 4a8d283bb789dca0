/*
 * librarycode.h - bytecode of the standard library's files, as CPython has cached it.
 */
#ifndef SNUG_PY_LIBRARYCODE_H
#define SNUG_PY_LIBRARYCODE_H

#include "py/core/python.h"
#include <stddef.h>
#include <time.h>

typedef struct text_file {
    char *data; /* PyMem_RawMalloc; a NUL behind it */
    size_t len;
} text_file;

/* NULL data where it cannot be read. No exception. */
text_file librarycode_read_file(const char *path);
/* fn(arg), which reads such bytecode and nothing of the guest's. */
PyObject *librarycode_unmarshal(PyObject *(*fn)(void *arg), void *arg);
/* A new reference to the code that is cached for that file of the library; NULL without an
 * exception where there is none. */
PyObject *librarycode_read_cached(const char *source);
/* What tells whether a file of the library or what is cached for it has changed; compared by
 * memcmp. -1: one of them is not there. */
typedef struct librarycode_stamp {
    struct timespec source_changed, cache_changed;
    long long source_bytes, cache_bytes;
    unsigned long long source_file, cache_file; /* inodes */
} librarycode_stamp;
int librarycode_take_stamp(librarycode_stamp *out, const char *source);

#endif
