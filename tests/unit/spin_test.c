#include "test.h"

#include "base/spin.h"

static unsigned rests_after_failure(spin *s)
{
    unsigned rests = 0;
    spin_ended(s, 0);
    while (spin_until_ns(s, 1) == 0)
        rests++;
    return rests;
}

TEST(spins_in_vain_become_rare)
{
    spin s = { 0 };
    assert_true(spin_until_ns(&s, 1) > 1);
    for (unsigned rests = 1; rests < SPIN_MOST_RESTS; rests *= 2)
        assert_int_equal(rests_after_failure(&s), rests);
    assert_int_equal(rests_after_failure(&s), SPIN_MOST_RESTS);
    assert_int_equal(rests_after_failure(&s), SPIN_MOST_RESTS);
}

TEST(a_spin_that_pays_is_followed_by_others)
{
    spin s = { 0 };
    for (int i = 0; i < 4; i++)
        rests_after_failure(&s);
    spin_ended(&s, 1);
    assert_true(spin_until_ns(&s, 1) > 1);
    assert_int_equal(rests_after_failure(&s), 1);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
