/*
 * memory.h - the memory account of a session.
 *
 * Charged by the allocator wrappers (py/core/alloc.c) on the session's threads with what
 * the C library and the arenas really hand out. Pure: no allocator here.
 */
#ifndef SNUG_LIMITS_MEMORY_H
#define SNUG_LIMITS_MEMORY_H

#include <stdatomic.h>
#include <stdint.h>

/* Read by other threads (watchdog, results), written by the session's, or by several
 * if it is_shared. */
typedef struct memory_account {
    uint64_t limit_bytes;   /* UINT64_MAX: none */
    uint64_t ceiling_bytes; /* what holds during this cell: the limit, with a reserve */
    /* Below zero where a session frees what others allocated. */
    _Atomic int64_t used_bytes;
    _Atomic int64_t peak_bytes; /* highest since memory_begin */
    _Atomic uint64_t refusals;  /* since memory_begin */
    _Atomic int grants;         /* small requests that are granted over the ceiling */
    int counts_libraries;       /* what C libraries take is charged too: interpose.c */
    void (*on_hopeless)(
        struct memory_account *m); /* one of those was refused, and memory_is_hopeless:
                                      on the session's thread; NULL: nobody asks */
    int is_shared;          /* several threads charge it: all but used_bytes is about right */
    int64_t restored_bytes; /* used by what was restored, which may be over the limit */
} memory_account;

/* So much, or an eighth of the limit, is always left for a cell that cleans up, and for the
 * report: to delete names one may have to set one, and a dict to grow for it. */
#define MEMORY_RESERVE_BYTES (INT64_C(8) << 20)
/* After that many refused allocations a cell is not recovering but going on. */
enum { MEMORY_PATIENCE = 200 };
/* A refused small request is followed by some that are granted: CPython ends the process
 * when it cannot make a MemoryError many times in a row. */
enum { MEMORY_SMALL_BYTES = 1024, MEMORY_GRANTS = 128 };

/* What this thread allocates is charged to that; NULL: to nobody. */
extern _Thread_local memory_account *memory_here __attribute__((tls_model("initial-exec")));

void memory_init(memory_account *m, uint64_t limit_bytes);
/* A cell begins: min(max(limit, used + reserve), limit + 2 reserve) holds for it. What was restored
 * over the limit stays, with a reserve for the cells that make it smaller. */
void memory_begin(memory_account *m);
/* The session is saved or restored: to copy what it has takes as much again, so twice that holds.
 * memory_end_copy: it is restored. */
void memory_begin_copy(memory_account *m);
void memory_end_copy(memory_account *m);
/* 1: bytes more are fine and counted; 0: they are not, and a refusal is counted, but
 * for large requests between a refusal and the small ones that are granted after it.
 * A negative number is a size that no allocator has: refused. */
int memory_charge(memory_account *m, int64_t bytes);
/* The same for what the caller can do without: no refusal is counted. */
int memory_charge_if_fits(memory_account *m, int64_t bytes);
void memory_release(memory_account *m, int64_t bytes);
/* The highest since memory_begin, with the stack's depth: that is memory too. */
uint64_t memory_peak(const memory_account *m, uint64_t stack_bytes);
/* An allocation has failed that the account had allowed. */
void memory_refuse(memory_account *m);
int memory_is_hopeless(const memory_account *m);

#endif
