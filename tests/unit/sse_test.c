#include "test.h"

#include <snug/snug.h>

#include "wire/sse.h"

/* Events as "event=data|". */
static int note(void *payload, const char *event, const char *data, size_t len)
{
    str *out = payload;
    assert_int_equal(strlen(data), len);
    return str_printf(out, "%s=%s|", event, data);
}

/* The events of text, cut into pieces of so many bytes. */
static void assert_events(const char *text, size_t piece, const char *events)
{
    str out = { 0 };
    sse s;
    sse_init(&s, 1000, note, &out);
    for (size_t at = 0, len = strlen(text); at < len; at += piece)
        assert_int_equal(sse_feed(&s, text + at, piece < len - at ? piece : len - at), SNUG_OK);
    assert_string_equal(str_text(&out), events);
    sse_free(&s);
    str_free(&out);
}

TEST(events_are_read_however_they_are_cut)
{
    static const char *const cases[][2] = {
        { "data: a\n\n", "message=a|" },
        { "data:a\r\n\r\n", "message=a|" },
        { "event: x\r\ndata: a\r\ndata: b\r\n\r\n", "x=a\nb|" },
        { "data: a\r\rdata: b\r\r", "message=a|message=b|" },
        { "data: a\n\r\ndata: b\r\n\n", "message=a|message=b|" },
        { "event: x\ndata: a\n\ndata: b\n\n", "x=a|message=b|" },
        { "event: x\nevent: y\ndata: a\n\n", "y=a|" },
        { "data: a\ndata: b\ndata\ndata:\n\n", "message=a\nb\n\n|" },
        { "data\n\n", "message=|" },
        { "data:  a \n\n", "message= a |" },
        { ": a comment\n:\ndata: a\n: in between\n\n", "message=a|" },
        { "event: x\n\ndata: a\n\n", "message=a|" },
        { "id: 7\nretry: 10\nnothing: known\ndata: a\n\n", "message=a|" },
        { "\xef\xbb\xbf"
          "data: a\n\n",
          "message=a|" },
        { "\xef\xbb\xbf\xef\xbb\xbf"
          "data: a\n\n",
          "" },
        { "data: a\n\n\xef\xbb\xbf"
          "data: b\n\n",
          "message=a|" },
        { "\n\n\n", "" },
        { "data: a\n", "" },
        { "data: a\n\ndata: b", "message=a|" },
        { "DATA: a\n\n", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 9; piece++)
            assert_events(cases[i][0], piece, cases[i][1]);
}

static int feed(size_t most_bytes, const char *text)
{
    str out = { 0 };
    sse s;
    sse_init(&s, most_bytes, note, &out);
    int error = sse_feed(&s, text, strlen(text));
    sse_free(&s);
    str_free(&out);
    return error;
}

TEST(lines_and_data_have_a_bound)
{
    assert_int_equal(feed(10, "data: 1234\n\n"), SNUG_OK);
    assert_int_equal(feed(10, "data: 12345\n\n"), SNUG_EINVAL);
    assert_int_equal(feed(10, "data: 12345"), SNUG_EINVAL);
    assert_int_equal(feed(10, "data: 1234\ndata: 1234\ndata:\n\n"), SNUG_OK);
    assert_int_equal(feed(10, "data: 1234\ndata: 1234\ndata:\ndata:\n\n"), SNUG_EINVAL);
}

static int refuse(void *payload, const char *event, const char *data, size_t len)
{
    (void)event, (void)data, (void)len;
    ++*(int *)payload;
    return SNUG_EBUSY;
}

TEST(the_reader_may_end_it)
{
    sse s;
    int count = 0;
    sse_init(&s, 100, refuse, &count);
    assert_int_equal(sse_feed(&s, "data: a\n\ndata: b\n\n", 18), SNUG_EBUSY);
    assert_int_equal(count, 1);
    sse_free(&s);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
