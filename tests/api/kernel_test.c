/* What the kernel keeps from a session, seen from the host's side, through libsnug. */
#include "../unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <snug/snug.h>

static snug_host *host;

static int open_host(void **state)
{
    return snug_host_open(&host, NULL);
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

/* Whether this machine grants it: the report's line, before what is missing. */
static int is_granted(const char *what)
{
    const char *line = strstr(snug_host_report(host), "kernel:");
    assert_non_null(line);
    const char *end = strchr(line, '\n'), *missing = strstr(line, "missing:");
    const char *found = strstr(line, what);
    return found && found < end && !(missing && missing < end && found > missing);
}

/* ---- the threads of this process ---- */

/* A thread that a cell has started keeps the name of the one that did, or has the name that the
 * cell gave it: since 3.14 and without the filter of system calls. */
static int is_session_thread(const char *number)
{
    char path[128], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", number);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int answer = fd >= 0 && read(fd, name, sizeof name - 1) > 0 &&
                 (!strcmp(name, "snug session\n") || !strcmp(name, "snug thread\n"));
    if (fd >= 0)
        close(fd);
    return answer;
}

/* Of a session's thread; 0 if there is none. */
static pid_t session_thread(void)
{
    pid_t found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *item; (item = readdir(tasks));) {
        if (is_session_thread(item->d_name))
            found = (pid_t)atoi(item->d_name);
    }
    closedir(tasks);
    return found;
}

/* "0 -> /dev/null" for each descriptor, a line each. */
static void list_descriptors(char *text, size_t size, pid_t thread)
{
    char folder[64];
    *text = '\0';
    snprintf(folder, sizeof folder, "/proc/self/task/%d/fd", (int)thread);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *item; (item = readdir(dir));) {
        char target[256] = "";
        size_t at = strlen(text);
        if (item->d_name[0] == '.')
            continue;
        if (readlinkat(dirfd(dir), item->d_name, target, sizeof target - 1) < 0)
            *target = '\0';
        snprintf(text + at, size - at, "%.9s -> %s\n", item->d_name, target);
    }
    closedir(dir);
}

/* The value of a line of /proc/self/task/THREAD/status. */
static int status_of(pid_t thread, const char *name)
{
    char path[64], line[256];
    int value = -1;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)thread);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
            value = atoi(line + strlen(name) + 1);
    fclose(file);
    return value;
}

/* ---- tests ---- */

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    assert_int_equal(snug_session_open(&session, host, NULL), SNUG_OK);
    return session;
}

static void check(snug_session *session, const char *source, const char *value)
{
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

TEST(a_session_has_none_of_the_host_s_descriptors)
{
    char text[4096];
    int planted = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    char source[4300];
    snug_session *session = open_session();
    snprintf(source, sizeof source, "kept = open('%s/kept.txt', 'w')",
             snug_session_workdir(session));
    check(session, source, "");
    list_descriptors(text, sizeof text, session_thread());
    if (is_granted("private descriptors")) {
        assert_null(strstr(text, "/etc/passwd"));
        assert_non_null(strstr(text, "0 -> /dev/null\n"));
        assert_non_null(strstr(text, "1 -> /dev/null\n"));
        assert_non_null(strstr(text, "2 -> /dev/null\n"));
        assert_non_null(strstr(text, "3 -> "));
        assert_non_null(strstr(text, "/kept.txt\n"));
        list_descriptors(text, sizeof text, getpid());
        assert_null(strstr(text, "/kept.txt\n"));
    }
    snug_session_close(session);
    assert_int_not_equal(fcntl(planted, F_GETFD), -1);
    close(planted);
}

TEST(spill_files_are_closed_when_the_cell_has_ended)
{
    char text[4096], path[4200];
    struct stat facts;
    snug_session *session = open_session();
    snug_result *result = NULL;
    const char *source = "print('x' * 1000000)";
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    list_descriptors(text, sizeof text, session_thread());
    assert_null(strstr(text, "/out-1.txt"));
    snprintf(path, sizeof path, "%s/out-1.txt", snug_session_workdir(session));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, 1000001);
    snug_result_free(result);
    snug_session_close(session);
}

TEST(the_filters_are_on_the_session_s_thread_only)
{
    int before = status_of(getpid(), "Seccomp_filters"), mode = status_of(getpid(), "Seccomp");
    int privileges = status_of(getpid(), "NoNewPrivs");
    snug_session *session = open_session();
    if (is_granted("seccomp")) {
        assert_int_equal(status_of(session_thread(), "Seccomp"), 2);
        assert_int_equal(status_of(session_thread(), "NoNewPrivs"), 1);
    }
    assert_int_equal(status_of(getpid(), "Seccomp_filters"), before);
    assert_int_equal(status_of(getpid(), "Seccomp"), mode);
    assert_int_equal(status_of(getpid(), "NoNewPrivs"), privileges);
    snug_session_close(session);
}

/* Elsewhere they would be judged as the work directory's and open the host's. */
TEST(relative_paths_start_in_the_work_directory)
{
    char source[4300];
    snug_session *session = open_session();
    snprintf(source, sizeof source, "open('%s/f', 'w').write('abc')",
             snug_session_workdir(session));
    check(session, source, "3");
    check(session, "open('f').read()", "'abc'");
    check(session, "import random; random._os.listdir()", "['f']");
    /* The rest of Python's ways would begin in the host's folder. */
    if (!is_granted("private cwd"))
        check(session,
              "import io\n"
              "try:\n    io.FileIO('f')\nexcept PermissionError as e:\n    answer = str(e)\nanswer",
              "\"open: f is not in the session's work directory\"");
    snug_session_close(session);
}

TEST(a_session_that_was_reset_is_sealed_again)
{
    snug_session *session = open_session();
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    if (is_granted("seccomp"))
        assert_int_equal(status_of(session_thread(), "Seccomp"), 2);
    check(session, "6 * 7", "42");
    snug_session_close(session);
}

TEST(folder_and_umask_of_the_host_stay)
{
    char before[4096], after[4096];
    mode_t mask = umask(027);
    assert_non_null(getcwd(before, sizeof before));
    snug_session *session = open_session();
    check(session, "6 * 7", "42");
    snug_session_close(session);
    assert_int_equal(umask(mask), 027);
    assert_non_null(getcwd(after, sizeof after));
    assert_string_equal(before, after);
}

/* A link is made by the host; text is judged by the audit hook, what it leads to by Landlock. */
TEST(a_link_does_not_lead_out_of_the_work_directory)
{
    char path[4200];
    snug_session *session = open_session();
    snprintf(path, sizeof path, "%s/out", snug_session_workdir(session));
    assert_int_equal(symlink("/etc/passwd", path), 0);
    if (is_granted("private cwd")) {
        check(session,
              "try:\n    open('out')\nexcept PermissionError as e:\n    answer = 1\nanswer", "1");
        check(session,
              "import random; os = random._os\n"
              "try:\n    os.stat('out')\nexcept PermissionError as e:\n    answer = 2\nanswer",
              "2");
        check(session, "os.lstat('out').st_nlink", "1");
    }
    snug_session_close(session);
}

TEST(many_sessions_leave_no_descriptor_behind)
{
    char before[4096], after[4096];
    list_descriptors(before, sizeof before, getpid());
    for (int i = 0; i < 5; i++) {
        snug_session *session = open_session();
        check(session, "print('x' * 100000)", "");
        snug_session_close(session);
    }
    list_descriptors(after, sizeof after, getpid());
    assert_string_equal(before, after);
}

/* ---- threads that a cell starts ---- */

/* What is seen of a session's threads while its cell waits for the file "go". */
typedef struct sight {
    snug_session *session;
    int threads, unfiltered, privileged, elsewhere, without_file;
} sight;

static int has_folder(pid_t thread, const char *folder)
{
    char path[64], target[4096] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/cwd", (int)thread);
    return readlink(path, target, sizeof target - 1) > 0 && !strcmp(target, folder);
}

static void look(sight *seen, pid_t thread)
{
    char text[4096];
    list_descriptors(text, sizeof text, thread);
    seen->threads++;
    seen->unfiltered += status_of(thread, "Seccomp") != 2;
    seen->privileged += status_of(thread, "NoNewPrivs") != 1;
    seen->elsewhere += !has_folder(thread, snug_session_workdir(seen->session));
    seen->without_file += !strstr(text, "/kept.txt\n");
}

static void look_at_threads(void *payload, snug_stream stream, const char *text, size_t len)
{
    sight *seen = payload;
    char path[4200];
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *item; (item = readdir(tasks));)
        if (is_session_thread(item->d_name))
            look(seen, (pid_t)atoi(item->d_name));
    closedir(tasks);
    snprintf(path, sizeof path, "%s/go", snug_session_workdir(seen->session));
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

TEST(threads_of_a_cell_are_kept_as_the_session_s_own)
{
    sight seen = { 0 };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.profile = "data";
    options.limits = &limits;
    limits.threads = 2;
    options.on_output = look_at_threads;
    options.payload = &seen;
    assert_int_equal(snug_session_open(&seen.session, host, &options), SNUG_OK);
    char source[9000];
    snprintf(source, sizeof source,
             "import os, threading, time\n"
             "folder, started, end = '%s', threading.Barrier(3), threading.Event()\n"
             "def wait():\n    started.wait(); end.wait()\n"
             "for _ in range(2): threading.Thread(target=wait, name='snug thread').start()\n"
             "started.wait()\n"
             "kept = open(folder + '/kept.txt', 'w')\n" /* behind their start: one table */
             "print('now')\n"
             "while not os.path.exists(folder + '/go'): time.sleep(0.001)\n"
             "end.set()",
             snug_session_workdir(seen.session));
    check(seen.session, source, "");
    assert_int_equal(seen.threads, 3);
    if (is_granted("seccomp"))
        assert_int_equal(seen.unfiltered, 0);
    if (is_granted("landlock"))
        assert_int_equal(seen.privileged, 0);
    if (is_granted("private cwd"))
        assert_int_equal(seen.elsewhere, 0);
    assert_int_equal(seen.without_file, 0);
    snug_session_close(seen.session);
}

/* SQLite asks without the GIL, on several threads at a time. */
TEST(sqlite_is_judged_on_each_thread)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.profile = "data";
    options.limits = &limits;
    limits.threads = 4;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    if (is_granted("landlock") && is_granted("seccomp"))
        check(session,
              "import sqlite3, threading\n"
              "said, opened = set(), []\n"
              "def attach():\n"
              "    for _ in range(50):\n"
              "        database = sqlite3.connect(':memory:')\n"
              "        opened.append(database.execute('select 7').fetchone()[0])\n"
              "        try: database.execute(\"attach '/etc/passwd' as a\")\n"
              "        except sqlite3.Error as e: said.add(str(e))\n"
              "        database.close()\n"
              "threads = [threading.Thread(target=attach) for _ in range(4)]\n"
              "for t in threads: t.start()\n"
              "for t in threads: t.join()\n"
              "said, len(opened)",
              "({'not authorized'}, 200)");
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
