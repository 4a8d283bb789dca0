/* The masks, against the numbers of the kernel's header as of ABI 7. */
#include "test.h"

#include "policy/landlock.h"

enum {
    EXECUTE = 1,
    WRITE_FILE = 2,
    READ_FILE = 4,
    READ_DIR = 8,
    REFER = 0x2000,
    TRUNCATE = 0x4000
};

TEST(each_abi_handles_what_it_knows)
{
    static const struct {
        int abi;
        uint64_t files, ports, scopes;
        uint32_t bytes, flags;
    } expected[] = {
        { -1, 0, 0, 0, 0, 0 },       { 0, 0, 0, 0, 0, 0 },       { 1, 0x1fff, 0, 0, 8, 0 },
        { 2, 0x3fff, 0, 0, 8, 0 },   { 3, 0x7fff, 0, 0, 8, 0 },  { 4, 0x7fff, 3, 0, 16, 0 },
        { 5, 0xffff, 3, 0, 16, 0 },  { 6, 0xffff, 3, 3, 24, 0 }, { 7, 0xffff, 3, 3, 24, 1 },
        { 99, 0xffff, 3, 3, 24, 1 },
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        landlock_ruleset found = landlock_handled(expected[i].abi);
        assert_int_equal(found.files, expected[i].files);
        assert_int_equal(found.ports, expected[i].ports);
        assert_int_equal(found.scopes, expected[i].scopes);
        assert_int_equal(landlock_ruleset_bytes(expected[i].abi), expected[i].bytes);
        assert_int_equal(landlock_restrict_flags(expected[i].abi), expected[i].flags);
    }
}

TEST(a_root_to_read_grants_reading_only)
{
    for (int abi = 1; abi <= LANDLOCK_NEWEST_ABI; abi++) {
        assert_int_equal(landlock_granted(abi, PATH_READ, 1), READ_FILE | READ_DIR);
        assert_int_equal(landlock_granted(abi, PATH_READ, 0), READ_FILE);
    }
}

/* Files and folders; not to be executed, and no devices, sockets, pipes and links. */
TEST(a_root_to_write_grants_files_and_folders)
{
    assert_int_equal(landlock_granted(1, PATH_WRITE, 1), 0x01be);
    assert_int_equal(landlock_granted(2, PATH_WRITE, 1), 0x01be | REFER);
    for (int abi = 3; abi <= LANDLOCK_NEWEST_ABI; abi++)
        assert_int_equal(landlock_granted(abi, PATH_WRITE, 1), 0x01be | REFER | TRUNCATE);
    assert_int_equal(landlock_granted(1, PATH_WRITE, 0), READ_FILE | WRITE_FILE);
    assert_int_equal(landlock_granted(7, PATH_WRITE, 0), READ_FILE | WRITE_FILE | TRUNCATE);
}

TEST(nothing_is_granted_that_is_not_handled)
{
    for (int abi = 0; abi <= LANDLOCK_NEWEST_ABI; abi++)
        assert_int_equal(landlock_granted(abi, PATH_WRITE, 1) & ~landlock_handled(abi).files, 0);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
