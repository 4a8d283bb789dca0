#include "test.h"

#include "policy/files.h"

TEST(the_profiles_are_compiled_in_whole)
{
    static const char *const names[] = { "core.txt", "strict.txt", "data.txt" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const policy_file *file = policy_file_find(names[i]);
        assert_non_null(file);
        assert_int_equal(strlen(file->text), file->len);
        assert_int_equal(file->text[file->len - 1], '\n');
    }
}

TEST(a_file_that_is_not_there_is_not_found)
{
    assert_null(policy_file_find("core"));
    assert_null(policy_file_find("nonesuch.txt"));
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
