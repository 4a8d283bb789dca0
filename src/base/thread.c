#include "base/thread.h"

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const size_t SMALLEST_STACK = 1024 * 1024;

/* Raised by the thread's own instructions: blocked, they would end the process
 * without the host's handler. */
static const int synchronous[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

/* ThreadSanitizer keeps a megabyte of its own on each thread's stack. */
#ifdef __SANITIZE_THREAD__
enum { LEAST_STACK_BYTES = 4 << 20 };
#else
enum { LEAST_STACK_BYTES = 192 << 10 };
#endif

static size_t (*least)(const pthread_attr_t *);

/* A name of the C library's that is not for linking. Once: dlsym waits for who loads a library. */
static void find_least(void)
{
    *(void **)&least = dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
}

/* What the C library keeps on a thread's stack: the thread-locals of all that is loaded, of which a
 * program of somebody else's may have much (ThreadSanitizer's have a megabyte). */
static size_t own_bytes(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_attr_t attributes;

    pthread_once(&once, find_least);
    if (!least || pthread_attr_init(&attributes) != 0)
        return 0;
    size_t bytes = least(&attributes);
    pthread_attr_destroy(&attributes);
    return bytes;
}

/* What is wanted besides: a heap of malloc's for the thread, an interpreter. A stack that takes all
 * there is would be of no use, and those of later threads want room too. */
enum { ROOM_BYTES = 128 << 20, ROOM_FOR_OTHERS = 4 };

static int leaves_room(size_t stack_bytes)
{
    size_t others =
        stack_bytes > SIZE_MAX / ROOM_FOR_OTHERS ? SIZE_MAX : ROOM_FOR_OTHERS * stack_bytes;
    size_t bytes = others > ROOM_BYTES ? others : ROOM_BYTES;
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

static int no_stack(size_t bytes, size_t wanted)
{
    if (bytes == wanted)
        return error_system("cannot map a stack of %zu KiB", bytes >> 10);
    return error_system(
        "cannot map a stack of %zu MiB, the least of the %zu MiB that were asked for", bytes >> 20,
        wanted >> 20);
}

/* Maps t->stack and t->stack_bytes. */
static int map_stack(thread *t, size_t stack_bytes)
{
    if (stack_bytes < LEAST_STACK_BYTES)
        stack_bytes = LEAST_STACK_BYTES;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), own = own_bytes();
    for (size_t usable = stack_bytes;; usable /= 2) {
        size_t bytes = usable;
        if (bytes <= SIZE_MAX - own - page)
            bytes += own + page - 1;
        bytes &= ~(page - 1);
        void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        int can_be_less = usable / 2 >= SMALLEST_STACK;
        if (stack == MAP_FAILED && can_be_less)
            continue;
        if (stack == MAP_FAILED)
            return no_stack(usable, stack_bytes);
        if (can_be_less && !leaves_room(bytes)) {
            munmap(stack, bytes);
            continue;
        }
        if (mprotect(stack, page, PROT_NONE)) {
            int error = error_system("cannot protect the end of a stack");
            munmap(stack, bytes);
            return error;
        }
        /* With huge pages the first touch would commit 2 MiB. A kernel without them
         * answers EINVAL, which is as good. */
        madvise(stack, bytes, MADV_NOHUGEPAGE);
        t->stack = stack;
        t->stack_bytes = bytes;
        return SNUG_OK;
    }
}

/* Creates t->id on the mapped stack. Answers an errno. */
static int create_on_stack(thread *t, void *(*fn)(void *), void *arg)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;

    error = pthread_attr_setstack(&attributes, (char *)t->stack + page, t->stack_bytes - page);
    if (!error) {
        sigset_t blocked, before;
        sigfillset(&blocked);
        for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
            sigdelset(&blocked, synchronous[i]);
        /* The new thread inherits the mask, so no signal can reach it first. */
        pthread_sigmask(SIG_SETMASK, &blocked, &before);
        error = pthread_create(&t->id, &attributes, fn, arg);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }

    pthread_attr_destroy(&attributes);
    return error;
}

int thread_again(thread *t, const char *name, void *(*fn)(void *), void *arg)
{
    errno = create_on_stack(t, fn, arg);
    if (errno)
        return error_system("cannot start thread %s", name);
    /* For debuggers and top; a failure harms nothing. */
    pthread_setname_np(t->id, name);
    return SNUG_OK;
}

int thread_start(thread *t, const char *name, size_t stack_bytes, void *(*fn)(void *), void *arg)
{
    *t = (thread){ 0 };
    int error = map_stack(t, stack_bytes);
    if (error)
        return error;

    error = thread_again(t, name, fn, arg);
    if (error)
        thread_discard(t);
    return error;
}

void thread_rest(thread *t)
{
    pthread_join(t->id, NULL);
    char *low = thread_stack_low(t);
    madvise(low, t->stack_bytes - (size_t)(low - (char *)t->stack), MADV_DONTNEED);
}

void thread_discard(thread *t)
{
    munmap(t->stack, t->stack_bytes);
    *t = (thread){ 0 };
}

void thread_join(thread *t)
{
    pthread_join(t->id, NULL);
    thread_discard(t);
}

static struct timespec to_timespec(uint64_t ns)
{
    return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

void cond_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline_ns)
{
    struct timespec deadline = to_timespec(deadline_ns);
    if (deadline_ns == UINT64_MAX)
        pthread_cond_wait(condition, lock);
    else
        pthread_cond_timedwait(condition, lock, &deadline);
}

void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns)
{
    struct timespec deadline = to_timespec(deadline_ns);

    /* WAIT_BITSET, because FUTEX_WAIT takes a duration instead of a point in time. */
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value,
            deadline_ns == UINT64_MAX ? NULL : &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

char *thread_stack_low(const thread *t)
{
    return (char *)t->stack + sysconf(_SC_PAGESIZE);
}
