/*
 * codecache.h - compiled cells by their source.
 *
 * A session that sends the same source again does not pay for the compiler
 * again. Kept is what comes a second time: most cells of a model never do, and
 * what they would push out of the processor's caches shows in their time. Per
 * interpreter: code objects cannot cross. Bounded by entries and bytes of
 * source; the oldest goes first.
 */
#ifndef SNUG_PY_CODECACHE_H
#define SNUG_PY_CODECACHE_H

#include <stddef.h>
#include <stdint.h>

#include "py/core/python.h"

enum { CODECACHE_ENTRIES = 128, CODECACHE_SOURCE_BYTES = 256 * 1024 };

/* A compiled cell. */
typedef struct cell_code {
    PyObject *code;
    PyObject *magic;   /* (name, arguments) of its %%magic; NULL: none */
    PyObject *rebound; /* changes_stored_again of it */
    int has_value;     /* it leaves the value of its last expression under interp.value_name */
    int flags_after;   /* compiler flags that later cells inherit */
    unsigned words;    /* what its names are to asyncio; see cell.c */
} cell_code;

typedef struct codecache_entry {
    PyObject *source; /* str; NULL: a free entry */
    int flags;        /* compiler flags it was compiled under */
    int is_as_sent;   /* ASCII, and nothing was taken off it */
    uint64_t number;  /* of the cell that its code names in co_filename */
    cell_code code;
} codecache_entry;

typedef struct codecache {
    uint64_t hashes[CODECACHE_ENTRIES]; /* apart, so that a search touches few cache lines */
    codecache_entry entries[CODECACHE_ENTRIES];
    uint64_t seen[CODECACHE_ENTRIES]; /* hashes of sources that ran once */
    size_t next, seen_next;           /* the oldest */
    size_t source_bytes;              /* of all entries */
} codecache;

/* The entry of that source, or NULL. Belongs to the cache. */
codecache_entry *codecache_find(codecache *cache, uint64_t hash, PyObject *source, int flags);
/* The same by the bytes that were sent, where they are the source: these need not be looked at
 * again. */
codecache_entry *codecache_find_sent(codecache *cache, uint64_t hash, const char *source,
                                     size_t len, int flags);
/* Keeps code (new references are taken) of a source that was added before. The entry, or NULL where
 * it is the first time, or the source too large to be kept. */
codecache_entry *codecache_add(codecache *cache, uint64_t hash, PyObject *source, int flags,
                               uint64_t number, const cell_code *code);
void codecache_clear(codecache *cache);

void cell_code_clear(cell_code *code);
/* Makes the code and all code in it name another file: the cell that runs now. */
void cell_code_rename(cell_code *code, PyObject *filename);

#endif
