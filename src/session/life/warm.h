/*
 * warm.h - a process with Python and what its children will want, on one thread, to be forked.
 */
#ifndef SNUG_SESSION_WARM_H
#define SNUG_SESSION_WARM_H

#include <stdint.h>

typedef struct warm_wish {
    const char *python_home; /* NULL: the one configure found */
    uint64_t hash_seed;      /* 0: one is drawn */
    int is_full;
    const char *packages;       /* of a full session; NULL: the system's */
    const char *const *preload; /* names of it, NULL-terminated; NULL: none */
} warm_wish;

/* Once, on the only thread, which is the only one afterwards. An error with its message. */
int warm_start(const warm_wish *wish);
/* Around fork, on that thread: what Python wants done. is_child: 1 in the child, where random
 * and numpy.random have new seeds then. */
void warm_before_fork(void);
void warm_after_fork(int is_child);

#endif
