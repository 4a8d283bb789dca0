/* What machine code of a full session gets to write to a work directory that the caller has named,
 * past the functions that ask. Cells call the kernel as machine code does. */
#include "../unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <snug/snug.h>

#include "running.h"
#include "worker_host.h"

enum { LIMIT_MIB = 16, LIMIT_FILES = 50 };

/* What a busy machine lets a writer have before anybody else has a turn. Each goes on to a
 * gigabyte. */
enum { MOST_MIB = 400, MOST_FILES = 5000 };

static char folder[64];
static snug_session *session;

static const char prelude[] = "import ctypes, os, time\n"
                              "library = ctypes.CDLL(None, use_errno=True)\n"
                              "MB = 1 << 20\n"
                              "block = ctypes.create_string_buffer(16 * MB)\n"
                              "def make(name): return library.syscall(2, name, 0o2102, 0o600)\n"
                              "def write(fd, size): return library.syscall(1, fd, block, size)\n"
                              "def close(fd): library.syscall(3, fd)\n"
                              "def delete(name): library.syscall(87, name)\n";

static void open_in(const char *workdir, const snug_mount *mounts, size_t count)
{
    static const char *const allow[] = { "ctypes", "os", NULL };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.kind = SNUG_KIND_FULL;
    options.profile = "data";
    options.allow = allow;
    options.workdir = workdir;
    options.mounts = mounts;
    options.mount_count = count;
    options.limits = &limits;
    limits.disk_bytes = (uint64_t)LIMIT_MIB << 20;
    limits.disk_files = LIMIT_FILES;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    snug_result_free(run(session, prelude, 0));
}

static int set_up(void **state)
{
    strcpy(folder, "/tmp/snug-bounds-disk-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Of the files in the work directory, which has no folders. */
static uint64_t mib_there(uint64_t *files)
{
    struct stat facts;
    uint64_t sum = 0;
    DIR *dir = opendir(snug_session_workdir(session));
    assert_non_null(dir);
    *files = 0;
    for (const struct dirent *item; (item = readdir(dir));)
        if (*item->d_name != '.' && fstatat(dirfd(dir), item->d_name, &facts, 0) == 0) {
            sum += (uint64_t)facts.st_size;
            ++*files;
        }
    closedir(dir);
    return sum >> 20;
}

static void rest(long ms)
{
    const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&pause, NULL);
}

static void expect_disk_limit(snug_result *result)
{
    if (snug_result_status(result) != SNUG_STATUS_ERROR ||
        strcmp(snug_result_error_name(result), "DiskLimit") != 0)
        fail_msg("%s: %s", snug_status_name(snug_result_status(result)),
                 snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_non_null(strstr(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "DiskLimit: "));
    assert_null(strstr(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "KeyboardInterrupt"));
}

static void reset(void)
{
    if (snug_session_reset(session) != SNUG_OK)
        fail_msg("%s", snug_error_message());
}

static void expect_answer(const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    if (snug_result_status(result) != SNUG_STATUS_OK)
        fail_msg("%s", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

/* ---- in a cell ---- */

static const struct {
    const char *name, *source;
} ways[] = {
    { "small writes", "for n in range(1000):\n"
                      "    if n % 10 == 0: fd = make(b'f%d' % n)\n"
                      "    write(fd, MB)\n" },
    { "large writes", "for n in range(60):\n"
                      "    fd = make(b'f%d' % n)\n"
                      "    write(fd, 16 * MB)\n"
                      "    close(fd)\n" },
    { "deleted files", "for n in range(60):\n"
                       "    fd = make(b'f%d' % n)\n"
                       "    delete(b'f%d' % n)\n"
                       "    write(fd, 16 * MB)\n" },
    { "files that never had a name", "for n in range(60):\n"
                                     "    fd = library.syscall(2, b'.', 0o20200002, 0o600)\n"
                                     "    write(fd, 16 * MB)\n" },
    { "truncated files", "for n in range(60):\n"
                         "    library.ftruncate(make(b'f%d' % n), 16 * MB)\n"
                         "    time.sleep(0.02)\n" },
    { "empty files", "for n in range(20000): close(make(b'f%d' % n))\n" },
};

static void try_ways(const char *workdir, const snug_mount *mounts, size_t count)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint64_t files;
        open_in(workdir, mounts, count);
        snug_result *result = run(session, ways[i].source, 60000);
        uint64_t mib = mib_there(&files);
        printf("%-28s %4d MiB, %4d files: %s, %s\n", ways[i].name, (int)mib, (int)files,
               snug_result_error_name(result),
               snug_result_state(result) == SNUG_STATE_LOST ? "lost" : "kept");
        expect_disk_limit(result);
        if (mib > MOST_MIB || files > MOST_FILES)
            fail_msg("%s: %d MiB, %d files", ways[i].name, (int)mib, (int)files);
        snug_result_free(result);
        snug_session_close(session);
        assert_int_equal(tear_down(NULL), 0);
        set_up(NULL);
    }
}

TEST_WITH(what_raw_calls_write_to_a_named_folder_is_bounded, set_up, tear_down)
{
    try_ways(folder, NULL, 0);
}

/* It is on the disk, as it has mounts in it. */
TEST_WITH(so_is_what_they_write_to_a_private_one_there, set_up, tear_down)
{
    const snug_mount mount = { .path = "/usr/share", .name = "share" };
    try_ways(NULL, &mount, 1);
}

/* So slow that on a busy machine too it is stopped before it has written much more. */
static const char slow[] = "for n in range(200):\n"
                           "    fd = make(b's%d' % (n // 10))\n"
                           "    write(fd, MB // 2); close(fd)\n"
                           "    time.sleep(0.08)\n";

TEST_WITH(who_is_told_keeps_the_session_and_may_tidy_up, set_up, tear_down)
{
    uint64_t files;
    open_in(folder, NULL, 0);
    snug_result *result = run(session, slow, 0);
    expect_disk_limit(result);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    assert_non_null(strstr(snug_result_error_hint(result), "Remove files"));
    snug_result_free(result);
    assert_in_range(mib_there(&files), LIMIT_MIB, 4 * LIMIT_MIB);
    expect_answer("time.sleep(0.3); n > 0", "True");
    expect_answer("for name in os.listdir('.'): os.remove(name)\n"
                  "time.sleep(0.3)\n"
                  "write(make(b'again'), MB) == MB",
                  "True");
    result = run(session, slow, 0);
    expect_disk_limit(result);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    snug_session_close(session);
}

/* Some builds of libffi write a page to a file of their own: in a folder that is too full, the
 * first cell of a new worker is told so, and keeps its session. */
static void prepare(void)
{
    for (int i = 0; i < 2; i++) {
        snug_result *result = run(session, prelude, 0);
        assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
        snug_result_free(result);
    }
}

/* In cell after cell, and worker after worker: what is written in all is bounded. */
TEST_WITH(who_was_told_and_goes_on_loses_the_worker, set_up, tear_down)
{
    uint64_t files;
    open_in(folder, NULL, 0);
    int is_lost = 0;
    for (int i = 0; i < 40 && !is_lost; i++) {
        snug_result *result = run(session, slow, 0);
        expect_disk_limit(result);
        is_lost = snug_result_state(result) == SNUG_STATE_LOST;
        snug_result_free(result);
    }
    assert_true(is_lost);
    for (int i = 0; i < 3; i++) {
        reset();
        prepare();
        snug_result *result = run(session, slow, 0);
        expect_disk_limit(result);
        snug_result_free(result);
    }
    assert_in_range(mib_there(&files), LIMIT_MIB, 8 * LIMIT_MIB);
    snug_session_close(session);
}

/* ---- between cells ---- */

TEST_WITH(a_thread_that_writes_between_cells_loses_the_worker, set_up, tear_down)
{
    uint64_t files;
    open_in(folder, NULL, 0);
    snug_result_free(run(session,
                         "started = ctypes.c_ulong()\n"
                         "def body(_):\n"
                         "    time.sleep(0.5)\n"
                         "    for n in range(600):\n"
                         "        fd = make(b't%d' % n); write(fd, MB); close(fd)\n"
                         "        time.sleep(0.01)\n"
                         "call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(body)\n"
                         "library.pthread_create(ctypes.byref(started), None, call, None)",
                         0));
    int64_t process = snug_session_process(session);
    for (int i = 0; i < 100 && snug_session_process(session) == process; i++)
        rest(100);
    snug_result *result = run(session, "6 * 7", 0);
    expect_disk_limit(result);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    assert_in_range(mib_there(&files), LIMIT_MIB, MOST_MIB);
    reset();
    expect_answer("6 * 7", "42");
    snug_session_close(session);
}

TEST_WITH(what_the_caller_puts_there_is_not_the_cells_fault, set_up, tear_down)
{
    int is_fine = 0;
    open_in(folder, NULL, 0);
    expect_answer("6 * 7", "42");
    /* The worker must have been seen to be idle: on a busy machine that takes a while. */
    for (long ms = 250; ms <= 8000 && !is_fine; ms *= 2) {
        char path[128];
        rest(ms);
        snprintf(path, sizeof path, "%s/given-%ld", folder, ms);
        int fd = open(path, O_CREAT | O_WRONLY, 0600);
        assert_int_equal(ftruncate(fd, 4 * LIMIT_MIB << 20), 0);
        close(fd);
        snug_result *result = run(session, "time.sleep(0.5); 6 * 7", 0);
        is_fine = snug_result_status(result) == SNUG_STATUS_OK;
        snug_result_free(result);
    }
    assert_true(is_fine);
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_worker_host, close_worker_host);
}
