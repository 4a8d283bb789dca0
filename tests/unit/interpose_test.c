#include "worker.h"

#include "limits/guard.h"
#include "limits/text.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_one(worker *w)
{
    atomic_fetch_add(&w->count, 1);
}

static void *symbol(const char *name)
{
    void *library = dlopen(PROBE, RTLD_NOW);
    assert_non_null(library);
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

static void everything_is_interposed(void **state)
{
    assert_true(guard_is_full());
}

/* ---- allocator ---- */

/* Not known to the compiler, which would leave out what has no effect. */
static volatile size_t SMALL = 100;
static void *volatile nothing;
/* One of these at a time: free(NULL) does not enter the allocator. */
enum { SPARES = 20000 };
static void *spares[SPARES];
static size_t spare_count;

static void take_spares(void)
{
    while (spare_count < SPARES)
        assert_non_null(spares[spare_count++] = malloc(SMALL));
}

static void free_one(void)
{
    free(spare_count ? spares[--spare_count] : NULL);
}

static void ask_at_the_end_of_the_stack(worker *w)
{
    void *(*malloc_of_a_library)(size_t) = (void *(*)(size_t))(uintptr_t)w->data;
    void *volatile before = malloc(SMALL);
    void *out = before;
    char *low = w->g.stack_low;
    w->g.stack_low = (char *)__builtin_frame_address(0) - 8192;
    errno = 0;
    void *volatile refused[] = {
        malloc(SMALL),
        calloc(1, SMALL),
        realloc(before, 2 * SMALL),
        memalign(64, SMALL),
        valloc(SMALL),
        pvalloc(SMALL),
        aligned_alloc(64, SMALL),
        strdup("text"),
        malloc_of_a_library(SMALL),
        reallocarray(NULL, 2, SMALL),
    };
    int error = errno, aligned = posix_memalign(&out, 64, SMALL);
    w->g.stack_low = low;
    free(before);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_null(refused[i]);
    assert_int_equal(error, ENOMEM);
    assert_int_equal(aligned, ENOMEM);
    assert_ptr_equal(out, before);
    free(malloc(SMALL));
    add_one(w);
}

static void a_thread_at_the_end_of_its_stack_gets_no_memory(void **state)
{
    worker w = { .data = symbol("probe_malloc") };
    install_guards();
    worker_start(&w, ask_at_the_end_of_the_stack);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.count, 1);
    assert_int_equal(w.g.in_malloc, 0);
}

static void memory_comes_as_it_was_asked_for(void **state)
{
    void *block = NULL;
    assert_int_equal(posix_memalign(&block, 3, 100), EINVAL);
    assert_int_equal(posix_memalign(&block, 24, 100), EINVAL);
    assert_int_equal(posix_memalign(&block, 0, 100), EINVAL);
    assert_null(block);
    assert_int_equal(posix_memalign(&block, 4096, 100), 0);
    assert_int_equal((uintptr_t)block % 4096, 0);
    free(block);
    block = aligned_alloc(256, SMALL);
    assert_int_equal((uintptr_t)block % 256, 0);
    free(block);
    char *zeros = calloc(SMALL, 10);
    for (size_t i = 0; i < 10 * SMALL; i++)
        assert_int_equal(zeros[i], 0);
    assert_true(malloc_usable_size(zeros) >= 10 * SMALL);
    zeros = realloc(zeros, 100 * SMALL);
    assert_non_null(zeros);
    free(zeros);
    free(nothing);
    assert_null(malloc(PTRDIFF_MAX + SMALL));
}

static void allocate_for_ever(worker *w)
{
    enum { BLOCKS = 64 };
    static _Thread_local void *blocks[BLOCKS];
    atomic_store(&w->is_inside, 1);
    for (size_t i = 0;; i++) {
        size_t bytes = i * 7919 % 5000;
        if (i % 3 == 0)
            blocks[i % BLOCKS] = realloc(blocks[i % BLOCKS], bytes + 1);
        else {
            free(blocks[i % BLOCKS]);
            blocks[i % BLOCKS] = malloc(bytes);
        }
    }
}

/* Torn inside malloc, a thread would leave its arena locked, which the next ones get. */
static void a_thread_is_not_torn_out_of_the_allocator(void **state)
{
    install_guards();
    for (int i = 0; i < 100; i++) {
        worker w = { 0 };
        assert_int_equal(worker_stop(&w, allocate_for_ever, GUARD_JUMP), GUARD_JUMPED);
        assert_false(w.g.was_holding);
    }
}

static void be_kicked_in_malloc(worker *w)
{
    w->g.in_malloc++; /* as if the kick had come inside */
    kick_myself(GUARD_JUMP);
    w->g.in_malloc--;
    add_one(w);
    free_one();
    add_one(w);
}

static void a_jump_comes_when_the_allocator_is_left(void **state)
{
    worker w = { 0 };
    install_guards();
    take_spares();
    worker_start(&w, be_kicked_in_malloc);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 1);
}

/* closedir is in the C library, so the thread must not be torn out of the free in it. */
static void be_kicked_in_a_call_of_the_c_library(worker *w)
{
    DIR *directory = opendir("/");
    w->g.in_malloc++;
    kick_myself(GUARD_JUMP);
    w->g.in_malloc--;
    closedir(directory);
    add_one(w);
    free_one();
    add_one(w);
}

static void the_c_library_is_not_left_from_within_free(void **state)
{
    worker w = { 0 };
    install_guards();
    take_spares();
    worker_start(&w, be_kicked_in_a_call_of_the_c_library);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 1);
}

static void dive(worker *w, int frees)
{
    volatile char frame[1000];
    frame[0] = 1;
    if (frees) {
        free_one();
    } else {
        void *block = malloc(SMALL);
        if (!block)
            return;
        free(block);
    }
    dive(w, frees);
    atomic_fetch_add(&w->count, frame[0]);
}

static void dive_allocating(worker *w)
{
    dive(w, 0);
}

static void dive_freeing(worker *w)
{
    dive(w, 1);
}

static void malloc_is_refused_before_the_stack_ends(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, dive_allocating);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_true(w.count > 1000);
}

static void free_is_not_entered_where_the_stack_ends(void **state)
{
    worker w = { 0 };
    install_guards();
    take_spares();
    worker_start(&w, dive_freeing);
    assert_int_equal(worker_join(&w), GUARD_FAULT);
    assert_int_equal(w.g.number, SIGSEGV);
    assert_false(w.g.was_holding);
    /* The red zone's middle, not the end of the stack. */
    assert_in_range((uintptr_t)w.g.fault_address, (uintptr_t)w.g.stack_low + 16 * 1024,
                    (uintptr_t)w.g.stack_low + GUARD_RED_BYTES);
}

/* ---- locks ---- */

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static pthread_cond_t condition;

static void make_locks(void)
{
    install_guards();
    pthread_mutex_init(&mutex, NULL);
    pthread_rwlock_init(&rwlock, NULL);
    pthread_cond_init(&condition, NULL);
}

static struct timespec far_away(clockid_t clock)
{
    struct timespec end;
    clock_gettime(clock, &end);
    end.tv_sec += 3600;
    return end;
}

static int lock_plainly(void)
{
    return pthread_mutex_lock(&mutex);
}
static int lock_by_trying(void)
{
    return pthread_mutex_trylock(&mutex);
}
static int lock_in_time(void)
{
    struct timespec end = far_away(CLOCK_REALTIME);
    return pthread_mutex_timedlock(&mutex, &end);
}
static int lock_by_a_clock(void)
{
    struct timespec end = far_away(CLOCK_MONOTONIC);
    return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &end);
}
static int unlock_mutex(void)
{
    return pthread_mutex_unlock(&mutex);
}
static int read_plainly(void)
{
    return pthread_rwlock_rdlock(&rwlock);
}
static int read_by_trying(void)
{
    return pthread_rwlock_tryrdlock(&rwlock);
}
static int read_in_time(void)
{
    struct timespec end = far_away(CLOCK_REALTIME);
    return pthread_rwlock_timedrdlock(&rwlock, &end);
}
static int read_by_a_clock(void)
{
    struct timespec end = far_away(CLOCK_MONOTONIC);
    return pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &end);
}
static int write_plainly(void)
{
    return pthread_rwlock_wrlock(&rwlock);
}
static int write_by_trying(void)
{
    return pthread_rwlock_trywrlock(&rwlock);
}
static int write_in_time(void)
{
    struct timespec end = far_away(CLOCK_REALTIME);
    return pthread_rwlock_timedwrlock(&rwlock, &end);
}
static int write_by_a_clock(void)
{
    struct timespec end = far_away(CLOCK_MONOTONIC);
    return pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &end);
}
static int unlock_rwlock(void)
{
    return pthread_rwlock_unlock(&rwlock);
}

static const struct {
    int (*take)(void), (*give)(void);
} ways[] = {
    { lock_plainly, unlock_mutex },   { lock_by_trying, unlock_mutex },
    { lock_in_time, unlock_mutex },   { lock_by_a_clock, unlock_mutex },
    { read_plainly, unlock_rwlock },  { read_by_trying, unlock_rwlock },
    { read_in_time, unlock_rwlock },  { read_by_a_clock, unlock_rwlock },
    { write_plainly, unlock_rwlock }, { write_by_trying, unlock_rwlock },
    { write_in_time, unlock_rwlock }, { write_by_a_clock, unlock_rwlock },
};
enum { WAYS = sizeof ways / sizeof *ways };

static void be_kicked_with_a_lock(worker *w)
{
    size_t way = *(size_t *)w->data;
    assert_int_equal(ways[way].take(), 0);
    assert_int_equal(w->g.locks, 1);
    kick_myself(GUARD_JUMP_LIBC);
    add_one(w);
    ways[way].give();
    add_one(w);
}

static void be_kicked_with_a_lock_of_its_own(worker *w)
{
    static own_locks own;
    size_t way = *(size_t *)w->data;
    const void *lock = ways[way].give == unlock_mutex ? (const void *)&mutex : &rwlock;
    ways[way].take();
    assert_true(guard_own_lock(w->g.own = &own, lock, 1));
    assert_int_equal(w->g.locks, 0);
    ways[way].give();
    assert_int_equal(w->g.locks, 0);
    ways[way].take();
    guard_disown_lock(&own, lock, 1);
    assert_int_equal(w->g.locks, 1);
    assert_true(guard_own_lock(&own, lock, 1));
    add_one(w);
    kick_myself(GUARD_JUMP_LIBC);
    add_one(w);
}

static void a_jump_does_not_wait_for_a_lock_of_its_own(void **state)
{
    for (size_t way = 0; way < WAYS; way++) {
        make_locks();
        worker w = { .data = &way };
        worker_start(&w, be_kicked_with_a_lock_of_its_own);
        assert_int_equal(worker_join(&w), GUARD_JUMPED);
        assert_int_equal(w.count, 1);
        assert_false(w.g.was_holding);
    }
}

static void a_jump_waits_until_the_lock_is_given_back(void **state)
{
    make_locks();
    for (size_t way = 0; way < WAYS; way++) {
        worker w = { .data = &way };
        worker_start(&w, be_kicked_with_a_lock);
        assert_int_equal(worker_join(&w), GUARD_JUMPED);
        assert_int_equal(w.count, 1);
        assert_int_equal(pthread_mutex_trylock(&mutex), 0);
        pthread_mutex_unlock(&mutex);
        assert_int_equal(pthread_rwlock_trywrlock(&rwlock), 0);
        pthread_rwlock_unlock(&rwlock);
    }
}

static void lock_from_a_library(worker *w)
{
    int (*lock)(pthread_mutex_t *) = (int (*)(pthread_mutex_t *))(uintptr_t)w->data;
    assert_int_equal(lock(&mutex), 0);
    assert_int_equal(w->g.locks, 1);
    pthread_mutex_unlock(&mutex);
}

static void a_librarys_locks_count_too(void **state)
{
    worker w = { .data = symbol("probe_lock") };
    make_locks();
    worker_start(&w, lock_from_a_library);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
}

static void fail_to_lock(worker *w)
{
    struct timespec past = { 1, 0 };
    assert_int_equal(pthread_mutex_trylock(&mutex), EBUSY);
    assert_int_equal(pthread_mutex_timedlock(&mutex, &past), ETIMEDOUT);
    assert_int_equal(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    assert_int_equal(pthread_rwlock_tryrdlock(&rwlock), EBUSY);
    assert_int_equal(pthread_rwlock_trywrlock(&rwlock), EBUSY);
    assert_int_equal(pthread_rwlock_timedrdlock(&rwlock, &past), ETIMEDOUT);
    assert_int_equal(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    assert_int_equal(w->g.locks, 0);
}

static void a_lock_that_was_not_got_does_not_count(void **state)
{
    worker w = { 0 };
    make_locks();
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    worker_start(&w, fail_to_lock);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&rwlock);
}

static void use_special_mutexes(worker *w)
{
    static const int kinds[] = { PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                                 PTHREAD_MUTEX_ADAPTIVE_NP };
    for (size_t i = 0; i < 4; i++) {
        pthread_mutexattr_t attributes;
        pthread_mutex_t special;
        pthread_mutexattr_init(&attributes);
        if (i < 3)
            pthread_mutexattr_settype(&attributes, kinds[i]);
        else
            pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
        assert_int_equal(pthread_mutex_init(&special, &attributes), 0);
        assert_int_equal(pthread_mutex_lock(&special), 0);
        if (i == 0)
            assert_int_equal(pthread_mutex_lock(&special), 0);
        if (i == 1)
            assert_int_equal(pthread_mutex_lock(&special), EDEADLK);
        assert_int_equal(w->g.locks, i == 0 ? 2 : 1);
        if (i == 0)
            assert_int_equal(pthread_mutex_unlock(&special), 0);
        assert_int_equal(pthread_mutex_unlock(&special), 0);
        if (i == 1) {
            pthread_mutex_lock(&mutex);
            assert_int_equal(pthread_mutex_unlock(&special), EPERM);
            assert_int_equal(w->g.locks, 1);
            pthread_mutex_unlock(&mutex);
        }
        assert_int_equal(w->g.locks, 0);
        pthread_mutex_destroy(&special);
    }
}

static void mutexes_of_every_kind_work_as_before(void **state)
{
    worker w = { 0 };
    make_locks();
    worker_start(&w, use_special_mutexes);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
}

static void wait_for_mutex(worker *w)
{
    atomic_store(&w->is_inside, 1);
    pthread_mutex_lock(&mutex);
    add_one(w);
}

static void wait_to_read(worker *w)
{
    atomic_store(&w->is_inside, 1);
    pthread_rwlock_rdlock(&rwlock);
    add_one(w);
}

static void wait_to_write(worker *w)
{
    atomic_store(&w->is_inside, 1);
    pthread_rwlock_wrlock(&rwlock);
    add_one(w);
}

static void wait_for_condition(worker *w)
{
    pthread_mutex_lock(&mutex);
    atomic_store(&w->is_inside, 1);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
}

static void wait_for_condition_by_a_clock(worker *w)
{
    struct timespec end = far_away(CLOCK_MONOTONIC);
    pthread_mutex_lock(&mutex);
    atomic_store(&w->is_inside, 1);
    for (;;) /* the end is far away, and a wake without a cause no error */
        assert_int_equal(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end), 0);
}

/* As the one that waits for 3.11's GIL does. */
static void wait_for_condition_again_and_again(worker *w)
{
    pthread_mutex_lock(&mutex);
    atomic_store(&w->is_inside, 1);
    for (;;) {
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec = (end.tv_nsec + 5000000) % 1000000000;
        end.tv_sec += end.tv_nsec < 5000000;
        pthread_cond_timedwait(&condition, &mutex, &end);
    }
}

static void a_wait_for_a_lock_is_left_at_the_last_stage(void **state)
{
    static void (*const waits[])(worker *) = { wait_for_mutex, wait_to_read, wait_to_write };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        worker w = { 0 };
        make_locks();
        pthread_mutex_lock(&mutex);
        pthread_rwlock_wrlock(&rwlock);
        assert_int_equal(worker_stop(&w, waits[i], GUARD_JUMP_LIBC), GUARD_JUMPED);
        assert_int_equal(w.count, 0);
        assert_false(w.g.was_holding);
        pthread_mutex_unlock(&mutex);
        pthread_rwlock_unlock(&rwlock);
        assert_int_equal(pthread_mutex_trylock(&mutex), 0);
        assert_int_equal(pthread_rwlock_trywrlock(&rwlock), 0);
    }
}

static void a_wait_for_a_condition_gives_the_mutex_back_when_it_is_left(void **state)
{
    static void (*const waits[])(worker *) = { wait_for_condition, wait_for_condition_by_a_clock,
                                               wait_for_condition_again_and_again };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        worker w = { 0 };
        make_locks();
        assert_int_equal(worker_stop(&w, waits[i], GUARD_JUMP_LIBC), GUARD_JUMPED);
        assert_false(w.g.was_holding);
        assert_int_equal(pthread_mutex_trylock(&mutex), 0);
        pthread_mutex_unlock(&mutex);
        assert_int_equal(pthread_cond_destroy(&condition), 0); /* it would wait for waiters */
    }
}

static void wait_until_the_end(worker *w)
{
    struct timespec end;
    int error;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += 100 * 1000 * 1000; /* longer than a piece */
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    do
        error = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end);
    while (!error);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_int_equal(error, ETIMEDOUT);
    assert_true(now.tv_sec > end.tv_sec ||
                (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec));
    pthread_mutex_unlock(&mutex);
    add_one(w);
}

static void a_wait_with_an_end_ends_there(void **state)
{
    worker w = { 0 };
    make_locks();
    worker_start(&w, wait_until_the_end);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.count, 1);
}

/* Others get on while one waits, and a wake reaches it. */
static void hand_over(worker *w)
{
    _Atomic int *turn_of = w->data;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 200; i++) {
        while (atomic_load(turn_of) != 1)
            pthread_cond_wait(&condition, &mutex);
        atomic_store(turn_of, 0);
        pthread_cond_broadcast(&condition);
    }
    assert_int_equal(w->g.locks, 1);
    pthread_mutex_unlock(&mutex);
}

static void conditions_still_hand_over(void **state)
{
    _Atomic int turn_of = 0;
    worker w = { .data = &turn_of };
    make_locks();
    worker_start(&w, hand_over);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 200; i++) {
        while (atomic_load(&turn_of) != 0)
            pthread_cond_wait(&condition, &mutex);
        atomic_store(&turn_of, 1);
        pthread_cond_broadcast(&condition);
    }
    pthread_mutex_unlock(&mutex);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
}

/* What is taken inside a run may be given back after it, by the next one. */
static void take_or_give(void *arg)
{
    worker *w = arg;
    if (w->g.locks == 0)
        pthread_mutex_lock(&mutex);
    else
        pthread_mutex_unlock(&mutex);
}

static void *run_take_and_give(void *arg)
{
    worker *w = arg;
    assert_int_equal(guard_attach(&w->g, (char *)w->t.stack + 4096, w->t.stack_bytes - 4096),
                     SNUG_OK);
    guard_run(&w->g, take_or_give, w);
    assert_int_equal(w->g.locks, 1);
    guard_run(&w->g, take_or_give, w);
    assert_int_equal(w->g.locks, 0);
    pthread_mutex_lock(&mutex); /* outside of a run */
    assert_int_equal(w->g.locks, 1);
    pthread_mutex_unlock(&mutex);
    guard_detach(&w->g);
    return NULL;
}

static void a_lock_is_counted_from_one_run_to_the_next(void **state)
{
    worker w = { 0 };
    make_locks();
    assert_int_equal(thread_start(&w.t, "worker", WORKER_STACK_BYTES, run_take_and_give, &w),
                     SNUG_OK);
    thread_join(&w.t);
}

/* ---- the loader ---- */

/* Called by the constructor of the library, while the loader's lock is held. */
__attribute__((visibility("default"))) void interpose_test_constructed(void);
void interpose_test_constructed(void)
{
    if (!guard_here || !guard_here->is_running)
        return;
    assert_int_equal(guard_here->no_jump, 1);
    kick_myself(GUARD_JUMP_LIBC);
    add_one(worker_here());
}

static void load_a_library(worker *w)
{
    dlopen(PROBE, RTLD_NOW);
    atomic_fetch_add(&w->count, 100);
}

static void a_jump_waits_until_the_loader_is_done(void **state)
{
    worker w = { 0 };
    void *library;
    install_guards();
    while ((library = dlopen(PROBE, RTLD_NOW | RTLD_NOLOAD))) { /* of other tests */
        dlclose(library);
        dlclose(library);
    }
    worker_start(&w, load_a_library);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 1);
    library = dlopen(PROBE, RTLD_NOW); /* would wait for the loader's lock */
    assert_non_null(library);
    dlclose(library);
}

/* ---- signals ---- */

static void ignore_signal(int number)
{
}

static void take_the_ladder_away(worker *w)
{
    sigset_t all, blocked;
    struct sigaction ours = { .sa_handler = ignore_signal };
    stack_t none = { .ss_flags = SS_DISABLE };
    sigfillset(&all);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, NULL), 0);
    assert_int_equal(sigprocmask(SIG_SETMASK, &all, &blocked), 0);
    assert_true(sigismember(&blocked, SIGUSR1));
    assert_false(sigismember(&blocked, SIGSEGV));
    assert_int_equal(sigaction(SIGSEGV, &ours, NULL), -1);
    assert_int_equal(errno, EPERM);
    assert_ptr_equal(signal(fault_kick_signal(), SIG_IGN), SIG_ERR);
    assert_int_equal(sigaltstack(&none, NULL), -1);
    assert_int_equal(sigaction(SIGSEGV, NULL, &ours), 0);
    assert_int_equal(sigaction(SIGWINCH, NULL, &ours), 0);
    assert_int_equal(sigaction(SIGWINCH, &ours, NULL), 0);
    add_one(w);
    kick_myself(GUARD_JUMP_LIBC);
    add_one(w);
}

static void a_session_can_not_take_the_ladder_away(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, take_the_ladder_away);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 1);
}

/* ---- the end of the process ---- */

static void call_exit(worker *w)
{
    exit(3);
}
static void call_quick_exit(worker *w)
{
    quick_exit(4);
}
static void call__exit(worker *w)
{
    _exit(5);
}
static void call__Exit(worker *w)
{
    _Exit(6);
}
static void call_abort(worker *w)
{
    abort();
}
static void call_pthread_exit(worker *w)
{
    pthread_exit(NULL);
}

static void the_end_of_the_process_is_the_end_of_the_run(void **state)
{
    static const struct {
        void (*end)(worker *w);
        int number;
    } ends[] = {
        { call_exit, 3 },  { call_quick_exit, 4 }, { call__exit, 5 },
        { call__Exit, 6 }, { call_abort, 134 },    { call_pthread_exit, 0 },
    };
    install_guards();
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        worker w = { 0 };
        worker_start(&w, ends[i].end);
        assert_int_equal(worker_join(&w), GUARD_EXIT);
        assert_int_equal(w.g.number, ends[i].number);
    }
}

static void hold_and_exit(worker *w)
{
    pthread_mutex_lock(&mutex);
    call_exit(w);
}

static void an_exit_with_a_lock_is_told(void **state)
{
    worker w = { 0 };
    make_locks();
    worker_start(&w, hold_and_exit);
    assert_int_equal(worker_join(&w), GUARD_EXIT);
    assert_true(w.g.was_holding);
}

/* ---- text ---- */

static void the_c_librarys_code_is_known(void **state)
{
    text_init();
    assert_true(text_is_libc((uintptr_t)dlsym(RTLD_NEXT, "strdup")));
    assert_true(text_is_libc((uintptr_t)dlsym(RTLD_NEXT, "malloc")));
    assert_true(text_is_libc((uintptr_t)dlsym(RTLD_NEXT, "__tls_get_addr"))); /* the loader's */
    assert_false(text_is_libc((uintptr_t)malloc));
    assert_false(text_is_libc((uintptr_t)add_one));
    assert_false(text_is_libc((uintptr_t)cmocka_set_message_output));
    assert_false(text_is_libc(0));
    assert_false(text_is_libc(UINTPTR_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_interposed),
        cmocka_unit_test(a_thread_at_the_end_of_its_stack_gets_no_memory),
        cmocka_unit_test(memory_comes_as_it_was_asked_for),
        cmocka_unit_test(a_thread_is_not_torn_out_of_the_allocator),
        cmocka_unit_test(a_jump_comes_when_the_allocator_is_left),
        cmocka_unit_test(the_c_library_is_not_left_from_within_free),
        cmocka_unit_test(malloc_is_refused_before_the_stack_ends),
        cmocka_unit_test(free_is_not_entered_where_the_stack_ends),
        cmocka_unit_test(a_jump_waits_until_the_lock_is_given_back),
        cmocka_unit_test(a_jump_does_not_wait_for_a_lock_of_its_own),
        cmocka_unit_test(a_librarys_locks_count_too),
        cmocka_unit_test(a_lock_that_was_not_got_does_not_count),
        cmocka_unit_test(mutexes_of_every_kind_work_as_before),
        cmocka_unit_test(a_wait_for_a_lock_is_left_at_the_last_stage),
        cmocka_unit_test(a_wait_for_a_condition_gives_the_mutex_back_when_it_is_left),
        cmocka_unit_test(a_wait_with_an_end_ends_there),
        cmocka_unit_test(conditions_still_hand_over),
        cmocka_unit_test(a_lock_is_counted_from_one_run_to_the_next),
        cmocka_unit_test(a_jump_waits_until_the_loader_is_done),
        cmocka_unit_test(a_session_can_not_take_the_ladder_away),
        cmocka_unit_test(the_end_of_the_process_is_the_end_of_the_run),
        cmocka_unit_test(an_exit_with_a_lock_is_told),
        cmocka_unit_test(the_c_librarys_code_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
