#include "limits/guard.h"

#include <snug/snug.h>

#include "base/error.h"
#include "limits/text.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <ucontext.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };

/* The exception to "no file-level state": signal handlers are the process's. Written under
 * lock before the handlers that read it are installed. */
static struct {
    pthread_mutex_t lock;
    int kick; /* 0: not installed */
    struct sigaction before_kick;
    struct sigaction before[COUNT(faults)]; /* as faults */
} installed = { .lock = PTHREAD_MUTEX_INITIALIZER };

int fault_kick_signal(void)
{
    return installed.kick;
}

void fault_signals(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, installed.kick);
    for (size_t i = 0; i < COUNT(faults); i++)
        sigaddset(out, faults[i]);
}

/* ---- the machine ---- */

typedef struct place {
    uintptr_t pc;
    const uintptr_t *sp;
    int first_argument; /* of a system call */
} place;

static place place_of(const void *context)
{
    const ucontext_t *found = context;
#if defined(__x86_64__)
    const greg_t *r = found->uc_mcontext.gregs;
    return (place){ (uintptr_t)r[REG_RIP], (const uintptr_t *)r[REG_RSP], (int)r[REG_RDI] };
#elif defined(__aarch64__)
    const mcontext_t *r = &found->uc_mcontext;
    return (place){ (uintptr_t)r->pc, (const uintptr_t *)r->sp, (int)r->regs[0] };
#else
#error "where a signal found the thread is not known for this machine"
#endif
}

/* Of a system call that was trapped. */
static void *first_pointer(void *context)
{
    ucontext_t *found = context;
#if defined(__x86_64__)
    return (void *)found->uc_mcontext.gregs[REG_RDI];
#else
    return (void *)found->uc_mcontext.regs[0];
#endif
}

static void set_call_answer(void *context, int answer)
{
    ucontext_t *found = context;
#if defined(__x86_64__)
    found->uc_mcontext.gregs[REG_RAX] = answer;
#else
    found->uc_mcontext.regs[0] = (unsigned long long)answer;
#endif
}

/* ---- what was there before ---- */

/* Lets the signal end the process as it would have without us. Async-signal-safe: sigaction
 * and system calls. */
static void end_process(int number, siginfo_t *info)
{
    struct sigaction ending = { .sa_handler = SIG_DFL };
    sigaction(number, &ending, NULL);
    /* Comes when the handler returns and it is no longer blocked, with the registers and
     * the cause of the first one, so that a core tells the truth. */
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) != 0)
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

/* Calls the host program's handler as the kernel would have, with its signal mask.
 * Async-signal-safe: everything but the handler itself is. */
static void call_handler(struct sigaction *before, int number, siginfo_t *info, void *context)
{
    struct sigaction chosen = *before;
    sigset_t blocked;

    sigorset(&blocked, &((ucontext_t *)context)->uc_sigmask, &chosen.sa_mask);
    if (!(chosen.sa_flags & SA_NODEFER))
        sigaddset(&blocked, number);
    if (chosen.sa_flags & (int)SA_RESETHAND) {
        before->sa_handler = SIG_DFL;
        before->sa_flags = 0;
    }

    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    if (chosen.sa_flags & SA_SIGINFO)
        chosen.sa_sigaction(number, info, context);
    else
        chosen.sa_handler(number);
}

static int is_handled(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* Whether the signal was sent, by kill and the like, instead of being caused. */
static int was_sent(const siginfo_t *info)
{
    return info->si_code <= 0;
}

/* Async-signal-safe: reads what does not change while the handlers stand. */
static void pass_to_host(int number, siginfo_t *info, void *context)
{
    size_t i = 0;

    while (faults[i] != number)
        i++;
    struct sigaction *before = &installed.before[i];
    if (is_handled(before))
        call_handler(before, number, info, context);
    else if (before->sa_handler == SIG_DFL || !was_sent(info))
        end_process(number, info); /* a fault cannot be ignored: the kernel does neither */
}

/* ---- handlers ---- */

static int is_from_outside(const siginfo_t *info)
{
    return was_sent(info) && info->si_pid != getpid();
}

/* In place of the kernel's and the machine's names; the release is one that packages can compare,
 * and has what a worker needs. */
static const struct utsname no_machine = { .sysname = "Linux",
                                           .nodename = "localhost",
                                           .release = "5.13.0",
                                           .version = "#1",
#if defined(__x86_64__)
                                           .machine = "x86_64" };
#else
                                           .machine = "aarch64" };
#endif

/* Written before there is a second thread. */
static int answers_uname;

void guard_answer_uname(void)
{
    answers_uname = 1;
}

/* The filter of a worker's process traps the call, on whichever thread. Async-signal-safe: copies.
 */
static int answer_uname(int number, const siginfo_t *info, void *context)
{
    if (!answers_uname || number != SIGSYS || was_sent(info) || info->si_syscall != SYS_uname)
        return 0;
    memcpy(first_pointer(context), &no_machine, sizeof no_machine);
    set_call_answer(context, 0);
    return 1;
}

/* Runs on the signal stack of its thread, or on the host's own. Async-signal-safe: reads
 * this thread's guard, which is thread-local in the initial-exec model (no allocation at
 * the first access), and what it calls is marked so. */
static void handle_fault(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    guard *g = guard_here;

    if (answer_uname(number, info, context)) {
        ;
    } else if (guard_forgoes_jumps() || !g || !g->is_running || is_from_outside(info)) {
        pass_to_host(number, info, context);
    } else if (number == SIGSYS && !was_sent(info) && info->si_syscall == SYS_exit_group) {
        guard_leave(g, GUARD_EXIT, place_of(context).first_argument);
    } else if (number != SIGSEGV || !guard_open_yellow(g, info->si_addr)) {
        g->fault_address = was_sent(info) ? NULL : info->si_addr;
        guard_leave(g, GUARD_FAULT, number);
    }
    errno = saved;
}

/* The signal by which the C library makes a set*id call on every thread. Who left its handler by a
 * jump would leave the caller of that function waiting for ever. */
static int is_changing_user(const void *context)
{
    return sigismember(&((const ucontext_t *)context)->uc_sigmask, SIGRTMIN - 1) == 1;
}

/* The kick is masked while this runs: the frames of those that have queued up for a thread that was
 * not scheduled are one behind the other on its signal stack, and not above each other. Faults are
 * not masked, so that one in here is contained too. Async-signal-safe as handle_fault. */
static void handle_kick(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    guard *g = guard_here;
    if (g) {
        atomic_store(&g->heard_of, atomic_load(&g->sent));
        atomic_store(&g->is_kicked, 0); /* before stage is read */
    }

    if (!g || !g->is_running)
        return;

    int saved = errno;
    int stage = atomic_load(&g->stage);
    place at = place_of(context);
    if (stage >= GUARD_INTERRUPT && g->on_kick)
        g->on_kick(g, (uintptr_t)at.sp);
    if (stage >= GUARD_JUMP && !is_changing_user(context))
        guard_tear(g, at.pc, at.sp);
    errno = saved;
}

/* ---- installing ---- */

static int has_handler(const struct sigaction *action, void (*handler)(int, siginfo_t *, void *))
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handler;
}

static int is_fault(int number)
{
    for (size_t i = 0; i < COUNT(faults); i++)
        if (faults[i] == number)
            return 1;
    return 0;
}

/* What keeps a signal from being the kick; NULL: nothing. A signal that is read by signalfd is
 * blocked in all threads, and a session's thread would take it away. */
static const char *use_of_signal(int number)
{
    struct sigaction now;
    sigset_t blocked;

    if (is_fault(number) || number == SIGKILL || number == SIGSTOP ||
        sigaction(number, NULL, &now) != 0)
        return "cannot be handled for this";
    if (is_handled(&now))
        return "is handled by the host program already";
    if (now.sa_handler == SIG_IGN)
        return "is ignored by the host program";
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, number) == 1)
        return "is blocked in this thread, as it is where signalfd reads it";
    return NULL;
}

/* The first real-time signal that nobody uses; 0: none. */
static int free_signal(void)
{
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        if (!use_of_signal(number))
            return number;
    return 0;
}

static int refuse_signal(int number, const char *use)
{
    int other = free_signal();
    if (other == 0)
        return error_set(SNUG_EINVAL,
                         "kick_signal: signal %d %s, and no real-time signal is free either",
                         number, use);
    return error_set(SNUG_EINVAL, "kick_signal: signal %d %s; %d is free, and 0 takes one that is",
                     number, use, other);
}

/* *out is the one to use for what a caller has named, or 0. */
static int choose_signal(int *out, int named)
{
    const char *use = named ? use_of_signal(named) : NULL;

    if (use)
        return refuse_signal(named, use);
    *out = named ? named : free_signal();
    if (*out == 0)
        return error_set(
            SNUG_EINVAL,
            "kick_signal: each real-time signal is handled, ignored or blocked in this "
            "thread: leave one free, or name another signal");
    return SNUG_OK;
}

static int install_kick(int named)
{
    /* Without SA_RESTART, so that a blocked call ends with EINTR. */
    struct sigaction ours = { .sa_sigaction = handle_kick, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    int number = 0;
    int error = choose_signal(&number, named);
    if (error)
        return error;

    sigemptyset(&ours.sa_mask);
    if (sigaction(number, &ours, &installed.before_kick))
        return error_system("kick_signal: signal %d", number);
    installed.kick = number;
    return SNUG_OK;
}

/* Where faults end the process only what is trapped on purpose has a handler, and no guard's thread
 * is torn out of anything. */
static int is_handled_here(int number)
{
    return !guard_forgoes_jumps() || number == SIGSYS;
}

static void install_faults(void)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        if (!is_handled_here(faults[i]))
            continue;
        struct sigaction ours = { .sa_sigaction = handle_fault,
                                  .sa_flags = SA_SIGINFO | SA_ONSTACK };
        sigaction(faults[i], NULL, &installed.before[i]);
        ours.sa_flags |= installed.before[i].sa_flags & SA_RESTART;
        sigemptyset(&ours.sa_mask);
        sigaction(faults[i], &ours, NULL);
    }
}

int guard_install(int kick_signal)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&installed.lock);
    if (!installed.kick) {
        text_init();
        if ((error = install_kick(kick_signal)) == SNUG_OK)
            install_faults();
    } else if (kick_signal && installed.kick != kick_signal) {
        error = error_set(SNUG_EINVAL, "sessions are interrupted with signal %d already, not %d",
                          installed.kick, kick_signal);
    }

    pthread_mutex_unlock(&installed.lock);
    return error;
}

static void restore_handlers(int number, void (*handler)(int, siginfo_t *, void *),
                             const struct sigaction *before)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && has_handler(&now, handler))
        sigaction(number, before, NULL);
}

void guard_uninstall(void)
{
    pthread_mutex_lock(&installed.lock);
    for (size_t i = 0; installed.kick && i < COUNT(faults); i++)
        restore_handlers(faults[i], handle_fault, &installed.before[i]);
    if (installed.kick)
        restore_handlers(installed.kick, handle_kick, &installed.before_kick);
    installed.kick = 0;
    pthread_mutex_unlock(&installed.lock);
}

int guard_is_installed(void)
{
    struct sigaction now;

    pthread_mutex_lock(&installed.lock);
    int stand = installed.kick && sigaction(installed.kick, NULL, &now) == 0 &&
                has_handler(&now, handle_kick);
    for (size_t i = 0; stand && !guard_forgoes_jumps() && i < COUNT(faults); i++)
        stand = sigaction(faults[i], NULL, &now) == 0 && has_handler(&now, handle_fault);
    pthread_mutex_unlock(&installed.lock);
    return stand;
}
