/* Calls in a journal, and answered from it, as a C program has them. */
#include "../unit/test.h"

#include "test_host.h"

#include <snug/snug.h>

/* ---- what is written ---- */

enum { BOOK_BYTES = 1 << 16 };

typedef struct book {
    char text[BOOK_BYTES];
    size_t len;
} book;

static void write_line(void *payload, const char *line, size_t len)
{
    book *b = payload;
    assert_true(b->len + len < BOOK_BYTES);
    assert_int_equal(line[len - 1], '\n');
    assert_null(memchr(line, '\n', len - 1));
    memcpy(b->text + b->len, line, len);
    b->len += len;
    b->text[b->len] = '\0';
}

/* A word that is secret. */
static size_t hide_word(void *payload, char *text, size_t len)
{
    for (size_t i = 0; i + 6 <= len; i++)
        if (!memcmp(text + i, "sesame", 6))
            memcpy(text + i, "******", 6);
    return len;
}

static snug_journal *open_journal(book *b, const char *replay)
{
    snug_journal_options options = SNUG_JOURNAL_OPTIONS_INIT;
    snug_journal *journal = NULL;
    options.write = b ? write_line : NULL;
    options.hide = hide_word;
    options.payload = b;
    options.replay = replay;
    options.replay_len = replay ? strlen(replay) : 0;
    if (snug_journal_open(&journal, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return journal;
}

/* ---- tools ---- */

static int reached; /* calls that have reached a tool */

static void echo(void *payload, snug_call *call, const char *arguments)
{
    reached++;
    snug_call_return(call, arguments, strlen(arguments));
}

static void fail_it(void *payload, snug_call *call, const char *arguments)
{
    reached++;
    snug_call_fail(call, "no \"such\" city\nof mine");
}

/* Answers three calls when the third has come, in another order. */
static void answer_third(void *payload, snug_call *call, const char *arguments)
{
    static snug_call *calls[3];
    static int count;
    static const int order[] = { 1, 2, 0 };
    reached++;
    calls[count++] = call;
    if (count < 3)
        return;
    count = 0;
    for (int i = 0; i < 3; i++)
        snug_call_return(calls[order[i]], "\n [1,\n 2]", 9);
}

static snug_call *kept[8];
static size_t kept_count;

static void keep(void *payload, snug_call *call, const char *arguments)
{
    reached++;
    kept[kept_count++] = call;
}

static void answer_kept(void)
{
    while (kept_count > 0)
        snug_call_return(kept[--kept_count], "0", 1);
}

static const struct {
    const char *name;
    void (*fn)(void *payload, snug_call *call, const char *arguments);
    int is_async;
    uint64_t timeout_ms;
} tools[] = {
    { "echo", echo, 0, 0 },      { "fail", fail_it, 0, 0 }, { "third", answer_third, 1, 0 },
    { "late", keep, 0, 60 },     { "hang", keep, 1, 0 },    { "soon", echo, 1, 0 },
    { "late_too", keep, 1, 60 },
};

static snug_session *open_session(snug_journal *journal, const char *name)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    static const snug_tool_rule rules[] = { { "refused", 0, SNUG_TOOL_DECISION_DENY } };
    static const char *const allow[] = { "asyncio", NULL };
    snug_session *session = NULL;
    options.name = name;
    options.journal = journal;
    options.tool_rules = rules;
    options.tool_rule_count = 1;
    options.allow = allow;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        snug_tool t = SNUG_TOOL_INIT;
        t.name = tools[i].name;
        t.fn = tools[i].fn;
        t.is_async = tools[i].is_async;
        t.timeout_ms = tools[i].timeout_ms;
        assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
    }
    snug_tool t = SNUG_TOOL_INIT;
    t.name = "refused";
    t.fn = echo;
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
    return session;
}

/* Appends what the cell has printed, its value and its error. */
static void run_to(char *out, snug_session *session, const char *source)
{
    snug_result *result = NULL;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 600000 };
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    snprintf(out + strlen(out), 4000 - strlen(out), "%s|%s|%s: %s|",
             snug_result_text(result, SNUG_STREAM_STDOUT, NULL),
             snug_result_text(result, SNUG_STREAM_VALUE, NULL), snug_result_error_name(result),
             snug_result_error_value(result));
    for (size_t i = 0; i < snug_result_tool_call_count(result); i++)
        snprintf(out + strlen(out), 4000 - strlen(out), " %s",
                 snug_result_tool_call(result, i)->status);
    strcat(out, "\n");
    snug_result_free(result);
}

static void run_all(char *out, snug_journal *journal, const char *const *cells)
{
    snug_session *session = open_session(journal, "s");
    reached = 0;
    *out = '\0';
    for (; *cells; cells++)
        run_to(out, session, *cells);
    answer_kept();
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

/* Runs cells, and again from the journal: without a tool, and with the same to the byte. */
static void check_again(book *b, const char *const *cells)
{
    char first[4000], second[4000];
    book again = { .len = 0 };
    snug_journal *journal = open_journal(b, NULL);
    run_all(first, journal, cells);
    assert_true(reached > 0);
    snug_journal_close(journal);

    journal = open_journal(&again, b->text);
    run_all(second, journal, cells);
    assert_string_equal(second, first);
    assert_int_equal(reached, 0);
    if (snug_journal_difference(journal))
        fail_msg("%s", snug_journal_difference(journal));
    assert_int_equal(snug_journal_left(journal, NULL, 0), 0);
    snug_journal_close(journal);

    /* What the replay has written is a journal too. */
    journal = open_journal(NULL, again.text);
    run_all(second, journal, cells);
    assert_string_equal(second, first);
    snug_journal_close(journal);
}

static void check_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no %s in: %s", part, text);
}

TEST(a_call_is_a_line_with_all_that_is_known_of_it)
{
    static book b;
    char out[4000] = "";
    snug_journal *journal = open_journal(&b, NULL);
    snug_session *session = open_session(journal, "caf\xc3\xa9");
    run_to(out, session, "echo(b='\\u2713 \\\\ \"', a=[1, None, 10**30])");
    run_to(out, session, "refused(x=1)");
    run_to(out, session, "fail()");
    assert_int_equal(snug_session_close(session), SNUG_OK);
    snug_journal_close(journal);

    check_has(
        b.text,
        "{\"schema\": \"snug.call/1\", \"session\": \"caf\xc3\xa9\", \"call\": 1, \"cell\": 1, "
        "\"tool\": \"echo\", \"arguments\": {\"b\": \"");
    check_has(b.text, "\"a\": [1, null, 1000000000000000000000000000000]}, \"status\": \"ok\", "
                      "\"answer\": {\"b\": \"");
    check_has(b.text, "\"time\": \"20");
    check_has(b.text, "\"call\": 2, \"cell\": 2, \"tool\": \"refused\", \"arguments\": {\"x\": 1}, "
                      "\"status\": \"refused\", \"error\": \"refused() is not allowed");
    check_has(b.text, "\"call\": 3, \"cell\": 3, \"tool\": \"fail\", \"arguments\": {}, "
                      "\"status\": \"error\", \"error\": \"no \\\"such\\\" city\\nof mine\"");
}

TEST(calls_are_answered_without_their_tools)
{
    static book b;
    static const char *const cells[] = {
        "print(echo(text='\\u2713'), echo(b=1, a={'y': 2.5, 'x': [True]}))",
        "try:\n    fail()\nexcept ToolError as e:\n    print(e)",
        "try:\n    refused()\nexcept ToolRefused as e:\n    print(e)",
        "try:\n    late(x=1)\nexcept ToolTimeout as e:\n    print(e)",
        "fail()",
        "echo(x=3)",
        NULL,
    };
    b.len = 0;
    check_again(&b, cells);
    check_has(b.text, "\"status\": \"timeout\", \"error\": \"late() took longer than its limit of "
                      "0.06 s\"");
}

TEST(awaited_calls_are_answered_in_the_order_of_the_journal)
{
    static book b;
    static const char *const cells[] = {
        "import asyncio\n"
        "async def one(n):\n    value = await third(n=n)\n    print(n, value)\n"
        "await asyncio.gather(one(1), one(2), one(3))",
        "try:\n    await late_too()\nexcept ToolTimeout as e:\n    print(e)",
        NULL,
    };
    b.len = 0;
    check_again(&b, cells);
    const char *second = strstr(b.text, "\"call\": 2"), *first = strstr(b.text, "\"call\": 1");
    assert_true(second && first && second < first);
    check_has(b.text, "\"answer\":   [1,  2], \"time\"");
}

/* ---- what differs ---- */

static void record(book *b, const char *cell)
{
    const char *const cells[] = { cell, NULL };
    char out[4000];
    snug_journal *journal = open_journal(b, NULL);
    b->len = 0;
    run_all(out, journal, cells);
    snug_journal_close(journal);
}

static void check_difference(const book *b, const char *cell, const char *sentence)
{
    const char *const cells[] = { cell, NULL };
    char out[4000];
    snug_journal *journal = open_journal(NULL, b->text);
    run_all(out, journal, cells);
    assert_int_equal(reached, 0);
    check_has(out, "ToolRefused");
    check_has(out, sentence);
    assert_non_null(snug_journal_difference(journal));
    assert_string_equal(snug_journal_difference(journal), sentence);
    snug_journal_close(journal);
}

TEST(the_first_call_that_differs_is_refused_with_what_differs)
{
    static book b;
    record(&b, "echo(a=1, b='x')\necho(a=2)");
    check_difference(&b, "echo(a=1, b='y')",
                     "call 1 of session s, echo(), is not in the journal: its argument b is \"y\", "
                     "and was \"x\"");
    check_difference(&b, "echo(a=1)",
                     "call 1 of session s, echo(), is not in the journal: its argument b is "
                     "missing, and was \"x\"");
    check_difference(&b, "echo(a=1, b='x')\necho(a=2, c=[])",
                     "call 2 of session s, echo(), is not in the journal: its argument c is [], "
                     "and was not there");
    check_difference(&b, "fail()",
                     "call 1 of session s, fail(), is not in the journal: it was echo()");
    check_difference(&b, "for i in range(3):\n    echo(a=1, b='x') if i == 0 else echo(a=2)",
                     "call 3 of session s, echo(), is not in the journal: the last one of this "
                     "session is call 2");
    check_difference(&b, "echo(a=1.0, b='x')",
                     "call 1 of session s, echo(), is not in the journal: its argument a is 1.0, "
                     "and was 1");
}

TEST(calls_that_were_not_made_are_counted)
{
    static book b;
    char out[4000], text[200];
    static const char *const cells[] = { "echo(a=1)", NULL };
    record(&b, "echo(a=1)\necho(a=2)\nfail(why='x')");
    snug_journal *journal = open_journal(NULL, b.text);
    run_all(out, journal, cells);
    assert_null(snug_journal_difference(journal));
    assert_int_equal(snug_journal_left(journal, text, sizeof text), 2);
    assert_string_equal(text, "call 2 of session s, echo({\"a\": 2}), was not made");
    snug_journal_close(journal);
}

/* ---- sessions ---- */

TEST(sessions_have_calls_of_their_own_by_name)
{
    static book b;
    char out[4000] = "", again[4000] = "";
    snug_journal *journal = open_journal(&b, NULL);
    snug_session *one = open_session(journal, "one"), *two = open_session(journal, "two");
    run_to(out, one, "echo(n=1)");
    run_to(out, two, "echo(n=2)");
    run_to(out, one, "echo(n=3)");
    assert_int_equal(snug_session_close(one), SNUG_OK);
    one = open_session(journal, "one"); /* goes on, as a session that was saved does */
    run_to(out, one, "echo(n=4)");
    assert_int_equal(snug_session_reset(one), SNUG_OK);
    run_to(out, one, "echo(n=5)");
    assert_int_equal(snug_session_close(one), SNUG_OK);
    assert_int_equal(snug_session_close(two), SNUG_OK);
    snug_journal_close(journal);
    check_has(b.text, "\"session\": \"one\", \"call\": 4, \"cell\": 1,");

    journal = open_journal(NULL, b.text);
    two = open_session(journal, "two");
    one = open_session(journal, "one");
    reached = 0;
    run_to(again, one, "echo(n=1)");
    run_to(again, two, "echo(n=2)");
    run_to(again, one, "echo(n=3)");
    run_to(again, one, "echo(n=4)");
    run_to(again, one, "echo(n=5)");
    assert_string_equal(again, out);
    assert_int_equal(reached, 0);
    assert_int_equal(snug_session_close(one), SNUG_OK);
    assert_int_equal(snug_session_close(two), SNUG_OK);
    snug_journal_close(journal);
}

TEST(what_is_hidden_is_in_no_line_and_compared_hidden)
{
    static book b;
    static const char *const cells[] = { "x = echo(key='open sesame')", "print(len(str(x)))",
                                         NULL };
    b.len = 0;
    check_again(&b, cells);
    assert_null(strstr(b.text, "sesame"));
    check_has(b.text, "{\"key\": \"open ******\"}");
}

/* ---- lines ---- */

static void check_line(const char *lines, const char *sentence)
{
    snug_journal_options options = SNUG_JOURNAL_OPTIONS_INIT;
    snug_journal *journal = NULL;
    options.replay = lines;
    options.replay_len = strlen(lines);
    assert_int_equal(snug_journal_open(&journal, &options), SNUG_EINVAL);
    check_has(snug_error_message(), sentence);
}

#define CALL(rest) "{\"schema\": \"snug.call/1\", \"session\": \"s\", " rest "}\n"

TEST(a_damaged_journal_is_refused_with_its_line)
{
    check_line("{\"schema\": \"other/1\"}\n\n{\"schema\": \"snug.call/1\", \"sess",
               "journal, line 3: it is damaged or cut: ");
    check_line("[]\n", "journal, line 1: it is not an object");
    check_line(CALL("\"call\": 0"), "line 1: the call has no number");
    check_line(CALL("\"call\": 1"), "the call has no object of arguments");
    check_line(CALL("\"call\": 1, \"arguments\": {}"), "no status that a call can have");
    check_line(CALL("\"call\": 1, \"arguments\": {}, \"status\": \"ok\""), "the call has no tool");
    check_line(CALL("\"call\": 1, \"arguments\": {}, \"status\": \"ok\", \"tool\": \"t\""),
               "the call has no answer");
    check_line(CALL("\"call\": 1, \"arguments\": {}, \"status\": \"error\", \"tool\": \"t\""),
               "the call has no error");
    check_line(CALL("\"call\": 2, \"arguments\": {}, \"status\": \"ok\", \"tool\": \"t\", "
                    "\"answer\": 1"),
               "journal, line 1: it is call 2 of session s, of which there are 1");
    check_line(CALL("\"call\": 1, \"arguments\": {}, \"status\": \"cancelled\", \"tool\": \"t\"")
                   CALL("\"call\": 1, \"arguments\": {}, \"status\": \"cancelled\", \"tool\": "
                        "\"t\""),
               "journal, line 2: the session has a call of this number before");
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
