#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/tree.h"

static char top[64], root[80];
static int folder;

/* in/file, and out, which leads out, and back, which does not. */
static int set_up(void **state)
{
    (void)state;
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
           symlinkat("in", folder, "back") != 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(folder);
    tree_remove(top);
    return 0;
}

static void what_stays_in_the_folder_is_beneath(void **state)
{
    (void)state;
    assert_int_equal(beneath(root, "", 1), 1);
    assert_int_equal(beneath(root, "in/file", 1), 1);
    assert_int_equal(beneath(root, "back/file", 1), 1);
    assert_int_equal(beneath(root, "in/../in/file", 1), 1);
    assert_int_equal(beneath(root, "out", 0), 1);
}

static void what_leads_out_is_not(void **state)
{
    (void)state;
    assert_int_equal(beneath(root, "out", 1), 0);
    assert_int_equal(beneath(root, "out/passwd", 0), 0);
    assert_int_equal(beneath(root, "out/no such file", 1), 0);
    assert_int_equal(beneath(root, "..", 1), 0);
    assert_int_equal(beneath(root, "in/../../ground/in", 1), 0);
}

static void what_is_not_there_is_nowhere_else_either(void **state)
{
    (void)state;
    assert_int_equal(beneath(root, "no/file", 1), 1);
    assert_int_equal(beneath(root, "in/file/no", 1), 1);
    assert_int_equal(beneath("/nowhere/at/all", "x", 1), 1);
}

static void nobody_can_say_without_a_descriptor(void **state)
{
    (void)state;
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

static void without_openat2_all_links_and_climbs_are_refused(void **state)
{
    (void)state;
    assert_int_equal(beneath_by_parts(folder, "", 1), 1);
    assert_int_equal(beneath_by_parts(folder, "in//file/", 1), 1);
    assert_int_equal(beneath_by_parts(folder, "./in/file", 1), 1);
    assert_int_equal(beneath_by_parts(folder, "out", 0), 1);
    assert_int_equal(beneath_by_parts(folder, "no/file", 1), 1);
    assert_int_equal(beneath_by_parts(folder, "out", 1), 0);
    assert_int_equal(beneath_by_parts(folder, "out/", 1), 0);
    assert_int_equal(beneath_by_parts(folder, "out/passwd", 0), 0);
    assert_int_equal(beneath_by_parts(folder, "back/file", 1), 0);
    assert_int_equal(beneath_by_parts(folder, "in/../../ground", 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_in_the_folder_is_beneath),
        cmocka_unit_test(what_leads_out_is_not),
        cmocka_unit_test(what_is_not_there_is_nowhere_else_either),
        cmocka_unit_test(nobody_can_say_without_a_descriptor),
        cmocka_unit_test(without_openat2_all_links_and_climbs_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
