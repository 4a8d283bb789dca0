#include "test.h"

#include <pthread.h>

#include "base/clock.h"
#include "calls/desk.h"
#include "calls/ledger.h"

static int noticed, woken;

static void on_call(void *payload)
{
    noticed++;
}

static void wake(void *payload)
{
    woken++;
}

static void nothing(void *payload, snug_call *call, const char *arguments)
{
}

static desk *open_desk(void)
{
    noticed = woken = 0;
    desk *d = desk_open(on_call, NULL);
    desk_set_wake(d, wake, NULL);
    return d;
}

static const desk_tool *put_tool(desk *d, const char *name)
{
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = name;
    tool.fn = nothing;
    desk_tool *copy = desk_tool_copy(&tool);
    copy->id = desk_next_id(d);
    assert_int_equal(desk_put_tool(d, copy), SNUG_OK);
    return copy;
}

static snug_call *prepare(desk *d, const desk_tool *tool)
{
    str text = { 0 };
    snug_call *call = NULL;
    str_add(&text, "{}");
    assert_int_equal(call_prepare(&call, d, tool, &text), DESK_FINE);
    return call;
}

static snug_call *make(desk *d, const desk_tool *tool, int tells)
{
    snug_call *call = prepare(d, tool);
    assert_int_equal(call_make(call, tells), DESK_FINE);
    return call;
}

static void check_ledger(desk *d, const char *wanted)
{
    char text[400] = "";
    snug_tool_call *calls;
    size_t count;
    assert_int_equal(desk_take_ledger(&calls, &count, d), SNUG_OK);
    for (size_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s", i ? ", " : "",
                 calls[i].name, calls[i].status);
    ledger_free_copy(calls, count);
    assert_string_equal(text, wanted);
}

TEST(an_answer_reaches_the_cell)
{
    str answer;
    desk *d = open_desk();
    desk_begin(d, 10, SNUG_UNLIMITED);
    snug_call *call = make(d, put_tool(d, "f"), 0);
    assert_int_equal(noticed, 1);
    snug_call *taken = desk_take(d, DESK_ALL);
    assert_ptr_equal(taken, call);
    assert_null(desk_take(d, DESK_ALL));
    assert_int_equal(call_is_over(call), 0);
    assert_int_equal(call_answer(taken, CALL_OK, "12", 2), SNUG_OK);
    assert_int_equal(woken, 1);
    assert_int_equal(call_is_over(call), 1);
    assert_int_equal(call_take(&answer, call), CALL_OK);
    assert_string_equal(answer.data, "12");
    str_free(&answer);
    call_drop(call);
    desk_end(d);
    check_ledger(d, "f ok");
    desk_close(d);
}

TEST(no_call_outlives_its_cell)
{
    str answer;
    desk *d = open_desk();
    const desk_tool *tool = put_tool(d, "f");
    desk_begin(d, 10, SNUG_UNLIMITED);
    snug_call *made = make(d, tool, 0), *taken = desk_take(d, DESK_ALL),
              *waiting = make(d, tool, 0);
    desk_end(d);
    assert_null(desk_take(d, DESK_ALL));
    assert_int_equal(call_is_wanted(taken), 0);
    assert_int_equal(call_answer(taken, CALL_OK, "1", 1), SNUG_ENOTFOUND);
    assert_int_equal(call_take(&answer, made), CALL_CANCELLED);
    assert_int_equal(call_take(&answer, waiting), CALL_CANCELLED);
    snug_call *late = prepare(d, tool);
    assert_int_equal(call_make(late, 0), DESK_NO_CELL);
    call_drop(made);
    call_drop(waiting);
    call_drop(late);
    check_ledger(d, "f cancelled, f cancelled");
    desk_close(d);
}

TEST(a_call_outlives_the_desk)
{
    desk *d = open_desk();
    desk_begin(d, 10, SNUG_UNLIMITED);
    make(d, put_tool(d, "f"), 0);
    snug_call *taken = desk_take(d, DESK_ALL);
    desk_close(d);
    assert_int_equal(call_is_wanted(taken), 0);
    assert_string_equal(call_name(taken), "f");
    assert_string_equal(call_text(taken), "{}");
    assert_int_equal(call_answer(taken, CALL_ERROR, NULL, 0), SNUG_ENOTFOUND);
    assert_int_equal(woken, 1); /* by the end */
}

TEST(ends_are_told_once_and_in_order)
{
    uint64_t numbers[4];
    desk *d = open_desk();
    const desk_tool *tool = put_tool(d, "f");
    desk_begin(d, 10, SNUG_UNLIMITED);
    snug_call *calls[3], *taken[3];
    for (int i = 0; i < 3; i++)
        calls[i] = make(d, tool, 1);
    for (int i = 0; i < 3; i++)
        taken[i] = desk_take(d, DESK_ALL);
    assert_int_equal(desk_tell(d, numbers, 4), 0);
    call_answer(taken[2], CALL_OK, "1", 1);
    call_answer(taken[0], CALL_OK, "1", 1);
    assert_int_equal(desk_tell(d, numbers, 4), 2);
    assert_int_equal(numbers[0], call_number(calls[2]));
    assert_int_equal(numbers[1], call_number(calls[0]));
    assert_int_equal(desk_tell(d, numbers, 4), 0);
    call_drop(calls[1]); /* given up: told too, for the loop has its number */
    assert_int_equal(desk_tell(d, numbers, 4), 1);
    assert_int_equal(call_answer(taken[1], CALL_OK, "1", 1), SNUG_ENOTFOUND);
    call_drop(calls[0]);
    call_drop(calls[2]);
    desk_end(d);
    check_ledger(d, "f ok, f cancelled, f ok");
    desk_close(d);
}

TEST(one_that_ended_while_it_waited_is_not_taken)
{
    uint64_t numbers[4];
    desk *d = open_desk();
    const desk_tool *tool = put_tool(d, "f");
    desk_begin(d, 10, SNUG_UNLIMITED);
    snug_call *first = make(d, tool, 1), *second = make(d, tool, 1);
    call_end(first, CALL_CANCELLED);
    assert_ptr_equal(desk_take(d, DESK_ALL), second);
    assert_int_equal(desk_tell(d, numbers, 4), 1);
    call_drop(first);
    call_drop(second);
    call_answer(second, CALL_OK, "1", 1);
    desk_end(d);
    desk_close(d);
}

TEST(a_call_is_made_once)
{
    desk *d = open_desk();
    desk_begin(d, 10, SNUG_UNLIMITED);
    snug_call *call = make(d, put_tool(d, "f"), 0);
    assert_int_equal(call_make(call, 0), DESK_TWICE);
    call_drop(call);
    desk_end(d);
    desk_close(d);
}

TEST(calls_over_the_limit_are_denied_and_listed)
{
    snug_tool_call *calls;
    size_t count;
    desk *d = open_desk();
    const desk_tool *tool = put_tool(d, "f");
    desk_begin(d, 2, SNUG_UNLIMITED);
    for (int i = 0; i < 1000; i++) {
        snug_call *call = prepare(d, tool);
        assert_int_equal(call_make(call, 0), i < 2 ? DESK_FINE : DESK_TOO_MANY);
        call_drop(call);
    }
    snug_call *line = prepare(d, NULL);
    assert_int_equal(call_make(line, 0), DESK_FINE);
    call_drop(line);
    desk_end(d);
    assert_int_equal(desk_take_ledger(&calls, &count, d), SNUG_OK);
    assert_int_equal(count, 2 + DESK_DENIED_ENTRIES);
    assert_string_equal(calls[2].status, "denied");
    assert_string_equal(calls[2].name, "f");
    ledger_free_copy(calls, count);
    desk_close(d);
}

TEST(the_ledger_of_endless_calls_has_an_end)
{
    snug_tool_call *calls;
    size_t count;
    desk *d = open_desk();
    const desk_tool *tool = put_tool(d, "f");
    desk_begin(d, SNUG_UNLIMITED, SNUG_UNLIMITED);
    for (int i = 0; i < DESK_ENTRIES + 100; i++) {
        call_drop(make(d, tool, 0));
        assert_null(desk_take(d, DESK_ALL));
    }
    desk_end(d);
    assert_int_equal(desk_take_ledger(&calls, &count, d), SNUG_OK);
    assert_int_equal(count, DESK_ENTRIES);
    ledger_free_copy(calls, count);
    desk_close(d);
}

TEST(texts_under_way_are_bounded_together)
{
    char *megabytes = calloc(1, 16 << 20);
    memset(megabytes, 'a', (16 << 20) - 1);
    desk *d = open_desk();
    const desk_tool *tool = put_tool(d, "f");
    desk_begin(d, 10, SNUG_UNLIMITED);
    snug_call *call = make(d, tool, 0), *taken = desk_take(d, DESK_ALL);
    snug_call *large[4], *none = NULL;
    for (int i = 0; i < 4; i++) {
        str text = { 0 };
        str_append(&text, megabytes, (16 << 20) - 1024);
        assert_int_equal(call_prepare(&large[i], d, tool, &text), DESK_FINE);
        if (i > 0) /* one is never made, and counts too */
            assert_int_equal(call_make(large[i], 0), DESK_FINE);
    }
    str more = { 0 };
    str_append(&more, megabytes, 4096);
    assert_int_equal(call_prepare(&none, d, tool, &more), DESK_FULL);
    assert_null(none);
    assert_int_equal(call_answer(taken, CALL_OK, megabytes, 1 << 20), SNUG_EINVAL);
    assert_int_equal(call_is_over(call), 1);
    call_drop(call);
    desk_end(d);
    desk_begin(d, 10, SNUG_UNLIMITED);
    call_drop(large[0]);
    for (int i = 0; i < 5; i++) { /* those that ended hold no text */
        str text = { 0 };
        str_append(&text, megabytes, (16 << 20) - 1024);
        assert_int_equal(call_prepare(&none, d, tool, &text), DESK_FINE);
        call_drop(none);
    }
    for (int i = 1; i < 4; i++)
        call_drop(large[i]);
    desk_end(d);
    desk_close(d);
    free(megabytes);
}

TEST(a_name_has_one_tool)
{
    desk *d = open_desk();
    uint64_t first = put_tool(d, "f")->id;
    put_tool(d, "g");
    const desk_tool *second = put_tool(d, "f");
    assert_null(desk_find_tool(d, first));
    assert_ptr_equal(desk_find_tool(d, second->id), second);
    assert_ptr_equal(desk_tool_at(d, 0), second);
    assert_null(desk_tool_at(d, 2));
    desk_close(d);
}

enum { ROUNDS = 2000 };

static void *answer_all(void *arg)
{
    desk *d = arg;
    for (int i = 0; i < ROUNDS;) {
        snug_call *call = desk_take(d, DESK_ALL);
        if (call && ++i)
            call_answer(call, CALL_OK, "1", 1);
    }
    return NULL;
}

TEST(two_threads_can_ask_and_answer)
{
    pthread_t thread;
    str answer;
    desk *d = open_desk();
    const desk_tool *tool = put_tool(d, "f");
    desk_begin(d, SNUG_UNLIMITED, SNUG_UNLIMITED);
    pthread_create(&thread, NULL, answer_all, d);
    for (int i = 0; i < ROUNDS; i++) {
        snug_call *call = make(d, tool, 0);
        while (!call_is_over(call))
            ;
        assert_int_equal(call_take(&answer, call), CALL_OK);
        str_free(&answer);
        call_drop(call);
    }
    pthread_join(thread, NULL);
    desk_end(d);
    desk_close(d);
}

/* ---- time that does not count ---- */

static const desk_tool *put_untimed_tool(desk *d, const char *name)
{
    desk_tool *tool = (desk_tool *)(uintptr_t)put_tool(d, name);
    tool->is_untimed = 1;
    return tool;
}

TEST(calls_of_tools_that_are_not_timed_count_once)
{
    const uint64_t second_ns = UINT64_C(1000000000), now_ns = clock_now_ns();
    desk *d = open_desk();
    const desk_tool *untimed = put_untimed_tool(d, "ask"), *timed = put_tool(d, "search");

    desk_begin(d, 10, SNUG_UNLIMITED);
    snug_call *other = make(d, timed, 0);
    assert_int_equal(desk_untimed_ns(d, now_ns + second_ns), 0);

    snug_call *one = make(d, untimed, 0), *two = make(d, untimed, 0);
    const uint64_t under_way_ns = desk_untimed_ns(d, now_ns + second_ns);
    assert_in_range(under_way_ns, second_ns / 2, second_ns);
    assert_int_equal(desk_untimed_ns(d, now_ns + 2 * second_ns), under_way_ns + second_ns);

    call_end(one, CALL_CANCELLED);
    assert_int_equal(desk_untimed_ns(d, now_ns + second_ns), under_way_ns);
    call_end(two, CALL_CANCELLED);
    const uint64_t ended_ns = desk_untimed_ns(d, now_ns + second_ns);
    assert_int_equal(desk_untimed_ns(d, now_ns + 2 * second_ns), ended_ns);
    assert_true(ended_ns < under_way_ns);

    desk_end(d);
    snug_call *const calls[] = { one, two, other };
    for (size_t i = 0; i < 3; i++)
        call_drop(calls[i]);
    desk_close(d);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
