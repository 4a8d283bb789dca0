/*
 * supervisor_drain_test.c - sessions whose save does not end: what a drain does, and a call. Time
 * is real.
 */
#include "supervised.h"

#include <sched.h>

#include "supervise/supervise.h"

#define ENDLESS                                                             \
    "class Endless:\n    def __reduce__(self):\n        while True: pass\n" \
    "it = Endless()"

static void open_real(rig *r)
{
    if (snug_supervisor_open(&r->supervisor, &r->options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
}

static void run_many(rig *r, const char *prefix, int count, const char *source)
{
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%d", prefix, i);
        check_run(r, "a", name, source, "", SNUG_ORIGIN_NEW);
    }
}

static void *drain_all(void *supervisor)
{
    snug_supervisor_drain(supervisor, 0);
    return NULL;
}

static void give_up_saves(snug_supervisor *s)
{
    pthread_mutex_lock(&s->lock);
    s->limits.drain_save_ms = 0;
    pthread_mutex_unlock(&s->lock);
}

/* Whichever go first, those used last or those used longest ago: among them are such. */
static void saves_that_do_not_end_keep_no_other_from_its_own(void **state)
{
    enum { GOOD = 12, BAD = KEEPERS - 1 };
    pthread_t drainer;
    rig r;
    rig_init(&r);
    r.limits.drain_save_ms = SNUG_UNLIMITED;
    open_real(&r);
    run_many(&r, "first", BAD, ENDLESS);
    run_many(&r, "good", GOOD, "x = 1");
    run_many(&r, "last", BAD, ENDLESS);

    assert_int_equal(pthread_create(&drainer, NULL, drain_all, r.supervisor), 0);
    while (atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_PUT_AWAY]) < GOOD &&
           atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]) == 0)
        sched_yield();
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 0);
    give_up_saves(r.supervisor);
    pthread_join(drainer, NULL);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 2 * BAD);
    rig_end(&r);
}

static void a_save_that_does_not_end_is_given_up_after_drain_save_ms(void **state)
{
    rig r;
    rig_init(&r);
    r.limits.drain_save_ms = 50;
    open_real(&r);
    check_run(&r, "a", "one", ENDLESS, "", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_ESTOPPED);
    assert_string_equal(snug_error_message(),
                        "1 sessions could not be saved; the last one: saving session one was given "
                        "up after 50 ms, the limit at an end");
    assert_true(reports(&r, "\"open\":1"));
    rig_end(&r);
}

/* The pickler is in one call of C for some seconds. The rest of the cell makes its list old, so
 * that no collection goes through it while the save ends. */
static void a_long_save_that_is_given_up_does_not_cost_the_session(void **state)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    static const char source[] = "x = [0] * 20_000_000\n"
                                 "for _ in range(3): y = [[] for _ in range(100_000)]";
    snug_served *served = NULL;
    rig r;
    rig_init(&r);
    r.limits.drain_save_ms = 50;
    limits.memory_bytes = 1 << 30;
    options.limits = &limits;
    open_real(&r);
    assert_int_equal(snug_supervisor_run(&served, r.supervisor, "a", "one", &options, source,
                                         strlen(source), NULL),
                     SNUG_OK);
    snug_served_free(served);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_ESTOPPED);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 1);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_LOST]), 0);
    assert_true(reports(&r, "\"open\":1"));
    rig_end(&r);
}

static void after_drain_ms_all_is_given_up_that_is_not_saved(void **state)
{
    rig r;
    rig_init(&r);
    r.limits.drain_save_ms = SNUG_UNLIMITED;
    r.limits.drain_ms = 50;
    open_real(&r);
    check_run(&r, "a", "behind", "x = 1", "", SNUG_ORIGIN_NEW);
    check_run(&r, "a", "endless", ENDLESS, "", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_ESTOPPED);
    assert_non_null(strstr(snug_error_message(), "2 sessions could not be saved"));
    assert_non_null(strstr(snug_error_message(), "because the 50 ms for saves were over"));
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 2);
    rig_end(&r);
}

/* The folder is back as soon as a save has failed. */
typedef struct trouble {
    rig rig;
    char path[128], moved[128];
} trouble;

static void end_trouble(void *payload, const snug_supervisor_event *event)
{
    const trouble *t = payload;
    if (event->kind == SNUG_SUPERVISOR_EVENT_SAVE_FAILED)
        assert_int_equal(rename(t->moved, t->path), 0);
    rig_event(payload, event);
}

static void a_drain_tries_again_what_has_failed(void **state)
{
    trouble t;
    rig *r = &t.rig;
    rig_init(r);
    r->options.on_event = end_trouble;
    r->limits.drain_ms = 600000;
    snprintf(t.path, sizeof t.path, "%s/a", r->folder);
    snprintf(t.moved, sizeof t.moved, "%s/moved", r->folder);
    open_real(r);
    check_run(r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    assert_int_equal(rename(t.path, t.moved), 0);
    assert_int_equal(snug_supervisor_drain(r->supervisor, 0), SNUG_OK);
    assert_int_equal(atomic_load(&r->events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 1);
    rig_end(r);
}

/* ---- a call for a session that is being saved ---- */

static void await_save(rig *r)
{
    size_t saving = 0;
    while (saving == 0) {
        sched_yield();
        pthread_mutex_lock(&r->supervisor->lock);
        saving = r->supervisor->saving;
        pthread_mutex_unlock(&r->supervisor->lock);
    }
}

static void a_save_at_rest_gives_way_to_a_call_and_is_made_later(void **state)
{
    rig r;
    rig_init(&r);
    r.limits.save_idle_ms = 1;
    open_real(&r);
    check_run(&r, "a", "one", ENDLESS, "", SNUG_ORIGIN_NEW);
    await_save(&r);
    check_run(&r, "a", "one", "it = 7; it", "7", SNUG_ORIGIN_OPEN);
    while (atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVED]) == 0)
        sched_yield();
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 0);
    rig_end(&r);
}

/* For which the first has to be put away. */
static void *run_second(void *payload)
{
    rig *r = payload;
    snug_served *served = NULL;
    snug_supervisor_run(&served, r->supervisor, "a", "two", NULL, "1", 1, NULL);
    snug_served_free(served);
    return NULL;
}

static void a_call_is_told_that_its_session_is_being_saved(void **state)
{
    pthread_t second;
    rig r;
    rig_init(&r);
    r.limits.tenant_sessions = 1;
    open_real(&r);
    check_run(&r, "a", "one", ENDLESS, "", SNUG_ORIGIN_NEW);
    assert_int_equal(pthread_create(&second, NULL, run_second, &r), 0);
    await_save(&r);
    pthread_mutex_lock(&r.supervisor->lock);
    snug_session *session = queue_look(r.supervisor, "a", "one")->session;
    r.supervisor->limits.wait_ms = 1;
    pthread_mutex_unlock(&r.supervisor->lock);
    check_refused(&r, "a", "one", "the session is being saved");
    snug_session_interrupt(session);
    pthread_join(second, NULL);
    rig_end(&r);
}

/* ---- in which order; without threads of the supervisor's ---- */

typedef struct order {
    rig rig;
    char text[128];
} order;

static void note_order(void *payload, const snug_supervisor_event *event)
{
    order *o = payload;
    const size_t len = strlen(o->text);
    if (event->kind == SNUG_SUPERVISOR_EVENT_PUT_AWAY)
        snprintf(o->text + len, sizeof o->text - len, "%s ", event->session);
    rig_event(payload, event);
}

static void run_at(rig *r, const char *name, const char *source)
{
    atomic_fetch_add(&r->now_ns, MS);
    check_run(r, "a", name, source, "", SNUG_ORIGIN_NEW);
}

static void a_drain_saves_first_what_was_used_last_and_what_failed_before_at_the_end(void **state)
{
    order o = { .text = "" };
    rig *r = &o.rig;
    char path[128], moved[128];
    rig_init(r);
    r->options.on_event = note_order;
    rig_open(r);
    run_at(r, "trouble", "x = 1");
    snprintf(path, sizeof path, "%s/a", r->folder);
    snprintf(moved, sizeof moved, "%s/moved", r->folder);
    assert_int_equal(rename(path, moved), 0);
    rig_pass_ms(r, 900000);
    assert_int_equal(atomic_load(&r->events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 1);
    assert_int_equal(rename(moved, path), 0);

    run_at(r, "old", "x = 1");
    run_at(r, "new", "x = 1");
    snug_served_free(rig_run(r, "a", "trouble", "x = 2"));
    assert_int_equal(snug_supervisor_drain(r->supervisor, 0), SNUG_OK);
    assert_string_equal(o.text, "new old trouble ");
    rig_end(r);
}

int main(int count, char **arguments)
{
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saves_that_do_not_end_keep_no_other_from_its_own),
        cmocka_unit_test(a_save_that_does_not_end_is_given_up_after_drain_save_ms),
        cmocka_unit_test(a_long_save_that_is_given_up_does_not_cost_the_session),
        cmocka_unit_test(after_drain_ms_all_is_given_up_that_is_not_saved),
        cmocka_unit_test(a_drain_tries_again_what_has_failed),
        cmocka_unit_test(a_save_at_rest_gives_way_to_a_call_and_is_made_later),
        cmocka_unit_test(a_call_is_told_that_its_session_is_being_saved),
        cmocka_unit_test(a_drain_saves_first_what_was_used_last_and_what_failed_before_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
