/* What the host does to a session's names: cells run aside, names set, the way back. */
#include "../unit/test.h"

#include "test_host.h"

#include <snug/snug.h>

static int open_session(void **state)
{
    snug_session *session = NULL;
    int error = snug_session_open(&session, host, NULL);
    *state = session;
    return error;
}

static int close_session(void **state)
{
    snug_session_close(*state);
    return 0;
}

typedef int runner(snug_result **out, snug_session *session, const char *source, size_t len,
                   const snug_limits *limits);

static snug_result *run_by(runner *by, snug_session *session, const char *source)
{
    snug_result *result = NULL;
    assert_int_equal(by(&result, session, source, strlen(source), NULL), SNUG_OK);
    return result;
}

static void expect_by(runner *by, snug_session *session, const char *source, const char *value)
{
    snug_result *result = run_by(by, session, source);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

static void expect(snug_session *session, const char *source, const char *value)
{
    expect_by(snug_session_run, session, source, value);
}

static void expect_aside(snug_session *session, const char *source, const char *value)
{
    expect_by(snug_session_run_aside, session, source, value);
}

TEST_WITH(a_run_aside_sees_the_names_and_leaves_none, open_session, close_session)
{
    expect(*state, "x = 2\n7", "7");
    expect_aside(*state, "y = x + 1; x = 9; del x\ny", "3");
    expect(*state, "x, 'y' in globals(), _, len(In), sorted(Out)", "(2, False, 7, 3, [1])");
}

TEST_WITH(a_run_aside_does_not_count, open_session, close_session)
{
    expect(*state, "1", "1");
    snug_result *result = run_by(snug_session_run_aside, *state, "1/0");
    assert_int_equal(snug_result_execution_count(result), 0);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_ERROR);
    assert_string_equal(snug_result_error_name(result), "ZeroDivisionError");
    assert_non_null(strstr(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "1/0"));
    snug_result_free(result);
    assert_int_equal(snug_session_execution_count(*state), 1);
    result = run_by(snug_session_run_aside, *state, "\xff");
    assert_string_equal(snug_result_error_name(result), "SyntaxError");
    snug_result_free(result);
    expect(*state, "len(In)", "3");
}

TEST_WITH(what_is_not_recorded_keeps_names_and_does_not_count, open_session, close_session)
{
    expect(*state, "1", "1");
    expect_by(snug_session_run_unrecorded, *state, "kept = 5\nkept + 1", "6");
    snug_result *result = run_by(snug_session_run_unrecorded, *state, "1/0");
    assert_int_equal(snug_result_execution_count(result), 0);
    assert_string_equal(snug_result_error_name(result), "ZeroDivisionError");
    snug_result_free(result);
    assert_int_equal(snug_session_execution_count(*state), 1);
    expect(*state, "kept, _, len(In), sorted(Out)", "(5, 1, 3, [1])");
}

TEST_WITH(what_a_run_aside_does_through_functions_stays_and_is_told, open_session, close_session)
{
    expect(*state, "total = 0\ndef add():\n    global total\n    total += 1\n", "");
    snug_result *result = run_by(snug_session_run_aside, *state, "add(); made = 1");
    const snug_change *change;
    assert_int_equal(snug_result_change_count(result), 1);
    assert_non_null(change = snug_result_change(result, 0));
    assert_string_equal(change->name, "total");
    snug_result_free(result);
    expect(*state, "total", "1");
}

TEST_WITH(a_run_aside_may_await_and_its_future_statement_is_its_own, open_session, close_session)
{
    expect_aside(*state, "import asyncio\nawait asyncio.sleep(0, 5)", "5");
    expect_aside(*state,
                 "from __future__ import annotations\ndef f(a: nowhere): pass\n"
                 "f.__annotations__",
                 "{'a': 'nowhere'}");
    expect(*state, "'asyncio' in globals()", "False");
    snug_result *result =
        run_by(snug_session_run, *state, "def g(a: nowhere): pass\ng.__annotations__");
    assert_string_equal(snug_result_error_name(result), "NameError");
    snug_result_free(result);
}

TEST_WITH(a_run_aside_that_is_stopped_keeps_the_state, open_session, close_session)
{
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 200 };
    snug_result *result = NULL;
    const char *endless = "z = 1\nwhile True:\n    x = z";
    expect(*state, "x = 3", "");
    assert_int_equal(snug_session_run_aside(&result, *state, endless, strlen(endless), &limits),
                     SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    expect(*state, "x, 'z' in globals()", "(3, False)");
}

TEST_WITH(a_name_is_set_to_the_value_of_json, open_session, close_session)
{
    const char *json =
        "{\"rows\": [1, 2.5, \"\xc3\xa9\", null, true], \"big\": 123456789012345678901}";
    assert_int_equal(snug_session_set_variable(*state, "data", json, strlen(json)), SNUG_OK);
    snug_result *result = run_by(snug_session_run, *state, "data['rows'], data['big'] + 1");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                        "([1, 2.5, '\xc3\xa9', None, True], 123456789012345678902)");
    assert_int_equal(snug_result_change_count(result), 0);
    snug_result_free(result);
}

TEST_WITH(a_name_that_is_none_or_no_json_is_refused_by_name, open_session, close_session)
{
    static const struct {
        const char *name, *json, *message;
    } cases[] = {
        { "class", "1", "\"class\" is not the name of a variable" },
        { "None", "1", "\"None\" is not the name of a variable" },
        { "a b", "1", "\"a b\" is not the name of a variable" },
        { "a=b;c", "1", "\"a=b;c\" is not the name of a variable" },
        { "", "1", "\"\" is not the name of a variable" },
        { "x", "[1,", "x is not JSON" },
        { "\xff", "1", "a name is UTF-8" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            snug_session_set_variable(*state, cases[i].name, cases[i].json, strlen(cases[i].json)),
            SNUG_EINVAL);
        assert_non_null(strstr(snug_error_message(), cases[i].message));
    }
}

/* In a worker it would be the memory of all its sessions. */
TEST_WITH(a_value_beyond_the_session_s_memory_costs_no_session, open_session, close_session)
{
    const size_t len = (size_t)300 << 20;
    char *json = malloc(len);
    assert_non_null(json);
    memset(json, 'a', len);
    json[0] = json[len - 1] = '"';

    expect(*state, "kept = 7", "");
    int error = snug_session_set_variable(*state, "data", json, len);
    if (error != SNUG_ENOMEM)
        assert_int_equal(error, SNUG_ESTOPPED);
    expect(*state, "kept, 'data' in globals()", "(7, False)");
    free(json);
}

TEST_WITH(a_rollback_gives_names_their_meaning_back, open_session, close_session)
{
    assert_int_equal(snug_session_rollback(*state), SNUG_ENOTFOUND);
    expect(*state, "a = 1; b = [1]; gone = 5", "");
    assert_int_equal(snug_session_checkpoint(*state), SNUG_OK);
    expect(*state, "a = 2; b.append(2); c = 3; del gone\n8", "8");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(snug_session_rollback(*state), SNUG_OK);
        expect(*state, "a, b, gone, 'c' in globals()", "(1, [1, 2], 5, False)");
        expect(*state, "a = c = 7", "");
    }
    expect(*state, "len(In), Out[2]", "(8, 8)");
    assert_int_equal(snug_session_forget_checkpoint(*state), SNUG_OK);
    assert_int_equal(snug_session_rollback(*state), SNUG_ENOTFOUND);
}

TEST_WITH(a_rollback_survives_finalizers_that_change_the_names, open_session, close_session)
{
    assert_int_equal(snug_session_checkpoint(*state), SNUG_OK);
    expect(*state,
           "class Late:\n    def __del__(self):\n        import sys\n"
           "        names = sys.modules['__main__'].__dict__\n        names['again'] = 1\n"
           "        names.pop('other', None)\nlate = Late(); other = 2\n",
           "");
    assert_int_equal(snug_session_rollback(*state), SNUG_OK);
    expect(*state, "'late' in globals(), 'other' in globals()", "(False, False)");
}

TEST_WITH(a_finalizer_that_does_not_end_costs_the_rollback_only, open_session, close_session)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.wall_ms = 200;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    assert_int_equal(snug_session_checkpoint(session), SNUG_OK);
    expect(session, "class Late:\n    def __del__(self):\n        while True: pass\nlate = Late()",
           "");
    int error = snug_session_rollback(session);
    assert_true(error == SNUG_OK || error == SNUG_ESTOPPED);
    expect(session, "6 * 7", "42");
    snug_session_close(session);
}

static void take_answer(void *payload, snug_call *call, const char *arguments)
{
    snprintf(payload, 256, "%s", arguments);
    snug_call_return(call, "null", 4);
}

TEST_WITH(a_tool_that_takes_any_gets_texts_of_what_has_no_json, open_session, close_session)
{
    char got[256] = "";
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "final_answer";
    tool.signature = "answer=None";
    tool.fn = take_answer;
    tool.payload = got;
    tool.takes_any = 1;
    assert_int_equal(snug_session_bind_tool(*state, &tool), SNUG_OK);
    static const struct {
        const char *source, *arguments;
    } cases[] = {
        { "final_answer({1})", "{\"answer\": \"{1}\"}" },
        { "final_answer([1, 2])", "{\"answer\": [1, 2]}" },
        { "final_answer(float('nan'))", "{\"answer\": \"nan\"}" },
        { "from fractions import Fraction\nfinal_answer([Fraction(1, 3)])",
          "{\"answer\": \"[Fraction(1, 3)]\"}" },
        { "final_answer()", "{\"answer\": null}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(*state, cases[i].source, "");
        assert_string_equal(got, cases[i].arguments);
    }
}

TEST_WITH(the_last_thousand_values_are_kept_and_no_name_of_those_before, open_session,
          close_session)
{
    const char *const counts =
        "len(Out), sum(n[1:].isdigit() for n in list(globals()) if n[0] == '_')";
    for (int i = 0; i < 1010; i++)
        expect(*state, "7", "7");
    expect(*state, counts, "(1000, 1000)");
    /* What the guest puts there, or takes away, stands in nobody's way. */
    expect(*state, "for n in list(Out)[:50]: Out[n] = None", "");
    expect(*state, "del Out[1000], _1001", "");
    for (int i = 0; i < 200; i++)
        expect(*state, "7", "7");
    expect(*state, counts, "(1000, 1000)");
    expect(*state, "min(Out), '_211' in globals(), _300", "(212, False, 7)");
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
