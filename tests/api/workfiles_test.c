/* Files of a session, from the host's side: what cells put in the way leads nowhere. */
#include "../unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "form.h"

#include <snug/snug.h>

static snug_host *host;
static char outside[64]; /* a folder of the host's, with secret.txt */

static char *outside_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", outside, name);
    return path;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int open_host(void **state)
{
    strcpy(outside, "/tmp/snug-files-test-XXXXXX");
    if (!mkdtemp(outside))
        return -1;
    write_text(outside_path("secret.txt"), "secret");
    return open_test_host(&host);
}

static int close_host(void **state)
{
    unlink(outside_path("secret.txt"));
    return snug_host_close(host) || rmdir(outside);
}

static snug_session *open_with(const snug_limits *limits, const snug_mount *mount)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session = NULL;
    options.profile = "data";
    options.limits = limits;
    options.mounts = mount;
    options.mount_count = mount ? 1 : 0;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    return session;
}

static int open_session(void **state)
{
    *state = open_with(NULL, NULL);
    return 0;
}

static int close_session(void **state)
{
    snug_session_close(*state);
    return 0;
}

static snug_result *run(snug_session *session, const char *source)
{
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    return result;
}

static void check_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source);
    if (*snug_result_error_name(result))
        fail_msg("%s", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

static void put(snug_session *session, const char *path, const char *text)
{
    if (snug_session_put_file(session, path, text, strlen(text)) != SNUG_OK)
        fail_msg("%s", snug_error_message());
}

static void check_file(snug_session *session, const char *path, const char *text)
{
    snug_file *file = NULL;
    size_t len;
    if (snug_session_get_file(&file, session, path, 0) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_string_equal(snug_file_data(file, &len), text);
    assert_int_equal(len, strlen(text));
    snug_file_free(file);
}

static void check_error(int error, int expected, const char *says)
{
    assert_int_equal(error, expected);
    if (!strstr(snug_error_message(), says))
        fail_msg("\"%s\" does not say \"%s\"", snug_error_message(), says);
}

static void check_get_error(snug_session *session, const char *path, int expected, const char *says)
{
    snug_file *file = NULL;
    check_error(snug_session_get_file(&file, session, path, 0), expected, says);
    assert_null(file);
}

/* A path of the work directory; good for one use. */
static const char *inside(const snug_session *session, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", snug_session_workdir(session), name);
    return path;
}

/* "kind path bytes" of each entry. */
static void check_listing(snug_session *session, const char *expected)
{
    snug_listing *listing = NULL;
    char text[2000] = "";
    assert_int_equal(snug_session_list_files(&listing, session), SNUG_OK);
    for (size_t i = 0; i < snug_listing_entry_count(listing); i++) {
        const snug_entry *entry = snug_listing_entry(listing, i);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %s %llu\n",
                 snug_entry_kind_name(entry->kind), entry->path, (unsigned long long)entry->bytes);
    }
    assert_null(snug_listing_entry(listing, snug_listing_entry_count(listing)));
    assert_true(snug_listing_is_whole(listing));
    snug_listing_free(listing);
    assert_string_equal(text, expected);
}

/* ---- put, get, list, remove ---- */

TEST_WITH(what_is_put_is_there_for_cells_and_for_get, open_session, close_session)
{
    snug_session *session = *state;
    put(session, "data/2024/sales.csv", "a,b\n");
    put(session, "empty", "");
    check_value(session, "open('data/2024/sales.csv').read()", "'a,b\\n'");
    check_file(session, "data/2024/sales.csv", "a,b\n");
    check_file(session, "empty", "");
    put(session, "data/2024/sales.csv", "new");
    check_file(session, "data/2024/sales.csv", "new");
}

TEST_WITH(what_a_cell_wrote_can_be_got_with_its_type, open_session, close_session)
{
    snug_session *session = *state;
    snug_file *file = NULL;
    size_t len;
    check_value(session, "open('a.bin', 'wb').write(b'x\\0y\\xff')", "4");
    assert_int_equal(snug_session_get_file(&file, session, "a.bin", 4), SNUG_OK);
    assert_memory_equal(snug_file_data(file, &len), "x\0y\xff", 5);
    assert_int_equal(len, 4);
    assert_string_equal(snug_file_mime(file), "application/octet-stream");
    snug_file_free(file);
}

TEST_WITH(a_file_over_the_limit_of_the_caller_is_refused_with_its_size, open_session, close_session)
{
    snug_session *session = *state;
    snug_file *file = NULL;
    put(session, "a", "12345");
    check_error(snug_session_get_file(&file, session, "a", 4), SNUG_EINVAL, "it has 5 bytes");
    check_value(session, "f = open('hole', 'wb'); f.truncate(100 << 20); f.close()", "");
    check_error(snug_session_get_file(&file, session, "hole", 0), SNUG_EINVAL,
                "it has 104857600 bytes");
    assert_null(file);
}

TEST_WITH(all_is_listed_in_order, open_session, close_session)
{
    snug_session *session = *state;
    check_listing(session, "");
    put(session, "b/z", "1");
    put(session, "b/a/deep", "22");
    put(session, "b.txt", "333");
    put(session, "a", "");
    assert_int_equal(symlink("/etc/passwd", inside(session, "link")), 0);
    assert_int_equal(mkfifo(inside(session, "pipe"), 0600), 0);
    check_listing(session, "file a 0\nfolder b 0\nfolder b/a 0\nfile b/a/deep 2\nfile b/z 1\n"
                           "file b.txt 3\nlink link 0\nother pipe 0\n");
}

TEST_WITH(files_links_and_folders_are_removed, open_session, close_session)
{
    snug_session *session = *state;
    put(session, "a/b/c/d", "x");
    put(session, "f", "x");
    assert_int_equal(symlink(outside, inside(session, "a/link")), 0);
    assert_int_equal(symlink(outside, inside(session, "link")), 0);
    assert_int_equal(snug_session_remove_file(session, "a"), SNUG_OK);
    assert_int_equal(snug_session_remove_file(session, "f"), SNUG_OK);
    assert_int_equal(snug_session_remove_file(session, "link"), SNUG_OK);
    check_listing(session, "");
    assert_int_equal(access(outside_path("secret.txt"), F_OK), 0);
    check_error(snug_session_remove_file(session, "a/b"), SNUG_ENOTFOUND, "has no file \"a/b\"");
}

TEST_WITH(paths_are_refused_with_the_reason, open_session, close_session)
{
    snug_session *session = *state;
    char long_name[300], long_path[5000];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    memset(long_path, 'p', sizeof long_path - 1);
    for (size_t i = 100; i < sizeof long_path; i += 100)
        long_path[i] = '/';
    long_path[sizeof long_path - 1] = '\0';
    const struct {
        const char *path, *says;
    } rows[] = {
        { NULL, "NULL" },
        { "", "empty" },
        { "/etc/passwd", "relative to the work directory" },
        { "..", "\"..\" is not the name of a file" },
        { "a/../../b", "\"..\" is not the name of a file" },
        { "./a", "\".\" is not the name of a file" },
        { "a//b", "a name in it is empty" },
        { "a/", "a name in it is empty" },
        { "\xff", "UTF-8" },
        { long_name, "299 bytes, and may have 255" },
        { long_path, "4999 bytes, and may have 4095" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_error(snug_session_put_file(session, rows[i].path, "x", 1), SNUG_EINVAL,
                    rows[i].says);
        check_error(snug_session_remove_file(session, rows[i].path), SNUG_EINVAL, rows[i].says);
        check_get_error(session, rows[i].path, SNUG_EINVAL, rows[i].says);
    }
    check_error(snug_session_put_file(session, "a", NULL, 1), SNUG_EINVAL, "data is NULL");
    check_get_error(session, "a", SNUG_ENOTFOUND, "no file \"a\"");
    check_get_error(session, "a/b/c", SNUG_ENOTFOUND, "no file \"a/b/c\"");
    check_listing(session, "");
}

TEST_WITH(what_is_no_file_is_named, open_session, close_session)
{
    snug_session *session = *state;
    put(session, "folder/file", "x");
    assert_int_equal(mkfifo(inside(session, "pipe"), 0600), 0);
    check_get_error(session, "folder", SNUG_EINVAL, "it is a folder");
    check_get_error(session, "pipe", SNUG_EINVAL, "it is not a file");
    check_get_error(session, "folder/file/x", SNUG_EINVAL, "file is not a folder");
    check_error(snug_session_put_file(session, "folder", "x", 1), SNUG_EINVAL, "it is a folder");
    check_error(snug_session_put_file(session, "folder/file/x", "x", 1), SNUG_EINVAL,
                "is not a folder");
    put(session, "pipe", "a file now");
    check_file(session, "pipe", "a file now");
}

/* ---- limits ---- */

TEST(put_counts_in_the_limits_of_the_disk)
{
    snug_limits limits = { .size = sizeof(snug_limits), .disk_bytes = 10, .disk_files = 3 };
    snug_session *session = open_with(&limits, NULL);
    put(session, "a", "12345678");
    check_error(snug_session_put_file(session, "b", "123", 3), SNUG_ESYSTEM, "disk_bytes, 10");
    put(session, "a", "1234567890"); /* in its place */
    put(session, "a", "12");
    check_error(snug_session_put_file(session, "x/y/z", "", 0), SNUG_ESYSTEM, "disk_files, 3");
    check_listing(session, "file a 2\n");
    check_value(session, "open('c', 'w').write('12345678')", "8");
    check_error(snug_session_put_file(session, "b", "1", 1), SNUG_ESYSTEM, "quota");
    check_value(session,
                "try:\n    f = open('c', 'a')\n    f.write('1')\n    f.close()\n"
                "except OSError as e: kept = e.errno\nkept",
                "122");
    assert_int_equal(snug_session_remove_file(session, "c"), SNUG_OK);
    put(session, "b", "12345678");
    snug_session_close(session);
}

/* ---- links that cells and hosts leave ---- */

TEST_WITH(no_link_is_followed_anywhere, open_session, close_session)
{
    snug_session *session = *state;
    assert_int_equal(symlink(outside, inside(session, "out")), 0);
    assert_int_equal(symlink(outside_path("secret.txt"), inside(session, "file")), 0);
    put(session, "in/x", "x");
    assert_int_equal(symlink("..", inside(session, "in/up")), 0);
    check_get_error(session, "out/secret.txt", SNUG_EINVAL, "out is a symbolic link");
    check_get_error(session, "file", SNUG_EINVAL, "file is a symbolic link");
    check_get_error(session, "in/up/in/x", SNUG_EINVAL, "in/up is a symbolic link");
    check_error(snug_session_put_file(session, "out/new", "x", 1), SNUG_EINVAL,
                "out is a symbolic");
    check_error(snug_session_put_file(session, "out/new/er", "x", 1), SNUG_EINVAL,
                "out is a symbolic");
    check_error(snug_session_remove_file(session, "out/secret.txt"), SNUG_EINVAL,
                "out is a symbolic");
    put(session, "file", "in the link's place");
    check_file(session, "file", "in the link's place");
    assert_int_equal(access(outside_path("new"), F_OK), -1);
    FILE *secret = fopen(outside_path("secret.txt"), "r");
    char text[16] = "";
    assert_non_null(fgets(text, sizeof text, secret));
    fclose(secret);
    assert_string_equal(text, "secret");
}

TEST(mounts_are_the_hosts_own)
{
    const snug_mount mount = { outside, "data", 1 };
    snug_session *session = open_with(NULL, &mount);
    check_value(session, "open('data/secret.txt').read()", "'secret'");
    check_get_error(session, "data/secret.txt", SNUG_EINVAL, "data is a mount");
    check_get_error(session, "data", SNUG_EINVAL, "data is a mount");
    check_error(snug_session_put_file(session, "data/x", "x", 1), SNUG_EINVAL, "data is a mount");
    check_error(snug_session_put_file(session, "data", "x", 1), SNUG_EINVAL, "data is a mount");
    check_error(snug_session_remove_file(session, "data"), SNUG_EINVAL, "data is a mount");
    check_error(snug_session_remove_file(session, "data/secret.txt"), SNUG_EINVAL,
                "data is a mount");
    check_listing(session, "link data 0\n");
    snug_session_close(session);
}

/* A folder and a link out take turns at one name, as a thread of a cell that was given up could. */
typedef struct swapper {
    char folder[512], link[512], name[512], aside[512];
    _Atomic int ends;
    _Atomic unsigned turns;
} swapper;

static void *swap(void *arg)
{
    swapper *s = arg;
    while (!atomic_load(&s->ends)) {
        rename(s->name, s->folder);
        rename(s->link, s->name);
        atomic_fetch_add(&s->turns, 1);
        rename(s->name, s->link);
        rename(s->folder, s->name);
    }
    return NULL;
}

/* What of the host's is reached in so many tries. */
enum { TRIES = 300 };

static void try_all(snug_session *session)
{
    for (int i = 0; i < TRIES; i++) {
        snug_file *file = NULL;
        snug_listing *listing = NULL;
        snug_session_put_file(session, "turn/new.txt", "x", 1);
        if (snug_session_get_file(&file, session, "turn/secret.txt", 0) == SNUG_OK)
            assert_string_equal(snug_file_data(file, NULL), "plain");
        snug_file_free(file);
        assert_int_equal(snug_session_list_files(&listing, session), SNUG_OK);
        for (size_t k = 0; k < snug_listing_entry_count(listing); k++)
            assert_null(strstr(snug_listing_entry(listing, k)->path, "host"));
        snug_listing_free(listing);
        snug_session_remove_file(session, "turn/host.txt");
    }
}

TEST_WITH(a_folder_swapped_for_a_link_leads_nowhere, open_session, close_session)
{
    snug_session *session = *state;
    swapper s = { .ends = 0 };
    pthread_t thread;
    put(session, "turn/secret.txt", "plain");
    write_text(outside_path("host.txt"), "the host's");
    snprintf(s.name, sizeof s.name, "%s", inside(session, "turn"));
    snprintf(s.folder, sizeof s.folder, "%s", inside(session, "folder-aside"));
    snprintf(s.link, sizeof s.link, "%s", inside(session, "link-aside"));
    assert_int_equal(symlink(outside, s.link), 0);
    assert_int_equal(pthread_create(&thread, NULL, swap, &s), 0);
    while (atomic_load(&s.turns) == 0)
        sched_yield();
    try_all(session);
    atomic_store(&s.ends, 1);
    pthread_join(thread, NULL);
    assert_int_equal(access(outside_path("new.txt"), F_OK), -1);
    assert_int_equal(unlink(outside_path("host.txt")), 0);
}

/* ---- states of a session ---- */

static void put_in_a_callback(void *payload, snug_stream stream, const char *text, size_t len)
{
    snug_session **session = payload;
    check_error(snug_session_put_file(*session, "a", "x", 1), SNUG_EBUSY, "running something else");
}

TEST(a_session_that_runs_is_busy)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = put_in_a_callback;
    options.payload = &session;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result *result = run(session, "print('x')");
    snug_result_free(result);
    check_listing(session, "");
    snug_session_close(session);
}

TEST_WITH(a_reset_leaves_the_files, open_session, close_session)
{
    snug_session *session = *state;
    put(session, "a", "x");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_file(session, "a", "x");
    put(session, "b", "y");
    check_value(session, "open('b').read()", "'y'");
}

/* ---- artifacts ---- */

/* "path mime bytes" of each. */
static void check_artifacts(snug_session *session, const char *source, const char *expected)
{
    snug_result *result = run(session, source);
    const snug_artifact *artifact;
    char text[1000] = "";
    if (*snug_result_error_name(result))
        fail_msg("%s", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    for (size_t i = 0; i < snug_result_artifact_count(result); i++) {
        assert_non_null(artifact = snug_result_artifact(result, i));
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %s %llu\n", artifact->path,
                 artifact->mime, (unsigned long long)artifact->bytes);
    }
    assert_null(snug_result_artifact(result, snug_result_artifact_count(result)));
    snug_result_free(result);
    if (strcmp(text, expected) != 0)
        fail_msg("%s\nmade\n%s\nand not\n%s", source, text, expected);
}

TEST_WITH(a_cell_tells_what_it_made_and_changed, open_session, close_session)
{
    snug_session *session = *state;
    check_artifacts(session, "1", "");
    check_artifacts(session, "open('b.csv', 'w').write('1,2')", "b.csv text/csv 3\n");
    check_artifacts(session, "open('b.csv').read()", "");
    check_artifacts(session, "open('b.csv', 'a').write('4'); open('a', 'w').write('x')",
                    "a text/plain 1\nb.csv text/csv 4\n");
    check_artifacts(session, "f = open('late.txt', 'w')", "late.txt text/plain 0\n");
    check_artifacts(session, "f.write('now'); f.flush()", "late.txt text/plain 3\n");
    check_artifacts(session, "2", "");
}

TEST_WITH(pipes_and_links_are_no_artifacts, open_session, close_session)
{
    snug_session *session = *state;
    check_artifacts(session, "1", "");
    assert_int_equal(mkfifo(inside(session, "pipe"), 0600), 0);
    assert_int_equal(symlink(outside, inside(session, "out")), 0);
    check_artifacts(session, "open('a.txt', 'w').close()", "a.txt text/plain 0\n");
}

TEST(a_named_directory_has_only_new_ones)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.workdir = outside;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    check_artifacts(session, "open('x', 'w').write('1')", "x text/plain 1\n");
    assert_int_equal(snug_session_remove_file(session, "x"), SNUG_OK);
    check_listing(session, "file secret.txt 6\n");
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
