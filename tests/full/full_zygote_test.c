/* A process that has imported packages and forks for each session. */
#include "full.h"

#include "session/life/warm.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int count_threads(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/task");
    for (const struct dirent *item; dir && (item = readdir(dir));)
        count += item->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return count;
}

enum { TEXT_BYTES = 1024 };

/* What the value of source is in a session of a child; "" where that failed. */
static void value_in_child(char text[TEXT_BYTES], const char *source)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    warm_before_fork();
    pid_t child = fork();
    warm_after_fork(child == 0);
    if (child == 0) {
        open_host();
        snug_session *session = open_numeric();
        snug_result *result = run_within(session, source, 0);
        size_t len;
        const char *value = snug_result_text(result, SNUG_STREAM_VALUE, &len);
        if (len == 0)
            value = snug_result_text(result, SNUG_STREAM_TRACEBACK, &len);
        int is_written = write(ends[1], value, len) == (ssize_t)len;
        snug_result_free(result);
        close_session(session);
        _exit(snug_host_close(host) != SNUG_OK || !is_written);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], text, TEXT_BYTES - 1);
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_preloaded_process_has_one_thread(void **state)
{
    static const char *const names[] = { "pandas", "matplotlib.pyplot", NULL };
    if (full_preload(names, NULL))
        fail_msg("%s", snug_error_message());
    assert_int_equal(count_threads(), 1);
}

static void two_children_have_different_random_numbers(void **state)
{
    static const char source[] = "import random, numpy\n"
                                 "(random.random(), numpy.random.rand(), hash('a'))";
    char one[TEXT_BYTES], other[TEXT_BYTES];
    value_in_child(one, source);
    value_in_child(other, source);
    const char *seeds[] = { strrchr(one, ','), strrchr(other, ',') };
    const char *numbers[] = { strchr(one, ','), strchr(other, ',') };
    assert_non_null(seeds[0]);
    assert_string_equal(seeds[0], seeds[1]);
    assert_int_not_equal(strncmp(one, other, 12), 0);
    assert_int_not_equal(strncmp(numbers[0], numbers[1], 12), 0);
}

static void a_child_has_threads_figures_and_frames(void **state)
{
    char text[TEXT_BYTES];
    value_in_child(text, "import threading, matplotlib.pyplot as plt, pandas as pd\n"
                         "import os, tempfile\n"
                         "found = []\n"
                         "thread = threading.Thread(target=lambda: found.append(1))\n"
                         "thread.start(); thread.join()\n"
                         "plt.plot([1])\n"
                         "(found, plt.get_backend(), pd.DataFrame({'a': [1]}).a.sum().item(),\n"
                         " threading.current_thread() is threading.main_thread(),\n"
                         " tempfile.gettempdir() == os.getcwd(), os.path.exists('.cache'))");
    assert_string_equal(text, "([1], 'module://_snug_inline', 1, True, True, False)");
}

/* Or each session would copy all pages of the packages at its first collection. */
static void collections_leave_out_what_was_imported(void **state)
{
    char text[TEXT_BYTES];
    value_in_child(text, "import pandas, sys\n"
                         "gc = sys.modules['gc']\n"
                         "(gc.get_freeze_count() > 10_000,\n"
                         " any(item is pandas.DataFrame for item in gc.get_objects()))");
    assert_string_equal(text, "(True, False)");
}

static void the_environment_is_the_sessions(void **state)
{
    char text[TEXT_BYTES];
    value_in_child(text, "import os\n(os.environ.get('SECRET'), os.environ['OMP_NUM_THREADS'])");
    assert_string_equal(text, "(None, '1')");
}

/* In a child that the packages of this process are none of. */
static int preload_in_child(const char *name, const char *folder, const char *sentence)
{
    const char *const names[] = { name, NULL };
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int error = full_preload(names, folder);
        if (!strstr(snug_error_message(), sentence))
            _exit((printf("%d: %s\n", error, snug_error_message()), fflush(stdout), 100));
        _exit(-error);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return -WEXITSTATUS(status);
}

static void a_package_that_starts_a_thread_is_named(void **state)
{
    char folder[] = "/tmp/snug-full-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/busy.py", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("import threading\n"
          "threading.Thread(target=threading.Event().wait, daemon=True).start()\n",
          file);
    fclose(file);
    assert_int_equal(preload_in_child("busy", folder, "importing busy has started a thread"),
                     SNUG_EPYTHON);
    assert_int_equal(preload_in_child("bussy", folder, "bussy is not installed in /tmp/snug-full-"),
                     SNUG_ENOTFOUND);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_package_that_starts_a_thread_is_named),
        cmocka_unit_test(a_preloaded_process_has_one_thread),
        cmocka_unit_test(two_children_have_different_random_numbers),
        cmocka_unit_test(a_child_has_threads_figures_and_frames),
        cmocka_unit_test(collections_leave_out_what_was_imported),
        cmocka_unit_test(the_environment_is_the_sessions),
    };
    setenv("SECRET", "key", 1);
    return has_packages() ? cmocka_run_group_tests(tests, NULL, NULL) : SKIPPED;
}
