#include "test.h"

#include <pthread.h>

#include "limits/memory.h"

static const int64_t MIB = 1 << 20;

static memory_account account(int64_t limit_mib)
{
    memory_account m;
    memory_init(&m, (uint64_t)(limit_mib * MIB));
    memory_begin(&m);
    return m;
}

static void what_is_charged_is_used_until_it_is_released(void **state)
{
    memory_account m = account(100);
    assert_true(memory_charge(&m, 30));
    assert_true(memory_charge(&m, 0));
    memory_release(&m, 10);
    assert_int_equal(m.used_bytes, 20);
    assert_int_equal(m.refusals, 0);
}

static void the_limit_holds_to_the_byte(void **state)
{
    memory_account m = account(100);
    assert_false(memory_charge(&m, 100 * MIB + 1));
    assert_true(memory_charge(&m, 100 * MIB));
    assert_false(memory_charge(&m, 1));
    assert_int_equal(m.used_bytes, 100 * MIB);
    assert_int_equal(m.refusals, 2);
}

static void what_was_restored_over_the_limit_stays_with_a_reserve(void **state)
{
    memory_account m = account(100);
    memory_begin_copy(&m);
    assert_true(memory_charge(&m, 200 * MIB));
    assert_false(memory_charge(&m, 1 * MIB));
    memory_end_copy(&m);
    memory_begin(&m);
    assert_true(memory_charge(&m, 12 * MIB));
    assert_false(memory_charge(&m, 1 * MIB));
    memory_release(&m, 212 * MIB);
    memory_begin(&m);
    assert_false(memory_charge(&m, 101 * MIB));
}

static void a_size_that_nothing_can_have_is_refused(void **state)
{
    memory_account m = account(100);
    memory_account unlimited;
    memory_init(&unlimited, UINT64_MAX);
    memory_begin(&unlimited);
    assert_true(memory_charge(&unlimited, 5));
    assert_false(memory_charge(&unlimited, INT64_MAX));
    assert_false(memory_charge(&m, INT64_MAX));
    assert_true(memory_charge(&m, 5));
    assert_false(memory_charge(&m, -1));
    assert_int_equal(m.used_bytes, 5);
    assert_int_equal(unlimited.used_bytes, 5);
}

enum { CHARGES = 200000 };

static void *charge_often(void *arg)
{
    for (int i = 0; i < CHARGES; i++) {
        memory_charge(arg, 3);
        memory_release(arg, 1);
    }
    return NULL;
}

static void a_shared_account_loses_no_charge_of_several_threads(void **state)
{
    pthread_t threads[2];
    memory_account m = account(100);
    m.is_shared = 1;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, charge_often, &m), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(m.used_bytes, 2 * CHARGES * 2);
}

static void without_a_limit_everything_is_counted(void **state)
{
    memory_account m;
    memory_init(&m, UINT64_MAX);
    memory_begin(&m);
    assert_true(memory_charge(&m, INT64_C(1) << 50));
    assert_int_equal(m.used_bytes, INT64_C(1) << 50);
}

static void a_full_session_has_a_reserve_in_its_next_cell(void **state)
{
    memory_account m = account(64);
    assert_true(memory_charge(&m, 64 * MIB));
    memory_begin(&m);
    assert_true(memory_charge(&m, MEMORY_RESERVE_BYTES));
    assert_false(memory_charge(&m, 1));
}

static void two_reserves_are_the_most_that_cells_can_take(void **state)
{
    memory_account m = account(64);
    for (int cell = 0; cell < 10; cell++) {
        memory_begin(&m);
        while (memory_charge(&m, MIB))
            ;
    }
    assert_int_equal(m.used_bytes, 64 * MIB + 2 * MEMORY_RESERVE_BYTES);
}

static void the_reserve_is_an_eighth_of_a_large_limit(void **state)
{
    memory_account m = account(800);
    assert_true(memory_charge(&m, 800 * MIB));
    memory_begin(&m);
    assert_true(memory_charge(&m, 100 * MIB));
    assert_false(memory_charge(&m, 1));
}

static void small_requests_are_granted_after_one_is_refused(void **state)
{
    memory_account m = account(64);
    assert_true(memory_charge(&m, 64 * MIB));
    assert_false(memory_charge(&m, MIB)); /* a large one is followed by none */
    assert_false(memory_charge(&m, MEMORY_SMALL_BYTES));
    for (int i = 0; i < MEMORY_GRANTS - 1; i++)
        assert_true(memory_charge(&m, MEMORY_SMALL_BYTES));
    assert_false(memory_charge(&m, MIB));
    assert_int_equal(m.refusals, 2);
    assert_false(memory_charge(&m, 1));
    assert_int_equal(m.refusals, 3);
    assert_int_equal(m.used_bytes, 64 * MIB + (MEMORY_GRANTS - 1) * MEMORY_SMALL_BYTES);
}

static void what_one_can_do_without_is_no_refusal(void **state)
{
    memory_account m = account(64);
    assert_true(memory_charge_if_fits(&m, 64 * MIB));
    assert_false(memory_charge_if_fits(&m, 1));
    assert_int_equal(m.refusals, 0);
    assert_int_equal(m.used_bytes, 64 * MIB);
}

static void the_reserve_does_not_lower_the_limit(void **state)
{
    memory_account m = account(64);
    assert_true(memory_charge(&m, 59 * MIB));
    memory_begin(&m);
    assert_true(memory_charge(&m, 8 * MIB));
    memory_release(&m, 50 * MIB);
    memory_begin(&m);
    assert_int_equal(m.ceiling_bytes, 64 * MIB);
}

static void the_peak_is_the_highest_of_a_cell(void **state)
{
    memory_account m = account(100);
    assert_true(memory_charge(&m, 50 * MIB));
    memory_release(&m, 40 * MIB);
    assert_int_equal(memory_peak(&m, 0), 50 * MIB);
    assert_int_equal(memory_peak(&m, 7), 50 * MIB + 7);
    memory_begin(&m);
    assert_int_equal(memory_peak(&m, 0), 10 * MIB);
    assert_false(memory_charge(&m, 500 * MIB));
    assert_int_equal(memory_peak(&m, 0), 10 * MIB);
}

static void a_session_may_free_what_others_allocated(void **state)
{
    memory_account m = account(100);
    memory_release(&m, 30 * MIB);
    memory_begin(&m);
    assert_int_equal(memory_peak(&m, 5), 5);
    assert_false(memory_charge(&m, 100 * MIB + 1));
    assert_true(memory_charge(&m, 20 * MIB));
    assert_int_equal(m.used_bytes, -10 * MIB);
}

static void a_cell_that_goes_on_after_many_refusals_is_hopeless(void **state)
{
    memory_account m = account(100);
    for (int i = 0; i < MEMORY_PATIENCE; i++) {
        assert_false(memory_is_hopeless(&m));
        memory_charge(&m, 200 * MIB);
    }
    assert_true(memory_is_hopeless(&m));
    memory_begin(&m);
    assert_false(memory_is_hopeless(&m));
}

/* All of it at once would be another thread's before its owner tries again. */
static void a_room_goes_piece_by_piece(void **state)
{
    int pieces = 0;
    assert_int_equal(room_drop(), 0);
    assert_int_equal(room_keep(), 1);
    while (room_drop())
        pieces++;
    assert_int_equal(pieces, ROOM_BYTES / ROOM_PIECE_BYTES);
    assert_true(pieces > 1);

    assert_int_equal(room_keep(), 1);
    assert_int_equal(room_drop(), 1);
    room_leave();
    assert_int_equal(room_drop(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_room_goes_piece_by_piece),
        cmocka_unit_test(what_is_charged_is_used_until_it_is_released),
        cmocka_unit_test(the_limit_holds_to_the_byte),
        cmocka_unit_test(what_was_restored_over_the_limit_stays_with_a_reserve),
        cmocka_unit_test(a_size_that_nothing_can_have_is_refused),
        cmocka_unit_test(a_shared_account_loses_no_charge_of_several_threads),
        cmocka_unit_test(without_a_limit_everything_is_counted),
        cmocka_unit_test(a_full_session_has_a_reserve_in_its_next_cell),
        cmocka_unit_test(two_reserves_are_the_most_that_cells_can_take),
        cmocka_unit_test(the_reserve_is_an_eighth_of_a_large_limit),
        cmocka_unit_test(small_requests_are_granted_after_one_is_refused),
        cmocka_unit_test(what_one_can_do_without_is_no_refusal),
        cmocka_unit_test(the_reserve_does_not_lower_the_limit),
        cmocka_unit_test(the_peak_is_the_highest_of_a_cell),
        cmocka_unit_test(a_session_may_free_what_others_allocated),
        cmocka_unit_test(a_cell_that_goes_on_after_many_refusals_is_hopeless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
