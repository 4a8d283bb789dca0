/* Tools of the host, as a C program binds and answers them. */
#include "../unit/test.h"

#include <pthread.h>
#include <time.h>

#include "test_host.h"

#include <snug/snug.h>

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    assert_int_equal(snug_session_open(&session, host, NULL), SNUG_OK);
    return session;
}

static snug_result *run_within(snug_session *session, const char *source, uint64_t wall_ms)
{
    snug_result *result = NULL;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = wall_ms };
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    return result;
}

static void check_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run_within(session, source, 0);
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        print_message("%s\n", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

static void check_error(snug_session *session, const char *source, const char *name,
                        const char *value)
{
    snug_result *result = run_within(session, source, 0);
    assert_string_equal(snug_result_error_name(result), name);
    assert_string_equal(snug_result_error_value(result), value);
    snug_result_free(result);
}

/* "search ok, search error" */
static void check_ledger(snug_session *session, const char *source, const char *ledger)
{
    char text[400] = "";
    const snug_tool_call *call;
    snug_result *result = run_within(session, source, 0);
    for (size_t i = 0; (call = snug_result_tool_call(result, i)); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s", i ? ", " : "",
                 call->name, call->status);
    assert_string_equal(text, ledger);
    snug_result_free(result);
}

/* ---- tools ---- */

static void echo(void *payload, snug_call *call, const char *arguments)
{
    assert_string_equal(snug_call_arguments(call), arguments);
    assert_int_equal(snug_call_is_wanted(call), 1);
    snug_call_return(call, arguments, strlen(arguments));
}

/* Answers with its payload. */
static void say(void *payload, snug_call *call, const char *arguments)
{
    snug_call_return(call, payload, strlen(payload));
}

static void refuse(void *payload, snug_call *call, const char *arguments)
{
    snug_call_fail(call, payload);
}

static void count(void *payload, snug_call *call, const char *arguments)
{
    ++*(int *)payload;
    snug_call_return(call, "null", 4);
}

/* Calls that are kept for later. */
typedef struct shelf {
    pthread_mutex_t lock;
    pthread_cond_t change;
    snug_call *calls[16];
    size_t count;
} shelf;

#define SHELF                                                            \
    {                                                                    \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, { NULL }, 0 \
    }

static void keep(void *payload, snug_call *call, const char *arguments)
{
    shelf *s = payload;
    pthread_mutex_lock(&s->lock);
    s->calls[s->count++] = call;
    pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->lock);
}

static void await_calls(shelf *s, size_t count_wanted)
{
    pthread_mutex_lock(&s->lock);
    while (s->count < count_wanted)
        pthread_cond_wait(&s->change, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static snug_tool tool(const char *name, const char *signature,
                      void (*fn)(void *, snug_call *, const char *), void *payload)
{
    snug_tool t = SNUG_TOOL_INIT;
    t.name = name;
    t.signature = signature;
    t.fn = fn;
    t.payload = payload;
    return t;
}

static void bind_tool(snug_session *session, const char *name, const char *signature,
                      void (*fn)(void *, snug_call *, const char *), void *payload)
{
    snug_tool t = tool(name, signature, fn, payload);
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
}

static void bind_async(snug_session *session, const char *name, shelf *s, uint64_t timeout_ms)
{
    snug_tool t = tool(name, "n: int = 0", keep, s);
    t.is_async = 1;
    t.timeout_ms = timeout_ms;
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
}

/* ---- what a cell sees ---- */

TEST(a_tool_is_a_function_of_the_namespace)
{
    snug_session *session = open_session();
    snug_tool t = tool("search", "query: str, limit: int = 10", echo, NULL);
    t.doc = "Search the archive.";
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
    check_value(session, "search('x')", "{'query': 'x', 'limit': 10}");
    check_value(session, "search(limit=2, query='y')", "{'query': 'y', 'limit': 2}");
    check_value(session, "search.__name__, search.__doc__, search.__module__",
                "('search', 'Search the archive.', '__main__')");
    check_value(session, "import inspect; str(inspect.signature(search))",
                "'(query: str, limit: int = 10)'");
    check_value(session, "inspect.isfunction(search)", "True");
    snug_result *result = run_within(session, "help(search)", 0);
    assert_non_null(strstr(snug_result_text(result, SNUG_STREAM_STDOUT, NULL),
                           "search(query: str, limit: int = 10)\n    Search the archive."));
    snug_result_free(result);
    check_error(session, "search()", "TypeError",
                "search() missing 1 required positional argument: 'query'");
    snug_session_close(session);
}

TEST(tools_of_one_server_are_functions_of_one_object)
{
    snug_session *session = open_session();
    bind_tool(session, "github.search", "query: str", echo, NULL);
    bind_tool(session, "github.close", "number: int", echo, NULL);
    bind_tool(session, "github_search", "query: str", echo, NULL);
    check_value(session, "github.search('x'), github.close(number=2)",
                "({'query': 'x'}, {'number': 2})");
    check_value(session, "github", "<tools of github: close, search>");
    check_value(session, "dir(github)", "['close', 'search']");
    check_value(session, "github.search.__qualname__", "'github.search'");
    check_error(session, "github.open()", "AttributeError",
                "'snug.ToolServer' object has no attribute 'open'");
    check_error(session, "type(github)()", "TypeError",
                "cannot create 'snug.ToolServer' instances");
    check_error(session, "type(github).search = 1", "TypeError",
                "cannot set 'search' attribute of immutable type 'snug.ToolServer'");
    check_error(session, "import copy; copy.copy(github)", "TypeError",
                "tools of the host are bound by it, and not saved");
    check_value(session, "github = 1; github", "1");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "github.close(number=3)", "{'number': 3}");
    bind_tool(session, "github.search", "words: list", echo, NULL);
    check_value(session, "github.search(['a'])", "{'words': ['a']}");
    snug_session_close(session);
}

TEST(all_kinds_of_parameters_travel_under_their_names)
{
    snug_session *session = open_session();
    bind_tool(session, "f", "a, /, b: list[int] | None = None, *rest, key=\"):\", **more", echo,
              NULL);
    check_value(session, "f(1)", "{'a': 1, 'b': None, 'key': '):', 'rest': []}");
    check_value(session, "f(1, [2], 3, 4, key=5, x=6)",
                "{'a': 1, 'b': [2], 'key': 5, 'rest': [3, 4], 'x': 6}");
    bind_tool(session, "g", NULL, echo, NULL);
    check_value(session, "g(a=1, b=2), g()", "({'a': 1, 'b': 2}, {})");
    bind_tool(session, "h", "", echo, NULL);
    check_value(session, "h()", "{}");
    snug_session_close(session);
}

TEST(values_travel_whole)
{
    snug_session *session = open_session();
    bind_tool(session, "f", "x", echo, NULL);
    static const char *const same[] = {
        "None",
        "True",
        "0",
        "-7",
        "10 ** 400",
        "1.5",
        "1e300",
        "0.1 + 0.2",
        "'a\\n\\0\"\\\\ü😀'",
        "[]",
        "{}",
        "[1, [2, {'a': None}]]",
        "{'ü': 1, '': 2}",
        "-(2 ** 70)",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char source[200];
        snprintf(source, sizeof source, "v = %s; r = f(v)['x']; r == v and type(r) is type(v)",
                 same[i]);
        check_value(session, source, "True");
    }
    check_value(session, "f((1, 2))", "{'x': [1, 2]}");
    check_value(session, "import enum\nclass E(enum.IntEnum):\n    A = 3\nf(E.A)", "{'x': 3}");
    check_value(session, "import collections; f(collections.OrderedDict(b=1, a=2))",
                "{'x': {'b': 1, 'a': 2}}");
    snug_session_close(session);
}

TEST(what_is_no_json_is_refused_before_anything_is_called)
{
    static const struct {
        const char *source, *name, *value;
    } cases[] = {
        { "f({1})", "TypeError", "f() argument 'x': set has no JSON" },
        { "f([b''])", "TypeError", "f() argument 'x': bytes has no JSON" },
        { "f({1: 2})", "TypeError",
          "f() argument 'x': int is not a key of a JSON object: it must be str" },
        { "f(float('nan'))", "ValueError", "f() argument 'x' has nan or inf, which is not JSON" },
        { "f('\\udc80')", "ValueError",
          "f() argument 'x' has text with half a surrogate pair, which is not JSON" },
        { "f(1 << 20000)", "ValueError",
          "f() argument 'x' has an integer of more than 4,300 digits" },
        { "a = []; a.append(a); f(a)", "ValueError",
          "f() argument 'x' is nested deeper than 200 levels, or holds itself" },
        { "f('a' * (16 << 20))", "ValueError", "f() argument 'x' is too large" },
    };
    int calls = 0;
    snug_session *session = open_session();
    bind_tool(session, "f", "x", count, &calls);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_error(session, cases[i].source, cases[i].name, cases[i].value);
    assert_int_equal(calls, 0);
    check_ledger(session, "f({1})", "");
    snug_session_close(session);
}

TEST(answers_become_pythons_values)
{
    static char json[] = " {\"a\": [1, -2.5e3, true, null, \"\\ud83d\\ude00\\u0000\\udc80\"], "
                         "\"a\": 123456789012345678901234567890} ";
    snug_session *session = open_session();
    bind_tool(session, "f", "", say, json);
    check_value(session, "f()", "{'a': 123456789012345678901234567890}");
    static char list[] = "[1, -2.5e3, true, null, \"\\ud83d\\ude00\\u0000\\udc80\\n\"]";
    bind_tool(session, "f", "", say, list);
    check_value(session, "f()", "[1, -2500.0, True, None, '😀\\x00\\udc80\\n']");
    snug_session_close(session);
}

TEST(an_answer_that_is_no_json_is_told_to_both_sides)
{
    static char wrong[][8] = { "", "{", "nan", "[1,]", "'x'", "01", "\"\xff\"", "1 2" };
    snug_session *session = open_session();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bind_tool(session, "f", "", say, wrong[i]);
        snug_result *result = run_within(session, "f()", 0);
        assert_string_equal(snug_result_error_name(result), "ToolError");
        assert_non_null(strstr(snug_result_error_value(result), "the answer of f() is not JSON: "));
        assert_string_equal(snug_error_message(), snug_result_error_value(result));
        assert_string_equal(snug_result_error_category(result), "tool");
        snug_result_free(result);
    }
    snug_session_close(session);
}

TEST(a_failed_call_is_an_exception_that_a_cell_can_catch)
{
    static char message[] = "no such city: Trapezunt";
    snug_session *session = open_session();
    bind_tool(session, "f", "", refuse, message);
    check_error(session, "f()", "ToolError", message);
    check_value(session, "try:\n    f()\nexcept ToolError as e:\n    r = str(e)\nr",
                "'no such city: Trapezunt'");
    check_value(session, "issubclass(ToolError, RuntimeError)", "True");
    check_ledger(session, "try:\n    f()\nexcept RuntimeError: pass", "f error");
    bind_tool(session, "f", "", refuse, NULL);
    check_error(session, "f()", "ToolError", "f() failed");
    snug_session_close(session);
}

TEST(no_frame_of_ours_is_in_a_traceback)
{
    snug_session *session = open_session();
    bind_tool(session, "f", "", refuse, NULL);
    snug_result *result = run_within(session, "f()", 0);
    const char *text = snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL);
    assert_non_null(strstr(text, "File \"<cell 1>\", line 1, in <module>\n    f()\n"));
    assert_non_null(strstr(text, "ToolError: f() failed\n"));
    assert_null(strstr(text, "<snug"));
    snug_result_free(result);
    shelf s = SHELF;
    bind_async(session, "g", &s, 1);
    result = run_within(session, "await g()", 0);
    assert_non_null(
        strstr(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "ToolTimeout: g()"));
    assert_null(strstr(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "<snug"));
    snug_result_free(result);
    for (size_t i = 0; i < s.count; i++)
        snug_call_fail(s.calls[i], NULL);
    snug_session_close(session);
}

/* ---- time-outs and stops ---- */

TEST(a_call_past_its_time_is_given_up)
{
    shelf s = SHELF;
    snug_session *session = open_session();
    snug_tool t = tool("f", "", keep, &s);
    t.timeout_ms = 20;
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
    check_error(session, "f()", "ToolTimeout", "f() took longer than its limit of 0.02 s");
    check_ledger(session, "try:\n    f()\nexcept TimeoutError: pass", "f timeout");
    check_value(session, "issubclass(ToolTimeout, (ToolError, TimeoutError))", "True");
    for (size_t i = 0; i < s.count; i++) {
        assert_int_equal(snug_call_is_wanted(s.calls[i]), 0);
        assert_int_equal(snug_call_return(s.calls[i], "1", 1), SNUG_ENOTFOUND);
    }
    snug_session_close(session);
}

TEST(the_limit_of_a_cell_ends_the_wait)
{
    shelf s = SHELF;
    snug_session *session = open_session();
    bind_tool(session, "f", "", keep, &s);
    snug_result *result = run_within(session, "f()", 100);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    assert_int_equal(snug_result_rung(result), 1);
    assert_string_equal(snug_result_tool_call(result, 0)->status, "cancelled");
    assert_true(snug_result_cpu_ns(result) < UINT64_C(80000000));
    snug_result_free(result);
    snug_call_return(s.calls[0], "1", 1);
    check_value(session, "6 * 7", "42");
    snug_session_close(session);
}

typedef struct later {
    snug_session *session;
    shelf *shelf;
} later;

static void *interrupt_when_called(void *arg)
{
    later *l = arg;
    await_calls(l->shelf, 1);
    snug_session_interrupt(l->session);
    return NULL;
}

static void meddle(void *payload, snug_call *call, const char *arguments)
{
    snug_session *session = payload;
    snug_result *result;
    snug_tool t = tool("g", NULL, echo, NULL);
    int is_busy = snug_session_run(&result, session, "1", 1, NULL) == SNUG_EBUSY &&
                  snug_session_bind_tool(session, &t) == SNUG_EBUSY;
    snug_call_return(call, is_busy ? "true" : "false", is_busy ? 4 : 5);
}

TEST(a_callback_can_not_use_its_session)
{
    snug_session *session = open_session();
    bind_tool(session, "f", "", meddle, session);
    check_value(session, "f()", "True");
    snug_session_close(session);
}

/* ---- awaited ---- */

/* From the last one back. */
static void *answer_backwards(void *arg)
{
    shelf *s = arg;
    char text[16];
    await_calls(s, 3);
    for (size_t i = 3; i-- > 0;) {
        int len = snprintf(text, sizeof text, "\"call %zu\"", i);
        snug_call_return(s->calls[i], text, (size_t)len);
    }
    return NULL;
}

TEST(awaited_calls_are_answered_in_any_order)
{
    shelf s = SHELF;
    pthread_t thread;
    snug_session *session = open_session();
    bind_async(session, "f", &s, 0);
    pthread_create(&thread, NULL, answer_backwards, &s);
    check_value(session, "import asyncio\nawait asyncio.gather(f(0), f(1), f(n=2))",
                "['call 0', 'call 1', 'call 2']");
    pthread_join(thread, NULL);
    check_value(session, "import inspect; inspect.iscoroutinefunction(f)", "True");
    snug_session_close(session);
}

static void say_back(void *payload, snug_call *call, const char *arguments)
{
    snug_call_return(call, arguments, strlen(arguments));
}

TEST(code_that_awaits_awaits_and_other_code_has_the_answer)
{
    snug_session *session = open_session();
    snug_tool t = tool("f", "n: int = 0", say_back, NULL);
    t.is_async = SNUG_TOOL_EITHER;
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
    check_value(session, "f(1)", "{'n': 1}");
    check_value(session, "await f(1)", "{'n': 1}");
    check_value(session, "[r['n'] for r in [f(i) for i in range(3)]]", "[0, 1, 2]");
    check_value(session,
                "import asyncio\n"
                "def plain(n): return f(n)['n']\n"
                "async def other(n): return (await f(n))['n']\n"
                "rows = [await f(0), *await asyncio.gather(*[f(n) for n in (1, 2)], "
                "*(f(n) for n in (3, 4)))]\n"
                "[r['n'] for r in rows] + [plain(5), await other(6), (lambda: f(7))()['n']]",
                "[0, 1, 2, 3, 4, 5, 6, 7]");
    check_value(session,
                "async def many():\n"
                "    yield await f(1)\n"
                "async def main(): return [r async for r in many()]\n"
                "asyncio.run(main())",
                "[{'n': 1}]");
    check_value(session, "import inspect; inspect.iscoroutinefunction(f)", "False");
    snug_result *statement = run_within(session, "f(1)\nf(n=2)\nawait f(3)", 0);
    assert_int_equal(snug_result_tool_call_count(statement), 3);
    snug_result_free(statement);
    snug_session_close(session);
}

/* Each gives 6: an await changes nothing for other calls of its cell. */
TEST(a_call_is_awaited_where_its_answer_comes_to_an_await)
{
    static const char *const cells[] = {
        "a = f(6)\nb = await f(1)\na['n']",
        "await f(1)\nlist(f(6).values())[0]",
        "await f(1)\nsum(r['n'] for r in [f(2), f(4)])",
        "await f(1)\nsum([f(n)['n'] for n in (2, 4)])",
        "async def g(): return f(6)\n(await g())['n']",
        "await f(f(6)['n'])\n6",
        "t = [f(2), f(4)]\nsum(r['n'] for r in await asyncio.gather(*t))",
        "t = []\nfor n in (2, 4):\n    t.append(f(n))\nsum(r['n'] for r in await "
        "asyncio.gather(*t))",
        "t = {}\nfor n in (2, 4): t[n] = f(n)\n"
        "sum(r['n'] for r in await asyncio.gather(*t.values()))",
        "c = f(6)\n(await c)['n']",
        "a = f(1)\nt = [f(2), f(3)]\na['n'] + sum(r['n'] for r in await asyncio.gather(*t))",
        "t = [asyncio.create_task(f(n)) for n in (2, 4)]\nsum([(await one)['n'] for one in t])",
        "sum([(await one)['n'] for one in [f(n) for n in (2, 4)]])",
        "sum([(await one)['n'] for one in asyncio.as_completed([f(2), f(4)])])",
        "sum(r['n'] for r in await asyncio.gather(*map(f, (2, 4))))",
        "async def g(one):\n    async with asyncio.Semaphore(1):\n        return (await one)['n']\n"
        "sum(await asyncio.gather(*[g(f(n)) for n in (2, 4)]))",
        "async with asyncio.TaskGroup() as g:\n    t = g.create_task(f(6))\nt.result()['n']",
        "(await asyncio.wait_for(f(6), 9))['n']",
    };
    snug_session *session = open_session();
    snug_tool t = tool("f", "n: int = 0", say_back, NULL);
    t.is_async = SNUG_TOOL_EITHER;
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
    check_value(session, "import asyncio\n6", "6");
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        check_value(session, cells[i], "6");
    snug_session_close(session);
}

TEST(a_call_that_nobody_awaits_is_not_made)
{
    shelf s = SHELF;
    snug_session *session = open_session();
    bind_async(session, "f", &s, 0);
    check_ledger(session, "f(); None", "");
    assert_int_equal(s.count, 0);
    check_error(session, "c = f()\nc.send(None)", "RuntimeError", "no running event loop");
    assert_int_equal(s.count, 0);
    snug_session_close(session);
}

/* ---- lives ---- */

TEST(a_reset_session_finds_its_tools)
{
    snug_session *session = open_session();
    bind_tool(session, "f", "x", echo, NULL);
    check_value(session, "f(1); del f; 'f' in globals()", "False");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "f(2)", "{'x': 2}");
    snug_session_close(session);
}

TEST(a_restored_session_finds_its_tools)
{
    char path[] = "/tmp/snug-tools-XXXXXX";
    snug_saved *saved = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snug_session *session = open_session();
    bind_tool(session, "f", "x", echo, NULL);
    check_value(session, "y = f(1)", "");
    assert_int_equal(snug_session_save(&saved, session, path), SNUG_OK);
    snug_saved_free(saved);
    assert_int_equal(snug_session_restore(&saved, session, path), SNUG_OK);
    snug_saved_free(saved);
    check_value(session, "y, f(2)", "({'x': 1}, {'x': 2})");
    snug_session_close(session);
    /* Without them, it says that there is none. */
    session = open_session();
    assert_int_equal(snug_session_restore(&saved, session, path), SNUG_OK);
    assert_non_null(strstr(snug_saved_json(saved, NULL),
                           "\"name\":\"f\",\"reason\":\"a function of the host is bound by it"));
    snug_saved_free(saved);
    check_error(session, "f(1)", "NameError", "name 'f' is not defined");
    snug_session_close(session);
    unlink(path);
}

TEST(a_name_that_is_bound_again_has_the_new_tool)
{
    int calls = 0;
    snug_session *session = open_session();
    bind_tool(session, "f", "", count, &calls);
    check_value(session, "old = f; f()", "");
    bind_tool(session, "f", "x", echo, NULL);
    check_value(session, "f(1)", "{'x': 1}");
    check_error(session, "old()", "ToolError",
                "the host has bound this name again: this is the function from before");
    assert_int_equal(calls, 1);
    snug_session_close(session);
}

TEST(a_tool_is_no_name_that_a_cell_has_made)
{
    snug_description *names = NULL;
    snug_session *session = open_session();
    bind_tool(session, "f", "x", echo, NULL);
    snug_result *result = run_within(session, "y = 1", 0);
    assert_non_null(strstr(snug_result_json(result, NULL),
                           "\"vars_changed\":[{\"name\":\"y\",\"type\":\"int\",\"op\":\"set\"}]"));
    snug_result_free(result);
    assert_int_equal(snug_session_list_variables(&names, session), SNUG_OK);
    assert_null(strstr(snug_description_json(names, NULL), "\"f\""));
    snug_description_free(names);
    check_value(session, "%reset -f", "");
    check_value(session, "f(1)", "{'x': 1}");
    snug_session_close(session);
}

TEST(bad_names_and_signatures_are_refused)
{
    static const struct {
        const char *name, *signature, *says;
    } cases[] = {
        { NULL, "", "a tool's name must have 1 to 256 bytes, and has 0" },
        { "", "", "a tool's name must have 1 to 256 bytes, and has 0" },
        { "a b", "", "tool a b: the name is not an identifier" },
        { "f(): pass\ndef g", "", "the name is not an identifier" },
        { "f\xff", "", "a tool's name must be UTF-8, and is not at byte 2" },
        { "class", "", "tool class: the name is none in Python: invalid syntax" },
        { "__builtins__", "", "tool __builtins__: the name is one that the session keeps itself" },
        { "_3", "", "the name is one that the session keeps itself" },
        { "print", "", "tool print: the name is a built-in one of Python" },
        { "display", "", "tool display: the name is a built-in one of Python" },
        { "json", "", "tool json: the name is that of a module that cells may import" },
        { "class.f", "", "tool class: the name is none in Python: invalid syntax" },
        { "s.class", "", "tool s.class: the name is none in Python: invalid syntax" },
        { "s.f.g", "", "the name is not an identifier, nor two with a dot between them" },
        { "s.", "", "the name is not an identifier, nor two with a dot between them" },
        { ".f", "", "the name is not an identifier, nor two with a dot between them" },
        { "json.f", "", "the name is that of a module that cells may import" },
        { "s.__class__", "", "the name is one that the session keeps itself" },
        { "s.__dict__", "", "the name is one that the session keeps itself" },
        { "f", "a b", "tool f: the signature is not a list of parameters: invalid syntax" },
        { "f", "a): return 1 #", "tool f: the signature is not a list of parameters on one line" },
        { "f", "a): pass\ndef g(b",
          "tool f: the signature is not a list of parameters on one line" },
        { "f", "a, a", "'a' in function definition" }, /* argument; since 3.15, parameter */
        { "f", "a: Thing", "name 'Thing' is not defined" },
        { "f", "a=open('x')", "name 'open' is not defined" },
        { "f", "a\xff", "tool f: the signature is not UTF-8 at byte 2" },
    };
    snug_session *session = open_session();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snug_tool t = tool(cases[i].name, cases[i].signature, echo, NULL);
        assert_int_equal(snug_session_bind_tool(session, &t), SNUG_EINVAL);
        if (!strstr(snug_error_message(), cases[i].says))
            fail_msg("%s", snug_error_message());
    }
    snug_tool t = tool("f", "", NULL, NULL);
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_EINVAL);
    assert_string_equal(snug_error_message(), "tool f: fn is NULL");
    check_value(session, "'f' in globals()", "False");
    snug_session_close(session);
}

/* ---- beside others ---- */

static char seen[200];

static void note_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%.*s", (int)len, text);
}

static void note_call(void *payload, snug_call *call, const char *arguments)
{
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "<%s>", arguments);
    snug_call_return(call, "0", 1);
}

TEST(output_and_calls_come_in_order)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = note_output;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    bind_tool(session, "f", "", note_call, NULL);
    seen[0] = '\0';
    check_value(session, "for i in range(3):\n    print(i, end='')\n    f()", "");
    assert_string_equal(seen, "0<{}>1<{}>2<{}>");
    snug_session_close(session);
}

static void note_end(void *payload, const snug_tool_call *call)
{
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "(%s %s)", call->name, call->status);
}

static snug_session *open_listening(void)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = note_output;
    options.on_tool_call = note_end;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    seen[0] = '\0';
    return session;
}

TEST(a_denied_call_is_in_the_result_alone)
{
    snug_result *result = NULL;
    snug_limits limits = { .size = sizeof(snug_limits), .tool_calls = 1 };
    static const char source[] = "f(); f()";
    snug_session *session = open_listening();
    bind_tool(session, "f", "", echo, NULL);
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    assert_int_equal(snug_result_tool_call_count(result), 2);
    assert_string_equal(seen, "(f ok)");
    snug_result_free(result);
    snug_session_close(session);
}

TEST(nothing_is_called_outside_of_a_cell)
{
    int calls = 0;
    snug_completion *names = NULL;
    snug_session *session = open_session();
    bind_tool(session, "f", "", count, &calls);
    check_value(session,
                "class P:\n    def __getattr__(self, name): f()\n"
                "    def __dir__(self): f(); return []\n"
                "    def __del__(self): f()\n"
                "p = P()",
                "");
    assert_int_equal(snug_session_complete(&names, session, "p.x.", 4, 4), SNUG_OK);
    snug_completion_free(names);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    snug_session_close(session);
    assert_int_equal(calls, 0);
}

/* ---- input ---- */

static void answer_prompt(void *payload, snug_call *call, const char *prompt)
{
    const char *name = strcmp(prompt, "Password: ") == 0 ? "getpass" : "input";
    assert_string_equal(snug_call_name(call), name);
    if (strcmp(prompt, "end? ") == 0)
        snug_call_return_line(call, NULL, 0);
    else if (strcmp(prompt, "bytes? ") == 0)
        snug_call_return_line(call, "a\xff", 2);
    else
        snug_call_return_line(call, prompt, strlen(prompt));
}

TEST(input_asks_the_host)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_input = answer_prompt;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    check_value(session, "input('name? '), input(), input(5)", "('name? ', '', '5')");
    check_value(session, "input('bytes? ')", "'a\xef\xbf\xbd'");
    check_error(session, "input('end? ')", "EOFError", "EOF when reading a line");
    check_value(session, "import sys; sys.stdin.readline()", "'\\n'");
    check_value(session, "import getpass; getpass.getpass()", "'Password: '");
    check_value(session, "from getpass import getpass as ask; ask('Password: ')", "'Password: '");
    check_ledger(session, "input()", "");
    snug_result *result = run_within(session, "input('x')", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_STDOUT, NULL), "");
    snug_result_free(result);
    snug_session_close(session);
}

static void keep_input(void *payload, snug_call *call, const char *prompt)
{
    keep(payload, call, prompt);
}

static snug_session *open_keeping(shelf *s)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_input = keep_input;
    options.payload = s;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    return session;
}

TEST(an_interrupt_ends_input)
{
    shelf s = SHELF;
    pthread_t thread;
    snug_session *session = open_keeping(&s);
    later l = { session, &s };
    pthread_create(&thread, NULL, interrupt_when_called, &l);
    snug_result *result = run_within(session, "input()", 0);
    pthread_join(thread, NULL);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    assert_int_equal(snug_call_return_line(s.calls[0], "late", 4), SNUG_ENOTFOUND);
    snug_session_close(session);
}

TEST(input_waits_as_long_as_its_own_limit)
{
    shelf s = SHELF;
    snug_session *session = open_keeping(&s);
    snug_result *result = NULL;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 5000, .input_ms = 100 };
    const char *source = "try: input()\nexcept TimeoutError as e: late = str(e)\nlate";
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                        "'nobody answered input() within its limit of 0.1 s'");
    snug_result_free(result);
    assert_int_equal(snug_call_return_line(s.calls[0], "late", 4), SNUG_ENOTFOUND);
    snug_session_close(session);
}

static void *answer_after_a_while(void *arg)
{
    const struct timespec while_ = { 0, 400 * 1000 * 1000 };
    shelf *s = arg;
    await_calls(s, 1);
    nanosleep(&while_, NULL);
    assert_int_equal(snug_call_return_line(s->calls[0], "there", 5), SNUG_OK);
    return NULL;
}

/* The limit of the cell is shorter than the wait, and holds for what is behind it. */
TEST(a_wait_for_input_is_not_the_cells_time)
{
    shelf s = SHELF;
    pthread_t thread;
    snug_session *session = open_keeping(&s);
    pthread_create(&thread, NULL, answer_after_a_while, &s);
    snug_result *result = run_within(session, "line = input()\nwhile True: pass", 200);
    pthread_join(thread, NULL);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    assert_true(snug_result_wall_ns(result) > UINT64_C(500000000));
    snug_result_free(result);
    check_value(session, "line", "'there'");
    snug_session_close(session);
}

TEST(without_a_callback_input_has_nobody_to_ask)
{
    snug_session *session = open_session();
    check_error(session, "input()", "EOFError",
                "nobody answers input() in this session: put the value into the code instead");
    check_error(session, "import getpass; getpass.getpass()", "EOFError",
                "nobody answers getpass() in this session: put the value into the code instead");
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
