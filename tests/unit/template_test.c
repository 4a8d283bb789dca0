#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

#include "agent/template/template.h"
#include "base/error.h"
#include "base/file.h"

/* The set with text as its template "reply". */
static template_set *with_reply(const char *text)
{
    snug_agent_prompt prompt = { "reply", text };
    template_set *set;
    if (template_set_open(&set, NULL, &prompt, 1) != SNUG_OK)
        fail_msg("%s: %s", text, error_message());
    return set;
}

static const template_values some = { .query = "why?", .code = "{{query}}", .output = "a\nb\n" };

TEST(texts_are_rendered)
{
    static const struct {
        const char *text, *rendered;
    } rows[] = {
        { "", "" },
        { "plain\n\n", "plain" },
        { "Q: {{query}}!", "Q: why?!" },
        { "{{ query }}{{\tquery}}", "why?why?" },
        { "{{hint}}|", "|" },
        /* Values are not expanded. */
        { "{{code}}", "{{query}}" },
        { "{{{{query}}", "{{query}}" },
        { "{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}}" },
        { "a {{! remark }}b", "a b" },
        { "{{! remark }}\nb", "b" },
        { "{{#query}}yes{{/query}}{{^query}}no{{/query}}", "yes" },
        { "{{#hint}}yes{{/hint}}{{^hint}}no{{/hint}}", "no" },
        { "{{#query}}a{{#hint}}b{{query}}{{/hint}}c{{/query}}d", "acd" },
        { "{{#hint}}a{{#query}}b{{/query}}c{{/hint}}d", "d" },
        { "{{#hint}}a{{^hint}}b{{/hint}}c{{/hint}}d", "d" },
        { "a\n{{#query}}\nb\n{{/query}}\nc", "a\nb\nc" },
        { "a\n{{#hint}}\nb\n{{/hint}}\nc", "a\nc" },
        { "a\n  {{#query}}  \nb\r\n\t{{/query}}\r\nc", "a\nb\r\nc" },
        { "a {{#query}}\nb\n{{/query}}", "a \nb" },
        { "{{output}}|", "a\nb\n|" },
        { "x{{output}}", "xa\nb" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        template_set *set = with_reply(rows[i].text);
        str out = { 0 };
        assert_int_equal(str_add(&out, "\n"), SNUG_OK);
        assert_int_equal(template_render(&out, set, "reply", &some), SNUG_OK);
        assert_string_equal(out.data + 1, rows[i].rendered);
        str_free(&out);
        template_set_close(set);
    }
}

TEST(what_is_wrong_with_a_text_is_told)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "a\n{{qery}}",
          "template t, line 2: there is no variable \"qery\"; did you mean \"query\"?" },
        { "{{zzzzzzzz}}", "template t, line 1: there is no variable \"zzzzzzzz\"" },
        { "{{}}", "template t, line 1: there is no variable \"\"" },
        { "{{{query}}}", "template t, line 1: there is no variable \"{query\"" },
        { "{{#querry}}x{{/querry}}", "no variable \"querry\"; did you mean \"query\"?" },
        { "a\n\nb {{query", "template t, line 3: {{ without }}" },
        { "a\n{{#query}}\nb", "template t, line 2: the section \"query\" is not closed" },
        { "a\n{{/query}}", "template t, line 2: no section \"query\" is open" },
        { "{{#query}}\n{{#code}}\n{{/query}}{{/code}}",
          "template t, line 3: \"query\" is closed where \"code\" of line 2 is open" },
        { "a\n\xff", "template t, line 2: invalid UTF-8" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(template_check("t", rows[i].text), SNUG_EINVAL);
        if (!strstr(error_message(), rows[i].message))
            fail_msg("%s: %s", rows[i].text, error_message());
    }
}

TEST(sections_and_bytes_are_bounded)
{
    str text = { 0 };
    for (int i = 0; i < 17; i++)
        assert_int_equal(str_add(&text, "{{#query}}"), SNUG_OK);
    assert_int_equal(template_check("t", text.data), SNUG_EINVAL);
    assert_non_null(strstr(error_message(), "more than 16 sections"));
    str_clear(&text);
    while (text.len <= TEMPLATE_BYTES)
        assert_int_equal(str_add(&text, "x"), SNUG_OK);
    assert_int_equal(template_check("t", text.data), SNUG_EINVAL);
    assert_string_equal(error_message(), "template t has more than 65536 bytes");
    text.data[TEMPLATE_BYTES] = '\0';
    assert_int_equal(template_check("t", text.data), SNUG_OK);
    str_free(&text);
}

/* All variables have a value but that one, which may be NULL. All are pointers. */
static template_values all_but(const char *name)
{
    template_values all = { 0 };
    const char **values = (const char **)(void *)&all;
    for (size_t v = 0; template_variable(v); v++)
        if (!name || strcmp(template_variable(v)->name, name) != 0)
            values[v] = "<MARK>";
    return all;
}

TEST(the_built_in_templates_are_right)
{
    template_set *set;
    size_t count = 0;
    assert_int_equal(template_set_open(&set, NULL, NULL, 0), SNUG_OK);
    for (const template_description *t; (t = template_info(count)); count++) {
        if (template_check(t->name, template_text(set, t->name)) != SNUG_OK)
            fail_msg("%s", error_message());
        assert_true(strlen(t->about) > 10);
        str out = { 0 };
        const template_values all = all_but(NULL);
        assert_int_equal(template_render(&out, set, t->name, &all), SNUG_OK);
        assert_true(out.len > 0);
        assert_null(strstr(out.data, "{{"));
        assert_null(strstr(out.data, "\n\n\n"));
        str_free(&out);
    }
    assert_int_equal(count, 30);
    template_set_close(set);
}

/* Whether a built-in template uses the variable. */
static int is_used(const char *name)
{
    const template_values all = all_but(NULL), without = all_but(name);
    template_set *set;
    int found = 0;
    assert_int_equal(template_set_open(&set, NULL, NULL, 0), SNUG_OK);
    for (size_t i = 0; template_info(i) && !found; i++) {
        str one = { 0 }, other = { 0 };
        assert_int_equal(template_render(&one, set, template_info(i)->name, &all), SNUG_OK);
        assert_int_equal(template_render(&other, set, template_info(i)->name, &without), SNUG_OK);
        found = strcmp(one.data, other.data) != 0;
        str_free(&one);
        str_free(&other);
    }
    template_set_close(set);
    return found;
}

TEST(variables_are_used_and_described)
{
    /* For templates of the caller's. */
    static const char for_others[] = " profile ";
    for (size_t v = 0; template_variable(v); v++) {
        const char *name = template_variable(v)->name;
        assert_true(strlen(template_variable(v)->about) > 10);
        if (!is_used(name) && !strstr(for_others, name))
            fail_msg("no template uses %s", name);
    }
    assert_null(template_variable(1000));
    assert_null(template_info(1000));
}

TEST(a_repair_says_what_there_is_to_say)
{
    template_set *set;
    str out = { 0 };
    template_values values = { .query = "Sum?",
                               .program = "python",
                               .code = "print(x)",
                               .error = "NameError: x",
                               .category = "name",
                               .attempt = "2",
                               .max_attempts = "3",
                               .hint = "Define x.",
                               .focus = "Smallest change." };
    assert_int_equal(template_set_open(&set, NULL, NULL, 0), SNUG_OK);
    assert_int_equal(template_render(&out, set, "repair", &values), SNUG_OK);
    assert_non_null(strstr(out.data, "attempt 2 of 3."));
    assert_null(strstr(out.data, "print(x)")); /* it stands in the message before */
    assert_non_null(strstr(out.data, "The error (name):\n```text\nNameError: x\n```"));
    assert_non_null(
        strstr(out.data, "Hint: Define x.\n\nSmallest change.\n\nReply with the whole"));
    assert_null(strstr(out.data, "root_cause"));
    assert_null(strstr(out.data, "in a row"));
    str_clear(&out);
    values.repeats = "2";
    values.analysis_request = "1";
    assert_int_equal(template_render(&out, set, "repair", &values), SNUG_OK);
    assert_non_null(strstr(out.data, "has come 2 times in a row"));
    assert_non_null(strstr(out.data, "{\"root_cause\": "));
    str_free(&out);
    template_set_close(set);
}

/* ---- replacing ---- */

static char folder[] = "/tmp/snug_template_XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static void put(const char *name, const char *text)
{
    char path[128];
    struct iovec piece = { (void *)(uintptr_t)text, strlen(text) };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(file_replace(path, &piece, 1), SNUG_OK);
}

static void take_away(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

TEST(a_folder_replaces_templates_and_a_text_comes_before_it)
{
    snug_agent_prompt prompt = { "plan", "mine" };
    template_set *set;
    put("plan.txt", "of the folder");
    put("reply.txt", "of the folder too");
    put("README", "{{nothing}}");
    assert_int_equal(template_set_open(&set, folder, &prompt, 1), SNUG_OK);
    assert_string_equal(template_text(set, "plan"), "mine");
    assert_string_equal(template_text(set, "reply"), "of the folder too");
    assert_non_null(strstr(template_text(set, "repair"), "{{error}}"));
    assert_null(template_text(set, "none"));
    template_set_close(set);
    take_away("plan.txt");
    take_away("reply.txt");
    take_away("README");
}

static void refuses(const char *dir, const snug_agent_prompt *prompts, size_t count, int code,
                    const char *message)
{
    template_set *set = NULL;
    assert_int_equal(template_set_open(&set, dir, prompts, count), code);
    assert_null(set);
    if (!strstr(error_message(), message))
        fail_msg("%s", error_message());
}

TEST(templates_that_are_not_right_are_refused)
{
    static const snug_agent_prompt twice[] = { { "plan", "a" }, { "plan", "b" } };
    static const snug_agent_prompt wrong[] = { { "plan", "a\n{{langage}}" } };
    static const snug_agent_prompt unknown[] = { { "repare", "a" } };
    static const snug_agent_prompt nothing[] = { { "plan", NULL } };
    refuses(NULL, twice, 2, SNUG_EINVAL, "template plan is given twice");
    refuses(NULL, wrong, 1, SNUG_EINVAL,
            "template plan, line 2: there is no variable \"langage\"; did you mean \"language\"?");
    refuses(NULL, unknown, 1, SNUG_EINVAL,
            "there is no template \"repare\"; did you mean \"repair\"?");
    refuses(NULL, nothing, 1, SNUG_EINVAL, "prompt 1 has no name or no text");
    refuses("/nonexistent", NULL, 0, SNUG_ESYSTEM, "prompts /nonexistent: No such file");
    put("sytem.txt", "x");
    refuses(folder, NULL, 0, SNUG_EINVAL,
            "/sytem.txt: there is no template \"sytem\"; did you mean \"system\"?");
    take_away("sytem.txt");
    put("system.txt", "{{#query}}");
    refuses(folder, NULL, 0, SNUG_EINVAL,
            "/system.txt, line 1: the section \"query\" is not closed");
    take_away("system.txt");
    str out = { 0 };
    template_set *set = with_reply("x");
    template_values none = { 0 };
    assert_int_equal(template_render(&out, set, "replay", &none), SNUG_EINVAL);
    assert_string_equal(error_message(),
                        "there is no template \"replay\"; did you mean \"reply\"?");
    template_set_close(set);
}

/* ---- docs/agent-prompts.md ---- */

TEST(the_manual_has_every_template_and_variable)
{
    str text = { 0 }, row = { 0 };
    size_t rows = 0, known = 0;
    assert_int_equal(file_read(&text, MANUAL, 1 << 20), SNUG_OK);
    for (int kind = 0; kind < 2; kind++) {
        const template_description *t;
        for (size_t i = 0; (t = kind ? template_info(i) : template_variable(i)); i++, known++) {
            str_clear(&row);
            assert_int_equal(str_printf(&row, "\n| `%s` | %s |\n", t->name, t->about), SNUG_OK);
            if (!strstr(text.data, row.data))
                fail_msg("the manual is without%s", row.data);
        }
    }
    for (const char *at = text.data; (at = strstr(at, "\n| `")); at++)
        rows++;
    assert_int_equal(rows, known);
    str_free(&text);
    str_free(&row);
}

int main(void)
{
    return run_all_tests(make_folder, remove_folder);
}
