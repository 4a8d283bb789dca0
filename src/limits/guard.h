/*
 * guard.h - what stands between a session's thread and the process: where a thread
 * may be torn out of its code, and how that is done.
 *
 * A guard belongs to one thread. The interposed functions of the full ladder
 * (interpose.c, in the programs only) keep its counters; the signal handlers
 * (fault.c) read them on the same thread. Everything that a handler may call is
 * marked (handler): it is async-signal-safe.
 *
 * The jump: the thread stands in guard_run, where sigsetjmp was called. A kick at
 * stage GUARD_JUMP or a fault lands there by siglongjmp. What the thread was doing
 * is torn; who calls guard_run must give all of that up and end the thread. It must
 * not be torn while it holds what others need (the malloc lock, a mutex, the
 * loader's lock): then the jump waits for the moment it lets go. A fault and the
 * process's end cannot wait: guard.was_holding tells that the host has lost
 * something with the session.
 */
#ifndef SNUG_LIMITS_GUARD_H
#define SNUG_LIMITS_GUARD_H

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The rungs of the stop ladder. */
typedef enum guard_stage {
    GUARD_CALM,      /* nothing to stop */
    GUARD_INTERRUPT, /* raise an exception that no handler keeps */
    GUARD_STARVE,    /* allocations answer NULL */
    GUARD_JUMP,      /* jump out when nothing is torn that others need */
    GUARD_JUMP_LIBC, /* jump out of the C library too: a blocked call, a long search */
    /* Only of a thread that keeps others from running, as long as it does: */
    GUARD_JUMP_LOCKS, /* jump although it holds mutexes, and has all the time since a kick */
    GUARD_JUMP_ALL    /* and out of an allocator or the loader */
} guard_stage;

/* Why guard_run did not return from its function. */
typedef enum guard_end {
    GUARD_RETURNED,
    GUARD_JUMPED, /* the ladder */
    GUARD_FAULT,  /* a signal: number has it */
    GUARD_EXIT    /* the process was asked to end: number has the status, 134 for abort */
} guard_end;

enum {
    GUARD_YELLOW_BYTES = 256 * 1024,
    GUARD_RED_BYTES = 64 * 1024, /* of the yellow zone: no allocator is entered there */
    GUARD_SIGNAL_STACK_BYTES = 64 * 1024
};

/* Mutexes that nobody but the session itself ever waits for: a thread that is torn out with one
 * of them takes it along, and they do not count. Any of the session's threads. */
enum { OWN_LOCKS = 64, OWN_LOCKS_TRIED = 8 };

typedef struct own_locks {
    _Atomic int count; /* asked at each lock and unlock: most sessions have none */
    const void *_Atomic at[OWN_LOCKS];
} own_locks;

/* Zeroed before first use. */
typedef struct guard {
    pid_t tid;
    /* Written by this thread only; volatile for its own handlers. The first two count
     * whether guard_run is on or not, so that what is taken inside may be given back
     * outside. */
    volatile int in_malloc;               /* inside the C library's allocator */
    volatile int locks;                   /* mutexes and rwlocks held or waited for */
    volatile int no_jump;                 /* inside the loader and the like */
    volatile sig_atomic_t jump_wanted;    /* deferred until the counters are zero */
    volatile sig_atomic_t is_running;     /* inside guard_run */
    volatile sig_atomic_t yellow_is_open; /* the zone was hit since guard_run began */
    sigjmp_buf out;
    guard_end end;
    int number;
    int was_holding; /* it was torn out although a counter was not zero */
    void *fault_address;

    _Atomic int stage;     /* guard_stage; set by the watchdog before a kick */
    _Atomic unsigned sent; /* kicks */
    _Atomic int is_kicked; /* one is on its way, and sees what is set until it comes: others would
                              queue up behind it, as real-time signals do, and keep the thread */
    _Atomic unsigned heard_of; /* (handler) sent, at the last kick that came */

    char *stack_low;   /* lowest usable byte; the guard page is below */
    char *stack_high;  /* the first byte above; both NULL: not known */
    char *yellow_high; /* the zone is [stack_low, yellow_high); NULL: none */
    void *signal_stack;
    stack_t stack_before; /* the thread's own one */

    /* (handler) Called at each kick from GUARD_INTERRUPT on, and when the yellow zone is hit, with
     * the place of the stack where that found the thread. */
    void (*on_kick)(struct guard *g, uintptr_t sp);
    void (*on_yellow)(struct guard *g, uintptr_t sp);
    /* (handler) More reasons not to jump now, for this program counter and stack
     * pointer: CPython's own allocator. The next kick asks again. NULL: none. */
    int (*is_busy)(struct guard *g, uintptr_t pc, const uintptr_t *sp);
    /* (handler, and any thread) Whether the sessions of the process stand still while this thread
     * does not go on, and it is not just about to change that. NULL: they never do. */
    int (*keeps_others)(const struct guard *g);
    void *_Atomic state; /* keeps_others': the thread's in Python */
    own_locks *own;      /* NULL: none */
    void *owner;
    struct disk_account *disk; /* what quota.c asks; NULL: nobody */
} guard;

/* The guard of the calling thread; NULL on the host's own threads. */
extern _Thread_local guard *guard_here __attribute__((tls_model("initial-exec")));

/* Process-wide, once and idempotent: the kick's handler, and handlers for SIGSEGV
 * SIGBUS SIGFPE SIGILL SIGABRT SIGSYS SIGTRAP that pass on to what was there before
 * for every thread without a running guard. kick_signal: 0 is the one that was chosen
 * before, or else the first real-time signal that is neither handled, nor ignored, nor blocked in
 * the calling thread. SNUG_EINVAL if there is none, if the named one is used in one of these ways,
 * or if another one was chosen before. */
int guard_install(int kick_signal);
/* Puts back what was there before, where our handlers still stand. Nothing may be
 * attached. */
void guard_uninstall(void);
/* Whether all our handlers stand now: the host program may have put its own in
 * their place, which we leave alone. */
int guard_is_installed(void);
/* From now on nothing is torn out of its code in this process: faults and exits end it, and a kick
 * only makes a thread look up. For a process whose end somebody else sees. Before guard_install. */
void guard_forgo_jumps(void);
/* From now on, in a process whose filter traps uname, that answers the same on every machine.
 * Before guard_install. */
void guard_answer_uname(void);
/* 1 where malloc, mutexes and the process's exits are interposed (interpose.c). */
int guard_is_interposed(void);
/* 1 where that is so, and threads are torn out of their code. */
int guard_is_full(void);
int guard_forgoes_jumps(void);

/* Attaches g to the calling thread: signal stack, yellow zone in the lowest part of
 * the stack (stack_low is its lowest usable byte; no zone below 1 MiB), the kick
 * unblocked. is_busy, on_kick, on_yellow, owner are set by the caller before.
 * SNUG_ESYSTEM with a message. */
int guard_attach(guard *g, char *stack_low, size_t stack_bytes);
/* The thread is about to end. */
void guard_detach(guard *g);
/* For a thread that goes on with other things: without a zone, and only from guard_enter to
 * guard_exit. Each is undone by guard_leave_thread on the same thread; the last one puts its signal
 * stack and mask back. SNUG_ESYSTEM or SNUG_ENOMEM with a message. */
int guard_join_thread(guard *g);
void guard_leave_thread(void);
void guard_enter(guard *g);
void guard_exit(void);
/* Detaches and ends the thread at once, as a thread must end after guard_run did not
 * return: thread-local destructors and the C library's own goodbye would work on what
 * is torn. It can be joined as any other. Not for the process's first thread. */
__attribute__((noreturn)) void guard_vanish(guard *g);

/* Runs fn(arg); answers how it ended. After anything but GUARD_RETURNED, all
 * signals that the ladder uses are unblocked again and the counters are zero. */
guard_end guard_run(guard *g, void (*fn)(void *arg), void *arg);

/* Any thread, while g is attached: asks g's thread to look at its stage. */
void guard_kick(guard *g);
/* Any thread: whether the last kick has come. If not, its thread was not let run since, or is deep
 * in the kernel. */
int guard_has_heard(const guard *g);

/* Of a mutex that this thread holds and has counted, counts times, and which it may hold again from
 * now on without that: the other way round. Answers 0 where there is no room: it goes on to
 * count. */
int guard_own_lock(own_locks *own, const void *lock, int count);
void guard_disown_lock(own_locks *own, const void *lock, int count);

static inline int guard_owns(const guard *g, const void *lock)
{
    if (!g->own || atomic_load_explicit(&g->own->count, memory_order_relaxed) == 0)
        return 0;
    size_t first = ((uintptr_t)lock >> 4) % OWN_LOCKS;
    for (size_t i = 0; i < OWN_LOCKS_TRIED; i++)
        if (atomic_load_explicit(&g->own->at[(first + i) % OWN_LOCKS], memory_order_relaxed) ==
            lock)
            return 1;
    return 0;
}

/* Whether an allocation shall answer NULL now because the stack is nearly used up. For
 * allocator wrappers, on g's own thread. Starving is not for the C library's malloc:
 * what unwinds needs it. */
static inline int guard_refuses(const guard *g)
{
    if (!g->is_running || g->in_malloc || g->no_jump)
        return 0;
    uintptr_t room = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)g->stack_low;
    return room < GUARD_RED_BYTES;
}
/* (handler) A kick at a stage from GUARD_JUMP on found the thread at pc: jumps if it may. */
void guard_tear(guard *g, uintptr_t pc, const uintptr_t *sp);
/* (interposers) The counters may be at zero again: do a jump that was put off, if the
 * thread may be torn out of the code at caller, to which the interposer returns. */
void guard_settle(guard *g, const void *caller, const void *frame);
/* (handler) The thread leaves guard_run now. Does not return. */
__attribute__((noreturn)) void guard_leave(guard *g, guard_end end, int number);
/* (handler) Opens the yellow zone if address lies in it; answers whether it did. */
int guard_open_yellow(guard *g, const void *address);

/* The signal handlers behind guard.h. */

/* The kick's number; 0 before guard_install. */
int fault_kick_signal(void);
/* Every signal that the ladder uses. */
void fault_signals(sigset_t *out);

/* The functions of the C library that a program of ours defines itself, so
 * that a guard knows what its thread holds, and keeps its signals (guard.h). Only linked
 * into programs: a library's definitions would not come first. */

/* Whether all of them are in force, for extension modules too. NULL where interpose.c is
 * not linked in. */
__attribute__((weak)) int interpose_is_complete(void);

#endif
