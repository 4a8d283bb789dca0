/* Sessions of kind SNUG_KIND_BASH by the functions of snug.h. Skipped where bubblewrap is not there
 * or not permitted. */
#include "../unit/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include <snug/snug.h>

#include "interrupter.h"
#include "running.h"
#include "worker_host.h"

static snug_session *open_session(const snug_session_options *like)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options = like ? *like : options;
    options.kind = SNUG_KIND_BASH;
    int error = snug_session_open(&session, host, &options);
    if (error == SNUG_EPOLICY) {
        print_message("%s\n", snug_error_message());
        skip();
    }
    if (error)
        fail_msg("%s", snug_error_message());
    return session;
}

static void prints(snug_session *session, const char *source, const char *text)
{
    snug_result *result = run(session, source, 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_STDOUT, NULL), text);
    snug_result_free(result);
}

TEST(a_shell_lives_on)
{
    snug_session *session = open_session(NULL);
    prints(session, "x=41; f() { echo $((x + 1)); }", "");
    prints(session, "f", "42\n");
    snug_result *result = run(session, "(exit 3)", 0);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_ERROR);
    assert_string_equal(snug_result_error_name(result), "ExitStatus");
    assert_string_equal(snug_result_error_value(result), "exit status 3");
    snug_result_free(result);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    prints(session, "echo ${x-none}", "none\n");
    snug_session_close(session);
}

TEST(files_go_in_and_out)
{
    snug_file *file = NULL;
    snug_session *session = open_session(NULL);
    assert_int_equal(snug_session_put_file(session, "in", "a\nb\n", 4), SNUG_OK);
    prints(session, "wc -l < in; tac in > out", "2\n");
    assert_int_equal(snug_session_get_file(&file, session, "out", 100), SNUG_OK);
    assert_string_equal(snug_file_data(file, NULL), "b\na\n");
    snug_file_free(file);
    snug_session_close(session);
}

TEST(without_files_a_shell_still_runs)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    limits.disk_bytes = limits.disk_files = SNUG_NONE;
    options.limits = &limits;
    snug_session *session = open_session(&options);

    prints(session, "f() { cat <<< \"$1\"; }; f here", "here\n");
    prints(session, "echo x 2>/dev/null > file || f refused; ls", "refused\n");
    snug_session_close(session);
}

static void holds(snug_session *session, const char *path, const char *text)
{
    snug_file *file = NULL;
    if (snug_session_get_file(&file, session, path, 100) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_string_equal(snug_file_data(file, NULL), text);
    snug_file_free(file);
}

/* Also those of a private folder, which is in memory. */
TEST(files_outlive_their_worker)
{
    snug_listing *listing = NULL;
    snug_session *session = open_session(NULL);
    assert_int_equal(snug_session_put_file(session, "in/given", "by the host", 11), SNUG_OK);
    prints(session, "echo made >in/made; echo x >gone", "");
    assert_int_equal(snug_session_remove_file(session, "gone"), SNUG_OK);
    prints(session, "ls", "in\n");
    holds(session, "in/made", "made\n");
    const pid_t process = (pid_t)snug_session_process(session);
    siginfo_t end;
    kill(process, SIGKILL);
    waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT);
    snug_result *result = run(session, "echo", 0);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    holds(session, "in/made", "made\n");
    assert_int_equal(snug_session_list_files(&listing, session), SNUG_OK);
    assert_int_equal(snug_listing_entry_count(listing), 3);
    snug_listing_free(listing);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    prints(session, "cat in/given; echo more >>in/made", "by the host");
    holds(session, "in/made", "made\nmore\n");
    snug_session_close(session);
}

TEST(a_limit_keeps_the_shell)
{
    snug_session *session = open_session(NULL);
    prints(session, "x=42", "");
    snug_result *result = run(session, "while :; do :; done", 200);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    prints(session, "echo $x", "42\n");
    snug_session_close(session);
}

/* Also one that comes before the shell has read the cell. */
TEST(an_interrupt_keeps_the_shell)
{
    interrupter i;
    snug_session *session = open_session(NULL);
    prints(session, "x=42", "");
    for (int round = 0; round < 10; round++) {
        interrupter_start(&i, session);
        snug_result *result = run(session, "sleep 300", 60000);
        interrupter_end(&i);
        assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
        assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
        snug_result_free(result);
        prints(session, "echo $x", "42\n");
    }
    snug_session_close(session);
}

static void answer_line(void *payload, snug_call *call, const char *prompt)
{
    snug_call_return_line(call, payload, strlen(payload));
}

TEST(read_asks_the_host)
{
    char line[] = "two words";
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_input = answer_line;
    options.payload = line;
    snug_session *session = open_session(&options);
    prints(session, "read a b; echo \"$b,$a\"", "words,two\n");
    snug_session_close(session);
}

static void answer_late(void *payload, snug_call *call, const char *prompt)
{
    const struct timespec while_ = { 0, 400 * 1000 * 1000 };
    nanosleep(&while_, NULL);
    snug_call_return_line(call, "late", 4);
}

TEST(a_wait_for_a_line_is_not_the_cells_time)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_input = answer_late;
    snug_session *session = open_session(&options);
    snug_result *result = run(session, "read x; while :; do :; done", 300);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_true(snug_result_wall_ns(result) > UINT64_C(600000000));
    snug_result_free(result);
    prints(session, "echo $x", "late\n");
    snug_session_close(session);
}

static void keep_call(void *payload, snug_call *call, const char *prompt)
{
    *(snug_call **)payload = call;
}

TEST(read_ends_at_its_own_limit)
{
    snug_call *call = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = { .size = sizeof limits, .input_ms = 200 };
    options.on_input = keep_call;
    options.payload = &call;
    options.limits = &limits;
    snug_session *session = open_session(&options);
    prints(session, "read x || echo nobody", "nobody\n");
    snug_call_return_line(call, "later", 5);
    prints(session, "echo $x", "\n");
    snug_session_close(session);
}

/* After a second the host asks whether the worker is there, and at that very moment it is woken. */
TEST(a_question_that_ends_after_a_second_costs_no_worker)
{
    for (uint64_t ms = 1000; ms <= 1002; ms++) {
        snug_call *call = NULL;
        snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
        snug_limits limits = { .size = sizeof limits, .input_ms = ms };
        options.on_input = keep_call;
        options.payload = &call;
        options.limits = &limits;
        snug_session *session = open_session(&options);
        prints(session, "read x || echo nobody", "nobody\n");
        snug_call_return_line(call, "later", 5);
        snug_session_close(session);
    }
}

static void add(void *payload, snug_stream stream, const char *text, size_t len)
{
    strncat(payload, text, len);
}

TEST(output_comes_while_it_runs)
{
    char told[64] = "";
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = add;
    options.payload = told;
    snug_session *session = open_session(&options);
    prints(session, "echo one; echo two", "one\ntwo\n");
    assert_string_equal(told, "one\ntwo\n");
    snug_session_close(session);
}

/* The reader of the source runs beside what the session left in the background. */
TEST(a_reader_that_is_killed_does_not_make_a_half_program_whole)
{
    static const char half[] = "if true; then\necho 1";
    int is_whole = 0;

    snug_session *session = open_session(NULL);
    prints(session, "while :; do pkill -9 -f 'norc -n'; done & echo", "\n");
    for (int i = 0; i < 20; i++)
        is_whole |= snug_session_is_complete(session, half, sizeof half - 1) > 0;
    assert_false(is_whole);
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_worker_host, close_worker_host);
}
