#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "agent/text/extract.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/jsontext.h"

/* A case of extract/replies.txt: "==== name", the reply, and what is to be found in it behind
 * "---- code", "---- prose" and so on. What is not given is not looked at, but for the code. Flags:
 * arguments (of a tool call), unclosed, bare (neither fence nor tag), blocks=N. */
typedef struct expected {
    char *name, *reply, *code, *prose, *analysis, *language, *flags;
} expected;

static char **section(expected *e, const char *name)
{
    struct {
        const char *name;
        char **text;
    } rows[] = { { "code", &e->code },
                 { "prose", &e->prose },
                 { "analysis", &e->analysis },
                 { "language", &e->language },
                 { "flags", &e->flags } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].text;
    fail_msg("replies.txt: there is no section %s", name);
    return NULL;
}

/* Reads the next case out of *at, which is written to. */
static int next_case(expected *out, char **at)
{
    static char empty[1];
    *out = (expected){ 0 };
    if (strncmp(*at, "==== ", 5) != 0)
        return 0;
    char *line = *at + 5, **text = &out->reply;
    out->name = line;
    line = strchr(line, '\n');
    *line++ = '\0';
    *text = line;
    for (;;) {
        char *end = strchr(line, '\n');
        if (!*line || strncmp(line, "==== ", 5) == 0)
            break;
        if (strncmp(line, "---- ", 5) == 0) {
            line[line == *text ? 0 : -1] = '\0';
            *end = '\0';
            text = section(out, line + 5);
            *text = end + 1;
        }
        line = end + 1;
    }
    *at = *line ? line : strchr(line, '\0');
    if (line > *text)
        line[-1] = '\0';
    else
        *text = empty;
    return 1;
}

/* 1, and says so, if they differ. */
static int differs(const char *name, const char *what, const char *found, const char *wanted)
{
    int is_other = strcmp(found, wanted) != 0;
    if (is_other)
        print_error("%s: %s is\n[%s]\nand not\n[%s]\n", name, what, found, wanted);
    return is_other;
}

static int has_flag(const expected *e, const char *flag)
{
    return e->flags && strstr(e->flags, flag) != NULL;
}

/* The number of faults. */
static int check_case(const expected *e)
{
    extracted found;
    char wanted[80], state[80];
    int (*extract)(extracted *, const char *, size_t) =
        has_flag(e, "arguments") ? extract_arguments : extract_code;
    /* Without a NUL behind it, so that a read past the end is seen. */
    size_t len = strlen(e->reply);
    char *copy = malloc(len ? len : 1);
    memcpy(copy, e->reply, len);
    assert_int_equal(extract(&found, copy, len), SNUG_OK);
    free(copy);
    int faults = differs(e->name, "the code", str_text(&found.code), e->code ? e->code : "");
    if (e->prose)
        faults += differs(e->name, "the prose", str_text(&found.prose), e->prose);
    faults += differs(e->name, "the analysis", str_text(&found.analysis_json),
                      e->analysis ? e->analysis : "");
    if (e->language)
        faults += differs(e->name, "the language", str_text(&found.language), e->language);
    const char *blocks = e->flags ? strstr(e->flags, "blocks=") : NULL;
    snprintf(wanted, sizeof wanted, "blocks=%d fenced=%d complete=%d",
             blocks ? atoi(blocks + 7) : e->code != NULL, e->code && !has_flag(e, "bare"),
             !has_flag(e, "unclosed"));
    snprintf(state, sizeof state, "blocks=%d fenced=%d complete=%d", found.block_count,
             found.is_fenced, found.is_complete);
    extracted_free(&found);
    return faults + differs(e->name, "the state", state, wanted);
}

static void replies_hold_the_code_that_their_file_says(void **state)
{
    str text = { 0 };
    expected e;
    size_t count = 0;
    int faults = 0;
    assert_int_equal(file_read(&text, REPLIES, 1 << 20), SNUG_OK);
    char *at = text.data;
    for (; next_case(&e, &at); count++)
        faults += check_case(&e);
    assert_int_equal(faults, 0);
    assert_string_equal(at, "");
    assert_true(count >= 80);
    str_free(&text);
}

typedef struct row {
    const char *text, *code;
} row;

static void check_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        extracted found;
        assert_int_equal(extract_code(&found, rows[i].text, strlen(rows[i].text)), SNUG_OK);
        assert_string_equal(str_text(&found.code), rows[i].code);
        extracted_free(&found);
    }
}
#define ROWS(rows) check_rows(rows, sizeof rows / sizeof *rows)

static void line_ends_are_made_plain(void **state)
{
    static const row rows[] = {
        { "```python\r\nx = 1\r\ny = 2\r\n```\r\n", "x = 1\ny = 2" },
        { "```python\rx = 1\r```", "x = 1" },
        { "{\"code\": \"x = 1\\r\\ny = 2\"}", "x = 1\ny = 2" },
        { "\xef\xbb\xbf```python\nx = 1\n```", "x = 1" },
        { "```python\n\n\n  \nx = 1  \n\n```", "x = 1" },
    };
    ROWS(rows);
}

static void what_is_no_utf8_is_a_question_mark(void **state)
{
    static const row rows[] = {
        { "```python\nx = '\xff'\n```", "x = '?'" },
        { "```python\nx = '\xed\xa0\x80'\n```", "x = '\?\?\?'" },
    };
    ROWS(rows);
}

static void a_nul_is_kept_for_the_scan(void **state)
{
    static const char reply[] = "```python\nx = '\0'\n```";
    extracted found;
    assert_int_equal(extract_code(&found, reply, sizeof reply - 1), SNUG_OK);
    assert_int_equal(found.code.len, 7);
    assert_memory_equal(found.code.data, "x = '\0'", 7);
    extracted_free(&found);
}

static void an_analysis_is_strict_json(void **state)
{
    static const char *const replies[] = {
        "{'root_cause': None, 'severity': True, 'x': [1, 2,],}",
        "{\"root_cause\": \"a\nb\tc\", \"x\": 'it\\'s \\d'}",
        "{\"root_cause\": \"cut",
        "{\"root_cause\": ",
        "{\"root_cause\"",
        "{\"root_cause\": \"\\ud800\"}",
    };
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        extracted found;
        size_t at;
        assert_int_equal(extract_code(&found, replies[i], strlen(replies[i])), SNUG_OK);
        if (!found.analysis_json.len ||
            jsontext_check(found.analysis_json.data, found.analysis_json.len, &at))
            fail_msg("%s: %s", replies[i], str_text(&found.analysis_json));
        extracted_free(&found);
    }
}

/* A megabyte of each takes some 0.1 s; what is quadratic takes hours. */
static void hostile_replies_take_linear_time(void **state)
{
    static const char *const pieces[] = {
        "`",
        "```\n",
        "```python\n\"\"\"\n```\n",
        "<think>",
        "</think>\n",
        "<code>\n",
        "<",
        "{",
        "{\"",
        "{'a\":",
        "[{\"a\":\"",
        "{\"code\":\"\"\"\n",
        "{\"a\": {\"arguments\": ",
        "{/*",
        "\"",
        "'''\n",
        "\\",
        "&lt;",
        ">>> x\n",
        "x = 1\n",
        "print(",
        "\t",
        " \n",
        "```python\nx\n```\n",
        "~~~",
        "1. ",
        "{\"root_cause\": ",
        "\"code\": \"",
        "</code>\n<code>",
        /* A string that never ends, and one that ends where nothing may follow. */
        "```python\n\\\"\"\"\n```\n",
        "{\"\n",
        "'''python\n",
        "'''py\n'''a\n",
        "'''\n'''b\n",
        "> ```python\n",
        "> x\n",
        "[PYTHON]\n",
        "[PYTHON]x[/PYTHON] x\n",
        "`x",
    };
    enum { SIZE = PART_IF_SANITIZED(1 << 20) };
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t len = strlen(pieces[i]);
        for (size_t at = 0; at < SIZE; at++)
            text[at] = pieces[i][at % len];
        memcpy(text + SIZE - 4, "\":}\n", 4);
        extracted found;
        uint64_t begin = clock_thread_cpu_ns();
        assert_int_equal(extract_code(&found, text, SIZE), SNUG_OK);
        extracted_free(&found);
        assert_int_equal(extract_arguments(&found, text, SIZE), SNUG_OK);
        extracted_free(&found);
        if (clock_thread_cpu_ns() - begin > UINT64_C(20000000000))
            fail_msg("%s takes too long", pieces[i]);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_hold_the_code_that_their_file_says),
        cmocka_unit_test(line_ends_are_made_plain),
        cmocka_unit_test(what_is_no_utf8_is_a_question_mark),
        cmocka_unit_test(a_nul_is_kept_for_the_scan),
        cmocka_unit_test(an_analysis_is_strict_json),
        cmocka_unit_test(hostile_replies_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
