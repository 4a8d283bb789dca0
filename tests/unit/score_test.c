#include "test.h"

#include <string.h>

#include "agent/reply/score.h"

#define MS  UINT64_C(1000000)
#define S   (1000 * MS)
#define MIB (UINT64_C(1) << 20)

/* The best that there is; each row changes something of it. */
static score_facts best(void)
{
    return (score_facts){ .is_answered = 1,
                          .has_verdict = 1,
                          .verdict = SNUG_AGENT_VERDICT_PASS,
                          .attempts = 1,
                          .has_run = 1,
                          .code = "1",
                          .code_len = 1,
                          .wall_ns = MS,
                          .peak_bytes = MIB };
}

static void the_best_run_has_all_points(void **state)
{
    (void)state;
    const score_facts facts = best();
    score s = score_of(&facts);
    assert_int_equal(s.quality, 100);
    assert_int_equal(s.robustness, 100);
    assert_int_equal(s.performance, 100);
    assert_int_equal(s.total, 100);
}

static void quality_is_by_the_table(void **state)
{
    (void)state;
    static const struct {
        int is_answered, has_verdict;
        snug_agent_verdict verdict;
        uint64_t attempts, findings;
        int quality;
    } rows[] = {
        { 1, 1, SNUG_AGENT_VERDICT_PASS, 1, 0, 100 },
        { 1, 1, SNUG_AGENT_VERDICT_UNSURE, 1, 0, 90 },
        { 1, 1, SNUG_AGENT_VERDICT_FAIL, 1, 0, 80 },
        { 1, 0, SNUG_AGENT_VERDICT_PASS, 1, 0, 90 },
        { 1, 1, SNUG_AGENT_VERDICT_PASS, 2, 0, 90 },
        { 1, 1, SNUG_AGENT_VERDICT_PASS, 3, 0, 86 },
        { 1, 1, SNUG_AGENT_VERDICT_PASS, 100, 0, 80 },
        { 1, 1, SNUG_AGENT_VERDICT_PASS, 1, 1, 95 },
        { 1, 1, SNUG_AGENT_VERDICT_PASS, 1, 4, 80 },
        { 1, 1, SNUG_AGENT_VERDICT_PASS, 1, 99, 80 },
        { 0, 1, SNUG_AGENT_VERDICT_PASS, 3, 0, 20 },
        { 0, 0, SNUG_AGENT_VERDICT_PASS, 3, 3, 5 },
        { 0, 0, SNUG_AGENT_VERDICT_PASS, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        score_facts facts = best();
        facts.is_answered = rows[i].is_answered;
        facts.has_verdict = rows[i].has_verdict;
        facts.verdict = rows[i].verdict;
        facts.attempts = rows[i].attempts;
        facts.findings = rows[i].findings;
        if (score_of(&facts).quality != rows[i].quality)
            fail_msg("row %zu: %d", i, score_of(&facts).quality);
    }
}

static void robustness_is_by_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        int robustness;
    } rows[] = {
        { "x = 1", 100 },
        { "int(text)", 50 },
        { "a / b", 50 },
        { "'a / b'  # a / b", 100 },
        { "f'int(x)'", 100 },
        { "print(x)", 100 },
        { "interval(x)", 100 },
        { "int = 1", 100 },
        { "int (x)", 50 },
        { "json.loads(x)", 50 },
        { "with open(x) as f: pass", 75 },
        { "if b: a / b", 75 },
        { "assert b\na / b", 75 },
        { "try:\n    int(x)\nexcept ValueError:\n    x = 0", 75 },
        { "try:\n    int(x)\nexcept ValueError:\n    raise", 100 },
        { "try:\n    with open(x) as f:\n        if f: f.read()\nexcept (OSError, EOFError) as "
          "e:\n  0",
          100 },
        { "try:\n    int(x)\nexcept:\n    x = 0", 25 },
        { "try:\n    int(x)\nexcept ValueError:\n    pass", 50 },
        { "try:\n    f(x)\nexcept ValueError:  # none\n    pass", 75 },
        { "except", 100 },
        { "", 100 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        score_facts facts = best();
        facts.code = rows[i].code;
        facts.code_len = strlen(rows[i].code);
        if (score_of(&facts).robustness != rows[i].robustness)
            fail_msg("%s: %d", rows[i].code, score_of(&facts).robustness);
    }
}

static void performance_is_by_the_tables(void **state)
{
    (void)state;
    static const struct {
        uint64_t wall_ns, peak_bytes;
        int performance;
    } rows[] = {
        { 100 * MS, 8 * MIB, 100 },     { 100 * MS + 1, 8 * MIB, 90 }, { S, 8 * MIB + 1, 80 },
        { 5 * S, 32 * MIB, 70 },        { 30 * S, 64 * MIB, 50 },      { 120 * S, 128 * MIB, 30 },
        { 120 * S + 1, 256 * MIB, 10 }, { UINT64_MAX, UINT64_MAX, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        score_facts facts = best();
        facts.wall_ns = rows[i].wall_ns;
        facts.peak_bytes = rows[i].peak_bytes;
        if (score_of(&facts).performance != rows[i].performance)
            fail_msg("row %zu: %d", i, score_of(&facts).performance);
    }
}

static void what_did_not_run_has_no_points_for_its_run(void **state)
{
    (void)state;
    score_facts facts = best();
    facts.has_run = facts.is_answered = 0;
    score s = score_of(&facts);
    assert_int_equal(s.robustness, 0);
    assert_int_equal(s.performance, 0);
    assert_int_equal(s.total, 7);
}

static void a_handler_for_everything_that_only_passes_swallows(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        int swallows;
    } rows[] = {
        { "try: f()\nexcept: pass", 1 },
        { "try: f()\nexcept Exception as e:\n    pass", 1 },
        { "try: f()\nexcept (OSError, BaseException):\n    pass", 1 },
        { "try: f()\nexcept ValueError:\n    pass", 0 },
        { "try: f()\nexcept Exception:\n    g()\n    pass", 0 },
        { "try: f()\nexcept:\n    raise\nelse:\n    pass", 0 },
        { "try: f()\nexcept Exception: g()\nexcept ValueError: pass", 0 },
        { "if x: pass\n# except: pass\n'except: pass'", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (score_read(rows[i].code, strlen(rows[i].code)).swallows != rows[i].swallows)
            fail_msg("row %zu", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_run_has_all_points),
        cmocka_unit_test(quality_is_by_the_table),
        cmocka_unit_test(robustness_is_by_the_text),
        cmocka_unit_test(performance_is_by_the_tables),
        cmocka_unit_test(what_did_not_run_has_no_points_for_its_run),
        cmocka_unit_test(a_handler_for_everything_that_only_passes_swallows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
