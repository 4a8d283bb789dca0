#include "test.h"

#include "policy/paths.h"

static void assert_normal(const char *cwd, const char *path, const char *expected)
{
    char out[64];
    assert_int_equal(paths_normalise(out, sizeof out, cwd, path, strlen(path)), 1);
    assert_string_equal(out, expected);
}

TEST(dots_and_slashes_are_taken_out)
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

TEST(a_relative_path_begins_at_the_directory)
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

TEST(what_is_no_path_is_refused)
{
    char out[64];
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "", 0), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "a\0b", 3), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "/a\0", 3), 0);
    assert_int_equal(paths_normalise(out, sizeof out, NULL, "a", 1), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "", "a", 1), 0);
    assert_int_equal(paths_normalise(out, sizeof out, "work", "a", 1), 0);
}

TEST(a_path_needs_no_nul)
{
    char out[64];
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "/abc/def", 4), 1);
    assert_string_equal(out, "/abc");
    assert_int_equal(paths_normalise(out, sizeof out, "/space", "..x", 2), 1);
    assert_string_equal(out, "/");
}

TEST(a_path_that_does_not_fit_is_refused)
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

TEST(a_root_grants_itself_and_what_lies_in_it)
{
    assert_true(allows("/space/s1", PATH_READ));
    assert_true(allows("/space/s1/", PATH_WRITE));
    assert_true(allows("data/x.csv", PATH_WRITE));
    assert_true(allows("data/../x.csv", PATH_READ));
    assert_true(allows("/usr/lib/python3.11/json/__init__.py", PATH_READ));
}

TEST(a_root_to_read_is_not_one_to_write)
{
    assert_false(allows("/usr/lib/python3.11/json/__init__.py", PATH_WRITE));
    assert_false(allows("../../usr/lib/python3.11/x", PATH_WRITE));
}

TEST(a_root_does_not_grant_its_neighbours)
{
    assert_false(allows("/space/s10", PATH_READ));
    assert_false(allows("/space/s10/x", PATH_READ));
    assert_false(allows("/space/s", PATH_READ));
    assert_false(allows("/space", PATH_READ));
    assert_false(allows("/", PATH_READ));
    assert_false(allows("/etc/passwd", PATH_READ));
}

TEST(dots_do_not_lead_out_of_a_root)
{
    assert_false(allows("../s2/x", PATH_READ));
    assert_false(allows("/space/s1/../s2/x", PATH_READ));
    assert_false(allows("/usr/lib/python3.11/../../../etc/passwd", PATH_READ));
    assert_true(allows("../s1/x", PATH_READ));
}

TEST(the_root_directory_grants_everything)
{
    static const path_root all = { "/", PATH_READ };
    assert_true(paths_allow(&all, 1, "/space", "/", 1, PATH_READ));
    assert_true(paths_allow(&all, 1, "/space", "/etc/passwd", 11, PATH_READ));
    assert_true(paths_allow(&all, 1, "/space", "x", 1, PATH_READ));
    assert_false(paths_allow(&all, 1, "/space", "x", 1, PATH_WRITE));
}

TEST(no_path_is_allowed_that_is_none)
{
    assert_false(allows("", PATH_READ));
    assert_false(paths_allow(roots, 2, "/space/s1", "a\0b", 3, PATH_READ));
    assert_false(paths_allow(roots, 0, "/space/s1", "a", 1, PATH_READ));
    static char longer[10000];
    memset(longer, 'x', sizeof longer);
    assert_false(paths_allow(roots, 2, "/space/s1", longer, sizeof longer, PATH_READ));
}

TEST(a_mount_leads_to_its_root)
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
    return run_all_tests(NULL, NULL);
}
