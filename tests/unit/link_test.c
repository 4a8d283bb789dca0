#include "test.h"

#include <sys/wait.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "worker/client/link.h"

/* The end of a link whose worker has said and done everything before it is asked. */
static link_end end_of(const char *command)
{
    worker_process process;
    worker_link *l;
    siginfo_t info;
    frame none;
    link_line line = { .channel = 1 };
    uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), 60000);
    assert_int_equal(launch(&process, NULL, command), SNUG_OK);
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

static void what_a_worker_said_before_its_end_is_read(void **state)
{
    (void)state;
    assert_int_equal(end_of("head -c 100 /dev/zero"), LINK_LIED);
}

static void a_worker_that_ended_without_a_word_has_ended(void **state)
{
    (void)state;
    assert_int_equal(end_of("true"), LINK_ENDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_worker_said_before_its_end_is_read),
        cmocka_unit_test(a_worker_that_ended_without_a_word_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
