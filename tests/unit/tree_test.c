#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/tree.h"

static char top[64];

static int set_up(void **state)
{
    strcpy(top, "/tmp/snug-tree-test-XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int tear_down(void **state)
{
    tree_remove(top);
    return access(top, F_OK) == 0;
}

/* A folder in a folder, so many times, of names that together are longer than a path may be;
 * a descriptor of the last. */
static int deep_folder(int levels)
{
    char name[200];
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    int at = open(top, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels; i++) {
        assert_int_equal(mkdirat(at, name, 0700), 0);
        int next = openat(at, name, O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(at);
        at = next;
    }
    return at;
}

static void make_file(int folder, const char *name, size_t bytes)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    close(fd);
}

TEST_WITH(sizes_and_entries_are_summed_without_following_links, set_up, tear_down)
{
    tree_usage sum;
    int at = deep_folder(2);
    make_file(at, "a", 100);
    make_file(at, "b", 23);
    assert_int_equal(symlinkat("/usr", at, "link"), 0);
    close(at);
    assert_int_equal(tree_measure(&sum, top), 0);
    assert_int_equal(sum.bytes, 123);
    assert_int_equal(sum.files, 5);
}

TEST_WITH(a_tree_too_deep_to_measure_says_so, set_up, tear_down)
{
    tree_usage sum;
    close(deep_folder(TREE_DEPTH));
    assert_int_equal(tree_measure(&sum, top), 0);
    assert_int_equal(sum.files, TREE_DEPTH);
    tree_remove(top);
    assert_int_equal(mkdir(top, 0700), 0);
    close(deep_folder(TREE_DEPTH + 2));
    assert_int_equal(tree_measure(&sum, top), ELOOP);
}

TEST_WITH(a_folder_that_is_not_there_says_so, set_up, tear_down)
{
    tree_usage sum;
    assert_int_equal(tree_measure(&sum, "/nowhere/at/all"), ENOENT);
    tree_remove("/nowhere/at/all");
}

TEST_WITH(a_tree_of_any_depth_is_removed, set_up, tear_down)
{
    int at = deep_folder(3 * TREE_DEPTH + 5);
    make_file(at, "last", 1);
    close(at);
    /* A name that the removal would take for itself. */
    char path[128];
    snprintf(path, sizeof path, "%s/snug-lifted-1", top);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    tree_remove(top);
    assert_int_equal(access(top, F_OK), -1);
    assert_int_equal(mkdir(top, 0700), 0);
}

TEST_WITH(folders_without_permissions_are_removed, set_up, tear_down)
{
    int at = deep_folder(2);
    make_file(at, "a", 1);
    assert_int_equal(fchmod(at, 0), 0);
    close(at);
    tree_remove(top);
    assert_int_equal(access(top, F_OK), -1);
    assert_int_equal(mkdir(top, 0700), 0);
}

TEST_WITH(one_entry_is_removed_from_its_folder, set_up, tear_down)
{
    char name[200];
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    close(deep_folder(TREE_DEPTH + 10));
    int folder = open(top, O_RDONLY | O_DIRECTORY);
    make_file(folder, "stays", 1);
    make_file(folder, "file", 1);
    assert_int_equal(symlinkat(top, folder, "link"), 0);
    assert_int_equal(tree_remove_at(folder, name), 0);
    assert_int_equal(tree_remove_at(folder, "file"), 0);
    assert_int_equal(tree_remove_at(folder, "link"), 0);
    assert_int_equal(tree_remove_at(folder, "link"), ENOENT);
    assert_int_equal(faccessat(folder, "stays", F_OK, 0), 0);
    assert_int_equal(unlinkat(folder, "stays", 0), 0);
    close(folder);
    assert_int_equal(rmdir(top), 0);
    assert_int_equal(mkdir(top, 0700), 0);
}

/* The paths that were met, a line each. */
static int note(void *payload, const tree_entry *entry)
{
    char *text = payload;
    strcat(strcat(text, entry->path), "\n");
    return strcmp(entry->name, "stop") == 0 ? EINTR : 0;
}

static int walk(char *text, uint64_t most)
{
    int folder = open(top, O_RDONLY | O_DIRECTORY);
    *text = '\0';
    int error = tree_walk(folder, most, note, text);
    close(folder);
    return error;
}

TEST_WITH(a_walk_meets_names_in_order_and_follows_no_link, set_up, tear_down)
{
    char text[1000];
    int folder = open(top, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdirat(folder, "b", 0700), 0);
    make_file(folder, "b/z", 1);
    make_file(folder, "b/a", 1);
    make_file(folder, "b.x", 1);
    make_file(folder, "a", 1);
    assert_int_equal(symlinkat("/usr", folder, "link"), 0);
    assert_int_equal(walk(text, 100), 0);
    assert_string_equal(text, "a\nb\nb/a\nb/z\nb.x\nlink\n");
    assert_int_equal(walk(text, 6), 0);
    assert_int_equal(walk(text, 5), EOVERFLOW);
    make_file(folder, "b/stop", 1);
    assert_int_equal(walk(text, 100), EINTR);
    assert_string_equal(text, "a\nb\nb/a\nb/stop\n");
    close(folder);
}

TEST_WITH(a_walk_ends_at_the_depth_that_is_looked_into, set_up, tear_down)
{
    static char text[200 * 200 * TREE_DEPTH];
    close(deep_folder(TREE_DEPTH + 2));
    assert_int_equal(walk(text, 1000), ELOOP);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
