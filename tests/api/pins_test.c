/* What a session leaves behind when it closes is nothing that a later one meets: CPython 3.11 keeps
 * pointers for the process that whoever comes first sets. */
#include "../unit/test.h"

#include <snug/snug.h>

#include "running.h"

static snug_host *host;

static int open_host(void **state)
{
    return snug_host_open(&host, NULL);
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.profile = "data";
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void expect(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 20000);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

/* In one session, in another beside it, and in a third when both have gone. */
static void expect_everywhere(const char *source, const char *value)
{
    snug_session *one = open_session(), *other = open_session();
    expect(one, source, value);
    expect(other, source, value);
    snug_session_close(one);
    expect(other, source, value);
    snug_session_close(other);
    snug_session *third = open_session();
    expect(third, source, value);
    snug_session_close(third);
}

TEST(characters_are_found_by_name)
{
    /* Other names each time: the code of a cell is kept. */
    expect_everywhere("eval(\"'\\\\N{BULLET}'\")", "'\u2022'");
    expect_everywhere("'a\\u2022'.encode('ascii', 'namereplace')", "b'a\\\\N{BULLET}'");
}

TEST(arrays_are_pickled)
{
    expect_everywhere("import array, pickle\n"
                      "pickle.loads(pickle.dumps(array.array('i', [1, 2]), 4))",
                      "array('i', [1, 2])");
}

TEST(times_are_parsed)
{
    expect_everywhere("import datetime\n"
                      "datetime.datetime.strptime('2020', '%Y')",
                      "datetime.datetime(2020, 1, 1, 0, 0)");
}

TEST(what_parses_times_is_the_sessions_own)
{
    snug_session *one = open_session(), *other = open_session();
    static const char replace[] =
        "import datetime, sys\n"
        "datetime.datetime.strptime('2020', '%Y')\n"
        "parser = sys.modules['_strptime']\n"
        "for name in [name for name in vars(parser) if name.startswith('_strptime_datetime')]:\n"
        "    setattr(parser, name, lambda *given: 'mine')\n"
        "datetime.datetime.strptime('2020', '%Y')";
    expect(one, replace, "'mine'");
    expect(other, "import datetime\ndatetime.datetime.strptime('2020', '%Y').year", "2020");
    snug_session_close(one);
    snug_session_close(other);
}

/* 3.11 made a second one of the names of the session that was opened last. */
TEST(sys_is_the_sessions_own)
{
    snug_session *one = open_session(), *other = open_session();
    expect(one,
           "import builtins, sys\n"
           "first = sys, builtins\n"
           "modules = sys.modules\n"
           "del modules['sys'], modules['builtins']\n"
           "import builtins, sys\n"
           "sys is first[0], builtins is first[1], sys.modules is modules",
           "(True, True, True)");
    expect(one, "sum([1, 2])", "3");
    snug_session_close(other);
    snug_session_close(one);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
