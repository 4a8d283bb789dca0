#include "test.h"

#include <snug/snug.h>

#include "base/str.h"

TEST(an_empty_string_has_a_text)
{
    str s = { 0 };
    assert_string_equal(str_text(&s), "");
    assert_int_equal(str_append(&s, NULL, 0), SNUG_OK);
    assert_non_null(s.data);
    assert_string_equal(s.data, "");
    str_free(&s);
}

TEST(appended_text_follows)
{
    str s = { 0 };
    assert_int_equal(str_add(&s, "one"), SNUG_OK);
    assert_int_equal(str_append(&s, " two three", 4), SNUG_OK);
    assert_int_equal(str_printf(&s, " %d%c", 3, '!'), SNUG_OK);
    assert_string_equal(str_text(&s), "one two 3!");
    assert_int_equal(s.len, 10);
    str_free(&s);
    assert_null(s.data);
}

TEST(a_nul_byte_is_text)
{
    str s = { 0 };
    str_append(&s, "a\0b", 3);
    assert_int_equal(s.len, 3);
    assert_memory_equal(s.data, "a\0b", 4);
    str_free(&s);
}

TEST(it_grows_as_needed_and_stays_terminated)
{
    str s = { 0 };
    for (size_t i = 0; i < 10000; i++) {
        assert_int_equal(str_append(&s, &"0123456789"[i % 10], 1), SNUG_OK);
        assert_int_equal(s.len, i + 1);
        assert_int_equal(s.data[s.len], 0);
        assert_true(s.cap > s.len);
    }
    for (size_t i = 0; i < s.len; i++)
        assert_int_equal(s.data[i], '0' + i % 10);
    str_free(&s);
}

TEST(a_formatted_text_may_be_longer_than_the_buffer)
{
    str s = { 0 };
    str_add(&s, "x");
    for (int len = 0; len < 200; len++) {
        str_clear(&s);
        assert_int_equal(str_printf(&s, "%0*d", len, 0), SNUG_OK);
        assert_int_equal(s.len, len ? len : 1);
        assert_int_equal(strlen(s.data), s.len);
    }
    str_free(&s);
}

TEST(a_length_out_of_range_changes_nothing)
{
    str s = { 0 };
    str_add(&s, "kept");
    assert_int_equal(str_reserve(&s, SIZE_MAX), SNUG_ENOMEM);
    assert_int_equal(str_reserve(&s, SIZE_MAX - s.len), SNUG_ENOMEM);
    assert_string_equal(str_text(&s), "kept");
    str_free(&s);
}

TEST(a_failure_sticks_until_the_string_is_cleared)
{
    str s = { 0 }, other = { 0 };
    str_add(&s, "kept");
    assert_int_equal(str_append(&s, "", SIZE_MAX), SNUG_ENOMEM);
    assert_int_equal(str_add(&s, "more"), SNUG_ENOMEM);
    assert_int_equal(str_error(&s), SNUG_ENOMEM);
    assert_string_equal(str_text(&s), "kept");
    assert_int_equal(str_add_str(&other, &s), SNUG_ENOMEM);
    assert_null(str_take(&other));
    str_clear(&s);
    assert_int_equal(str_add(&s, "new"), SNUG_OK);
    assert_string_equal(str_text(&s), "new");
    str_free(&s);
}

TEST(reserved_room_is_used_without_moving)
{
    str s = { 0 };
    assert_int_equal(str_reserve(&s, 1000), SNUG_OK);
    assert_string_equal(s.data, "");
    const char *data = s.data;
    size_t cap = s.cap;
    for (int i = 0; i < 1000; i++)
        str_add(&s, "x");
    assert_ptr_equal(s.data, data);
    assert_int_equal(s.cap, cap);
    str_free(&s);
}

TEST(a_taken_buffer_is_the_callers)
{
    str s = { 0 };
    char *empty = str_take(&s);
    assert_string_equal(empty, "");
    free(empty);
    str_add(&s, "text");
    char *text = str_take(&s);
    assert_string_equal(text, "text");
    assert_string_equal(str_text(&s), "");
    assert_int_equal(s.len + s.cap, 0);
    free(text);
}

TEST(a_cleared_string_keeps_its_buffer)
{
    str s = { 0 };
    str_clear(&s);
    str_add(&s, "text");
    size_t cap = s.cap;
    str_clear(&s);
    assert_string_equal(str_text(&s), "");
    assert_int_equal(s.len, 0);
    assert_int_equal(s.cap, cap);
    str_free(&s);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
