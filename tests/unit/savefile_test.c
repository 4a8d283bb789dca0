#include "test.h"

#include <snug/snug.h>

#include "base/error.h"
#include "wire/savefile.h"

static span span_of(const char *text)
{
    return (span){ text, strlen(text) };
}

/* A file with a row of every kind, two sources, a folder and a file. */
static str make(void)
{
    str parts[SAVEFILE_PARTS] = { 0 }, whole = { 0 };
    str *plan = &parts[SAVEFILE_PLAN], *files = &parts[SAVEFILE_FILES];
    savefile file = { 3, 11, 5, 2, 1, { { 0 } }, 0 };
    char header[SAVEFILE_HEADER_BYTES];
    span none = span_of("");
    savefile_add_row(plan, SAVEFILE_NAME, 0, span_of("x"), span_of("value"));
    savefile_add_row(plan, SAVEFILE_OUT, 2, none, none);
    savefile_add_row(plan, SAVEFILE_SETTING, 0, span_of("random"), none);
    savefile_add_row(plan, SAVEFILE_SKIPPED, 0, span_of("g"), span_of("a reason"));
    for (int i = 0; i < 3; i++)
        savefile_add_row(plan, SAVEFILE_LAST, 2, none, none);
    str_add(&parts[SAVEFILE_VALUES], "values");
    savefile_add_source(&parts[SAVEFILE_SOURCES], "x = 1", 5);
    savefile_add_source(&parts[SAVEFILE_SOURCES], NULL, 0);
    savefile_add_entry(files, 0, "d", 1, 0);
    savefile_add_entry(files, 1, "d/f", 3, 4);
    str_append(files, "data", 4);
    for (int i = 0; i < SAVEFILE_PARTS; i++)
        file.parts[i] = (span){ parts[i].data, parts[i].len };
    savefile_header(header, &file);
    str_append(&whole, header, sizeof header);
    for (int i = 0; i < SAVEFILE_PARTS; i++) {
        str_append(&whole, parts[i].data, parts[i].len);
        str_free(&parts[i]);
    }
    return whole;
}

TEST(what_is_written_is_read)
{
    str whole = make();
    savefile file;
    savefile_row row;
    savefile_entry entry;
    span source;
    assert_int_equal(savefile_read(&file, whole.data, whole.len), SNUG_OK);
    assert_int_equal(file.python_minor, 11);
    assert_int_equal(file.future_flags, 5);
    assert_int_equal(file.cells, 2);
    assert_int_equal(file.values, 3);
    assert_true(savefile_next_row(&file.parts[SAVEFILE_PLAN], &row));
    assert_int_equal(row.kind, SAVEFILE_NAME);
    assert_memory_equal(row.second.at, "value", 5);
    assert_true(savefile_next_source(&file.parts[SAVEFILE_SOURCES], &source));
    assert_memory_equal(source.at, "x = 1", 5);
    assert_true(savefile_next_source(&file.parts[SAVEFILE_SOURCES], &source));
    assert_null(source.at);
    assert_true(savefile_next_entry(&file.parts[SAVEFILE_FILES], &entry));
    assert_false(entry.is_file);
    assert_true(savefile_next_entry(&file.parts[SAVEFILE_FILES], &entry));
    assert_memory_equal(entry.content.at, "data", 4);
    assert_int_equal(file.parts[SAVEFILE_FILES].len, 0);
    str_free(&whole);
}

/* In memory of exactly its length, so that reading past it is seen. */
static int read_copy(const char *data, size_t len)
{
    char *copy = malloc(len + 1);
    savefile file;
    memcpy(copy, data, len);
    error_set(0, "untouched");
    int error = savefile_read(&file, copy, len);
    if (error)
        assert_string_not_equal(error_message(), "untouched");
    free(copy);
    return error;
}

TEST(no_bit_can_be_changed)
{
    str whole = make();
    for (size_t bit = 0; bit < whole.len * 8; bit++) {
        whole.data[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_equal(read_copy(whole.data, whole.len), SNUG_EINVAL);
        whole.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_int_equal(read_copy(whole.data, whole.len), SNUG_OK);
    str_free(&whole);
}

TEST(no_byte_can_be_missing_or_too_many)
{
    str whole = make();
    for (size_t len = 0; len < whole.len; len++)
        assert_int_equal(read_copy(whole.data, len), SNUG_EINVAL);
    str_append(&whole, "", 1);
    assert_int_equal(read_copy(whole.data, whole.len), SNUG_EINVAL);
    str_free(&whole);
}

TEST(the_checksum_is_the_one_of_xz)
{
    char header[SAVEFILE_HEADER_BYTES];
    savefile file = { .parts = { span_of("123456789"), span_of(""), span_of(""), span_of("") } };
    savefile_header(header, &file);
    assert_memory_equal(header + 48, "\xfa\x39\x19\xdf\xbb\xc9\x5d\x99", 8);
}

TEST(a_newer_format_is_told_as_such)
{
    str whole = make();
    whole.data[8] = 2;
    assert_int_equal(read_copy(whole.data, whole.len), SNUG_EINVAL);
    assert_non_null(strstr(error_message(), "newer snug"));
    str_free(&whole);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
