/* Where a worker is: its process numbers, its folders, and what it finds there. */
#include "../counters.h"
#include "../unit/test.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <snug/snug.h>

/* A test's part in a process of its own. */
static int is_child;

static void give_up(const char *why)
{
    if (!is_child)
        fail_msg("%s", why);
    fprintf(stderr, "%s\n", why);
    _exit(1);
}

static snug_host *open_host(size_t spares)
{
    static const char *const preload[] = { "json", NULL };
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    options.pool_sessions = spares;
    options.preload = spares > 0 ? preload : NULL;
    if (snug_host_open(&host, &options) != SNUG_OK)
        give_up(snug_error_message());
    return host;
}

static snug_session *open_session(snug_host *host, snug_kind kind, const char *profile)
{
    static const char *const allow[] = { "os", NULL };
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.kind = kind;
    options.profile = profile;
    options.allow = allow;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        give_up(snug_error_message());
    return session;
}

static snug_result *run(snug_session *session, const char *source)
{
    snug_result *result = NULL;
    if (snug_session_run(&result, session, source, strlen(source), NULL) != SNUG_OK)
        give_up(snug_error_message());
    return result;
}

static void check(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source);
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        give_up(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snug_result_free(result);
}

static void close_both(snug_session *session, snug_host *host)
{
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- a user without rights ---- */

static void write_line(const char *path, const char *line)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, line, strlen(line)) < 0)
        _exit(1);
    close(fd);
}

/* Root of a user namespace has no right to the process numbers that the namespace was made in, like
 * a user who makes one. 0: not permitted here. */
static int become_such_a_user(void)
{
    char uid[64], gid[64];
    snprintf(uid, sizeof uid, "0 %u 1", (unsigned)geteuid());
    snprintf(gid, sizeof gid, "0 %u 1", (unsigned)getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return 0;
    write_line("/proc/self/setgroups", "deny");
    write_line("/proc/self/uid_map", uid);
    write_line("/proc/self/gid_map", gid);
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* In each of its namespaces, from ours on. */
static int count_numbers(int64_t process)
{
    char path[64], line[256];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%lld/status", (long long)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        for (const char *at = strncmp(line, "NSpid:", 6) == 0 ? line : NULL;
             at && (at = strchr(at, '\t')); at++)
            count++;
    if (file)
        fclose(file);
    return count;
}

/* Answers as a process does. */
static int is_numbered(void)
{
    snug_host *host = open_host(0);
    int has = strstr(snug_host_report(host), "pid namespace") != NULL;
    snug_session *session = open_session(host, SNUG_KIND_RESTRICTED, NULL);
    int count = count_numbers(snug_session_process(session));
    snug_session *full = open_session(host, SNUG_KIND_FULL, NULL);
    check(full, "open('f', 'w').write('here')", "4");
    snug_session_close(full);
    close_both(session, host);
    return count == 1 + has ? 0 : 1;
}

static void in_child(int (*fn)(void))
{
    int status;
    pid_t child = fork();
    is_child = child == 0;
    if (is_child)
        _exit(become_such_a_user() ? fn() : 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(workers_of_a_user_without_rights_have_numbers_of_their_own_where_the_report_says_so)
{
    in_child(is_numbered);
}

/* ---- TMPDIR ---- */

static char folder[] = "/tmp/snug-place-XXXXXX";

/* /tmp can only be read. */
static int has_packages_without_tmp(void)
{
    setenv("TMPDIR", "/var/tmp", 1);
    if (mount("/tmp", "/tmp", NULL, MS_BIND | MS_REC, NULL) != 0 ||
        mount(NULL, "/tmp", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
        return 0;
    snug_host *host = open_host(0);
    close_both(open_session(host, SNUG_KIND_FULL, NULL), host);
    return 0;
}

TEST(full_sessions_need_no_place_but_TMPDIR)
{
    in_child(has_packages_without_tmp);
}

TEST(private_folders_are_below_TMPDIR_however_it_is_spelled)
{
    char top[PATH_MAX];
    snprintf(top, sizeof top, "%s//./", folder);
    setenv("TMPDIR", top, 1);
    snug_host *host = open_host(0);
    snug_session *session = open_session(host, SNUG_KIND_RESTRICTED, NULL);
    check(session, "open('f', 'w').write('here')", "4");
    assert_int_equal(strncmp(snug_session_workdir(session), folder, strlen(folder)), 0);
    close_both(session, host);
    unsetenv("TMPDIR");
}

static void write_file(char *path, size_t size, const char *name, const char *text)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_profile(char *path, size_t size)
{
    write_file(path, size, "beside.txt", "glob  for this test\n");
    write_file(path, size, "own.txt", "include beside\ninclude core\nos  for this test\n");
}

static void clean(void)
{
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf %s/snug-*", folder);
    assert_int_equal(system(command), 0);
}

TEST(a_host_goes_on_when_somebody_has_cleaned_TMPDIR)
{
    setenv("TMPDIR", folder, 1);
    snug_host *host = open_host(1);
    while (pool_of(host).ready < 2)
        ;
    clean();
    char path[PATH_MAX];
    write_profile(path, sizeof path);
    snug_session_close(open_session(host, SNUG_KIND_RESTRICTED, path));
    clean();
    for (int i = 0; i < 4; i++) {
        snug_session *session =
            open_session(host, i % 2 ? SNUG_KIND_FULL : SNUG_KIND_RESTRICTED, NULL);
        check(session, "open('f', 'w').write('here')", "4");
        snug_session_close(session);
    }
    assert_int_equal(snug_host_close(host), SNUG_OK);
    unsetenv("TMPDIR");
}

static void refuse_folder(snug_host *host, const snug_session_options *options)
{
    static const char says[] = "folder: a path for a worker must be UTF-8";
    snug_session *session;
    assert_int_equal(snug_session_open(&session, host, options), SNUG_EINVAL);
    const char *said = snug_error_message();
    if (strlen(said) < strlen(says) || strcmp(said + strlen(said) - strlen(says), says) != 0)
        fail_msg("%s", said);
}

TEST(a_folder_whose_name_is_not_utf8_is_refused_by_its_name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/\xff-folder", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    const snug_mount mount = { path, "m", 0 };
    snug_session_options workdir = SNUG_SESSION_OPTIONS_INIT;
    snug_session_options packages = SNUG_SESSION_OPTIONS_INIT;
    snug_session_options mounts = SNUG_SESSION_OPTIONS_INIT;
    workdir.workdir = packages.packages = path;
    mounts.mounts = &mount;
    mounts.mount_count = 1;
    snug_host *host = open_host(0);
    refuse_folder(host, &workdir);
    refuse_folder(host, &packages);
    refuse_folder(host, &mounts);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- what is read only ---- */

static mode_t mode_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return facts.st_mode & 07777;
}

static snug_session *open_mounts(snug_host *host, const snug_mount *mounts, size_t count)
{
    static const char *const allow[] = { "os", NULL };
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.kind = SNUG_KIND_FULL;
    options.allow = allow;
    options.mounts = mounts;
    options.mount_count = count;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        give_up(snug_error_message());
    return session;
}

TEST(what_is_mounted_to_be_read_keeps_its_mode_and_what_is_in_it_can_be_written_to)
{
    char file[PATH_MAX], inner[PATH_MAX];
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(inner, sizeof inner, "%s/inner", folder);
    close(open(file, O_WRONLY | O_CREAT, 0644));
    mkdir(inner, 0700);
    const snug_mount mounts[] = { { inner, "w", 1 }, { folder, "r", 0 } };
    snug_host *host = open_host(0);
    int has = strstr(snug_host_report(host), "mnt namespace") != NULL;
    snug_session *session = open_mounts(host, mounts, 2);
    check(session, "open('w/f', 'w').write('here')", "4");
    check(session, "open('r/inner/f').read()", "'here'");
    snug_result_free(run(session, "import os\nos.chmod('r/file', 0)"));
    snug_result_free(run(session, "os.fchmod(os.open('r/file', os.O_RDONLY), 0)"));
    if (has)
        assert_int_equal(mode_of(file), 0644);
    check(session, "os.chmod('w/f', 0o600)", "");
    close_both(session, host);
}

/* ---- a profile ---- */

TEST(a_profile_is_found_by_its_path)
{
    char path[PATH_MAX];
    snug_scan *report;
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;
    write_profile(path, sizeof path);
    snug_host *host = open_host(0);
    for (int i = 0; i < 2; i++) {
        snug_session *session = open_session(host, i ? SNUG_KIND_FULL : SNUG_KIND_RESTRICTED, path);
        check(session, "import glob, os\nos.sep", "'/'");
        snug_result *result = run(session, "import socket");
        assert_non_null(
            strstr(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "(profile own)"));
        snug_result_free(result);
        snug_session_close(session);
    }
    options.profile = path;
    if (snug_host_scan(&report, host, "import os", 9, &options) != SNUG_OK)
        give_up(snug_error_message());
    snug_scan_free(report);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- its end ---- */

TEST(an_abort_is_told_as_one)
{
    snug_host *host = open_host(0);
    snug_session *session = open_session(host, SNUG_KIND_FULL, NULL);
    snug_result *result = run(session, "import os\nos.abort()");
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL),
                        "SystemError: its worker was killed by signal 6 (Aborted)\n");
    snug_result_free(result);
    close_both(session, host);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    return run_all_tests(make_folder, remove_folder);
}
