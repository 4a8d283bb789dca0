#include "test.h"

#include <snug/snug.h>

#include "base/error.h"
#include "cli/run/ipynb.h"
#include "cli/run/split.h"

/* The cells with a "|" behind each. Free it. */
static char *joined(cell_list *list)
{
    size_t len = 0;
    char *text = calloc(1, 4096);
    assert_non_null(text);
    for (size_t i = 0; i < list->count; i++) {
        assert_int_equal(list->items[i].number, i + 1);
        assert_int_equal(list->items[i].source[list->items[i].len], 0);
        memcpy(text + len, list->items[i].source, list->items[i].len);
        len += list->items[i].len;
        text[len++] = '|';
    }
    cell_list_free(list);
    assert_int_equal(list->count, 0);
    return text;
}

static void divides(const char *text, const char *cells)
{
    cell_list list = { 0 };
    /* Without a NUL behind it, so that a read past the end is seen. */
    char *copy = malloc(strlen(text) + 1);
    memcpy(copy, text, strlen(text));
    assert_int_equal(split_cells(&list, copy, strlen(text)), SNUG_OK);
    free(copy);
    char *found = joined(&list);
    assert_string_equal(found, cells);
    free(found);
}

TEST(a_text_without_markers_is_one_cell)
{
    divides("x = 1\n\nx\n", "x = 1\n\nx\n|");
    divides("x", "x|");
    divides("\xef\xbb\xbfx\n", "\xef\xbb\xbfx\n|");
}

TEST(nothing_and_white_space_are_no_cell)
{
    divides("", "");
    divides(" \t\r\n\f\n", "");
    divides("# %%\n# %%\n\n# %%", "");
}

TEST(a_marker_begins_a_cell)
{
    divides("a\n# %%\nb\n#%%\nc", "a|b|c|");
    divides("# %% a title\nb\n", "b|");
    divides("#  \t%%\nb", "b|");
    divides("# %%%\nb\n# %%[x]\nc", "b|c|");
    divides("\xef\xbb\xbf# %%\nb", "b|");
    divides("\xef\xbb\xbf"
            "a\n# %%\nb",
            "a|b|");
}

TEST(what_only_looks_like_a_marker_is_code)
{
    divides("a\n# %%time\n#%%time x\n", "a\n# %%time\n#%%time x\n|");
    divides("a\n # %%\n", "a\n # %%\n|");
    divides("a # %%\n# % %\n# %", "a # %%\n# % %\n# %|");
    divides("#", "#|");
    divides("#%", "#%|");
}

TEST(strings_are_not_looked_at)
{
    divides("# it's \"\"\"\n# %%\ny", "# it's \"\"\"|y|");
    divides("'\"\"\"'; \"'''\"; ''\n# %%\ny", "'\"\"\"'; \"'''\"; ''|y|");
    divides("it's\n# %%\ny\"\n# %%\nz", "it's|y\"|z|");
    divides("# %% [markdown]\nit's ''' so\n# %%\ny '''", "y '''|");
    divides("a = '''\n# %%\nb\n# %%\nc = \"\"\"\n\"\"\"", "a = '''|b|c = \"\"\"\n\"\"\"|");
}

TEST(a_cell_knows_its_line)
{
    static const char text[] = "a\n# %%\n\nb\n# %% [md]\nx\n# %%\r\nc\r\n";
    static const unsigned lines[] = { 1, 4, 8 };
    cell_list list = { 0 };
    assert_int_equal(split_cells(&list, text, strlen(text)), SNUG_OK);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < list.count; i++)
        assert_int_equal(list.items[i].line, lines[i]);
    cell_list_free(&list);
}

TEST(text_cells_are_passed_over)
{
    divides("# %% [markdown]\n# text\n# %%\na\n# %% title [raw]\nb\n# %% [md]", "a|");
}

TEST(blank_lines_around_a_cell_are_taken_off)
{
    divides("# %%\n\n \n    a\n\n b\n\n\n# %%\nc\n", "    a\n\n b|c|");
}

TEST(line_ends_may_be_of_either_kind)
{
    divides("# %%\r\na\r\nb\r\n# %%\r\nc\r\n", "a\r\nb|c|");
}

TEST(any_byte_stays)
{
    cell_list list = { 0 };
    assert_int_equal(split_cells(&list, "# %%\na\0b\xff\n", 10), SNUG_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].len, 4);
    assert_memory_equal(list.items[0].source, "a\0b\xff", 4);
    cell_list_free(&list);
}

TEST(cells_of_several_texts_are_numbered_through)
{
    cell_list list = { 0 };
    for (int i = 0; i < 20; i++)
        assert_int_equal(split_cells(&list, "# %%\na\n# %%\nb", 14), SNUG_OK);
    assert_int_equal(list.count, 40);
    free(joined(&list));
}

TEST(a_notebook_has_code_cells)
{
    static const char book[] =
        "{\"nbformat\": 4, \"cells\": ["
        "{\"cell_type\": \"markdown\", \"source\": \"# no\"},"
        "{\"cell_type\": \"code\", \"source\": \"a\\nb\"},"
        "{\"cell_type\": \"code\", \"source\": [\"c\\n\", \"d\"]},"
        "{\"cell_type\": \"code\", \"source\": []}, {\"cell_type\": \"code\", \"source\": \" \"}]}";
    cell_list list = { 0 };
    assert_int_equal(ipynb_cells(&list, book, strlen(book)), SNUG_OK);
    char *found = joined(&list);
    assert_string_equal(found, "a\nb|c\nd|");
    free(found);
}

TEST(what_is_no_notebook_is_told)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "{}", "nbformat is missing" },
        { "[]", "nbformat is missing" },
        { "{\"nbformat\": 3}", "nbformat 3" },
        { "{\"nbformat\": 4}", "list of cells" },
        { "{\"nbformat\": 4, \"cells\": {}}", "list of cells" },
        { "{\"nbformat\": 4, \"cells\": [1]}", "cell 1 has no cell_type" },
        { "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\"}]}", "cell 1 has no source" },
        { "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": [1]}]}",
          "cell 1 has a source line" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cell_list list = { 0 };
        assert_int_equal(ipynb_cells(&list, rows[i].text, strlen(rows[i].text)), SNUG_EINVAL);
        assert_non_null(strstr(error_message(), rows[i].says));
        assert_int_equal(list.count, 0);
        cell_list_free(&list);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
