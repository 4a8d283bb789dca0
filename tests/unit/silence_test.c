/* How long a worker may be silent, by times that are given; and what /proc says of a process, in
 * folders that are made. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tree.h"
#include "worker/client/silence.h"

#define FIRST_NS NS_PER_S /* when the worker is heard last */
#define CPU_NS   (5 * NS_PER_S)

/* Looks of a second in vain, of which the first begins at FIRST_NS, by each of which the worker has
 * used that much more; until something else than a question comes of one. */
static silence_state look_until_end(unsigned *looks, unsigned most_s, uint64_t cpu_each_ns)
{
    silence s = { .look_ns = NS_PER_S, .most_ns = most_s * NS_PER_S };
    silence_state state = SILENCE_ASK;

    for (*looks = 0; state == SILENCE_ASK; ++*looks)
        state = silence_look(&s, FIRST_NS + (*looks + 1) * NS_PER_S, FIRST_NS,
                             CPU_NS + *looks * cpu_each_ns);
    return state;
}

static void a_worker_that_works_and_says_nothing_is_gone_after_its_time(void **state)
{
    unsigned looks;
    assert_int_equal(look_until_end(&looks, 4, NS_PER_S), SILENCE_GONE);
    assert_int_equal(looks, 4);
}

static void it_is_asked_once_at_least(void **state)
{
    unsigned looks;
    assert_int_equal(look_until_end(&looks, 0, NS_PER_S), SILENCE_GONE);
    assert_int_equal(looks, 2);
}

static void a_worker_that_gets_no_processor_has_more_time_and_not_for_ever(void **state)
{
    silence s = { .look_ns = NS_PER_S, .most_ns = 4 * NS_PER_S };
    unsigned starved = 0;

    for (uint64_t i = 1; i < 4 * SILENCE_PATIENCE; i++)
        starved += silence_look(&s, FIRST_NS + i * NS_PER_S, FIRST_NS, CPU_NS) == SILENCE_STARVED;
    assert_int_equal(starved, 4 * (SILENCE_PATIENCE - 1));
    assert_int_equal(silence_look(&s, FIRST_NS + 4 * SILENCE_PATIENCE * NS_PER_S, FIRST_NS, CPU_NS),
                     SILENCE_GONE);
}

static void a_worker_whose_processor_time_nobody_knows_has_no_more_time(void **state)
{
    silence s = { .look_ns = NS_PER_S, .most_ns = 2 * NS_PER_S };

    assert_int_equal(silence_look(&s, FIRST_NS + NS_PER_S, FIRST_NS, 0), SILENCE_ASK);
    assert_int_equal(silence_look(&s, FIRST_NS + 2 * NS_PER_S, FIRST_NS, 0), SILENCE_GONE);
}

static void a_machine_that_stood_still_has_not_listened(void **state)
{
    silence s = { .look_ns = NS_PER_S, .most_ns = 4 * NS_PER_S };
    uint64_t now = FIRST_NS + NS_PER_S;

    assert_int_equal(silence_look(&s, now, FIRST_NS, CPU_NS), SILENCE_ASK);
    now += 3600 * NS_PER_S;
    assert_int_equal(silence_look(&s, now, FIRST_NS, CPU_NS + NS_PER_S), SILENCE_ASK);
    now += NS_PER_S;
    assert_int_equal(silence_look(&s, now, FIRST_NS, CPU_NS + NS_PER_S), SILENCE_ASK);
    now += NS_PER_S;
    assert_int_equal(silence_look(&s, now, FIRST_NS, CPU_NS + NS_PER_S), SILENCE_GONE);
}

static void a_word_begins_the_time_again(void **state)
{
    silence s = { .look_ns = NS_PER_S, .most_ns = 2 * NS_PER_S };
    const uint64_t later = FIRST_NS + NS_PER_S + NS_PER_S / 2;

    assert_int_equal(silence_look(&s, FIRST_NS + NS_PER_S, FIRST_NS, CPU_NS), SILENCE_ASK);
    assert_int_equal(silence_look(&s, later + NS_PER_S / 2, later, CPU_NS), SILENCE_SHORT);
    assert_int_equal(silence_look(&s, later + NS_PER_S, later, CPU_NS), SILENCE_ASK);
    assert_int_equal(silence_look(&s, later + 2 * NS_PER_S, later, 2 * CPU_NS), SILENCE_GONE);
}

static void short_looks_add_up_and_ask_no_more_often(void **state)
{
    silence s = { .look_ns = NS_PER_S, .most_ns = 3 * NS_PER_S };
    unsigned asked = 0, looks = 0;
    silence_state now = SILENCE_SHORT;

    for (; now != SILENCE_GONE; looks++) {
        now = silence_look(&s, FIRST_NS + (looks + 1) * NS_PER_S / 10, FIRST_NS,
                           CPU_NS + looks * NS_PER_S);
        asked += now == SILENCE_ASK;
    }
    assert_int_equal(looks, 30);
    assert_int_equal(asked, 2);
}

/* ---- signs ---- */

static void write_thread(const char *folder, int number, const char *stat)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%d", folder, number);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%d/stat", folder, number);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(stat, file);
    fclose(file);
}

/* Of a process with a thread that sleeps and one like that. */
static int any_runs_beside(const char *stat)
{
    char folder[] = "/tmp/snug-signs-XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_thread(folder, 7, "7 (snug-worker) S 1 7 7 0");
    write_thread(folder, 8, stat);
    const int any = signs_any_runs(folder);
    tree_remove(folder);
    return any;
}

static void a_thread_runs_by_its_state_and_not_by_its_name(void **state)
{
    assert_int_equal(any_runs_beside("8 (x) R 1 7 7 0"), 1);
    assert_int_equal(any_runs_beside("8 (x) D 1 7 7 0"), 1);
    assert_int_equal(any_runs_beside("8 (x) S 1 7 7 0"), 0);
    assert_int_equal(any_runs_beside("8 (x) T 1 7 7 0"), 0);
    assert_int_equal(any_runs_beside("8 (a) R 1) S 1 7 7 0"), 0);
    assert_int_equal(any_runs_beside(""), 0);
}

static void of_a_process_that_is_not_there_nothing_is_said(void **state)
{
    assert_int_equal(signs_is_running(-1), -1);
    assert_int_equal(signs_cpu_ns(-1), 0);
    assert_int_equal(signs_is_running(getpid()), 1);
    assert_true(signs_cpu_ns(getpid()) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_works_and_says_nothing_is_gone_after_its_time),
        cmocka_unit_test(it_is_asked_once_at_least),
        cmocka_unit_test(a_worker_that_gets_no_processor_has_more_time_and_not_for_ever),
        cmocka_unit_test(a_worker_whose_processor_time_nobody_knows_has_no_more_time),
        cmocka_unit_test(a_machine_that_stood_still_has_not_listened),
        cmocka_unit_test(a_word_begins_the_time_again),
        cmocka_unit_test(short_looks_add_up_and_ask_no_more_often),
        cmocka_unit_test(a_thread_runs_by_its_state_and_not_by_its_name),
        cmocka_unit_test(of_a_process_that_is_not_there_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
