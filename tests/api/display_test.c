/* What a C program sees of displays, changed names, and names in detail. */
#include "../unit/test.h"

#include "test_host.h"

#include <snug/snug.h>

/* What the callbacks heard, a line each. */
typedef struct heard {
    char text[4096];
} heard;

static void hear(heard *h, const char *text, size_t len)
{
    size_t used = strlen(h->text);
    if (used + len + 2 < sizeof h->text) {
        memcpy(h->text + used, text, len);
        memcpy(h->text + used + len, "|", 2);
    }
}

static void on_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    hear(payload, text, len);
}

static void on_display(void *payload, snug_display_event event, const snug_display *display)
{
    static const char *const names[] = { "show ", "update ", "clear" };
    char line[256];
    snprintf(line, sizeof line, "%s%s", names[event], display ? display->parts[0].data : "");
    assert_int_equal(event == SNUG_DISPLAY_EVENT_CLEAR, display == NULL);
    hear(payload, line, strlen(line));
}

static snug_session *open_session(heard *h)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session;
    if (h) {
        options.on_output = on_output;
        options.on_display = on_display;
        options.payload = h;
    }
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    return session;
}

static snug_result *run(snug_session *session, const char *source)
{
    snug_result *result;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    assert_string_equal(snug_result_error_name(result), "");
    return result;
}

TEST(displays_are_heard_in_order_with_the_output)
{
    heard h = { "" };
    snug_session *session = open_session(&h);
    snug_result_free(run(session, "print('a')\n"
                                  "h = display('b', display_id='bar')\n"
                                  "print('c')\n"
                                  "h.update('d')\n"
                                  "from IPython.display import clear_output\n"
                                  "clear_output()\n"
                                  "print('e')\n"));
    assert_string_equal(h.text, "a\n|show 'b'|c\n|update 'd'|clear|e\n|");
    snug_session_close(session);
}

TEST(a_result_has_its_displays_and_the_value_last)
{
    snug_session *session = open_session(NULL);
    snug_result *result = run(session, "class R:\n"
                                       "    def __repr__(self): return 'R'\n"
                                       "    def _repr_html_(self): return '<b>', {'k': 1}\n"
                                       "print('xy')\n"
                                       "display({'image/png': b'abc'}, raw=True)\n"
                                       "R()\n");
    assert_int_equal(snug_result_display_count(result), 2);
    const snug_display *picture = snug_result_display(result, 0);
    assert_int_equal(picture->is_main_result, 0);
    assert_int_equal(picture->stdout_bytes, 3);
    assert_int_equal(picture->part_count, 1);
    assert_string_equal(picture->parts[0].type, "image/png");
    assert_string_equal(picture->parts[0].data, "YWJj");
    assert_string_equal(picture->metadata_json, "{}");
    const snug_display *value = snug_result_display(result, 1);
    assert_int_equal(value->is_main_result, 1);
    assert_int_equal(value->part_count, 2);
    assert_string_equal(value->parts[0].data, "R");
    assert_string_equal(value->parts[1].type, "text/html");
    assert_int_equal(value->parts[1].len, 3);
    assert_string_equal(value->metadata_json, "{\"text/html\": {\"k\": 1}}");
    assert_null(snug_result_display(result, 2));
    assert_int_equal(snug_result_displays_left_out(result), 0);
    snug_result_free(result);
    snug_session_close(session);
}

TEST(the_limit_of_displays_can_be_set_for_a_cell)
{
    static const char source[] = "for n in range(4): display('x' * 1000)";
    snug_session *session = open_session(NULL);
    snug_limits limits = { .size = sizeof(snug_limits), .display_bytes = 5000 };
    snug_result *result;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    assert_int_equal(snug_result_displays_left_out(result), 2);
    assert_non_null(strstr(snug_result_json(result, NULL), "\"displays\":{\"left_out\":"));
    snug_result_free(result);
    snug_session_close(session);
}

/* As many as there is room for, to the last: a worker's answer is judged by the same sum. */
TEST(displays_up_to_the_limit_are_kept_and_the_rest_is_counted)
{
    snug_session *session = open_session(NULL);
    snug_result *result =
        run(session, "for i in range(20_000): display('again', display_id='same')");
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    assert_true(snug_result_displays_left_out(result) > 0);
    assert_int_equal(snug_result_display_count(result) + snug_result_displays_left_out(result),
                     20000);
    snug_result_free(result);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

TEST(names_that_a_cell_changed_are_told)
{
    snug_session *session = open_session(NULL);
    const snug_change *change;
    snug_result_free(run(session, "a = 1; b = 2"));
    snug_result *result = run(session, "a = 'x'; del b; c = None");
    assert_int_equal(snug_result_change_count(result), 3);
    assert_non_null(change = snug_result_change(result, 0));
    assert_string_equal(change->name, "a");
    assert_string_equal(change->type, "str");
    assert_string_equal(change->op, "rebound");
    assert_non_null(change = snug_result_change(result, 1));
    assert_string_equal(change->op, "set");
    assert_non_null(change = snug_result_change(result, 2));
    assert_string_equal(change->name, "b");
    assert_string_equal(change->type, "");
    assert_string_equal(change->op, "deleted");
    assert_null(snug_result_change(result, 3));
    snug_result_free(result);
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
