#include "test.h"

#include <snug/snug.h>

#include "agent/model/key.h"
#include "base/error.h"

#define VARIABLE "SNUG_TEST_KEY"

static void assert_key(const char *path, const char *expected)
{
    str key = { 0 };
    if (key_read(&key, path, VARIABLE))
        fail_msg("%s", error_message());
    assert_string_equal(str_text(&key), expected);
    key_wipe(&key);
}

/* The message names the source and has nothing of the key. */
static void assert_refused(const char *path, const char *source)
{
    str key = { 0 };
    error_set(0, "untouched");
    assert_int_not_equal(key_read(&key, path, VARIABLE), SNUG_OK);
    assert_int_equal(key.len, 0);
    assert_non_null(strstr(error_message(), source));
    assert_null(strstr(error_message(), "sekrit"));
    key_wipe(&key);
}

TEST(a_key_is_the_first_line_without_space_around_it)
{
    unsetenv(VARIABLE);
    assert_key(NULL, "");
    setenv(VARIABLE, "", 1);
    assert_key(NULL, "");
    setenv(VARIABLE, "sk-1", 1);
    assert_key(NULL, "sk-1");
    setenv(VARIABLE, " \tsk-1 \r\nsecond", 1);
    assert_key(NULL, "sk-1");
}

TEST(a_key_that_no_header_may_have_is_refused)
{
    char longest[KEY_MOST_BYTES + 2];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    setenv(VARIABLE, longest + 1, 1);
    assert_key(NULL, longest + 1);
    static const char *const refused[] = { "sekrit\x01", "sekrit a",       "sekrit\rX-Header: 1",
                                           "sekrit\x7f", "sekrit\xc3\xa9", "\nsekrit",
                                           "  " };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        setenv(VARIABLE, refused[i], 1);
        assert_refused(NULL, "variable " VARIABLE);
    }
    setenv(VARIABLE, longest, 1);
    assert_refused(NULL, "variable " VARIABLE);
}

static void write_file(const char *path, const char *text, size_t len)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

TEST(a_file_takes_the_place_of_the_variable)
{
    char path[] = "/tmp/snug-key-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    setenv(VARIABLE, "sk-variable", 1);
    write_file(path, "sk-file\nmore\n", 13);
    assert_key(path, "sk-file");
    write_file(path, "sk-file", 7);
    assert_key(path, "sk-file");
    write_file(path, "", 0);
    assert_refused(path, path);
    write_file(path, "sekrit\0x\n", 9);
    assert_refused(path, path);
    char longest[KEY_MOST_BYTES + 1];
    memset(longest, 'a', sizeof longest);
    write_file(path, longest, sizeof longest);
    assert_refused(path, path);
    unlink(path);
    assert_refused(path, path);
    assert_refused("/", "/ is not a file");
}

static void assert_hidden(const char *key_text, const char *text, const char *expected)
{
    str key = { 0 }, out = { 0 };
    assert_int_equal(str_add(&key, key_text), SNUG_OK);
    assert_int_equal(str_add(&out, text), SNUG_OK);
    assert_int_equal(key_hide(&out, &key), SNUG_OK);
    assert_string_equal(str_text(&out), expected);
    /* And in pieces of every size. */
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        const key_list keys = { &key, 1 };
        key_filter filter = { .keys = &keys };
        str_clear(&out);
        for (size_t at = 0, len = strlen(text); at < len; at += piece)
            assert_int_equal(
                key_filter_feed(&out, &filter, text + at, piece < len - at ? piece : len - at),
                SNUG_OK);
        assert_null(strlen(key_text) >= KEY_LEAST_HIDDEN ? strstr(str_text(&out), key_text) : NULL);
        assert_int_equal(key_filter_end(&out, &filter), SNUG_OK);
        assert_string_equal(str_text(&out), expected);
    }
    str_free(&key);
    str_free(&out);
}

TEST(each_occurrence_of_a_key_is_hidden)
{
    assert_hidden("sk-123456", "", "");
    assert_hidden("sk-123456", "nothing here", "nothing here");
    assert_hidden("sk-123456", "sk-123456", "[key]");
    assert_hidden("sk-123456", "a sk-123456sk-123456 b sk-12345", "a [key][key] b sk-12345");
    assert_hidden("abababab", "abababababab", "[key]abab");
    assert_hidden("aaaaaaab", "aaaaaaaaab", "aa[key]");
    assert_hidden("ollama", "ollama:qwen3", "ollama:qwen3");
    assert_hidden("", "text", "text");
}

TEST(a_wiped_key_is_empty)
{
    str key = { 0 };
    key_wipe(&key);
    assert_int_equal(str_add(&key, "sk-123456"), SNUG_OK);
    key_wipe(&key);
    assert_null(key.data);
    assert_int_equal(key.len, 0);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
