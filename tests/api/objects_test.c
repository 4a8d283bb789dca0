/* What a host and a session can be asked, on any thread: their last error, the report;
 * and how the structs that they are given begin. */
#include "../unit/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "form.h"
#include "running.h"

static snug_host *host;
static snug_session *session;

static int open_both(void **state)
{
    if (open_test_host(&host) == SNUG_OK && snug_session_open(&session, host, NULL) == SNUG_OK)
        return 0;
    fprintf(stderr, "%s\n", snug_error_message());
    return -1;
}

static int close_both(void **state)
{
    snug_session_close(session);
    return snug_host_close(host);
}

/* ---- errors ---- */

static void nothing_has_failed_at_first(void **state)
{
    char text[8] = "before";

    assert_int_equal(snug_session_error(session, text, sizeof text), SNUG_OK);
    assert_string_equal(text, "");
    assert_int_equal(snug_host_error(host, NULL, 0), SNUG_OK);
}

static void *fail_on_both(void *unused)
{
    snug_scan *scan = NULL;
    snug_listing *none = NULL;

    snug_session_set_variable(session, "x", "{", 1);
    snug_host_scan(&scan, host, NULL, 1, NULL);
    snug_session_list_files(&none, NULL); /* of no session: only this thread hears of it */
    return NULL;
}

static void an_error_of_another_thread_is_the_sessions_and_the_hosts(void **state)
{
    char text[256];
    pthread_t other;

    assert_int_equal(pthread_create(&other, NULL, fail_on_both, NULL), 0);
    pthread_join(other, NULL);
    assert_int_equal(snug_session_error(session, text, sizeof text), SNUG_EINVAL);
    assert_non_null(strstr(text, "x is not JSON"));
    assert_int_equal(snug_host_error(host, text, sizeof text), SNUG_EINVAL);
    assert_string_equal(text, "snug_host_scan: source is NULL");
}

static void a_call_that_succeeds_leaves_the_last_error(void **state)
{
    char text[256];

    assert_int_equal(snug_session_rollback(session), SNUG_ENOTFOUND);
    snug_result_free(run(session, "1", 0));
    assert_int_equal(snug_session_error(session, text, sizeof text), SNUG_ENOTFOUND);
    assert_non_null(strstr(text, "checkpoint"));
}

/* Each function of a session keeps its own. */
static void every_function_of_a_session_keeps_its_error(void **state)
{
#define CHECK(call)                                                              \
    do {                                                                         \
        char kept[1024];                                                         \
        int error = (call);                                                      \
        assert_int_equal(snug_session_error(session, kept, sizeof kept), error); \
        assert_true(error < 0);                                                  \
        assert_string_equal(kept, snug_error_message());                         \
    } while (0)

    snug_result *result = NULL;
    snug_completion *completion = NULL;
    snug_description *names = NULL;
    snug_saved *saved = NULL;
    snug_file *file = NULL;
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "not a name";

    CHECK(snug_session_run(NULL, session, "1", 1, NULL));
    CHECK(snug_session_run(&result, session, NULL, 1, NULL));
    CHECK(snug_session_run_aside(NULL, session, "1", 1, NULL));
    CHECK(snug_session_is_complete(session, NULL, 1));
    CHECK(snug_session_completeness(session, NULL, 1));
    CHECK(snug_session_run_unrecorded(NULL, session, "1", 1, NULL));
    CHECK(snug_session_complete(&completion, session, "1", 1, 2));
    CHECK(snug_session_inspect(&names, session, "1", 1, 2));
    CHECK(snug_session_list_variables(NULL, session));
    CHECK(snug_session_list_files(NULL, session));
    CHECK(snug_session_put_file(session, "../x", "", 0));
    CHECK(snug_session_get_file(&file, session, "none", 0));
    CHECK(snug_session_remove_file(session, "none.txt"));
    CHECK(snug_session_save(&saved, session, ""));
    CHECK(snug_session_restore(&saved, session, "/nowhere/at.all"));
    CHECK(snug_session_bind_tool(session, &tool));
#undef CHECK
}

static void a_long_sentence_is_cut_at_a_character(void **state)
{
    char text[1024], cut[40];

    /* "é" has two bytes, and one of them would be left. */
    assert_int_equal(snug_session_put_file(session, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9/../x", "", 0),
                     SNUG_EINVAL);
    snug_session_error(session, text, sizeof text);
    for (size_t bytes = 1; bytes <= sizeof cut; bytes++) {
        memset(cut, 'X', sizeof cut);
        snug_session_error(session, cut, bytes);
        assert_true(strlen(cut) < bytes && strncmp(cut, text, strlen(cut)) == 0);
        assert_int_not_equal((unsigned char)text[strlen(cut)] & 0xC0, 0x80);
    }
}

static void an_open_that_fails_fills_the_options_buffer(void **state)
{
    char text[256] = "";
    snug_session *none = NULL;
    snug_host *no_host = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_host_options host_options = SNUG_HOST_OPTIONS_INIT;

    options.profile = "nonesuch";
    options.error = text;
    options.error_bytes = sizeof text;
    assert_int_equal(snug_session_open(&none, host, &options), SNUG_ENOTFOUND);
    assert_string_equal(text, snug_error_message());
    assert_non_null(strstr(text, "nonesuch"));
    char kept[256];
    assert_int_equal(snug_host_error(host, kept, sizeof kept), SNUG_ENOTFOUND);
    assert_string_equal(kept, text);

    host_options.flags = 1u << 31;
    host_options.error = text;
    host_options.error_bytes = 8;
    assert_int_equal(snug_host_open(&no_host, &host_options), SNUG_EINVAL);
    assert_int_equal(strlen(text), 7);
    assert_memory_equal(text, snug_error_message(), 7);
}

/* ---- the rest ---- */

static void the_report_says_what_clients_who_distrust_each_other_take(void **state)
{
    const char *report = snug_host_report(host);
    const int is_shared = strstr(report, "\npython.gil: shared") != NULL;
    const char *line = strstr(report, "\nforms: ");

    assert_non_null(line);
    assert_non_null(strstr(line, is_worker_form() ? "a host" : "a worker"));
    assert_int_equal(strstr(line, "share one GIL") != NULL, is_shared);
    assert_int_equal(strstr(line, "run side by side") != NULL, !is_shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_failed_at_first),
        cmocka_unit_test(an_error_of_another_thread_is_the_sessions_and_the_hosts),
        cmocka_unit_test(a_call_that_succeeds_leaves_the_last_error),
        cmocka_unit_test(every_function_of_a_session_keeps_its_error),
        cmocka_unit_test(a_long_sentence_is_cut_at_a_character),
        cmocka_unit_test(an_open_that_fails_fills_the_options_buffer),
        cmocka_unit_test(the_report_says_what_clients_who_distrust_each_other_take),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
