#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "agent/text/verdict.h"
#include "base/clock.h"

#define PASS   SNUG_AGENT_VERDICT_PASS
#define FAIL   SNUG_AGENT_VERDICT_FAIL
#define UNSURE SNUG_AGENT_VERDICT_UNSURE

static void verdicts_are_read_as_models_write_them(void **state)
{
    static const struct {
        const char *text;
        snug_agent_verdict value;
        const char *reason, *answer;
    } rows[] = {
        { "{\"verdict\": \"pass\", \"reason\": \"r\", \"answer\": \"a\"}", PASS, "r", "a" },
        { "{\"verdict\": \"fail\", \"reason\": \"r\"}", FAIL, "r", "" },
        { "{\"verdict\": \"unsure\", \"reason\": \"r\", \"answer\": null}", UNSURE, "r", "" },
        { "{\"verdict\": \"PASS\", \"reason\": \"\"}", PASS, "", "" },
        { "{'verdict': 'fail', 'reason': 'it\\'s off',}", FAIL, "it's off", "" },
        { "```json\n{\"verdict\": \"fail\", \"reason\": \"r\"}\n```", FAIL, "r", "" },
        { "Here it is:\n{\"verdict\": \"fail\", \"reason\": \"r\"}\nDone.", FAIL, "r", "" },
        { "<think>{\"verdict\": \"pass\"}</think>{\"verdict\": \"fail\"}", FAIL, "", "" },
        { "{\"verdict\": \"pass|fail|unsure\"} {\"verdict\": \"pass\"}", PASS, "", "" },
        { "{\"verdict\": \"pass\", \"reason\": \"a\"} no: {\"verdict\": \"fail\", \"reason\": "
          "\"b\"}",
          FAIL, "b", "" },
        { "{'verdict': 'pass', 'reason': \"it's fine\", 'answer': '42'}", PASS, "it's fine", "42" },
        { "{\"verdict\": \"pass\", \"reason\": \"a\nb\"}", PASS, "a\nb", "" },
        { "{\"verdict\": \"pass\" \"reason\": \"r\"}", PASS, "r", "" },
        { "{\"verdict\": \"pass\", \"reason\": \"cut of", PASS, "cut of", "" },
        { "{\"verdict\": \"pass\", \"answer\": 42}", PASS, "", "42" },
        { "{\"verdict\": \"pass\",\n \"answer\": \"\\u00e9\"}", PASS, "", "\xc3\xa9" },
        { "pass", PASS, "", "" },
        { "**FAIL**\n", FAIL, "", "" },
        { "{\"verdict\": \"maybe\", \"reason\": \"r\"}", UNSURE,
          "{\"verdict\": \"maybe\", \"reason\": \"r\"}", "" },
        { "It looks right to me.\n", UNSURE, "It looks right to me.", "" },
        { "It did not fail.", UNSURE, "It did not fail.", "" },
        { "{\"verdict\": \"NO: that is the sum\"}", FAIL, "that is the sum", "" },
        { "{\"result\": \"pass\"}", UNSURE, "{\"result\": \"pass\"}", "" },
        { "<think>pass", UNSURE, "", "" },
        { "", UNSURE, "", "" },
        { "{", UNSURE, "{", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verdict found;
        assert_int_equal(verdict_read(&found, rows[i].text, strlen(rows[i].text)), SNUG_OK);
        if (found.value != rows[i].value)
            fail_msg("%s: %d", rows[i].text, (int)found.value);
        assert_string_equal(str_text(&found.reason), rows[i].reason);
        assert_string_equal(str_text(&found.answer), rows[i].answer);
        verdict_free(&found);
    }
}

static void verdicts_in_words_are_read_and_none_is_guessed(void **state)
{
    enum { NONE = -1 };
    static const struct {
        const char *text;
        int value; /* NONE: it is not read */
        const char *reason;
    } rows[] = {
        { "YES", PASS, "" },
        { "NO", FAIL, "" },
        { "no.", FAIL, "" },
        { "NO: the output is not the square of 5", FAIL, "the output is not the square of 5" },
        { "Fail: it does not pass the check", FAIL, "it does not pass the check" },
        { "Pass.", PASS, "" },
        { "YES: all rows are there", PASS, "all rows are there" },
        { "**FAIL**", FAIL, "" },
        { "**FAIL**: the unit is wrong", FAIL, "the unit is wrong" },
        { "`pass`", PASS, "" },
        { "Unsure: the data is not shown", UNSURE, "the data is not shown" },

        { "No, that is the sum.", NONE, NULL },
        { "Verdict: fail", NONE, NULL },
        { "Nothing is wrong", NONE, NULL },
        { "Yesterday: 3 rows", NONE, NULL },
        { "Not bad, pass", NONE, NULL },
        { "No problems were found", NONE, NULL },
        { "No. 5 is missing", NONE, NULL },
        { "Yes, but it is the sum", NONE, NULL },
        { "pass|fail|unsure", NONE, NULL },
        { "Pass or fail? I cannot tell.", NONE, NULL },
        { "Passed\xc3\xa9", NONE, NULL },
        { " \n\t", NONE, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verdict found;
        assert_int_equal(verdict_read(&found, rows[i].text, strlen(rows[i].text)), SNUG_OK);
        if ((found.is_read ? (int)found.value : NONE) != rows[i].value)
            fail_msg("%s: %d", rows[i].text, found.is_read ? (int)found.value : NONE);
        if (rows[i].reason)
            assert_string_equal(str_text(&found.reason), rows[i].reason);
        else
            assert_int_equal(found.value, UNSURE);
        verdict_free(&found);
    }
}

static void plans_are_read_as_models_write_them(void **state)
{
    static const struct {
        const char *text, *steps; /* with a "|" behind each */
    } rows[] = {
        { "[\"load\", \"sum\"]", "load|sum|" },
        { "```json\n[\"load\",\n \"sum\",]\n```", "load|sum|" },
        { "The plan:\n['load', 'sum']", "load|sum|" },
        { "{\"steps\": [\"load\", \"sum\"]}", "load|sum|" },
        { "[\"\", \" \", \"load \"]", "load|" },
        { "[1, 2] then [\"load\"]", "load|" },
        { "<think>[\"wrong\"]</think>[\"load\"]", "load|" },
        { "1. load\n2. sum", "" },
        { "I would load and sum.", "" },
        { "3.5 is a number", "" },
        { "[]", "" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan found;
        str steps = { 0 };
        assert_int_equal(plan_read(&found, rows[i].text, strlen(rows[i].text), 10), SNUG_OK);
        for (size_t s = 0; s < found.count; s++)
            assert_int_equal(str_printf(&steps, "%s|", found.steps[s].data), SNUG_OK);
        if (strcmp(str_text(&steps), rows[i].steps) != 0)
            fail_msg("%s: %s", rows[i].text, str_text(&steps));
        assert_int_equal(found.is_cut, 0);
        str_free(&steps);
        plan_free(&found);
    }
}

static void marks_and_the_language_are_read_from_an_object(void **state)
{
    static const char text[] = "{\"verdict\": \"pass\", \"quality\": 90, \"robustness\": \"high\", "
                               "\"performance\": 101, \"language\": \"de\"}";
    verdict found;

    assert_int_equal(verdict_read(&found, text, strlen(text)), SNUG_OK);
    assert_true(found.marks[0] == 90 && found.marks[1] == -1 && found.marks[2] == -1);
    assert_string_equal(str_text(&found.language), "de");
    verdict_free(&found);
}

static void a_plan_has_no_more_steps_than_are_wanted(void **state)
{
    static const char *const texts[] = { "[\"a\", \"b\", \"c\"]",
                                         "{\"steps\": [\"a\", \"b\", \"c\"]}" };
    for (size_t i = 0; i < 2; i++) {
        plan found;
        assert_int_equal(plan_read(&found, texts[i], strlen(texts[i]), 2), SNUG_OK);
        assert_int_equal(found.count, 2);
        assert_true(found.is_cut);
        plan_free(&found);
        assert_int_equal(plan_read(&found, texts[i], strlen(texts[i]), 3), SNUG_OK);
        assert_int_equal(found.count, 3);
        assert_false(found.is_cut);
        plan_free(&found);
    }
}

static void hostile_replies_take_linear_time(void **state)
{
    static const char *const pieces[] = { "{",   "[",      "{\"verdict\": ",  "<think>",
                                          "\"",  "{'a\":", "1. a\n",          "- ",
                                          "[\"", "\n",     "verdict: pass\n", "pass.\n" };
    enum { SIZE = PART_IF_SANITIZED(1 << 20) };
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t len = strlen(pieces[i]);
        for (size_t at = 0; at < SIZE; at++)
            text[at] = pieces[i][at % len];
        verdict found;
        plan steps;
        uint64_t begin = clock_thread_cpu_ns();
        assert_int_equal(verdict_read(&found, text, SIZE), SNUG_OK);
        verdict_free(&found);
        assert_int_equal(plan_read(&steps, text, SIZE, 10), SNUG_OK);
        plan_free(&steps);
        if (clock_thread_cpu_ns() - begin > UINT64_C(20000000000))
            fail_msg("%s takes too long", pieces[i]);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_read_as_models_write_them),
        cmocka_unit_test(verdicts_in_words_are_read_and_none_is_guessed),
        cmocka_unit_test(plans_are_read_as_models_write_them),
        cmocka_unit_test(marks_and_the_language_are_read_from_an_object),
        cmocka_unit_test(a_plan_has_no_more_steps_than_are_wanted),
        cmocka_unit_test(hostile_replies_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
