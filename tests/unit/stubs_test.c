#include "test.h"

#include <snug/snug.h>

#include "cli/tools/stubs.h"

static void expect(const stub *items, const size_t *chosen, size_t count, size_t doc_bytes,
                   const char *wanted)
{
    str out = { 0 };
    assert_int_equal(stubs_write(&out, items, chosen, count, doc_bytes), SNUG_OK);
    assert_string_equal(str_text(&out), wanted);
    str_free(&out);
}

TEST(tools_of_a_server_are_a_class_wherever_they_stand)
{
    static const stub items[] = {
        { "github.search_issues", "(query: str, state: Literal[\"open\"] = ...) -> dict", "Find." },
        { "upper", "(**arguments: Any) -> Any", "" },
        { "git.log", "() -> str", "" },
        { "github.close", "(number: int) -> Any", "Close it.\n\nArguments:\n    number: Of it.\n" },
    };
    static const size_t all[] = { 0, 1, 2, 3 };
    expect(items, all, 4, 0,
           "class github:\n"
           "    @staticmethod\n"
           "    def search_issues(query: str, state: Literal[\"open\"] = ...) -> dict:\n"
           "        \"\"\"Find.\"\"\"\n"
           "    @staticmethod\n"
           "    def close(number: int) -> Any:\n"
           "        \"\"\"Close it.\n"
           "\n"
           "        Arguments:\n"
           "            number: Of it.\n"
           "        \"\"\"\n"
           "\n"
           "def upper(**arguments: Any) -> Any: ...\n"
           "\n"
           "class git:\n"
           "    @staticmethod\n"
           "    def log() -> str: ...\n");
}

TEST(very_long_types_are_left_out_of_a_search)
{
    static const size_t first[] = { 0 };
    static char name[4001];
    str types = { 0 }, out = { 0 };
    memset(name, 'a', sizeof name - 1);
    str_printf(&types, "(%s: str) -> Any", name);
    const stub item = { "f", types.data, "" };
    expect(&item, first, 1, 10, "def f(**arguments: Any) -> Any: ...\n");
    assert_int_equal(stubs_write(&out, &item, first, 1, 0), SNUG_OK);
    assert_in_range(out.len, 4000, 5000);
    str_free(&types);
    str_free(&out);
}

TEST(only_those_chosen_are_written_in_their_order)
{
    static const stub items[] = { { "a", "() -> Any", "" },
                                  { "b", "() -> Any", "" },
                                  { "c", "() -> Any", "" } };
    static const size_t chosen[] = { 2, 0 };
    expect(items, chosen, 2, 0, "def c() -> Any: ...\n\ndef a() -> Any: ...\n");
    expect(items, chosen, 0, 0, "");
}

TEST(no_docstring_ends_its_string)
{
    static const size_t first[] = { 0 };
    static const struct {
        const char *doc, *written;
    } cases[] = {
        { "a \"\"\" b", "\"\"\"a \\\"\\\"\" b\"\"\"" },
        { "say \"x\"", "\"\"\"say \"x\\\"\"\"\"" },
        { "C:\\new\\", "\"\"\"C:\\\\new\\\\\"\"\"" },
        { "\x1b[31m\x7f", "\"\"\"\\x1b[31m\\x7f\"\"\"" },
        { " a\r\nb ", "\"\"\"a\n    b\n    \"\"\"" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const stub item = { "f", "() -> Any", cases[i].doc };
        str wanted = { 0 };
        str_printf(&wanted, "def f() -> Any:\n    %s\n", cases[i].written);
        expect(&item, first, 1, 0, wanted.data);
        str_free(&wanted);
    }
}

TEST(a_docstring_is_cut_at_a_character)
{
    static const size_t first[] = { 0 };
    static const stub item = { "f", "() -> Any", "abc\xc3\xa9 def" };
    expect(&item, first, 1, 4, "def f() -> Any:\n    \"\"\"abc ...\"\"\"\n");
    expect(&item, first, 1, 9, "def f() -> Any:\n    \"\"\"abc\xc3\xa9 def\"\"\"\n");
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
