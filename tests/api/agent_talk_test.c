/* What a conversation asks of an agent beside questions: the way back, other models, its turns, and
 * a word before each program. The model is a script. */
#include "../unit/test.h"

#include "form.h"

#include <snug/agent.h>

#include "../unit/server.h"

typedef struct fixture {
    server server;
    char url[64];
    snug_agent_options options;
    snug_agent_limits limits;
    snug_session_options session;
    snug_agent *agent;
    snug_reply *reply;
    str programs;                  /* that on_program was asked about, a line each */
    snug_agent_consent consent[4]; /* its answers, in turn */
    int asked;
    const char *changed; /* what it puts in the place of one */
} fixture;

#include "asking_agent.h"

/* An agent with a way back, in a session of the test's own options. */
#define START_TALK(f, ...)                                       \
    START(f, __VA_ARGS__);                                       \
    f.session = (snug_session_options)SNUG_SESSION_OPTIONS_INIT; \
    f.options.session = &f.session;                              \
    f.options.model = "openai:first";                            \
    f.options.keeps_way_back = 1

static void finish(fixture *f)
{
    finish_asking(f);
    str_free(&f->programs);
}

/* Answers the message. */
static const char *fails(int error, int expected)
{
    assert_int_equal(error, expected);
    return snug_error_message();
}

/* ---- the way back ---- */

TEST(a_question_that_is_taken_back_leaves_neither_names_nor_words)
{
    START_TALK(f, { CODE("x = 1\\nx") }, { CODE("x = 2\\ngreen = 3\\nx") },
               { CODE("[x, 'green' in globals()]") });
    ask(&f, "One?");
    ask(&f, "What of the green one?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "2");
    assert_int_equal(snug_agent_undo(f.agent), SNUG_OK);
    ask(&f, "And now?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "[1, False]");
    assert_true(was_told(&f, 2, "One?"));
    assert_false(was_told(&f, 2, "green"));
    finish(&f);
}

TEST(there_is_one_way_back_for_each_question)
{
    START_TALK(f, { CODE("1") }, { CODE("2") });
    ask(&f, "One?");
    ask(&f, "Two?");
    assert_int_equal(snug_agent_undo(f.agent), SNUG_OK);
    assert_string_equal(fails(snug_agent_undo(f.agent), SNUG_ENOTFOUND),
                        "there is no question to take back");
    assert_int_equal(snug_agent_reset(f.agent), SNUG_OK);
    fails(snug_agent_undo(f.agent), SNUG_ENOTFOUND);
    fails(snug_agent_undo(NULL), SNUG_EINVAL);
    finish(&f);
}

TEST(without_keeps_way_back_there_is_none)
{
    START_TALK(f, { CODE("1") });
    f.options.keeps_way_back = 0;
    ask(&f, "One?");
    fails(snug_agent_undo(f.agent), SNUG_ENOTFOUND);
    assert_int_equal(snug_session_rollback(snug_agent_session(f.agent)), SNUG_ENOTFOUND);
    finish(&f);
}

TEST(a_session_that_fills_its_memory_keeps_no_way_back)
{
    START_TALK(f, { CODE("big = bytes(40 << 20)\\nlen(big)") }, { CODE("1") });
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.memory_bytes = 64 << 20;
    f.session.limits = &limits;
    ask(&f, "Big?");
    ask(&f, "One?");
    const char *why = fails(snug_agent_undo(f.agent), SNUG_ENOTFOUND);
    assert_non_null(strstr(why, "more than half of its memory"));
    finish(&f);
}

TEST(act_mode_has_its_final_answer_after_the_way_back)
{
    START_TALK(f, { CODE("x = 6\\nfinal_answer(x)") }, { CODE("final_answer('x' in globals())") });
    f.options.mode = SNUG_AGENT_MODE_ACT;
    ask(&f, "Six?");
    assert_int_equal(snug_agent_undo(f.agent), SNUG_OK);
    ask(&f, "And now?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "false");
    finish(&f);
}

TEST(what_was_stored_is_taken_back_too)
{
    START_TALK(f, { CODE("x = 1\\nx") }, { CODE("x = 2\\nx") }, { CODE("x") });
    char path[] = "/tmp/snug-talk-XXXXXX";
    snug_agent_conversation *c;
    close(mkstemp(path));
    unlink(path);
    f.options.conversation_file = path;
    ask(&f, "One?");
    ask(&f, "Two?");
    assert_int_equal(snug_agent_undo(f.agent), SNUG_OK);
    close_agent(&f);

    assert_int_equal(snug_agent_conversation_open(&c, path), SNUG_OK);
    assert_int_equal(snug_agent_conversation_turn_count(c), 1);
    snug_agent_conversation_close(c);
    ask(&f, "And now?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "1");
    finish(&f);
    assert_int_equal(snug_agent_remove_conversation(path), SNUG_OK);
}

/* ---- the turns ---- */

TEST(the_turns_of_an_agent_are_read_without_a_file)
{
    START_TALK(f, { CODE("1") }, { CODE("print(2)\\n3") });
    snug_agent_conversation *c;
    ask(&f, "One?");
    ask(&f, "Two?");
    assert_int_equal(snug_agent_conversation_of(&c, f.agent), SNUG_OK);
    assert_int_equal(snug_agent_conversation_turn_count(c), 2);
    const snug_agent_turn *turn = snug_agent_conversation_turn(c, 1);
    close_agent(&f); /* what was read is the caller's */
    assert_string_equal(turn->question, "Two?");
    assert_string_equal(turn->code, "print(2)\n3");
    assert_string_equal(turn->answer, "3");
    snug_agent_conversation_close(c);
    fails(snug_agent_conversation_of(&c, NULL), SNUG_EINVAL);
    finish(&f);
}

/* ---- other models ---- */

TEST(another_model_finds_conversation_and_session)
{
    START_TALK(f, { CODE("x = 6\\nx") }, { CODE("x * 7") }, { CODE("x") });
    ask(&f, "Six?");
    snug_agent_options other = f.options;
    other.model = "openai:second";
    assert_int_equal(snug_agent_set_models(f.agent, &other), SNUG_OK);
    ask(&f, "Times seven?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    assert_true(was_told(&f, 0, "\"first\"") && was_told(&f, 1, "\"second\""));
    assert_true(was_told(&f, 1, "Six?"));

    other.model = "opneai:third";
    assert_non_null(
        strstr(fails(snug_agent_set_models(f.agent, &other), SNUG_EINVAL), "is it \"openai\"?"));
    fails(snug_agent_set_models(f.agent, NULL), SNUG_EINVAL);
    ask(&f, "And again?");
    assert_true(was_told(&f, 2, "\"second\""));
    finish(&f);
}

TEST(another_model_needs_a_price_where_there_is_a_limit)
{
    START_TALK(f, { CODE("6") });
    f.options.model = "openai:gpt-4o-mini";
    f.limits.cost_microusd = 1000000;
    ask(&f, "Six?");
    snug_agent_options other = f.options;
    other.model = "openai:nobody-has-a-price-for-it";
    assert_non_null(
        strstr(fails(snug_agent_set_models(f.agent, &other), SNUG_EINVAL), "needs a price"));
    finish(&f);
}

/* ---- a word before each program ---- */

static snug_agent_consent decide(void *payload, const char *code, size_t len)
{
    fixture *f = payload;
    assert_int_equal(strlen(code), len);
    str_printf(&f->programs, "%s\n", code);
    const snug_agent_consent consent = f->consent[f->asked++];
    if (consent == SNUG_AGENT_CONSENT_CHANGED && f->changed)
        assert_int_equal(snug_agent_change_program(f->agent, f->changed, strlen(f->changed)),
                         SNUG_OK);
    return consent;
}

TEST(a_program_that_is_refused_does_not_run_and_is_not_repaired)
{
    static const snug_agent_mode modes[] = { SNUG_AGENT_MODE_SOLVE, SNUG_AGENT_MODE_CHAIN,
                                             SNUG_AGENT_MODE_ACT };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        START_TALK(f, { CODE("x = 1\\nx") }, { CODE("2") });
        f.options.mode = modes[i];
        f.options.on_program = decide;
        f.consent[0] = SNUG_AGENT_CONSENT_REFUSE;
        ask(&f, "One?");
        expect(&f, SNUG_AGENT_STATUS_REFUSED, "");
        assert_non_null(strstr(snug_reply_error(f.reply), "nothing of it has run"));
        assert_int_equal(f.server.request_count, 1);
        assert_string_equal(str_text(&f.programs), "x = 1\nx\n");
        finish(&f);
    }
}

TEST(each_program_is_asked_for_and_the_repaired_one_too)
{
    START_TALK(f, { CODE("import os") }, { CODE("1 / 0") }, { CODE("42") });
    f.options.on_program = decide;
    ask(&f, "What?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    assert_string_equal(str_text(&f.programs), "1 / 0\n42\n"); /* the scan refuses the first */
    finish(&f);
}

TEST(each_step_of_a_plan_is_asked_for)
{
    START_TALK(f, { SAY("[\\\"one\\\", \\\"two\\\"]") }, { CODE("1") }, { CODE("2") });
    f.options.mode = SNUG_AGENT_MODE_PLAN;
    f.options.on_program = decide;
    f.consent[1] = SNUG_AGENT_CONSENT_REFUSE;
    ask(&f, "One and two?");
    assert_int_equal(snug_reply_status(f.reply), SNUG_AGENT_STATUS_REFUSED);
    assert_string_equal(str_text(&f.programs), "1\n2\n");
    finish(&f);
}

TEST(a_changed_program_is_scanned_and_asked_for_and_runs)
{
    START_TALK(f, { CODE("41") });
    f.options.on_program = decide;
    f.consent[0] = SNUG_AGENT_CONSENT_CHANGED;
    f.changed = "40 + 2";
    ask(&f, "What?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    assert_string_equal(str_text(&f.programs), "41\n40 + 2\n");
    assert_string_equal(snug_reply_code(f.reply), "40 + 2");
    fails(snug_agent_change_program(f.agent, "1", 1), SNUG_EINVAL);
    finish(&f);
}

TEST(a_changed_program_can_not_pass_the_scan_by_that)
{
    START_TALK(f, { CODE("41") }, { CODE("43") });
    f.options.on_program = decide;
    f.consent[0] = SNUG_AGENT_CONSENT_CHANGED;
    f.changed = "import os";
    ask(&f, "What?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "43");
    assert_string_equal(str_text(&f.programs), "41\n43\n");
    finish(&f);
}

TEST(a_model_that_acts_hears_what_ran_instead)
{
    START_TALK(f, { CODE("x = 41") }, { CODE("final_answer(x)") });
    f.options.mode = SNUG_AGENT_MODE_ACT;
    f.options.on_program = decide;
    f.consent[0] = SNUG_AGENT_CONSENT_CHANGED;
    f.changed = "x = 42";
    ask(&f, "What?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    assert_true(was_told(&f, 1, "was changed by the user before it ran"));
    assert_true(was_told(&f, 1, "x = 42"));
    finish(&f);
}

static snug_agent_consent think(void *payload, const char *code, size_t len)
{
    usleep(3100000);
    return SNUG_AGENT_CONSENT_RUN;
}

TEST(thinking_takes_none_of_the_questions_time)
{
    START_TALK(f, { CODE("42") });
    f.options.on_program = think;
    f.limits.wall_ms = 3000;
    ask(&f, "What?");
    expect(&f, SNUG_AGENT_STATUS_ANSWERED, "42");
    finish(&f);
}

static snug_agent_consent cancel(void *payload, const char *code, size_t len)
{
    snug_agent_cancel(((fixture *)payload)->agent);
    return SNUG_AGENT_CONSENT_RUN;
}

TEST(a_question_is_cancelled_while_somebody_thinks)
{
    START_TALK(f, { CODE("42") }, { CODE("43") });
    f.options.on_program = cancel;
    ask(&f, "What?");
    expect(&f, SNUG_AGENT_STATUS_TERMINAL_ERROR, "");
    assert_non_null(strstr(snug_reply_error(f.reply), "cancelled"));
    finish(&f);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
