/*
 * mapped.h - large blocks in mappings of their own.
 *
 * A new interpreter takes blocks of 128 KiB and more that it hardly touches: its state, its
 * allocator's and that one's map of arenas. The C library maps such blocks until it has once freed
 * a larger one; from then on it takes them from its heaps, and clears what was used before: 30 to
 * 160 KiB more a session. Here they are mapped in any case. A block is known by a mark in front of
 * it, so that none of this needs a lock, in which a thread could be stopped.
 */
#ifndef SNUG_PY_MAPPED_H
#define SNUG_PY_MAPPED_H

#include <stddef.h>

/* From how many bytes on a block is worth a mapping. */
#define MAPPED_LEAST ((size_t)64 << 10)

/* Once, before the others. Without random bytes nothing is mapped. */
void mapped_install(void);
/* Zeroed; NULL: not to be had, ask the C library. */
void *mapped_new(size_t bytes);
/* What a block takes of memory without the mark; 0: it is none of these. */
size_t mapped_bytes(const void *block);
/* Of a block for which that is not 0. */
void mapped_free(void *block);

#endif
