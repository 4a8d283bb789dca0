#include "test.h"

#include "agent/reply/timing.h"

static void the_median_is_that_of_the_sorted_times(void **state)
{
    (void)state;
    static const double times[] = { 5, 1, 9, 3, 7 };
    assert_true(timing_median(times, 5) == 5);
    assert_true(timing_median(times, 4) == 4);
    assert_true(timing_median(times, 1) == 5);
    assert_true(timing_median(times, 0) == 0);
    assert_true(timing_spread(times, 5) == 2);
    assert_true(timing_spread(times, 1) == 0);
}

static void faster_is_a_tenth_beyond_the_noise(void **state)
{
    (void)state;
    static const struct {
        double before[TIMING_RUNS], after[TIMING_RUNS];
        size_t count;
        int is_faster;
    } rows[] = {
        { { 10, 10, 10, 10, 10 }, { 9, 9, 9, 9, 9 }, 5, 1 },
        { { 10, 10, 10, 10, 10 }, { 9.1, 9.1, 9.1, 9.1, 9.1 }, 5, 0 },
        { { 10, 10, 10, 10, 10 }, { 8, 9, 8, 9, 8.5 }, 5, 1 },   /* 8.5, and 0.5 of noise */
        { { 9, 11, 10, 9.5, 10.5 }, { 8, 9, 8, 9, 8.5 }, 5, 0 }, /* 0.5 more */
        { { 10, 10, 10, 10, 99 }, { 1, 1, 1, 1, 500 }, 5, 1 },   /* one that was disturbed */
        { { 10, 10, 10 }, { 5, 5, 5 }, 3, 1 },
        { { 10, 10 }, { 1, 1 }, 2, 0 }, /* too few to know the noise */
        { { 0 }, { 0 }, 0, 0 },
        { { 1, 1, 1, 1, 1 }, { 10, 10, 10, 10, 10 }, 5, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (timing_is_faster(rows[i].before, rows[i].after, rows[i].count) != rows[i].is_faster)
            fail_msg("row %zu", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_is_that_of_the_sorted_times),
        cmocka_unit_test(faster_is_a_tenth_beyond_the_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
