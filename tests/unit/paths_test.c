#include "test.h"

#include "policy/paths.h"

#include <string.h>

static void assert_normal(const char *cwd, const char *path, const char *expected)
{
    char out[64];
    assert_int_equal(paths_normalise(out, sizeof out, cwd, path, strlen(path)), 1);
    assert_string_equal(out, expected);
}

static void dots_and_slashes_are_taken_out(void **state)
{
    assert_normal("/space", "/a/b", "/a/b");
    assert_normal("/space", "//a///b//", "/a/b");
    assert_normal("/space", "/a/./b/.", "/a/b");
    assert_normal("/space", "/a/../b", "/b");
    assert_normal("/space", "/a/b/../../c/..", "/");
    assert_normal("/space", "/..", "/");
    assert_normal("/space", "/../../etc/passwd", "/etc/passwd");
    assert_normal("/space", "/", "/");
    assert_normal("/space", "/a/...", "/a/...");
    assert_normal("/space", "/a/..b/.c", "/a/..b/.c");
}

static void a_relative_path_begins_at_the_directory(void **state)
{
    assert_normal("/space", "data.csv", "/space/data.csv");
    assert_normal("/space/", "./x/../y", "/space/y");
    assert_normal("/space", ".", "/space");
    assert_normal("/space/a/..", "..", "/");
    assert_normal("/space", "../../../etc", "/etc");
    assert_normal("/", "etc", "/etc");
    /* An absolute path does not need the directory. */
    assert_normal(NULL, "/a", "/a");
}

static void what_is_no_path_is_refused(void **state)
{
    char out[64];
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "", 0), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "a\0b", 3), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "/a\0", 3), 0);
    assert_int_equal(paths_normalise(out, sizeof out, NULL, "a", 1), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "", "a", 1), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "work", "a", 1), 0);
}

static void a_path_needs_no_nul(void **state)
{
    char out[64];
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "/abc/def", 4), 1);
    assert_string_equal(out, "/abc");
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "..x", 2), 1);
    assert_string_equal(out, "/");
}

static void a_path_that_does_not_fit_is_refused(void **state)
{
    char out[8];
    for (size_t size = 0; size <= sizeof out; size++) {
        memset(out, '#', sizeof out);
        assert_int_equal(paths_normalise(out, size, "/space", "/ab/cd", 6), size >= 7);
        if (size < sizeof out)
            assert_int_equal(out[size], '#');
    }
    assert_int_equal(paths_normalise(out, 2, NULL, "/", 1), 1);
    assert_int_equal(paths_normalise(out, 1, NULL, "/", 1), 0);
}

static const path_root roots[] = {
    { "/space/s1", PATH_WRITE },
    { "/usr/lib/python3.11", PATH_READ },
};

static int allows(const char *path, path_access access)
{
    return paths_allow(roots, 2, "/space/s1", path, strlen(path), access);
}

static void a_root_grants_itself_and_what_lies_in_it(void **state)
{
    assert_true(allows("/space/s1", PATH_READ));
    assert_true(allows("/space/s1/", PATH_WRITE));
    assert_true(allows("data/x.csv", PATH_WRITE));
    assert_true(allows("data/../x.csv", PATH_READ));
    assert_true(allows("/usr/lib/python3.11/json/__init__.py", PATH_READ));
}

static void a_root_to_read_is_not_one_to_write(void **state)
{
    assert_false(allows("/usr/lib/python3.11/json/__init__.py", PATH_WRITE));
    assert_false(allows("../../usr/lib/python3.11/x", PATH_WRITE));
}

static void a_root_does_not_grant_its_neighbours(void **state)
{
    assert_false(allows("/space/s10", PATH_READ));
    assert_false(allows("/space/s10/x", PATH_READ));
    assert_false(allows("/space/s", PATH_READ));
    assert_false(allows("/space", PATH_READ));
    assert_false(allows("/", PATH_READ));
    assert_false(allows("/etc/passwd", PATH_READ));
}

static void dots_do_not_lead_out_of_a_root(void **state)
{
    assert_false(allows("../s2/x", PATH_READ));
    assert_false(allows("/space/s1/../s2/x", PATH_READ));
    assert_false(allows("/usr/lib/python3.11/../../../etc/passwd", PATH_READ));
    assert_true(allows("../s1/x", PATH_READ));
}

static void the_root_directory_grants_everything(void **state)
{
    static const path_root all = { "/", PATH_READ };
    assert_true(paths_allow(&all, 1, "/space", "/", 1, PATH_READ));
    assert_true(paths_allow(&all, 1, "/space", "/etc/passwd", 11, PATH_READ));
    assert_true(paths_allow(&all, 1, "/space", "x", 1, PATH_READ));
    assert_false(paths_allow(&all, 1, "/space", "x", 1, PATH_WRITE));
}

static void no_path_is_allowed_that_is_none(void **state)
{
    assert_false(allows("", PATH_READ));
    assert_false(paths_allow(roots, 2, "/space/s1", "a\0b", 3, PATH_READ));
    assert_false(paths_allow(roots, 0, "/space/s1", "a", 1, PATH_READ));
    static char longer[10000];
    memset(longer, 'x', sizeof longer);
    assert_false(paths_allow(roots, 2, "/space/s1", longer, sizeof longer, PATH_READ));
}

static void a_mount_leads_to_its_root(void **state)
{
    static const path_root root = { "/host/data", PATH_READ, 0 };
    static const path_mount mount = { "in", &root };
    static const struct {
        const char *path, *answer;
    } rows[] = {
        { "in", "/host/data" },
        { "in/a/b", "/host/data/a/b" },
        { "./in//a", "/host/data/a" },
        { "/space/in/a", "/host/data/a" },
        { "/space/in", "/host/data" },
        { "inn", NULL },
        { "x/in", NULL },
        { "in/../a", NULL },
        { "/other/in", NULL },
        { "..", NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64] = "";
        int answer = paths_through_mount(out, sizeof out, &mount, 1, "/space", rows[i].path,
                                         strlen(rows[i].path));
        assert_int_equal(answer, rows[i].answer != NULL);
        if (rows[i].answer)
            assert_string_equal(out, rows[i].answer);
    }
    assert_true(paths_climb("a/..", 4) && paths_climb("../a", 4) && paths_climb("a/../b", 6));
    assert_false(paths_climb("a..b/...", 8) || paths_climb("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mount_leads_to_its_root),
        cmocka_unit_test(dots_and_slashes_are_taken_out),
        cmocka_unit_test(a_relative_path_begins_at_the_directory),
        cmocka_unit_test(what_is_no_path_is_refused),
        cmocka_unit_test(a_path_needs_no_nul),
        cmocka_unit_test(a_path_that_does_not_fit_is_refused),
        cmocka_unit_test(a_root_grants_itself_and_what_lies_in_it),
        cmocka_unit_test(a_root_to_read_is_not_one_to_write),
        cmocka_unit_test(a_root_does_not_grant_its_neighbours),
        cmocka_unit_test(dots_do_not_lead_out_of_a_root),
        cmocka_unit_test(the_root_directory_grants_everything),
        cmocka_unit_test(no_path_is_allowed_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
