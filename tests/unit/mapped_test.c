#include "test.h"

#include "py/core/mapped.h"

#include <stdint.h>

enum { LARGE = 256 << 10 };

TEST(a_mapped_block_is_zeroed_and_known_by_its_address)
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
TEST(another_block_is_not_taken_for_a_mapped_one)
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

TEST(what_cannot_be_mapped_is_left_to_the_c_library)
{
    assert_null(mapped_new(SIZE_MAX));
    assert_null(mapped_new(SIZE_MAX / 2 - 1));
}

int main(void)
{
    mapped_install();
    return run_all_tests(NULL, NULL);
}
