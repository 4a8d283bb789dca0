#include "test.h"

#include <limits.h>
#include <sys/wait.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "worker/client/link.h"
#include "worker/client/silence.h"

/* The end of a link whose worker has said and done everything before it is asked. */
static link_end end_of(const char *command)
{
    worker_process process;
    worker_link *l;
    siginfo_t info;
    frame none;
    link_line line = { .channel = 1 };
    uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), 60000);
    assert_int_equal(launch_command(&process, command), SNUG_OK);
    assert_int_equal(waitid(P_PID, (id_t)process.pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(link_open(&l, &process, 60000), SNUG_OK);
    link_add(l, &line);
    link_ask(l, &line, FRAME_HEALTH, NULL, 0, deadline_ns);
    assert_int_equal(link_wait(l, &line, &none, deadline_ns, UINT64_MAX), SNUG_EDEAD);
    link_end how = link_state(l);
    link_remove(l, &line);
    link_drop(l);
    return how;
}

TEST(what_a_worker_said_before_its_end_is_read)
{
    assert_int_equal(end_of("head -c 100 /dev/zero"), LINK_LIED);
}

TEST(a_worker_that_ended_without_a_word_has_ended)
{
    assert_int_equal(end_of("true"), LINK_ENDED);
}

enum { SILENT_MS = 2000, STARVED_MS = SILENCE_PATIENCE * SILENT_MS };

/* The end of a link to a worker that says one word and then does that, which is waited for that
 * long. */
static link_end end_of_silent(const char *then, uint64_t most_ms)
{
    const frame pong = { .kind = FRAME_PONG };
    char header[FRAME_HEADER];
    str command = { 0 };
    worker_process process;
    worker_link *l;
    frame none;
    link_line line = { .channel = 1 };
    const uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), most_ms);

    frame_header(header, &pong);
    str_add(&command, "printf '");
    for (size_t i = 0; i < sizeof header; i++)
        str_printf(&command, "\\%03o", (unsigned char)header[i]);
    str_printf(&command, "'; %s", then);
    assert_int_equal(launch_command(&process, command.data), SNUG_OK);
    str_free(&command);
    assert_int_equal(link_open(&l, &process, SILENT_MS), SNUG_OK);
    link_add(l, &line);
    assert_int_equal(link_wait(l, &line, &none, deadline_ns, UINT64_MAX), SNUG_EDEAD);
    link_end how = link_state(l);
    link_remove(l, &line);
    link_drop(l);
    return how;
}

TEST(a_worker_that_stands_still_is_not_taken_for_one_that_is_starved)
{
    assert_int_equal(end_of_silent("kill -STOP $$", STARVED_MS - 4000), LINK_SILENT);
}

TEST(a_worker_that_is_at_work_and_says_nothing_is_given_up)
{
    /* Where the machine is busy it gets no processor either, for a while. */
    assert_int_equal(end_of_silent("while :; do :; done", 6 * STARVED_MS), LINK_SILENT);
}

/* It waits in the kernel, as for memory or a disk, and has no processor time: its child has its
 * memory, and does not give it back. */
static void wait_like_the_starved(void)
{
    if (vfork() == 0)
        for (;;)
            pause();
}

TEST(a_worker_that_gets_no_processor_is_waited_for_up_to_the_deadline)
{
#if defined(__SANITIZE_THREAD__)
    print_message("ThreadSanitizer makes a fork of each vfork\n");
    skip();
#endif
    char path[PATH_MAX], command[PATH_MAX + 16];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(len > 0);
    path[len] = '\0';
    snprintf(command, sizeof command, "exec '%s' starve", path);
    assert_int_equal(end_of_silent(command, 2 * SILENT_MS + 1500), LINK_LATE);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        wait_like_the_starved();

    return run_all_tests(NULL, NULL);
}
