#include "test.h"

#include <snug/snug.h>

#include "agent/model/prices.h"
#include "base/error.h"

static const char table[] = "{\"a:one\": {\"input_per_mtok\": 1, \"output_per_mtok\": 2.5},\n"
                            " \"a:two\": {\"output_per_mtok\": 10, \"input_per_mtok\": 4,"
                            " \"cached_input_per_mtok\": 0.5},\n"
                            " \"openai:gpt-4o\": {\"input_per_mtok\": 7, \"output_per_mtok\": 7},"
                            " \"b:written\": {\"input_per_mtok\": 1, \"output_per_mtok\": 1,"
                            " \"cached_input_per_mtok\": 0.1, \"written_input_per_mtok\": 1.25},"
                            " \"b:free\": {\"input_per_mtok\": 0, \"output_per_mtok\": 0}}";

static prices *open_table(void)
{
    prices *p;
    assert_int_equal(prices_parse(&p, "p.json", table, strlen(table)), SNUG_OK);
    return p;
}

TEST(tokens_cost_what_the_table_says)
{
    static const struct {
        const char *model;
        uint64_t input, cached, output;
        double usd;
        uint64_t written;
    } rows[] = {
        { "a:one", 1000000, 0, 0, 1 },
        { "a:one", 0, 0, 1000000, 2.5 },
        { "a:one", 1000, 500, 100, 0.00125 }, /* no price of its own for cached ones */
        { "a:two", 1000000, 400000, 100000, 3.6 },
        { "a:two", 10, 1000000, 0, 0.000005 }, /* no more cached than there were */
        { "b:free", 1000000, 0, 1000000, 0 },
        { "a:two", 0, 0, 0, 0 },
        { "a:one", 1000000, 0, 0, 1, .written = 500000 },
        { "b:written", 1000000, 400000, 0, 0.3 + 0.04 + 0.375, .written = 300000 },
        { "b:written", 1000000, 400000, 0, 0.04 + 0.75, .written = 9000000 },
        /* Not in the file. */
        { "openai:gpt-4o-mini", 1000000, 500000, 1000000, 0.075 + 0.0375 + 0.6 },
        { "openai:gpt-4o-mini-2024-07-18", 1000000, 0, 0, 0.15 },
        { "anthropic:claude-haiku-4-5-20251001", 1000000, 0, 0, 1.25, .written = 1000000 },
        { "gemini:gemini-2.5-flash", 0, 0, 1000000, 2.5 },
        /* Of the file, though another one is built in. */
        { "openai:gpt-4o", 1000000, 0, 0, 7 },
    };
    prices *p = open_table();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double usd = -1;
        const token_counts used = { .input = rows[i].input,
                                    .cached = rows[i].cached,
                                    .written = rows[i].written,
                                    .output = rows[i].output };
        assert_int_equal(prices_cost(&usd, p, rows[i].model, &used), SNUG_OK);
        assert_true(usd > rows[i].usd - 1e-12 && usd < rows[i].usd + 1e-12);
    }
    prices_close(p);
}

TEST(a_model_without_a_price_is_told)
{
    const token_counts one = { .input = 1, .output = 1 };
    prices *p = open_table();
    double usd;
    assert_int_equal(prices_cost(&usd, p, "a:three", &one), SNUG_ENOTFOUND);
    assert_string_equal(error_message(), "there is no price for the model a:three");
    assert_int_equal(prices_cost(&usd, NULL, "a:one", &one), SNUG_ENOTFOUND);
    prices_close(p);
    assert_int_equal(prices_parse(&p, "p.json", "{}", 2), SNUG_OK);
    assert_int_equal(prices_cost(&usd, p, "a:one", &one), SNUG_ENOTFOUND);
    prices_close(p);
    assert_int_equal(prices_cost(&usd, NULL, "openai:gpt-4o-", &one), SNUG_ENOTFOUND);
    assert_int_equal(prices_cost(&usd, NULL, "openai:-2024-07-18", &one), SNUG_ENOTFOUND);
    assert_int_equal(prices_cost(&usd, NULL, "ollama:gpt-4o", &one), SNUG_ENOTFOUND);
}

TEST(what_is_wrong_with_a_table_is_told)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "", "prices p.json: invalid JSON: nothing at byte 1" },
        { "{\"a:b\": }", "prices p.json: invalid JSON: unexpected text at byte 9" },
        { "[]", "prices p.json: it is not an object" },
        { "{\"ab\": {}}", "prices p.json: \"ab\" is not of the form provider:model" },
        { "{\":b\": {}}", "prices p.json: \":b\" is not of the form provider:model" },
        { "{\"a:b\": 1}", "prices p.json: a:b is not an object" },
        { "{\"a:b\": {}}", "prices p.json: a:b is without input_per_mtok" },
        { "{\"a:b\": {\"input_per_mtok\": 1}}", "prices p.json: a:b is without output_per_mtok" },
        { "{\"a:b\": {\"input_per_mtok\": \"1\"}}",
          "prices p.json: input_per_mtok of a:b is not a number from 0 to 1000000" },
        { "{\"a:b\": {\"input_per_mtok\": -1}}",
          "prices p.json: input_per_mtok of a:b is not a number from 0 to 1000000" },
        { "{\"a:b\": {\"output_per_mtok\": 1e7}}",
          "prices p.json: output_per_mtok of a:b is not a number from 0 to 1000000" },
        { "{\"a:b\": {\"x\": 1}}", "prices p.json: a:b has an unknown member \"x\"" },
        { "{\"a:b\": {\"output_per_mtok\": 1, \"input_per_mtok\": 1}, \"a:b\": {}}",
          "prices p.json: a:b is there twice" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        prices *p = NULL;
        assert_int_equal(prices_parse(&p, "p.json", rows[i].text, strlen(rows[i].text)),
                         SNUG_EINVAL);
        assert_null(p);
        assert_string_equal(error_message(), rows[i].message);
    }
}

TEST(a_file_that_is_not_there_is_told)
{
    prices *p = NULL;
    assert_int_equal(prices_open(&p, "/nonexistent/prices.json"), SNUG_ESYSTEM);
    assert_non_null(strstr(error_message(), "/nonexistent/prices.json"));
    assert_int_equal(prices_open(&p, "/"), SNUG_EINVAL);
    assert_null(p);
    prices_close(NULL);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
