/* A host program that changes its user and groups while it has sessions: the C library does so on
 * every thread, and aborts where one is answered otherwise than the rest. */
#include "../unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include <snug/snug.h>

/* Nobody's on a Debian system. */
enum { USER = 54321, GROUP = 54322, TURNS = 200 };

enum { FINE, NO_HOST, NO_SESSION, NO_CELL, REFUSED, GRANTED, DIFFERS, NO_ROOT };

/* ---- the threads of this process ---- */

static int is_identity(const char *line)
{
    static const char *const names[] = { "Uid:", "Gid:", "Groups:", "CapEff:", "CapPrm:" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

/* Who a thread is, for the kernel. */
static void read_identity(char *text, size_t size, const char *thread)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    *text = '\0';
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (is_identity(line))
            snprintf(text + strlen(text), size - strlen(text), "%s", line);
    if (file)
        fclose(file);
}

/* Whether every thread is who the first one is. */
static int are_all_the_same(void)
{
    char own[1024], other[1024], number[32];
    int threads = 0, others = 0;
    snprintf(number, sizeof number, "%d", (int)getpid());
    read_identity(own, sizeof own, number);
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *item; tasks && (item = readdir(tasks));) {
        if (item->d_name[0] == '.')
            continue;
        read_identity(other, sizeof other, item->d_name);
        threads++;
        others += *other && strcmp(own, other) != 0;
    }
    if (tasks)
        closedir(tasks);
    return *own && threads > 2 && others == 0;
}

/* ---- the host ---- */

static int run_cell(snug_session *session, const char *source)
{
    snug_result *result = NULL;
    int error = snug_session_run(&result, session, source, strlen(source), NULL);
    int is_fine = !error && snug_result_status(result) == SNUG_STATUS_OK;
    snug_result_free(result);
    return is_fine;
}

typedef struct world {
    snug_host *host;
    snug_session *plain, *threaded;
} world;

static int open_world(world *w, unsigned flags)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_session_options session = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.flags = flags;
    options.pool_sessions = 1;
    session.limits = &limits;
    limits.threads = 2;
    if (snug_host_open(&w->host, &options) != SNUG_OK)
        return NO_HOST;
    if (snug_session_open(&w->plain, w->host, NULL) != SNUG_OK ||
        snug_session_open(&w->threaded, w->host, &session) != SNUG_OK)
        return NO_SESSION;
    return run_cell(w->plain, "x = 1") && run_cell(w->threaded, "import threading") ? FINE
                                                                                    : NO_CELL;
}

static int close_world(world *w)
{
    if (!run_cell(w->plain, "assert x == 1; sum(range(1000))") ||
        !run_cell(w->threaded,
                  "t = threading.Thread(target=sum, args=([1],)); t.start(); t.join()"))
        return NO_CELL;
    snug_session_close(w->plain);
    snug_session_close(w->threaded);
    return snug_host_close(w->host) == SNUG_OK ? FINE : NO_HOST;
}

/* ---- what it does ---- */

static int goes_and_returns(void)
{
    const gid_t groups[] = { GROUP, GROUP + 1 };
    if (setgroups(2, groups) != 0 || setegid(GROUP) != 0 || seteuid(USER) != 0)
        return REFUSED;
    if (!are_all_the_same())
        return DIFFERS;
    if (seteuid(0) != 0 || setegid(0) != 0 || setreuid(0, 0) != 0 || setregid(0, 0) != 0)
        return REFUSED;
    return are_all_the_same() ? FINE : DIFFERS;
}

static int goes_for_good(void)
{
    if (setgroups(0, NULL) != 0 || setgid(GROUP) != 0 || setuid(USER) != 0)
        return REFUSED;
    if (!are_all_the_same())
        return DIFFERS;
    if (setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 || setgroups(0, NULL) == 0)
        return GRANTED;
    return errno == EPERM && are_all_the_same() ? FINE : DIFFERS;
}

static int drop_root(int flags)
{
    world w;
    int answer = open_world(&w, (unsigned)flags);
    if (!answer)
        answer = goes_and_returns();
    if (!answer)
        answer = goes_for_good();
    return answer ? answer : close_world(&w);
}

/* Who changes nothing is answered too. */
static int be_somebody(int flags)
{
    world w;
    if (geteuid() == 0 && (setresgid(GROUP, GROUP, GROUP) || setresuid(USER, USER, USER)))
        return NO_ROOT;
    int answer = open_world(&w, (unsigned)flags);
    if (answer)
        return answer;
    if (seteuid(geteuid()) || setuid(getuid()) || setegid(getegid()) || setgid(getgid()) ||
        setresuid(getuid(), geteuid(), getuid()) || setresgid(getgid(), getegid(), getgid()))
        return REFUSED;
    if (setuid(0) == 0 || setgid(0) == 0 || setgroups(0, NULL) == 0)
        return GRANTED;
    return are_all_the_same() ? close_world(&w) : DIFFERS;
}

/* ---- while cells run ---- */

static _Atomic int is_over;

static void *run_on(void *payload)
{
    snug_session *session = payload;
    while (!atomic_load(&is_over))
        if (!run_cell(session, "sorted(range(3000), key=lambda n: -n)"))
            return session;
    return NULL;
}

static void *stop_often(void *payload)
{
    snug_session *session = payload;
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.wall_ms = 5;
    while (!atomic_load(&is_over)) {
        snug_result *result = NULL;
        const char *source = "while True: pass";
        snug_session_run(&result, session, source, strlen(source), &limits);
        snug_result_free(result);
    }
    return NULL;
}

static int change_meanwhile(int flags)
{
    world w;
    pthread_t threads[2];
    void *failed = NULL;
    int answer = open_world(&w, (unsigned)flags);
    if (answer)
        return answer;
    pthread_create(&threads[0], NULL, run_on, w.plain);
    pthread_create(&threads[1], NULL, stop_often, w.threaded);
    for (int i = 0; i < TURNS && !answer; i++) {
        if (seteuid(geteuid()) != 0 || setegid(getegid()) != 0)
            answer = REFUSED;
    }
    atomic_store(&is_over, 1);
    pthread_join(threads[0], &failed);
    pthread_join(threads[1], NULL);
    if (failed)
        answer = NO_CELL;
    return answer ? answer : close_world(&w);
}

/* ---- tests ---- */

/* What fn answers in a process of its own, or 256 and the signal that has ended it. */
static int outcome(int (*fn)(int), int argument)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(600);
        _exit(fn(argument));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void check(int (*fn)(int))
{
    assert_int_equal(outcome(fn, 0), FINE);
    assert_int_equal(outcome(fn, SNUG_HOST_SIGNALS), FINE);
}

TEST(root_that_a_host_drops_is_dropped_by_its_sessions)
{
    if (geteuid() != 0)
        skip();
    check(drop_root);
}

TEST(a_host_that_is_not_root_sets_its_own_user)
{
    check(be_somebody);
}

TEST(a_host_sets_its_user_while_cells_run_and_are_stopped)
{
    check(change_meanwhile);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
