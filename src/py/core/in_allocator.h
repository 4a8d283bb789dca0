/*
 * in_allocator.h - whether a thread stands in CPython's own allocator.
 *
 * On 3.11 its pools belong to all sessions, so none may be torn out of it; on 3.13 they
 * go with the session. It keeps no flag, and one would cost every allocation a tenth, so
 * the question is asked of the thread's place when it is kicked.
 */
#ifndef SNUG_PY_IN_ALLOCATOR_H
#define SNUG_PY_IN_ALLOCATOR_H

#include <stdint.h>

/* Once, before the first session; not in a handler. */
void busy_init(void);
/* (handler) For guard.is_busy, with the same pc and sp. Always 0 with the shared library,
 * where no thread is torn out. */
int busy_in_allocator(uintptr_t pc, const uintptr_t *sp);

#endif
