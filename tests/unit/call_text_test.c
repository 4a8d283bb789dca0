/* What somebody reads who is asked about a call. */
#include "test.h"

#include "cli/tools/call_text.h"

/* Of the library. */
const char *snug_call_name(const snug_call *call);
const char *snug_call_arguments(const snug_call *call);

const char *snug_call_name(const snug_call *call)
{
    return "f";
}

const char *snug_call_arguments(const snug_call *call)
{
    return "{}";
}

static void check(const char *arguments, const char *wanted)
{
    str out = { 0 };
    assert_int_equal(call_text_of(&out, "f", arguments), SNUG_OK);
    assert_string_equal(str_text(&out), wanted);
    str_free(&out);
}

TEST(a_call_reads_as_a_program_writes_it)
{
    check("{}", "f()");
    check("{ \"a\" : 1, \"b\":[true,\n null,{\"c d\":-1.5e3}, []], \"c\": \"x \\\"y\\\" \\\\n\"}",
          "f(a=1, b=[true, null, {\"c d\": -1.5e3}, []], c=\"x \\\"y\\\" \\\\n\")");
    check("{\"a b\": 1, \"\": 2, \"x=1)\": 3}", "f(\"a b\"=1, \"\"=2, \"x=1)\"=3)");
}

TEST(what_is_not_seen_stands_as_its_escape)
{
    check("{\"a\": \"x\xe2\x80\x8by\xc2\xad\xc2\xa0\xe2\x80\xa8z\"}",
          "f(a=\"x\\u200by\\u00ad\\u00a0\\u2028z\")");
    check("{\"a\": \"\xe2\x80\xaegnp.exe\xef\xbb\xbf\xe3\x85\xa4\"}",
          "f(a=\"\\u202egnp.exe\\ufeff\\u3164\")");
    check("{\"a\": \"\xf3\xa0\x81\xa1\"}", "f(a=\"\\udb40\\udc61\")");
    check("{\"a\": \"\xc3\xa9\xe6\x97\xa5\xf0\x9f\x93\x88\"}",
          "f(a=\"\xc3\xa9\xe6\x97\xa5\xf0\x9f\x93\x88\")");
    check("{\"a\xe2\x80\x8b\": \"\x7f\xc2\x9b\"}", "f(\"a\\u200b\"=\"^?\\x9b\")");
}

static char *repeat(const char *piece, size_t count)
{
    const size_t len = strlen(piece);
    char *text = calloc(count * len + 1, 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * len, piece, len);
    return text;
}

static void check_shown(const char *before, const char *piece, size_t count, const char *behind,
                        const char *const *shown)
{
    char *many = repeat(piece, count);
    str json = { 0 }, out = { 0 };

    assert_int_equal(str_printf(&json, "%s", before), SNUG_OK);
    assert_int_equal(str_add(&json, many), SNUG_OK);
    assert_int_equal(str_add(&json, behind), SNUG_OK);
    assert_int_equal(call_text_of(&out, "f", str_text(&json)), SNUG_OK);
    for (; *shown; shown++)
        if (!strstr(str_text(&out), *shown))
            fail_msg("%s is not in %s", *shown, str_text(&out));
    assert_true(out.len < 6000);
    str_free(&json);
    str_free(&out);
    free(many);
}

TEST(no_argument_hides_another_one)
{
    static const char *const behind[] = { "f(text=\"yyyy", "\"... (",
                                          " more bytes), path=\"/etc/passwd\")", NULL };
    static const char *const within[] = { "edit={\"text\": \"yyyy",
                                          " more bytes), \"path\": \"/etc/x\"})", NULL };
    static const char *const list[] = { "f(edits=[{\"a\": \"bc\"}, {",
                                        " more bytes), path=\"/etc/passwd\")", NULL };
    static const char *const names[] = { "f(\"nnnn", "\"... (", " more bytes)=1, path=\"/x\")",
                                         NULL };
    static const char *const count[] = { "f(a0=1, a0=1, ", ", ... (61 more arguments))", NULL };

    check_shown("{\"text\": \"", "y", 100000, "\", \"path\": \"/etc/passwd\"}", behind);
    check_shown("{\"edit\": {\"text\": \"", "y", 100000, "\", \"path\": \"/etc/x\"}}", within);
    check_shown("{\"edits\": [", "{\"a\": \"bc\"}, ", 5000, "1], \"path\": \"/etc/passwd\"}", list);
    check_shown("{\"", "n", 100000, "\": 1, \"path\": \"/x\"}", names);
    check_shown("{", "\"a0\": 1, ", 100, "\"b\": 2}", count);
}

TEST(a_cut_splits_no_character_and_no_escape)
{
    static const char *const pieces[] = { "\\u00e9", "\\\"", "\xe6\x97\xa5", "\xf3\xa0\x81\xa1",
                                          "\xc3\xa9" };

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (size_t shift = 0; shift < 7; shift++) {
            char *many = repeat(pieces[i], 4000);
            str json = { 0 }, out = { 0 };
            assert_int_equal(str_printf(&json, "{\"a\": \"%.*s%s\"}", (int)shift, "abcdefg", many),
                             SNUG_OK);
            assert_int_equal(call_text_of(&out, "f", str_text(&json)), SNUG_OK);
            const char *end = strstr(str_text(&out), "\"... (");
            assert_non_null(end);
            if (i != 3)
                assert_memory_equal(end - strlen(pieces[i]), pieces[i], strlen(pieces[i]));
            assert_null(strchr(str_text(&out), '?'));
            str_free(&json);
            str_free(&out);
            free(many);
        }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
