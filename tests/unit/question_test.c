#include "test.h"

#include <snug/snug.h>

#include "agent/text/question_text.h"
#include "base/error.h"

TEST(a_question_is_any_text_with_something_in_it)
{
    static const char *const questions[] = {
        "?",
        "What is 6 * 7?",
        "a\tb\r\nc\n",
        " x ",
        "\xc2\xbfQu\xc3\xa9?",
        "\xe5\xa4\x9a\xe5\xb0\x91",
        "\xf0\x9f\x98\x80",
        "\xc2\xa0x",
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (question_check(questions[i], 20) != SNUG_OK)
            fail_msg("%s: %s", questions[i], error_message());
}

TEST(what_is_no_question_is_told)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "", "the question is empty" },
        { " \t\r\n", "the question is nothing but white space" },
        { "\xc2\xa0\xe3\x80\x80\xe2\x80\x8b", "the question is nothing but white space" },
        { "123456789012345678901",
          "the question has 21 bytes, more than the 20 of its limit (--max-question)" },
        { "ab\x1b[0m", "the question has a control character, 0x1b, at byte 3" },
        { "a\x7f", "the question has a control character, 0x7f, at byte 2" },
        { "a\xc2\x85", "the question has a control character, 0x85, at byte 2" },
        { "a\b", "the question has a control character, 0x08, at byte 2" },
        { "abc\xff", "the question is not UTF-8: 0xff at byte 4" },
        { "abc\xc3", "the question is not UTF-8: 0xc3 at byte 4" },
        { "\xed\xa0\x80", "the question is not UTF-8: half a surrogate pair at byte 1" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(question_check(rows[i].text, 20), SNUG_EINVAL);
        assert_string_equal(error_message(), rows[i].message);
    }
}

TEST(the_limit_itself_is_fine)
{
    assert_int_equal(question_check("abc", 3), SNUG_OK);
    assert_int_equal(question_check("abc", 2), SNUG_EINVAL);
    assert_int_equal(question_check("abc", UINT64_MAX), SNUG_OK);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
