/* Which signal a session's thread is kicked with. */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"
#include "limits/guard.h"

static void ignore_signal(int number)
{
}

static void block(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* But for one. */
static void handle_all(int but)
{
    for (int number = 1; number <= SIGRTMAX; number++)
        if (number != but && number != SIGALRM)
            signal(number, ignore_signal);
}

/* Whether check holds in a process of its own. */
static void assert_holds(int (*check)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(600);
        _exit(check() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int says(const char *wanted)
{
    if (strstr(error_message(), wanted))
        return 1;
    fprintf(stderr, "it says: %s\n", error_message());
    return 0;
}

static int takes_the_first(void)
{
    return guard_install(0) == SNUG_OK && fault_kick_signal() == SIGRTMIN;
}

static int leaves_out_what_is_used(void)
{
    signal(SIGRTMIN, ignore_signal);
    signal(SIGRTMIN + 1, SIG_IGN);
    block(SIGRTMIN + 2);
    return guard_install(0) == SNUG_OK && fault_kick_signal() == SIGRTMIN + 3;
}

static void it_is_a_real_time_signal_that_nobody_uses(void **state)
{
    assert_holds(takes_the_first);
    assert_holds(leaves_out_what_is_used);
}

static int refuses_what_is_handled(void)
{
    char free[64];
    snprintf(free, sizeof free, "%d is free", SIGRTMIN);
    signal(SIGURG, ignore_signal);
    return guard_install(SIGURG) == SNUG_EINVAL && says("kick_signal: signal 23 is handled") &&
           says(free) && !guard_is_installed();
}

static int refuses_what_is_blocked(void)
{
    block(SIGURG);
    return guard_install(SIGURG) == SNUG_EINVAL && says("is blocked in this thread") &&
           says("is free");
}

static int refuses_what_is_ignored(void)
{
    signal(SIGUSR1, SIG_IGN);
    return guard_install(SIGUSR1) == SNUG_EINVAL && says("is ignored");
}

static int refuses_what_faults_raise(void)
{
    return guard_install(SIGSEGV) == SNUG_EINVAL && guard_install(SIGSTOP) == SNUG_EINVAL &&
           guard_install(SIGRTMIN - 1) == SNUG_EINVAL && guard_install(-1) == SNUG_EINVAL &&
           says("cannot be handled for this");
}

static void one_that_is_used_is_refused_and_a_free_one_named(void **state)
{
    assert_holds(refuses_what_is_handled);
    assert_holds(refuses_what_is_blocked);
    assert_holds(refuses_what_is_ignored);
    assert_holds(refuses_what_faults_raise);
}

/* As Go does. */
static int finds_the_last_one(void)
{
    handle_all(SIGRTMIN);
    return guard_install(SIGURG) == SNUG_EINVAL && says("; 34 is free") &&
           guard_install(0) == SNUG_OK && fault_kick_signal() == SIGRTMIN;
}

static int finds_none(void)
{
    handle_all(0);
    return guard_install(SIGURG) == SNUG_EINVAL && says("no real-time signal is free either") &&
           guard_install(0) == SNUG_EINVAL && says("kick_signal: each real-time signal");
}

static void where_all_are_handled_that_is_said(void **state)
{
    assert_holds(finds_the_last_one);
    assert_holds(finds_none);
}

/* A later host of the process has what the first one has chosen. */
static int keeps_what_it_has(void)
{
    if (guard_install(0) != SNUG_OK)
        return 0;
    block(fault_kick_signal());
    return guard_install(0) == SNUG_OK && guard_install(fault_kick_signal()) == SNUG_OK &&
           guard_install(SIGUSR1) == SNUG_EINVAL;
}

static void it_is_chosen_once(void **state)
{
    assert_holds(keeps_what_it_has);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_real_time_signal_that_nobody_uses),
        cmocka_unit_test(one_that_is_used_is_refused_and_a_free_one_named),
        cmocka_unit_test(where_all_are_handled_that_is_said),
        cmocka_unit_test(it_is_chosen_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
