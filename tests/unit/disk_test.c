#include "test.h"

#include <errno.h>
#include <fcntl.h>

#include "limits/disk.h"

static char top[64];
static disk_account disk;

static int set_up(void **state)
{
    strcpy(top, "/tmp/snug-disk-test-XXXXXX");
    if (!mkdtemp(top) || disk_open(&disk, top, 0) != 0)
        return -1;
    disk.sees_open_files = disk.is_told = 1;
    disk_begin(&disk, 1000, 3);
    return 0;
}

static int tear_down(void **state)
{
    tree_remove(top);
    return 0;
}

static int make(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", top, name);
    return open(path, O_RDWR | O_CREAT, 0600);
}

static void delete (const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", top, name);
    unlink(path);
}

/* As a program's write does. */
static int put(int fd, size_t bytes)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    int error = disk_write(&disk, fd, -1, bytes);
    if (!error)
        assert_int_equal(write(fd, text, bytes), bytes);
    return error;
}

TEST_WITH(bytes_are_refused_at_the_limit_and_not_before, set_up, tear_down)
{
    int fd = make("a");
    assert_int_equal(put(fd, 999), 0);
    assert_int_equal(put(fd, 2), EDQUOT);
    assert_int_equal(put(fd, 1), 0);
    assert_int_equal(put(fd, 1), EDQUOT);
    close(fd);
}

TEST_WITH(what_is_overwritten_takes_no_more_room, set_up, tear_down)
{
    int fd = make("a");
    for (int i = 0; i < 20; i++) {
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        assert_int_equal(put(fd, 900), 0);
    }
    assert_int_equal(disk_write(&disk, fd, 850, 150), 0);
    assert_int_equal(disk_write(&disk, fd, 850, 151), EDQUOT);
    close(fd);
}

TEST_WITH(a_hole_takes_room_and_an_append_does_too, set_up, tear_down)
{
    int fd = make("a");
    assert_int_equal(disk_write(&disk, fd, 1000, 1), EDQUOT);
    assert_int_equal(disk_write(&disk, fd, 500, 100), 0);
    assert_int_equal(pwrite(fd, "x", 1, 599), 1);
    assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
    assert_int_equal(disk_write(&disk, fd, 0, 401), EDQUOT);
    assert_int_equal(disk_write(&disk, fd, 0, 400), 0);
    close(fd);
}

TEST_WITH(what_is_deleted_is_room_again, set_up, tear_down)
{
    int fd = make("a");
    assert_int_equal(put(fd, 900), 0);
    close(fd);
    fd = make("b");
    assert_int_equal(put(fd, 200), EDQUOT);
    delete ("a");
    assert_int_equal(put(fd, 200), 0);
    close(fd);
}

TEST_WITH(a_deleted_file_counts_while_it_is_open, set_up, tear_down)
{
    int fd = make("a"), other = make("b");
    assert_int_equal(put(fd, 900), 0);
    delete ("a");
    assert_int_equal(put(other, 200), EDQUOT);
    close(fd);
    assert_int_equal(put(other, 200), 0);
    close(other);
}

TEST_WITH(what_was_there_before_is_not_counted, set_up, tear_down)
{
    int fd = make("a");
    assert_int_equal(put(fd, 1000), 0);
    assert_int_equal(disk_open(&disk, top, 1), 0);
    disk_begin(&disk, 500, 1);
    assert_int_equal(put(fd, 500), 0);
    assert_int_equal(put(fd, 1), EDQUOT);
    assert_int_equal(disk_create(&disk), 0);
    close(make("b"));
    assert_int_equal(disk_create(&disk), EDQUOT);
    close(fd);
}

TEST_WITH(files_are_refused_at_the_limit_and_not_before, set_up, tear_down)
{
    for (int i = 0; i < 3; i++) {
        char name[2] = { (char)('a' + i), '\0' };
        assert_int_equal(disk_create(&disk), 0);
        close(make(name));
    }
    assert_int_equal(disk_create(&disk), EDQUOT);
    assert_int_equal(disk_left(&disk), 0);
    delete ("b");
    assert_int_equal(disk_create(&disk), 0);
}

TEST_WITH(what_can_not_be_seen_is_taken_for_full, set_up, tear_down)
{
    int fd = make("a");
    assert_int_equal(put(fd, 600), 0);
    tree_remove(top);
    assert_int_equal(put(fd, 600), EDQUOT);
    close(fd);
}

TEST_WITH(other_descriptors_than_files_take_no_room, set_up, tear_down)
{
    int null = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 100; i++)
        assert_int_equal(put(null, 2000), 0);
    close(null);
}

TEST_WITH(who_is_not_told_of_writes_looks, set_up, tear_down)
{
    int fd = make("a");
    disk.is_told = 0;
    disk_begin(&disk, 1000, 1);
    assert_int_equal(disk_check(&disk), 0);
    assert_int_equal(ftruncate(fd, 999), 0);
    assert_int_equal(disk_check(&disk), 0);
    assert_int_equal(disk_create(&disk), EDQUOT);
    assert_int_equal(ftruncate(fd, 1000), 0);
    assert_int_equal(disk_check(&disk), EDQUOT);
    delete ("a");
    assert_int_equal(disk_create(&disk), 0);
    assert_int_equal(disk_left(&disk), 1000 - 1000);
    close(fd);
    assert_int_equal(disk_left(&disk), 1000);
}

TEST_WITH(without_an_account_all_is_fine, set_up, tear_down)
{
    disk_account none = { 0 };
    assert_int_equal(disk_write(&none, 1, -1, UINT64_MAX), 0);
    assert_int_equal(disk_create(&none), 0);
    assert_int_equal(disk_left(&none), 0);
}

TEST_WITH(no_limit_is_never_reached, set_up, tear_down)
{
    int fd = make("a");
    disk_begin(&disk, UINT64_MAX, UINT64_MAX);
    assert_int_equal(disk_write(&disk, fd, -1, UINT64_MAX - 5), 0);
    assert_int_equal(disk_write(&disk, fd, -1, UINT64_MAX - 5), 0);
    assert_int_equal(disk_create(&disk), 0);
    close(fd);
}

TEST_WITH(what_the_host_puts_counts_and_what_it_replaces_does_not, set_up, tear_down)
{
    int fd = make("a");
    assert_int_equal(disk_create(&disk), 0);
    assert_int_equal(disk_write(&disk, fd, -1, 800), 0);
    assert_int_equal(ftruncate(fd, 800), 0);
    assert_int_equal(disk_put(&disk, 201, 1, 0), EDQUOT);
    assert_int_equal(disk_put(&disk, 1001, 0, 800), EDQUOT);
    assert_int_equal(disk_put(&disk, 1000, 0, 800), 0);
    assert_int_equal(disk_put(&disk, 200, 2, 0), 0);
    assert_int_equal(disk_put(&disk, 0, 3, 0), EDQUOT);
    close(fd);
}

TEST_WITH(questions_and_touches_are_noted, set_up, tear_down)
{
    atomic_store(&disk.is_touched, 0);
    int fd = make("a");
    disk_check(&disk);
    assert_int_equal(disk.is_touched, 0);
    disk_write(&disk, fd, -1, 0);
    assert_int_equal(atomic_exchange(&disk.is_touched, 0), 1);
    disk_create(&disk);
    assert_int_equal(atomic_exchange(&disk.is_touched, 0), 1);
    disk_put(&disk, 1, 0, 0);
    assert_int_equal(atomic_exchange(&disk.is_touched, 0), 1);
    disk_touch(&disk);
    assert_int_equal(atomic_exchange(&disk.is_touched, 0), 1);
    close(fd);
}

/* Deleted files that this process has open count, and who started it may have handed it some. */
static void close_inherited(void)
{
    struct stat facts;
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    for (int fd = sysconf(_SC_OPEN_MAX) < 65536 ? (int)sysconf(_SC_OPEN_MAX) : 65536; fd > 2; fd--)
        close(fd);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_nlink > 0)
            continue;
        FILE *passes_on = popen(fd == STDOUT_FILENO ? "cat" : "cat >&2", "w");
        if (passes_on)
            dup2(fileno(passes_on), fd);
    }
}

int main(void)
{
    close_inherited();
    return run_all_tests(NULL, NULL);
}
