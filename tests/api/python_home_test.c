/* A standard library that is not where this Python's own is, and its modules in C. */
#include "../unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <snug/snug.h>

static char home[4096] = "home-XXXXXX", library[4096], dynload[4096], encodings[4096];

static void copy(const char *from, const char *to)
{
    char buffer[65536];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (size_t len; (len = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, len, out), len);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* All that is in the one folder, as links in the other; its files as copies, which a session may
 * read. lib-dynload is the test's own. */
static void fill(const char *from, const char *to)
{
    DIR *dir = opendir(from);
    assert_non_null(dir);
    for (const struct dirent *item; (item = readdir(dir));) {
        if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, "..") ||
            !strcmp(item->d_name, "lib-dynload") || !strcmp(item->d_name, "encodings"))
            continue;
        char target[8192], name[8192];
        snprintf(target, sizeof target, "%s/%s", from, item->d_name);
        snprintf(name, sizeof name, "%s/%s", to, item->d_name);
        struct stat facts;
        assert_int_equal(stat(target, &facts), 0);
        if (S_ISREG(facts.st_mode) && strstr(name, ".py"))
            copy(target, name);
        else
            assert_int_equal(symlink(target, name), 0);
    }
    closedir(dir);
}

static void make_folder(char *path, const char *name)
{
    snprintf(path, sizeof library, "%.3500s/%s", library, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static int make_home(void **state)
{
    assert_non_null(mkdtemp(home));
    char *absolute = realpath(home, NULL);
    assert_non_null(absolute);
    snprintf(home, sizeof home, "%s", absolute);
    free(absolute);

    snprintf(library, sizeof library, "%.3000s/lib", home);
    assert_int_equal(mkdir(library, 0755), 0);
    snprintf(library, sizeof library, "%.3000s/lib/%s", home, strrchr(STDLIB, '/') + 1);
    assert_int_equal(mkdir(library, 0755), 0);
    fill(STDLIB, library);
    make_folder(encodings, "encodings");
    fill(STDLIB "/encodings", encodings);
    make_folder(dynload, "lib-dynload");
    fill(DYNLOAD, dynload);
    return 0;
}

static void empty(const char *folder)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *item; dir && (item = readdir(dir));)
        unlinkat(dirfd(dir), item->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(folder);
}

static int remove_home(void **state)
{
    empty(dynload);
    empty(encodings);
    empty(library);
    *strrchr(library, '/') = '\0';
    rmdir(library);
    return rmdir(home);
}

static void put(const char *file)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", dynload, file);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("no library of this Python's\n", f);
    assert_int_equal(fclose(f), 0);
}

static snug_host *open_host(void)
{
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.python_home = home;
    if (snug_host_open(&host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return host;
}

static snug_session *open_session(snug_host *host)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.profile = "data";
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void check(snug_session *session, const char *source, const char *value)
{
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    if (snug_result_status(result) != SNUG_STATUS_OK)
        fail_msg("%s", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

/* As Debian's python3-dbg and a free-threaded Python put theirs, in the same folder. */
TEST(extensions_of_other_builds_are_left_alone)
{
    put("_json.cpython-311d-x86_64-linux-gnu.so");
    put("_json.cpython-313d-x86_64-linux-gnu.so");
    put("_json.cpython-314t-x86_64-linux-gnu.so");
    put("_json.cpython-39-x86_64-linux-gnu.so");

    snug_host *host = open_host();
    snug_session *session = open_session(host);
    check(session, "import math; 1.5 + math.sqrt(4)", "3.5");
    assert_int_equal(snug_session_close(session), SNUG_OK);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

static int is_mapped(const char *part)
{
    char line[8192];
    int found = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f))
        found = strstr(line, part) != NULL;
    fclose(f);
    return found;
}

TEST(a_module_in_c_is_loaded_when_a_cell_imports_it)
{
    snug_host *host = open_host();
    snug_session *session = open_session(host);
    assert_false(is_mapped("/_codecs_cn."));
    check(session, "'\\u4e2d'.encode('gb2312')", "b'\\xd6\\xd0'");
    assert_true(is_mapped("/_codecs_cn."));
    assert_int_equal(snug_session_close(session), SNUG_OK);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

enum { FEW = 32 };

/* json would go on without it, and the codec be unknown, for as long as the session lives. */
TEST(one_that_finds_no_descriptor_is_loaded_when_there_are_some_again)
{
    int files[FEW], count = 0;
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    snug_host *host = open_host();
    snug_session *session = open_session(host);
    few = before;
    few.rlim_cur = FEW;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    while (count < FEW && (files[count] = open("/dev/null", O_RDONLY)) >= 0)
        count++;
    check(session,
          "try: '\\u3042'.encode('shift_jis')\nexcept OSError as e: number = e.errno\nnumber",
          "24");

    while (count > 0)
        close(files[--count]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    check(session, "'\\u3042'.encode('shift_jis')", "b'\\x82\\xa0'");
    assert_int_equal(snug_session_close(session), SNUG_OK);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

enum { AT_ONCE = 8 };

/* Answers what it is, where that is not what it shall be. */
static void *import_all(void *session)
{
    static const char source[] =
        "import hashlib\n"
        "b''.join(t.encode(n) for t, n in\n"
        "         (('\\uac00', 'euc_kr'), ('\\u4e2d', 'big5'), ('\\u3042', 'iso2022_jp')))";
    snug_result *result = NULL;
    if (snug_session_run(&result, session, source, sizeof source - 1, NULL) != SNUG_OK)
        return strdup(snug_error_message());
    const char *value = snug_result_text(result, SNUG_STREAM_VALUE, NULL);
    char *wrong = NULL;
    if (strcmp(value, "b'\\xb0\\xa1\\xa4\\xa4\\x1b$B$\"\\x1b(B'") != 0)
        wrong = strdup(*value ? value : snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snug_result_free(result);
    return wrong;
}

TEST(sessions_that_import_at_once_each_get_it)
{
    snug_host *host = open_host();
    snug_session *sessions[AT_ONCE];
    pthread_t threads[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++)
        sessions[i] = open_session(host);
    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, import_all, sessions[i]), 0);
    for (int i = 0; i < AT_ONCE; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        if (wrong)
            fail_msg("%s", (char *)wrong);
        assert_int_equal(snug_session_close(sessions[i]), SNUG_OK);
    }
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

int main(void)
{
    return run_all_tests(make_home, remove_home);
}
