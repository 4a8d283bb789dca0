/*
 * alloc.h - Python's allocators, with an eye on whose memory it is.
 *
 * The RAW domain and the arenas are charged to the account of the calling thread's
 * session: everything of Python's goes through one of them, at about one percent of
 * cost. The MEM and OBJ domains are left alone, but while some session starves they
 * answer NULL to it, which unwinds loops in C that allocate but never look up.
 */
#ifndef SNUG_PY_ALLOC_H
#define SNUG_PY_ALLOC_H

#include <stddef.h>

#include "limits/memory.h"

/* Once, before Python starts. */
void alloc_install(void);
/* The account that this thread's allocations are charged to; NULL: none. */
void alloc_charge_to(memory_account *m);
memory_account *alloc_account(void);
/* Memory of the process that is kept untouched, for where extensions in C have used up the rest:
 * some for Python's next allocations, which unwind, and some for the report. */
typedef enum alloc_ballast { ALLOC_FOR_CODE, ALLOC_FOR_REPORT, ALLOC_BALLASTS } alloc_ballast;

/* Maps what has been given away, if it can. Only where one session has the process. */
void alloc_keep_ballast(void);
/* 1: there is more memory now. */
int alloc_drop_ballast(alloc_ballast which);
/* Whether this thread's large blocks get mappings of their own (mapped.h). */
void alloc_map_large(int is_wanted);
/* Any thread: a session begins or ceases to starve. */
void alloc_starve_begin(void);
void alloc_starve_end(void);

#endif
