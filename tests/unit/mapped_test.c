#include "test.h"

#include "py/core/mapped.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 256 << 10 };

static void a_mapped_block_is_zeroed_and_known_by_its_address(void **state)
{
    char *block = mapped_new(LARGE);
    if (!block)
        skip(); /* under a sanitizer */
    assert_true(mapped_bytes(block) >= LARGE);
    for (size_t i = 0; i < mapped_bytes(block); i++)
        assert_int_equal(block[i], 0);
    memset(block, 255, mapped_bytes(block));
    assert_int_equal(mapped_bytes(block + 16), 0);
    mapped_free(block);
}

/* One of the C library's may have the same place in its page. */
static void another_block_is_not_taken_for_a_mapped_one(void **state)
{
    assert_int_equal(mapped_bytes(NULL), 0);
    char *mapped = mapped_new(LARGE);
    if (!mapped)
        skip();
    char *room = aligned_alloc(4096, 8192);
    assert_non_null(room);
    memset(room, 0, 8192);
    assert_int_equal(mapped_bytes(room + 64), 0);
    memcpy(room, mapped - 64, 64); /* the mark of another address */
    assert_int_equal(mapped_bytes(room + 64), 0);
    free(room);
    mapped_free(mapped);
}

static void what_cannot_be_mapped_is_left_to_the_c_library(void **state)
{
    assert_null(mapped_new(SIZE_MAX));
    assert_null(mapped_new(SIZE_MAX / 2 - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapped_block_is_zeroed_and_known_by_its_address),
        cmocka_unit_test(another_block_is_not_taken_for_a_mapped_one),
        cmocka_unit_test(what_cannot_be_mapped_is_left_to_the_c_library),
    };
    mapped_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
