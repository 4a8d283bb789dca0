#include "test.h"

#include <string.h>

#include "capture/capture.h"

typedef struct heard {
    char text[256];
    int calls, notices;
} heard;

static void notice(void *payload)
{
    ((heard *)payload)->notices++;
}

static void hear(void *payload, capture_stream which, const char *text, size_t len)
{
    heard *h = payload;
    size_t at = strlen(h->text);
    snprintf(h->text + at, sizeof h->text - at, "%d:%.*s|", (int)which, (int)len, text);
    h->calls++;
}

static void write_to(capture *c, capture_stream which, const char *text)
{
    assert_int_equal(capture_write(c, which, text, strlen(text)), 0);
}

static void pieces_come_in_the_order_of_the_writes(void **state)
{
    capture c;
    heard h = { 0 };
    capture_init(&c, notice, &h);
    write_to(&c, CAPTURE_STDOUT, "a");
    write_to(&c, CAPTURE_STDERR, "b");
    write_to(&c, CAPTURE_STDOUT, "c");
    capture_drain(&c, &(capture_listener){ hear, NULL, &h });
    assert_string_equal(h.text, "0:a|1:b|0:c|");
    capture_free(&c);
}

static void writes_to_one_stream_are_one_piece(void **state)
{
    capture c;
    heard h = { 0 };
    capture_init(&c, notice, &h);
    write_to(&c, CAPTURE_STDOUT, "line");
    write_to(&c, CAPTURE_STDOUT, "\n");
    capture_drain(&c, &(capture_listener){ hear, NULL, &h });
    assert_string_equal(h.text, "0:line\n|");
    assert_int_equal(h.calls, 1);
    capture_free(&c);
}

static void the_listener_is_called_once_until_it_drains(void **state)
{
    capture c;
    heard h = { 0 };
    capture_init(&c, notice, &h);
    write_to(&c, CAPTURE_STDOUT, "a");
    write_to(&c, CAPTURE_STDOUT, "b");
    assert_int_equal(h.notices, 1);
    capture_drain(&c, &(capture_listener){ hear, NULL, &h });
    write_to(&c, CAPTURE_STDOUT, "c");
    assert_int_equal(h.notices, 2);
    capture_free(&c);
}

static void without_a_listener_nothing_is_queued(void **state)
{
    capture c;
    capture_init(&c, NULL, NULL);
    write_to(&c, CAPTURE_STDOUT, "a");
    assert_int_equal(c.queue.len, 0);
    assert_int_equal(c.streams[CAPTURE_STDOUT].total_bytes, 1);
    capture_free(&c);
}

static void an_empty_drain_calls_nobody(void **state)
{
    capture c;
    heard h = { 0 };
    capture_init(&c, notice, &h);
    capture_drain(&c, &(capture_listener){ hear, NULL, &h });
    assert_int_equal(h.calls, 0);
    capture_free(&c);
}

static void a_reset_empties_the_streams(void **state)
{
    capture c;
    capture_init(&c, NULL, NULL);
    write_to(&c, CAPTURE_STDERR, "old");
    capture_reset(&c, 100, 0);
    assert_int_equal(c.streams[CAPTURE_STDERR].total_bytes, 0);
    capture_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_in_the_order_of_the_writes),
        cmocka_unit_test(writes_to_one_stream_are_one_piece),
        cmocka_unit_test(the_listener_is_called_once_until_it_drains),
        cmocka_unit_test(without_a_listener_nothing_is_queued),
        cmocka_unit_test(an_empty_drain_calls_nobody),
        cmocka_unit_test(a_reset_empties_the_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
