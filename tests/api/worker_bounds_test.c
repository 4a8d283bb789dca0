/* How much of the machine a worker can take by ways that no account of a session sees. Cells of
 * full sessions call the kernel as machine code does; what they had is read from outside. */
#include "../unit/test.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include <snug/snug.h>

#include "running.h"
#include "worker_host.h"

enum { LIMIT_MIB = 64 };

static snug_session *open_session(snug_kind kind)
{
    static const char *const allow[] = { "ctypes", "os", "mmap", NULL };
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.kind = kind;
    options.profile = "data";
    options.limits = &limits;
    limits.memory_bytes = (uint64_t)LIMIT_MIB << 20;
    options.allow = kind == SNUG_KIND_FULL ? allow : NULL;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

/* ---- the look from outside ---- */

typedef struct watcher {
    int64_t process;
    uint64_t most_kib;
    _Atomic int is_over;
} watcher;

static uint64_t kib_of(int64_t process)
{
    char path[64], line[256];
    unsigned long long kib, sum = 0;
    snprintf(path, sizeof path, "/proc/%lld/status", (long long)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %llu", &kib) == 1 || sscanf(line, "RssShmem: %llu", &kib) == 1 ||
            sscanf(line, "VmPTE: %llu", &kib) == 1 || sscanf(line, "VmSwap: %llu", &kib) == 1)
            sum += kib;
    if (file)
        fclose(file);
    return sum;
}

static void *watch(void *payload)
{
    watcher *w = payload;
    while (!atomic_load(&w->is_over)) {
        const struct timespec pause = { 0, 5000000 };
        uint64_t kib = kib_of(w->process);
        w->most_kib = kib > w->most_kib ? kib : w->most_kib;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* The most that it had, in KiB, more than when it was opened. */
static uint64_t run_watched(snug_session *session, const char *source)
{
    pthread_t thread;
    watcher w = { .process = snug_session_process(session) };
    uint64_t before_kib = kib_of(w.process);
    assert_int_equal(pthread_create(&thread, NULL, watch, &w), 0);
    snug_result *result = run(session, source, 20000);
    atomic_store(&w.is_over, 1);
    pthread_join(thread, NULL);
    /* By the kernel it ends, and not by a hook that machine code goes past. */
    if (snug_result_status(result) == SNUG_STATUS_DENIED)
        fail_msg("denied: %s\n%s", snug_result_error_value(result), source);
    printf("%-12s %.70s\n", snug_status_name(snug_result_status(result)),
           snug_result_error_value(result));
    snug_result_free(result);
    return w.most_kib > before_kib ? w.most_kib - before_kib : 0;
}

/* ---- ways ---- */

static const char prelude[] =
    "import ctypes, os, mmap, time\n"
    "library = ctypes.CDLL(None, use_errno=True)\n"
    "library.mmap.restype = library.mremap.restype = ctypes.c_void_p\n"
    "library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,"
    " ctypes.c_int, ctypes.c_long]\n"
    "library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]\n"
    "library.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]\n"
    "MB = 1 << 20\n"
    "def take(size, flags, fd=-1, protection=3):\n"
    "    at = library.mmap(None, size, protection, flags, fd, 0)\n"
    "    if not at or at == 2**64 - 1: raise MemoryError(ctypes.get_errno())\n"
    "    return at\n";

/* Each goes on to a gigabyte, slower than a look takes. */
static const struct {
    const char *name, *source;
} ways[] = {
    { "stack mappings", "at = take(1024 * MB, 0x122)\n"
                        "for i in range(1024): ctypes.memset(at + i * MB, 1, MB)" },
    { "shared mappings", "at = take(1024 * MB, 0x21)\n"
                         "for i in range(1024): ctypes.memset(at + i * MB, 1, MB)" },
    { "shared mappings of /dev/zero", "fd = library.open(b'/dev/zero', os.O_RDWR)\n"
                                      "if fd < 0: raise OSError(ctypes.get_errno(), 'open')\n"
                                      "at = take(1024 * MB, 1, fd)\n"
                                      "for i in range(1024): ctypes.memset(at + i * MB, 1, MB)" },
    { "written, then read-only", "for i in range(128):\n"
                                 "    at = take(8 * MB, 0x22); ctypes.memset(at, 1, 8 * MB)\n"
                                 "    library.mprotect(at, 8 * MB, 1); time.sleep(0.03)" },
    { "written, then no access", "for i in range(128):\n"
                                 "    at = take(8 * MB, 0x22); ctypes.memset(at, 1, 8 * MB)\n"
                                 "    library.mprotect(at, 8 * MB, 0); time.sleep(0.03)" },
    { "private mappings of a file",
      "open('f', 'wb').truncate(64 * MB); fd = os.open('f', os.O_RDWR)\n"
      "for i in range(128):\n"
      "    at = take(8 * MB, 2, fd); ctypes.memset(at, 1, 8 * MB)\n"
      "    library.mprotect(at, 8 * MB, 1); time.sleep(0.03)" },
    { "tables of pages", "at = take(1 << 40, 0x4022, protection=1)\n"
                         "library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t,"
                         " ctypes.c_int]\n"
                         "library.madvise(at, 1 << 40, 15)\n"
                         "for n, i in enumerate(range(at, at + (1 << 40), 2 * MB)):\n"
                         "    ctypes.c_char.from_address(i).value\n"
                         "    if n % 1000 == 0: time.sleep(0.005)\n"
                         "    if n == 200000: break" },
    { "brk", "library.sbrk.restype = ctypes.c_void_p; library.sbrk.argtypes = [ctypes.c_long]\n"
             "for i in range(1024):\n"
             "    at = library.sbrk(MB)\n"
             "    if at == 2**64 - 1: break\n"
             "    ctypes.memset(at, 1, MB)" },
    { "files without a name", "library.ftruncate.argtypes = [ctypes.c_int, ctypes.c_long]\n"
                              "for i in range(128):\n"
                              "    fd = library.memfd_create(b'x', 0)\n"
                              "    if fd < 0: raise OSError(ctypes.get_errno(), 'memfd_create')\n"
                              "    library.ftruncate(fd, 8 * MB)\n"
                              "    ctypes.memset(take(8 * MB, 1, fd), 1, 8 * MB)" },
    { "the stack of the process",
      "at = ctypes.c_void_p.in_dll(library, '__libc_stack_end').value & -4096\n"
      "for i in range(1, 1024): ctypes.memset(at - i * MB, 1, MB)" },
};

TEST(no_way_of_memory_gets_far)
{
    const uint64_t most_kib = (LIMIT_MIB * 5 / 4 + 32) * 1024;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snug_session *session = open_session(SNUG_KIND_FULL);
        snug_result_free(run(session, prelude, 0));
        uint64_t kib = run_watched(session, ways[i].source);
        printf("%-30s %6.1f MiB\n", ways[i].name, (double)kib / 1024);
        if (kib > most_kib)
            fail_msg("%s: %llu KiB of %llu", ways[i].name, (unsigned long long)kib,
                     (unsigned long long)most_kib);
        snug_session_close(session);
    }
}

TEST(a_worker_that_is_ended_for_its_memory_says_so)
{
    snug_session *session = open_session(SNUG_KIND_FULL);
    snug_result_free(run(session, prelude, 0));
    snug_result *result = run(session, ways[3].source, 20000);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_MEMORY);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    assert_string_equal(snug_result_error_name(result), "MemoryError");
    snug_result_free(result);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    result = run(session, "6 * 7", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "42");
    snug_result_free(result);
    snug_session_close(session);
}

/* What the library's C code takes, no account of the session counts; a shared worker's bound has
 * room for a stack besides, of twice the limit. */
TEST(a_database_in_memory_does_not_get_far)
{
    snug_session *session = open_session(SNUG_KIND_RESTRICTED);
    uint64_t kib =
        run_watched(session, "import sqlite3\n"
                             "c = sqlite3.connect(':memory:')\n"
                             "c.execute('create table t(b)')\n"
                             "for i in range(100):\n"
                             "    c.execute('insert into t values(zeroblob(10000000))')");
    if (kib > (LIMIT_MIB * 5 / 4 + 2 * LIMIT_MIB + 32 + 16) * 1024)
        fail_msg("%llu KiB", (unsigned long long)kib);
    snug_session_close(session);
}

TEST(descriptors_are_few)
{
    snug_session *session = open_session(SNUG_KIND_FULL);
    snug_result *result = run(session,
                              "import os\n"
                              "made = 0\n"
                              "try:\n"
                              "    while made < 5000: os.pipe(); made += 1\n"
                              "except OSError: pass\n"
                              "made <= 128",
                              0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "True");
    snug_result_free(result);
    snug_session_close(session);
}

/* ---- files ---- */

enum { DISK_MIB = 24, DISK_FILES = 50 };

static snug_session *open_small(void)
{
    static const char *const allow[] = { "ctypes", "os", "mmap", NULL };
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.kind = SNUG_KIND_FULL;
    options.profile = "data";
    options.allow = allow;
    options.limits = &limits;
    limits.disk_bytes = (uint64_t)DISK_MIB << 20;
    limits.disk_files = DISK_FILES;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    snug_result_free(run(session, prelude, 0));
    return session;
}

static int has_folder_in_memory(const snug_session *session)
{
    return access(snug_session_workdir(session), F_OK) != 0;
}

/* By the calls themselves, which no function of ours sees; deleted and unnamed files count. */
TEST(raw_calls_do_not_get_past_the_limits_of_the_disk)
{
    static const char bytes[] =
        "written, block = 0, b'x' * MB\n"
        "for name in [b'a', b'b', b'c', None]:\n"
        "    fd = (library.syscall(2, name, 0o102, 0o600) if name else\n"
        "          library.syscall(2, b'.', 0o20200002, 0o600))\n"
        "    if name == b'c': library.syscall(87, name)\n"
        "    while library.syscall(1, fd, block, MB) == MB: written += 1\n"
        "    while library.syscall(285, fd, 0, written * MB, MB) == 0: written += 1\n"
        "print(written)\n";
    static const char files[] = "made = 0\n"
                                "while made < 5000:\n"
                                "    fd = library.syscall(2, b'n%d' % made, 0o102, 0o600)\n"
                                "    if fd < 0: break\n"
                                "    library.syscall(3, fd); made += 1\n"
                                "print(made)\n";
    static const struct {
        const char *source;
        long most;
    } tries[] = { { bytes, DISK_MIB + 1 }, { files, DISK_FILES } };
    for (size_t i = 0; i < 2; i++) {
        snug_session *session = open_small();
        if (!has_folder_in_memory(session)) {
            printf("the machine permits no folder in memory: its disk has no bound here\n");
            snug_session_close(session);
            return;
        }
        snug_result *result = run(session, tries[i].source, 20000);
        const char *out = snug_result_text(result, SNUG_STREAM_STDOUT, NULL);
        assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
        assert_in_range(atol(out), tries[i].most / 2, tries[i].most);
        snug_result_free(result);
        snug_session_close(session);
    }
}

/* In a folder of the caller's such a sum is looked at (worker_bounds_disk_test.c), and what is
 * below the limit is seen by what asks. */
TEST(what_raw_calls_have_written_counts_in_the_next_cell)
{
    char folder[] = "/tmp/snug-bounds-test-XXXXXX", path[64];
    snug_session *session = NULL;
    static const char *const allow[] = { "ctypes", "os", "mmap", NULL };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    assert_non_null(mkdtemp(folder));
    options.kind = SNUG_KIND_FULL;
    options.profile = "data";
    options.allow = allow;
    options.workdir = folder;
    limits.disk_bytes = (uint64_t)DISK_MIB << 20;
    options.limits = &limits;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result_free(run(session, prelude, 0));
    snug_result_free(run(session,
                         "open('first', 'w').write('x')\n"
                         "for name in (b'a', b'b'):\n"
                         "    fd = library.syscall(2, name, 0o102, 0o600)\n"
                         "    for _ in range(10): library.syscall(1, fd, b'x' * MB, MB)\n",
                         0));
    snug_result *result = run(session, "with open('next', 'w') as f: f.write('x' * 8 * MB)", 0);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_ERROR);
    assert_non_null(strstr(snug_result_error_value(result), "[Errno 122]"));
    snug_result_free(result);
    snug_session_close(session);
    static const char *const names[] = { "first", "a", "b", "next" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void expect_file(snug_session *session, const char *path, const char *text)
{
    snug_file *file = NULL;
    size_t len;
    if (snug_session_get_file(&file, session, path, 100) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_string_equal(snug_file_data(file, &len), text);
    snug_file_free(file);
}

TEST(files_in_memory_outlive_their_worker)
{
    snug_session *session = open_small();
    snug_listing *listing;
    assert_int_equal(snug_session_put_file(session, "in/given", "by the host", 11), SNUG_OK);
    snug_result_free(run(session, "open('in/made', 'w').write('by a cell')", 0));
    expect_file(session, "in/made", "by a cell");
    kill((pid_t)snug_session_process(session), SIGKILL);
    snug_result *result = run(session, "1", 0);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    expect_file(session, "in/made", "by a cell");
    assert_int_equal(snug_session_remove_file(session, "in/given"), SNUG_OK);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    result = run(session,
                 "open('in/made', 'a').write(', twice')\n"
                 "import os; (open('in/made').read(), sorted(os.listdir('in')))",
                 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                        "('by a cell, twice', ['made'])");
    snug_result_free(result);
    expect_file(session, "in/made", "by a cell, twice");
    assert_int_equal(snug_session_list_files(&listing, session), SNUG_OK);
    snug_listing_free(listing);
    snug_session_close(session);
}

TEST(files_in_memory_are_no_memory_of_the_session)
{
    snug_session *session = open_session(SNUG_KIND_FULL);
    snug_result *result = run(session,
                              "for i in range(3):\n"
                              "    with open('f%d' % i, 'wb') as f:\n"
                              "        for _ in range(60): f.write(b'x' * (1 << 20))\n"
                              "6 * 7",
                              20000);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "42");
    snug_result_free(result);
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_worker_host, close_worker_host);
}
