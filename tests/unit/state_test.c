/* The names of files in a state folder. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "supervise/saved_state.h"

static void check_name(const char *name, const char *wanted)
{
    str text = { 0 };
    assert_int_equal(state_name(&text, name), 0);
    assert_string_equal(text.data, wanted);
    assert_int_equal(state_name_bytes(name), text.len);
    str_free(&text);
}

static void names_mean_nothing_to_the_file_system(void **state)
{
    check_name("talk-1_A", "talk-1_A");
    check_name("..", "%2E%2E");
    check_name("a/b", "a%2Fb");
    check_name("a%2Fb", "a%252Fb");
    check_name("\xc3\xa9", "%C3%A9");
    check_name("~", "%7E");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_mean_nothing_to_the_file_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
