#include "test.h"

#include "base/clock.h"

TEST(the_clock_does_not_go_back)
{
    uint64_t before = clock_now_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = clock_now_ns();
        assert_true(now >= before);
        before = now;
    }
    assert_true(before > 0);
}

TEST(thread_time_grows_with_work)
{
    uint64_t before = clock_thread_cpu_ns(), elapsed = clock_now_ns();
    while (clock_thread_cpu_ns() - before < NS_PER_MS)
        ;
    assert_true(clock_now_ns() - elapsed >= NS_PER_MS / 2);
}

TEST(a_deadline_is_milliseconds_from_now)
{
    assert_int_equal(clock_deadline_ns(5, 0), 5);
    assert_int_equal(clock_deadline_ns(5, 3), 3000005);
}

TEST(a_deadline_out_of_range_is_never)
{
    assert_true(clock_deadline_ns(0, UINT64_MAX) == UINT64_MAX);
    assert_true(clock_deadline_ns(UINT64_MAX - 1, 1) == UINT64_MAX);
    assert_true(clock_deadline_ns(1, UINT64_MAX / NS_PER_MS) < UINT64_MAX);
    assert_true(clock_deadline_ns(1, UINT64_MAX / NS_PER_MS + 1) == UINT64_MAX);
}

TEST(the_middle_is_half_of_what_is_left)
{
    assert_int_equal(clock_middle_ns(10, 20), 15);
    assert_int_equal(clock_middle_ns(10, 10), 10);
    assert_int_equal(clock_middle_ns(10, 3), 10);
    assert_true(clock_middle_ns(10, UINT64_MAX) == UINT64_MAX);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
