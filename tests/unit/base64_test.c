#include "test.h"

#include <snug/snug.h>

#include "base/base64.h"

/* RFC 4648, section 10. */
static const struct pair {
    const char *bytes, *text;
} pairs[] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
    { "\xff\xfe\xfd", "//79" },
    { "\xfb\xf0", "+/A=" },
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

TEST(bytes_become_the_text_of_the_rfc)
{
    for (size_t i = 0; i < PAIRS; i++) {
        str out = { 0 };
        assert_int_equal(base64_append(&out, pairs[i].bytes, strlen(pairs[i].bytes)), SNUG_OK);
        assert_string_equal(str_text(&out), pairs[i].text);
        str_free(&out);
    }
}

TEST(the_text_becomes_the_bytes_again)
{
    for (size_t i = 0; i < PAIRS; i++) {
        str out = { 0 };
        assert_int_equal(base64_decode(&out, pairs[i].text, strlen(pairs[i].text)), SNUG_OK);
        assert_string_equal(str_text(&out), pairs[i].bytes);
        str_free(&out);
    }
}

TEST(all_bytes_survive)
{
    char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    for (size_t len = 0; len <= sizeof bytes; len++) {
        str text = { 0 }, back = { 0 };
        assert_int_equal(base64_append(&text, bytes, len), SNUG_OK);
        assert_int_equal(base64_decode(&back, str_text(&text), text.len), SNUG_OK);
        assert_int_equal(back.len, len);
        assert_memory_equal(str_text(&back), bytes, len);
        str_free(&text);
        str_free(&back);
    }
}

TEST(ends_of_lines_do_not_count)
{
    str out = { 0 };
    static const char text[] = "Zm9v\r\nYm\nE=\n";
    assert_int_equal(base64_decode(&out, text, strlen(text)), SNUG_OK);
    assert_string_equal(str_text(&out), "fooba");
    str_free(&out);
}

TEST(what_is_no_base64_is_refused_and_leaves_the_string_as_it_was)
{
    static const char *const wrong[] = {
        "Z",    "Zg",       "Zg=",   "Zg===",    "Zm9v=",   "Zm9=v",
        "====", "Z===",     "Zm 9v", "Zm9v!",    "Zm9vZg=", "Zg==Zg==",
        "Zh==", "Zm9\x80v", "Zm9-",  "Zm8=Zm9v", "=Zm9",    "Zm9v====",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        str out = { 0 };
        assert_int_equal(str_add(&out, "before"), SNUG_OK);
        if (base64_decode(&out, wrong[i], strlen(wrong[i])) != SNUG_EINVAL)
            fail_msg("%s was taken", wrong[i]);
        assert_string_equal(str_text(&out), "before");
        assert_int_equal(out.len, 6);
        str_free(&out);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
