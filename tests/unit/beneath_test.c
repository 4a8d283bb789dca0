#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/beneath.h"
#include "base/tree.h"

static char top[64], root[80];
static int folder;

/* in/file; out and over lead out; back and in/climbs do not; round leads to itself. */
static int set_up(void **state)
{
    strcpy(top, "/tmp/snug-beneath-test-XXXXXX");
    if (!mkdtemp(top))
        return -1;
    snprintf(root, sizeof root, "%s/ground", top);
    if (mkdir(root, 0700) != 0)
        return -1;
    folder = open(root, O_RDONLY | O_DIRECTORY);
    int file =
        mkdirat(folder, "in", 0700) == 0 ? openat(folder, "in/file", O_WRONLY | O_CREAT, 0600) : -1;
    return file < 0 || close(file) != 0 || symlinkat("/etc", folder, "out") != 0 ||
           symlinkat("in", folder, "back") != 0 || symlinkat("../in", folder, "in/climbs") != 0 ||
           symlinkat("in/../..", folder, "over") != 0 || symlinkat("round", folder, "round") != 0;
}

static int tear_down(void **state)
{
    close(folder);
    tree_remove(top);
    return 0;
}

/* By the kernel's own judgement, and part by part without it. */
static void expect_both(const char *path, int follows, int answer)
{
    if (beneath(root, path, follows) != answer)
        fail_msg("beneath(\"%s\", %d) is not %d", path, follows, answer);
    if (beneath_by_parts(folder, path, follows) != answer)
        fail_msg("beneath_by_parts(\"%s\", %d) is not %d", path, follows, answer);
}

TEST(what_stays_in_the_folder_is_beneath)
{
    expect_both("", 1, 1);
    expect_both("in/file", 1, 1);
    expect_both("in//file/", 1, 1);
    expect_both("./in/file", 1, 1);
    expect_both("back/file", 1, 1);
    expect_both("back", 1, 1);
    expect_both("back/../back/file", 1, 1);
    expect_both("in/../in/file", 1, 1);
    expect_both("in/climbs/file", 1, 1);
    expect_both("out", 0, 1);
}

TEST(what_leads_out_is_not)
{
    expect_both("out", 1, 0);
    expect_both("out/", 1, 0);
    expect_both("out/passwd", 0, 0);
    expect_both("out/no such file", 1, 0);
    expect_both("..", 1, 0);
    expect_both("in/../../ground/in", 1, 0);
    expect_both("back/../../ground", 1, 0);
    expect_both("over", 1, 0);
    expect_both("over/in", 0, 0);
    expect_both("round", 1, 0);
}

TEST(what_is_swapped_meanwhile_leads_nowhere_else)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            if (renameat2(folder, "in", folder, "out", RENAME_EXCHANGE) != 0)
                _exit(1);
    for (int i = 0; i < 20000; i++) {
        int answer = beneath_by_parts(folder, "in/../../ground", 1);
        if (answer != 0)
            fail_msg("it led out");
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    struct stat facts;
    if (fstatat(folder, "in", &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode))
        assert_int_equal(renameat2(folder, "in", folder, "out", RENAME_EXCHANGE), 0);
}

TEST(what_is_not_there_is_nowhere_else_either)
{
    assert_int_equal(beneath(root, "no/file", 1), 1);
    assert_int_equal(beneath(root, "in/file/no", 1), 1);
    assert_int_equal(beneath("/nowhere/at/all", "x", 1), 1);
}

TEST(nobody_can_say_without_a_descriptor)
{
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int answer = beneath(root, "in/file", 1), by_parts = beneath_by_parts(folder, "in/file", 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(answer, 0);
    assert_int_equal(by_parts, 0);
}

int main(void)
{
    return run_all_tests(set_up, tear_down);
}
