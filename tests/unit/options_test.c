#include "test.h"

#include <stdint.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/options.h"

/* The same struct in three versions. */
typedef struct first {
    size_t size;
    const char *name;
} first;

typedef struct second {
    size_t size;
    const char *name;
    uint64_t count;
} second;

typedef struct third {
    size_t size;
    const char *name;
    uint64_t count;
    const char *more;
    uint64_t last;
} third;

TEST(the_struct_of_this_version_is_taken_as_it_is)
{
    const second given = { sizeof given, "mine", 3 };
    second taken;
    assert_int_equal(options_take(&taken, sizeof taken, &given, "second"), SNUG_OK);
    assert_memory_equal(&taken, &given, sizeof given);
}

TEST(what_an_older_caller_does_not_have_is_zero)
{
    const first given = { sizeof given, "mine" };
    third taken;
    memset(&taken, 0xAA, sizeof taken);
    assert_int_equal(options_take(&taken, sizeof taken, &given, "third"), SNUG_OK);
    assert_int_equal(taken.size, sizeof taken);
    assert_string_equal(taken.name, "mine");
    assert_int_equal(taken.count, 0);
    assert_null(taken.more);
    assert_int_equal(taken.last, 0);
}

TEST(nothing_is_read_behind_an_older_struct)
{
    const struct {
        first given;
        uint64_t behind;
    } memory = { { sizeof(first), "mine" }, UINT64_MAX };
    second taken;
    assert_int_equal(options_take(&taken, sizeof taken, &memory.given, "second"), SNUG_OK);
    assert_int_equal(taken.count, 0);
}

TEST(a_newer_struct_is_taken_as_long_as_it_sets_nothing_unknown)
{
    third given = { .size = sizeof given, .name = "mine", .count = 3 };
    second taken;
    assert_int_equal(options_take(&taken, sizeof taken, &given, "third"), SNUG_OK);
    assert_int_equal(taken.size, sizeof taken);
    assert_int_equal(taken.count, 3);

    given.last = UINT64_C(1) << 63; /* its last byte */
    assert_int_equal(options_take(&taken, sizeof taken, &given, "third"), SNUG_EINVAL);
    assert_string_equal(error_message(),
                        "third has 40 bytes for the caller and 24 here, and sets something at byte "
                        "39 that this version does not know");
    given.last = 0;
    given.more = "more";
    assert_int_equal(options_take(&taken, sizeof taken, &given, "third"), SNUG_EINVAL);
}

TEST(a_refused_struct_leaves_the_other_untouched)
{
    const third given = { .size = sizeof given, .last = 1 };
    second taken = { 7, "kept", 9 };
    assert_int_equal(options_take(&taken, sizeof taken, &given, "third"), SNUG_EINVAL);
    assert_int_equal(taken.size, 7);
    assert_string_equal(taken.name, "kept");
    assert_int_equal(taken.count, 9);
}

TEST(without_a_struct_all_is_zero)
{
    second taken;
    memset(&taken, 0xAA, sizeof taken);
    assert_int_equal(options_take(&taken, sizeof taken, NULL, "second"), SNUG_OK);
    assert_int_equal(taken.size, sizeof taken);
    assert_null(taken.name);
    assert_int_equal(taken.count, 0);
}

TEST(a_size_that_can_not_be_one_is_refused)
{
    static const size_t sizes[] = { 0, 4, 12, 23, 4104, SIZE_MAX };
    second taken, given = { 0, "mine", 3 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        given.size = sizes[i];
        assert_int_equal(options_take(&taken, sizeof taken, &given, "second"), SNUG_EINVAL);
        assert_int_equal(options_give(&given, &given, sizeof given, "second"), SNUG_EINVAL);
    }
    assert_non_null(strstr(error_message(), "second has a size of"));
}

TEST(counters_are_filled_as_far_as_the_caller_has_room)
{
    const third facts = { sizeof facts, "mine", 3, "more", 5 };
    struct {
        second counters;
        uint64_t behind;
    } memory = { { sizeof(second), NULL, 0 }, 77 };
    assert_int_equal(options_give(&memory.counters, &facts, sizeof facts, "second"), SNUG_OK);
    assert_int_equal(memory.counters.size, sizeof(second));
    assert_string_equal(memory.counters.name, "mine");
    assert_int_equal(memory.counters.count, 3);
    assert_int_equal(memory.behind, 77);
}

TEST(what_only_a_newer_version_counts_is_zero)
{
    const first facts = { sizeof facts, "mine" };
    third counters;
    memset(&counters, 0xAA, sizeof counters);
    counters.size = sizeof counters;
    assert_int_equal(options_give(&counters, &facts, sizeof facts, "third"), SNUG_OK);
    assert_int_equal(counters.size, sizeof counters);
    assert_string_equal(counters.name, "mine");
    assert_int_equal(counters.count, 0);
    assert_int_equal(counters.last, 0);
}

TEST(counters_without_a_place_are_refused)
{
    const first facts = { sizeof facts, "mine" };
    assert_int_equal(options_give(NULL, &facts, sizeof facts, "first"), SNUG_EINVAL);
    assert_string_equal(error_message(), "first: out is NULL");
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
