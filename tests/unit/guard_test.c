#include "worker.h"

#include "base/clock.h"
#include "limits/guard.h"
#include "limits/watchdog.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void loop_for_ever(worker *w)
{
    atomic_store(&w->is_inside, 1);
    for (;;) {
        atomic_fetch_add(&w->count, 1);
        turn();
    }
}

static void count_kick(guard *g, uintptr_t sp)
{
    worker *w = g->owner;
    atomic_fetch_add(&w->kicks, 1);
}

/* ---- running and jumping ---- */

static void add_one(worker *w)
{
    atomic_fetch_add(&w->count, 1);
}

static void what_returns_has_returned(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, add_one);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.count, 1);
    assert_int_equal(w.g.is_running, 0);
}

static void a_loop_that_never_ends_is_left(void **state)
{
    worker w = { 0 };
    install_guards();
    assert_int_equal(worker_stop(&w, loop_for_ever, JUMP_OUT_OF_A_LOOP), GUARD_JUMPED);
    assert_false(w.g.was_holding);
}

static void loop_until_told(worker *w)
{
    atomic_store(&w->is_inside, 1);
    while (!atomic_load(&w->may_go_on))
        turn();
}

static void a_kick_before_the_jump_only_calls(void **state)
{
    worker w = { .g.on_kick = count_kick };
    install_guards();
    worker_start(&w, loop_until_told);
    wait_for(&w.is_inside);
    guard_kick(&w.g); /* calm: nothing may happen */
    atomic_store(&w.g.stage, GUARD_INTERRUPT);
    while (atomic_load(&w.kicks) == 0) {
        guard_kick(&w.g);
        sched_yield();
    }
    atomic_store(&w.g.stage, GUARD_STARVE);
    int kicks = atomic_load(&w.kicks);
    while (atomic_load(&w.kicks) == kicks) {
        guard_kick(&w.g);
        sched_yield();
    }
    atomic_store(&w.may_go_on, 1);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
}

static void kick_while_calm(worker *w)
{
    kick_myself(GUARD_CALM);
}

static void a_calm_thread_is_not_called(void **state)
{
    worker w = { .g.on_kick = count_kick };
    install_guards();
    worker_start(&w, kick_while_calm);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.kicks, 0);
}

static void *be_kicked_outside(void *arg)
{
    worker *w = arg;
    char *low = (char *)w->t.stack + 4096;
    assert_int_equal(guard_attach(&w->g, low, w->t.stack_bytes - 4096), SNUG_OK);
    kick_myself(GUARD_JUMP_LIBC);
    guard_detach(&w->g);
    return NULL;
}

static void a_kick_outside_of_a_run_does_nothing(void **state)
{
    worker w = { .g.on_kick = count_kick };
    install_guards();
    assert_int_equal(thread_start(&w.t, "worker", WORKER_STACK_BYTES, be_kicked_outside, &w),
                     SNUG_OK);
    worker_join(&w);
    assert_int_equal(w.kicks, 0);
}

/* As in the handler by which the C library makes a set*id call on every thread. Its functions block
 * no such signal. */
static void change_user_while_kicked(worker *w)
{
    const uint64_t changing = UINT64_C(1) << (SIGRTMIN - 2);
    uint64_t before;
    assert_int_equal(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &changing, &before, 8), 0);
    kick_myself(GUARD_JUMP_LIBC);
    add_one(w);
    assert_int_equal(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8), 0);
    kick_myself(GUARD_JUMP_LIBC);
    add_one(w);
}

static void a_thread_that_changes_its_user_is_not_torn_out_of_that(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, change_user_while_kicked);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 1);
}

/* What an interposer does around a function of the loader, with a kick in between. */
static void hold_while_kicked(worker *w)
{
    w->g.no_jump++;
    kick_myself(GUARD_JUMP_LIBC);
    add_one(w);
    w->g.no_jump--;
    guard_settle(&w->g, (void *)(uintptr_t)add_one, &w);
    add_one(w);
}

static void a_jump_waits_until_the_thread_lets_go(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, hold_while_kicked);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 1);
    assert_false(w.g.was_holding);
}

static int say_yes(const guard *g)
{
    return atomic_load(&g->state) != NULL;
}

/* One kick for each, from the stages on that ask what others wait for. */
static void be_kicked_while_holding(worker *w, volatile int *counter)
{
    ++*counter;
    for (int kick = 0; kick < 3; kick++) {
        kick_myself(kick ? (int)(intptr_t)w->data : GUARD_JUMP_LIBC);
        add_one(w);
    }
    --*counter;
}

static void hold_a_lock(worker *w)
{
    be_kicked_while_holding(w, &w->g.locks);
}

static void be_in_an_allocator(worker *w)
{
    be_kicked_while_holding(w, &w->g.in_malloc);
}

static void be_in_the_loader(worker *w)
{
    be_kicked_while_holding(w, &w->g.no_jump);
}

static void who_keeps_others_is_torn_out_with_what_it_holds(void **state)
{
    static const struct {
        void (*work)(worker *w);
        guard_stage stage;
        int keeps, jumps;
    } rows[] = {
        { hold_a_lock, GUARD_JUMP_LIBC, 1, 0 },
        { hold_a_lock, GUARD_JUMP_LOCKS, 1, 1 },
        { hold_a_lock, GUARD_JUMP_LOCKS, 0, 0 },
        { hold_a_lock, GUARD_JUMP_ALL, 0, 0 },
        { be_in_an_allocator, GUARD_JUMP_LOCKS, 1, 0 },
        { be_in_an_allocator, GUARD_JUMP_ALL, 1, 1 },
        { be_in_the_loader, GUARD_JUMP_LOCKS, 1, 0 },
        { be_in_the_loader, GUARD_JUMP_ALL, 1, 1 },
    };
    install_guards();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        worker w = { .g.keeps_others = say_yes, .data = (void *)(intptr_t)rows[i].stage };
        w.g.state = rows[i].keeps ? &w : NULL;
        worker_start(&w, rows[i].work);
        assert_int_equal(worker_join(&w), rows[i].jumps ? GUARD_JUMPED : GUARD_RETURNED);
        assert_int_equal(w.count, rows[i].jumps ? 1 : 3);
        assert_int_equal(w.g.was_holding, rows[i].jumps);
    }
}

static void hold_one_that_has_just_been_taken(worker *w)
{
    w->g.locks++;
    kick_myself(GUARD_JUMP_LOCKS);
    add_one(w);
    w->g.locks--;
}

static void a_lock_that_is_new_is_let_go_first(void **state)
{
    worker w = { .g.keeps_others = say_yes, .g.state = &w };
    install_guards();
    worker_start(&w, hold_one_that_has_just_been_taken);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.count, 1);
}

static void own_locks_have_room_for_some(void **state)
{
    static char locks[OWN_LOCKS * 4][16];
    own_locks own = { 0 };
    guard g = { .own = &own };
    size_t owned = 0;
    assert_false(guard_owns(&g, locks[0]));
    for (size_t i = 0; i < OWN_LOCKS * 4; i++) {
        int is_owned = guard_own_lock(&own, locks[i], 1);
        assert_int_equal(guard_owns(&g, locks[i]), is_owned);
        owned += (size_t)is_owned;
    }
    assert_int_equal(owned, OWN_LOCKS);
    for (size_t i = 0; i < OWN_LOCKS * 4; i++) {
        guard_disown_lock(&own, locks[i], 1);
        assert_false(guard_owns(&g, locks[i]));
    }
    assert_true(guard_own_lock(&own, locks[0], 1));
}

static void calm_down_while_holding(worker *w)
{
    w->g.locks++;
    kick_myself(GUARD_JUMP);
    atomic_store(&w->g.stage, GUARD_CALM);
    w->g.locks--;
    guard_settle(&w->g, (void *)(uintptr_t)add_one, &w);
    add_one(w);
}

static void a_jump_that_is_no_longer_wanted_is_forgotten(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, calm_down_while_holding);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.count, 1);
}

static int be_busy_three_times(guard *g, uintptr_t pc, const uintptr_t *sp)
{
    worker *w = g->owner;
    assert_true(pc != 0 && sp != NULL);
    return atomic_fetch_add(&w->count, 1) < 3;
}

static void kick_four_times(worker *w)
{
    for (int i = 0; i < 4; i++)
        kick_myself(GUARD_JUMP_LIBC);
}

static void a_busy_thread_is_left_at_a_later_kick(void **state)
{
    worker w = { .g.is_busy = be_busy_three_times };
    install_guards();
    worker_start(&w, kick_four_times);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 4);
}

/* In the C library, in a call that a signal does not end. */
static void read_a_pipe(worker *w)
{
    char byte;
    atomic_store(&w->is_inside, 1);
    for (;;)
        if (read(*(int *)w->data, &byte, 1) == 1)
            return;
}

static void a_blocked_call_is_left_at_the_last_stage_only(void **state)
{
    int ends[2];
    worker w = { .data = &ends[0], .g.on_kick = count_kick };
    install_guards();
    assert_int_equal(pipe(ends), 0);
    worker_start(&w, read_a_pipe);
    wait_for(&w.is_inside);
#if !SANITIZED /* their read is not in the C library */
    atomic_store(&w.g.stage, GUARD_JUMP);
    /* So many times it may have been between two calls, in our own code. */
    for (int i = 0; i < 3 && !atomic_load(&w.has_ended); i++) {
        int kicks = atomic_load(&w.kicks);
        guard_kick(&w.g);
        while (atomic_load(&w.kicks) == kicks)
            sched_yield();
    }
#endif
    atomic_store(&w.g.stage, GUARD_JUMP_LIBC);
    while (!atomic_load(&w.has_ended)) {
        guard_kick(&w.g);
        sched_yield();
    }
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    close(ends[0]);
    close(ends[1]);
}

static void kick_in_the_c_library(worker *w)
{
    /* raise returns into this function, but the kick is delivered in raise. */
    atomic_store(&w->g.stage, GUARD_JUMP);
    guard_kick(&w->g);
    add_one(w);
    atomic_store(&w->g.stage, GUARD_JUMP_LIBC);
    guard_kick(&w->g);
    add_one(w);
}

static void the_c_library_is_left_at_the_last_stage_only(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, kick_in_the_c_library);
    assert_int_equal(worker_join(&w), GUARD_JUMPED);
    assert_int_equal(w.count, 1);
}

static size_t entries(const char *directory)
{
    size_t count = 0;
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static size_t mappings(void)
{
    size_t count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

static void jumps_leave_nothing_behind(void **state)
{
    enum { ROUNDS = SANITIZED ? 120 : 520 };
    size_t fds = 0, threads = 0, maps = 0;
    install_guards();
    for (int i = 0; i < ROUNDS; i++) {
        worker w = { 0 };
        if (i == 20) { /* the C library's arenas are all there */
            fds = entries("/proc/self/fd");
            threads = entries("/proc/self/task");
            maps = mappings();
        }
        assert_int_equal(worker_stop(&w, loop_for_ever, JUMP_OUT_OF_A_LOOP), GUARD_JUMPED);
    }
    assert_int_equal(entries("/proc/self/fd"), fds);
    while (entries("/proc/self/task") > threads) /* a joined thread may be seen for a moment */
        sched_yield();
#if !SANITIZED
    assert_in_range(mappings(), 0, maps + 8);
#else
    (void)maps;
#endif
}

/* ---- faults ---- */

static void write_to_nowhere(worker *w)
{
    *(volatile int *)(uintptr_t)w->data = 1;
}

static void read_past_the_end_of_a_file(worker *w)
{
    FILE *file = tmpfile();
    volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    atomic_store(&w->count, page[100]);
}

static void divide_by_zero(worker *w)
{
#if defined(__x86_64__)
    __asm__ volatile("xorl %%ecx, %%ecx\n\tidivl %%ecx" ::: "eax", "ecx", "edx", "cc");
#else
    raise(SIGFPE);
#endif
}

static void run_no_instruction(worker *w)
{
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    __asm__ volatile(".inst 0");
#endif
}

static void stop_for_a_debugger(worker *w)
{
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    __asm__ volatile("brk 0");
#endif
}

static void call_abort(worker *w)
{
    abort();
}

static void raise_sys(worker *w)
{
    raise(SIGSYS);
}

static void a_fault_of_any_kind_ends_the_run(void **state)
{
    static const struct {
        void (*fault)(worker *w);
        int number;
    } cases[] = {
        { write_to_nowhere, SIGSEGV },
        { read_past_the_end_of_a_file, SIGBUS },
        { divide_by_zero, SIGFPE },
        { run_no_instruction, SIGILL },
        { stop_for_a_debugger, SIGTRAP },
        { call_abort, SIGABRT },
        { raise_sys, SIGSYS },
    };
    install_guards();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int round = 0; round < 3; round++) {
            worker w = { .data = (void *)64 };
            worker_start(&w, cases[i].fault);
            assert_int_equal(worker_join(&w), GUARD_FAULT);
            assert_int_equal(w.g.number, cases[i].number);
            assert_false(w.g.was_holding);
        }
}

static void a_fault_tells_its_address(void **state)
{
    worker w = { .data = (void *)0x1230 };
    install_guards();
    worker_start(&w, write_to_nowhere);
    assert_int_equal(worker_join(&w), GUARD_FAULT);
    assert_ptr_equal(w.g.fault_address, (void *)0x1230);
}

static void fault_while_holding(worker *w)
{
    w->g.locks++;
    write_to_nowhere(w);
}

static void a_fault_of_a_thread_that_holds_something_is_told(void **state)
{
    worker w = { .data = (void *)64 };
    install_guards();
    worker_start(&w, fault_while_holding);
    assert_int_equal(worker_join(&w), GUARD_FAULT);
    assert_true(w.g.was_holding);
    assert_int_equal(w.g.locks, 0);
}

#if defined(__SANITIZE_THREAD__)
static const int calls_handlers_masked = 1;
#else
static const int calls_handlers_masked = 0;
#endif

static void fault_in_a_handler(guard *g, uintptr_t sp)
{
    *(volatile int *)64 = 1;
}

static void be_interrupted(worker *w)
{
    kick_myself(GUARD_INTERRUPT);
}

static void a_fault_in_the_handler_of_a_kick_is_contained(void **state)
{
    if (calls_handlers_masked) {
        print_message("the sanitizer calls handlers with its own mask of signals\n");
        skip();
    }
    install_guards();
    for (int round = 0; round < 3; round++) {
        worker w = { .g.on_kick = fault_in_a_handler };
        worker_start(&w, be_interrupted);
        assert_int_equal(worker_join(&w), GUARD_FAULT);
        assert_int_equal(w.g.number, SIGSEGV);
    }
}

/* As a session's filter does: the process's end becomes SIGSYS on this thread. */
static void leave_by_system_call(worker *w)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof rules / sizeof *rules, rules };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    assert_int_equal(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), 0);
    syscall(SYS_exit_group, 7);
}

static void an_end_that_the_filter_traps_is_told_with_its_status(void **state)
{
    worker w = { 0 };
    install_guards();
    worker_start(&w, leave_by_system_call);
    assert_int_equal(worker_join(&w), GUARD_EXIT);
    assert_int_equal(w.g.number, 7);
}

/* ---- the stack ---- */

/* The evaluation loop's check for recursion: on_yellow sets the worker's count. */
static long dive(worker *w, long depth)
{
    volatile char frame[2000];
    frame[0] = (char)depth;
    long reached = atomic_load(&w->count) ? depth : dive(w, depth + 1);
    return reached + frame[0] - (char)depth; /* no tail call */
}

static void note_yellow(guard *g, uintptr_t sp)
{
    worker *w = g->owner;
    atomic_fetch_add(&w->yellows, 1);
    atomic_store(&w->count, 1);
}

static void dive_until_yellow(worker *w)
{
    w->count = 0;
    *(long *)w->data = dive(w, 0);
}

static void deep_recursion_is_told_in_the_yellow_zone_and_goes_on(void **state)
{
    long depth = 0;
    worker w = { .data = &depth, .g.on_yellow = note_yellow };
    install_guards();
    worker_start(&w, dive_until_yellow);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.yellows, 1);
    assert_true(depth > 100);
}

static void work_run(void *arg)
{
    worker *w = arg;
    w->work(w);
}

static void *run_twice(void *arg)
{
    worker *w = arg;
    w->g.owner = w;
    char *low = (char *)w->t.stack + 4096;
    assert_int_equal(guard_attach(&w->g, low, w->t.stack_bytes - 4096), SNUG_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(guard_run(&w->g, work_run, w), GUARD_RETURNED);
    guard_detach(&w->g);
    return NULL;
}

static void the_yellow_zone_is_closed_again_for_the_next_run(void **state)
{
    long depth = 0;
    worker w = { .data = &depth, .g.on_yellow = note_yellow, .work = dive_until_yellow };
    install_guards();
    assert_int_equal(thread_start(&w.t, "worker", WORKER_STACK_BYTES, run_twice, &w), SNUG_OK);
    worker_join(&w);
    assert_int_equal(w.yellows, 2);
}

static void ignore_yellow(guard *g, uintptr_t sp)
{
    worker *w = g->owner;
    atomic_fetch_add(&w->yellows, 1);
}

static void recursion_that_does_not_stop_there_is_left_at_the_end(void **state)
{
    install_guards();
    for (int round = 0; round < 3; round++) {
        long depth = 0;
        worker w = { .data = &depth, .g.on_yellow = ignore_yellow };
        worker_start(&w, dive_until_yellow);
        assert_int_equal(worker_join(&w), GUARD_FAULT);
        assert_int_equal(w.g.number, SIGSEGV);
        assert_int_equal(w.yellows, 1);
        assert_in_range((uintptr_t)w.g.fault_address, (uintptr_t)w.g.stack_low - 4096,
                        (uintptr_t)w.g.stack_low);
    }
}

static void dive_and_refuse(worker *w)
{
    volatile char frame[2000];
    frame[0] = 1;
    if (guard_refuses(&w->g)) {
        *(long *)w->data = (long)((char *)__builtin_frame_address(0) - w->g.stack_low);
        return;
    }
    dive_and_refuse(w);
    atomic_fetch_add(&w->count, frame[0]);
}

static void allocations_are_refused_where_the_stack_is_nearly_used_up(void **state)
{
    long room = 0;
    worker w = { .data = &room, .g.on_yellow = ignore_yellow };
    install_guards();
    worker_start(&w, dive_and_refuse);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_int_equal(w.yellows, 1);
    assert_in_range(room, GUARD_RED_BYTES - 16 * 1024, GUARD_RED_BYTES + 4096);
}

static void ask_at_each_stage(worker *w)
{
    char *low = w->g.stack_low;
    for (int stage = GUARD_CALM; stage <= GUARD_JUMP_LIBC; stage++) {
        atomic_store(&w->g.stage, stage);
        assert_false(guard_refuses(&w->g));
        w->g.stack_low = (char *)__builtin_frame_address(0) - 8192;
        assert_true(guard_refuses(&w->g));
        w->g.in_malloc++;
        assert_false(guard_refuses(&w->g));
        w->g.in_malloc--;
        w->g.no_jump++;
        assert_false(guard_refuses(&w->g));
        w->g.no_jump--;
        w->g.stack_low = low;
    }
}

static void only_the_stack_makes_an_allocation_fail_and_not_inside_an_allocator(void **state)
{
    worker w = { .g.stage = GUARD_STARVE };
    assert_false(guard_refuses(&w.g)); /* not running */
    install_guards();
    worker_start(&w, ask_at_each_stage);
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
}

/* ---- the host program's handlers ---- */

#if defined(__SANITIZE_THREAD__)
static const int starts_threads_after_fork = 0;
#else
static const int starts_threads_after_fork = 1;
#endif

/* Runs child in a process of its own and answers what waitpid said. */
static int status_of(void (*child)(void))
{
    int status = -1;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = { 0, 0 };
        setrlimit(RLIMIT_CORE, &none);
        /* cmocka's, and a sanitizer's */
        static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
            signal(faults[i], SIG_DFL);
        child();
        _exit(99);
    }
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

static void assert_exits(void (*child)(void), int wanted)
{
    int status = status_of(child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), wanted);
}

static void assert_dies(void (*child)(void), int wanted)
{
    int status = status_of(child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), wanted);
}

static void must_install(void)
{
    guard_uninstall();
    if (guard_install(0) != SNUG_OK)
        _exit(98);
}

static void leave_with_3(int number)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    _exit(number == SIGSEGV && sigismember(&blocked, SIGSEGV) && sigismember(&blocked, SIGUSR1) &&
                  !sigismember(&blocked, SIGUSR2) && !sigismember(&blocked, fault_kick_signal())
              ? 3
              : 97);
}

static void have_a_plain_handler(void)
{
    struct sigaction host = { .sa_handler = leave_with_3 };
    sigemptyset(&host.sa_mask);
    sigaddset(&host.sa_mask, SIGUSR1);
    sigaction(SIGSEGV, &host, NULL);
    must_install();
    *(volatile int *)64 = 1;
}

static void leave_with_4(int number, siginfo_t *info, void *context)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    _exit(number == SIGSEGV && info->si_addr == (void *)64 && info->si_code == SEGV_MAPERR &&
                  context && !sigismember(&blocked, SIGSEGV)
              ? 4
              : 97);
}

static void have_a_handler_with_information(void)
{
    struct sigaction host = { .sa_sigaction = leave_with_4, .sa_flags = SA_SIGINFO | SA_NODEFER };
    sigaction(SIGSEGV, &host, NULL);
    must_install();
    *(volatile int *)64 = 1;
}

static void a_fault_of_another_thread_reaches_the_hosts_handler(void **state)
{
    assert_exits(have_a_plain_handler, 3);
    assert_exits(have_a_handler_with_information, 4);
}

static void have_no_handler_for_a_fault(void)
{
    must_install();
    *(volatile int *)64 = 1;
}

static void have_no_handler_for_abort(void)
{
    must_install();
    abort();
}

static void have_no_handler_for_a_trap(void)
{
    must_install();
    stop_for_a_debugger(NULL);
}

static void have_no_handler_for_a_sent_signal(void)
{
    must_install();
    kill(getpid(), SIGBUS);
}

static void ignore_a_fault(void)
{
    signal(SIGSEGV, SIG_IGN);
    must_install();
    *(volatile int *)64 = 1;
}

static void *fault_in_a_thread(void *arg)
{
    *(volatile int *)64 = 1;
    return arg;
}

static void have_no_handler_in_a_thread(void)
{
    pthread_t other;
    must_install();
    if (pthread_create(&other, NULL, fault_in_a_thread, NULL) == 0)
        pthread_join(other, NULL);
}

static void without_a_handler_the_process_dies_of_the_signal(void **state)
{
    assert_dies(have_no_handler_for_a_fault, SIGSEGV);
    assert_dies(have_no_handler_for_abort, SIGABRT);
    assert_dies(have_no_handler_for_a_trap, SIGTRAP);
    assert_dies(have_no_handler_for_a_sent_signal, SIGBUS);
    assert_dies(ignore_a_fault, SIGSEGV);
    if (starts_threads_after_fork)
        assert_dies(have_no_handler_in_a_thread, SIGSEGV);
}

static void ignore_a_sent_signal(void)
{
    signal(SIGSEGV, SIG_IGN);
    must_install();
    raise(SIGSEGV);
    _exit(5);
}

static void a_sent_signal_that_the_host_ignores_is_ignored(void **state)
{
    assert_exits(ignore_a_sent_signal, 5);
}

static volatile sig_atomic_t calls;

static void count_call(int number)
{
    calls++;
}

static void have_a_handler_for_one_time(void)
{
    struct sigaction host = { .sa_handler = count_call, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGFPE, &host, NULL);
    must_install();
    raise(SIGFPE);
    if (calls != 1)
        _exit(97);
    raise(SIGFPE);
}

static void a_handler_for_one_time_is_called_once(void **state)
{
    assert_dies(have_a_handler_for_one_time, SIGFPE);
}

static void have_a_later_handler(void)
{
    must_install();
    signal(SIGFPE, count_call);
    if (guard_is_installed() || guard_install(0) != SNUG_OK)
        _exit(97);
    raise(SIGFPE);
    guard_uninstall();
    raise(SIGFPE);
    _exit(calls == 2 ? 6 : 96);
}

static void a_handler_that_comes_later_stays(void **state)
{
    assert_exits(have_a_later_handler, 6);
}

static void install_and_uninstall(void)
{
    struct sigaction host = { .sa_handler = count_call, .sa_flags = SA_RESTART }, now;
    sigaction(SIGBUS, &host, NULL);
    must_install();
    sigaction(SIGBUS, NULL, &now);
    int kick = fault_kick_signal();
    if (!guard_is_installed() || now.sa_handler == count_call || !(now.sa_flags & SA_RESTART))
        _exit(97);
    guard_uninstall();
    sigaction(SIGBUS, NULL, &now);
    if (guard_is_installed() || now.sa_handler != count_call)
        _exit(96);
    sigaction(kick, NULL, &now);
    _exit(now.sa_handler == SIG_DFL ? 7 : 95);
}

static void what_was_there_before_is_put_back(void **state)
{
    assert_exits(install_and_uninstall, 7);
}

static void choose_a_signal_that_is_taken(void)
{
    guard_uninstall();
    signal(SIGUSR1, count_call);
    if (guard_install(SIGUSR1) != SNUG_EINVAL || guard_install(SIGKILL) != SNUG_EINVAL ||
        guard_install(12345) != SNUG_EINVAL || guard_is_installed())
        _exit(97);
    if (guard_install(SIGUSR2) != SNUG_OK || guard_install(SIGUSR2) != SNUG_OK ||
        guard_install(0) != SNUG_OK || fault_kick_signal() != SIGUSR2 ||
        guard_install(SIGRTMIN) != SNUG_EINVAL)
        _exit(96);
    _exit(8);
}

static void a_kick_signal_that_the_host_handles_is_refused(void **state)
{
    assert_exits(choose_a_signal_that_is_taken, 8);
}

static _Atomic int sent;

static void loop_until_sent(worker *w)
{
    atomic_store(&w->is_inside, 1);
    while (!atomic_load(&sent))
        turn();
}

static void note_sent(int number)
{
    atomic_store(&sent, 1);
}

/* The first thread blocks it, so it can only be delivered to the guarded one. */
static void send_a_fault_signal_from_outside(void)
{
    worker w = { 0 };
    sigset_t fault;
    signal(SIGSEGV, note_sent);
    must_install();
    worker_start(&w, loop_until_sent);
    wait_for(&w.is_inside);
    sigemptyset(&fault);
    sigaddset(&fault, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &fault, NULL);
    pid_t self = getpid();
    pid_t other = fork();
    if (other == 0) {
        kill(self, SIGSEGV);
        _exit(0);
    }
    waitpid(other, NULL, 0);
    _exit(worker_join(&w) == GUARD_RETURNED ? 9 : 97);
}

static void a_fault_signal_that_another_process_sent_is_the_hosts(void **state)
{
    if (!starts_threads_after_fork) {
        print_message("the sanitizer starts no threads after a fork\n");
        skip();
    }
    assert_exits(send_a_fault_signal_from_outside, 9);
}

/* ---- with a watchdog ---- */

/* A session's thread with an interpreter that only polls: it ends at the rung that its
 * kind knows. The watchdog climbs one rung at each round, and on a slow machine must not
 * climb past that one. */
typedef struct session {
    worker w;
    watch watch;
    watchdog *watchdog;
    int ends_at; /* guard_stage */
    volatile sig_atomic_t is_raised;
    int cells;
} session;

enum { CELLS = 40 };

static session *session_of(watch *item)
{
    return (session *)(void *)((char *)item - offsetof(session, watch));
}

static uint64_t climb(watch *item, uint64_t now_ns)
{
    session *s = session_of(item);
    int stage = atomic_load(&s->w.g.stage);
    if (stage < s->ends_at)
        atomic_store(&s->w.g.stage, stage + 1);
    guard_kick(&s->w.g);
    return now_ns + NS_PER_MS;
}

static void raise_later(guard *g, uintptr_t sp)
{
    session *s = (session *)g->owner;
    s->is_raised = 1;
}

static void poll_and_loop(void *arg)
{
    session *s = arg;
    for (;;) {
        if (s->ends_at == GUARD_INTERRUPT && s->is_raised)
            return;
        if (s->ends_at == GUARD_STARVE && atomic_load(&s->w.g.stage) >= GUARD_STARVE)
            return;
        turn();
    }
}

static void *run_cells(void *arg)
{
    session *s = arg;
    guard *g = &s->w.g;
    int is_lost = 0;
    assert_int_equal(guard_attach(g, (char *)s->w.t.stack + 4096, s->w.t.stack_bytes - 4096),
                     SNUG_OK);
    while (s->cells < CELLS && !is_lost) {
        s->is_raised = 0;
        atomic_store(&g->stage, GUARD_CALM);
        watchdog_arm(s->watchdog, &s->watch, clock_now_ns());
        is_lost = guard_run(g, poll_and_loop, s) != GUARD_RETURNED;
        watchdog_disarm(s->watchdog, &s->watch);
        s->cells++;
    }
    atomic_store(&s->w.has_ended, 1);
    if (is_lost)
        guard_vanish(g);
    guard_detach(g);
    return NULL;
}

static void a_watchdog_ends_every_kind_of_loop(void **state)
{
    watchdog *dog;
    session all[6] = { 0 };
    static const int ends[] = { GUARD_INTERRUPT, GUARD_STARVE, GUARD_JUMP_LIBC };
    install_guards();
    assert_int_equal(watchdog_open(&dog), SNUG_OK);
    for (size_t i = 0; i < 6; i++) {
        session *s = &all[i];
        *s = (session){ .watchdog = dog, .ends_at = ends[i % 3], .watch.on_deadline = climb };
        s->w.g.owner = s;
        s->w.g.on_kick = raise_later;
        assert_int_equal(thread_start(&s->w.t, "session", WORKER_STACK_BYTES, run_cells, s),
                         SNUG_OK);
    }
    for (size_t i = 0; i < 6; i++) {
        thread_join(&all[i].w.t);
        int is_lost = all[i].ends_at == GUARD_JUMP_LIBC;
        assert_int_equal(all[i].cells, is_lost ? 1 : CELLS);
        assert_int_equal(all[i].w.g.end, is_lost ? GUARD_JUMPED : GUARD_RETURNED);
    }
    watchdog_close(dog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_returns_has_returned),
        cmocka_unit_test(a_loop_that_never_ends_is_left),
        cmocka_unit_test(a_kick_before_the_jump_only_calls),
        cmocka_unit_test(a_calm_thread_is_not_called),
        cmocka_unit_test(a_kick_outside_of_a_run_does_nothing),
        cmocka_unit_test(a_thread_that_changes_its_user_is_not_torn_out_of_that),
        cmocka_unit_test(a_jump_waits_until_the_thread_lets_go),
        cmocka_unit_test(who_keeps_others_is_torn_out_with_what_it_holds),
        cmocka_unit_test(a_lock_that_is_new_is_let_go_first),
        cmocka_unit_test(own_locks_have_room_for_some),
        cmocka_unit_test(a_jump_that_is_no_longer_wanted_is_forgotten),
        cmocka_unit_test(a_busy_thread_is_left_at_a_later_kick),
        cmocka_unit_test(a_blocked_call_is_left_at_the_last_stage_only),
        cmocka_unit_test(the_c_library_is_left_at_the_last_stage_only),
        cmocka_unit_test(jumps_leave_nothing_behind),
        cmocka_unit_test(a_fault_of_any_kind_ends_the_run),
        cmocka_unit_test(a_fault_tells_its_address),
        cmocka_unit_test(a_fault_of_a_thread_that_holds_something_is_told),
        cmocka_unit_test(a_fault_in_the_handler_of_a_kick_is_contained),
        cmocka_unit_test(an_end_that_the_filter_traps_is_told_with_its_status),
        cmocka_unit_test(deep_recursion_is_told_in_the_yellow_zone_and_goes_on),
        cmocka_unit_test(the_yellow_zone_is_closed_again_for_the_next_run),
        cmocka_unit_test(recursion_that_does_not_stop_there_is_left_at_the_end),
        cmocka_unit_test(allocations_are_refused_where_the_stack_is_nearly_used_up),
        cmocka_unit_test(only_the_stack_makes_an_allocation_fail_and_not_inside_an_allocator),
        cmocka_unit_test(a_fault_of_another_thread_reaches_the_hosts_handler),
        cmocka_unit_test(without_a_handler_the_process_dies_of_the_signal),
        cmocka_unit_test(a_sent_signal_that_the_host_ignores_is_ignored),
        cmocka_unit_test(a_handler_for_one_time_is_called_once),
        cmocka_unit_test(a_handler_that_comes_later_stays),
        cmocka_unit_test(what_was_there_before_is_put_back),
        cmocka_unit_test(a_kick_signal_that_the_host_handles_is_refused),
        cmocka_unit_test(a_fault_signal_that_another_process_sent_is_the_hosts),
        cmocka_unit_test(a_watchdog_ends_every_kind_of_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
