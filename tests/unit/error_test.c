#include "test.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"

#include <errno.h>
#include <pthread.h>

static void *message_of_new_thread(void *arg)
{
    assert_string_equal(error_message(), "");
    error_set(SNUG_EINVAL, "of the other thread");
    return arg;
}

TEST(messages_are_of_a_thread)
{
    pthread_t other;
    error_set(SNUG_EINVAL, "of this thread");
    assert_int_equal(pthread_create(&other, NULL, message_of_new_thread, NULL), 0);
    pthread_join(other, NULL);
    assert_string_equal(error_message(), "of this thread");
}

TEST(setting_an_error_answers_its_code)
{
    assert_int_equal(error_set(SNUG_EPOLICY, "profile %s, line %d", "core", 12), SNUG_EPOLICY);
    assert_string_equal(error_message(), "profile core, line 12");
    assert_int_equal(error_no_memory(), SNUG_ENOMEM);
    assert_string_equal(error_message(), "out of memory");
}

TEST(a_message_can_be_part_of_the_next)
{
    error_set(SNUG_EINVAL, "the cause");
    error_set(SNUG_EINVAL, "%s: %s", "session s1", error_message());
    assert_string_equal(error_message(), "session s1: the cause");
}

TEST(a_system_error_names_errno)
{
    errno = ENOENT;
    assert_int_equal(error_system("cannot open %s", "x"), SNUG_ESYSTEM);
    assert_string_equal(error_message(), "cannot open x: No such file or directory (errno 2)");
}

TEST(a_long_word_is_cut_at_characters)
{
    char text[2 * ERROR_MESSAGE_BYTES];
    size_t at;
    for (size_t offset = 0; offset < 4; offset++) {
        memset(text, 'x', sizeof text);
        for (size_t i = offset; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 4);
        text[sizeof text - 1] = '\0';
        error_set(SNUG_EINVAL, "%s", text);
        size_t len = strlen(error_message());
        assert_true(len < ERROR_MESSAGE_BYTES && len >= 190);
        assert_non_null(strstr(error_message(), "..."));
        assert_int_equal(utf8_check(error_message(), len, &at), UTF8_FINE);
    }
}

TEST(the_reason_stands_behind_a_long_path)
{
    static const char *const parts[] = { "/folder", "/a b", "/\xc3\xa4 \xc3\xb6" };
    char path[6001];
    size_t at;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t part = strlen(parts[i]);
        for (size_t k = 0; k < sizeof path - 1; k++)
            path[k] = parts[i][k % part];
        path[sizeof path - 1] = '\0';
        errno = ENAMETOOLONG;
        error_system("file %s", path);
        const char *text = error_message();
        assert_ptr_equal(strstr(text, "file /"), text);
        assert_non_null(strstr(text, "..."));
        assert_non_null(strstr(text, ": File name too long (errno 36)"));
        assert_int_equal(utf8_check(text, strlen(text), &at), UTF8_FINE);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
