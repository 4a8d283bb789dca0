#include "test.h"

#include "cli/mcp/handles.h"

TEST(a_handle_is_found_by_its_owner_only)
{
    handles all = { 0 };
    handle *h = handles_make(&all, "ada", 0);
    assert_non_null(h);
    assert_true(handle_is_name(h->name));
    assert_ptr_equal(handles_find(&all, "ada", h->name), h);
    assert_null(handles_find(&all, "bob", h->name));
    assert_null(handles_find(&all, "ada", "py_aaaaaaaaaaaaaaaaaaaaaa"));
    h->is_gone = 1;
    assert_null(handles_find(&all, "ada", h->name));
    handles_free(&all);
}

TEST(names_say_the_language_and_never_meet)
{
    handles all = { 0 };
    handle *python = handles_make(&all, "ada", 0), *bash = handles_make(&all, "ada", 1);
    assert_memory_equal(python->name, "py_", 3);
    assert_memory_equal(bash->name, "sh_", 3);
    assert_string_not_equal(python->name + 3, bash->name + 3);
    assert_true(handles_know(&all, "ada", "sh_aaaaaaaaaaaaaaaaaaaaaa")->is_bash);
    handles_free(&all);
}

TEST(what_is_no_name_is_none)
{
    static const char *const wrong[] = { "",
                                         "py_",
                                         "py_aaaaaaaaaaaaaaaaaaaaa",
                                         "xx_aaaaaaaaaaaaaaaaaaaaaa",
                                         "py_aaaaaaaaaaaaaaaaaaaaa1",
                                         "py_aaaaaaaaaaaaaaaaaaaaaA",
                                         "py_aaaaaaaaaaaaaaaaaaaaaaa",
                                         "py_../../../../../../.." };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(handle_is_name(wrong[i]));
}

TEST(those_that_are_in_use_are_not_forgotten)
{
    handles all = { 0 };
    handle *used = handles_make(&all, "ada", 0);
    used->calls = 1;
    used->used_ns = 0;
    for (int i = 0; i < 10; i++)
        assert_non_null(handles_make(&all, "ada", 0));
    handles_trim(&all, 3);
    assert_int_equal(all.count, 3);
    assert_ptr_equal(handles_find(&all, "ada", used->name), used);
    handles_free(&all);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
