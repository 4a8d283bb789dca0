#include "test.h"

#include <string.h>

#include <snug/snug.h>

#include "cli/upstream/schema_type.h"

static jsontext_span span_of(const char *text)
{
    return (jsontext_span){ text, strlen(text) };
}

static void a_schema_is_a_type_of_python(void **state)
{
    static const struct {
        const char *schema, *type;
    } cases[] = {
        { "{\"type\": \"string\"}", "str" },
        { "{\"type\": \"number\"}", "float" },
        { "{\"type\": [\"string\", \"null\"]}", "str | None" },
        { "{\"type\": [\"string\", \"string\"]}", "str" },
        { "{\"type\": []}", "Any" },
        { "{\"type\": \"array\"}", "list" },
        { "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}", "list[int]" },
        { "{\"type\": \"array\", \"items\": [{\"type\": \"integer\"}]}", "list" },
        { "{\"type\": \"object\", \"properties\": {\"a\": {}}}", "dict" },
        { "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"boolean\"}}",
          "dict[str, bool]" },
        { "{\"properties\": {\"a\": {}}}", "dict" },
        { "{\"enum\": [\"open\", \"closed\"], \"type\": \"string\"}",
          "Literal[\"open\", \"closed\"]" },
        { "{\"enum\": [1, null, true, \"\\/\\ud83d\\ude00\"]}",
          "Literal[1, None, True, \"/\xf0\x9f\x98\x80\"]" },
        { "{\"enum\": [1.5], \"type\": \"number\"}", "float" },
        { "{\"enum\": [{}], \"type\": \"object\"}", "dict" },
        { "{\"enum\": []}", "Any" },
        { "{\"const\": \"a\"}", "Literal[\"a\"]" },
        { "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}, {\"type\": \"string\"}]}",
          "str | None" },
        { "{\"oneOf\": [{\"type\": \"array\", \"items\": {\"type\": \"string\"}}, {\"type\": "
          "\"string\"}]}",
          "list[str] | str" },
        { "{\"anyOf\": []}", "Any" },
        { "{\"anyOf\": [{\"const\": \"an int here\"}, {\"type\": \"integer\"}]}",
          "Literal[\"an int here\"] | int" },
        { "{\"type\": \"string\", \"nullable\": true}", "str | None" },
        { "{\"nullable\": true}", "Any" },
        { "{\"type\": \"array\", \"prefixItems\": [{\"type\": \"string\"}], "
          "\"items\": {\"type\": \"integer\"}}",
          "list" },
        { "{\"type\": \"object\", \"patternProperties\": {\"^x\": {\"type\": \"integer\"}}, "
          "\"additionalProperties\": {\"type\": \"string\"}}",
          "dict" },
        { "{\"$ref\": \"#/x\"}", "Any" },
        { "true", "Any" },
        { "{}", "Any" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(schema_write_type(&out, span_of(cases[i].schema)), SNUG_OK);
        assert_string_equal(str_text(&out), cases[i].type);
        str_free(&out);
    }
}

static void a_shape_says_what_dicts_have(void **state)
{
    static const struct {
        const char *schema, *shape;
    } cases[] = {
        { "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"name\"], "
          "\"properties\": {\"name\": {\"type\": \"string\"}, \"tags\": {\"type\": \"array\", "
          "\"items\": {\"type\": \"string\"}}}}}",
          "list[{\"name\": str, \"tags\"?: list[str]}]" },
        { "{\"type\": \"object\"}", "" },
        { "{\"enum\": [\"{\"]}", "" },
        { "{\"type\": \"string\"}", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        assert_int_equal(schema_write_shape(&out, span_of(cases[i].schema)), SNUG_OK);
        assert_string_equal(str_text(&out), cases[i].shape);
        str_free(&out);
    }
}

static void depth_ends_in_any(void **state)
{
    str schema = { 0 }, out = { 0 };
    (void)state;
    for (int i = 0; i < 100; i++)
        str_add(&schema, "{\"type\": \"array\", \"items\": ");
    str_add(&schema, "{}");
    for (int i = 0; i < 100; i++)
        str_add(&schema, "}");
    assert_int_equal(schema_write_type(&out, span_of(schema.data)), SNUG_OK);
    assert_string_equal(out.data, "list[list[list[list[list[list[Any]]]]]]");
    str_free(&schema);
    str_free(&out);
}

/* count schemas, or names of types, in brackets. */
static str list_of(size_t count, const char *format)
{
    str out = { 0 };
    for (size_t i = 0; i < count; i++) {
        str_add(&out, i > 0 ? ", " : "[");
        for (const char *at = format; *at; at++)
            if (*at == '#')
                str_printf(&out, "%zu", i);
            else
                str_append(&out, at, 1);
    }
    str_add(&out, "]");
    return out;
}

static void expect_of_list(const char *name, str list, const char *wanted)
{
    str schema = { 0 }, out = { 0 };
    str_printf(&schema, "{\"type\": \"string\", \"%s\": %s}", name, list.data);
    assert_int_equal(schema_write_type(&out, span_of(schema.data)), SNUG_OK);
    assert_string_equal(out.data, wanted);
    str_free(&list);
    str_free(&schema);
    str_free(&out);
}

static void what_is_too_long_to_be_told_is_wider(void **state)
{
    static const char text[] = "\"####################################################\"";
    (void)state;
    expect_of_list("anyOf", list_of(51, "{\"const\": \"c#\"}"), "Any");
    expect_of_list("anyOf", list_of(51, "{\"const\": \"c\"}"), "Literal[\"c\"]");
    expect_of_list("enum", list_of(51, "\"c#\""), "str");
    expect_of_list("enum", list_of(40, text), "str");
    expect_of_list("anyOf",
                   list_of(40, "{\"enum\": [\"aaaaaaaaaaaaaaaaaaa#\", \"bbbbbbbbbbbbbbbbb\"]}"),
                   "Any");
}

static void a_number_that_python_does_not_read_is_no_choice(void **state)
{
    str schema = { 0 }, out = { 0 };
    (void)state;
    str_add(&schema, "{\"type\": \"integer\", \"enum\": [1");
    for (int i = 0; i < 1000; i++)
        str_add(&schema, "0");
    str_add(&schema, "]}");
    assert_int_equal(schema_write_type(&out, span_of(schema.data)), SNUG_OK);
    assert_string_equal(out.data, "int");
    str_free(&schema);
    str_free(&out);
}

/* An object of eight members, each with what is inside. */
static void wrap(str *schema)
{
    str outer = { 0 };
    str_add(&outer, "{\"type\": \"object\", \"properties\": {");
    for (int i = 0; i < 8; i++)
        str_printf(&outer, "%s\"member%d\": %s", i > 0 ? ", " : "", i, schema->data);
    str_add(&outer, "}}");
    str_free(schema);
    *schema = outer;
}

static void a_long_shape_has_fewer_levels(void **state)
{
    str schema = { 0 }, out = { 0 };
    (void)state;
    str_add(&schema, "{}");
    for (int i = 0; i < 4; i++)
        wrap(&schema);
    assert_int_equal(schema_write_shape(&out, span_of(schema.data)), SNUG_OK);
    assert_in_range(out.len, 50, 1500);
    assert_non_null(strstr(out.data, "\"member7\"?: Any"));
    str_free(&schema);
    str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schema_is_a_type_of_python),
        cmocka_unit_test(a_shape_says_what_dicts_have),
        cmocka_unit_test(depth_ends_in_any),
        cmocka_unit_test(what_is_too_long_to_be_told_is_wider),
        cmocka_unit_test(a_number_that_python_does_not_read_is_no_choice),
        cmocka_unit_test(a_long_shape_has_fewer_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
