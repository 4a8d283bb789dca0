#include "test.h"

#include "cli/program/quantity.h"

TEST(sizes_count_by_1024)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {
        { "1000", 1000 },
        { "1b", 1 },
        { "64KiB", 65536 },
        { "64k", 65536 },
        { "256M", 268435456 },
        { "256MB", 268435456 },
        { "1 GB", 1073741824 },
        { "1.5G", 1610612736 },
        { "0.1", 1 },
        { "2t", UINT64_C(2199023255552) },
        { "none", UINT64_MAX },
        { "NONE", UINT64_MAX },
        { "9007199254740992", UINT64_C(9007199254740992) },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t bytes = 0;
        assert_true(quantity_bytes(&bytes, rows[i].text));
        assert_int_equal(bytes, rows[i].bytes);
    }
}

TEST(times_are_seconds_without_a_unit)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } rows[] = {
        { "2", 2000 },     { "0.5", 500 },     { "30s", 30000 }, { "200ms", 200 }, { "2m", 120000 },
        { "1h", 3600000 }, { "1 min", 60000 }, { "0.0001", 1 },  { ".5", 500 },    { "5.", 5000 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t ms = 0;
        assert_true(quantity_ms(&ms, rows[i].text));
        assert_int_equal(ms, rows[i].ms);
    }
}

TEST(a_count_is_whole)
{
    uint64_t count = 0;
    assert_true(quantity_count(&count, "2.0"));
    assert_int_equal(count, 2);
    assert_false(quantity_count(&count, "1.5"));
    assert_false(quantity_count(&count, "0.1"));
}

TEST(a_number_is_digits_with_a_point)
{
    static const char *const rows[] = {
        "", "x", "-1", " 1", "1 ", "0x1", "1e0", "nan", "inf", "."
    };
    double number = 0;
    assert_true(quantity_number(&number, "0.25") && number > 0.24 && number < 0.26);
    assert_true(quantity_number(&number, "0"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_false(quantity_number(&number, rows[i]));
}

TEST(what_is_no_amount_above_zero_is_refused)
{
    static const char *const rows[] = { "",      "x",   "0",    "-1",
                                        "+1",    " 1",  "1x",   "1.2.3",
                                        "inf",   "nan", "0x10", "1e3",
                                        ".",     "1 2", "9e99", "99999999999999999999",
                                        "1  k b" };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t amount = 7;
        assert_false(quantity_bytes(&amount, rows[i]));
        assert_false(quantity_ms(&amount, rows[i]));
        assert_false(quantity_count(&amount, rows[i]));
        assert_int_equal(amount, 7);
    }
}

TEST(a_unit_is_of_its_own_kind)
{
    uint64_t amount;
    assert_false(quantity_bytes(&amount, "1s"));
    assert_false(quantity_ms(&amount, "1k"));
    assert_false(quantity_count(&amount, "1k"));
}

TEST(amounts_are_shown_in_the_largest_whole_unit)
{
    static const struct {
        uint64_t amount;
        const char *unit, *text;
    } rows[] = {
        { 268435456, "bytes", "256 MiB" },
        { 65536, "bytes", "64 KiB" },
        { 1000, "bytes", "1000 bytes" },
        { 30000, "ms", "30 s" },
        { 1500, "ms", "1500 ms" },
        { 120000, "ms", "2 min" },
        { 1000, "", "1,000" },
        { 1234567, "", "1,234,567" },
        { 0, "", "0" },
        { 0, "bytes", "0" },
        { UINT64_MAX, "ms", "none" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[32];
        assert_string_equal(quantity_text(text, sizeof(text), rows[i].amount, rows[i].unit),
                            rows[i].text);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
