#include "test.h"

#include <time.h>

#include <snug/snug.h>

#include "base/concealed.h"
#include "base/jsontext.h"

/* With a character that JSON escapes, one that URLs do, and one of two bytes. */
#define KEY "n\"k\\/+\xc3\xa9-0123"

static concealed *all;

static int learn(void **state)
{
    all = calloc(1, sizeof *all);
    return !all || concealed_add(all, KEY, strlen(KEY), 0) ||
           concealed_add(all, "plain-key", 9, 1) || concealed_add(all, "plain-key-longer", 16, 2) ||
           concealed_add(all, "shorter", 7, 3) || concealed_add(all, "d83dplain", 9, 3) ||
           concealed_add(all, "\\b-leads", 8, 4);
}

static int forget(void **state)
{
    concealed_free(all);
    free(all);
    return 0;
}

/* "<N>" for each. */
static const char *hide(const char *text, int is_json)
{
    static char out[1000];
    char *to = out;
    concealed_scan s;
    size_t from, used, owner, read = 0;

    concealed_scan_init(&s, all, text, strlen(text), is_json);
    while (concealed_next(&s, &from, &used, &owner)) {
        assert_true(used >= CONCEALED_LEAST);
        memcpy(to, text + read, from - read);
        to += from - read;
        *to++ = '<', *to++ = (char)('0' + owner), *to++ = '>';
        read = from + used;
    }
    memcpy(to, text + read, strlen(text + read) + 1);
    return out;
}

TEST(a_secret_is_found_in_all_its_forms)
{
    static const char *const forms[] = {
        KEY,
        "n%22k%5C%2F%2B%C3%A9-0123",
        "n\\\"k\\\\/+\xc3\xa9-0123",
        "n\\\"k\\\\\\/+\xc3\xa9-0123",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[200];
        snprintf(text, sizeof text, "a%sb", forms[i]);
        assert_string_equal(hide(text, 0), "a<0>b");
    }
    assert_string_equal(hide("x\\b-leads \\\\b-leads", 0), "x<4> <4>");
    assert_string_equal(hide("\"plain-key\" cGxhaW4ta2V5 shorter", 0), "\"<1>\" <1> shorter");
    /* "Zplain-key" and "ZZplain-key", but for what is their neighbours'. */
    assert_string_equal(hide("WnBsYWluLWtleQ== WlpwbGFpbi1rZXk=", 0), "Wn<1>Q== Wlp<1>k=");
}

TEST(the_longest_is_taken)
{
    assert_string_equal(hide("plain-key-longer plain-key-longe", 0), "<2> <1>-longe");
    assert_string_equal(hide("plain-keplain-key", 0), "plain-ke<1>");
}

TEST(json_stays_json)
{
    static const struct pair {
        const char *text, *hidden;
    } pairs[] = {
        { "{\"plain-key\": \"a plain-key\"}", "{\"<1>\": \"a <1>\"}" },
        { "[\"\\nplain-key\\n\", \"\\\\\"]", "[\"\\n<1>\\n\", \"\\\\\"]" },
        /* Its first letter is no escape's second. */
        { "[\"\\n\\\"k\\\\/+\\u00e9-0123\"]", "[\"\\n\\\"k\\\\/+\\u00e9-0123\"]" },
        { "[\"n\\\"k\\\\/+\xc3\xa9-0123\"]", "[\"<0>\"]" },
        { "[\"\\ud83d\\ude00plain-key\", \"\\ud83d\", \"\\u12\"]",
          "[\"\\ud83d\\ude00<1>\", \"\\ud83d\", \"\\u12\"]" },
        /* Nothing begins within the digits of an escape. */
        { "[\"\\ud83dplain\", \"d83dplain\"]", "[\"\\ud83dplain\", \"<3>\"]" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(hide(pairs[i].text, 1), pairs[i].hidden);
}

TEST(nothing_outside_of_strings_is_taken)
{
    concealed other = { 0 };
    concealed_scan s;
    size_t from, used, owner;
    static const char text[] = "{\"a\": 1234567890, \"b\": [\"c\", \"d\"]}";

    assert_int_equal(concealed_add(&other, "1234567890", 10, 0), SNUG_OK);
    assert_int_equal(concealed_add(&other, "c\", \"d\"]", 8, 1), SNUG_OK);
    assert_int_equal(concealed_add(&other, "\": [\"c\", ", 9, 1), SNUG_OK);
    concealed_scan_init(&s, &other, text, sizeof text - 1, 1);
    assert_false(concealed_next(&s, &from, &used, &owner));
    concealed_scan_init(&s, &other, text, sizeof text - 1, 0);
    assert_true(concealed_next(&s, &from, &used, &owner));
    concealed_free(&other);
}

/* What is cut off, at every place: nothing is read behind the end. */
TEST(a_text_may_end_anywhere)
{
    static const char text[] = "\"\\ud83d\\ude00 n\\\\\\\"k\\\\\\\\\\\\\\u002f+\\\\u00e9-0123\" \\";

    for (size_t len = 0; len < sizeof text; len++)
        for (int is_json = 0; is_json < 2; is_json++) {
            char *copy = malloc(len ? len : 1);
            concealed_scan s;
            size_t from, used, owner;
            assert_non_null(copy);
            memcpy(copy, text, len);
            concealed_scan_init(&s, all, copy, len, is_json);
            while (concealed_next(&s, &from, &used, &owner))
                assert_true(from + used <= len);
            free(copy);
        }
}

/* A server may write what keys begin with over and over. */
TEST(beginnings_of_many_take_no_time)
{
    enum { KEYS = 100, BYTES = 2 << 20, SECONDS = 10 };
    concealed *many = calloc(1, sizeof *many);
    char *text = malloc(BYTES);
    concealed_scan s;
    size_t from, used, owner;

    assert_true(many && text);
    for (int i = 0; i < KEYS; i++) {
        char key[32];
        snprintf(key, sizeof key, "s%c-%d-0123456789", 'a' + i % 26, i);
        assert_int_equal(concealed_add(many, key, strlen(key), 0), SNUG_OK);
    }
    for (size_t i = 0; i < BYTES; i++)
        text[i] = "sk"[i % 2];
    text[0] = '"';
    const clock_t before = clock();
    concealed_scan_init(&s, many, text, BYTES, 1);
    assert_false(concealed_next(&s, &from, &used, &owner));
    assert_true(clock() - before < SECONDS * CLOCKS_PER_SEC);
    free(text);
    concealed_free(many);
    free(many);
}

int main(void)
{
    return run_all_tests(learn, forget);
}
