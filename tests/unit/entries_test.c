#include "test.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/str.h"
#include "cli/editor/history_file.h"

static char path[64];

static int make_path(void **state)
{
    char folder[] = "/tmp/snug-entries-XXXXXX";
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/history", folder);
    return 0;
}

static int remove_path(void **state)
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    return rmdir(path);
}

static void write_file(const char *text)
{
    struct iovec piece;
    char *copy = strdup(text);
    piece.iov_base = copy;
    piece.iov_len = strlen(text);
    assert_int_equal(file_replace(path, &piece, 1), 0);
    free(copy);
}

TEST_WITH(an_entry_comes_back_with_its_lines, make_path, remove_path)
{
    static const char entry[] = "def f():\n    return '\\n'\\\n\n# \xc3\xa9";
    entries h = { 0 };
    struct stat found;

    history_file_add(path, entry, sizeof entry - 1);
    history_file_add(path, "x", 1);
    history_file_load(&h, path);
    assert_int_equal(h.count, 2);
    assert_string_equal(h.items[0], entry);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    entries_free(&h);
}

TEST_WITH(a_file_that_has_grown_is_cut, make_path, remove_path)
{
    entries h = { 0 };
    str text = { 0 };

    for (int i = 0; i < 2 * ENTRIES_MOST + 5; i++)
        str_printf(&text, "entry %d\n", i);
    write_file(text.data);
    history_file_load(&h, path);
    assert_int_equal(h.count, ENTRIES_MOST);
    str_clear(&text);
    assert_int_equal(file_read(&text, path, 1 << 20), 0);
    assert_int_equal(strncmp(text.data, "entry 5005\n", 11), 0);
    entries_free(&h);
    str_free(&text);
}

TEST_WITH(bytes_that_are_not_text_do_no_harm, make_path, remove_path)
{
    entries h = { 0 };

    write_file("a\x1b[2Jb\n\\\n\xff\n\n\x80\\n");
    history_file_load(&h, path);
    assert_int_equal(h.count, 4);
    assert_string_equal(h.items[0], "a[2Jb");
    assert_string_equal(h.items[1], "\\");
    entries_free(&h);
}

TEST_WITH(what_others_may_read_gets_no_entry, make_path, remove_path)
{
    struct stat found;

    write_file("a\n");
    chmod(path, 0640);
    assert_non_null(strstr(history_file_add(path, "b", 1), "is not private (mode 0640"));
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_size, 2);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
