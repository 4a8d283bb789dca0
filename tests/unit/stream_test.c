#include "test.h"

#include <snug/snug.h>

#include "base/utf8.h"
#include "capture/stream.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* A test asks for more memory than there is, which ends the program otherwise. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif

static void write_text(stream *s, const char *text)
{
    assert_int_equal(stream_write(s, text, strlen(text)), SNUG_OK);
}

static void assert_text(const stream *s, const char *expected)
{
    str out = { 0 };
    assert_int_equal(stream_text(s, &out), SNUG_OK);
    assert_string_equal(str_text(&out), expected);
    str_free(&out);
}

TEST(output_within_the_limit_is_kept_as_it_is)
{
    stream s;
    stream_init(&s, 10);
    assert_text(&s, "");
    write_text(&s, "012");
    write_text(&s, "3456");
    assert_text(&s, "0123456");
    write_text(&s, "789");
    assert_text(&s, "0123456789");
    assert_false(stream_is_cut(&s));
    assert_int_equal(s.total_bytes, 10);
    stream_free(&s);
}

TEST(output_past_the_limit_keeps_head_and_tail)
{
    stream s;
    stream_init(&s, 9);
    write_text(&s, "0123456789");
    assert_true(stream_is_cut(&s));
    assert_text(&s, "0123\n... 1 bytes left out ...\n56789");
    write_text(&s, "abc");
    assert_text(&s, "0123\n... 4 bytes left out ...\n89abc");
    write_text(&s, "the newest of many");
    assert_text(&s, "0123\n... 22 bytes left out ...\n many");
    assert_int_equal(s.total_bytes, 31);
    stream_free(&s);
}

TEST(output_is_cut_at_a_character)
{
    stream s;
    stream_init(&s, 10);
    write_text(&s, "abcd\xe2\x82\xac++++++\xe2\x82\xac"
                   "789");
    assert_text(&s, "abcd\n... 12 bytes left out ...\n789");
    stream_free(&s);
    /* A character that ends with the head, and one that begins with the tail. */
    stream_init(&s, 12);
    write_text(&s, "abc\xe2\x82\xac++++++\xe2\x82\xac"
                   "789");
    assert_text(&s, "abc\xe2\x82\xac\n... 6 bytes left out ...\n\xe2\x82\xac"
                    "789");
    stream_free(&s);
}

TEST(a_character_across_head_and_tail_is_whole_while_all_is_kept)
{
    stream s;
    stream_init(&s, 8);
    write_text(&s, "abc\xf0\x9f");
    write_text(&s, "\x98\x80z");
    assert_text(&s, "abc\xf0\x9f\x98\x80z");
    stream_free(&s);
}

/* What head and tail of the whole text are, by another way. */
static void assert_kept(const stream *s, const char *all, size_t len)
{
    uint64_t limit = s->limit_bytes;
    str out = { 0 }, expected = { 0 };
    if (len <= limit) {
        str_append(&expected, all, len);
    } else {
        size_t head = utf8_floor(all, len, (size_t)(limit / 2));
        size_t tail = utf8_ceil(all, len, len - (size_t)(limit - limit / 2));
        str_append(&expected, all, head);
        str_printf(&expected, "\n... %zu bytes left out ...\n", tail - head);
        str_append(&expected, all + tail, len - tail);
    }
    assert_int_equal(stream_text(s, &out), SNUG_OK);
    assert_int_equal(out.len, expected.len);
    assert_memory_equal(str_text(&out), str_text(&expected), out.len);
    assert_int_equal(stream_is_cut(s), len > limit);
    assert_int_equal(s->total_bytes, len);
    str_free(&out);
    str_free(&expected);
}

TEST(every_limit_and_size_of_write_keeps_the_same)
{
    str all = { 0 };
    while (all.len < 100)
        str_printf(&all, "%zu\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", all.len);
    for (uint64_t limit = 0; limit <= 110; limit++) {
        for (size_t step = 1; step <= all.len; step += step < 8 ? 1 : 13) {
            stream s;
            stream_init(&s, limit);
            for (size_t at = 0; at < all.len; at += step) {
                size_t len = at + step < all.len ? step : all.len - at;
                assert_int_equal(stream_write(&s, all.data + at, len), SNUG_OK);
                /* A part of the last character may be missing yet. */
                if (utf8_floor(all.data, all.len, at + len) == at + len)
                    assert_kept(&s, all.data, at + len);
            }
            stream_free(&s);
        }
    }
    str_free(&all);
}

TEST(no_limit_keeps_everything)
{
    stream s;
    str out = { 0 };
    stream_init(&s, SNUG_UNLIMITED);
    for (int i = 0; i < 100000; i++)
        write_text(&s, "0123");
    assert_false(stream_is_cut(&s));
    assert_int_equal(stream_text(&s, &out), SNUG_OK);
    assert_int_equal(out.len, 400000);
    str_free(&out);
    stream_free(&s);
}

TEST(many_small_writes_take_no_more_than_the_limit)
{
    stream s;
    stream_init(&s, 65536);
    for (int i = 0; i < 200000; i++)
        write_text(&s, "0123");
    assert_int_equal(s.head.len, 32768);
    assert_int_equal(s.ring_len, 32768);
    assert_in_range(s.head.cap + s.ring_cap, 65536, 2 * 65536);
    assert_int_equal(s.total_bytes, 800000);
    stream_free(&s);
}

TEST(a_text_follows_what_the_string_has)
{
    stream s;
    str out = { 0 };
    stream_init(&s, 10);
    write_text(&s, "text");
    str_add(&out, "before ");
    assert_int_equal(stream_text(&s, &out), SNUG_OK);
    assert_string_equal(str_text(&out), "before text");
    str_free(&out);
    stream_free(&s);
}

TEST(kept_bytes_are_what_the_text_shows_of_the_output)
{
    stream s;
    stream_init(&s, 10);
    assert_int_equal(stream_write(&s, "0123456789", 10), 0);
    assert_int_equal(stream_kept_bytes(&s), 10);
    assert_int_equal(stream_write(&s, "abc", 3), 0);
    assert_int_equal(stream_kept_bytes(&s), 10);
    stream_free(&s);
    stream_init(&s, 4); /* the head is half of a two-byte character and is not shown */
    assert_int_equal(stream_write(&s, "a\xc3\xa9zzz", 6), 0);
    assert_int_equal(stream_kept_bytes(&s), 3);
    stream_free(&s);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
