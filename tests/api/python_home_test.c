/* A standard library that is not where this Python's own is. */
#include "../unit/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

static char home[4096] = "home-XXXXXX", library[4096], dynload[4096];

/* All that is in the one folder, as links in the other; lib-dynload is the test's own. */
static void link_all(const char *from, const char *to)
{
    DIR *dir = opendir(from);
    assert_non_null(dir);
    for (const struct dirent *item; (item = readdir(dir));) {
        if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, "..") ||
            !strcmp(item->d_name, "lib-dynload"))
            continue;
        char target[8192], name[8192];
        snprintf(target, sizeof target, "%s/%s", from, item->d_name);
        snprintf(name, sizeof name, "%s/%s", to, item->d_name);
        assert_int_equal(symlink(target, name), 0);
    }
    closedir(dir);
}

static int make_home(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(home));
    char *absolute = realpath(home, NULL);
    assert_non_null(absolute);
    snprintf(home, sizeof home, "%s", absolute);
    free(absolute);

    snprintf(library, sizeof library, "%.3000s/lib", home);
    assert_int_equal(mkdir(library, 0755), 0);
    snprintf(library, sizeof library, "%.3000s/lib/%s", home, strrchr(STDLIB, '/') + 1);
    assert_int_equal(mkdir(library, 0755), 0);
    link_all(STDLIB, library);
    snprintf(dynload, sizeof dynload, "%.3500s/lib-dynload", library);
    assert_int_equal(mkdir(dynload, 0755), 0);
    link_all(DYNLOAD, dynload);
    return 0;
}

static void remove_links(const char *folder)
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
    (void)state;
    remove_links(dynload);
    remove_links(library);
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

/* As Debian's python3-dbg and a free-threaded Python put theirs, in the same folder. */
static void extensions_of_other_builds_are_left_alone(void **state)
{
    (void)state;
    put("_json.cpython-311d-x86_64-linux-gnu.so");
    put("_json.cpython-313d-x86_64-linux-gnu.so");
    put("_json.cpython-314t-x86_64-linux-gnu.so");
    put("_json.cpython-39-x86_64-linux-gnu.so");

    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.python_home = home;
    if (snug_host_open(&host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    snug_session *session = NULL;
    if (snug_session_open(&session, host, NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());

    static const char source[] = "import math; 1.5 + math.sqrt(4)";
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, sizeof source - 1, NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "3.5");
    snug_result_free(result);
    assert_int_equal(snug_session_close(session), SNUG_OK);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_of_other_builds_are_left_alone),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}
