#include "test.h"

#include "agent/model/retry.h"

TEST(only_what_may_pass_is_tried_again)
{
    static const int helps[] = { 408, 409, 425, 429, 500, 502, 503, 504, 529, 599 };
    static const int helps_not[] = {
        0, 200, 301, 400, 401, 402, 403, 404, 413, 422, 501, 505, 600
    };
    for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
        assert_true(retry_helps(helps[i]));
    for (size_t i = 0; i < sizeof helps_not / sizeof *helps_not; i++)
        assert_false(retry_helps(helps_not[i]));
}

TEST(waits_double_and_are_any_time_up_to_that)
{
    const retry_rule rule = { 10, 100, 1000 };
    uint64_t seed = 1, seen = 0;
    assert_int_equal(retry_backoff_ms(&rule, 0, 100), 100);
    assert_int_equal(retry_backoff_ms(&rule, 0, 101), 0);
    assert_int_equal(retry_backoff_ms(&rule, 1, 200), 200);
    assert_int_equal(retry_backoff_ms(&rule, 1, 201), 0);
    assert_int_equal(retry_backoff_ms(&rule, 2, 400), 400);
    assert_int_equal(retry_backoff_ms(&rule, 2, 401), 0);
    assert_int_equal(retry_backoff_ms(&rule, 4, 1000), 1000);
    assert_int_equal(retry_backoff_ms(&rule, 4, 1001), 0);
    assert_int_equal(retry_backoff_ms(&rule, 1000000, 1000), 1000);
    for (int i = 0; i < 1000; i++) {
        uint64_t wait = retry_backoff_ms(&rule, 0, retry_random(&seed));
        assert_true(wait <= 100);
        seen |= UINT64_C(1) << (wait * 63 / 100);
    }
    assert_true(seen == UINT64_MAX);
}

TEST(numbers_of_a_seed_are_the_same)
{
    uint64_t a = 42, b = 42, c = 43;
    for (int i = 0; i < 10; i++) {
        uint64_t next = retry_random(&a);
        assert_true(next == retry_random(&b));
        assert_true(next != retry_random(&c));
    }
}

TEST(huge_waits_do_not_wrap)
{
    const retry_rule rule = { 10, UINT64_MAX / 2 + 1, UINT64_MAX };
    assert_true(retry_backoff_ms(&rule, 3, UINT64_MAX) == UINT64_MAX);
}

TEST(retry_after_is_seconds_or_a_date)
{
    enum { NOW = 784111777 }; /* Sun, 06 Nov 1994 08:49:37 GMT */
    static const struct {
        const char *in_ms, *after;
        int is_told;
        uint64_t ms;
    } cases[] = {
        { NULL, "0", 1, 0 },
        { NULL, "7", 1, 7000 },
        { NULL, "1.5", 1, 1500 },
        { NULL, "120 ", 1, 120000 },
        { NULL, "99999999999999999999999999", 1, UINT64_MAX },
        { "250", "7", 1, 250 },
        { "x", "7", 1, 7000 },
        { NULL, "Sun, 06 Nov 1994 08:49:40 GMT", 1, 3000 },
        { NULL, "Sunday, 06-Nov-94 08:49:40 GMT", 1, 3000 },
        { NULL, "Sun Nov  6 08:49:40 1994", 1, 3000 },
        { NULL, "Sun, 06 Nov 1994 08:49:37 GMT", 1, 0 },
        { NULL, "Sat, 05 Nov 1994 08:49:37 GMT", 1, 0 },
        { NULL, NULL, 0, 0 },
        { "", "", 0, 0 },
        { NULL, "soon", 0, 0 },
        { NULL, "-1", 0, 0 },
        { NULL, "7 days", 0, 0 },
        { NULL, ".5", 0, 0 },
        { NULL, "Sun, 99 Nov 1994 08:49:37 GMT", 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ms = 0;
        int is_told = retry_after_ms(&ms, cases[i].in_ms, cases[i].after, NOW);
        if (is_told != cases[i].is_told || (is_told && ms != cases[i].ms))
            fail_msg("%s: %d, %llu ms", cases[i].after ? cases[i].after : "(none)", is_told,
                     (unsigned long long)ms);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
