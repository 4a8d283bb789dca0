#include "test.h"

#include <snug/snug.h>

#include "agent/text/prose.h"

TEST(a_reply_without_a_program_is_an_answer_or_it_is_none)
{
    static const struct {
        const char *text;
        prose_kind kind;
        const char *answer;
    } rows[] = {
        { "ANSWER: Paris.", PROSE_MARKED, "Paris." },
        { "**ANSWER:** Paris.", PROSE_MARKED, "Paris." },
        { "ANSWER:\n\nA list keeps its order.\n\n- so does a dict\n", PROSE_MARKED,
          "A list keeps its order.\n\n- so does a dict" },
        { "<think>easy</think>\nANSWER: Paris.", PROSE_MARKED, "Paris." },
        { "ANSWER: I cannot know the weather without a network.", PROSE_MARKED,
          "I cannot know the weather without a network." },
        { "ANSWER: as in\n```bash\nls -l\n```", PROSE_MARKED, "as in\n```bash\nls -l\n```" },
        { "The capital of France is Paris.", PROSE_PLAIN, "The capital of France is Paris." },
        { "Die Hauptstadt ist Paris.", PROSE_PLAIN, "Die Hauptstadt ist Paris." },
        { "Answers differ.", PROSE_PLAIN, "Answers differ." },
        { "42", PROSE_PLAIN, "42" },

        { "", PROSE_NONE, "" },
        { " \n", PROSE_NONE, "" },
        { "<think>Paris", PROSE_NONE, "" },
        { "ANSWER:", PROSE_NONE, "" },
        { "ANSWER: as in\n```bash\nls", PROSE_NONE, "" },
        { "The rows are:", PROSE_NONE, "" },
        { "And then...", PROSE_NONE, "" },
        { "It is\n```text\n24", PROSE_NONE, "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        prose found;
        assert_int_equal(prose_read(&found, rows[i].text, strlen(rows[i].text)), SNUG_OK);
        if (found.kind != rows[i].kind)
            fail_msg("%s: %d", rows[i].text, (int)found.kind);
        assert_string_equal(str_text(&found.text), rows[i].answer);
        prose_free(&found);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
