#include "test.h"

#include "base/nearest.h"

static size_t distance(const char *a, const char *b, size_t limit)
{
    size_t there = nearest_distance(a, strlen(a), b, strlen(b), limit);
    assert_int_equal(nearest_distance(b, strlen(b), a, strlen(a), limit), there);
    return there;
}

/* The table of CPython's test_exceptions and test_levenshtein_distance. */
TEST(distances_are_those_of_cpython)
{
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        { "", "", 0 },
        { "", "a", 2 },
        { "a", "A", 1 },
        { "Apple", "Aple", 2 },
        { "Banana", "B@n@n@", 6 },
        { "Cherry", "Cherry!", 2 },
        { "---0---", "------", 2 },
        { "abc", "y", 6 },
        { "aa", "bb", 4 },
        { "aaaaa", "AAAAA", 5 },
        { "wxyz", "wXyZ", 2 },
        { "wxyz", "wXyZ123", 8 },
        { "Python", "Java", 12 },
        { "Java", "C#", 8 },
        { "AbstractFoobarManager", "abstract_foobar_manager", 7 },
        { "CPython", "PyPy", 10 },
        { "CPython", "pypy", 11 },
        { "AttributeError", "AttributeErrop", 2 },
        { "AttributeError", "AttributeErrorTests", 10 },
        { "ABA", "AAB", 4 },
        { "[", "{", 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t limit = 0; limit < 30; limit++)
            assert_int_equal(distance(cases[i].a, cases[i].b, limit),
                             cases[i].distance <= limit ? cases[i].distance : limit + 1);
}

TEST(a_distance_over_the_limit_is_one_more)
{
    assert_int_equal(distance("Python", "Java", 12), 12);
    assert_int_equal(distance("Python", "Java", 11), 12);
    assert_int_equal(distance("Python", "Java", 0), 1);
    assert_int_equal(distance("", "abcdef", 5), 6);
}

TEST(long_names_are_too_far_but_for_their_common_ends)
{
    char a[60], b[60];
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    assert_int_equal(nearest_distance(a, 41, b, 40, 1000), 1001);
    assert_int_equal(nearest_distance(a, 40, b, 40, 1000), 80);
    memset(b, 'a', 50);
    b[50] = 'x';
    memset(b + 51, 'a', 9);
    assert_int_equal(nearest_distance(a, 60, b, 60, 1000), 2);
}

TEST(letters_that_were_swapped_go_before_a_letter_too_many)
{
    const char *const names[] = { "--mode", "--model", "--mount" };
    assert_string_equal(nearest_typed("--modle", names, 3), "--model");
    assert_string_equal(nearest_typed("--moed", names, 3), "--mode");
    assert_string_equal(nearest_typed("--moddel", names, 3), "--model");
    assert_null(nearest_typed("--verbose", names, 3));
}

TEST(the_nearest_name_wins_and_of_equals_the_first)
{
    static const char *const names[] = { "blech", "somethingverywrong", "blach", "bluch",
                                         "blechh" };
    assert_string_equal(nearest_name("bluchh", names, 5), "bluch");
    assert_string_equal(nearest_name("blexh", names, 5), "blech");
    assert_string_equal(nearest_name("blich", names + 2, 2), "blach");
    assert_string_equal(nearest_name("Blech", names, 5), "blech");
}

TEST(a_name_that_is_far_is_not_meant)
{
    static const char *const names[] = { "noise", "more_noise", "a", "bc" };
    assert_null(nearest_name("somethingverywrong", names, 4));
    assert_null(nearest_name("", names, 4));
    assert_null(nearest_name("x", NULL, 0));
}

TEST(the_word_itself_is_passed_over)
{
    static const char *const names[] = { "counter", "counters" };
    assert_string_equal(nearest_name("counter", names, 2), "counters");
    assert_null(nearest_name("counter", names, 1));
}

TEST(too_many_names_are_not_searched)
{
    static const char *names[750];
    for (size_t i = 0; i < 750; i++)
        names[i] = "blech";
    assert_null(nearest_name("bleck", names, 750));
    assert_string_equal(nearest_name("bleck", names, 749), "blech");
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
