#include "test.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

TEST(equal_bytes_have_equal_hashes_wherever_they_are)
{
    char text[64] = "";
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(text + shift, "a sentence of more than sixteen bytes", 37);
        assert_true(hash_bytes(text + shift, 37) ==
                    hash_bytes("a sentence of more than sixteen bytes", 37));
    }
}

TEST(nothing_has_a_hash)
{
    assert_true(hash_bytes(NULL, 0) == hash_bytes("", 0));
}

TEST(zero_bytes_count)
{
    static const char zeros[40];
    for (size_t i = 0; i < sizeof zeros; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(hash_bytes(zeros, i) != hash_bytes(zeros, j));
}

TEST(every_bit_changes_about_half_of_the_hash)
{
    unsigned char text[47] = "the quick brown fox jumps over the lazy dog";
    uint64_t hash = hash_bytes(text, sizeof text);
    for (size_t bit = 0; bit < 8 * sizeof text; bit++) {
        text[bit / 8] ^= (unsigned char)(1U << bit % 8);
        int changed = __builtin_popcountll(hash ^ hash_bytes(text, sizeof text));
        assert_in_range(changed, 12, 52);
        text[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

TEST(numbers_rarely_share_the_low_half_of_a_hash)
{
    static uint32_t low[20000];
    size_t count = sizeof low / sizeof *low, shared = 0;
    for (uint64_t i = 0; i < count; i++)
        low[i] = (uint32_t)hash_bytes(&i, sizeof i);
    qsort(low, count, sizeof *low, compare);
    for (size_t i = 1; i < count; i++)
        shared += low[i] == low[i - 1];
    assert_true(shared < 5); /* 0.05 are to be expected */
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
