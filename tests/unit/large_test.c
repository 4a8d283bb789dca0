#include "test.h"

#include "limits/memory.h"

#include <stdlib.h>
#include <string.h>

static memory_account ours, others;

static char *take_block(memory_account *m)
{
    char *block = malloc(4 * LARGE_BYTES);
    assert_non_null(block);
    memset(block, 1, 4 * LARGE_BYTES);
    if (m)
        large_note(block, m);
    return block;
}

static int is_kept(const char *block)
{
    return block[2 * LARGE_BYTES] == 1;
}

static void pages_of_an_account_go_back(void **state)
{
    char *mine[] = { take_block(&ours), take_block(&ours) };
    char *not_mine = take_block(&others), *unknown = take_block(NULL);
    assert_int_equal(unusual_count, 3);
    large_give_back(&ours);
    assert_false(is_kept(mine[0]));
    assert_false(is_kept(mine[1]));
    assert_true(is_kept(not_mine));
    assert_true(is_kept(unknown));
    assert_int_equal(unusual_count, 1);
    large_give_back(&others);
    assert_false(is_kept(not_mine));
    assert_int_equal(unusual_count, 0);
    free(mine[0]);
    free(mine[1]);
    free(not_mine);
    free(unknown);
}

static void the_rest_of_a_page_stays(void **state)
{
#if defined(__SANITIZE_THREAD__)
    print_message("ThreadSanitizer's malloc begins large blocks with a page\n");
    skip();
#endif
    char *block = take_block(&ours);
    large_give_back(&ours);
    assert_int_equal(block[0], 1); /* malloc's own words are in that page */
    free(block);
}

static void what_was_freed_is_not_touched(void **state)
{
    char *block = take_block(&ours);
    large_forget(block + 16);
    assert_int_equal(unusual_count, 1);
    large_forget(block);
    assert_int_equal(unusual_count, 0);
    large_give_back(&ours);
    assert_true(is_kept(block));
    free(block);
}

static void what_a_library_keeps_is_not_touched(void **state)
{
    char *block = take_block(&ours);
    large_disown(&ours);
    large_give_back(&ours);
    assert_true(is_kept(block));
    assert_int_equal(unusual_count, 0);
    free(block);
}

static void there_is_room_for_some(void **state)
{
    static char blocks[5000];
    for (size_t i = 0; i < sizeof blocks; i++)
        large_note(blocks + i, &ours);
    assert_in_range(unusual_count, 16, sizeof blocks - 1);
    large_disown(&ours);
    assert_int_equal(unusual_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_an_account_go_back),
        cmocka_unit_test(the_rest_of_a_page_stays),
        cmocka_unit_test(what_was_freed_is_not_touched),
        cmocka_unit_test(what_a_library_keeps_is_not_touched),
        cmocka_unit_test(there_is_room_for_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
