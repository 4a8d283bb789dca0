/* The names of files in a state folder. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "supervise/saved_state.h"
#include "supervise/sha256.h"

static void check_digest(const char *text, size_t len, const char *wanted)
{
    char digest[SHA256_HEX + 1];
    sha256(digest, text, len);
    assert_string_equal(digest, wanted);
}

/* FIPS 180-4's examples, and the lengths at which the padding changes. */
static void digests_are_sha_256(void **state)
{
    static char many[1000000];
    memset(many, 'a', sizeof many);
    check_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_digest(many, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    check_digest(many, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    check_digest(many, sizeof many,
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void check_name(const char *name, const char *wanted)
{
    str text = { 0 };
    assert_int_equal(state_name(&text, name), 0);
    assert_string_equal(text.data, wanted);
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

static void long_names_are_short_files_that_differ_in_their_last_byte(void **state)
{
    char name[301] = { 0 };
    str one = { 0 }, two = { 0 };
    memset(name, 'x', 300);
    assert_int_equal(state_name(&one, name), 0);
    name[299] = 'y';
    assert_int_equal(state_name(&two, name), 0);
    assert_true(one.len < 200);
    assert_null(strchr(one.data, '/'));
    assert_string_not_equal(one.data, two.data);
    str_free(&one);
    str_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_sha_256),
        cmocka_unit_test(names_mean_nothing_to_the_file_system),
        cmocka_unit_test(long_names_are_short_files_that_differ_in_their_last_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
