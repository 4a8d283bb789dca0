#include "test.h"

#include <snug/snug.h>

#include "cli/tools/find.h"

static const stub tools[] = {
    { "github.search_issues", "", "Search for issues and pull requests." },
    { "github.create_repository", "", "Create a new repository in your account." },
    { "github.getUser", "", "Details of somebody." },
    { "files.read_text_file", "", "Read a file of text. Searches nothing." },
    { "files.list_directory", "", "List what is in a directory." },
    { "memory.delete_entities", "", "Delete issues, issues or issues." },
};
enum { TOOLS = sizeof tools / sizeof *tools };

/* The names that are found, with a space between. */
static void expect(const char *query, size_t most, const char *wanted)
{
    size_t best[TOOLS], count = most;
    find *f;
    str names = { 0 };

    assert_int_equal(find_open(&f, tools, TOOLS), SNUG_OK);
    assert_int_equal(find_best(best, &count, f, query), SNUG_OK);
    for (size_t i = 0; i < count; i++)
        str_printf(&names, "%s%s", i > 0 ? " " : "", tools[best[i]].name);
    assert_string_equal(str_text(&names), wanted);
    str_free(&names);
    find_close(f);
}

TEST(names_count_more_than_texts)
{
    expect("issues", TOOLS, "github.search_issues memory.delete_entities");
    expect("search", TOOLS, "github.search_issues files.read_text_file");
    expect("search issues", 1, "github.search_issues");
}

TEST(singular_and_plural_are_one_word)
{
    expect("entity", TOOLS, "memory.delete_entities");
    expect("repositories", TOOLS, "github.create_repository");
    expect("directories", TOOLS, "files.list_directory");
}

TEST(a_beginning_finds_the_word)
{
    expect("repo", TOOLS, "github.create_repository");
    expect("re", TOOLS, "");
}

TEST(a_word_finds_what_it_comes_from)
{
    expect("searching", 1, "github.search_issues");
    expect("listed", 1, "files.list_directory");
    expect("creating a repository", 1, "github.create_repository");
    expect("string", TOOLS, "");
    expect("red", TOOLS, "");
}

TEST(other_words_for_the_same_find_it_too)
{
    expect("folder", TOOLS, "files.list_directory");
    expect("removing entities", 1, "memory.delete_entities");
    expect("bug", 2, "github.search_issues memory.delete_entities");
}

TEST(quotation_marks_beyond_ascii_are_no_letters)
{
    expect("\xe2\x80\x9cuser\xe2\x80\x9d", TOOLS, "github.getUser");
    expect("zebra\xc3\xa9", TOOLS, "");
    expect("\xc2", TOOLS, "");
}

/* A server could have itself found by whatever is asked. */
TEST(of_a_long_text_the_beginning_counts)
{
    static char doc[20 * 1024];
    const stub item = { "f", "", doc };
    size_t best[1], count = 1;
    find *f;
    for (size_t i = 0; i + 5 < sizeof doc; i += 5)
        memcpy(doc + i, "word ", 5);
    memcpy(doc + 18 * 1024, " zebra ", 7);
    assert_int_equal(find_open(&f, &item, 1), SNUG_OK);
    assert_int_equal(find_best(best, &count, f, "zebra"), SNUG_OK);
    assert_int_equal(count, 0);
    find_close(f);
}

TEST(what_is_worth_the_same_stays_in_its_order)
{
    static const stub same[] = { { "r", "", "zebra" }, { "q", "", "zebra" }, { "z", "", "zebra" } };
    size_t best[3], count = 3;
    find *f;
    assert_int_equal(find_open(&f, same, 3), SNUG_OK);
    assert_int_equal(find_best(best, &count, f, "zebra"), SNUG_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(best[i], i);
    find_close(f);
}

TEST(case_and_seams_do_not_matter)
{
    expect("USER", TOOLS, "github.getUser");
    expect("listDirectory", 1, "files.list_directory");
}

TEST(a_server_is_a_word_too)
{
    expect("memory", TOOLS, "memory.delete_entities");
}

TEST(words_that_say_nothing_find_nothing)
{
    expect("of the", TOOLS, "");
    expect("", TOOLS, "");
    expect("\"; --", TOOLS, "");
    expect("zebra", TOOLS, "");
    expect("how do i read the file", 1, "files.read_text_file");
}

TEST(there_may_be_no_tools)
{
    size_t best[1], count = 1;
    find *f;
    assert_int_equal(find_open(&f, tools, 0), SNUG_OK);
    assert_int_equal(find_best(best, &count, f, "a word"), SNUG_OK);
    assert_int_equal(count, 0);
    find_close(f);
}

TEST(a_word_of_any_length_is_taken)
{
    char query[5000];
    memset(query, 'x', sizeof query - 1);
    query[sizeof query - 1] = '\0';
    expect(query, TOOLS, "");
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
