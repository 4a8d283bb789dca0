/*
 * settled.h - tables that are written at the start, and then can be read only.
 *
 * Pointers to functions above all: who can write one byte of the process's memory shall not be
 * able to change them. CPython's own tables, which have to be written while it runs, are no harder
 * to find, so this is a guard.
 */
#ifndef SNUG_BASE_SETTLED_H
#define SNUG_BASE_SETTLED_H

/* As many bytes as the largest page of a machine that snug is built for. */
#if defined(__aarch64__)
#define SETTLED_BYTES 65536
#else
#define SETTLED_BYTES 4096
#endif

/* A union of the table and of room[SETTLED_BYTES], so that nothing else lies in its pages. */
#define SETTLED __attribute__((aligned(SETTLED_BYTES)))

/* From now on a write to the table is a fault. Where the kernel refuses that, it stays as it was.
 */
void settled_seal(void *table);

#endif
