#include "test.h"

#include <snug/snug.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/store/database.h"
#include "base/error.h"
#include "base/file.h"
#include "base/tree.h"

static char folder[64], path[96];

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/snug-database-XXXXXX");
    umask(077);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    tree_remove(folder);
    return 0;
}

/* The message is one sentence that names the path. */
static void assert_refused(database_kind kind, int error, const char *says)
{
    database *d;
    assert_int_equal(database_open(&d, path, kind, 0), error);
    assert_non_null(strstr(error_message(), says));
    assert_non_null(strstr(error_message(), path));
    assert_null(strchr(error_message(), '\n'));
}

static void put(const char *bytes, size_t len)
{
    struct iovec piece = { (void *)(uintptr_t)bytes, len };
    assert_int_equal(file_replace(path, &piece, 1), SNUG_OK);
}

static void make(database_kind kind)
{
    database *d;
    if (database_open(&d, path, kind, 1))
        fail_msg("%s", error_message());
    for (int i = 0; i < 200 && kind == DATABASE_CACHE; i++)
        assert_int_equal(database_run(d, "insert into entry (kind, hash, at_ms, bytes, request,"
                                         " reply) values (1, 2, 3, 4, 'question', zeroblob(500))"),
                         SNUG_OK);
    database_close(d);
}

TEST_WITH(a_file_is_made_for_this_user_only, make_folder, remove_folder)
{
    struct stat facts;
    database *d;
    assert_refused(DATABASE_LIBRARY, SNUG_ENOTFOUND, "there is no library");
    make(DATABASE_LIBRARY);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_true(database_is_kind(path, DATABASE_LIBRARY));
    assert_false(database_is_kind(path, DATABASE_CACHE));
    assert_int_equal(database_open(&d, path, DATABASE_LIBRARY, 0), SNUG_OK);
    database_close(d);
}

/* A conversation that others may write could be given a session of theirs. */
TEST_WITH(what_others_can_write_is_refused, make_folder, remove_folder)
{
    static const char *const ends[] = { "", "-wal" };
    char name[sizeof path + 8], other[sizeof path + 8];
    make(DATABASE_CONVERSATION);
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        snprintf(other, sizeof other, "%s.other", path);
        if (i > 0)
            assert_int_equal(close(open(name, O_WRONLY | O_CREAT, 0600)), 0);
        chmod(name, 0660);
        assert_refused(DATABASE_CONVERSATION, SNUG_EPOLICY, "mode 0660");
        chmod(name, 0600);
        assert_int_equal(rename(name, other), 0);
        assert_int_equal(symlink(other, name), 0);
        assert_refused(DATABASE_CONVERSATION, SNUG_EPOLICY, "is a link");
        unlink(name);
        assert_int_equal(rename(other, name), 0);
    }
}

TEST_WITH(what_is_none_of_ours_is_refused, make_folder, remove_folder)
{
    sqlite3 *db;
    str text = { 0 };
    make(DATABASE_CACHE);
    assert_refused(DATABASE_LIBRARY, SNUG_EINVAL, "is a cache of snug, and no library");
    put("precious", 8);
    assert_refused(DATABASE_LIBRARY, SNUG_EINVAL, "is not a snug database");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(str_add(&text, "precious"), SNUG_OK);
    put(text.data, text.len);
    assert_refused(DATABASE_LIBRARY, SNUG_EINVAL, "is not a snug database");
    str_free(&text);
    unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "create table t (x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_refused(DATABASE_LIBRARY, SNUG_EINVAL, "is a database, and no library of snug");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(DATABASE_CONVERSATION, SNUG_EINVAL, "is a folder, and no conversation");
    rmdir(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(DATABASE_CACHE, SNUG_EINVAL, "is not a file, and so not a cache");
}

TEST_WITH(a_newer_format_is_refused, make_folder, remove_folder)
{
    sqlite3 *db;
    make(DATABASE_CONVERSATION);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "pragma user_version = 9", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_refused(DATABASE_CONVERSATION, SNUG_EINVAL, "it has the format 9");
}

/* Damage at any place is told when the file is opened or read, or does no harm; never is there a
 * crash, and never a message of SQLite's. */
TEST_WITH(damage_is_told_in_a_sentence, make_folder, remove_folder)
{
    str whole = { 0 };
    size_t told = 0;
    make(DATABASE_CACHE);
    assert_int_equal(file_read(&whole, path, 1 << 24), SNUG_OK);
    for (size_t at = 0; at < whole.len; at += 307) {
        database *d;
        sqlite3_stmt *rows;
        int has_row = 1;
        whole.data[at] ^= 0x55;
        put(whole.data, whole.len);
        whole.data[at] ^= 0x55;
        error_set(0, "untouched");
        int error = database_open(&d, path, DATABASE_CACHE, 0);
        if (!error) {
            error = database_select(&rows, d, "select * from entry order by hash", "");
            while (!error && has_row)
                error = database_row(d, rows, &has_row);
            sqlite3_finalize(rows);
            if (!error)
                error = database_run(d, "delete from entry where id > 3");
            database_close(d);
        }
        if (error) {
            told++;
            assert_non_null(strstr(error_message(), path));
            assert_null(strchr(error_message(), '\n'));
            assert_null(strstr(error_message(), "malformed"));
        }
    }
    assert_true(told > 5);
    str_free(&whole);
}

TEST_WITH(a_file_in_use_is_told, make_folder, remove_folder)
{
    database *held;
    assert_int_equal(database_open(&held, path, DATABASE_CONVERSATION, 1), SNUG_OK);
    assert_refused(DATABASE_CONVERSATION, SNUG_EBUSY, "is in use by another process");
    database_close(held);
    make(DATABASE_CONVERSATION);
}

/* In a process of its own, because limits and users cannot be restored. */
static void in_child(void (*fn)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        fn();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define CHILD_ASSERT(condition)        \
    do {                               \
        if (!(condition))              \
            _exit(__LINE__ % 200 + 1); \
    } while (0)

static void fill_up(void)
{
    const struct rlimit most = { 128 << 10, 128 << 10 };
    database *d;
    sqlite3_stmt *count;
    int error = SNUG_OK, has_row, done = 0;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &most);
    CHILD_ASSERT(database_open(&d, path, DATABASE_CACHE, 1) == SNUG_OK);
    while (!error && done < 10000)
        if (!(error = database_begin(d))) {
            error = database_end(d, database_run(d, "insert into entry (kind, hash, at_ms, bytes,"
                                                    " request, reply) values (1, 2, 3, 4, 'q',"
                                                    " zeroblob(5000))"));
            done += !error;
        }
    CHILD_ASSERT(error == SNUG_ESYSTEM && strstr(error_message(), "the disk is full"));
    /* What was there before is there still. */
    CHILD_ASSERT(done > 0 &&
                 database_select(&count, d, "select count(*) from entry", "") == SNUG_OK);
    CHILD_ASSERT(database_row(d, count, &has_row) == SNUG_OK && has_row);
    CHILD_ASSERT(sqlite3_column_int(count, 0) == done);
    sqlite3_finalize(count);
    database_close(d);
}

TEST_WITH(a_full_disk_loses_nothing, make_folder, remove_folder)
{
    in_child(fill_up);
}

static void read_as_nobody(void)
{
    database *d;
    CHILD_ASSERT(setgid(65534) == 0 && setuid(65534) == 0);
    CHILD_ASSERT(database_open(&d, path, DATABASE_LIBRARY, 1) == SNUG_OK);
    CHILD_ASSERT(d->is_read_only);
    CHILD_ASSERT(database_begin(d) == SNUG_ESYSTEM ||
                 database_run(d, "delete from document") == SNUG_ESYSTEM);
    CHILD_ASSERT(strstr(error_message(), "is read-only"));
    database_close(d);
}

static void keep_as_nobody(void)
{
    database *d;
    CHILD_ASSERT(setgid(65534) == 0 && setuid(65534) == 0);
    CHILD_ASSERT(database_open(&d, path, DATABASE_CONVERSATION, 1) == SNUG_ESYSTEM);
    CHILD_ASSERT(strstr(error_message(), "cannot be written"));
}

TEST_WITH(what_can_not_be_written_is_told, make_folder, remove_folder)
{
    if (geteuid() != 0) {
        print_message("only root can become somebody who must not write\n");
        skip();
    }
    make(DATABASE_LIBRARY);
    chmod(path, 0444);
    chmod(folder, 0555);
    in_child(read_as_nobody);
    chmod(folder, 0700);
    unlink(path);
    make(DATABASE_CONVERSATION);
    chmod(path, 0444);
    chmod(folder, 0555);
    in_child(keep_as_nobody);
}

static void write_and_die(void)
{
    database *d;
    CHILD_ASSERT(database_open(&d, path, DATABASE_CACHE, 1) == SNUG_OK);
    CHILD_ASSERT(database_run(d, "insert into entry (kind, hash, at_ms, bytes, request, reply)"
                                 " values (1, 2, 3, 4, 'q', 'r')") == SNUG_OK);
}

TEST_WITH(what_was_written_before_a_death_is_there, make_folder, remove_folder)
{
    database *d;
    sqlite3_stmt *rows;
    int has_row;
    in_child(write_and_die);
    assert_int_equal(database_open(&d, path, DATABASE_CACHE, 0), SNUG_OK);
    assert_int_equal(database_select(&rows, d, "select 1 from entry", ""), SNUG_OK);
    assert_int_equal(database_row(d, rows, &has_row), SNUG_OK);
    assert_int_equal(has_row, 1);
    sqlite3_finalize(rows);
    database_close(d);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
