/* Patterns that programs must not have, and the commands of a script of bash. */
#include "test.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/str.h"
#include "policy/forbid.h"
#include "policy/shellwords.h"

static forbid_list *list_of(const char *const *patterns)
{
    forbid_list *list = NULL;
    assert_int_equal(forbid_open(&list, patterns), SNUG_OK);
    return list;
}

TEST(a_name_stands_for_itself_and_what_is_below_it)
{
    static const char *const patterns[] = { "/os/", "os.path", "apt-get", "g++", NULL };
    static const struct {
        const char *name, *pattern;
    } cases[] = {
        { "os", NULL },
        { "os.path", "os.path" },
        { "os.path.join", "os.path" },
        { "os.pathlike", NULL },
        { "apt-get", "apt-get" },
        { "g++", "g++" },
        { "apt-get.x", "apt-get" },
        { "", NULL },
        { "apt", NULL },
    };
    forbid_list *list = list_of(patterns);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = forbid_name(list, cases[i].name, strlen(cases[i].name));
        if (cases[i].pattern)
            assert_string_equal(found, cases[i].pattern);
        else
            assert_null(found);
    }
    forbid_close(list);
    assert_null(forbid_name(NULL, "os", 2));
}

TEST(each_expression_is_found_in_a_line_once)
{
    static const char *const patterns[] = { "a", "/b+/", "/^x/", "/(c|d)$/", NULL };
    static const char line[] = "abbd\nx";
    forbid_list *list = list_of(patterns);
    forbid_place place;
    size_t index = 0;
    assert_string_equal(forbid_line(list, &index, line, 4, &place), "/b+/");
    assert_int_equal(place.at, 1);
    assert_int_equal(place.len, 2);
    assert_string_equal(forbid_line(list, &index, line, 4, &place), "/(c|d)$/");
    assert_int_equal(place.at, 3);
    assert_null(forbid_line(list, &index, line, 4, &place));
    forbid_close(list);
}

TEST(what_is_no_pattern_is_refused_with_a_sentence)
{
    static const char *const wrong[] = { "",  "a b",  "/",  "//",  "/a",  "a/",  ".a", "a.",
                                         "1", "a..b", "-x", "/(/", "/[/", "rm;", NULL };
    for (size_t i = 0; wrong[i]; i++) {
        const char *const patterns[] = { "fine", "/fine/", wrong[i], NULL };
        forbid_list *list = NULL;
        char start[64];
        assert_int_equal(forbid_open(&list, patterns), SNUG_EINVAL);
        assert_null(list);
        snprintf(start, sizeof start, "the pattern \"%s\" to forbid is ", wrong[i]);
        assert_memory_equal(error_message(), start, strlen(start));
    }
}

/* ---- bash ---- */

static int add_word(void *payload, const char *word, size_t len, size_t at)
{
    str *out = payload;
    return str_append(out, word, len) || str_add(out, "|");
}

static void assert_commands(const char *script, const char *expected)
{
    str out = { 0 };
    assert_int_equal(shellwords_commands(script, strlen(script), add_word, &out), 0);
    assert_string_equal(str_text(&out), expected);
    str_free(&out);
}

TEST(commands_are_the_first_words_of_what_runs)
{
    static const char *const cases[][2] = {
        { "", "" },
        { "rm -rf x", "rm|" },
        { "a; b & c && d || e | f |& g", "a|b|c|d|e|f|g|" },
        { "a\nb\\\nc d\n", "a|bc|" },
        { "# rm\na # rm\n", "#|a|" },
        { "X=1 Y+=2 z[0]=3 a X=1", "a|" },
        { "if a; then b; elif c; then d; else e; fi", "a|b|c|d|e|fi|" },
        { "while ! a; do b; done", "a|b|done|" },
        { "for x in rm; do a; done", "for|a|done|" },
        { "(a; b) | { c; }", "a|b|c|" },
        { "f() { a; }", "f|a|" },
        { "'r'\"m\" x; \\rm", "rm|rm|" },
        { "echo 'rm; a' \"rm a\"", "echo|a|" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_commands(cases[i][0], cases[i][1]);
}

TEST(commands_in_substitutions_count)
{
    static const char *const cases[][2] = {
        { "x=$(a b | c)", "a|c|" },       { "echo \"is $(a \"$(b)\")\"", "echo|a|b|" },
        { "echo `a b; c`", "echo|a|c|" }, { "echo '$(a)' \\$x", "echo|a|$x|" },
        { "a <(b c) > >(d)", "a|b|d|" },  { "echo $((i << 2))\na", "echo|i|a|" },
        { "((i << 2))\na", "i|a|" },      { "echo ${x:-$(a)}", "echo|a|" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_commands(cases[i][0], cases[i][1]);
}

TEST(words_behind_a_command_that_runs_others_count)
{
    static const char *const cases[][2] = {
        { "sudo -n rm x", "sudo|rm|x|" },
        { "bash -c 'rm x; curl y'", "bash|rm|x|curl|" },
        { "find . -exec rm {} \\;", "find|.|rm|{}|;|" },
        { "xargs -n 1 curl | rm", "xargs|1|curl|rm|" },
        { "echo sudo rm", "echo|" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_commands(cases[i][0], cases[i][1]);
}

TEST(files_are_no_commands)
{
    static const char *const cases[][2] = {
        { "a > rm 2>&1 < b", "a|" },
        { "> x a", "a|" },
        { "cat <<E\nrm x\nE\na", "cat|rm|E|a|" },
        { "cat <<-'E' | b; c", "cat|b|c|" },
        { "cat <<E", "cat|" },
        { "cat <<< rm; a", "cat|a|" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_commands(cases[i][0], cases[i][1]);
}

TEST(a_script_that_has_no_end_is_read_to_its_end)
{
    static const char *const scripts[] = { "a '",  "a \"", "a $(",     "a `",         "a $((",
                                           "a \\", "a <<", "a $(b 'c", "bash -c '$(", "a\"`$(\"`" };
    str out = { 0 };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        assert_int_equal(shellwords_commands(scripts[i], strlen(scripts[i]), add_word, &out), 0);
        assert_true(out.len > 0);
        str_clear(&out);
    }
    assert_int_equal(shellwords_commands("a\0b", 3, add_word, &out), 0);
    str_free(&out);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
