#include "limits/guard.h"

#include "base/settled.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT   __attribute__((visibility("default")))
#define CALLER() __builtin_return_address(0)
#define FRAME()  __builtin_frame_address(0)

/* ---- the C library's own ---- */

/* On both 2.36 and 2.41 __pthread_mutex_lock and its like are there for old binaries, not for
 * linking. */

/* return type, name, parameters */
#define FUNCTIONS(X)                                                                               \
    X(int, pthread_mutex_lock, (pthread_mutex_t *))                                                \
    X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                             \
    X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                  \
    X(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))       \
    X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                              \
    X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                               \
    X(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *)) \
    X(int, pthread_cond_clockwait,                                                                 \
      (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))                   \
    X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                            \
    X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                         \
    X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))              \
    X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))   \
    X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                            \
    X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                         \
    X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))              \
    X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))   \
    X(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                            \
    X(void *, dlopen, (const char *, int))                                                         \
    X(void *, dlmopen, (Lmid_t, const char *, int))                                                \
    X(int, dlclose, (void *))                                                                      \
    X(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))                                   \
    X(int, sigprocmask, (int, const sigset_t *, sigset_t *))                                       \
    X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                         \
    X(int, sigaltstack, (const stack_t *, stack_t *))                                              \
    X(__sighandler_t, signal, (int, __sighandler_t))                                               \
    X(void, exit, (int))                                                                           \
    X(void, quick_exit, (int))                                                                     \
    X(void, _exit, (int))                                                                          \
    X(void, _Exit, (int))                                                                          \
    X(void, abort, (void))                                                                         \
    X(void, pthread_exit, (void *))                                                                \
    X(size_t, malloc_usable_size, (void *))

/* The exception to "no file-level state": written once, by the process's first thread. */
#define MEMBER(result, name, parameters) result(*name) parameters;
static SETTLED union {
    struct {
        FUNCTIONS(MEMBER)
        int is_complete;
        int is_whole; /* all were found: it is not written again */
    };
    char room[SETTLED_BYTES];
} libc;

/* It reads blocks of __libc_malloc (allocate.c). A preloaded allocator may define both names, or
 * this one alone, for blocks of its own. */
static void find_usable_size(void)
{
    Dl_info maker;
    void *library = NULL;

    if (dladdr(dlsym(RTLD_DEFAULT, "__libc_malloc"), &maker))
        library = libc.dlopen(maker.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (library)
        *(void **)&libc.malloc_usable_size = dlsym(library, "malloc_usable_size");
}

/* Runs before main, and before that if the constructor of a library locks something.
 * Nothing is looked up later: dlsym must not be called in a handler. */
__attribute__((constructor)) static void look_up(void)
{
    static const char *const names[] = {
#define NAME(result, name, parameters) #name,
        FUNCTIONS(NAME)
    };
    void *const ours[] = {
#define ADDRESS(result, name, parameters) (void *)(uintptr_t)name,
        FUNCTIONS(ADDRESS)
    };
    void **found = (void **)&libc;
    int is_whole = 1;
    if (libc.is_whole)
        return;

    libc.is_complete = dlsym(RTLD_DEFAULT, "malloc") == (void *)(uintptr_t)malloc;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found[i] = dlsym(RTLD_NEXT, names[i]);
        libc.is_complete &= found[i] && dlsym(RTLD_DEFAULT, names[i]) == ours[i];
        is_whole &= found[i] != NULL;
    }

    find_usable_size();
    libc.is_whole = is_whole;
    if (is_whole)
        settled_seal(&libc);
}

#define LIBC(name) (__builtin_expect(!libc.name, 0) ? (look_up(), libc.name) : libc.name)

int interpose_is_complete(void)
{
    return libc.is_complete;
}

/* ---- the allocator: the rest is in allocate.c ---- */

EXPORT size_t malloc_usable_size(void *block)
{
    return LIBC(malloc_usable_size)(block);
}

/* ---- locks ---- */

/* A guarded thread waits in pieces: the C library would not return from a wait for a
 * signal, and must not be left in the middle, where the lock may be taken already. */
static const long PIECE_NS = 20 * 1000 * 1000;

static struct timespec next_piece_end(void)
{
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += PIECE_NS;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }

    return end;
}

/* Counted before it is taken, so that there is no moment between. */
static void count_lock(guard *g)
{
    g->locks++;
}

/* A lock was given back, or not got. */
static void uncount_lock(guard *g, const void *caller, const void *frame)
{
    if (g->locks > 0)
        g->locks--;
    if (__builtin_expect(g->jump_wanted, 0))
        guard_settle(g, caller, frame);
}

/* Of an attempt; answers its error. EOWNERDEAD comes with the lock. */
static int keep_count(guard *g, int error, const void *caller, const void *frame)
{
    if (error && error != EOWNERDEAD)
        uncount_lock(g, caller, frame);
    return error;
}

/* Between two pieces of a wait, where the thread does not have the lock that it has
 * counted: a blocked call is left at the last stage only. */
static void leave_wait(guard *g, const void *caller, const void *frame)
{
    if (!g->jump_wanted || atomic_load(&g->stage) < GUARD_JUMP_LIBC)
        return;
    g->locks--;
    guard_settle(g, caller, frame);
    g->locks++;
}

/* EINVAL: a kind of lock that cannot wait by this clock (priority inheritance before
 * Linux 5.14). */
#define LOCK(name, try, clock, lock)                          \
    do {                                                      \
        guard *g = guard_here;                                \
        if (!g || guard_owns(g, lock))                        \
            return LIBC(name)(lock);                          \
        count_lock(g);                                        \
        int error = LIBC(try)(lock);                          \
        while (error == EBUSY || error == ETIMEDOUT) {        \
            struct timespec end = next_piece_end();           \
            error = LIBC(clock)(lock, CLOCK_MONOTONIC, &end); \
            if (error == ETIMEDOUT)                           \
                leave_wait(g, CALLER(), FRAME());             \
        }                                                     \
        if (error == EINVAL)                                  \
            error = LIBC(name)(lock);                         \
        return keep_count(g, error, CALLER(), FRAME());       \
    } while (0)

#define ATTEMPT(lock, call)                            \
    do {                                               \
        guard *g = guard_here;                         \
        if (!g || guard_owns(g, lock))                 \
            return call;                               \
        count_lock(g);                                 \
        return keep_count(g, call, CALLER(), FRAME()); \
    } while (0)

#define UNLOCK(name, lock)                       \
    do {                                         \
        guard *g = guard_here;                   \
        int error = LIBC(name)(lock);            \
        if (g && !error && !guard_owns(g, lock)) \
            uncount_lock(g, CALLER(), FRAME());  \
        return error;                            \
    } while (0)

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    LOCK(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_clocklock, mutex);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    ATTEMPT(mutex, LIBC(pthread_mutex_trylock)(mutex));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *end)
{
    ATTEMPT(mutex, LIBC(pthread_mutex_timedlock)(mutex, end));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                   const struct timespec *end)
{
    ATTEMPT(mutex, LIBC(pthread_mutex_clocklock)(mutex, clock, end));
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    UNLOCK(pthread_mutex_unlock, mutex);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_clockrdlock, lock);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    ATTEMPT(lock, LIBC(pthread_rwlock_tryrdlock)(lock));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *end)
{
    ATTEMPT(lock, LIBC(pthread_rwlock_timedrdlock)(lock, end));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                      const struct timespec *end)
{
    ATTEMPT(lock, LIBC(pthread_rwlock_clockrdlock)(lock, clock, end));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_clockwrlock, lock);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    ATTEMPT(lock, LIBC(pthread_rwlock_trywrlock)(lock));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *end)
{
    ATTEMPT(lock, LIBC(pthread_rwlock_timedwrlock)(lock, end));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                      const struct timespec *end)
{
    ATTEMPT(lock, LIBC(pthread_rwlock_clockwrlock)(lock, clock, end));
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    UNLOCK(pthread_rwlock_unlock, lock);
}

/* ---- conditions ---- */

/* The mutex stays counted while its condition is waited for: the C library's cleanup of
 * a wait that is left takes it again. When a wait has returned its caller's state is
 * whole, as for any other thread that gets the mutex, so there it may be left. The wake
 * that ended it is passed on. */
static void leave_condition(guard *g, int error, pthread_cond_t *condition, pthread_mutex_t *mutex,
                            const void *caller, const void *frame)
{
    if (!g->jump_wanted || g->locks != 1 || atomic_load(&g->stage) < GUARD_JUMP_LIBC)
        return;
    if (!error)
        pthread_cond_signal(condition);
    LIBC(pthread_mutex_unlock)(mutex);
    g->locks = 0;
    guard_settle(g, caller, frame);
    g->locks = 1;
    LIBC(pthread_mutex_lock)(mutex);
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    guard *g = guard_here;
    if (!g || !g->is_running)
        return LIBC(pthread_cond_wait)(condition, mutex);

    /* A wake without a cause is allowed at any time: now at the end of each piece. */
    struct timespec end = next_piece_end();
    int error = LIBC(pthread_cond_clockwait)(condition, mutex, CLOCK_MONOTONIC, &end);
    leave_condition(g, error, condition, mutex, CALLER(), FRAME());
    if (error == ETIMEDOUT)
        return 0;
    return error;
}

/* Not in pieces, because the clock of the condition is not known here. */
EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *end)
{
    guard *g = guard_here;
    int error = LIBC(pthread_cond_timedwait)(condition, mutex, end);
    if (g)
        leave_condition(g, error, condition, mutex, CALLER(), FRAME());
    return error;
}

static int is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  clockid_t clock, const struct timespec *end)
{
    guard *g = guard_here;
    if (!g || !g->is_running || clock != CLOCK_MONOTONIC)
        return LIBC(pthread_cond_clockwait)(condition, mutex, clock, end);

    struct timespec piece = next_piece_end();
    int is_last = !is_before(&piece, end);
    int error = LIBC(pthread_cond_clockwait)(condition, mutex, clock, is_last ? end : &piece);
    leave_condition(g, error, condition, mutex, CALLER(), FRAME());
    if (error == ETIMEDOUT && !is_last)
        return 0;
    return error;
}

/* ---- the loader ---- */

/* It holds its lock while constructors run, which are not its own code. Where nothing is
 * guarded, RUNPATHs stay the caller's, because this file is compiled with tail calls; within
 * a guard they are those of this file. dlsym is left alone: RTLD_NEXT is next after the
 * caller. */
static void leave_loader(guard *g, const void *caller, const void *frame)
{
    g->no_jump--;
    guard_settle(g, caller, frame);
}

EXPORT void *dlopen(const char *name, int flags)
{
    guard *g = guard_here;
    if (!g)
        return LIBC(dlopen)(name, flags);
    g->no_jump++;
    void *library = LIBC(dlopen)(name, flags);
    leave_loader(g, CALLER(), FRAME());
    return library;
}

EXPORT void *dlmopen(Lmid_t space, const char *name, int flags)
{
    guard *g = guard_here;
    if (!g)
        return LIBC(dlmopen)(space, name, flags);
    g->no_jump++;
    void *library = LIBC(dlmopen)(space, name, flags);
    leave_loader(g, CALLER(), FRAME());
    return library;
}

EXPORT int dlclose(void *library)
{
    guard *g = guard_here;
    if (!g)
        return LIBC(dlclose)(library);
    g->no_jump++;
    int error = LIBC(dlclose)(library);
    leave_loader(g, CALLER(), FRAME());
    return error;
}

/* ---- signals ---- */

/* What a session's code may not take from the ladder: its signals stay open and handled,
 * and the signal stack is ours. */

static int is_running_here(void)
{
    return guard_here && guard_here->is_running;
}

static int is_of_the_ladder(int number)
{
    sigset_t ours;
    fault_signals(&ours);
    return sigismember(&ours, number) == 1;
}

/* The set to use in place of wanted: a copy in *room without the ladder's signals, where they must
 * not be blocked. */
static const sigset_t *without_ours(sigset_t *room, int how, const sigset_t *wanted)
{
    sigset_t ours;

    if (!wanted || how == SIG_UNBLOCK || !is_running_here())
        return wanted;

    fault_signals(&ours);
    *room = *wanted;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&ours, number) == 1)
            sigdelset(room, number);

    return room;
}

static int not_permitted(void)
{
    errno = EPERM;
    return -1;
}

EXPORT int pthread_sigmask(int how, const sigset_t *wanted, sigset_t *before)
{
    sigset_t room;
    return LIBC(pthread_sigmask)(how, without_ours(&room, how, wanted), before);
}

EXPORT int sigprocmask(int how, const sigset_t *wanted, sigset_t *before)
{
    sigset_t room;
    return LIBC(sigprocmask)(how, without_ours(&room, how, wanted), before);
}

EXPORT int sigaction(int number, const struct sigaction *wanted, struct sigaction *before)
{
    if (wanted && is_running_here() && is_of_the_ladder(number))
        return not_permitted();
    return LIBC(sigaction)(number, wanted, before);
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    if (is_running_here() && is_of_the_ladder(number)) {
        not_permitted();
        return SIG_ERR;
    }
    return LIBC(signal)(number, handler);
}

EXPORT int sigaltstack(const stack_t *wanted, stack_t *before)
{
    if (wanted && is_running_here())
        return not_permitted();
    return LIBC(sigaltstack)(wanted, before);
}

/* ---- the end of the process ---- */

static void leave_process(int status)
{
    guard *g = guard_here;
    if (g && g->is_running && !guard_forgoes_jumps())
        guard_leave(g, GUARD_EXIT, status & 0xff);
}

#define END(call)                \
    do {                         \
        LIBC call;               \
        __builtin_unreachable(); \
    } while (0)

EXPORT void exit(int status)
{
    leave_process(status);
    END((exit)(status));
}

EXPORT void quick_exit(int status)
{
    leave_process(status);
    END((quick_exit)(status));
}

EXPORT void _exit(int status)
{
    leave_process(status);
    END((_exit)(status));
}

EXPORT void _Exit(int status)
{
    leave_process(status);
    END((_Exit)(status));
}

EXPORT void abort(void)
{
    leave_process(128 + SIGABRT);
    END((abort)());
}

/* It would end a session's thread only, but without an answer. */
EXPORT void pthread_exit(void *value)
{
    leave_process(0);
    END((pthread_exit)(value));
}
