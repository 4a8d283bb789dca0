/*
 * thread.h - threads with a stack of their own mapping; waits with a deadline; futex words.
 */
#ifndef SNUG_BASE_THREAD_H
#define SNUG_BASE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A joinable thread on a stack we mapped: reserved, committed when touched, with
 * a guard page below, without huge pages. */
typedef struct thread {
    pthread_t id;
    void *stack; /* the mapping, guard page included */
    size_t stack_bytes;
} thread;

/* stack_bytes is tried first and halved, down to 1 MiB, where the process has no
 * room for it and for as much as a session needs. name: at most 15 bytes. SNUG_ESYSTEM with a
 * message. All signals of the host program are blocked on the new thread, except the synchronous
 * ones. fn finds stack and stack_bytes set, but id perhaps not yet. */
int thread_start(thread *t, const char *name, size_t stack_bytes, void *(*fn)(void *), void *arg);
/* Waits for the end and keeps the mapping, without its memory, for another thread, whose
 * pthread_self is the same then. Once. */
void thread_rest(thread *t);
/* That other thread; errors and name as thread_start's. */
int thread_again(thread *t, const char *name, void *(*fn)(void *), void *arg);
/* Unmaps what thread_rest has kept. */
void thread_discard(thread *t);
/* The lowest byte of its stack that may be touched. */
char *thread_stack_low(const thread *t);
/* Waits for the end and unmaps the stack. Only once, and not for a zeroed one. */
void thread_join(thread *t);

/* Waits for a condition whose clock is CLOCK_MONOTONIC, until deadline_ns; UINT64_MAX: for ever. A
 * wake may have no cause. The lock is held before and after. */
void cond_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline_ns);

/* Sleeps while *word == value, until deadline_ns (CLOCK_MONOTONIC; UINT64_MAX:
 * for ever), a wake, or a signal: look at the word again. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns);
void futex_wake_all(_Atomic uint32_t *word);

#endif
