#include "test.h"

#include "base/hash.h"

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

int main(void)
{
    return run_all_tests(NULL, NULL);
}
