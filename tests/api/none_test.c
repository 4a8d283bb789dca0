/* What a limit of nothing at all means to cells, in both forms. */
#include "../unit/test.h"

#include <snug/program.h>

#include "form.h"
#include "running.h"

static snug_host *host;

static int open_host(void **state)
{
    if (open_test_host(&host) == SNUG_OK)
        return 0;
    fprintf(stderr, "%s\n", snug_error_message());
    return -1;
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

static snug_session *open_with(const snug_limits *limits)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.limits = limits;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static snug_result *run_with(snug_session *session, const char *source, const snug_limits *limits)
{
    snug_result *result = NULL;
    if (snug_session_run(&result, session, source, strlen(source), limits) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return result;
}

TEST(no_output_is_kept_and_all_of_it_is_in_a_file)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.output_bytes = SNUG_NONE;
    snug_session *session = open_with(&limits);

    snug_result *result = run(session, "print('secret')", 0);
    assert_null(strstr(snug_result_text(result, SNUG_STREAM_STDOUT, NULL), "secret"));
    assert_int_equal(snug_result_total_bytes(result, SNUG_STREAM_STDOUT), 7);
    assert_non_null(snug_result_spill(result, SNUG_STREAM_STDOUT));
    assert_non_null(snug_result_json(result, NULL));
    snug_result_free(result);

    result = run(session, "open('out-1.txt').read()", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "'secret\\n'");
    snug_result_free(result);

    /* A cell that prints nothing has no file. */
    result = run(session, "1", 0);
    assert_null(snug_result_spill(result, SNUG_STREAM_STDOUT));
    snug_result_free(result);
    snug_session_close(session);
}

TEST(without_files_output_is_counted_only)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.output_bytes = limits.disk_bytes = SNUG_NONE;
    snug_session *session = open_with(&limits);
    snug_result *result = run(session, "print('secret')", 0);

    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    assert_null(strstr(snug_result_text(result, SNUG_STREAM_STDOUT, NULL), "secret"));
    assert_int_equal(snug_result_total_bytes(result, SNUG_STREAM_STDOUT), 7);
    snug_result_free(result);
    snug_session_close(session);
}

static void expect_no_file(const snug_limits *limits, const char *source)
{
    snug_session *session = open_with(limits);
    snug_result *result = run(session, source, 0);

    assert_string_equal(snug_result_error_name(result), "OSError");
    snug_result_free(result);
    assert_int_equal(snug_session_put_file(session, "f.txt", "x", 1), SNUG_ESYSTEM);
    result = run(session, "6 * 7", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "42");
    snug_result_free(result);
    snug_session_close(session);
}

TEST(no_byte_or_no_file_is_written)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.disk_bytes = SNUG_NONE;
    expect_no_file(&limits, "with open('f.txt', 'w') as f: f.write('x')");
    limits.disk_bytes = 0;
    limits.disk_files = SNUG_NONE;
    expect_no_file(&limits, "open('f.txt', 'w')");
}

static void answer_one(void *payload, snug_call *call, const char *arguments)
{
    (void)payload, (void)arguments;
    snug_call_return(call, "1", 1);
}

TEST(a_cell_without_calls_of_tools_may_stand_beside_one_with)
{
    snug_tool tool = SNUG_TOOL_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.tool_calls = SNUG_NONE;
    snug_session *session = open_with(&limits);
    tool.name = "one";
    tool.fn = answer_one;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);

    snug_result *result = run(session, "one()", 0);
    assert_int_not_equal(snug_result_status(result), SNUG_STATUS_OK);
    snug_result_free(result);

    limits.tool_calls = 1;
    result = run_with(session, "one()", &limits);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "1");
    snug_result_free(result);
    snug_session_close(session);

    session = open_with(NULL);
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    limits.tool_calls = SNUG_NONE;
    result = run_with(session, "one()", &limits);
    assert_int_not_equal(snug_result_status(result), SNUG_STATUS_OK);
    snug_result_free(result);
    snug_session_close(session);
}

TEST(no_value_no_display_and_no_names_are_told)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.value_bytes = limits.display_bytes = limits.list_bytes = SNUG_NONE;
    snug_session *session = open_with(&limits);
    snug_description *names = NULL;
    snug_result *result = run(session, "x = 'a secret'\ndisplay(x)\nx", 0);

    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    assert_null(strstr(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "secret"));
    assert_null(snug_result_value_json(result));
    assert_int_equal(snug_result_change_count(result), 0);
    assert_null(strstr(snug_result_json(result, NULL), "a secret"));
    snug_result_free(result);

    if (snug_session_list_variables(&names, session) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_null(strstr(snug_description_json(names, NULL), "secret"));
    snug_description_free(names);
    snug_session_close(session);
}

TEST(what_nothing_runs_without_is_refused_everywhere)
{
    snug_session *session = NULL;
    snug_result *result = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.wall_ms = SNUG_NONE;
    options.limits = &limits;

    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    assert_string_equal(snug_error_message(), "wall_ms is SNUG_NONE: without it nothing runs");
    session = open_with(NULL);
    assert_int_equal(snug_session_run(&result, session, "1", 1, &limits), SNUG_EINVAL);
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
