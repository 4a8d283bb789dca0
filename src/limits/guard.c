/* The checking siglongjmp of _FORTIFY_SOURCE would ask the kernel for the signal stack at each
 * jump, and ends the process where it is not told of one. */
#undef _FORTIFY_SOURCE

#include "limits/guard.h"

#include <snug/snug.h>

#include "base/error.h"
#include "limits/text.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local guard *guard_here __attribute__((tls_model("initial-exec")));

static const size_t SMALLEST_STACK_WITH_ZONE = 1024 * 1024;

/* ---- attaching ---- */

/* The signal stack, with a guard page below. */
static int map_signal_stack(guard *g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *stack = mmap(NULL, page + GUARD_SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return error_system("cannot map a signal stack");

    stack_t description = { .ss_sp = (char *)stack + page, .ss_size = GUARD_SIGNAL_STACK_BYTES };
    if (mprotect(stack, page, PROT_NONE) || sigaltstack(&description, &g->stack_before)) {
        int error = error_system("cannot set up a signal stack");
        munmap(stack, page + GUARD_SIGNAL_STACK_BYTES);
        return error;
    }

    g->signal_stack = stack;
    return SNUG_OK;
}

/* The thread gets back what it had: a sanitizer in the host program gives each of its threads one,
 * and takes it back at the thread's end. */
static void unmap_signal_stack(guard *g)
{
    if (sigaltstack(&g->stack_before, NULL)) {
        /* A filter of the program's own denies it. With these blocked the kernel writes no frame
         * there either: a fault ends the process without asking. */
        sigset_t used;
        fault_signals(&used);
        pthread_sigmask(SIG_BLOCK, &used, NULL);
    }

    munmap(g->signal_stack, (size_t)sysconf(_SC_PAGESIZE) + GUARD_SIGNAL_STACK_BYTES);
    g->signal_stack = NULL;
}

static int close_yellow(guard *g)
{
    g->yellow_is_open = 0;
    return mprotect(g->stack_low, GUARD_YELLOW_BYTES, PROT_NONE);
}

static void block_kick(int how)
{
    sigset_t kick;
    sigemptyset(&kick);
    sigaddset(&kick, fault_kick_signal());
    pthread_sigmask(how, &kick, NULL);
}

int guard_attach(guard *g, char *stack_low, size_t stack_bytes)
{
    assert(!guard_here && fault_kick_signal());
    int error = map_signal_stack(g);
    if (error)
        return error;

    g->tid = (pid_t)syscall(SYS_gettid);
    g->stack_low = stack_low;
    g->stack_high = stack_low + stack_bytes;
    if (stack_bytes >= SMALLEST_STACK_WITH_ZONE && !guard_forgoes_jumps()) {
        if (close_yellow(g)) {
            error = error_system("cannot protect the end of a stack");
            unmap_signal_stack(g);
            return error;
        }
        g->yellow_high = stack_low + GUARD_YELLOW_BYTES;
    }

    guard_here = g;
    block_kick(SIG_UNBLOCK);
    return SNUG_OK;
}

void guard_detach(guard *g)
{
    assert(guard_here == g && !g->is_running);
    block_kick(SIG_BLOCK);
    guard_here = NULL;
    unmap_signal_stack(g);
    if (g->yellow_high)
        mprotect(g->stack_low, GUARD_YELLOW_BYTES, PROT_READ | PROT_WRITE);
}

/* ---- a thread of somebody else's ---- */

/* What it had, and how many guards it has. By a key, for thread-locals of a library have little
 * room. */
typedef struct joining {
    unsigned guards;
    int has_stack;   /* ours */
    char *stack_low; /* of the thread */
    guard stack;
    sigset_t mask;
} joining;

static struct {
    pthread_once_t once;
    pthread_key_t key;
    int has_key;
} joined = { .once = PTHREAD_ONCE_INIT };

static void make_key(void)
{
    joined.has_key = pthread_key_create(&joined.key, free) == 0;
}

/* The lowest byte of the calling thread's stack; that of the first thread may still grow to it. The
 * C library reads /proc for the first one. */
static char *find_stack_low(void)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t bytes;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return NULL;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    return low;
}

/* The calling thread's, which it has until it ends; NULL: there is no memory. */
static joining *join(void)
{
    pthread_once(&joined.once, make_key);
    if (!joined.has_key)
        return NULL;
    joining *j = pthread_getspecific(joined.key);
    if (j || !(j = calloc(1, sizeof *j)))
        return j;

    j->stack_low = find_stack_low();
    if (pthread_setspecific(joined.key, j) == 0)
        return j;
    free(j);
    return NULL;
}

static int needs_stack(void)
{
    stack_t now;
    return sigaltstack(NULL, &now) != 0 || (now.ss_flags & SS_DISABLE) ||
           now.ss_size < GUARD_SIGNAL_STACK_BYTES;
}

int guard_join_thread(guard *g)
{
    g->tid = (pid_t)syscall(SYS_gettid);
    if (!fault_kick_signal())
        return SNUG_OK;
    joining *j = join();
    if (!j)
        return error_no_memory();

    g->stack_low = j->stack_low;
    if (j->guards > 0) {
        j->guards++;
        return SNUG_OK;
    }

    j->has_stack = needs_stack();
    int error = j->has_stack ? map_signal_stack(&j->stack) : SNUG_OK;
    if (error)
        return error;
    j->guards = 1;
    pthread_sigmask(SIG_BLOCK, NULL, &j->mask);
    block_kick(SIG_UNBLOCK);
    return SNUG_OK;
}

void guard_leave_thread(void)
{
    joining *j = joined.has_key ? pthread_getspecific(joined.key) : NULL;
    if (!j || j->guards == 0 || --j->guards > 0)
        return;
    pthread_sigmask(SIG_SETMASK, &j->mask, NULL);
    if (j->has_stack)
        unmap_signal_stack(&j->stack);
}

void guard_enter(guard *g)
{
    assert(!guard_here);
    guard_here = g->tid && fault_kick_signal() ? g : NULL;
    atomic_store(&g->is_kicked, 0); /* one that came since guard_exit found no guard */
}

void guard_exit(void)
{
    guard_here = NULL;
}

/* A sanitizer in the process, the host program's or our own, must see a thread end: its
 * pthread_join waits for that. */
extern char __asan_init[] __attribute__((weak)), __tsan_init[] __attribute__((weak));

void guard_vanish(guard *g)
{
    guard_detach(g);
    if (!__asan_init && !__tsan_init)
        /* The kernel clears the word that pthread_join waits for, as at any thread's end. */
        syscall(SYS_exit, 0);
    pthread_exit(NULL);
}

/* ---- running ---- */

guard_end guard_run(guard *g, void (*fn)(void *arg), void *arg)
{
    assert(guard_here == g && !g->is_running);
    g->end = GUARD_RETURNED;
    g->jump_wanted = 0;
    g->was_holding = 0;

    /* Without the signal mask, which would cost a system call for each run. */
    if (sigsetjmp(g->out, 0) == 0) {
        g->is_running = 1;
        fn(arg);
        g->is_running = 0;
    } else {
        /* A handler was left with its signals blocked. */
        sigset_t used;
        fault_signals(&used);
        pthread_sigmask(SIG_UNBLOCK, &used, NULL);
        g->in_malloc = g->locks = g->no_jump = 0;
    }

    g->jump_wanted = 0;
    if (g->yellow_is_open)
        close_yellow(g);
    return g->end;
}

void guard_kick(guard *g)
{
    if (atomic_exchange(&g->is_kicked, 1))
        return;
    atomic_fetch_add(&g->sent, 1);
    if (syscall(SYS_tgkill, getpid(), g->tid, fault_kick_signal()) != 0)
        atomic_store(&g->is_kicked, 0); /* the next one is tried again */
}

int guard_has_heard(const guard *g)
{
    return atomic_load(&g->heard_of) == atomic_load(&g->sent);
}

/* The exception to "no file-level state": what a fault does is one thing for the process. Written
 * before there is a second thread. */
static int forgoes_jumps;

void guard_forgo_jumps(void)
{
    forgoes_jumps = 1;
}

int guard_forgoes_jumps(void)
{
    return forgoes_jumps;
}

int guard_is_interposed(void)
{
    return interpose_is_complete && interpose_is_complete();
}

int guard_is_full(void)
{
    return !forgoes_jumps && guard_is_interposed();
}

/* ---- the session's own ---- */

int guard_own_lock(own_locks *own, const void *lock, int count)
{
    size_t first = ((uintptr_t)lock >> 4) % OWN_LOCKS;

    atomic_fetch_add(&own->count, 1);
    for (size_t i = 0; i < OWN_LOCKS_TRIED; i++) {
        const void *none = NULL;
        if (!atomic_compare_exchange_strong(&own->at[(first + i) % OWN_LOCKS], &none, lock))
            continue;
        if (guard_here)
            guard_here->locks -= count;
        return 1;
    }

    atomic_fetch_sub(&own->count, 1);
    return 0;
}

void guard_disown_lock(own_locks *own, const void *lock, int count)
{
    for (size_t i = 0; i < OWN_LOCKS; i++) {
        const void *found = lock;
        if (!atomic_compare_exchange_strong(&own->at[i], &found, NULL))
            continue;
        atomic_fetch_sub(&own->count, 1);
        if (guard_here)
            guard_here->locks += count;
        return;
    }
}

/* ---- leaving ---- */

static int holds_something(const guard *g)
{
    return g->in_malloc || g->locks || g->no_jump;
}

static __attribute__((noreturn)) void jump_out(guard *g, guard_end end, int number, int was_holding)
{
    g->end = end;
    g->number = number;
    g->was_holding = was_holding;
    g->is_running = 0;
    siglongjmp(g->out, 1);
}

/* Async-signal-safe although siglongjmp is not on POSIX's list: what it interrupts is
 * given up and never entered again by this thread, and it is not reached while the
 * thread holds what others wait for. It runs the cleanup handlers that the C library
 * pushed inside fn, which is how an interrupted sem_wait stops being counted. */
void guard_leave(guard *g, guard_end end, int number)
{
    jump_out(g, end, number, holds_something(g));
}

/* The C library's own locks have no counter, so its code is not torn before the last stage. */
static int may_tear(guard *g, uintptr_t pc)
{
    return !text_is_libc(pc) || atomic_load(&g->stage) >= GUARD_JUMP_LIBC;
}

/* The last resort: what it holds stays taken for ever, and who waits for that later is torn out in
 * the same way. Had it let go of its mutexes since an earlier kick, it would have jumped then. */
static void tear_all(guard *g, int is_busy)
{
    int stage = atomic_load(&g->stage);
    if (stage < GUARD_JUMP_LOCKS || !g->jump_wanted || !g->keeps_others || !g->keeps_others(g))
        return;
    if (stage >= GUARD_JUMP_ALL || !(is_busy || g->in_malloc || g->no_jump))
        jump_out(g, GUARD_JUMPED, 0, 1);
}

/* Async-signal-safe: reads and writes this thread's guard; is_busy and keeps_others promise the
 * same. */
void guard_tear(guard *g, uintptr_t pc, const uintptr_t *sp)
{
    int is_busy = g->is_busy && g->is_busy(g, pc, sp);

    if (is_busy || holds_something(g))
        tear_all(g, is_busy);
    if (is_busy && atomic_load(&g->stage) >= GUARD_JUMP_LOCKS)
        g->jump_wanted = 1;
    if (is_busy)
        return;

    if (holds_something(g))
        g->jump_wanted = 1;
    else if (may_tear(g, pc))
        guard_leave(g, GUARD_JUMPED, 0);
}

void guard_settle(guard *g, const void *caller, const void *frame)
{
    if (!g->jump_wanted || !g->is_running || holds_something(g))
        return;
    if (atomic_load(&g->stage) < GUARD_JUMP)
        g->jump_wanted = 0; /* it ended otherwise, and its owner has calmed down */
    else if (may_tear(g, (uintptr_t)caller) &&
             !(g->is_busy && g->is_busy(g, (uintptr_t)caller, frame)))
        guard_leave(g, GUARD_JUMPED, 0);
}

/* Async-signal-safe: mprotect is one system call, on_yellow promises the same. */
int guard_open_yellow(guard *g, const void *address)
{
    const char *byte = address;

    if (!g->yellow_high || g->yellow_is_open)
        return 0;
    if (byte < g->stack_low || byte >= g->yellow_high)
        return 0;
    if (mprotect(g->stack_low, GUARD_YELLOW_BYTES, PROT_READ | PROT_WRITE) != 0)
        return 0;

    g->yellow_is_open = 1;
    if (g->on_yellow)
        g->on_yellow(g, (uintptr_t)address);
    return 1;
}
