#include "test.h"

#include <snug/snug.h>

#include "base/clock.h"
#include "limits/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

/* An item that counts its calls. watch comes first, so that one is the other. */
typedef struct counter {
    watch watch;
    int calls;
    uint64_t called_at_ns;
    uint64_t next_ns; /* what on_deadline answers */
    sem_t called;
} counter;

static uint64_t count(watch *item, uint64_t now_ns)
{
    counter *c = (counter *)item;
    c->calls++;
    c->called_at_ns = now_ns;
    return c->next_ns;
}

static uint64_t count_and_post(watch *item, uint64_t now_ns)
{
    uint64_t next_ns = count(item, now_ns);
    sem_post(&((counter *)item)->called);
    return next_ns;
}

static counter new_counter(void)
{
    return (counter){ .watch.on_deadline = count, .next_ns = UINT64_MAX };
}

TEST(an_item_is_called_when_its_deadline_has_passed)
{
    watchdog *w;
    counter c = new_counter();
    assert_int_equal(watchdog_open_manual(&w), SNUG_OK);
    watchdog_arm(w, &c.watch, 100);
    assert_int_equal(watchdog_round(w, 99), 100);
    assert_int_equal(c.calls, 0);
    assert_true(watchdog_round(w, 100) == UINT64_MAX);
    assert_int_equal(c.calls, 1);
    assert_int_equal(c.called_at_ns, 100);
    watchdog_round(w, 1000);
    assert_int_equal(c.calls, 1);
    watchdog_disarm(w, &c.watch);
    watchdog_close(w);
}

TEST(an_item_may_ask_to_be_called_again)
{
    watchdog *w;
    counter c = new_counter();
    c.next_ns = 150;
    assert_int_equal(watchdog_open_manual(&w), SNUG_OK);
    watchdog_arm(w, &c.watch, 100);
    assert_int_equal(watchdog_round(w, 120), 150);
    c.next_ns = 400;
    assert_int_equal(watchdog_round(w, 160), 400);
    assert_int_equal(c.calls, 2);
    watchdog_disarm(w, &c.watch);
    watchdog_close(w);
}

TEST(a_disarmed_item_is_not_called)
{
    watchdog *w;
    counter c = new_counter();
    assert_int_equal(watchdog_open_manual(&w), SNUG_OK);
    watchdog_arm(w, &c.watch, 100);
    watchdog_disarm(w, &c.watch);
    watchdog_disarm(w, &c.watch);
    assert_true(watchdog_round(w, 200) == UINT64_MAX);
    assert_int_equal(c.calls, 0);
    watchdog_arm(w, &c.watch, 300);
    watchdog_round(w, 300);
    assert_int_equal(c.calls, 1);
    watchdog_disarm(w, &c.watch);
    watchdog_close(w);
}

TEST(arming_again_moves_the_deadline)
{
    watchdog *w;
    counter c = new_counter();
    assert_int_equal(watchdog_open_manual(&w), SNUG_OK);
    watchdog_arm(w, &c.watch, 100);
    watchdog_arm(w, &c.watch, 300);
    assert_int_equal(watchdog_round(w, 200), 300);
    assert_int_equal(c.calls, 0);
    watchdog_arm(w, &c.watch, 250);
    watchdog_round(w, 250);
    assert_int_equal(c.calls, 1);
    watchdog_disarm(w, &c.watch);
    assert_true(watchdog_round(w, 1000) == UINT64_MAX);
    watchdog_close(w);
}

TEST(a_round_answers_the_earliest_deadline_of_many)
{
    enum { COUNT = 1000 };
    watchdog *w;
    counter *all = calloc(COUNT, sizeof *all);
    assert_non_null(all);
    assert_int_equal(watchdog_open_manual(&w), SNUG_OK);
    for (size_t i = 0; i < COUNT; i++) {
        all[i] = new_counter();
        watchdog_arm(w, &all[i].watch, 1000 + i * 7 % COUNT);
    }
    for (uint64_t now = 999; now < 1000 + COUNT - 1; now++)
        assert_int_equal(watchdog_round(w, now), now + 1);
    for (size_t i = 0; i < COUNT; i += 2)
        watchdog_disarm(w, &all[i].watch);
    assert_true(watchdog_round(w, 1000 + COUNT) == UINT64_MAX);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(all[i].calls, 1);
        watchdog_disarm(w, &all[i].watch);
    }
    watchdog_close(w);
    free(all);
}

static uint64_t deadline_of(watch *item, void *arg)
{
    ((counter *)item)->calls += 10;
    return *(uint64_t *)arg;
}

TEST(a_strike_reaches_an_armed_item_only)
{
    watchdog *w;
    counter c = new_counter();
    uint64_t deadline_ns = 500;
    assert_int_equal(watchdog_open_manual(&w), SNUG_OK);
    assert_int_equal(watchdog_strike(w, &c.watch, deadline_of, &deadline_ns), 0);
    assert_int_equal(c.calls, 0);
    watchdog_arm(w, &c.watch, UINT64_MAX);
    assert_true(watchdog_round(w, UINT64_MAX - 1) == UINT64_MAX);
    assert_int_equal(watchdog_strike(w, &c.watch, deadline_of, &deadline_ns), 1);
    assert_int_equal(c.calls, 10);
    assert_int_equal(watchdog_round(w, 499), 500);
    watchdog_round(w, 500);
    assert_int_equal(c.calls, 11);
    watchdog_disarm(w, &c.watch);
    assert_int_equal(watchdog_strike(w, &c.watch, deadline_of, &deadline_ns), 0);
    watchdog_close(w);
}

TEST(never_is_never_due)
{
    watchdog *w;
    counter c = new_counter();
    assert_int_equal(watchdog_open_manual(&w), SNUG_OK);
    watchdog_arm(w, &c.watch, UINT64_MAX);
    watchdog_round(w, UINT64_MAX);
    assert_int_equal(c.calls, 0);
    watchdog_disarm(w, &c.watch);
    watchdog_close(w);
}

TEST(closing_nothing_is_fine)
{
    watchdog *w;
    watchdog_close(NULL);
    assert_int_equal(watchdog_open(&w), SNUG_OK);
    watchdog_close(w);
}

/* Waits for a call with a bound that only a broken watchdog reaches. */
static void wait_for_call(counter *c)
{
    struct timespec bound;
    clock_gettime(CLOCK_REALTIME, &bound);
    bound.tv_sec += 30;
    int failed;
    while ((failed = sem_timedwait(&c->called, &bound)) && errno == EINTR)
        ;
    assert_int_equal(failed, 0);
}

static counter new_posting_counter(void)
{
    counter c = new_counter();
    c.watch.on_deadline = count_and_post;
    sem_init(&c.called, 0, 0);
    return c;
}

TEST(the_thread_calls_at_the_deadline)
{
    watchdog *w;
    counter c = new_posting_counter();
    assert_int_equal(watchdog_open(&w), SNUG_OK);
    uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), 5);
    watchdog_arm(w, &c.watch, deadline_ns);
    wait_for_call(&c);
    assert_true(clock_now_ns() >= deadline_ns);
    watchdog_disarm(w, &c.watch);
    assert_int_equal(c.calls, 1);
    assert_true(c.called_at_ns >= deadline_ns);
    watchdog_close(w);
}

TEST(an_earlier_deadline_wakes_the_thread)
{
    watchdog *w;
    counter late = new_posting_counter(), early = new_posting_counter();
    assert_int_equal(watchdog_open(&w), SNUG_OK);
    watchdog_arm(w, &late.watch, clock_deadline_ns(clock_now_ns(), 3600 * 1000));
    /* The first call shows that the thread sleeps to the late deadline. */
    for (int i = 0; i < 5; i++) {
        watchdog_arm(w, &early.watch, clock_deadline_ns(clock_now_ns(), 1));
        wait_for_call(&early);
    }
    watchdog_disarm(w, &early.watch);
    watchdog_disarm(w, &late.watch);
    assert_int_equal(early.calls, 5);
    assert_int_equal(late.calls, 0);
    watchdog_close(w);
}

TEST(a_deadline_is_found_behind_one_that_was_disarmed)
{
    watchdog *w;
    counter first = new_posting_counter(), gone = new_posting_counter();
    counter there = new_posting_counter();
    assert_int_equal(watchdog_open(&w), SNUG_OK);
    uint64_t now_ns = clock_now_ns();
    watchdog_arm(w, &gone.watch, clock_deadline_ns(now_ns, 20));
    /* After this call the thread sleeps to the deadline of gone. */
    watchdog_arm(w, &first.watch, now_ns);
    wait_for_call(&first);
    watchdog_disarm(w, &first.watch);
    watchdog_disarm(w, &gone.watch);
    watchdog_arm(w, &there.watch, clock_deadline_ns(now_ns, 40));
    wait_for_call(&there);
    watchdog_disarm(w, &there.watch);
    assert_true(there.called_at_ns >= clock_deadline_ns(now_ns, 40));
    watchdog_close(w);
}

static uint64_t at_once(watch *item, void *arg)
{
    return clock_now_ns();
}

TEST(a_strike_wakes_the_thread)
{
    watchdog *w;
    counter c = new_posting_counter();
    assert_int_equal(watchdog_open(&w), SNUG_OK);
    /* After this call the thread sleeps without an end. */
    watchdog_arm(w, &c.watch, clock_now_ns());
    wait_for_call(&c);
    watchdog_arm(w, &c.watch, UINT64_MAX);
    assert_int_equal(watchdog_strike(w, &c.watch, at_once, NULL), 1);
    wait_for_call(&c);
    watchdog_disarm(w, &c.watch);
    watchdog_close(w);
}

/* A session that runs short cells while somebody interrupts it. running is not
 * atomic: the watchdog's lock guards it, or the race is reported. */
typedef struct runner {
    watch watch;
    int running;
    int strikes;
    watchdog *w;
    _Atomic int has_ended;
} runner;

static uint64_t expect_running(watch *item, uint64_t now_ns)
{
    runner *r = (runner *)item;
    assert_int_equal(r->running, 1);
    r->strikes++;
    return UINT64_MAX;
}

static uint64_t strike_running(watch *item, void *arg)
{
    return expect_running(item, 0);
}

static void *run_cells(void *arg)
{
    runner *r = arg;
    for (int cell = 0; cell < 5000; cell++) {
        r->running = 1;
        /* Some deadlines pass while the cell runs. */
        watchdog_arm(r->w, &r->watch, clock_now_ns() + (cell % 2 ? 1000 : NS_PER_S));
        watchdog_disarm(r->w, &r->watch);
        r->running = 0;
    }
    r->has_ended = 1;
    return NULL;
}

TEST(a_strike_or_deadline_never_comes_after_disarming)
{
    watchdog *w;
    runner runners[3] = { 0 };
    pthread_t threads[3];
    int left = 3;
    assert_int_equal(watchdog_open(&w), SNUG_OK);
    for (size_t i = 0; i < 3; i++) {
        runners[i].w = w;
        runners[i].watch.on_deadline = expect_running;
        assert_int_equal(pthread_create(&threads[i], NULL, run_cells, &runners[i]), 0);
    }
    while (left) {
        left = 0;
        for (size_t i = 0; i < 3; i++) {
            watchdog_strike(w, &runners[i].watch, strike_running, NULL);
            left += !runners[i].has_ended;
        }
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    watchdog_close(w);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
