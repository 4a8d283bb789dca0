#include "test.h"

#include "policy/files.h"

#include <stdio.h>
#include <string.h>

static const char *pattern(const char *profile, const char *name)
{
    const call_rule *rule = calls_forbidden(profile, name, strlen(name));
    return rule ? rule->pattern : NULL;
}

static void dangerous_calls_are_forbidden_in_every_profile(void **state)
{
    static const char *const names[] = {
        "os.system",     "os.popen",        "os.remove",
        "os.unlink",     "os.rmdir",        "os.removedirs",
        "shutil.rmtree", "subprocess.run",  "subprocess.Popen",
        "os.fork",       "os.execv",        "os.execlpe",
        "os.spawnl",     "os.posix_spawnp", "os.kill",
        "os._exit",      "ctypes.CDLL",     "ctypes.cdll.LoadLibrary",
        "pty.spawn"
    };
    static const char *const profiles[] = { "core", "strict", "data", "mine" };
    for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_non_null(pattern(profiles[p], names[i]));
}

static void strict_forbids_more(void **state)
{
    static const char *const names[] = { "__import__",       "eval",    "exec",
                                         "compile",          "open",    "pathlib.Path",
                                         "pathlib.Path.cwd", "io.open", "importlib.import_module" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_non_null(pattern("strict", names[i]));
        assert_null(pattern("core", names[i]));
    }
}

static void harmless_calls_are_not_forbidden(void **state)
{
    static const char *const names[] = {
        "",           "print",       "math.sqrt", "os",     "os.path.join",
        "re.compile", "subprocess",  "system",    "ctypes", "mysubprocess.run",
        "evaluate",   "x.os.system", "exec."
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(pattern("core", names[i]));
    assert_null(pattern("strict", "re.compile"));
    assert_null(pattern("strict", "evaluate"));
    assert_null(pattern("strict", "openness"));
}

static void a_builtin_is_known_with_and_without_its_module(void **state)
{
    assert_string_equal(pattern("strict", "eval"), "eval");
    assert_string_equal(pattern("strict", "builtins.eval"), "eval");
    assert_string_equal(pattern("strict", "__builtins__.eval"), "eval");
    assert_null(pattern("strict", "builtins."));
    assert_null(pattern("strict", "math.eval"));
}

static void the_whole_name_wins_over_a_pattern(void **state)
{
    /* strict has os.* as well. */
    assert_string_equal(pattern("strict", "os.remove"), "os.remove");
    assert_string_equal(pattern("strict", "os.getcwd"), "os.*");
}

static void a_longer_pattern_wins_over_a_shorter_one(void **state)
{
    assert_string_equal(pattern("strict", "os.execv"), "os.exec*");
}

static void only_the_given_length_is_read(void **state)
{
    assert_null(calls_forbidden("core", "os.system", 6));
    assert_string_equal(calls_forbidden("core", "os.systematic", 9)->pattern, "os.system");
}

static void every_line_says_what_to_do(void **state)
{
    size_t count = 0;
    for (const policy_call *row = policy_calls; row->rule.pattern; row++, count++) {
        assert_true(strlen(row->rule.reason) > 10);
        /* It stands inside a sentence. */
        assert_int_not_equal(row->rule.reason[strlen(row->rule.reason) - 1], '.');
        if (row->profile) {
            char name[64];
            snprintf(name, sizeof name, "%s.txt", row->profile);
            assert_non_null(policy_file_find(name));
        }
    }
    assert_true(count > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dangerous_calls_are_forbidden_in_every_profile),
        cmocka_unit_test(strict_forbids_more),
        cmocka_unit_test(harmless_calls_are_not_forbidden),
        cmocka_unit_test(a_builtin_is_known_with_and_without_its_module),
        cmocka_unit_test(the_whole_name_wins_over_a_pattern),
        cmocka_unit_test(a_longer_pattern_wins_over_a_shorter_one),
        cmocka_unit_test(only_the_given_length_is_read),
        cmocka_unit_test(every_line_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
