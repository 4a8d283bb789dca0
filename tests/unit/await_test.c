#include "test.h"

#include <signal.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/process/await.h"

static int ends[2];
static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    alarms++;
    if (alarms == 3 && write(ends[1], "x", 1) != 1)
        alarms = 0;
}

/* A signal each 5 ms; at the third there is something to read. */
static void start_alarms(void)
{
    const struct itimerval often = { { 0, 5000 }, { 0, 5000 } };
    const struct sigaction counted = { .sa_handler = count_alarm };
    assert_int_equal(sigaction(SIGALRM, &counted, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static int open_pipe(void **state)
{
    alarms = 0;
    return pipe(ends);
}

static int close_pipe(void **state)
{
    const struct itimerval never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_DFL);
    close(ends[0]);
    return close(ends[1]);
}

TEST_WITH(signals_do_not_end_the_wait, open_pipe, close_pipe)
{
    start_alarms();
    assert_true(await_readable(ends[0], 60000));
    assert_true(alarms >= 3);
}

TEST_WITH(a_wait_in_vain_takes_its_time, open_pipe, close_pipe)
{
    uint64_t began_ns = clock_now_ns();
    assert_false(await_readable(ends[0], 30));
    assert_true(clock_now_ns() - began_ns >= 30 * NS_PER_MS);
}

TEST_WITH(the_end_of_the_other_side_is_seen, open_pipe, close_pipe)
{
    close(ends[1]);
    assert_true(await_readable(ends[0], 60000));
    ends[1] = dup(ends[0]);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
