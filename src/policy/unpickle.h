/*
 * unpickle.h - judges pickles before anything reads them: what may they build, what may they
 * call? Pure: no Python here.
 *
 * A pickle is a program for a machine with a stack. This runs it without values: it knows of
 * each place on the stack only whether a call may name it. Fine are the operations that
 * Python's own pickler writes with protocol 5, calls of the constructors in a table, and
 * functions of frozen/savemakers.py. A name that is not a constructor may stand there as a value (a
 * function in a list), and nothing calls it or changes it.
 * https://github.com/python/cpython/blob/main/Lib/pickletools.py describes the operations.
 */
#ifndef SNUG_POLICY_UNPICKLE_H
#define SNUG_POLICY_UNPICKLE_H

#include <stdatomic.h>
#include <stddef.h>

typedef enum unpickle_use {
    UNPICKLE_VALUE, /* a name to refer to, not to call */
    UNPICKLE_CALL,  /* a constructor: calls none of its arguments */
    UNPICKLE_NEVER  /* no name that a saved session has */
} unpickle_use;

/* What a module's name in a pickle is good for. */
unpickle_use unpickle_judge(const char *module, size_t module_len, const char *name,
                            size_t name_len);

/* What else may be called: functions and classes of the modules that is_one answers 1 for. */
typedef struct unpickle_more {
    int (*is_one)(const void *payload, const char *module, size_t len);
    const void *payload;
} unpickle_more;

enum { UNPICKLE_WHY_BYTES = 256 };

/* 1: data is `count` pickles one behind the other, with one memo for all, and nothing else, and
 * all of them are fine. 0: why is the rest of a sentence about them ("name a.b, which ..."), or
 * *is_stopping, where it is not NULL, was not zero. */
int unpickle_check(const char *data, size_t len, size_t count, const _Atomic int *is_stopping,
                   char why[UNPICKLE_WHY_BYTES]);
/* The same with more; NULL: none. */
int unpickle_check_more(const char *data, size_t len, size_t count, const _Atomic int *is_stopping,
                        const unpickle_more *more, char why[UNPICKLE_WHY_BYTES]);

#endif
