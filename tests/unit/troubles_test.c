/* What snug mcp tells on stderr of its sessions, and how much of it. */
#include "test.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/mcp/troubles.h"
#include "cli/program/command.h"

#define SECOND_NS UINT64_C(1000000000)

static char said[4096];

/* The program's writes to stderr. */
int command_fail(int status, const char *format, ...)
{
    size_t len = strlen(said);
    va_list args;
    va_start(args, format);
    vsnprintf(said + len, sizeof said - len, format, args);
    va_end(args);
    strncat(said, "\n", sizeof said - strlen(said) - 1);
    return status;
}

static void check_told(troubles *t, snug_supervisor_event_kind kind, const char *tenant,
                       const char *session, const char *line)
{
    const snug_supervisor_event event = { kind, tenant, session, "why" };
    said[0] = '\0';
    troubles_tell(t, &event);
    assert_string_equal(said, line);
}

static void each_trouble_is_a_line_with_the_session_and_the_tenant_where_there_is_one(void **state)
{
    troubles t = TROUBLES_INIT;
    check_told(&t, SNUG_SUPERVISOR_EVENT_SAVE_FAILED, "stdio", "py_1",
               "session py_1 could not be saved, and stays open: why\n");
    check_told(&t, SNUG_SUPERVISOR_EVENT_LOST, "ada", "py_1",
               "session py_1 of ada is not as it was: why\n");
    check_told(&t, SNUG_SUPERVISOR_EVENT_STATE_FAILED, "http", "py_1",
               "session py_1 may be restored wrongly, or not at all: why\n");
    check_told(&t, SNUG_SUPERVISOR_EVENT_WORKER_DIED, "ada", "", "why\n");
}

static void what_is_ordinary_is_not_told(void **state)
{
    troubles t = TROUBLES_INIT;
    check_told(&t, SNUG_SUPERVISOR_EVENT_DAMAGED, "ada", "py_1", "");
    check_told(&t, SNUG_SUPERVISOR_EVENT_OPENED, "ada", "py_1", "");
    check_told(&t, SNUG_SUPERVISOR_EVENT_RESTORED, "ada", "py_1", "");
    check_told(&t, SNUG_SUPERVISOR_EVENT_SAVED, "ada", "py_1", "");
    check_told(&t, SNUG_SUPERVISOR_EVENT_PUT_AWAY, "ada", "py_1", "");
    check_told(&t, SNUG_SUPERVISOR_EVENT_WORKER_STARTED, "ada", "", "");
    check_told(&t, SNUG_SUPERVISOR_EVENT_WORKER_ENDED, "ada", "", "");
    check_told(&t, SNUG_SUPERVISOR_EVENT_SAVE_FAILED, "ada", "sh_1", "");
}

static int count_told(troubles *t, int events, uint64_t now_ns, uint64_t *left_out)
{
    int told = 0;
    uint64_t before;

    *left_out = 0;
    for (int i = 0; i < events; i++) {
        told += troubles_may_tell(&before, t, now_ns);
        *left_out += before;
    }
    return told;
}

static void no_more_than_so_many_are_told_in_an_hour(void **state)
{
    troubles t = TROUBLES_INIT;
    uint64_t left_out;
    assert_int_equal(count_told(&t, 10000, SECOND_NS, &left_out), TROUBLES_AN_HOUR);
    assert_int_equal(count_told(&t, 10, 3600 * SECOND_NS, &left_out), 0);
    assert_int_equal(left_out, 0);
    assert_int_equal(count_told(&t, 10000, 3601 * SECOND_NS, &left_out), TROUBLES_AN_HOUR);
    assert_int_equal(left_out, 10000 - TROUBLES_AN_HOUR + 10);
}

/* A descriptor in the place of stderr: nothing of it is for the test's own output. */
static void who_does_not_read_stderr_keeps_nobody_waiting(void **state)
{
    troubles t = TROUBLES_INIT;
    char filler[4096] = { 0 };
    int ends[2], own = dup(STDERR_FILENO);
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    while (write(ends[1], filler, sizeof filler) > 0)
        ;
    check_told(&t, SNUG_SUPERVISOR_EVENT_LOST, "stdio", "py_1", "");
    close(ends[0]);
    check_told(&t, SNUG_SUPERVISOR_EVENT_LOST, "stdio", "py_2", "");
    dup2(own, STDERR_FILENO);
    close(own);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_trouble_is_a_line_with_the_session_and_the_tenant_where_there_is_one),
        cmocka_unit_test(what_is_ordinary_is_not_told),
        cmocka_unit_test(no_more_than_so_many_are_told_in_an_hour),
        cmocka_unit_test(who_does_not_read_stderr_keeps_nobody_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
