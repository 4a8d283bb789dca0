#include "base/forked.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"

/* Of the process, as what it says. On a page that the kernel wipes in a child, however it was
 * made (Linux 4.14); where there is none, a handler does it for what the C library forks. 0: nobody
 * has asked in this process; RENEWING: somebody does. */
static _Atomic uint64_t on_no_page;
static _Atomic uint64_t *_Atomic own = &on_no_page;
#define RENEWING UINT64_MAX

/* Copied to each child, so that it never counts to what one before it had. */
static _Atomic uint64_t processes;

enum { RENEWALS = 8 };
static void (*_Atomic renewals[RENEWALS])(void);

static void wipe_own(void)
{
    atomic_store(atomic_load(&own), 0);
}

static void watch_forks(void)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (page != MAP_FAILED && madvise(page, bytes, MADV_WIPEONFORK) == 0) {
        atomic_store(&own, page);
        return;
    }

    if (page != MAP_FAILED)
        munmap(page, bytes);
    pthread_atfork(NULL, NULL, wipe_own);
}

static void renew_all(void)
{
    for (size_t i = 0; i < RENEWALS; i++) {
        void (*fn)(void) = atomic_load(&renewals[i]);
        if (fn)
            fn();
    }
}

__attribute__((weak)) uint64_t forked_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, watch_forks);
    _Atomic uint64_t *mark = atomic_load(&own);
    for (;;) {
        uint64_t now = atomic_load(mark);
        if (now != 0 && now != RENEWING)
            return now;

        if (now == RENEWING) {
            sched_yield();
        } else if (atomic_compare_exchange_strong(mark, &now, RENEWING)) {
            renew_all();
            atomic_store(mark, atomic_fetch_add(&processes, 1) + 1);
        }
    }
}

__attribute__((weak)) int forked_is_process(uint64_t process)
{
    _Atomic uint64_t *mark = atomic_load_explicit(&own, memory_order_relaxed);
    return atomic_load_explicit(mark, memory_order_relaxed) == process;
}

int forked_refuse(const char *what)
{
    return error_set(SNUG_EINVAL,
                     "%s: this process was forked from the one that has opened the host, and has "
                     "none of its threads: open a host of form SNUG_FORM_WORKER here, or exec",
                     what);
}

__attribute__((weak)) void forked_renew(void (*fn)(void))
{
    for (size_t i = 0; i < RENEWALS; i++) {
        void (*there)(void) = NULL;
        if (atomic_compare_exchange_strong(&renewals[i], &there, fn) || there == fn)
            return;
    }

    assert(0 && "there is room for every renewal");
}
