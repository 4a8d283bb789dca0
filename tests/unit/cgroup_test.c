/* Groups of the kernel's: what is in one is held to its limits, and nothing of it stays. Skipped
 * where the machine permits none. */
#include "../descriptors.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/process/cgroup.h"
#include "base/str.h"

enum { MEMORY = 64 << 20, TASKS = 12, NO_GROUP = 2 };

static void need(const cgroup *group)
{
    str why = { 0 };
#if defined(__SANITIZE_THREAD__)
    print_message("ThreadSanitizer has memory and a thread of its own in each process\n");
    skip();
#endif
    if (group)
        return;
    assert_int_equal(cgroup_report(&why), 0);
    print_message("%s\n", str_text(&why));
    assert_non_null(strstr(str_text(&why), "none: "));
    str_free(&why);
    skip();
}

/* The first folder of a group. */
static char *folder_of(const cgroup *group)
{
    char *path = strdup(cgroup_place(group));
    path[strcspn(path, "\n")] = '\0';
    *strrchr(path, '/') = '\0';
    return path;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* Version 2 gives groups to a process only that is alone in its own: a child never is. */
static void need_groups_of_a_child(int status)
{
    str where = { 0 };
    if (WEXITSTATUS(status) != NO_GROUP)
        return;
    assert_int_equal(cgroup_report(&where), 0);
    assert_memory_equal(str_text(&where), "v2", 2);
    str_free(&where);
    print_message("v2: a child, which is not alone in its group, can make none\n");
    skip();
}

/* First: a process looks for what the dead have left when it wants its first group. */
TEST(what_a_dead_process_left_is_ended_and_removed)
{
    int told[2];
    char path[4096] = "";
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        cgroup *group;
        int begun[2];
        if (pipe2(begun, O_CLOEXEC) != 0 || cgroup_open(&group, MEMORY, TASKS) != 0 || !group)
            _exit(NO_GROUP);
        pid_t child = fork();
        if (child == 0) {
            cgroup_enter(cgroup_place(group));
            close(told[1]);
            /* The lock is this process's too, as of every one that was forked. */
            execl("/bin/sleep", "sleep", "1000", (char *)NULL);
            _exit(1);
        }
        char nothing, *folder = folder_of(group);
        close(begun[1]);
        ssize_t end = read(begun[0], &nothing, 1); /* when the child's program has begun */
        ssize_t written = end == 0 ? write(told[1], folder, strlen(folder)) : -1;
        _exit(written <= 0);
    }
    close(told[1]);
    int status = wait_for(pid);
    ssize_t got = read(told[0], path, sizeof path - 1);
    close(told[0]);
    cgroup *group;
    assert_int_equal(cgroup_open(&group, MEMORY, TASKS), 0);
    need(group);
    need_groups_of_a_child(status);
    assert_true(got > 0);
    assert_int_not_equal(access(path, F_OK), 0);
    cgroup_close(group);
}

static void take(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED)
        memset(at, 1, bytes);
}

/* The status of a process in the group that takes as much. */
static int take_in(const cgroup *group, size_t bytes)
{
    pid_t pid = fork();
    if (pid == 0) {
        take(cgroup_enter(cgroup_place(group)) ? 0 : bytes);
        _exit(7);
    }
    return wait_for(pid);
}

TEST(memory_beyond_the_limit_ends_a_process)
{
    cgroup *group;
    cgroup_facts facts;
    assert_int_equal(cgroup_open(&group, MEMORY, TASKS), 0);
    need(group);
    assert_int_equal(WEXITSTATUS(take_in(group, MEMORY / 2)), 7);
    int status = take_in(group, MEMORY * 2);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    cgroup_look(&facts, group);
    assert_int_equal(facts.kills, 1);
    assert_in_range(facts.peak_bytes, MEMORY / 2, MEMORY + MEMORY / 8);
    cgroup_close(group);
}

TEST(more_tasks_than_the_limit_are_not_made)
{
    cgroup *group;
    cgroup_facts facts;
    assert_int_equal(cgroup_open(&group, MEMORY, TASKS), 0);
    need(group);
    pid_t pid = fork();
    if (pid == 0) {
        int count = 0;
        if (cgroup_enter(cgroup_place(group)) != 0)
            _exit(99);
        for (pid_t child; count < 90 && (child = fork()) >= 0; count++)
            if (child == 0) {
                alarm(600); /* where the test has failed, nobody ends it */
                pause();
                _exit(0);
            }
        _exit(count);
    }
    assert_int_equal(WEXITSTATUS(wait_for(pid)), TASKS - 1);
    cgroup_look(&facts, group);
    assert_true(facts.refused >= 1);
    char *folder = folder_of(group);
    cgroup_close(group); /* which ends those that wait */
    assert_int_not_equal(access(folder, F_OK), 0);
    free(folder);
}

TEST(limits_can_be_changed_and_nothing_is_fine)
{
    cgroup *group;
    cgroup_facts facts = { .bytes = 1 };
    assert_string_equal(cgroup_place(NULL), "");
    assert_int_equal(cgroup_enter(""), 0);
    cgroup_look(&facts, NULL);
    assert_int_equal(facts.bytes, 0);
    cgroup_close(NULL);
    assert_int_equal(cgroup_limit(NULL, 1, 1), 0);
    assert_int_not_equal(cgroup_enter("/nowhere/at/all\n"), 0);
    assert_int_equal(cgroup_open(&group, MEMORY, TASKS), 0);
    need(group);
    assert_int_equal(cgroup_limit(group, 2 * (uint64_t)MEMORY, TASKS), 0);
    assert_int_equal(cgroup_limit(group, CGROUP_UNLIMITED, CGROUP_UNLIMITED), 0);
    cgroup_close(group);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
