#include "test.h"

#include "base/mime.h"

TEST(a_name_is_known_by_its_ending_in_any_case)
{
    assert_string_equal(mime_of_name("plot.png"), "image/png");
    assert_string_equal(mime_of_name("a.b/PLOT.PNG"), "image/png");
    assert_string_equal(mime_of_name("table.backup.csv"), "text/csv");
}

TEST(a_name_without_a_known_ending_is_not_known)
{
    static const char *const names[] = {
        "", "png", "a.png/plot", "a.", "a.nonsense", ".", "x.csv "
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(mime_of_name(names[i]));
}

TEST(bytes_are_known_by_their_beginning)
{
    assert_string_equal(mime_of_bytes("\x89PNG\r\n\x1a\nrest", 12), "image/png");
    assert_string_equal(mime_of_bytes("SQLite format 3\0", 16), "application/vnd.sqlite3");
    assert_string_equal(mime_of_bytes("SQLite format 3", 15), "text/plain");
    assert_string_equal(mime_of_bytes("", 0), "text/plain");
    assert_string_equal(mime_of_bytes("na\xc3\xafve", 6), "text/plain");
    assert_string_equal(mime_of_bytes("a\0b", 3), "application/octet-stream");
    assert_string_equal(mime_of_bytes("a\xff", 2), "application/octet-stream");
}

TEST(a_character_cut_off_at_the_end_of_what_is_looked_at_is_text)
{
    char text[MIME_BYTES + 8];
    memset(text, 'a', sizeof text);
    memcpy(text + MIME_BYTES - 1, "\xc3\xaf", 2);
    assert_string_equal(mime_of_bytes(text, sizeof text), "text/plain");
    text[MIME_BYTES / 2] = '\xff';
    assert_string_equal(mime_of_bytes(text, sizeof text), "application/octet-stream");
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
