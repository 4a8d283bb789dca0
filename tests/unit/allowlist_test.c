#include "test.h"

#include <snug/snug.h>

#include "base/error.h"
#include "policy/allowlist.h"
#include "policy/files.h"

#include <sys/stat.h>

/* A folder for profiles of the test's own. */
static char dir[] = "/tmp/snug-allowlist-XXXXXX";

static char *in_dir(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void write_bytes(const char *name, const char *text, size_t len)
{
    FILE *file = fopen(in_dir(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void write_profile(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static int make_dir(void **state)
{
    return mkdtemp(dir) ? 0 : -1;
}

static int empty_dir(void **state)
{
    static const char *const names[] = { "a.txt", "b.txt", "c.txt", "core.txt", "calls.txt" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_dir(names[i]));
    return 0;
}

static int remove_dir(void **state)
{
    return rmdir(dir);
}

static allowlist *open_list(const char *profile, const char *from, const char *const *more)
{
    allowlist *list = NULL;
    int error = allowlist_open(&list, profile, from, more);
    if (error)
        print_error("%s\n", error_message());
    assert_int_equal(error, SNUG_OK);
    assert_non_null(list);
    return list;
}

static allow_verdict verdict(const allowlist *list, const char *module)
{
    return allowlist_verdict(list, module, strlen(module));
}

TEST_WITH(a_byte_order_mark_is_passed_over, NULL, empty_dir)
{
    write_profile("a.txt", "\xef\xbb\xbfmath  numbers\n");
    allowlist *list = open_list(in_dir("a.txt"), NULL, NULL);
    assert_int_equal(verdict(list, "math"), ALLOW_PUBLIC);
    allowlist_close(list);
    write_profile("a.txt", "\xef\xbb\xbf");
    allowlist_close(open_list(in_dir("a.txt"), NULL, NULL));
}

TEST_WITH(the_core_profile_has_the_modules_of_agent_code, NULL, empty_dir)
{
    static const char *const names[] = {
        "math", "cmath", "random", "statistics", "fractions", "decimal", "numbers", "itertools",
        "functools", "operator", "collections", "heapq", "bisect", "array", "copy", "string", "re",
        "textwrap", "unicodedata", "difflib", "pprint", "reprlib", "typing", "types", "dataclasses",
        "enum", "abc", "contextlib", "__future__", "warnings", "datetime", "calendar", "time",
        "zoneinfo", "json", "csv", "base64", "binascii", "hashlib", "hmac", "struct", "zlib",
        "html", "secrets", "uuid", "io", "sys", "ast", "doctest", "unittest", "timeit", "traceback",
        "queue", "graphlib", "copyreg", "weakref", "keyword", "builtins", "this", "asyncio",
        "inspect", "collections.abc", "html.parser", "urllib.parse", "__main__",
        /* C code imports these with the cell's frame. */
        "_strptime", "_datetime", "_io", "_pylong", "_pydecimal", "encodings",
        "_sysconfigdata__linux_x86_64-linux-gnu"
    };
    allowlist *list = open_list("core", NULL, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(verdict(list, names[i]), ALLOW_PUBLIC);
    assert_string_equal(allowlist_profile(list), "core");
    allowlist_close(list);
}

TEST_WITH(no_profile_has_what_reaches_memory_or_the_kernel, NULL, empty_dir)
{
    static const char *const names[] = { "ctypes",
                                         "_ctypes",
                                         "cffi",
                                         "multiprocessing",
                                         "_multiprocessing",
                                         "_posixshmem",
                                         "pty",
                                         "mmap",
                                         "fcntl",
                                         "resource",
                                         "marshal",
                                         "faulthandler",
                                         "tracemalloc",
                                         "readline",
                                         "pwd",
                                         "grp",
                                         "ssl",
                                         "http",
                                         "http.client",
                                         "runpy",
                                         "site",
                                         "_interpreters",
                                         "_xxsubinterpreters",
                                         "syslog",
                                         "termios",
                                         "tty",
                                         "spwd",
                                         "numpy",
                                         "nosuchmodule" };
    for (const policy_file *file = policy_files; file->name; file++) {
        char profile[32];
        snprintf(profile, sizeof profile, "%.*s", (int)strcspn(file->name, "."), file->name);
        allowlist *list = open_list(profile, NULL, NULL);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_int_equal(verdict(list, names[i]), ALLOW_NEVER);
        allowlist_close(list);
    }
}

TEST_WITH(the_core_profile_keeps_files_and_processes_from_cells, NULL, empty_dir)
{
    static const char *const names[] = { "os",
                                         "os.path",
                                         "posix",
                                         "subprocess",
                                         "socket",
                                         "_socket",
                                         "threading",
                                         "signal",
                                         "gc",
                                         "shutil",
                                         "importlib",
                                         "importlib.util",
                                         "pkgutil",
                                         "locale",
                                         "atexit",
                                         "urllib",
                                         "urllib.request",
                                         "pickle",
                                         "concurrent.futures",
                                         "_thread" };
    allowlist *list = open_list("core", NULL, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(verdict(list, names[i]), ALLOW_INTERNAL);
    allowlist_close(list);
}

TEST_WITH(the_strict_profile_has_less_than_core, NULL, empty_dir)
{
    static const char *const without[] = { "inspect",   "asyncio", "unittest", "doctest",  "timeit",
                                           "traceback", "sys",     "ast",      "builtins", "os" };
    allowlist *strict = open_list("strict", NULL, NULL);
    allowlist *core = open_list("core", NULL, NULL);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_int_not_equal(verdict(strict, without[i]), ALLOW_PUBLIC);
    for (size_t i = 0; i < allowlist_count(strict); i++)
        assert_int_equal(verdict(core, allowlist_name(strict, i)), ALLOW_PUBLIC);
    assert_true(allowlist_count(strict) < allowlist_count(core));
    allowlist_close(strict);
    allowlist_close(core);
}

TEST_WITH(the_data_profile_is_core_and_files, NULL, empty_dir)
{
    static const char *const names[] = { "os",
                                         "pathlib",
                                         "logging",
                                         "pickle",
                                         "tempfile",
                                         "sqlite3",
                                         "gzip",
                                         "zipfile",
                                         "xml",
                                         "os.path",
                                         "xml.etree.ElementTree" };
    allowlist *data = open_list("data", NULL, NULL);
    allowlist *core = open_list("core", NULL, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(verdict(data, names[i]), ALLOW_PUBLIC);
    for (size_t i = 0; i < allowlist_count(core); i++)
        assert_int_equal(verdict(data, allowlist_name(core, i)), ALLOW_PUBLIC);
    assert_int_equal(verdict(data, "subprocess"), ALLOW_INTERNAL);
    assert_int_equal(verdict(data, "xml.sax"), ALLOW_INTERNAL);
    allowlist_close(data);
    allowlist_close(core);
}

TEST_WITH(the_longest_prefix_with_a_line_decides, NULL, empty_dir)
{
    write_profile("a.txt",
                  "pkg  a reason\npkg.inner (internal)  a reason\npkg.inner.open  again\n");
    allowlist *list = open_list("a", dir, NULL);
    assert_int_equal(verdict(list, "pkg"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "pkg.other.deep"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "pkg.inner"), ALLOW_INTERNAL);
    assert_int_equal(verdict(list, "pkg.inner.x"), ALLOW_INTERNAL);
    assert_int_equal(verdict(list, "pkg.inner.open.x"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "pkginner"), ALLOW_NEVER);
    assert_int_equal(verdict(list, "pk"), ALLOW_NEVER);
    allowlist_close(list);
}

TEST_WITH(a_name_with_odd_characters_is_never_allowed, NULL, empty_dir)
{
    allowlist *list = open_list("core", NULL, NULL);
    assert_int_equal(allowlist_verdict(list, "math\0", 5), ALLOW_NEVER);
    assert_int_equal(allowlist_verdict(list, "math\0.x", 7), ALLOW_NEVER);
    assert_int_equal(allowlist_verdict(list, "mathematics", 4), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, ""), ALLOW_NEVER);
    assert_int_equal(verdict(list, ".math"), ALLOW_NEVER);
    assert_int_equal(verdict(list, "math "), ALLOW_NEVER);
    assert_int_equal(verdict(list, "Math"), ALLOW_NEVER);
    allowlist_close(list);

    write_profile("a.txt", "ab x");
    list = open_list("a", dir, NULL);
    assert_int_equal(allowlist_verdict(list, "ab\0\0", 4), ALLOW_NEVER);
    allowlist_close(list);
}

TEST_WITH(comments_blanks_and_line_ends_of_any_kind_are_read, NULL, empty_dir)
{
    write_profile("a.txt",
                  "# a comment\r\n\r\n   # another\n\t math \t pure\r\n_io\t(internal)\tx\n"
                  "cmath no line end");
    allowlist *list = open_list("a", dir, NULL);
    assert_int_equal(verdict(list, "math"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "_io"), ALLOW_INTERNAL);
    assert_int_equal(verdict(list, "cmath"), ALLOW_PUBLIC);
    assert_int_equal(allowlist_count(list), 2);
    allowlist_close(list);
}

TEST_WITH(an_empty_profile_allows_nothing, NULL, empty_dir)
{
    write_profile("a.txt", "");
    allowlist *list = open_list("a", dir, NULL);
    assert_int_equal(verdict(list, "math"), ALLOW_NEVER);
    assert_int_equal(allowlist_count(list), 0);
    assert_null(allowlist_name(list, 0));
    allowlist_close(list);
}

/* Opening a.txt with that text fails with that message. */
static void assert_fault(const char *text, size_t len, const char *message)
{
    char expected[512];
    allowlist *list = NULL;
    write_bytes("a.txt", text, len);
    assert_int_equal(allowlist_open(&list, "a", dir, NULL), SNUG_EPOLICY);
    assert_null(list);
    snprintf(expected, sizeof expected, "profile %s%s", in_dir("a.txt"), message);
    assert_string_equal(error_message(), expected);
}

TEST_WITH(a_line_that_can_not_be_read_is_named, NULL, empty_dir)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        { "math pure\nos (secret) x\n", ", line 2: unknown word \"secret\" in parentheses" },
        { "os () x\n", ", line 1: unknown word \"\" in parentheses" },
        { "os (internal x\n", ", line 1: a parenthesis is not closed" },
        { "\n\nma-th. pure\n", ", line 3: \"ma-th.\" is not a module's name" },
        { "9p pure\n", ", line 1: \"9p\" is not a module's name" },
        { "-p pure\n", ", line 1: \"-p\" is not a module's name" },
        { "a..b pure\n", ", line 1: \"a..b\" is not a module's name" },
        { "os(internal) x\n", ", line 1: \"os(internal)\" is not a module's name" },
        { "math\n", ", line 1: math has no reason" },
        { "os (internal)  \n", ", line 1: os has no reason" },
        { "include\n", ", line 1: include has no reason" },
        { "include no/such\n", ", line 1: \"no/such\" is not a profile's name" },
        { "include calls\n", ", line 1: \"calls\" is not a profile's name" },
        { "math x\n\ninclude nosuch\n", ", line 3: there is no profile \"nosuch\" to include" },
        { "include a\n", ", line 1: including a here makes a circle" },
        { "math x\ncmath x\nmath (internal) y\n", ", line 3: math stands on line 1 already" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fault(cases[i].text, strlen(cases[i].text), cases[i].message);
    assert_fault("math x\nos x\0y\n", 14, ", line 2: it has a NUL byte");
    assert_fault("math x\n\xff x\n", 12, ", line 2: it is not UTF-8");
}

TEST_WITH(a_profile_has_an_upper_size, NULL, empty_dir)
{
    size_t len = (1 << 20) + 1;
    char *text = malloc(len);
    assert_non_null(text);
    memset(text, '\n', len);
    assert_fault(text, len, ": larger than 1 MiB");
    write_bytes("a.txt", text, len - 1);
    allowlist_close(open_list("a", dir, NULL));
    free(text);
}

TEST_WITH(a_circle_of_profiles_is_named, NULL, empty_dir)
{
    allowlist *list = NULL;
    char expected[256];
    write_profile("a.txt", "include b\n");
    write_profile("b.txt", "math x\ninclude a\n");
    assert_int_equal(allowlist_open(&list, "a", dir, NULL), SNUG_EPOLICY);
    snprintf(expected, sizeof expected, "profile %s, line 2: including a here makes a circle",
             in_dir("b.txt"));
    assert_string_equal(error_message(), expected);
}

TEST_WITH(a_profile_may_be_included_twice, NULL, empty_dir)
{
    write_profile("a.txt", "include b\ninclude c\n");
    write_profile("b.txt", "include c\nmath x\n");
    write_profile("c.txt", "cmath x\n");
    allowlist *list = open_list("a", dir, NULL);
    assert_int_equal(verdict(list, "math"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "cmath"), ALLOW_PUBLIC);
    allowlist_close(list);
}

TEST_WITH(a_line_wins_over_an_included_one, NULL, empty_dir)
{
    write_profile("a.txt", "include b\nos  now for all\nmath (internal)  now for none\n");
    write_profile("b.txt", "os (internal)  x\nmath  x\n");
    allowlist *list = open_list("a", dir, NULL);
    assert_int_equal(verdict(list, "os"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "math"), ALLOW_INTERNAL);
    allowlist_close(list);
}

TEST_WITH(a_profile_by_path_includes_its_neighbours_and_the_built_in_ones, NULL, empty_dir)
{
    write_profile("a.txt", "include b\ninclude strict\n");
    write_profile("b.txt", "mine x\n");
    allowlist *list = open_list(in_dir("a.txt"), NULL, NULL);
    assert_int_equal(verdict(list, "mine"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "math"), ALLOW_PUBLIC);
    assert_string_equal(allowlist_profile(list), "a");
    allowlist_close(list);
}

TEST_WITH(a_profile_that_is_not_there_is_told_with_those_that_are, NULL, empty_dir)
{
    char expected[256];
    allowlist *list = NULL;
    assert_int_equal(allowlist_open(&list, "nosuch", NULL, NULL), SNUG_ENOTFOUND);
    assert_string_equal(error_message(),
                        "there is no profile \"nosuch\"; there are: core, strict, data");
    assert_int_equal(allowlist_open(&list, "calls", NULL, NULL), SNUG_ENOTFOUND);
    assert_int_equal(allowlist_open(&list, "", NULL, NULL), SNUG_ENOTFOUND);
    assert_int_equal(allowlist_open(&list, "core.txt", NULL, NULL), SNUG_ENOTFOUND);

    assert_int_equal(allowlist_open(&list, "x", dir, NULL), SNUG_ENOTFOUND);
    snprintf(expected, sizeof expected, "there is no profile \"x\" in %s; there is none", dir);
    assert_string_equal(error_message(), expected);
    write_profile("b.txt", "math x\n");
    write_profile("a.txt", "math x\n");
    write_profile("calls.txt", "a table\n");
    assert_int_equal(allowlist_open(&list, "core", dir, NULL), SNUG_ENOTFOUND);
    snprintf(expected, sizeof expected, "there is no profile \"core\" in %s; there are: a, b", dir);
    assert_string_equal(error_message(), expected);
    assert_null(list);
}

TEST_WITH(an_unreadable_profile_is_told_with_its_path, NULL, empty_dir)
{
    char expected[256];
    allowlist *list = NULL;
    assert_int_equal(allowlist_open(&list, "/nosuch/a.txt", NULL, NULL), SNUG_ENOTFOUND);
    assert_string_equal(error_message(), "profile /nosuch/a.txt: No such file or directory");

    assert_int_equal(allowlist_open(&list, "/dev/null/a.txt", NULL, NULL), SNUG_EPOLICY);
    assert_string_equal(error_message(), "profile /dev/null/a.txt: Not a directory");

    assert_int_equal(allowlist_open(&list, "/dev/zero", NULL, NULL), SNUG_EPOLICY);
    assert_string_equal(error_message(), "profile /dev/zero: not a regular file");

    assert_int_equal(mkfifo(in_dir("a.txt"), 0600), 0);
    assert_int_equal(allowlist_open(&list, "a", dir, NULL), SNUG_EPOLICY);
    snprintf(expected, sizeof expected, "profile %s: not a regular file", in_dir("a.txt"));
    assert_string_equal(error_message(), expected);
    assert_null(list);
}

TEST_WITH(additions_are_public, NULL, empty_dir)
{
    static const char *const more[] = { "sympy", "os", "a.b", "sympy", NULL };
    allowlist *list = open_list("core", NULL, more);
    assert_int_equal(verdict(list, "sympy"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "sympy.core"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "os"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "a.b"), ALLOW_PUBLIC);
    assert_int_equal(verdict(list, "a"), ALLOW_NEVER);
    allowlist_close(list);
}

TEST_WITH(an_addition_must_be_a_module_name, NULL, empty_dir)
{
    static const char *const names[] = { "", "a b", "a/b", "../x", "a.", "1a", "a-b", "os\n" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const more[] = { "sympy", names[i], NULL };
        allowlist *list = NULL;
        assert_int_equal(allowlist_open(&list, "core", NULL, more), SNUG_EINVAL);
        assert_null(list);
    }
    assert_string_equal(error_message(), "\"os\n\" cannot be allowed: not a module's name");
}

TEST_WITH(public_names_are_listed_in_order, NULL, empty_dir)
{
    allowlist *list = open_list("core", NULL, NULL);
    size_t count = allowlist_count(list);
    assert_true(count >= 59);
    for (size_t i = 0; i < count; i++) {
        const char *name = allowlist_name(list, i);
        assert_int_equal(verdict(list, name), ALLOW_PUBLIC);
        assert_true(name[0] != '_' || name[1] == '_');
        if (i)
            assert_true(strcmp(allowlist_name(list, i - 1), name) < 0);
    }
    assert_null(allowlist_name(list, count));
    allowlist_close(list);
}

TEST_WITH(an_explanation_says_what_to_use, NULL, empty_dir)
{
    static const struct {
        const char *profile;
        const char *module;
        int exists;
        const char *text;
    } cases[] = {
        { "core", "numpy", 0,
          "numpy is not available in this session; use math, statistics and lists or array" },
        { "core", "numpy.linalg", 0,
          "numpy.linalg is not available in this session; use math, statistics and lists or "
          "array" },
        { "core", "subprocess", 1,
          "module 'subprocess' is not allowed in this session (profile core): a session cannot "
          "start processes" },
        { "core", "maths", 0, "maths is not available in this session; did you mean math?" },
        { "core", "maths.trig", 0,
          "maths.trig is not available in this session; did you mean math?" },
        { "core", "quux_zork", 0,
          "quux_zork is not available in this session; snug packages install adds packages, "
          "outside "
          "of sessions" },
        { "core", "sndhdr", 1, "module 'sndhdr' is not allowed in this session (profile core)" },
        { "core", "pathlib", 1,
          "module 'pathlib' is not allowed in this session (profile core): use open() with a "
          "path in the work directory; str.rpartition splits paths; profile data has it" },
        { "strict", "pathlib", 1,
          "module 'pathlib' is not allowed in this session (profile strict): a calculation needs "
          "no files; put the data into the code; profile data has it" },
        { "strict", "inspect", 1,
          "module 'inspect' is not allowed in this session (profile strict): a calculation needs "
          "nothing of the interpreter; profile core has it" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        allowlist *list = open_list(cases[i].profile, NULL, NULL);
        allowlist_explain(list, cases[i].module, cases[i].exists, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        allowlist_close(list);
    }
}

TEST_WITH(an_explanation_is_cut_to_fit_at_a_character, NULL, empty_dir)
{
    char text[64];
    char name[2001];
    allowlist *list = open_list("core", NULL, NULL);
    memset(text, 'x', sizeof text);
    allowlist_explain(list, "numpy", 0, text, 10);
    assert_string_equal(text, "numpy is ");
    allowlist_explain(list, "\xc3\xa9\xc3\xa9", 0, text, 4);
    assert_string_equal(text, "\xc3\xa9");
    allowlist_explain(list, "numpy", 0, text, 1);
    assert_string_equal(text, "");
    text[0] = 'x';
    allowlist_explain(list, "numpy", 0, text, 0);
    assert_int_equal(text[0], 'x');

    /* A name of any length leaves room for the rest of the sentence. */
    char whole[512];
    for (size_t i = 0; i < sizeof name - 1; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[sizeof name - 1] = '\0';
    allowlist_explain(list, name, 0, whole, sizeof whole);
    assert_non_null(strstr(whole, "... is not available in this session"));
    memset(name, '.', sizeof name - 1);
    allowlist_explain(list, name, 0, whole, sizeof whole);
    allowlist_close(list);
}

/* Whether explanations in the profile of list show the row. */
static int is_shown(const policy_alternative *row, const allowlist *list)
{
    const char *profile = allowlist_profile(list);

    if (verdict(list, row->module) == ALLOW_PUBLIC)
        return 0;
    if (row->profile)
        return strcmp(row->profile, profile) == 0;
    for (const policy_alternative *own = policy_alternatives; own->module; own++)
        if (own->profile && strcmp(own->profile, profile) == 0 &&
            strcmp(own->module, row->module) == 0)
            return 0;
    return 1;
}

/* How many words of the text are modules of some profile that cells may not
 * import in this one. */
static size_t count_refused(const char *text, const allowlist *list, const allowlist *all)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    size_t refused = 0;

    for (size_t len; *text; text += len ? len : 1) {
        len = strspn(text, letters);
        size_t name = len;
        while (name && text[name - 1] == '.')
            name--;
        /* A word of English. */
        if (name == 4 && memcmp(text, "code", 4) == 0)
            continue;
        if (allowlist_verdict(list, text, name) == ALLOW_PUBLIC ||
            allowlist_verdict(all, text, name) == ALLOW_NEVER)
            continue;
        print_error("profile %s does not have %.*s\n", allowlist_profile(list), (int)name, text);
        refused++;
    }
    return refused;
}

/* A hint must not lead to the next refusal. */
TEST_WITH(alternatives_name_modules_of_the_profile, NULL, empty_dir)
{
    static const char *const profiles[] = { "core", "strict", "data" };
    size_t refused = 0;
    allowlist *all = open_list("data", NULL, NULL);
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        allowlist *list = open_list(profiles[i], NULL, NULL);
        for (const policy_alternative *row = policy_alternatives; row->module; row++)
            if (is_shown(row, list))
                refused += count_refused(row->text, list, all);
        allowlist_close(list);
    }
    allowlist_close(all);
    assert_int_equal(refused, 0);
}

TEST_WITH(alternatives_stand_inside_a_sentence, NULL, empty_dir)
{
    size_t count = 0;
    for (const policy_alternative *row = policy_alternatives; row->module; row++, count++) {
        char first = row->text[0];
        assert_true(first < 'A' || first > 'Z');
        assert_int_not_equal(row->text[strlen(row->text) - 1], '.');
    }
    assert_true(count >= 60);
}

int main(void)
{
    return run_all_tests(make_dir, remove_dir);
}
