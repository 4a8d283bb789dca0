/* Users of one process who do not know of each other, and share a host; in both forms. */
#include "../unit/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <snug/program.h>

#include "form.h"
#include "running.h"

static snug_host_options test_options(void)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = is_worker_form() ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    return options;
}

static snug_host *acquire(const snug_host_options *given)
{
    snug_host *host = NULL;
    const snug_host_options options = test_options();
    if (snug_host_acquire(&host, given ? given : &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return host;
}

static snug_session *open_in(snug_host *host)
{
    snug_session *session = NULL;
    if (snug_session_open(&session, host, NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void expect_answer(snug_session *session)
{
    snug_result *result = run(session, "6 * 7", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "42");
    snug_result_free(result);
}

static void close_fine(snug_host *host)
{
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- handles ---- */

static void two_users_have_one_host(void **state)
{
    snug_host *one = acquire(NULL), *other = acquire(NULL);
    snug_session *first = open_in(one), *second = open_in(other);

    assert_ptr_not_equal(one, other);
    assert_ptr_equal(snug_host_report(one), snug_host_report(other));
    assert_int_equal(snug_session_process(first), snug_session_process(second));
    assert_int_equal(snug_host_form(one), snug_host_form(other));
    expect_answer(first);
    expect_answer(second);
    snug_session_close(first);
    snug_session_close(second);
    close_fine(one);
    close_fine(other);
}

static void a_user_closes_with_sessions_of_another_open(void **state)
{
    snug_host *one = acquire(NULL), *other = acquire(NULL);
    snug_session *session = open_in(other);

    close_fine(one);
    expect_answer(session);
    assert_int_equal(snug_host_close(other), SNUG_EBUSY);
    assert_string_equal(snug_error_message(), "the host has 1 open session");
    snug_session_close(session);
    close_fine(other);
}

static void the_last_close_ends_the_host(void **state)
{
    snug_host *one = acquire(NULL), *plain = NULL;
    const snug_host_options options = test_options();

    if (!is_worker_form()) {
        assert_int_equal(snug_host_open(&plain, &options), SNUG_EBUSY);
        assert_non_null(strstr(snug_error_message(), "snug_host_acquire"));
    }

    close_fine(one);
    assert_int_equal(snug_host_open(&plain, &options), SNUG_OK);
    if (!is_worker_form())
        assert_int_equal(snug_host_acquire(&one, &options), SNUG_EBUSY);
    close_fine(plain);
    one = acquire(NULL);
    close_fine(one);
}

static void each_user_has_its_own_errors(void **state)
{
    char text[256];
    snug_scan *scan = NULL;
    snug_host *one = acquire(NULL), *other = acquire(NULL);

    assert_int_equal(snug_host_scan(&scan, one, NULL, 1, NULL), SNUG_EINVAL);
    assert_int_equal(snug_host_error(one, text, sizeof text), SNUG_EINVAL);
    assert_int_equal(snug_host_error(other, text, sizeof text), SNUG_OK);
    close_fine(one);
    close_fine(other);
}

static void what_is_asked_of_a_host_is_asked_of_a_handle(void **state)
{
    snug_scan *scan = NULL;
    snug_health health = SNUG_HEALTH_INIT;
    snug_pool pool = SNUG_POOL_INIT;
    snug_parking parking = SNUG_PARKING_INIT;
    snug_host *one = acquire(NULL);
    snug_session *session = open_in(one);

    assert_int_equal(snug_host_scan(&scan, one, "import socket", 13, NULL), SNUG_OK);
    assert_int_equal(snug_scan_finding_count(scan), 1);
    snug_scan_free(scan);
    assert_int_equal(snug_host_health(&health, one), SNUG_OK);
    assert_int_equal(snug_host_pool(&pool, one), SNUG_OK);
    assert_int_equal(snug_host_parking(&parking, one), SNUG_OK);
    if (!is_worker_form())
        assert_int_equal(parking.awake, 1);
    assert_null(snug_host_fallback(one));
    assert_non_null(snug_host_report_json(one, NULL));
    snug_session_close(session);
    close_fine(one);
}

static void a_program_of_one_user_is_called_by_another(void **state)
{
    snug_program *program = NULL;
    snug_answer answer = SNUG_ANSWER_INIT;
    snug_host *one = acquire(NULL), *other = acquire(NULL);
    snug_session *session = open_in(other);

    if (snug_program_prepare(&program, NULL, one, "6 * 7", 5, NULL) != SNUG_OK ||
        snug_program_call(&answer, session, program, NULL, 0, NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_int_equal(answer.status, SNUG_STATUS_OK);
    snug_answer_free(&answer);
    snug_program_free(program);
    snug_session_close(session);
    close_fine(one);
    close_fine(other);
}

/* ---- options ---- */

static void options_that_are_left_alone_are_met_by_what_is_there(void **state)
{
    snug_host_options options = test_options();
    options.awake_sessions = 7;
    snug_host *one = acquire(&options), *other = acquire(NULL), *third = acquire(&options);

    assert_ptr_equal(snug_host_report(one), snug_host_report(other));
    assert_ptr_equal(snug_host_report(one), snug_host_report(third));
    close_fine(one);
    close_fine(other);
    close_fine(third);
}

static void options_that_differ_are_named(void **state)
{
    char text[256] = "";
    snug_host *other = NULL, *one = acquire(NULL);
    snug_host_options options = test_options();

    options.awake_sessions = 7;
    options.error = text;
    options.error_bytes = sizeof text;
    if (is_worker_form()) {
        other = acquire(&options);
        assert_ptr_not_equal(snug_host_report(one), snug_host_report(other));
        close_fine(other);
    } else {
        assert_int_equal(snug_host_acquire(&other, &options), SNUG_EBUSY);
        assert_non_null(strstr(text, "another awake_sessions"));
        options.awake_sessions = 0;
        options.flags = SNUG_HOST_SIGNALS;
        assert_int_equal(snug_host_acquire(&other, &options), SNUG_EBUSY);
        assert_non_null(strstr(text, "another flags"));
    }
    close_fine(one);
}

static void a_host_with_other_profiles_is_not_shared(void **state)
{
    snug_host *other = NULL, *one = NULL;
    snug_host_options options = test_options();
    options.allowlist_dir = PROFILES;
    one = acquire(&options);
    if (is_worker_form()) {
        other = acquire(NULL);
        assert_ptr_not_equal(snug_host_report(one), snug_host_report(other));
        close_fine(other);
    } else {
        const snug_host_options own = test_options();
        assert_int_equal(snug_host_acquire(&other, &own), SNUG_EBUSY);
        assert_non_null(strstr(snug_error_message(), "allowlist_dir"));
    }
    close_fine(one);
}

static int never(void *payload)
{
    return 0;
}

static void what_belongs_to_one_user_is_refused(void **state)
{
    snug_host *host = NULL;
    snug_host_options options = test_options();
    options.is_stopped = never;
    assert_int_equal(snug_host_acquire(&host, &options), SNUG_EINVAL);
    assert_int_equal(snug_host_acquire(NULL, NULL), SNUG_EINVAL);
}

/* ---- threads ---- */

enum { USERS = 6, TIMES = 15 };

static void *use_again_and_again(void *failed)
{
    const snug_host_options options = test_options();

    for (int i = 0; i < TIMES; i++) {
        snug_host *host = NULL;
        snug_session *session = NULL;
        int error = snug_host_acquire(&host, &options);
        if (!error && i % 3 == 0)
            error = snug_session_open(&session, host, NULL);
        snug_session_close(session);
        if (!error)
            error = snug_host_close(host);
        if (error) {
            fprintf(stderr, "%s\n", snug_error_message());
            *(int *)failed = 1;
            return NULL;
        }
    }

    return NULL;
}

static void users_come_and_go_on_any_thread(void **state)
{
    pthread_t threads[USERS];
    int failed[USERS] = { 0 };

    for (int i = 0; i < USERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_again_and_again, &failed[i]), 0);
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < USERS; i++)
        assert_int_equal(failed[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_users_have_one_host),
        cmocka_unit_test(a_user_closes_with_sessions_of_another_open),
        cmocka_unit_test(the_last_close_ends_the_host),
        cmocka_unit_test(each_user_has_its_own_errors),
        cmocka_unit_test(what_is_asked_of_a_host_is_asked_of_a_handle),
        cmocka_unit_test(a_program_of_one_user_is_called_by_another),
        cmocka_unit_test(options_that_are_left_alone_are_met_by_what_is_there),
        cmocka_unit_test(options_that_differ_are_named),
        cmocka_unit_test(a_host_with_other_profiles_is_not_shared),
        cmocka_unit_test(what_belongs_to_one_user_is_refused),
        cmocka_unit_test(users_come_and_go_on_any_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
