/* What a worker has of the rights of the user that has started it, and of what other workers have.
 * Cells of full sessions call the kernel as machine code does. */
#include "../unit/test.h"

#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <snug/snug.h>

#include "running.h"
#include "worker_host.h"

static char folder[64];

static int set_up(void **state)
{
    strcpy(folder, "/tmp/snug-rights-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    return open_worker_host(state);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    return remove(path);
}

static int tear_down(void **state)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return close_worker_host(state);
}

static int has(const char *what)
{
    return strstr(snug_host_report(host), what) != NULL;
}

static snug_session *open_session(snug_kind kind, const char *workdir)
{
    static const char *const allow[] = { "ctypes", "os", "struct", NULL };
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.kind = kind;
    options.profile = "data";
    options.workdir = workdir;
    options.allow = kind == SNUG_KIND_FULL ? allow : NULL;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void expect(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        fail_msg("%s\nis %s, not %s\n%s", source, snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                 value, snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snug_result_free(result);
}

/* Each a Python expression's text; what it was called with is its business. */
static const char prelude[] = "import ctypes, os, struct\n"
                              "library = ctypes.CDLL(None, use_errno=True)\n"
                              "def call(number, *arguments):\n"
                              "    ctypes.set_errno(0)\n"
                              "    answer = library.syscall(number, *arguments)\n"
                              "    return answer if answer >= 0 else -ctypes.get_errno()\n";

/* ---- rights ---- */

/* Of a line of /proc/PROCESS/status, behind its name. */
static void status_of(char *out, size_t size, int64_t process, const char *name)
{
    char path[64], line[256];
    size_t len = strlen(name);
    snprintf(path, sizeof path, "/proc/%lld/status", (long long)process);
    FILE *file = fopen(path, "re");
    out[0] = '\0';
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, len) == 0 && line[len] == ':')
            snprintf(out, size, "%s", line + len + 1 + strspn(line + len + 1, " \t"));
    if (file)
        fclose(file);
    out[strcspn(out, "\n")] = '\0';
}

static void expect_no_rights(snug_kind kind, const char *workdir)
{
    static const char *const sets[] = { "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb" };
    char text[256], path[64];
    snug_session *session = open_session(kind, workdir);
    int64_t process = snug_session_process(session);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        status_of(text, sizeof text, process, sets[i]);
        if (strtoull(text, NULL, 16) != 0)
            fail_msg("%s is %s", sets[i], text);
    }
    status_of(text, sizeof text, process, "NoNewPrivs");
    assert_string_equal(text, "1");
    status_of(text, sizeof text, process, "Uid");
    if (has("a user of its own") && strtoul(text, NULL, 10) == geteuid())
        fail_msg("the worker's user is its host's");
    snprintf(path, sizeof path, "/proc/%lld/oom_score_adj", (long long)process);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "1000\n");
    snug_session_close(session);
}

TEST(a_worker_has_no_rights_and_is_the_first_that_the_kernel_takes)
{
    if (!has("no capabilities"))
        fail_msg("%s", snug_host_report(host));
    expect_no_rights(SNUG_KIND_RESTRICTED, NULL);
    expect_no_rights(SNUG_KIND_RESTRICTED, folder);
    expect_no_rights(SNUG_KIND_FULL, NULL);
}

/* ---- marked files ---- */

static int look_at_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    mode_t mode = facts->st_mode;
    (void)kind, (void)place;
    if (mode & (S_ISUID | S_ISGID | S_ISVTX) || !(S_ISREG(mode) || S_ISDIR(mode)))
        fail_msg("%s has mode %o", path, mode);
    return 0;
}

/* By every call that makes something or gives it a mode, for each set-id and sticky bit. */
static const char makers[] =
    "names = iter(range(10**6)); name = lambda: b'made-%d' % next(names)\n"
    "open('old', 'w').close(); old = os.open('old', os.O_RDWR)\n"
    "for bit in (0o4000, 0o2000, 0o1000):\n"
    "    for kind in (0, 0o100000):\n"
    "        mode = kind | bit | 0o755\n"
    "        how = struct.pack('QQQ', 0o102, bit | 0o755, 0)\n"
    "        call(437, -100, name(), how, 24)\n"
    "        how = struct.pack('QQQ', 0o20200002, bit | 0o755, 0)\n"
    "        call(437, -100, b'.', how, 24)\n"
    "        call(2, name(), 0o102, mode); call(257, -100, name(), 0o102, mode)\n"
    "        call(85, name(), mode); call(83, name(), mode); call(258, -100, name(), mode)\n"
    "        call(133, name(), mode, 0); call(259, -100, name(), mode, 0)\n"
    "        call(91, old, mode); call(90, b'old', mode); call(268, -100, b'old', mode)\n"
    "        call(452, -100, b'old', mode, 0)\n"
    "for kind in (0o010000, 0o020000, 0o060000, 0o140000):\n"
    "    call(133, name(), kind | 0o666, 0x103); call(259, -100, name(), kind | 0o666, 0)\n"
    "call(316, -100, b'old', -100, name(), 4)\n"
    "call(88, b'/etc/passwd', name()); call(86, b'/usr/lib/os-release', name())\n"
    "call(188, b'old', b'security.capability', bytes.fromhex('0100000200200000' + '0' * 24), 20, "
    "0)\n"
    "call(94, b'old', 0, 0), next(names) > 40\n";

TEST(machine_code_makes_no_marked_files_and_no_devices)
{
    snug_session *session = open_session(SNUG_KIND_FULL, folder);
    expect(session, prelude, "");
#ifdef __x86_64__
    expect(session, makers, "(-1, True)");
#else
    expect(session, "call(437, -100, b'made', struct.pack('QQQ', 0o102, 0o6755, 0), 24)", "-38");
#endif
    snug_session_close(session);
    assert_int_equal(nftw(folder, look_at_one, 8, FTW_PHYS), 0);
}

#ifdef __x86_64__
/* chmod of "old" by int 0x80, whose numbers are i386's and whose addresses have 32 bits. */
static const char old_calls[] =
    "library.mmap.restype = ctypes.c_void_p\n"
    "library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,"
    " ctypes.c_int, ctypes.c_long]\n"
    "low = library.mmap(None, 4096, 7, 0x62, -1, 0)\n"
    "ctypes.memmove(low + 256, b'old\\0', 4)\n"
    "code = (b'\\x53\\xb8' + struct.pack('<I', 15) + b'\\xbb' + struct.pack('<I', low + 256) +\n"
    "        b'\\xb9' + struct.pack('<I', 0o6755) + b'\\xcd\\x80\\x5b\\xc3')\n"
    "ctypes.memmove(low, code, len(code))\n"
    "ctypes.CFUNCTYPE(ctypes.c_int)(low)()\n";

/* Kernels without the emulation of i386 answer int 0x80 by a fault, in all programs. */
static int has_old_calls(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        long number = 20; /* getpid */
        signal(SIGSEGV, SIG_DFL);
        __asm__ volatile("int $0x80" : "+a"(number)::"memory");
        _exit(number > 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(machine_code_has_the_calls_of_its_own_kind_only)
{
    snug_session *session = open_session(SNUG_KIND_FULL, folder);
    expect(session, prelude, "");
    expect(session, "open('old', 'w').close()", "");
    if (has_old_calls())
        expect(session, old_calls, "-1"); /* EPERM */
    else
        print_message("int 0x80 was not tried: this kernel has no emulation of i386\n");
    /* x32: chmod, openat, execve */
    expect(session, "[call(0x40000000 + n, b'old', 0o6755, 0) for n in (90, 257, 520)]",
           "[-1, -1, -1]");
    snug_session_close(session);
    char path[96];
    struct stat facts;
    snprintf(path, sizeof path, "%s/old", folder);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07000, 0);
}
#endif

/* ---- folders of the caller's ---- */

/* A folder of that owner with a file that only the owner may read. */
static void use_folder_of(uid_t user)
{
    char theirs[80], path[96];
    struct stat facts;
    snprintf(theirs, sizeof theirs, "%s/of-%u", folder, (unsigned)user);
    snprintf(path, sizeof path, "%s/secret", theirs);
    assert_int_equal(mkdir(theirs, 0700), 0);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs("42", file);
    fclose(file);
    assert_int_equal(chmod(path, 0600) || chown(path, user, user) || chown(theirs, user, user), 0);
    static const snug_kind kinds[] = { SNUG_KIND_RESTRICTED, SNUG_KIND_FULL };
    for (size_t i = 0; i < 2; i++) {
        snug_session *session = open_session(kinds[i], theirs);
        expect(session, "open('secret').read()", "'42'");
        expect(session, "import os; os.makedirs('new/newer', exist_ok=True); os.listdir('new')",
               "['newer']");
        expect(session,
               "open('new/file', 'w').write('x'); os.remove('new/file'); "
               "open('made', 'w').write('y')",
               "1");
        expect(session, "open('secret', 'a').write('')", "0");
        snug_session_close(session);
        snprintf(path, sizeof path, "%s/made", theirs);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_uid, user);
        assert_int_equal(unlink(path), 0);
    }
}

TEST(what_is_made_in_a_folder_belongs_to_whom_the_folder_does)
{
    use_folder_of(geteuid());
    if (has("a user of its own"))
        use_folder_of(12345);
}

/* ---- other workers ---- */

TEST(two_workers_have_no_pipe_in_common)
{
    static const char writes[] = "said = b'said by the other worker'\n"
                                 "for name in (b'/proc/self/fd/%d' % n for n in range(16)):\n"
                                 "    fd = call(2, name, 1 | 0o4000, 0)\n"
                                 "    if fd >= 0: call(1, fd, said, len(said))\n";
    static const char reads[] =
        "heard = b''\n"
        "for name in (b'/proc/self/fd/%d' % n for n in range(16)):\n"
        "    fd = call(2, name, 0o4000, 0); room = ctypes.create_string_buffer(100)\n"
        "    if fd >= 0 and call(0, fd, room, 100) > 0: heard += room.raw\n"
        "b'other' in heard\n";
    snug_session *a = open_session(SNUG_KIND_FULL, NULL), *b = open_session(SNUG_KIND_FULL, NULL);
    expect(a, prelude, "");
    expect(b, prelude, "");
    expect(a, writes, "");
    expect(b, reads, "False");
    snug_session_close(a);
    snug_session_close(b);
}

TEST(no_path_leads_to_a_worker_s_descriptors)
{
    if (!has("mnt namespace")) {
        print_message("a worker has no mount namespace of its own here\n");
        skip();
    }
    snug_session *session = open_session(SNUG_KIND_FULL, NULL);
    expect(session, prelude, "");
    expect(session,
           "[call(2, b'/proc/' + name, 0, 0) for name in (b'self/fd', b'1/fd', b'thread-self/fd',"
           " b'self/task', b'self/cwd', b'self/root', b'self/exe', b'self/ns', b'sys')]",
           "[-2, -2, -2, -2, -2, -2, -2, -2, -2]");
    expect(session, "call(2, b'/proc/cpuinfo', 0, 0) > 0", "True");
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(set_up, tear_down);
}
