/* Programs: prepared once, called with typed values in any session. */
#include "../unit/test.h"

#include "interrupter.h"
#include "test_host.h"

#include <snug/program.h>

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

/* ---- helpers ---- */

/* Of at most two inputs, x and y, of these types; SNUG_TYPE_NONE: it has none. */
static snug_program *prepare(const char *source, snug_type x, snug_type y, snug_type output)
{
    const snug_input inputs[] = { { "x", x }, { "y", y } };
    snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;
    snug_program *program = NULL;

    options.name = "test";
    options.inputs = inputs;
    options.input_count = (x != SNUG_TYPE_NONE) + (size_t)(y != SNUG_TYPE_NONE);
    options.output = output;
    assert_int_equal(snug_program_prepare(&program, NULL, host, source, strlen(source), &options),
                     SNUG_OK);
    return program;
}

static snug_value of_int(int64_t integer)
{
    return (snug_value){ .type = SNUG_TYPE_INT, .integer = integer };
}

static snug_value of_double(double number)
{
    return (snug_value){ .type = SNUG_TYPE_DOUBLE, .number = number };
}

static snug_value of_text(snug_type type, const char *text)
{
    return (snug_value){ .type = type, .data = text, .len = strlen(text) };
}

static void run(snug_session *session, const char *source)
{
    snug_result *result;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    snug_result_free(result);
}

static void expect_text(snug_session *session, const char *source, const char *value)
{
    snug_result *result;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

static void call(snug_answer *answer, snug_session *session, snug_program *program,
                 const snug_value *arguments, size_t count)
{
    assert_int_equal(snug_program_call(answer, session, program, arguments, count, NULL), SNUG_OK);
}

/* It is called with x alone, or without anything. */
static void expect_error(snug_session *session, snug_program *program, const snug_value *x,
                         const char *name, const char *text)
{
    snug_answer answer = SNUG_ANSWER_INIT;

    call(&answer, session, program, x, x != NULL);
    assert_int_equal(answer.status, SNUG_STATUS_ERROR);
    assert_int_equal(answer.value.type, SNUG_TYPE_NONE);
    assert_non_null(answer.result);
    assert_string_equal(snug_result_error_name(answer.result), name);
    assert_non_null(strstr(snug_result_error_value(answer.result), text));
    snug_answer_free(&answer);
}

/* ---- values ---- */

TEST_WITH(numbers_go_in_and_come_out, open_session, close_session)
{
    snug_program *program =
        prepare("z = x * 2\nz + y", SNUG_TYPE_INT, SNUG_TYPE_INT, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;

    for (int64_t i = -3; i < 3; i++) {
        const snug_value arguments[] = { of_int(i), of_int(INT64_C(1) << 40) };
        call(&answer, *state, program, arguments, 2);
        assert_int_equal(answer.status, SNUG_STATUS_OK);
        assert_int_equal(answer.value.type, SNUG_TYPE_INT);
        assert_true(answer.value.integer == 2 * i + (INT64_C(1) << 40));
        assert_null(answer.result);
    }

    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(an_int_is_taken_for_a_double, open_session, close_session)
{
    snug_program *program = prepare("type(x).__name__ == 'float' and x / 2", SNUG_TYPE_DOUBLE,
                                    SNUG_TYPE_NONE, SNUG_TYPE_DOUBLE);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_int(7);

    call(&answer, *state, program, &x, 1);
    assert_int_equal(answer.value.type, SNUG_TYPE_DOUBLE);
    assert_true(answer.value.number == 3.5);
    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(every_type_comes_back_as_it_went_in, open_session, close_session)
{
    static const int64_t ints[] = { 1, -2, INT64_MAX };
    static const double doubles[] = { 0.5, -1e300 };
    static const uint8_t bools[] = { 1, 0, 1 };
    const snug_value values[] = {
        { .type = SNUG_TYPE_NONE },
        of_int(INT64_MIN),
        of_double(-0.1),
        { .type = SNUG_TYPE_BOOL, .integer = 1 },
        of_text(SNUG_TYPE_TEXT, "Stra\xc3\x9f"
                                "e"),
        of_text(SNUG_TYPE_TEXT, ""),
        { .type = SNUG_TYPE_TEXT, .data = "a\0b", .len = 3 },
        { .type = SNUG_TYPE_BYTES, .data = "\xff\0", .len = 2 },
        of_text(SNUG_TYPE_JSON, "{\"a\": [1, null, \"b\"]}"),
        { .type = SNUG_TYPE_INTS, .data = ints, .len = 3 },
        { .type = SNUG_TYPE_DOUBLES, .data = doubles, .len = 2 },
        { .type = SNUG_TYPE_BOOLS, .data = bools, .len = 3 },
        { .type = SNUG_TYPE_DOUBLES },
    };
    snug_program *program = prepare("x", SNUG_TYPE_ANY, SNUG_TYPE_NONE, SNUG_TYPE_ANY);
    snug_answer answer = SNUG_ANSWER_INIT;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const snug_value *in = &values[i], *out = &answer.value;
        size_t bytes = in->len;
        if (in->type == SNUG_TYPE_INTS || in->type == SNUG_TYPE_DOUBLES)
            bytes *= 8;
        call(&answer, *state, program, in, 1);
        assert_int_equal(answer.status, SNUG_STATUS_OK);
        assert_string_equal(snug_type_name(out->type), snug_type_name(in->type));
        assert_true(out->integer == in->integer && out->number == in->number);
        assert_int_equal(out->len, in->len);
        if (bytes > 0)
            assert_memory_equal(out->data, in->data, bytes);
    }

    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(an_array_is_a_view_that_python_computes_with, open_session, close_session)
{
    static const double doubles[] = { 0.5, 1.5, 2.5 };
    const snug_value x = { .type = SNUG_TYPE_DOUBLES, .data = doubles, .len = 3 };
    snug_program *program = prepare("[sum(x), x[-1], len(x), list(x[1:]), x.readonly]",
                                    SNUG_TYPE_DOUBLES, SNUG_TYPE_NONE, SNUG_TYPE_JSON);
    snug_answer answer = SNUG_ANSWER_INIT;

    call(&answer, *state, program, &x, 1);
    assert_int_equal(answer.status, SNUG_STATUS_OK);
    assert_string_equal(answer.value.data, "[4.5, 2.5, 3, [1.5, 2.5], true]");
    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(a_list_of_numbers_is_an_array, open_session, close_session)
{
    snug_program *ints = prepare("range(x)", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INTS);
    snug_program *doubles = prepare("[x, x / 4]", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_DOUBLES);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_int(3);

    call(&answer, *state, ints, &x, 1);
    assert_int_equal(answer.value.len, 3);
    assert_true(((const int64_t *)answer.value.data)[2] == 2);
    call(&answer, *state, doubles, &x, 1);
    assert_int_equal(answer.value.len, 2);
    assert_true(((const double *)answer.value.data)[1] == 0.75);

    snug_answer_free(&answer);
    snug_program_free(ints);
    snug_program_free(doubles);
}

TEST_WITH(a_value_of_another_type_is_an_error_in_words, open_session, close_session)
{
    static const struct {
        const char *source;
        snug_type output;
        const char *name, *text;
    } rows[] = {
        { "'a'", SNUG_TYPE_INT, "TypeError", "is str, and its output is an int" },
        { "[1]", SNUG_TYPE_DOUBLE, "TypeError", "is list, and its output is a number" },
        { "1", SNUG_TYPE_BOOL, "TypeError", "True or False" },
        { "b'a'", SNUG_TYPE_TEXT, "TypeError", "a str" },
        { "'a'", SNUG_TYPE_BYTES, "TypeError", "bytes" },
        { "['a']", SNUG_TYPE_INTS, "TypeError", "an array of int" },
        { "'123'", SNUG_TYPE_INTS, "TypeError", "an array of int" },
        { "{1}", SNUG_TYPE_JSON, "TypeError", "cannot be JSON" },
        { "2 ** 63", SNUG_TYPE_INT, "OverflowError", "64 bits" },
        { "chr(0xd800)", SNUG_TYPE_TEXT, "UnicodeEncodeError", "surrogates" },
        { "10 ** 400", SNUG_TYPE_DOUBLE, "OverflowError", "too large" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snug_program *program =
            prepare(rows[i].source, SNUG_TYPE_NONE, SNUG_TYPE_NONE, rows[i].output);
        expect_error(*state, program, NULL, rows[i].name, rows[i].text);
        snug_program_free(program);
    }
}

TEST_WITH(a_large_int_is_json_where_any_type_will_do, open_session, close_session)
{
    snug_program *program = prepare("2 ** 64", SNUG_TYPE_NONE, SNUG_TYPE_NONE, SNUG_TYPE_ANY);
    snug_answer answer = SNUG_ANSWER_INIT;

    call(&answer, *state, program, NULL, 0);
    assert_int_equal(answer.value.type, SNUG_TYPE_JSON);
    assert_string_equal(answer.value.data, "18446744073709551616");
    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(arguments_that_do_not_fit_are_refused, open_session, close_session)
{
    const snug_value text = of_text(SNUG_TYPE_TEXT, "1"), bad = of_text(SNUG_TYPE_TEXT, "\xff");
    const snug_value json = of_text(SNUG_TYPE_JSON, "{"), untyped = { .integer = 1 };
    snug_program *ints = prepare("x", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_program *any = prepare("x", SNUG_TYPE_ANY, SNUG_TYPE_NONE, SNUG_TYPE_ANY);
    snug_answer answer = SNUG_ANSWER_INIT;

    assert_int_equal(snug_program_call(&answer, *state, ints, &text, 1, NULL), SNUG_EINVAL);
    assert_string_equal(snug_error_message(), "snug_program_call: what is given for x of program "
                                              "test is of another type (text for int)");
    assert_int_equal(snug_program_call(&answer, *state, ints, &text, 0, NULL), SNUG_EINVAL);
    assert_int_equal(snug_program_call(&answer, *state, any, &bad, 1, NULL), SNUG_EINVAL);
    assert_int_equal(snug_program_call(&answer, *state, any, &json, 1, NULL), SNUG_EINVAL);
    assert_int_equal(snug_program_call(&answer, *state, any, &untyped, 1, NULL), SNUG_EINVAL);

    snug_program_free(ints);
    snug_program_free(any);
}

/* A worker's memory is that of all its sessions, and an argument goes there before the session
 * looks. */
TEST_WITH(an_argument_beyond_the_session_s_memory_costs_no_session, open_session, close_session)
{
    const size_t count = (size_t)450 << 17; /* 450 MiB of doubles */
    snug_value large = { .type = SNUG_TYPE_DOUBLES, .data = calloc(count, 8), .len = count };
    snug_program *any = prepare("len(x)", SNUG_TYPE_ANY, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;
    assert_non_null(large.data);

    int error = snug_program_call(&answer, *state, any, &large, 1, NULL);
    if (error != SNUG_ENOMEM) {
        assert_int_equal(error, SNUG_OK);
        assert_int_equal(answer.status, SNUG_STATUS_MEMORY);
        assert_int_equal(snug_result_state(answer.result), SNUG_STATE_KEPT);
    }

    snug_answer_free(&answer);
    free((void *)(uintptr_t)large.data);
    large = (snug_value){ .type = SNUG_TYPE_TEXT, .data = "abc", .len = 3 };
    call(&answer, *state, any, &large, 1);
    assert_int_equal(answer.value.integer, 3);
    snug_answer_free(&answer);
    snug_program_free(any);
}

/* ---- programs ---- */

TEST_WITH(a_program_that_does_not_pass_the_scan_is_refused, open_session, close_session)
{
    static const char source[] = "x = 1\nimport ctypes\nx";
    snug_program *program = NULL;
    snug_scan *findings = NULL;

    assert_int_equal(snug_program_prepare(&program, &findings, host, source, strlen(source), NULL),
                     SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "program program, line 2: "));
    assert_null(program);
    assert_int_equal(snug_scan_finding_count(findings), 1);
    assert_string_equal(snug_scan_finding(findings, 0)->subject, "ctypes");
    snug_scan_free(findings);

    findings = NULL;
    assert_int_equal(snug_program_prepare(&program, &findings, host, "1 +", 3, NULL), SNUG_EINVAL);
    assert_string_equal(snug_scan_finding(findings, 0)->rule, "syntax");
    snug_scan_free(findings);
    assert_int_equal(snug_program_prepare(&program, NULL, host, "1 +", 3, NULL), SNUG_EINVAL);
}

TEST_WITH(inputs_need_names_of_their_own, open_session, close_session)
{
    static const char *const names[] = { "a b", "", "1a", "a,b", "a=1" };
    snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;
    snug_input inputs[2] = { { "x", SNUG_TYPE_INT }, { "x", SNUG_TYPE_INT } };
    snug_program *program = NULL;

    options.inputs = inputs;
    options.input_count = 2;
    assert_int_equal(snug_program_prepare(&program, NULL, host, "1", 1, &options), SNUG_EINVAL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        inputs[1].name = names[i];
        assert_int_equal(snug_program_prepare(&program, NULL, host, "1", 1, &options), SNUG_EINVAL);
    }
}

TEST_WITH(other_names_are_the_sessions, open_session, close_session)
{
    snug_program *program = prepare("import math\ntmp = scale(x)\nmath.floor(tmp + offset)",
                                    SNUG_TYPE_DOUBLE, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_double(1.6);

    run(*state, "offset = 100\ndef scale(v):\n    return v * 2\n");
    call(&answer, *state, program, &x, 1);
    assert_int_equal(answer.value.integer, 103);
    run(*state, "offset = 200");
    call(&answer, *state, program, &x, 1);
    assert_int_equal(answer.value.integer, 203);
    expect_text(*state, "sorted(n for n in dir() if n in ('tmp', 'math', 'x', 'offset'))",
                "['offset']");

    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(history_and_count_are_untouched, open_session, close_session)
{
    snug_program *program =
        prepare("global seen\nseen = x\nx", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_int(5);
    snug_result *result;

    run(*state, "41 + 1");
    call(&answer, *state, program, &x, 1);
    assert_int_equal(snug_session_execution_count(*state), 1);
    assert_int_equal(snug_session_run(&result, *state, "_, len(In), Out, seen", 21, NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "(42, 3, {1: 42}, 5)");
    assert_int_equal(snug_result_execution_count(result), 2);
    assert_int_equal(snug_result_change_count(result), 0);
    snug_result_free(result);

    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(a_program_is_called_in_several_sessions, open_session, close_session)
{
    snug_program *program = prepare("n + x", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_int(1);
    snug_session *other;

    assert_int_equal(snug_session_open(&other, host, NULL), SNUG_OK);
    run(*state, "n = 10");
    run(other, "n = 20");
    for (int i = 0; i < 3; i++) {
        call(&answer, *state, program, &x, 1);
        assert_int_equal(answer.value.integer, 11);
        call(&answer, other, program, &x, 1);
        assert_int_equal(answer.value.integer, 21);
    }

    assert_int_equal(snug_session_reset(other), SNUG_OK);
    run(other, "n = 30");
    call(&answer, other, program, &x, 1);
    assert_int_equal(answer.value.integer, 31);

    snug_program_free(program);
    snug_session_close(other);
    snug_answer_free(&answer);
}

/* ---- what goes wrong ---- */

TEST_WITH(an_exception_is_told_with_its_line, open_session, close_session)
{
    snug_program *program =
        prepare("y = x - 1\n1 / y", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_DOUBLE);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value one = of_int(1), two = of_int(2);

    call(&answer, *state, program, &one, 1);
    assert_int_equal(answer.status, SNUG_STATUS_ERROR);
    const char *traceback = snug_result_text(answer.result, SNUG_STREAM_TRACEBACK, NULL);
    assert_non_null(strstr(traceback, "File \"<program test>\", line 2"));
    assert_non_null(strstr(traceback, "1 / y"));
    assert_non_null(strstr(traceback, "ZeroDivisionError: division by zero"));
    call(&answer, *state, program, &two, 1);
    assert_int_equal(answer.status, SNUG_STATUS_OK);
    assert_true(answer.value.number == 1.0);
    assert_null(answer.result);

    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(a_syntax_error_of_an_unscanned_program_is_its_status, open_session, close_session)
{
    snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;
    snug_program *program;

    options.is_unscanned = 1;
    assert_int_equal(snug_program_prepare(&program, NULL, host, "1 +", 3, &options), SNUG_OK);
    expect_error(*state, program, NULL, "SyntaxError", "invalid syntax");
    snug_program_free(program);
}

TEST_WITH(what_is_denied_has_that_status, open_session, close_session)
{
    snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;
    snug_answer answer = SNUG_ANSWER_INIT;
    snug_program *program;

    options.is_unscanned = 1;
    assert_int_equal(snug_program_prepare(&program, NULL, host, "import ctypes", 13, &options),
                     SNUG_OK);
    call(&answer, *state, program, NULL, 0);
    assert_int_equal(answer.status, SNUG_STATUS_DENIED);
    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(what_is_printed_is_in_the_result, open_session, close_session)
{
    snug_program *program =
        prepare("print('row', x)\nx", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_int(7);

    call(&answer, *state, program, &x, 1);
    assert_int_equal(answer.status, SNUG_STATUS_OK);
    assert_int_equal(answer.value.integer, 7);
    assert_string_equal(snug_result_text(answer.result, SNUG_STREAM_STDOUT, NULL), "row 7\n");
    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(a_call_is_stopped_at_its_limit_and_names_are_kept, open_session, close_session)
{
    snug_program *program = prepare("while x:\n    try:\n        while True: pass\n"
                                    "    except BaseException: pass",
                                    SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_ANY);
    snug_answer answer = SNUG_ANSWER_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    const snug_value one = of_int(1), zero = of_int(0);

    limits.wall_ms = 50;
    run(*state, "kept = 6");
    assert_int_equal(snug_program_call(&answer, *state, program, &one, 1, &limits), SNUG_OK);
    assert_int_equal(answer.status, SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(answer.result), SNUG_STATE_KEPT);
    expect_text(*state, "kept", "6");
    call(&answer, *state, program, &zero, 1);
    assert_int_equal(answer.status, SNUG_STATUS_OK);
    assert_int_equal(answer.value.type, SNUG_TYPE_NONE);

    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(memory_is_limited, open_session, close_session)
{
    snug_program *program =
        prepare("len(bytearray(x))", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value much = of_int(INT64_C(1) << 32), little = of_int(1000);

    call(&answer, *state, program, &much, 1);
    assert_int_equal(answer.status, SNUG_STATUS_MEMORY);
    call(&answer, *state, program, &little, 1);
    assert_int_equal(answer.status, SNUG_STATUS_OK);
    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(an_interrupt_ends_a_call, open_session, close_session)
{
    snug_program *program =
        prepare("while True: pass", SNUG_TYPE_NONE, SNUG_TYPE_NONE, SNUG_TYPE_ANY);
    snug_answer answer = SNUG_ANSWER_INIT;
    interrupter other;

    interrupter_start(&other, *state);
    call(&answer, *state, program, NULL, 0);
    interrupter_end(&other);
    assert_int_equal(answer.status, SNUG_STATUS_INTERRUPTED);
    expect_text(*state, "1", "1");
    snug_answer_free(&answer);
    snug_program_free(program);
}

TEST_WITH(programs_of_another_host_are_refused, open_session, close_session)
{
    snug_answer answer = SNUG_ANSWER_INIT;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_program_options how = SNUG_PROGRAM_OPTIONS_INIT;
    snug_program *program;
    snug_host *other;

    how.is_unscanned = 1;
    options.form = SNUG_FORM_WORKER;
    assert_int_equal(snug_host_open(&other, &options), SNUG_OK);
    assert_int_equal(snug_program_prepare(&program, NULL, other, "1", 1, &how), SNUG_OK);
    assert_int_equal(snug_program_call(&answer, *state, program, NULL, 0, NULL), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "belongs to another host"));
    snug_program_free(program);
    assert_int_equal(snug_host_close(other), SNUG_OK);
}

TEST_WITH(a_lost_session_is_refused_and_its_program_serves_others, open_session, close_session)
{
    snug_program *program = prepare("exit_now(x)", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_ANY);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_int(3);

    run(*state, "def exit_now(x):\n    return x\n");
    call(&answer, *state, program, &x, 1);
    assert_int_equal(answer.value.integer, 3);
    assert_int_equal(snug_session_reset(*state), SNUG_OK);
    call(&answer, *state, program, &x, 1);
    assert_int_equal(answer.status, SNUG_STATUS_ERROR);
    assert_string_equal(snug_result_error_name(answer.result), "NameError");
    snug_answer_free(&answer);
    snug_program_free(program);
}

/* ---- maps ---- */

static void map(snug_mapped *mapped, snug_session *session, snug_program *program,
                const snug_column *columns, size_t count, uint64_t rows)
{
    assert_int_equal(snug_program_map(mapped, session, program, columns, count, rows, NULL),
                     SNUG_OK);
}

TEST_WITH(a_map_calls_the_program_for_each_row, open_session, close_session)
{
    static const double prices[] = { 1, 2.5, 4 };
    static const int64_t counts[] = { 2, 2, 3 };
    const snug_column columns[] = { { SNUG_TYPE_DOUBLE, prices, NULL, NULL },
                                    { SNUG_TYPE_INT, counts, NULL, NULL } };
    snug_program *program = prepare("x * y", SNUG_TYPE_DOUBLE, SNUG_TYPE_INT, SNUG_TYPE_DOUBLE);
    snug_mapped mapped = SNUG_MAPPED_INIT;

    for (int i = 0; i < 2; i++) {
        map(&mapped, *state, program, columns, 2, 3);
        assert_int_equal(mapped.status, SNUG_STATUS_OK);
        assert_int_equal(mapped.row_count, 3);
        const double *sums = mapped.column.data;
        assert_true(sums[0] == 2 && sums[1] == 5 && sums[2] == 12);
        assert_null(mapped.column.missing);
        assert_null(mapped.result);
    }

    map(&mapped, *state, program, columns, 2, 0);
    assert_int_equal(mapped.row_count, 0);
    snug_mapped_free(&mapped);
    snug_program_free(program);
}

TEST_WITH(rows_may_be_missing, open_session, close_session)
{
    static const int64_t numbers[] = { 1, 0, 3, 4 };
    static const uint8_t missing[] = { 0, 1, 0, 0 };
    const snug_column column = { SNUG_TYPE_INT, numbers, NULL, missing };
    snug_program *program = prepare("None if x is None or x == 4 else x * x", SNUG_TYPE_INT,
                                    SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_mapped mapped = SNUG_MAPPED_INIT;

    map(&mapped, *state, program, &column, 1, 4);
    assert_int_equal(mapped.status, SNUG_STATUS_OK);
    const int64_t *squares = mapped.column.data;
    assert_true(squares[0] == 1 && squares[2] == 9);
    assert_memory_equal(mapped.column.missing, "\0\1\0\1", 4);
    snug_mapped_free(&mapped);
    snug_program_free(program);
}

TEST_WITH(texts_are_mapped_by_their_ends, open_session, close_session)
{
    static const char texts[] = "abc\xc3\xa4";
    static const uint64_t ends[] = { 1, 1, 3, 5 };
    const snug_column column = { SNUG_TYPE_TEXT, texts, ends, NULL };
    snug_program *upper = prepare("x.upper() * 2", SNUG_TYPE_TEXT, SNUG_TYPE_NONE, SNUG_TYPE_TEXT);
    snug_program *empty = prepare("not x", SNUG_TYPE_TEXT, SNUG_TYPE_NONE, SNUG_TYPE_BOOL);
    snug_mapped mapped = SNUG_MAPPED_INIT;

    map(&mapped, *state, upper, &column, 1, 4);
    assert_int_equal(mapped.row_count, 4);
    assert_memory_equal(mapped.column.data, "AABCBC\xc3\x84\xc3\x84", 10);
    const uint64_t *all = mapped.column.ends;
    assert_true(all[0] == 2 && all[1] == 2 && all[2] == 6 && all[3] == 10);
    map(&mapped, *state, empty, &column, 1, 4);
    assert_memory_equal(mapped.column.data, "\0\1\0\0", 4);

    snug_mapped_free(&mapped);
    snug_program_free(upper);
    snug_program_free(empty);
}

TEST_WITH(a_row_that_fails_ends_the_map_and_keeps_those_before, open_session, close_session)
{
    static const int64_t numbers[] = { 4, 2, 0, 1 };
    const snug_column column = { SNUG_TYPE_INT, numbers, NULL, NULL };
    snug_program *program = prepare("8 // x", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_mapped mapped = SNUG_MAPPED_INIT;

    map(&mapped, *state, program, &column, 1, 4);
    assert_int_equal(mapped.status, SNUG_STATUS_ERROR);
    assert_int_equal(mapped.row_count, 2);
    assert_true(((const int64_t *)mapped.column.data)[1] == 4);
    assert_string_equal(snug_result_error_name(mapped.result), "ZeroDivisionError");
    snug_mapped_free(&mapped);
    snug_program_free(program);
}

TEST_WITH(a_map_is_stopped_between_rows_and_within, open_session, close_session)
{
    enum { ROWS = 1000 };
    int64_t *numbers = calloc(ROWS, sizeof *numbers);
    const snug_column column = { SNUG_TYPE_INT, numbers, NULL, NULL };
    snug_program *program =
        prepare("while x > 5: pass\nx", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_mapped mapped = SNUG_MAPPED_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;

    limits.wall_ms = 100;
    numbers[500] = 6;
    assert_int_equal(snug_program_map(&mapped, *state, program, &column, 1, ROWS, &limits),
                     SNUG_OK);
    assert_int_equal(mapped.status, SNUG_STATUS_TIMEOUT);
    assert_int_equal(mapped.row_count, 500);
    expect_text(*state, "1", "1");

    snug_mapped_free(&mapped);
    snug_program_free(program);
    free(numbers);
}

TEST_WITH(a_map_needs_an_output_that_a_column_can_have, open_session, close_session)
{
    static const int64_t numbers[] = { 1 };
    const snug_column column = { SNUG_TYPE_INT, numbers, NULL, NULL };
    const snug_column backwards = { SNUG_TYPE_TEXT, "ab", (const uint64_t[]){ 2, 1 }, NULL };
    snug_program *any = prepare("x", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_ANY);
    snug_program *text = prepare("x", SNUG_TYPE_TEXT, SNUG_TYPE_NONE, SNUG_TYPE_TEXT);
    snug_mapped mapped = SNUG_MAPPED_INIT;

    assert_int_equal(snug_program_map(&mapped, *state, any, &column, 1, 1, NULL), SNUG_EINVAL);
    assert_int_equal(snug_program_map(&mapped, *state, text, &column, 1, 1, NULL), SNUG_EINVAL);
    assert_int_equal(snug_program_map(&mapped, *state, text, &backwards, 1, 2, NULL), SNUG_EINVAL);
    snug_program_free(any);
    snug_program_free(text);
}

/* ---- templates ---- */

TEST_WITH(sessions_open_from_a_template_with_its_names, open_session, close_session)
{
    static const char look[] = "import statistics as st\nscale(rate), table, _, sq(3)";
    snug_template *template_;
    snug_session *other, *third;

    run(*state, "rate = 2\ntable = {'a': [1, 2]}\ndef scale(v):\n    return v * 10\n"
                "class Square:\n    def __call__(self, n): return n * n\nsq = Square()");
    run(*state, "6 * 7");
    assert_int_equal(snug_template_make(&template_, NULL, *state), SNUG_OK);
    run(*state, "rate = 3");
    assert_int_equal(snug_session_open_from(&other, NULL, host, template_, NULL), SNUG_OK);
    assert_int_equal(snug_session_open_from(&third, NULL, host, template_, NULL), SNUG_OK);
    snug_template_free(template_);

    run(other, "table['a'].append(3)\nNone");
    expect_text(other, look, "(20, {'a': [1, 2, 3]}, 42, 9)");
    expect_text(third, look, "(20, {'a': [1, 2]}, 42, 9)");
    expect_text(*state, "rate", "3");
    assert_int_equal(snug_session_execution_count(third), 3);
    snug_session_close(other);
    snug_session_close(third);
}

TEST_WITH(a_template_says_what_it_leaves_out, open_session, close_session)
{
    snug_template *template_;
    snug_saved *kept = NULL, *there = NULL;
    snug_session *other;

    run(*state, "numbers = [1]\ngenerator = (n for n in numbers)");
    assert_int_equal(snug_template_make(&template_, &kept, *state), SNUG_OK);
    assert_int_equal(snug_saved_binding_count(kept), 2);
    assert_string_equal(snug_saved_binding(kept, 1)->name, "generator");
    assert_non_null(snug_saved_binding(kept, 1)->reason);
    assert_int_equal(snug_session_open_from(&other, &there, host, template_, NULL), SNUG_OK);
    assert_int_equal(snug_saved_binding_count(there), 2);
    expect_text(other, "numbers", "[1]");

    snug_saved_free(kept);
    snug_saved_free(there);
    snug_template_free(template_);
    snug_session_close(other);
}

TEST_WITH(a_program_runs_in_a_session_from_a_template, open_session, close_session)
{
    snug_program *program = prepare("scale(x)", SNUG_TYPE_INT, SNUG_TYPE_NONE, SNUG_TYPE_INT);
    snug_answer answer = SNUG_ANSWER_INIT;
    const snug_value x = of_int(4);
    snug_template *template_;
    snug_session *other;

    run(*state, "def scale(v):\n    return v * 10\n");
    assert_int_equal(snug_template_make(&template_, NULL, *state), SNUG_OK);
    assert_int_equal(snug_session_open_from(&other, NULL, host, template_, NULL), SNUG_OK);
    call(&answer, other, program, &x, 1);
    assert_int_equal(answer.status, SNUG_STATUS_OK);
    assert_int_equal(answer.value.integer, 40);

    snug_answer_free(&answer);
    snug_program_free(program);
    snug_template_free(template_);
    snug_session_close(other);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
