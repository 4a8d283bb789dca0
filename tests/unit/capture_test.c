#include "test.h"

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

TEST(pieces_come_in_the_order_of_the_writes)
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

TEST(writes_to_one_stream_are_one_piece)
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

TEST(the_listener_is_called_once_until_it_drains)
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

TEST(without_a_listener_nothing_is_queued)
{
    capture c;
    capture_init(&c, NULL, NULL);
    write_to(&c, CAPTURE_STDOUT, "a");
    assert_int_equal(c.queue.len, 0);
    assert_int_equal(c.streams[CAPTURE_STDOUT].total_bytes, 1);
    capture_free(&c);
}

TEST(an_empty_drain_calls_nobody)
{
    capture c;
    heard h = { 0 };
    capture_init(&c, notice, &h);
    capture_drain(&c, &(capture_listener){ hear, NULL, &h });
    assert_int_equal(h.calls, 0);
    capture_free(&c);
}

TEST(a_reset_empties_the_streams)
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
    return run_all_tests(NULL, NULL);
}
